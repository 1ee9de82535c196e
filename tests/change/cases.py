"""Changes that leave calls behind, as each language writes them: small projects of two files.

A line of `uses` that ends in `//!` or `#!` does not fit any more; all others do. `{c}` is the
case's name, of which packages are made.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CASES", "FRAMES", "Case", "Frame"]


@dataclass(frozen=True, slots=True)
class Frame:
    """The files around a definition and its uses."""

    path: str
    text: str
    use_path: str
    use_text: str
    header: tuple[str, str] = ("", "")
    """A further file that stays as it is."""


@dataclass(frozen=True, slots=True)
class Case:
    """A definition before and after a change, and its uses."""

    before: str
    after: str
    uses: str
    uses_before: str = ""
    """Where the change writes these, too."""
    more: tuple[str, str] = ("", "")
    """A further file that uses it: its name and text."""


FRAMES: dict[str, Frame] = {
    "python": Frame("lib.py", "@", "use.py", "from python.{c}.lib import *\n@"),
    "typescript": Frame("lib.ts", "@", "use.ts", 'import * as lib from "./lib";\n@'),
    "javascript": Frame("lib.js", "@", "use.js", 'import * as lib from "./lib.js";\n@'),
    "go": Frame("lib.go", "package {c}\n@", "use.go", "package {c}\nfunc use(b *Box) {\n@}\n"),
    "rust": Frame(
        "src/lib.rs", "pub mod user;\n@", "src/user.rs", "use crate::*;\nfn run(b: Box2) {\n@}\n"
    ),
    "java": Frame(
        "Lib.java", "package {c};\n@",
        "Use.java", "package {c};\nclass Use { void run(Lib b) {\n@} }\n",
    ),
    "c": Frame("lib.c", "@", "use.c", '#include "lib.h"\nvoid run(void) {\n@}\n'),
    "cpp": Frame("lib.hpp", "@", "use.cpp", '#include "lib.hpp"\nvoid run(Box b) {\n@}\n'),
    "csharp": Frame(
        "Lib.cs", "namespace {c};\n@",
        "Use.cs", "namespace {c};\nclass Use { void Run(Lib b) {\n@} }\n",
    ),
    "php": Frame(
        "lib.php", "<?php\nnamespace {c};\n@",
        "use.php", "<?php\nnamespace {c};\nrequire 'lib.php';\n@",
    ),
    "ruby": Frame("lib.rb", "@", "use.rb", "require_relative 'lib'\n@"),
    "kotlin": Frame(
        "Lib.kt", "package {c}\n@", "Use.kt", "package {c}\nfun run(b: Box) {\n@}\n"
    ),
}  # fmt: skip

PY_BOX = "class Box:\n    def put(self, a, b=1): pass\n"
CASES: dict[str, dict[str, Case]] = {
    "python": {
        "member": Case(
            "class Box:\n    def fetch_all(self, a): pass\n",
            "class Box:\n    def load_all(self, a): pass\n",
            "def run(box: Box):\n    box.fetch_all(1)  #!\n",
        ),
        "added": Case("def f(a): return a\n", "def f(a, b): return a\n", "f(1)  #!\nf(1, 2)\n"),
        "removed": Case("def f(a, b): pass\n", "def f(a): pass\n", "f(1, 2)  #!\nf(1)\n"),
        "reordered": Case(
            "def f(a, b): pass\n", "def f(b, a): pass\n", "f(1, 2)  #!\nf(a=1, b=2)\n"
        ),
        "keyword": Case("def f(a): pass\n", "def f(z): pass\n", "f(a=1)  #!\nf(1)\n"),
        "required": Case("def f(a, b=1): pass\n", "def f(a, b): pass\n", "f(1)  #!\nf(1, b=2)\n"),
        "overload": Case(
            "from typing import overload\n@overload\ndef f(a: int): ...\n@overload\n"
            "def f(a: int, b: int): ...\ndef f(a, b=0): return a\n",
            "from typing import overload\n@overload\ndef f(a: int, b: int): ...\n@overload\n"
            "def f(a: int, b: int, c: int): ...\ndef f(a, b, c=0): return a\n",
            "f(1)  #!\nf(1, 2)\n",
        ),
        "renamed": Case("def f(a): pass\n", "def g(a): pass\n", "f(1)  #!\n"),
        "gone": Case("def f(a): pass\ndef g(): pass\n", "def g(): pass\n", "f(1)  #!\ng()\n"),
        "method": Case(
            PY_BOX, PY_BOX.replace("b=1", "b"), "box = Box()\nbox.put(1)  #!\nbox.put(1, 2)\n"
        ),
        "declared": Case(
            "class Box:\n    def put(self, a):\n        return a\n",
            "class Box:\n    def put(self, a):\n        raise NotImplementedError\n",
            "x = Box().put(1)\n",
        ),
    },
    "typescript": {
        "member": Case(
            "export class Box { fetchAll(a: number) {} }\n",
            "export class Box { loadAll(a: number) {} }\n",
            "function run(box: lib.Box) {\n  box.fetchAll(1);  //!\n}\n",
        ),
        "added": Case(
            "export function f(a: number) {}\n",
            "export function f(a: number, b: number) {}\n",
            "lib.f(1);  //!\nlib.f(1, 2);\n",
        ),
        "removed": Case(
            "export function f(a: number, b: number) {}\n",
            "export function f(a: number) {}\n",
            "lib.f(1, 2);  //!\nlib.f(1);\n",
        ),
        "reordered": Case(
            "export function f(a: number, b: string) {}\n",
            "export function f(b: string, a: number) {}\n",
            'lib.f(1, "");  //!\n',
        ),
        "required": Case(
            "export function f(a: number, b?: number) {}\n",
            "export function f(a: number, b: number) {}\n",
            "lib.f(1);  //!\nlib.f(1, 2);\n",
        ),
        "overload": Case(
            "export function f(a: number): void;\nexport function f(a: number, b: number): void;\n"
            "export function f(a: number, b?: number): void {}\n",
            "export function f(a: number, b: number): void;\n"
            "export function f(a: number, b: number, c: number): void;\n"
            "export function f(a: number, b: number, c?: number): void {}\n",
            "lib.f(1);  //!\nlib.f(1, 2);\n",
        ),
        "renamed": Case(
            "export function f(a: number) {}\n",
            "export function g(a: number) {}\n",
            "lib.f(1);  //!\n",
        ),
        "gone": Case(
            "export function f(a: number) {}\nexport function g() {}\n",
            "export function g() {}\n",
            "lib.f(1);  //!\nlib.g();\n",
        ),
        "method": Case(
            "export class Box { put(a: number, b = 1) {} }\n",
            "export class Box { put(a: number, b: number) {} }\n",
            "const box = new lib.Box();\nbox.put(1);  //!\nbox.put(1, 2);\n",
        ),
    },
    "javascript": {
        "member": Case(
            "export class Box { fetchAll(a) {} }\n",
            "export class Box { loadAll(a) {} }\n",
            "function run() {\n  const box = new lib.Box();\n  box.fetchAll(1);  //!\n}\n",
        ),
        "added": Case(
            "export function f(a) { return a; }\n",
            "export function f(a, b) { return a + b; }\n",
            "lib.f(1);  //!\nlib.f(1, 2);\n",
        ),
        "removed": Case(
            "export function f(a, b) { return a + b; }\n",
            "export function f(a) { return a; }\n",
            "lib.f(1, 2);  //!\nlib.f(1);\n",
        ),
        "reordered": Case(
            "export function f(a, b) { return a - b; }\n",
            "export function f(b, a) { return a - b; }\n",
            "lib.f(1, 2);  //!\n",
        ),
        "required": Case(
            "export function f(a, b = 1) { return a + b; }\n",
            "export function f(a, b) { return a + b; }\n",
            "lib.f(1);  //!\nlib.f(1, 2);\n",
        ),
        "renamed": Case(
            "export function f(a) {}\n", "export function g(a) {}\n", "lib.f(1);  //!\n"
        ),
        "gone": Case(
            "export function f(a) {}\nexport function g() {}\n",
            "export function g() {}\n",
            "lib.f(1);  //!\nlib.g();\n",
        ),
        "method": Case(
            "export class Box { put(a, b = 1) { return a + b; } }\n",
            "export class Box { put(a, b) { return a + b; } }\n",
            "const box = new lib.Box();\nbox.put(1);  //!\nbox.put(1, 2);\n",
        ),
    },
    "go": {
        "member": Case(
            "type Box struct{}\nfunc (b *Box) FetchAll(a int) {}\n",
            "type Box struct{}\nfunc (b *Box) LoadAll(a int) {}\n",
            "b.FetchAll(1) //!\n",
        ),
        "added": Case(
            "type Box struct{}\nfunc F(a int) {}\n",
            "type Box struct{}\nfunc F(a, b int) {}\n",
            "F(1) //!\nF(1, 2)\n",
        ),
        "removed": Case(
            "type Box struct{}\nfunc F(a, b int) {}\n",
            "type Box struct{}\nfunc F(a int) {}\n",
            "F(1, 2) //!\nF(1)\n",
        ),
        "reordered": Case(
            "type Box struct{}\nfunc F(a int, b string) {}\n",
            "type Box struct{}\nfunc F(b string, a int) {}\n",
            'F(1, "") //!\n',
        ),
        "required": Case(
            "type Box struct{}\nfunc F(a int, b ...int) {}\n",
            "type Box struct{}\nfunc F(a int, b int) {}\n",
            "F(1) //!\nF(1, 2)\n",
        ),
        "renamed": Case(
            "type Box struct{}\nfunc F(a int) {}\n",
            "type Box struct{}\nfunc G(a int) {}\n",
            "F(1) //!\n",
        ),
        "gone": Case(
            "type Box struct{}\nfunc F(a int) {}\nfunc G() {}\n",
            "type Box struct{}\nfunc G() {}\n",
            "F(1) //!\nG()\n",
        ),
        "method": Case(
            "type Box struct{}\nfunc (b *Box) Put(a int) {}\n",
            "type Box struct{}\nfunc (b *Box) Put(a, c int) {}\n",
            "b.Put(1) //!\nb.Put(1, 2)\n",
        ),
    },
    "rust": {
        "member": Case(
            "pub struct Box2;\nimpl Box2 { pub fn fetch_all(&self, a: u8) {} }\n",
            "pub struct Box2;\nimpl Box2 { pub fn load_all(&self, a: u8) {} }\n",
            "b.fetch_all(1); //!\nBox2::fetch_all(&b, 1); //!\n",
        ),
        "added": Case(
            "pub struct Box2;\npub fn f(a: u8) {}\n",
            "pub struct Box2;\npub fn f(a: u8, b: u8) {}\n",
            "f(1); //!\nf(1, 2);\n",
        ),
        "removed": Case(
            "pub struct Box2;\npub fn f(a: u8, b: u8) {}\n",
            "pub struct Box2;\npub fn f(a: u8) {}\n",
            "f(1, 2); //!\nf(1);\n",
        ),
        "reordered": Case(
            "pub struct Box2;\npub fn f(a: u8, b: &str) {}\n",
            "pub struct Box2;\npub fn f(b: &str, a: u8) {}\n",
            'f(1, ""); //!\n',
        ),
        "renamed": Case(
            "pub struct Box2;\npub fn f(a: u8) {}\n",
            "pub struct Box2;\npub fn g(a: u8) {}\n",
            "crate::f(1); //!\n",
        ),
        "gone": Case(
            "pub struct Box2;\npub fn f(a: u8) {}\npub fn g() {}\n",
            "pub struct Box2;\npub fn g() {}\n",
            "crate::f(1); //!\ncrate::g();\n",
        ),
        "method": Case(
            "pub struct Box2;\nimpl Box2 { pub fn put(&self, a: u8) {} }\n",
            "pub struct Box2;\nimpl Box2 { pub fn put(&self, a: u8, c: u8) {} }\n",
            "b.put(1); //!\nb.put(1, 2);\nBox2::put(&b, 1); //!\n",
        ),
    },
    "java": {
        "member": Case(
            "class Lib { void fetchAll(int a) {} }\n",
            "class Lib { void loadAll(int a) {} }\n",
            "b.fetchAll(1); //!\n",
        ),
        "added": Case(
            "class Lib { static void f(int a) {} }\n",
            "class Lib { static void f(int a, int b) {} }\n",
            "Lib.f(1); //!\nLib.f(1, 2);\n",
        ),
        "removed": Case(
            "class Lib { static void f(int a, int b) {} }\n",
            "class Lib { static void f(int a) {} }\n",
            "Lib.f(1, 2); //!\nLib.f(1);\n",
        ),
        "reordered": Case(
            "class Lib { static void f(int a, String b) {} }\n",
            "class Lib { static void f(String b, int a) {} }\n",
            'Lib.f(1, ""); //!\n',
        ),
        "overload": Case(
            "class Lib { static void f(int a) {}\nstatic void f(int a, int b) {} }\n",
            "class Lib { static void f(int a, int b) {}\nstatic void f(int a, int b, int c) {} }\n",
            "Lib.f(1); //!\nLib.f(1, 2);\n",
        ),
        "overload_gone": Case(
            "class Lib { static void f(int a) {}\nstatic void f(int a, int b) {} }\n",
            "class Lib { static void f(int a, int b) {} }\n",
            "Lib.f(1); //!\nLib.f(1, 2);\n",
        ),
        "renamed": Case(
            "class Lib { static void fetchAll(int a) {} }\n",
            "class Lib { static void loadAll(int a) {} }\n",
            "Lib.fetchAll(1); //!\n",
        ),
        "gone": Case(
            "class Lib { static void fetchAll(int a) {}\nstatic void g() {} }\n",
            "class Lib { static void g() {} }\n",
            "Lib.fetchAll(1); //!\nLib.g();\n",
        ),
        "method": Case(
            "class Lib { void put(int a) {} }\n",
            "class Lib { void put(int a, int c) {} }\n",
            "b.put(1); //!\nb.put(1, 2);\n",
        ),
    },
    "c": {
        "added": Case(
            "int f(int a) { return a; }\n",
            "int f(int a, int b) { return a; }\n",
            "f(1); //!\nf(1, 2);\n",
        ),
        "removed": Case(
            "int f(int a, int b) { return a; }\n",
            "int f(int a) { return a; }\n",
            "f(1, 2); //!\nf(1);\n",
        ),
        "reordered": Case(
            "int f(int a, char *b) { return a; }\n",
            "int f(char *b, int a) { return a; }\n",
            'f(1, ""); //!\n',
        ),
        "renamed": Case(
            "int f(int a) { return a; }\n", "int g(int a) { return a; }\n", "f(1); //!\n"
        ),
        "gone": Case(
            "int f(int a) { return a; }\nint g(void) { return 1; }\n",
            "int g(void) { return 1; }\n",
            "f(1); //!\ng();\n",
        ),
    },
    "cpp": {
        "member": Case(
            "class Box { public: void fetchAll(int a) {} };\n",
            "class Box { public: void loadAll(int a) {} };\n",
            "b.fetchAll(1); //!\n",
        ),
        "added": Case(
            "class Box {};\ninline void f(int a) {}\n",
            "class Box {};\ninline void f(int a, int b) {}\n",
            "f(1); //!\nf(1, 2);\n",
        ),
        "removed": Case(
            "class Box {};\ninline void f(int a, int b) {}\n",
            "class Box {};\ninline void f(int a) {}\n",
            "f(1, 2); //!\nf(1);\n",
        ),
        "reordered": Case(
            "class Box {};\ninline void f(int a, char *b) {}\n",
            "class Box {};\ninline void f(char *b, int a) {}\n",
            'f(1, ""); //!\n',
        ),
        "required": Case(
            "class Box {};\ninline void f(int a, int b = 1) {}\n",
            "class Box {};\ninline void f(int a, int b) {}\n",
            "f(1); //!\nf(1, 2);\n",
        ),
        "overload": Case(
            "class Box {};\ninline void f(int a) {}\ninline void f(int a, int b) {}\n",
            "class Box {};\ninline void f(int a, int b) {}\n"
            "inline void f(int a, int b, int c) {}\n",
            "f(1); //!\nf(1, 2);\n",
        ),
        "renamed": Case(
            "class Box {};\ninline void f(int a) {}\n",
            "class Box {};\ninline void g(int a) {}\n",
            "f(1); //!\n",
        ),
        "gone": Case(
            "class Box {};\ninline void f(int a) {}\ninline void g() {}\n",
            "class Box {};\ninline void g() {}\n",
            "f(1); //!\ng();\n",
        ),
        "method": Case(
            "class Box { public: void put(int a) {} };\n",
            "class Box { public: void put(int a, int c) {} };\n",
            "b.put(1); //!\nb.put(1, 2);\n",
        ),
    },
    "csharp": {
        "member": Case(
            "class Lib { public void FetchAll(int a) {} }\n",
            "class Lib { public void LoadAll(int a) {} }\n",
            "b.FetchAll(1); //!\n",
        ),
        "added": Case(
            "class Lib { public static void F(int a) {} }\n",
            "class Lib { public static void F(int a, int b) {} }\n",
            "Lib.F(1); //!\nLib.F(1, 2);\n",
        ),
        "removed": Case(
            "class Lib { public static void F(int a, int b) {} }\n",
            "class Lib { public static void F(int a) {} }\n",
            "Lib.F(1, 2); //!\nLib.F(1);\n",
        ),
        "reordered": Case(
            "class Lib { public static void F(int a, string b) {} }\n",
            "class Lib { public static void F(string b, int a) {} }\n",
            'Lib.F(1, ""); //!\nLib.F(b: "", a: 1);\n',
        ),
        "keyword": Case(
            "class Lib { public static void F(int a) {} }\n",
            "class Lib { public static void F(int z) {} }\n",
            "Lib.F(a: 1); //!\nLib.F(1);\n",
        ),
        "required": Case(
            "class Lib { public static void F(int a, int b = 1) {} }\n",
            "class Lib { public static void F(int a, int b) {} }\n",
            "Lib.F(1); //!\nLib.F(1, 2);\n",
        ),
        "overload": Case(
            "class Lib { public static void F(int a) {}\npublic static void F(int a, int b) {} }\n",
            "class Lib { public static void F(int a, int b) {}\n"
            "public static void F(int a, int b, int c) {} }\n",
            "Lib.F(1); //!\nLib.F(1, 2);\n",
        ),
        "renamed": Case(
            "class Lib { public static void FetchAll(int a) {} }\n",
            "class Lib { public static void LoadAll(int a) {} }\n",
            "Lib.FetchAll(1); //!\n",
        ),
        "gone": Case(
            "class Lib { public static void FetchAll(int a) {}\npublic static void G() {} }\n",
            "class Lib { public static void G() {} }\n",
            "Lib.FetchAll(1); //!\nLib.G();\n",
        ),
        "method": Case(
            "class Lib { public void Put(int a) {} }\n",
            "class Lib { public void Put(int a, int c) {} }\n",
            "b.Put(1); //!\nb.Put(1, 2);\n",
        ),
    },
    "php": {
        "member": Case(
            "class Box { function fetchAll($a) {} }\n",
            "class Box { function loadAll($a) {} }\n",
            "function run(Box $b) {\n  $b->fetchAll(1); //!\n}\n",
        ),
        "added": Case("function f($a) {}\n", "function f($a, $b) {}\n", "f(1); //!\nf(1, 2);\n"),
        "removed": Case("function f($a, $b) {}\n", "function f($a) {}\n", "f(1, 2); //!\nf(1);\n"),
        "reordered": Case(
            "function f($a, $b) {}\n", "function f($b, $a) {}\n", "f(1, 2); //!\nf(b: 1, a: 2);\n"
        ),
        "keyword": Case("function f($a) {}\n", "function f($z) {}\n", "f(a: 1); //!\nf(1);\n"),
        "required": Case(
            "function f($a, $b = 1) {}\n", "function f($a, $b) {}\n", "f(1); //!\nf(1, 2);\n"
        ),
        "renamed": Case("function f($a) {}\n", "function g($a) {}\n", "f(1); //!\n"),
        "gone": Case(
            "function f($a) {}\nfunction g() {}\n", "function g() {}\n", "f(1); //!\ng();\n"
        ),
        "method": Case(
            "class Box { function put($a) {} }\n",
            "class Box { function put($a, $c) {} }\n",
            "$b = new Box();\n$b->put(1); //!\n$b->put(1, 2);\n",
        ),
    },
    "ruby": {
        "hash": Case(
            "def f(a, b = 1)\nend\n",
            "def f(a, b)\nend\n",
            "f('x' => 1) #!\nf(:x => 1, 'y' => 2) #!\nf(1, 'x' => 1)\nf(x: 1) #!\nf(*y)\n",
        ),
        "hash_or_keyword": Case(
            "def f(a, b = 1, c: 2)\nend\n",
            "def f(a, b, c: 2)\nend\n",
            "f(1, 2, 'x' => 1)\nf(1, 2, :c => 1)\nf(1, :c => 1) #!\nf(1, 'x' => 1)\n",
        ),
        "member": Case(
            "class Box\n  def fetch_all(a) = a\nend\n",
            "class Box\n  def load_all(a) = a\nend\n",
            "def run\n  b = Box.new\n  b.fetch_all(1) #!\nend\n",
        ),
        "added": Case(
            "def fetch_all(a) = a\n",
            "def fetch_all(a, b) = a\n",
            "fetch_all(1) #!\nfetch_all(1, 2)\n",
        ),
        "removed": Case(
            "def fetch_all(a, b) = a\n",
            "def fetch_all(a) = a\n",
            "fetch_all(1, 2) #!\nfetch_all(1)\n",
        ),
        "reordered": Case(
            "def fetch_all(a, b) = a\n", "def fetch_all(b, a) = a\n", "fetch_all(1, 2) #!\n"
        ),
        "keyword": Case(
            "def fetch_all(a:) = a\n",
            "def fetch_all(z:) = z\n",
            "fetch_all(a: 1) #!\nfetch_all(z: 1)\n",
        ),
        "required": Case(
            "def fetch_all(a, b = 1) = a\n",
            "def fetch_all(a, b) = a\n",
            "fetch_all(1) #!\nfetch_all(1, 2)\n",
        ),
        "renamed": Case("def fetch_all(a) = a\n", "def load_all(a) = a\n", "fetch_all(1) #!\n"),
        "gone": Case("def fetch_all(a) = a\ndef g = 1\n", "def g = 1\n", "fetch_all(1) #!\ng\n"),
        "method": Case(
            "class Box\n  def put(a) = a\nend\n",
            "class Box\n  def put(a, c) = a\nend\n",
            "def run\n  b = Box.new\n  b.put(1) #!\n  b.put(1, 2)\nend\n",
        ),
    },
    "kotlin": {
        "member": Case(
            "class Box { fun fetchAll(a: Int) {} }\n",
            "class Box { fun loadAll(a: Int) {} }\n",
            "b.fetchAll(1) //!\n",
        ),
        "added": Case(
            "class Box\nfun f(a: Int) {}\n",
            "class Box\nfun f(a: Int, b: Int) {}\n",
            "f(1) //!\nf(1, 2)\n",
        ),
        "removed": Case(
            "class Box\nfun f(a: Int, b: Int) {}\n",
            "class Box\nfun f(a: Int) {}\n",
            "f(1, 2) //!\nf(1)\n",
        ),
        "reordered": Case(
            "class Box\nfun f(a: Int, b: String) {}\n",
            "class Box\nfun f(b: String, a: Int) {}\n",
            'f(1, "") //!\nf(b = "", a = 1)\n',
        ),
        "keyword": Case(
            "class Box\nfun f(a: Int) {}\n", "class Box\nfun f(z: Int) {}\n", "f(a = 1) //!\nf(1)\n"
        ),
        "required": Case(
            "class Box\nfun f(a: Int, b: Int = 1) {}\n",
            "class Box\nfun f(a: Int, b: Int) {}\n",
            "f(1) //!\nf(1, 2)\n",
        ),
        "overload": Case(
            "class Box\nfun f(a: Int) {}\nfun f(a: Int, b: Int) {}\n",
            "class Box\nfun f(a: Int, b: Int) {}\nfun f(a: Int, b: Int, c: Int) {}\n",
            "f(1) //!\nf(1, 2)\n",
        ),
        "renamed": Case(
            "class Box\nfun fetchAll(a: Int) {}\n",
            "class Box\nfun loadAll(a: Int) {}\n",
            "fetchAll(1) //!\n",
        ),
        "gone": Case(
            "class Box\nfun fetchAll(a: Int) {}\nfun g() {}\n",
            "class Box\nfun g() {}\n",
            "fetchAll(1) //!\ng()\n",
        ),
        "method": Case(
            "class Box { fun put(a: Int) {} }\n",
            "class Box { fun put(a: Int, c: Int) {} }\n",
            "b.put(1) //!\nb.put(1, 2)\n",
        ),
    },
}
