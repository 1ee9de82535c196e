"""Regular expressions over what repositories and users write take time in its length."""

from __future__ import annotations

import importlib
import json

import pytest

from surveyor.graph.languages.ecmascript.modules import parse_script_json
from surveyor.graph.queries.names import _SYMBOL_IN_PATH
from surveyor.graph.resolve.hints import Hints
from surveyor.mcp.json_file import _COMMENT, _LAST_COMMA
from surveyor.search.query import understand

detect = importlib.import_module("surveyor.knowledge.dependencies.detect")
MANY = 300_000
"""With time in the square of this, each would take an hour."""


@pytest.mark.timeout(120)
@pytest.mark.parametrize("text", ['\\"' * MANY, "/*" * MANY, "," + " " * MANY, "[" * MANY])
def test_a_tsconfig_is_read_in_linear_time(text: str) -> None:
    assert parse_script_json('{"a": ' + text) is None
    _LAST_COMMA.sub("", _COMMENT.sub("", text))


def test_comments_and_commas_are_passed_over_as_before() -> None:
    assert parse_script_json('{"a": "b//c", /* x */ "d": [1, 2,], // y\n}') == {
        "a": "b//c",
        "d": [1, 2],
    }


@pytest.mark.timeout(120)
@pytest.mark.parametrize("text", ["\n" * MANY, "a." * MANY, "require " * MANY, "a.b " * MANY])
def test_a_go_mod_is_read_in_linear_time(text: str) -> None:
    assert list(detect._go_required(text)) == []
    found = list(detect._go_required("require (\n\tgithub.com/a/b v1.2.3 // indirect\n)\n"))
    assert found == [("github.com/a/b", "v1.2.3", "// indirect")]


@pytest.mark.timeout(120)
@pytest.mark.parametrize("text", ["/" * MANY, "a/." * MANY])
def test_a_symbol_s_name_is_read_in_linear_time(text: str) -> None:
    assert _SYMBOL_IN_PATH.match(text) is None


@pytest.mark.timeout(120)
@pytest.mark.parametrize("text", ["a", "a/", "a.", "a.b/", "at a", "(", '"', "'a", "_", "A_", "::"])
def test_a_query_is_read_in_little_time(text: str) -> None:
    for _ in range(20):
        understand(text * MANY)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("src/a.py:12", ("src/a.py", 12)),
        ("at C:\\x\\y.cs:3", ("C:/x/y.cs", 3)),
        ("file:///a/b.py:12:3", ("/a/b.py", 12)),
        ("//a.py:1", ("/a.py", 1)),
        ("error in bar/baz.go:10", ("bar/baz.go", 10)),
    ],
)
def test_places_in_traces_are_found_as_before(text: str, place: tuple[str, int]) -> None:
    found = understand(text)
    assert (found.path, found.line) == place


def test_nested_json_is_the_file_s_fault() -> None:
    deep = "[" * 200_000
    assert parse_script_json(deep) is None
    assert Hints.read(deep, deep, []).problems
    assert Hints.read(json.dumps({"targets": {"*" * 100: "x"}}), None, []).problems
