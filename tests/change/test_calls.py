"""Signatures and calls as each language writes them."""

from __future__ import annotations

import re

import pytest

from surveyor.change.calls import read_calls
from surveyor.change.jobs import CallsJob, FileCalls
from surveyor.change.languages import READERS
from surveyor.parsing.languages import language_of

LANGUAGES: dict[str, tuple[str, dict[str, str], list[str]]] = {
    "a.py": (
        "class Box:\n"
        "    def __init__(self, a, /, b, c=1, *rest, d, e=2, **more): pass\n"
        "    @staticmethod\n"
        "    def make(a: int): pass\n"
        "    @classmethod\n"
        "    def of(cls, a: str = ''): pass\n"
        "def f(*, a): pass\n"
        "box.f«»(1, b=2, *x, **y)\n"
        "f«»(a for a in b)\n",
        {"Box.__init__": "a, b, c?, *rest, d, e?, **more", "Box.make": "a", "Box.of": "a?",
         "f": "a"},
        ["1 b open", "1"],
    ),
    "a.ts": (
        "class Box { constructor(private a: string, b?: number, c = 1, ...rest: any[]) {} }\n"
        "const f = ({ a }, [b]) => 1;\n"
        "const g = (function (this: X, a) {});\n"
        "interface I { h(a: number): void }\n"
        "new Box«»(1, ...x); box?.f«»(1, 2); f«»`text`; f«»<T>(1);\n",
        {"Box.constructor": "a, b?, c?, *rest", "f": "_, _", "I.h": "a"},
        ["1 open", "2", "none", "1"],
    ),
    "a.js": (
        "function f(a, b = 1, ...rest) {}\nclass Box { m(a) {} }\nnew Box«»; f«»(); x = f«»;\n"
        "function g(a, b, c, d) { b = b || {}; if (c === undefined) c = 1; d(a) }\n"
        "/** @param {string} a\n * @param {Object} [b]\n * @param {number=} c */\n"
        "const h = (a, b, c, d) => d(!a.x, b, c);\n",
        {"f": "a, b?, *rest", "Box.m": "a", "g": "a, b?, c?, d", "h": "a, b?, c?, d"},
        ["0", "0", "none"],
    ),
    "a.go": (
        "package p\n"
        "func (b *Box) F(a, c int, rest ...string) (int, error) { return 1, nil }\n"
        "func G(int, string) {}\n"
        "func H() { x, err := b.F«»(1, 2, y...); G«»(H()); G«»(1, 2) }\n",
        {"Box.F": "a, c, *rest", "G": "_, _", "H": ""},
        ["2 open takes 2", "0 open", "2"],
    ),
    "a.rs": (
        "impl Box { fn f<T>(&self, a: i32, (b, c): (i32, i32)) {} fn new(a: u8) -> Self {} }\n"
        "fn g() { x.f«»::<T>(1, 2); Box::f«»(x, 1, 2); assert!(f«»((1, 2), b.f«»())); }\n"
        "fn h() { say!(Box::f«»(x, 1,), f«»(|a, b| 1), f«»(g::<A, B>()), f«»); }\n",
        {"Box.f": "a, (b, c)", "Box.new": "a", "g": ""},
        ["2", "3 of ::", "2", "0 of b", "2 of ::", "none", "none", "none"],
    ),
    "A.java": (
        "class A { A(final int a, String... rest) {} record R(int a) {}\n"
        "void m() { new A«»(1); this.m«»(1, 2); x(A::m«»); } }\n",
        {"A.A": "a, *rest", "A.R": "a", "A.m": ""},
        ["1", "2", "none"],
    ),
    "a.c": (
        "int f(int a, const char *b, ...);\nstatic int *g(int (*each)(int), int n) {}\n"
        "void h(void) { f«»(1, 2, 3); p->g«»(4); }\n",
        {"f": "a, b, *_", "g": "each, n", "h": ""},
        ["3", "1"],
    ),
    "a.cpp": (
        "class A { A(int a, int b = 2); template <class... T> void m(T... rest); };\n"
        "void n() { new A«»(1); this->m«»<int>(1, 2); f«»(x...); }\n",
        {"A.A": "a, b?", "A.m": "*_", "n": ""},
        ["1", "2", "0 open"],
    ),
    "a.cs": (
        "class A { public A(ref int a, int b = 2) {} static void E(this A a, int b) {}\n"
        "void M(int a, params int[] rest) { new A«»(1, b: 2); a?.M«»(1); M«»<int>(1); } }\n",
        {"A.A": "a, b?", "A.E": "b", "A.M": "a, *rest"},
        ["1 b", "1", "1"],
    ),
    "a.php": (
        "<?php\nfunction f(int $a, $b = 1, ...$rest) {}\n"
        "class A { function __construct(private int $a) {} }\n"
        "new A«»(1); $o->f«»(1, b: 2, ...$z); A::f«»(1); $g = f«»(...);\n",
        {"f": "a, b?, *rest", "A.__construct": "a"},
        ["1", "1 b open", "1", "none"],
    ),
    "a.rb": (
        "def f(a, b = 1, *rest, k:, l: 1, **more, &block)\nend\n"
        "def g(...)\nend\n"
        "o.f«» 1, *z, k: 2\no.f«»\no.f«» = 1\no.f«»(1) { |x| }\n",
        {"f": "a, b?, *rest, k, l?, **more", "g": "*_, **_"},
        ["1 k open", "0", "none", "1"],
    ),
    "a.kt": (
        'class A(val a: Int, b: String = "")\n'
        "fun T.f(a: Int, vararg rest: Int, each: () -> Unit = {}) {}\n"
        "fun g() { A«»(1); o.f«»(1, b = 2) { }; f«»(*z); f«» { } }\n",
        {"A": "a, b?", "f": "a, *rest, each?", "g": ""},
        ["1", "1 b block", "0 open", "0 block"],
    ),
}  # fmt: skip
"""Source, its signatures by name, and what each call passes; `«»` stands behind a called name."""


