"""Calls of a changed definition by a variable that holds it; frames are those of `edge_cases`."""

from __future__ import annotations

from tests.change.cases import Case

__all__ = ["HELD_CASES"]

PY_BOX = "class Box:\n    @staticmethod\n    def f(a): pass\n    def put(self, a): pass\n"
JS_F = "export function f(a) { return a; }\n"

HELD_CASES: dict[str, dict[str, Case]] = {
    "python": {
        "held_module": Case(
            "def f(a): pass\n", "def f(a, b): pass\n", "run = f\nrun(1)  #!\nf(1)  #!\n"
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
    },
    "rust": {
        "held": Case(
            "pub fn f(a: u8) {}\n",
            "pub fn f(a: u8, b: u8) {}\n",
            "fn run() {\n  let held = f;\n  held(1); //!\n  held(1, 2);\n  let path = crate::f;\n"
            "  path(1); //!\n}\n",
        ),
    },
    "csharp": {
        "held": Case(
            "public class Lib { public static int F(int a) => a; }\n",
            "public class Lib { public static int F(int a, int b) => a; }\n",
            "class Use { void Run() {\n  var run = Lib.F;\n  run(1); //!\n  run(1, 2);\n} }\n",
        ),
    },
}
