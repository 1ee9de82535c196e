"""Right TypeScript and JavaScript that the grammars cannot read by themselves."""

from __future__ import annotations

import pytest

from surveyor.parsing.parse import parse_file
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
    ],
)  # fmt: skip
def test_words_that_the_grammar_does_not_know(path: str, text: str) -> None:
    assert definitions(path, text)["after"] == text.count("\n")
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