def said(answer: FileCalls) -> list[str]:
    found = []
    for each in answer.arguments:
        if each is None:
            found.append("none")
            continue
        words = [str(each.positional), *each.names]
        words += ["open"] * each.is_open + ["block"] * each.block
        words += [f"takes {each.taken}"] if each.taken >= 0 else []
        found.append(" ".join(words))
    return found


@pytest.mark.parametrize("path", LANGUAGES)
def test_signatures_and_calls_are_read(path: str) -> None:
    marked, signatures, passed = LANGUAGES[path]
    places = []
    for number, line in enumerate(marked.split("\n"), 1):
        for count, mark in enumerate(re.finditer("«»", line)):
            places.append((number, mark.start() - 2 * count - 1))
    answer = read_calls(CallsJob(path, marked.replace("«»", "").encode(), places))
    found = {each.qualname: each.signature.named for each in answer.definitions}
    assert signatures.items() <= found.items()
    assert said(answer) == [each.partition(" of ")[0] for each in passed]
    assert not answer.error_lines
    for each, expected in zip(answer.arguments, passed, strict=True):
        if " of " in expected:
            assert each is not None and each.receiver == expected.partition(" of ")[2]


def test_every_language_that_is_read_is_tried() -> None:
    families = {found.family for path in LANGUAGES if (found := language_of(path))}
    assert families == set(READERS)


