"""Right source that the grammars cannot read by themselves."""

from __future__ import annotations

import pytest

from surveyor.parsing.parse import parse_file, tree_of
from surveyor.parsing.repair import repaired


def definitions(path: str, text: str) -> dict[str, int]:
    """Name -> line of all that a file defines."""
    return {symbol.name: symbol.line for symbol in parse_file(path, text.encode()).symbols}


def test_items_that_a_macro_of_rust_is_handed() -> None:
    found = definitions(
        "a.rs",
        "cfg_rt! {\n    /// Runs.\n    pub mod task {\n        pub fn spawn() {}\n    }\n}\n"
        'fn text() { call! { "}" } }\n'
        "pin_project! {\n    #[derive(Debug)]\n    pub struct Reader<R> {\n        #[pin]\n"
        "        inner: R,\n    }\n}\n"
        "mock! { name => 1 }\nmacro_rules! made { () => { fn hidden() {} } }\n",
    )
    assert found == {"task": 3, "spawn": 4, "text": 7, "Reader": 10, "inner": 12, "made": 16}


@pytest.mark.parametrize("before", ["", "  // named\n", "\n  /* also\n   * named */\n"])
def test_call_signatures_without_semicolons(before: str) -> None:
    text = (
        "export interface Factory extends Base {\n"
        "  <T extends Base>(make: T): Box<T>\n" + before + "  <T>(name: string, make: T): T[]\n"
        "  named: string\n"
        "}\n"
        "export function after() {}\n"
    )
    found = definitions("a.ts", text)
    assert found == {"Factory": 1, "named": text[: text.find("named:")].count("\n") + 1,
                     "after": text.count("\n")}  # fmt: skip


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.ts", "export type * from './b'\nexport function after() {}\n"),
        ("a.ts", "interface Kept<\n  /** in and out */\n  in out T, out U = T> {}\n"
                 "function after() {}\n"),
        ("a.ts", "async function run() {\n  await using held = open();\n}\nfunction after() {}\n"),
        ("a.js", "class A {\n  @seen accessor size = 1\n}\nfunction after() {}\n"),
        ("a.rb", "class A\n  def a(**b) = raise Later, 'c'\n  def d = puts 1\nend\n"
                 "def after() = 1\n"),
        ("a.kt", "class A(val n: Int) {\n  enum class B { ON { override fun f() = 1 }; "
                 "abstract fun f(): Int }\n}\nfun after() {}\n"),
        ("a.scala", "class A { self: B[C] =>\n  forAll { x: D[E] =>\n    val y = x\n    y\n  }\n"
                    "  f { implicit x: Int =>\n    g(x)\n  }\n}\nclass after\n"),
        ("a.dart", "void f() { all[#+]!.set(all[#[]=]); }\nvoid after() {}\n"),
        ("a.swift", 'func f() {\nif a.b("/*") {\nif c.d("*/") {}\n}\n}\nclass after {}\n'),
        ("a.swift", "struct A {\n#if B\n  var c = 1\n#endif\n}\nfunc after() {}\n"),
        ("a.swift", "func f(at: At = #_sourceLocation) throws(E) -> Int { 1 }\nfunc after() {}\n"),
        ("a.swift", "struct A {\n  @Flag() var b: Int\n}\nfunc `a b c`() {}\nfunc after() {}\n"),
        ("a.swift", "func f(_ a: sending A) { unsafe free(a); b { c async throws -> D in e } }\n"
                    "nonisolated(unsafe) var g = 1\nfunc after() {}\n"),
    ],
)  # fmt: skip
def test_words_that_the_grammar_does_not_know(path: str, text: str) -> None:
    assert definitions(path, text)["after"] == text.count("\n")
    tree = tree_of(path, text.encode())
    assert tree is not None and not tree.tree.root_node.has_error
    chunks = parse_file(path, text.encode()).chunks
    assert all(word in "".join(chunk.text for chunk in chunks) for word in text.split())


def test_nothing_moves() -> None:
    source = b"interface A {\n  x: B\n  <T>(a: T): C\n}\nusing y = z()\n"
    found = repaired(source, "typescript")
    assert found is not None and len(found) == len(source)
    assert [line.strip()[-3:] for line in found.split(b"\n")] == [
        line.strip()[-3:] for line in source.split(b"\n")
    ]
    assert repaired(b"const a = b < c\n", "typescript") is None
    assert repaired(source, "python") is None


