"""What a definition that is replaced takes with it, in files as their languages are parsed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from surveyor.cli.edit import _steps
from surveyor.engine.edits.file_text import FileText
from surveyor.engine.edits.steps import apply_step
from surveyor.errors import UsageError
from surveyor.parsing.parse import parse_file
from surveyor.parsing.types import Symbol
from surveyor.protocol.edits import EditStep


async def definitions(path: str, data: bytes) -> Sequence[Symbol]:
    return parse_file(path, data).symbols


async def done(path: str, text: str, **step: str) -> str:
    made = EditStep(path=path, **step)  # type: ignore[arg-type]
    return (await apply_step(FileText(text), path, made, definitions)).text


@pytest.mark.parametrize(
    ("path", "text", "name"),
    [
        ("a.ts", "export const one = () => 1; export const two = () => 2;\n", "two"),
        ("a.rb", "class Box; def put(a) = a; end\n", "Box.put"),
        ("a.ts", "function one() {\n  return 1;\n} function two() {\n  return 2;\n}\n", "one"),
        ("a.ts", "function one() {\n  return 1;\n} function two() {\n  return 2;\n}\n", "two"),
        ("A.java", "class A {\n  int one() { return 1; } }\n", "A.one"),
        ("a.py", "class A: size = 1\n", "A.size"),
        ("a.rs", "enum Kind { One, Two }\n", "Kind.One"),
    ],
)
async def test_a_definition_that_shares_its_lines_is_not_replaced(
    path: str, text: str, name: str
) -> None:
    with pytest.raises(UsageError, match="shares a line"):
        await done(path, text, name=name, new="other")


@pytest.mark.parametrize(
    ("path", "text", "name"),
    [
        ("a.ts", "class Box {\n  put() { return 1; }\n  take = () => 2;\n}\n", "Box.take"),
        ("a.rs", "enum Kind { One, Two }\n", "Kind"),
        ("a.py", "class A:\n    def one(self):\n        return 1\n", "A.one"),
        ("a.ts", "function outer() {\n  function inner() { return 1; }\n}\n", "outer"),
        ("a.go", "package p\n\nfunc Last() int { return 1 }", "Last"),
        ("a.py", 'class A:\n    def end(self):\n        return "}"\n', "A.end"),
        ("a.ts", "class A {\n  end() {\n    return '}}';\n  }\n}\n", "A.end"),
    ],
)
async def test_one_that_does_not_is(path: str, text: str, name: str) -> None:
    assert "other" in await done(path, text, name=name, new="other")


async def test_decorators_and_attributes_that_are_given_anew_are_not_there_twice() -> None:
    text = "class Box {\n  /** doc */\n  @dec()\n  @two\n  put(a: number) { return a; }\n}\n"
    new = "@dec()\nput() {}"
    assert await done("a.ts", text, name="Box.put", new=new) == (
        "class Box {\n  /** doc */\n  @dec()\n  put() {}\n}\n"
    )
    assert "  @two\n  put() {}" in await done("a.ts", text, name="Box.put", new="put() {}")
    text = "/// Doc.\n#[inline]\n#[must_use]\npub fn far() -> u8 {\n    1\n}\n"
    assert await done("a.rs", text, name="far", new="#[inline]\nfn far() {}") == (
        "/// Doc.\n#[inline]\nfn far() {}\n"
    )


def test_a_misspelt_field_of_a_step_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "steps.json"
    file.write_text('[{"path": "a.py", "name": "one", "after": true, "new": "x"}]')
    with pytest.raises(UsageError, match="after"):
        _steps(file, tmp_path)
    file.write_text('[{"path": "a.py", "name": "one", "action": "after", "new": "x"}]')
    assert _steps(file, tmp_path)[0].path == str(tmp_path / "a.py")