def test_columns_are_those_of_editors() -> None:
    text = "def f(a): pass\nx = '𝄞ä'; f(1)\n"
    column = len("x = '𝄞ä'; ".encode("utf-16-le")) // 2
    answer = read_calls(CallsJob("a.py", text.encode(), [(2, column)], names=["f"]))
    assert said(answer) == ["1"]
    missing = read_calls(CallsJob("a.py", "x = '𝄞'; f(1)\n".encode(), names=["f"]))
    assert missing.named == [("f", 1, len("x = '𝄞'; ".encode("utf-16-le")) // 2)]


def test_calls_of_a_name_that_something_binds_are_not_free() -> None:
    bound = ["from m import f\nf()\n", "f = 1\nf()\n", "def g(f):\n    f()\n", "x.f()\n"]
    for text in bound:
        assert not read_calls(CallsJob("a.py", text.encode(), names=["f"])).named


def test_what_cannot_be_read_says_where_and_what_has_no_reader_says_nothing() -> None:
    broken = read_calls(CallsJob("a.py", b"def f(a):\n    return (\n\ndef g(:\n"))
    assert broken.error_lines and not broken.may_be_gap
    assert read_calls(CallsJob("a.txt", b"f(1)", [(1, 0)])).arguments == [None]
    assert read_calls(CallsJob("a.py", b"f(1)", [(9, 0), (1, 99)])).arguments == [None, None]


@pytest.mark.parametrize(
    ("path", "compiles", "broken"),
    [
        ("a.kt", "fun f(c: Char): Int {\n  return when (c) {\n  in '0'..'9' -> c - '0'\n"
         "  in 'a'..'f' -> c - 'a' + 10\n  else -> error(\"${c}(\")\n  }\n}\n",
         "fun f(c: Char): Int {\n  if (c > 'a' {\n  }\n  return 1\n}\n"),
        ("a.c", "int f(void) {\n  EACH(item, list) { use(item); } LAST(1) 2;\n  return 1;\n}\n",
         "int f(void) {\n  if (a {\n    return 1;\n  }\n  return 2;\n}\n"),
    ],
)  # fmt: skip
def test_what_a_grammar_with_gaps_cannot_read_is_broken_where_a_bracket_is_alone(
    path: str, compiles: str, broken: str
) -> None:
    gap = read_calls(CallsJob(path, compiles.encode()))
    assert gap.error_lines and gap.may_be_gap
    fault = read_calls(CallsJob(path, broken.encode()))
    assert fault.error_lines and not fault.may_be_gap


@pytest.mark.parametrize(
    ("source", "calls", "are_all"),
    [
        ("def use():\n    run = a.f\n    run(1)\n    run()\n", [(3, 4), (4, 4)], True),
        ("run = f\nrun(1)\n", [(2, 0)], True),
        ("def use():\n    'ä😀'; run = f; 'ä😀'; run(1)\n", [(2, 27)], True),
        ("def use():\n    run = f\n    run(1)\n    return run\n", [], False),
        ("def use(run):\n    run = f\n    run(1)\n", [], False),
        ("def use():\n    run = [f]\n    run(1)\n", [], False),
        ("def use():\n    run += f\n    run(1)\n", [], False),
        ("class Box:\n    run = f\n    run(1)\n", [], False),
        ("f\n", [], False),
    ],
)
def test_a_variable_is_followed_that_only_holds_and_calls(
    source: str, calls: list[tuple[int, int]], *, are_all: bool
) -> None:
    before = re.split(r"\bf\b", source)[0].split("\n")
    line, column = len(before), len(before[-1].encode("utf-16-le")) // 2
    (held,) = read_calls(CallsJob("a.py", source.encode(), held=[(line, column)])).held
    assert [(each[0], each[1]) for each in held.calls] == calls
    assert held.are_all is are_all


def test_a_variable_in_a_text_that_cannot_be_read_is_unknown() -> None:
    (held,) = read_calls(CallsJob("a.unknown", b"run = f\nrun(1)\n", held=[(1, 6)])).held
    assert not held.calls
    assert not held.are_all


def test_what_is_only_put_into_an_object_may_be_missing_in_javascript() -> None:
    text = (
        b"export const f = (a, size) => {\n  p = new Pipe({size});\n  return a + q({ size });\n};\n"
    )
    (found,) = read_calls(CallsJob("a.js", text)).definitions
    assert [each.is_required for each in found.signature.parameters] == [True, False]
    used = text.replace(b"return a", b"return size")
    (found,) = read_calls(CallsJob("a.js", used)).definitions
    assert [each.is_required for each in found.signature.parameters] == [True, True]
