"""Where a function is named without being called: handed over, in a table, referred to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from surveyor.graph.facts import KIND_CODES, decode_facts
from surveyor.graph.languages import traits_of
from surveyor.graph.queries.items import LineReader
from surveyor.graph.queries.lookup import EdgeAt, Node, StoredGraph, language_of_path
from surveyor.graph.resolve.certainty import CERTAIN
from surveyor.graph.resolve.values import CALLABLE_KINDS

__all__ = ["named_without_call"]

_READ, _CALL = KIND_CODES["read"], KIND_CODES["call"]


class _Reference(NamedTuple):
    """What stands around a function's name that is only referred to, though its use counts as a
    call."""

    before: re.Pattern[str]
    behind: re.Pattern[str] = re.compile("")


_NEVER = re.compile(r"(?!)")
_REFERENCES: dict[str, Sequence[_Reference]] = {
    "java": (_Reference(re.compile(r"(?:::\s*|\")$")),),
    "kotlin": (_Reference(re.compile(r"::$")),),
    "ruby": (_Reference(re.compile(r"\b(?:instance_|public_)?method[\s(]+[:\"']$")),),
    "php": (
        _Reference(re.compile(r"[\"']$")),
        _Reference(re.compile(""), re.compile(r"\(\s*\.\.\.\s*\)")),
    ),
    "elixir": (_Reference(re.compile(r"&(?:[\w.]*\.)?$"), re.compile(r"/\d")),),
}
"""By language: `Box::open`, `method(:open)`, `[$this, 'open']`, `open(...)`, `&open/1`."""
_OFFERING = re.compile(
    r"\s*(?:@(?:spec|callback)\b|export\b|module\b|(?:module\.)?exports\b|return\b)"
)
"""Begins a line in which a file says what it offers, outside of functions."""
_ALIAS = re.compile(r"\s*(?:\w+\s+)*[\w.$]+\s*=\s*[\w.$]+\s*;?\s*$")
"""Another name for a function, whose uses are followed where values are."""
_LISTED = re.compile(r"\s*(?:[\w$]+\s*:\s*)?[\w$]+\s*,?\s*(?:\}[\s;)]*)?$")
"""A line of a list of names, as modules have of what they offer."""
_LISTING_FAMILIES = frozenset({"haskell"})
"""Languages in which nothing stands outside of definitions but what a module says it offers."""


async def named_without_call(
    stored: StoredGraph, nodes: Sequence[Node], called: set[tuple[str, int, int]], lines: LineReader
) -> list[EdgeAt]:
    """Where functions are named without being called, as handlers that are handed over, entries of
    tables and references to methods are; not where a module says what it offers.

    `called`: places that are known to call, or to run what stands there.
    """
    callable_ = {node.node_id: node for node in nodes if node.kind in CALLABLE_KINDS}
    edges = [
        edge
        for edge in await stored.uses(list(callable_), [_READ, _CALL])
        if edge.score >= CERTAIN
        and (edge.kind == "read" or language_of_path(edge.path) in _REFERENCES)
        and (edge.kind == "call" or (edge.path, edge.line, edge.column) not in called)
    ]
    around = await stored.by_id(edge.source for edge in edges)
    await lines.load(edge.path for edge in edges if _needs_text(edge, around))
    return [
        edge
        for edge in edges
        if not _needs_text(edge, around)
        or (
            _is_reference(edge, lines)
            if edge.kind == "call"
            else not await _is_offered(stored, edge, callable_[edge.target].name, lines)
        )
    ]


def _needs_text(edge: EdgeAt, around: dict[int, Node]) -> bool:
    """Whether the text decides: not of what a function reads."""
    source = around.get(edge.source)
    return edge.kind == "call" or source is None or source.kind not in CALLABLE_KINDS


def _is_reference(edge: EdgeAt, lines: LineReader) -> bool:
    """Whether a place that counts as a call only refers to what it names."""
    line = lines.text(edge.path, edge.line, edge.line).rstrip("\n").encode("utf-16-le")
    before = line[: 2 * edge.column].decode("utf-16-le", "replace")
    behind = line[2 * edge.end_column :].decode("utf-16-le", "replace")
    return any(
        each.before.search(before) and each.behind.match(behind)
        for each in _REFERENCES[language_of_path(edge.path) or ""]
    )


async def _is_offered(stored: StoredGraph, edge: EdgeAt, name: str, lines: LineReader) -> bool:
    """Whether a name outside of functions stands there for others to use: in a list of what a
    module offers, in a declaration, or as another name for the same."""
    traits = traits_of(language_of_path(edge.path) or "")
    if not edge.source and traits.family in _LISTING_FAMILIES:
        return True
    line = lines.text(edge.path, edge.line, edge.line)
    if _OFFERING.match(line):
        return True
    if _ALIAS.match(line) and (traits.follows_values or traits.aliases):
        return True
    if edge.source or not traits.exports_names or not _LISTED.match(line):
        return False
    data = await stored.facts(edge.path)
    links = decode_facts(data).imports if data is not None else ()
    return any(
        link.kind == "reexport"
        and link.line <= edge.line
        and name in (each for each, _ in link.names)
        for link in links
    )
