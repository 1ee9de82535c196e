"""Numbers in sentences: with the noun that agrees with them, wherever one is said."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from surveyor.units import counted

PACKAGE = Path(__file__).parents[1] / "server" / "surveyor"

VALUE_BEFORE_PLURAL = re.compile(r"\} (?:[a-z]+ )?[a-z]+s\b")

NEVER_ONE = {
    # what is said: why its number is more than one, or no count
    "{every} pieces.",
    "{some} chunks are found",
    "{limit} folders can be watched",
    "{part} has characters",
    "{alike} members are called",
    "{len(missing)} files that have this",
    "{len(wanted)} members: what has",
    "{len(able)} actions have that",
    "{len(places)} definitions have that",
    "{len(found)} files: ",
    "{len(others) + 1} definitions are",
    "{len(tags)} tags are too many",
    "{len(label)} characters; ",
    "{len(title)} characters; ",
    "{len(asked)} changed files were",
    "{len(documents)} rules, and",
    "{len(reasons)} signatures",
    "{verdict.asked} commits",
    "{known.taught} commits: ",
    "{total} commits are indexed",
    "{_round(found.files)} files);",
    "{_round(found.chunks)} chunks (",
    "{_round(found.chunks_per_s)} chunks/s",
    "{_round(speed.chunks_per_s)} chunks/s",
}


@pytest.mark.parametrize(
    ("number", "one", "several", "said"),
    [
        (0, "file", "", "0 files"),
        (1, "file", "", "1 file"),
        (2, "file", "", "2 files"),
        (12_345, "changed file", "", "12,345 changed files"),
        (1, "match", "matches", "1 match"),
        (2, "match", "matches", "2 matches"),
        (1, "place shares", "places share", "1 place shares"),
        (3, "place shares", "places share", "3 places share"),
    ],
)
def test_the_noun_agrees_with_its_number(number: int, one: str, several: str, said: str) -> None:
    assert counted(number, one, several) == said


@cache
def _nodes() -> list[tuple[str, ast.JoinedStr | ast.Call]]:
    """Strings with values in them, and calls of `counted`, of the files that have any."""
    return [
        (str(path.relative_to(PACKAGE)), node)
        for path in sorted(PACKAGE.rglob("*.py"))
        if VALUE_BEFORE_PLURAL.search(text := path.read_text("utf-8")) or "counted(" in text
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.JoinedStr)
        or (isinstance(node, ast.Call) and getattr(node.func, "id", "") == "counted")
    ]


def _nouns() -> set[str]:
    """Plurals of what is counted anywhere: the last word, or the one before its verb."""
    nouns = {"files", "places", "results", "chunks", "lines", "symbols", "definitions"}
    for _, node in _nodes():
        if isinstance(node, ast.Call):
            words = [each.value for each in node.args if isinstance(each, ast.Constant)]
            if len(words) == 1:
                nouns.add(str(words[0]).split()[-1] + "s")
    return nouns - {"times"}  # `read 3 times`, where once is a word of its own


def _said() -> Iterator[tuple[str, str]]:
    """Where a value stands before words in an f-string: the place, and both as they are written."""
    for name, node in _nodes():
        parts = node.values if isinstance(node, ast.JoinedStr) else []
        for value, text in pairwise(parts):
            if isinstance(value, ast.FormattedValue) and isinstance(text, ast.Constant):
                yield f"{name}:{value.lineno}", f"{{{ast.unparse(value.value)}}}{text.value!s}"


def test_a_number_is_said_with_a_noun_that_agrees() -> None:
    """`1 files` is no English: `units.counted` has the noun in both forms. What is a constant, or
    never one, stands in `NEVER_ONE`."""
    nouns = _nouns()
    assert {"documents", "pieces", "points"} <= nouns
    plural = re.compile(rf"\{{(?P<value>.*)\}} (?:[a-z]+ )?(?:{'|'.join(sorted(nouns))})\b(?!')")
    constant = re.compile(r"[A-Z_0-9 /*.]+|[a-z_.]+\.[A-Z_]+")
    found = [
        f"{place} {said}"
        for place, said in _said()
        if (match := plural.match(said))
        and not constant.fullmatch(match["value"])
        and "counted(" not in match["value"]
        and not any(said.startswith(each) for each in NEVER_ONE)
    ]
    assert found == []


def test_every_exception_is_used() -> None:
    said = [each for _, each in _said()]
    assert [each for each in NEVER_ONE if not any(one.startswith(each) for one in said)] == []