def test_long_blanks_and_comments_are_passed_over_once() -> None:
    """With a pattern that tries all the ways to divide them this would take minutes."""
    between = b"\n" * 200_000 + b"// named\n" * 100_000
    source = b"interface A {\n  x: B" + between + b"\n  <T>(): C\n}"
    assert repaired(source, "typescript") is None


@pytest.mark.parametrize(
    "between",
    [
        "\nprivate constructor(",
        "<T : List<Int>>\n@Inject\ninternal constructor(",
        "\n// Kept for serializers.\n@Named(name = \"a(b)\") constructor(",
        " actual constructor(actual ",
    ],
)  # fmt: skip
def test_constructors_of_kotlin_in_a_line_of_their_own(between: str) -> None:
    text = (
        "open class Base {}\n"
        f"class Box{between}val size: Int, builder: Builder) :\n  Base() {{\n"
        "  fun open() = 1\n}\nfun after() {}\n"
    )
    found = definitions("a.kt", text)
    lines = text.split("\n")
    assert found == {
        "Base": 1,
        "Box": 2,
        "size": next(at for at, line in enumerate(lines, 1) if "val size" in line),
        "open": len(lines) - 3,
        "after": len(lines) - 1,
    }


@pytest.mark.parametrize(
    "line",
    [
        "for (i in 0..<size) { run() }",
        "val mask = 0b0101_1111",
        'val text = $$"a $name"',
        "val made = object : Base by given {\n    override fun run() {}\n  }",
        "when (a) {\n    is Box if a.open -> run()\n    else -> stop()\n  }",
    ],
)
def test_kotlin_that_the_grammar_does_not_know(line: str) -> None:
    tree = tree_of("a.kt", f"fun first() {{\n  {line}\n}}\nfun after() {{}}\n".encode())
    assert tree is not None and not tree.tree.root_node.has_error


def test_context_of_a_kotlin_function() -> None:
    text = "class A {\n  context(_: Scope, log: Log)\n  fun run() {}\n}\nfun after() {}\n"
    assert definitions("a.kt", text) == {"A": 1, "run": 3, "after": 5}


@pytest.mark.parametrize(
    "text",
    [
        "class A : B\n#if ASYNC\n    , C\n#endif\n{\n    void Run() {}\n}\nclass After {}\n",
        "interface A\n{\n    void Run()\n#if BODIES\n    { Stop(); }\n#else\n    ;\n#endif\n}\n"
        "class After {}\n",
        "class A\n{\n    void Run() {\n        switch (x) {\n            case 1: Stop(); break;\n"
        "#if MORE\n            case 2: Go(); break;\n#endif\n        }\n    }\n}\nclass After {}\n",
        "class A\n{\n    void Run() {\n        if (x) { Stop(); }\n#if MORE\n        else { }\n"
        "#endif\n    }\n}\nclass After {}\n",
        "#!/usr/bin/env dotnet\n#:package Name@1.0\nclass A { void Run() {} }\nclass After {}\n",
    ],
)
def test_conditionals_of_csharp_that_cut_through_a_statement(text: str) -> None:
    tree = tree_of("a.cs", text.encode())
    assert tree is not None and not tree.tree.root_node.has_error
    found = definitions("a.cs", text)
    assert found["After"] == text.count("\n") and {"A", "Run"} <= set(found)


@pytest.mark.parametrize("pattern", ["##*[", "%%]*", "%[", "//[/x", "#*("])
def test_brackets_in_what_an_expansion_of_bash_takes_away(pattern: str) -> None:
    text = f'first() {{\n  name="${{name{pattern}}}"\n}}\nafter() {{\n  first\n}}\n'
    assert definitions("a.sh", text) == {"first": 1, "after": 4}
    tree = tree_of("a.sh", text.encode())
    assert tree is not None and not tree.tree.root_node.has_error


def test_what_looks_like_arithmetic_in_a_text_of_bash() -> None:
    text = 'first() {\n  eval "(( \\${#${name}[@]} > 0 ))"\n}\nafter() {\n  first\n}\n'
    assert definitions("a.sh", text) == {"first": 1, "after": 4}
