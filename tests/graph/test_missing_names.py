"""Code in the middle of being typed: where a name is missing, none is made up."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest

from surveyor.graph.extract.file_graph import parse_with_graph
from surveyor.graph.facts import decode_blobs, decode_facts, decode_references
from surveyor.graph.library import build
from surveyor.parsing.parse import parse_file

SAMPLES = sorted((Path(__file__).parents[1] / "data" / "languages").iterdir())
_NAME = re.compile(rb"\b[A-Za-z_]\w*\b")
VARIANTS = 3
"""Of each sample, each without one name in five."""


def _without_names(data: bytes, seed: int) -> bytes:
    spans = [match.span() for match in _NAME.finditer(data)]
    for start, end in sorted(Random(seed).sample(spans, len(spans) // 5), reverse=True):
        data = data[:start] + data[end:]
    return data


def _assert_named(path: str, data: bytes) -> None:
    parsed = parse_with_graph(path, data)
    assert all(symbol.name.strip() for symbol in parsed.symbols)
    if not parsed.graph:
        return
    blobs = decode_blobs(parsed.graph)
    facts, references = decode_facts(blobs.facts), decode_references(blobs.references)
    assert all(name.name.strip() and name.qualname for name in facts.names)
    assert all(key.strip("!@^()") for key in facts.types)
    assert all(row[0] for row in references)
    for link in facts.imports:
        assert link.module or link.names
        assert all(any(pair) for pair in link.names)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_nothing_without_a_name_is_defined_used_or_imported(sample: Path) -> None:
    for seed in range(VARIANTS):
        _assert_named(sample.name, _without_names(sample.read_bytes(), seed))


UNNAMED = {
    "padding.c": (
        "struct padded {\n  int first;\n  int : 32;\n  int last;\n};\n",
        "padded first last",
    ),
    "made.c": ("static MADE(struct stat, counts);\nint after;\n", "after"),
    "attribute.py": ("class A:\n    def run(self):\n        self. = Client()\n", "A run"),
    "parameter.ts": ("export class A {\n  run(: string) { return 1; }\n}\n", "A run"),
}


@pytest.mark.parametrize("path", UNNAMED)
def test_what_has_no_name_is_no_symbol(path: str) -> None:
    text, named = UNNAMED[path]
    assert [symbol.name for symbol in parse_file(path, text.encode()).symbols] == named.split()
    _assert_named(path, text.encode())


def test_a_value_that_is_given_to_nothing_keeps_no_file_from_being_resolved() -> None:
    made = build(
        {
            "box.lua": b'local  = require("x")\nlocal M = {}\nfunction M.open() end\nreturn M\n',
            "use.lua": b'local box = require("box")\nprint(box.open())\n',
        }
    )
    used = [(edge.target.qualname, edge.line) for edge in made.resolutions["use.lua"].edges]
    assert ("M.open", 2) in used
