"""Corners of each language where a change leaves calls behind, or only seems to.

As in `cases`, but both files are whole, and lines of the changed file may be marked, too.
"""

from __future__ import annotations

from tests.change.cases import Case, Frame

__all__ = ["EDGE_CASES", "EDGE_FRAMES"]

EDGE_FRAMES: dict[str, Frame] = {
    "python": Frame("lib.py", "@", "use.py", "from python.{c}.lib import *\n@"),
    "typescript": Frame("lib.ts", "@", "use.ts", 'import * as lib from "./lib";\n@'),
    "javascript": Frame("lib.js", "@", "use.js", "@"),
    "go": Frame("lib.go", "package {c}\n@", "use.go", "package {c}\n@"),
    "rust": Frame("src/lib.rs", "pub mod user;\n@", "src/user.rs", "use crate::*;\n@"),
    "java": Frame("Lib.java", "package {c};\n@", "Use.java", "package {c};\n@"),
    "c": Frame("lib.c", "@", "use.c", '#include "lib.h"\n@'),
    "cpp": Frame("lib.hpp", "@", "use.cpp", '#include "lib.hpp"\n@'),
    "csharp": Frame("Lib.cs", "namespace {c};\n@", "Use.cs", "namespace {c};\n@"),
    "php": Frame(
        "lib.php", "<?php\nnamespace {c};\n@",
        "use.php", "<?php\nnamespace {c};\nrequire 'lib.php';\n@",
    ),
    "ruby": Frame("lib.rb", "@", "use.rb", "require_relative 'lib'\n@"),
    "kotlin": Frame("Lib.kt", "package {c}\n@", "Use.kt", "package {c}\n@"),
}  # fmt: skip

