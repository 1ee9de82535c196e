"""Calls of a changed definition by a variable that holds it; frames are those of `edge_cases`."""

from __future__ import annotations

from tests.change.cases import Case

__all__ = ["HELD_CASES"]

PY_BOX = "class Box:\n    @staticmethod\n    def f(a): pass\n    def put(self, a): pass\n"
JS_F = "export function f(a) { return a; }\n"

HELD_CASES: dict[str, dict[str, Case]] = {
    "python": {
        "held_module": Case(
            "def f(a): pass\n",
            "def f(a, b): pass\n",
            "run = f\nrun(1)  #!\nf(1)  #!\n",
            more=(
                "other.py",
                "from python.{c} import use\nfrom python.{c}.use import run as go\n"
                "def there():\n    go(1)  #!\n    use.run(1)  #!\n    go(1, 2)\n",
            ),
        ),
        "held_decorator": Case(
            "def f(a): return a\ndef g(a, b=1): return a\n",
            "def f(a, b): return a\ndef g(a, b=1, *, c=2): return a\n",
            "@f  #!\ndef one(): pass\n@g\ndef two(): pass\n",
        ),
        "held_handed": Case(
            "def f(a): pass\n",
            "def f(a, b): pass\n",
            "run = f\nrun(1)  #!\n",
            more=("other.py", "from python.{c}.use import run\nlist(map(run, [1]))\n"),
        ),
        "held_static": Case(
            PY_BOX,
            PY_BOX.replace("f(a)", "f(a, b)"),
            "def test():\n    f = Box.f\n    f(1)  #!\n    assert f(1, 2) == f(3)  #!\n",
        ),
        "held_bound": Case(
            PY_BOX,
            PY_BOX.replace("self, a", "self, a, b"),
            "def use(box: Box):\n    put = box.put\n    put(1)  #!\n    put(1, 2)\n"
            "def other(box: Box):\n    put = Box.put\n    put(box, 1)  #!\n"
            "    put(box, 1, 2)\n",
        ),
        "held_twice": Case(
            "def f(a): pass\ndef g(a): pass\n",
            "def f(a, b): pass\ndef g(a): pass\n",
            "def use(flag):\n    run = f\n    if flag:\n        run = g\n    run(1)\n"
            "def choice(flag):\n    run = f if flag else g\n    run(1)\n"
            "def shadow(rows):\n    run = f\n    return [run(1) for run in rows]\n",
        ),
        "held_passed": Case(
            "def f(a): pass\n",
            "def f(a, b): pass\n",
            "from functools import partial\n"
            "def use(rows):\n    run = partial(f, 1)\n    run(2)\n    return list(map(f, rows))\n"
            "class Table:\n    run = f\n    def use(self): return self.run()\n",
        ),
    },
    "typescript": {
        "held": Case(
            "export function f(a: number) { return a; }\n",
            "export function f(a: number, b: number) { return a + b; }\n",
            "export function use() {\n  const run = lib.f;\n  run(1); //!\n  run(1, 2);\n}\n"
            "export function other(flag: boolean) {\n  let run = lib.f;\n"
            "  if (flag) run = (a) => a;\n  run(1);\n}\n",
        ),
        "held_block": Case(
            "export function f(a: number) { return a; }\n",
            "export function f(a: number, b: number) { return a + b; }\n",
            "const run = (a: number) => a;\nexport function use(flag: boolean) {\n  run(1);\n"
            "  if (flag) {\n    const run = lib.f;\n    run(1); //!\n  }\n  run(2);\n"
            "  { var go = lib.f; }\n  go(1); //!\n}\n",
        ),
        "held_module": Case(
            "export function f(a: number) { return a; }\n",
            "export function f(a: number, b: number) { return a + b; }\n",
            "const go = lib.f;\nexport const run = lib.f;\nrun(1); //!\ngo(1); //!\n"
            "export { go };\n",
            more=(
                "other.ts",
                'import { run, go } from "./use";\nimport * as all from "./use";\n'
                "run(1); //!\ngo(1); //!\ngo(1, 2);\nall.run(1); //!\n",
            ),
        ),
    },
    "javascript": {
        "held": Case(
            JS_F,
            JS_F.replace("(a)", "(a, b)"),
            'import * as lib from "./lib.js";\nfunction use() {\n  const run = lib.f;\n'
            "  run(1); //!\n  run(1, 2);\n}\n[1].map(lib.f);\n",
        ),
    },
    "go": {
        "held": Case(
            "func F(a int) {}\nfunc G(a int) {}\n",
            "func F(a, b int) {}\nfunc G(a int) {}\n",
            "func use() {\n  run := F\n  run(1) //!\n  run(1, 2)\n"
            "  var more = F\n  more(1) //!\n}\n"
            "func other(flag bool) {\n  one, two := F, G\n  two(1)\n  one(1, 2)\n}\n",
        ),
        "held_block": Case(
            "func F(a int) {}\nfunc run(a int) {}\n",
            "func F(a, b int) {}\nfunc run(a int) {}\n",
            "func use(flag bool) {\n  run(1)\n  if flag {\n    run(2)\n    run := F\n"
            "    run(3) //!\n  }\n  run(4)\n  if run := F; flag {\n    run(5) //!\n  }\n"
            "  switch {\n  case flag:\n    run := F\n    run(6) //!\n  default:\n    run(7)\n"
            "  }\n}\n",
        ),
        "held_module": Case(
            "func F(a int) {}\n",
            "func F(a, b int) {}\n",
            "var run = F\nfunc use() {\n  run(1) //!\n}\n",
            more=("more.go", "package {c}\nfunc there() {\n  run(1) //!\n  run(1, 2)\n}\n"),
        ),
    },
    "rust": {
        "held": Case(
            "pub fn f(a: u8) {}\n",
            "pub fn f(a: u8, b: u8) {}\n",
            "fn run() {\n  let held = f;\n  held(1); //!\n  held(1, 2);\n  let path = crate::f;\n"
            "  path(1); //!\n}\n",
        ),
        "held_block": Case(
            "pub fn f(a: u8) {}\nfn go(a: u8) {}\n",
            "pub fn f(a: u8, b: u8) {}\nfn go(a: u8) {}\n",
            "fn run(flag: bool) {\n  go(1);\n  if flag {\n    go(2);\n    let go = f;\n"
            "    go(3); //!\n  }\n  go(4);\n}\n",
        ),
    },
    "csharp": {
        "held": Case(
            "public class Lib { public static int F(int a) => a; }\n",
            "public class Lib { public static int F(int a, int b) => a; }\n",
            "class Use { void Run() {\n  var run = Lib.F;\n  run(1); //!\n  run(1, 2);\n"
            "  run.Invoke(1); //!\n} }\n",
        ),
        "held_block": Case(
            "public class Lib { public static int F(int a) => a; }\n",
            "public class Lib { public static int F(int a, int b) => a; }\n",
            "class Use { void Run(bool flag) {\n  go(1);\n"
            "  if (flag) {\n    var go = Lib.F;\n    go(1); //!\n  }\n  go(2);\n}\n"
            "void go(int a) {} }\n",
        ),
    },
    "kotlin": {
        "held": Case(
            "fun f(a: Int) = a\nclass Box { fun put(a: Int) = a }\n",
            "fun f(a: Int, b: Int) = a\nclass Box { fun put(a: Int, b: Int) = a }\n",
            "fun use(box: Box, flag: Boolean) {\n  go(1)\n  if (flag) {\n    val go = ::f\n"
            "    go(1) //!\n    go(1, 2)\n    go.invoke(1) //!\n  }\n"
            "  val put = box::put\n  put(1) //!\n  put(1, 2)\n}\nfun go(a: Int) = a\n",
        ),
        "handed": Case(
            "fun f(a: Int) = a\nfun g(a: Int) = a\nclass Box(val a: Int)\n",
            "fun f(a: Int, b: Int) = a\nfun g(a: Int, b: Int = 1) = a\n"
            "class Box(val a: Int, val b: Int)\n",
            "fun use() {\n  listOf(1).map(::f) //!\n  val one: (Int) -> Int = ::f //!\n"
            "  listOf(1).map(::g)\n  single(::Box)\n}\n",
        ),
        "infix": Case(
            "class Box { infix fun put(a: Int) = a }\n",
            "class Box { fun put(a: Int, b: Int) = a }\n",
            "fun use(box: Box) {\n  box put 1 //!\n  box.put(1, 2)\n}\n",
        ),
    },
    "php": {
        "held": Case(
            "function f($a) {}\nclass Box { function put($a) {} }\n",
            "function f($a, $b) {}\nclass Box { function put($a, $b) {} }\n",
            "function run(int $a) {}\nfunction useIt(Box $box) {\n  $run = f(...);\n"
            "  $run(1); //!\n  $run(1, 2);\n  run(1);\n  $put = $box->put(...);\n"
            "  $put(1); //!\n  $put(1, 2);\n}\n"
            "function other($flag) {\n  $run = f(...);\n  if ($flag) $run = g(...);\n"
            "  $run(1);\n}\n",
        ),
    },
    "ruby": {
        "held": Case(
            "class Box\n  def put(a); end\nend\n",
            "class Box\n  def put(a, b); end\nend\n",
            "def use\n  box = Box.new\n  run = box.method(:put)\n  run.call(1)  #!\n"
            "  run.(1)  #!\n  run.call(1, 2)\nend\n"
            "def other\n  run = Box.new.method(:put)\n  run.arity\n  run.call(1)\nend\n",
        ),
    },
    "java": {
        "handed": Case(
            "import java.util.function.*;\npublic class Lib { static int f(int a) { return a; }\n"
            "  int put(int a) { return a; }\n  Lib(int a) {}\n"
            "  static int g(int a) { return a; } static int g(int a, int b) { return a; } }\n",
            "import java.util.function.*;\n"
            "public class Lib { static int f(int a, int b) { return a; }\n"
            "  int put(int a, int b) { return a; }\n  Lib(int a, int b) {}\n"
            "  static int g(int a, int b) { return a; } }\n",
            "import java.util.function.*;\nimport java.util.stream.*;\n"
            "class Use { void run(Lib lib) {\n  IntUnaryOperator one = Lib::f; //!\n"
            "  IntStream.of(1).map(Lib::f) //!\n    .map(lib::put) //!\n    .map(Lib::g);\n"
            "  IntFunction<Lib> make = Lib::new; //!\n"
            "  Object choice = flag ? (IntUnaryOperator) Lib::f : null;\n} }\n",
        ),
        "handed_along": Case(
            "interface Taker { void take(int a); }\npublic class Lib {\n"
            "  static void f(int a) {}\n  static void register(Taker t) {} }\n",
            "interface Taker { void take(int a, int b); }\npublic class Lib {\n"
            "  static void f(int a, int b) {}\n  static void register(Taker t) {} }\n",
            "class Use { void run() {\n  Lib.register(Lib::f);\n  Taker t = Lib::f;\n} }\n",
        ),
        "handed_types": Case(
            "public class Lib { static int f(int a) { return a; } }\n",
            "public class Lib { static int f(long number) { return 1; } }\n",
            "import java.util.function.*;\n"
            "class Use { void run() { IntUnaryOperator one = Lib::f; } }\n",
        ),
    },
    "cpp": {
        "held": Case(
            "int f(int a);\nint run(int a);\n",
            "int f(int a, int b);\nint run(int a);\n",
            "void use(bool flag) {\n  run(1);\n  if (flag) {\n    auto run = f;\n"
            "    run(1); //!\n    run(1, 2);\n  }\n  run(2);\n}\n",
        ),
    },
    "c": {
        "held": Case(
            "int f(int a) { return a; }\n",
            "int f(int a, int b) { return a; }\n",
            "static int (*run)(int);\nvoid use(void) {\n  run = f;\n  run(1);\n}\n",
        ),
        "handed": Case(
            "int f(int a) { return a; }\n",
            "int f(int a, int b) { return a; }\n",
            "void each(int (*take)(int));\nvoid use(void) {\n  each(f); //!\n  each(&f); //!\n"
            "  struct table t = { .read = f };\n}\n",
        ),
    },
}