EDGE_CASES: dict[str, dict[str, Case]] = {
    "python": {
        "called_property": Case(
            "class Box:\n    def put(self): pass\n",
            "class Box:\n    def put(self): pass\n    @property\n    def f(self): return print\n",
            "def run(box: Box):\n    box.f(1)\n    box.f()\n",
            uses_before="def run(box: Box):\n    pass\n",
        ),
        "e_keyword_only": Case(
            "def f(a, key=1): pass\n",
            "def f(a, *, key=1): pass\n",
            "f(1, 2)  #!\nf(1, key=2)\nf(1)\nf(*[1, 2])\n",
        ),
        "e_positional_only": Case(
            "def f(a, b): pass\n", "def f(a, b, /): pass\n", "f(a=1, b=2)  #!\nf(1, 2)\n"
        ),
        "e_forwarded": Case(
            "def f(a): pass\n",
            "def f(a, b): pass\n",
            "def wrap(*args, **kwargs):\n    return f(*args, **kwargs)\n"
            "def other(**kw):\n    return f(1, **kw)\n",
        ),
        "e_rest_gone": Case(
            "def f(*args): pass\n", "def f(a): pass\n", "f(1, 2)  #!\nf(1)\n"
        ),
        "e_names_gone": Case(
            "def f(a, **kw): pass\n", "def f(a): pass\n", "f(1, x=2)  #!\nf(1)\n"
        ),
        "e_injected": Case(
            "def f(a): pass\n",
            "def session(g): ...\n@session\ndef f(db, a): pass\n",
            "f(1)\n",
        ),
        "e_injecting": Case(
            "def inject(g): ...\n@inject\ndef f(db, a=1): pass\n",
            "def inject(g): ...\n@inject\ndef f(db, log, a=1): pass\n",
            "f(1)\nf()\nf(1, 2)\n",
        ),
        "e_context": Case(
            "from contextlib import contextmanager\n@contextmanager\ndef f(a):\n    yield a\n",
            "from contextlib import contextmanager\n@contextmanager\ndef f(a, b):\n    yield a\n",
            "with f(1):  #!\n    pass\nwith f(1, 2):\n    pass\n",
        ),
        "e_cached": Case(
            "from functools import lru_cache\n@lru_cache(maxsize=1)\ndef f(a):\n    return a\n",
            "from functools import lru_cache\n@lru_cache(maxsize=1)\ndef f(a, b):\n    return a\n",
            "f(1)  #!\nf(1, 2)\n",
        ),
        "e_lambda": Case("f = lambda a: a\n", "f = lambda a, b: a\n", "f(1)  #!\nf(1, 2)\n"),
        "e_handed": Case(
            "def f(a): pass\n",
            "def f(a, b): pass\n",
            "from functools import partial\ng = partial(f, 1)\ng(2)\nmap(f, [1], [2])\n"
            "h = f\n",
        ),
        "e_branches": Case(
            "import sys\nif sys.platform == 'x':\n    def f(a): pass\nelse:\n"
            "    def f(a): pass\n",
            "import sys\nif sys.platform == 'x':\n    def f(a): pass\nelse:\n"
            "    def f(a, b): pass\n",
            "f(1)\n",
        ),
        "e_called": Case(
            "class Box:\n    def __call__(self, a): pass\n",
            "class Box:\n    def __call__(self, a, b): pass\n",
            "box = Box()\nbox(1)  #!\nbox(1, 2)\n",
        ),
        "e_alias": Case(
            "def f(a): pass\n",
            "def f(a, b): pass\n",
            "import python.e_alias.lib as other\nfrom python.e_alias.lib import f as mine\n"
            "other.f(1)  #!\nmine(1)  #!\nmine(1, 2)\n",
        ),
        "e_shadowed": Case(
            "def f(a): pass\n",
            "def f(a, b): pass\n",
            "def run(f):\n    f(1)\ndef other():\n    f = print\n    f(1)\n",
        ),
        "e_optional_import": Case(
            "def f(a): pass\n",
            "def f(a, b): pass\n",
            "try:\n    from fast import f\nexcept ImportError:\n    def f(a): pass\nf(1)\n",
        ),
        "e_async": Case(
            "def f(a):\n    return a\n",
            "async def f(a):\n    return a\n",
            "f(1)  #!\nasync def run():\n    await f(1)\n    f(2)  #!\n    x = f(1) + 1  #!\n"
            "    t = f(3)\n    await t\n    return f(4)\n",
        ),
        "e_added": Case(
            "def f(a): pass\n",
            "def g(a, b): pass\nimport functools\n@functools.wraps\n@other\ndef h(a): pass\n",
            "g(1)  #!\ng(1, 2)\nh()\n",
            "f(1)\nf(1)\n",
        ),
        "e_tuple_longer": Case(
            "def f(a):\n    return a, a\n",
            "def f(a):\n    return a, a, a\n",
            "x, y = f(1)  #!\nx, *y = f(1)\nfor x in f(1): pass\n(x, y), z = f(1), 2\n",
        ),
    },
    "typescript": {
        "e_generic": Case(
            "export function f<T>(a: T): void {}\n",
            "export function f<T>(a: T, b: T): void {}\n",
            "lib.f<number>(1);  //!\nlib.f<number>(1, 2);\n",
        ),
        "e_arrow": Case(
            "export const f = (a: number) => a;\nexport const G = async (a: number) => a;\n",
            "export const f = (a: number, b: number) => a;\n"
            "export const G = async (a: number, b: number) => a;\n",
            "lib.f(1);  //!\nlib.f(1, 2);\nlib.G(1).then(console.log);  //!\n[1].map(lib.f);\n",
        ),
        "e_rest": Case(
            "export function f(a: number, ...b: number[]) {}\n",
            "export function f(a: number) {}\n",
            "lib.f(1, 2);  //!\nlib.f(1);\nlib.f(...[1]);\n",
        ),
        "e_bound": Case(
            "export function f(a: number) {}\n",
            "export function f(a: number, b: number) {}\n",
            "lib.f.call(null, 1);\nlib.f.bind(null, 1)(2);\nlib.f.apply(null, [1]);\n"
            "setTimeout(lib.f, 1);\n",
        ),
        "e_destructured": Case(
            "export function f({ a }: { a: number }) {}\n",
            "export function f({ a, b }: { a: number; b?: number }) {}\n",
            "lib.f({ a: 1 });\n",
        ),
        "e_added": Case(
            "export function f(a: number) {}\n",
            "export function g(a: number, b: number) {}\n",
            "lib.g(1);  //!\nlib.g(1, 2);\n",
            "lib.f(1);\nlib.f(1);\n",
        ),
        "e_default_undefined": Case(
            "export function f(a: number, b: number) {}\n",
            "export function f(a: number | undefined, b = 1, c?: number) {}\n",
            "lib.f(1, 2);\nlib.f(1);\n",
        ),
        "e_async": Case(
            "export function f(a: number): number { return a; }\n",
            "export async function f(a: number): Promise<number> { return a; }\n",
            "const x = lib.f(1) + 1;  //!\nlib.f(1).then(print);\nvoid lib.f(1);\n"
            "async function run() { return (await lib.f(1)) + 1; }\nconst p = lib.f(1);\n"
            "lib.f(2).toFixed();  //!\nawait Promise.all([lib.f(1)]);\n",
        ),
    },
    "javascript": {
        "e_within": Case(
            "function g(rows) {\n  function fetchAll(a) { return a; }\n"
            "  return fetchAll(rows);\n}\n",
            "function g(rows) {\n  function loadAll(a) { return a; }\n"
            "  return fetchAll(rows); //!\n}\n",
            "",
        ),
        "e_common": Case(
            "function f(a) { return a; }\nmodule.exports = { f };\n",
            "function f(a, b) { return a + b; }\nmodule.exports = { f };\n",
            'const { f } = require("./lib");\nconst lib = require("./lib");\n'
            "f(1);  //!\nlib.f(1);  //!\nf(1, 2);\n",
        ),
        "e_arguments": Case(
            "export function f(a) { return arguments.length; }\n",
            "export function f() { return arguments.length; }\n",
            'import { f } from "./lib.js";\nf(1);\nf(1, 2);\n',
        ),
        "e_optional": Case(
            "export function f(a) { return a; }\n",
            "export function f(a, options) { return a || (options && options.b); }\n",
            'import { f } from "./lib.js";\nf(1);\n',
        ),
        "e_handed": Case(
            "export function f(a) { return a; }\n",
            "export function f(a, b) { return a + b; }\n",
            'import { f } from "./lib.js";\n[1].map(f);\nf.call(null, 1);\n',
        ),
    },
    "go": {
        "method_like_its_type": Case(
            "type Box struct{ A int }\nfunc (b *Box) Box(a int) *Box { return b }\n",
            "type Box struct{ A int; B int }\nfunc (b *Box) Box(a int) *Box { return b }\n",
            "func use(b *Box) {\n\tb.Box(1)\n\t_ = Box{1} //!\n}\n",
        ),
        "e_method_value": Case(
            "type Box struct{}\nfunc (b *Box) Put(a int) {}\n",
            "type Box struct{}\nfunc (b *Box) Put(a, c int) {}\n",
            "func use(b *Box) {\n  g := b.Put\n  g(1, 2)\n  (*Box).Put(b, 1) //!\n"
            "  (*Box).Put(b, 1, 2)\n  defer b.Put(1) //!\n  go b.Put(1, 2)\n}\n",
        ),
        "e_one_call": Case(
            "func F(a int) {}\nfunc G() int { return 1 }\n",
            "func F(a, b int) {}\nfunc G() int { return 1 }\n",
            "func use(xs []int) {\n  F(G()) //!\n  F(len(xs)) //!\n  F(G(), 1)\n}\n",
        ),
        "e_spread": Case(
            "func F(a ...int) {}\nfunc G() (int, int) { return 1, 2 }\n",
            "func F(a int, b int) {}\nfunc G() (int, int) { return 1, 2 }\n",
            "func use(xs []int) {\n  F(G())\n  F(1, 2, 3) //!\n  F(1, 2)\n}\n",
        ),
        "e_handed": Case(
            "func F(a int) {}\n",
            "func F(a, b int) {}\n",
            'var table = map[string]any{"f": F}\nfunc use() { g := F; g(1, 2) }\n',
        ),
        "e_empty_literal": Case(
            "type Box struct{}\n",
            "type Box struct{ A int; B int }\ntype Box2 struct{ C int; D int }\n",
            "func use() {\n  _ = Box{}\n  _ = &Box2{}\n  _ = Box2{1} //!\n}\n",
            "func use() {\n  _ = Box{}\n}\n",
        ),
        "e_added": Case(
            "func F(a int) {}\n",
            "func G(a, b int) int { return a }\n",
            "func use() {\n  G(1) //!\n  x := G(1, 2)\n}\n",
            "func use() {\n  F(1)\n  F(1)\n}\n",
        ),
        "e_ignored_result": Case(
            "func F() (int, error) { return 1, nil }\n",
            "func F() error { return nil }\n",
            "func use() error {\n  _, _ = F() //!\n  if err := F(); err != nil { return err }\n"
            "  return F()\n}\n",
        ),
        "e_shadowed": Case(
            "func F(a int) {}\n",
            "func F(a, b int) {}\n",
            "func use(F func(int)) { F(1) }\nfunc other() { F := func(a int) {}; F(1) }\n",
        ),
    },
    "rust": {
        "e_turbofish": Case(
            "pub fn f<T>(a: T) {}\n",
            "pub fn f<T>(a: T, b: T) {}\n",
            "fn run() {\n  f::<u8>(1); //!\n  f::<u8>(1, 2);\n}\n",
        ),
        "e_pattern": Case(
            "pub struct Box2 { pub a: u8 }\n",
            "pub struct Box2 { pub a: u8, pub b: u8 }\n",
            "fn run(b: Box2) {\n  let Box2 { a, .. } = b;\n"
            "  Box2 { a: 1, ..Default::default() };\n}\n",
        ),
        "e_macro": Case(
            "pub fn f(a: u8) -> u8 { a }\n",
            "pub fn f(a: u8, b: u8) -> u8 { a }\n",
            "fn run() {\n  assert_eq!(f(1), 1); //!\n  assert_eq!(f(1, 2), 1);\n"
            '  println!("{}", f(1)); //!\n  vec![f(1, 2)];\n}\n',
        ),
        "e_macro_defines": Case(
            "pub fn f(a: u8) -> u8 { a }\n",
            "macro_rules! make {\n  ($t:ty) => {\n    pub fn f(a: $t) -> $t { a }\n  };\n}\n"
            "make!(u8);\n",
            "fn run() {}\n",
        ),
        "e_async": Case(
            "pub fn f(a: u8) -> u8 { a }\n",
            "pub async fn f(a: u8) -> u8 { a }\n",
            "fn run() {\n  let x = f(1) + 1; //!\n}\nasync fn other() {\n"
            "  let y = f(1).await + 1;\n}\n",
        ),
    },
    "java": {
        "e_bare": Case(
            "class Box { int put(int a) { return fetchAll(a); }\n"
            "  int fetchAll(int a) { return a; } }\n",
            "class Box { int put(int a) { return fetchAll(a); } //!\n"
            "  int loadAll(int a) { return a; } }\n",
            "class Use { int run() { return fetchAll(1); } }\n",
        ),
        "e_generic": Case(
            "class Lib { static <T> void f(T a) {} }\n",
            "class Lib { static <T> void f(T a, T b) {} }\n",
            "class Use { void run() {\n  Lib.<String>f(\"\"); //!\n"
            "  Lib.<String>f(\"\", \"\");\n} }\n",
        ),
        "e_varargs": Case(
            "class Lib { static void f(int... a) {} }\n",
            "class Lib { static void f(int a, int... b) {} }\n",
            "class Use { void run() {\n  Lib.f(); //!\n  Lib.f(1);\n  Lib.f(1, 2, 3);\n} }\n",
        ),
        "e_reference": Case(
            "class Lib { static int f(int a) { return a; } }\n",
            "class Lib { static int f(int a, int b) { return a; } }\n",
            "class Use { java.util.function.BinaryOperator<Integer> g = Lib::f; }\n",
        ),
        "e_default": Case(
            "interface Lib { int put(int a); }\n",
            "interface Lib { int put(int a);\n  default int all(int a, int b) { return a; } }\n",
            "class Use implements Lib { public int put(int a) { return a; } }\n",
        ),
    },
    "c": {
        "e_table": Case(
            "int f(int a) { return a; }\n",
            "int f(int a, int b) { return a; }\n",
            "struct row { const char *n; int (*fn)(int); };\n"
            'static struct row rows[] = { { "f", f }, { "g", (int (*)(int))f } };\n'
            "int run(int (*f)(int)) { return f(1); }\nint all(void) { return rows[0].fn(1); }\n",
        ),
        "e_variadic": Case(
            "int f(int a) { return a; }\n",
            "int f(int a, const char *b, ...) { return a; }\n",
            'void run(void) {\n  f(1); //!\n  f(1, "");\n  f(1, "", 2);\n}\n',
        ),
        "e_macro": Case(
            "int f(int a) { return a; }\n",
            "int f(int a, int b) { return a; }\n",
            "#define CALL(x) f(x, 1)\nvoid run(void) {\n  CALL(1);\n  CALL(f(1, 2));\n}\n",
        ),
        "e_parameters": Case(
            "int f() { return 1; }\n",
            "int f(void) { return 1; }\n",
            "void run(void) { f(); }\n",
        ),
    },
    "cpp": {
        "e_declared": Case(
            "template <class T> struct Box2 { Box2(int a) {} };\n"
            "struct Box { Box(int a = 0) {} };\n",
            "template <class T> struct Box2 { Box2(int a, int b) {} };\n"
            "struct Box { Box(int a) {} };\n",
            "extern Box far;\nvoid run(Box2<Box> &other) {\n  Box2<int> one(1); //!\n"
            "  static Box2<Box> two(1, 2);\n  Box2<Box> copy(other);\n  Box three; //!\n"
            "  Box four(1), *five;\n  Box six = Box(1);\n}\n",
        ),
        "e_bare": Case(
            "struct Box { int put(int a) { return fetch_all(a); }\n"
            "  int fetch_all(int a) { return a; } };\n",
            "struct Box { int put(int a) { return fetch_all(a); } //!\n"
            "  int load_all(int a) { return a; } };\n",
            "int use() { return fetch_all(1); }\n",
        ),
        "e_template": Case(
            "template <class T> void f(T a) {}\n",
            "template <class T> void f(T a, T b) {}\n",
            "void run() {\n  f<int>(1); //!\n  f(1); //!\n  f<int>(1, 2);\n}\n",
        ),
        "e_default": Case(
            "class Box { public: void put(int a, int b = 1); static int all(int a = 0); };\n",
            "class Box { public: void put(int a, int b = 1, int c = 2); static int all(); };\n",
            "void Box::put(int a, int b, int c) {}\nvoid run(Box &b) {\n  b.put(1);\n"
            "  b.put(1, 2, 3);\n"
            "  Box::all(1); //!\n  Box::all();\n}\n",
        ),
        "e_namespace": Case(
            "namespace one { inline void f(int a) {} }\n"
            "namespace two { inline void f(int a) {} }\n",
            "namespace one { inline void f(int a, int b) {} }\n"
            "namespace two { inline void f(int a) {} }\n",
            "void run() {\n  one::f(1); //!\n  two::f(1);\n  one::f(1, 2);\n}\n",
        ),
    },
    "csharp": {
        "e_bare": Case(
            "class Box { int Put(int a) => FetchAll(a);\n  int FetchAll(int a) => a; }\n",
            "class Box { int Put(int a) => FetchAll(a); //!\n  int LoadAll(int a) => a; }\n",
            "class Use { int Run() => FetchAll(1); }\n",
        ),
        "e_params": Case(
            "class Lib { public static void F(params int[] a) {} }\n",
            "class Lib { public static void F(int a, params int[] b) {} }\n",
            "class Use { void Run() {\n  Lib.F(); //!\n  Lib.F(1);\n  Lib.F(1, 2, 3);\n} }\n",
        ),
        "e_named": Case(
            "class Lib { public static void F(int a, int b = 1, int c = 2) {} }\n",
            "class Lib { public static void F(int a, int c = 2) {} }\n",
            "class Use { void Run() {\n  Lib.F(1, c: 3);\n  Lib.F(1, b: 3); //!\n  Lib.F(1);\n"
            "} }\n",
        ),
        "e_extension": Case(
            "static class Lib { public static int F(this string s, int a) { return a; } }\n",
            "static class Lib { public static int F(this string s, int a, int b) { return a; } }\n",
            'class Use { void Run() {\n  "x".F(1, 2);\n  Lib.F("x", 1, 2);\n  Lib.F("x", 1); //!\n'
            '} }\n',
        ),
        "e_handed": Case(
            "class Lib { public static int F(int a) { return a; } }\n",
            "class Lib { public static int F(int a, int b) { return a; } }\n",
            "class Use { System.Func<int, int, int> g = Lib.F; string n = nameof(Lib.F); }\n",
        ),
        "e_out": Case(
            "class Lib { public static bool F(string s, out int a) { a = 1; return true; } }\n",
            "class Lib { public static bool F(string s, int b, out int a) { a = 1; return "
            "true; } }\n",
            'class Use { void Run() {\n  Lib.F("", out var x); //!\n'
            '  Lib.F("", 1, out var y);\n} }\n',
        ),
        "e_async": Case(
            "class Lib { public static int F(int a) { return a; } }\n",
            "class Lib { public static async Task<int> F(int a) { return a; } }\n",
            "class Use { async Task Run() {\n  var x = Lib.F(1) + 1; //!\n"
            "  var y = await Lib.F(1) + 1;\n"
            "  var t = Lib.F(1);\n} }\n",
        ),
    },
    "php": {
        "e_named": Case(
            "function f($a, $b = 1, $c = 2) {}\n",
            "function f($a, $c = 2) {}\n",
            "f(1, c: 3);\nf(1, b: 3); //!\nf(1);\nf(...[1, 2]);\n",
        ),
        "e_variadic": Case(
            "function f(...$a) {}\n",
            "function f($a, ...$b) {}\n",
            "f(); //!\nf(1);\nf(1, 2, 3);\n",
        ),
        "e_callable": Case(
            "function f($a) { return $a; }\n",
            "function f($a, $b) { return $a; }\n",
            "$g = f(...);\narray_map('f', [1], [2]);\n$h = fn($x) => f($x, 1);\n",
        ),
        "e_too_many": Case(
            "function f($a) { return func_get_args(); }\n",
            "function f() { return func_get_args(); }\n",
            "f(1);\n",
        ),
    },
    "ruby": {
        "e_bare": Case(
            "class Box\n  def put(a); fetch_all(a); end\n  def fetch_all(a); a; end\nend\n",
            "class Box\n  def put(a); fetch_all(a); end  #!\n  def load_all(a); a; end\nend\n",
            "class One\n  def run; fetch_all(1); end\nend\n"
            "class Two < Box\n  def run; fetch_all(1); end  #!\nend\n",
        ),
        "e_keywords": Case(
            "def fetch_all(a, b: 1) = a\n",
            "def fetch_all(a, b:) = a\n",
            "fetch_all(1) #!\nfetch_all 1, b: 2\nb = 1\nfetch_all(1, b:)\nfetch_all(1, **{})\n",
        ),
        "e_block": Case(
            "def fetch_all(a) = yield(a)\n",
            "def fetch_all(a, &block) = block.call(a)\n",
            "fetch_all(1) { |x| x }\nfetch_all(1, &:to_s)\nfetch_all 1 do |x|\n  x\nend\n",
        ),
        "e_block_gone": Case(
            "def fetch_all(a, b, &block) = block.call(a)\n",
            "def fetch_all(a, &block) = block.call(a)\n",
            "fetch_all(1, 2) { |x| x } #!\nfetch_all(1) { |x| x }\nfetch_all(1, &:to_s)\n",
        ),
        "e_command": Case(
            "def fetch_all(a) = a\n",
            "def fetch_all(a, b) = a\n",
            "fetch_all 1 #!\nfetch_all 1, 2\nputs fetch_all(1) #!\nsend(:fetch_all, 1)\n"
            "[1].each(&method(:fetch_all))\n",
        ),
        "e_hash": Case(
            "def fetch_all(a, options = {}) = a\n",
            "def fetch_all(a, **options) = a\n",
            "fetch_all(1, b: 2)\nfetch_all(1, 'b' => 2)\nfetch_all(1)\n",
        ),
        "e_middle": Case(
            "def fetch_all(a, *rest) = a\n",
            "def fetch_all(a, *rest, z) = a\n",
            "fetch_all(1) #!\nfetch_all(1, 2)\nfetch_all(1, 2, 3)\nfetch_all(*[1])\n",
        ),
        "e_local": Case(
            "def fetch_all(a) = a\n",
            "def fetch_all(a, b) = a\n",
            "def run\n  fetch_all = 1\n  fetch_all + 1\nend\n",
        ),
    },
    "kotlin": {
        "e_bare": Case(
            "class Box {\n  fun put(a: Int): Int {\n    return fetchAll(a)\n  }\n"
            "  fun fetchAll(a: Int) = a\n}\n",
            "class Box {\n  fun put(a: Int): Int {\n    return fetchAll(a)  //!\n  }\n"
            "  fun loadAll(a: Int) = a\n}\n",
            "class Use { fun run() = fetchAll(1) }\n",
        ),
        "e_trailing": Case(
            "fun f(a: Int, b: () -> Unit) {}\n",
            "fun f(a: Int, c: Int, b: () -> Unit) {}\n",
            "fun run() {\n  f(1) { } //!\n  f(1, 2) { }\n  f(1, b = { }) //!\n}\n",
        ),
        "e_default": Case(
            "fun f(a: Int, b: Int = 1, c: () -> Unit = {}) {}\n",
            "fun f(a: Int, c: () -> Unit = {}) {}\n",
            "fun run() {\n  f(1) { }\n  f(1)\n  f(1, 2) { } //!\n  f(1, c = { })\n"
            "  f(1, b = 2) //!\n}\n",
        ),
        "e_vararg": Case(
            "fun f(vararg a: Int) {}\n",
            "fun f(a: Int, vararg b: Int) {}\n",
            "fun run() {\n  f() //!\n  f(1)\n  f(1, 2, 3)\n  f(*intArrayOf(1))\n}\n",
        ),
        "e_behind_vararg": Case(
            "fun f(vararg a: Int, all: Boolean = true, g: () -> Unit) {}\n",
            "fun f(vararg a: Int, every: Boolean = true, more: Int = 1, g: () -> Unit) {}\n",
            "fun run() {\n  f(1, 2, all = false) { } //!\n  f(1, 2, more = 2, every = true) { }\n"
            "  f(1) { }\n  f(1, 2, g = { })\n  f(1, 2) //!\n}\n",
            "fun run() {\n  f(1, 2, 3, all = false) { }\n  f(1, 2, all = true) { }\n"
            "  f(1) { }\n  f(1, 2, g = { })\n  f(1, 2, g = { })\n}\n",
        ),
        "e_extension": Case(
            "fun String.f(a: Int) {}\n",
            "fun String.f(a: Int, b: Int) {}\n",
            'fun run() {\n  "x".f(1, 2)\n  "x"?.f(1, 2)\n}\n',
        ),
        "e_reference": Case(
            "fun f(a: Int): Int = a\n",
            "fun f(a: Int, b: Int): Int = a\n",
            "val g = ::f\nval h = listOf(1).map { f(it, 1) }\n",
        ),
        "e_generic": Case(
            "fun <T> f(a: T) {}\n",
            "fun <T> f(a: T, b: T) {}\n",
            "fun run() {\n  f<Int>(1) //!\n  f<Int>(1, 2)\n}\n",
        ),
        "e_suspend": Case(
            "fun f(a: Int): Int = a\n", "suspend fun f(a: Int): Int = a\n",
            "suspend fun run() {\n  f(1)\n}\n",
        ),
    },
}  # fmt: skip
