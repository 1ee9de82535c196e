"""From the chunk that was found to the symbol in it that was meant.

A small class is one chunk with all its methods: whoever filters by `method` shall see the method
that the query means, not the class around it. Tiny neighbours share a chunk: it is shown as the one
whose name the query says.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Protocol

import msgspec

from surveyor.embedding.tokens import tokenize
from surveyor.search.confidence import coverage
from surveyor.search.definition_boost import CALLED
from surveyor.search.path_facts import path_facts
from surveyor.search.query import Query
from surveyor.search.rank import Candidate, share_named
from surveyor.store.chunk_row import Row

__all__ = [
    "SymbolLike",
    "SymbolLines",
    "holds_several",
    "members_meant",
    "narrow",
    "narrow_to_line",
    "narrow_to_member",
    "needs_narrowing",
    "of_kinds",
]

WITH_BODIES = CALLED | frozenset({"class", "struct", "interface", "trait", "object", "enum"})
"""Kinds of definitions that a line of code may lie in."""
ABOVE = ("//", "#", "/*", "*", "--", "@", "[", "{-", ";")
"""How the comments and attributes above a definition begin."""


class SymbolLines(Protocol):
    """Interface of definitions that something in a file may lie in."""

    @property
    def name(self) -> str:
        """As it is called."""

    @property
    def kind(self) -> str:
        """One of the kinds of symbols."""

    @property
    def container(self) -> str:
        """Names around it, joined with dots."""

    @property
    def start_line(self) -> int:
        """First line, 1-based."""

    @property
    def end_line(self) -> int:
        """Last line, inclusive."""


class SymbolLike(SymbolLines, Protocol):
    """Interface of definitions that a result can be narrowed to."""

    @property
    def line(self) -> int:
        """Line of the name itself."""

    @property
    def signature(self) -> str:
        """Its head, without the body."""


def of_kinds(row: Row, kinds: Collection[str]) -> bool:
    """Whether a chunk is of one of the kinds, or defines something that is; no kinds: any."""
    return not kinds or any(f'"{kind}"' in row.kinds for kind in kinds)


def needs_narrowing(candidate: Candidate, kinds: Collection[str]) -> bool:
    """Whether a chunk was found for a symbol that is not its own."""
    return bool(kinds) and candidate.kind not in kinds and candidate.symbol_kind not in kinds


def narrow(
    candidate: Candidate,
    row: Row,
    text: str,
    symbols: Iterable[SymbolLike],
    kinds: Collection[str],
    query: Query,
) -> tuple[Candidate, Row, str]:
    """Candidate, row and text of the symbol in a chunk that fits the query best."""
    inside = [
        symbol
        for symbol in symbols
        if symbol.kind in kinds and candidate.start_line <= symbol.line <= candidate.end_line
    ]
    if not inside:
        return candidate, row, text
    lines = text.split("\n")
    named = {symbol.name.lower() for symbol in query.symbols}

    def fit(symbol: SymbolLike) -> tuple[bool, float]:
        words = frozenset(tokenize(f"{symbol.name}\n{_cut(lines, candidate, symbol)}"))
        return symbol.name.lower() in named, coverage(query.words, words)

    return _narrowed(candidate, row, text, max(inside, key=fit))


def members_meant(candidates: Iterable[Candidate], query: Query) -> dict[str, str]:
    """By the ids of candidates that hold several definitions: the name of the one that is meant,
    where it is not the one that the chunk is known by."""
    named = ((each.id, _member_meant(each, query)) for each in candidates)
    return {id_: name for id_, name in named if name}


def _member_meant(candidate: Candidate, query: Query) -> str:
    """The name of a neighbour in the same chunk that the query says more of than of the chunk's
    own; empty for none."""
    if candidate.is_fragment or len(candidate.symbols) < 2 or query.kind == "location":
        return ""
    for symbol in query.symbols:
        if symbol.name == candidate.symbol_name:
            return ""
        if symbol.name in candidate.symbols:
            return symbol.name
        longer = (each for each in candidate.symbols if each.endswith("." + symbol.name))
        if (name := next(longer, "")) and name != candidate.symbol_name:
            return name
    if candidate.symbol_kind not in CALLED and query.kind != "symbol":
        return ""
    facts, wanted = path_facts(candidate.path), frozenset(query.words)
    own = share_named(candidate.symbol_name, facts, wanted)
    share, name = max((share_named(name, facts, wanted), name) for name in candidate.symbols)
    return name if share > own else ""


def narrow_to_member(
    candidate: Candidate, row: Row, text: str, symbols: Iterable[SymbolLike], name: str
) -> tuple[Candidate, Row, str]:
    """Candidate, row and text of a neighbour that shares the chunk, or of what begins in it and
    goes around it, with the comments above it."""
    for symbol in symbols:
        around = f"{symbol.container}.{name}" if symbol.container else name
        if (
            symbol.name == name
            and candidate.parent_symbol in (symbol.container, around)
            and candidate.start_line <= symbol.line <= candidate.end_line
        ):
            return _narrowed(candidate, row, text, symbol, with_comments=True)
    return candidate, row, text


def holds_several(candidate: Candidate) -> bool:
    """Whether a chunk is several definitions, of which each is whole."""
    return not candidate.is_fragment and len(candidate.symbols) > 1


def narrow_to_line(
    candidate: Candidate, row: Row, text: str, symbols: Iterable[SymbolLike], line: int
) -> tuple[Candidate, Row, str]:
    """Candidate, row and text of the definition in a chunk that a line lies in, with the comments
    above it; those of the chunk where that is the one that it is known by, or none."""
    around = [
        symbol
        for symbol in symbols
        if symbol.kind in WITH_BODIES
        and symbol.name in candidate.symbols
        and candidate.start_line <= symbol.start_line <= line <= symbol.end_line
    ]
    if not around:
        return candidate, row, text
    inner = min(around, key=lambda symbol: symbol.end_line - symbol.start_line)
    if inner.name == candidate.symbol_name:
        return candidate, row, text
    return _narrowed(candidate, row, text, inner, with_comments=True)


def _narrowed(
    candidate: Candidate, row: Row, text: str, symbol: SymbolLike, *, with_comments: bool = False
) -> tuple[Candidate, Row, str]:
    lines = text.split("\n")
    first = max(symbol.start_line - candidate.start_line, 0)
    while with_comments and first > 0 and lines[first - 1].lstrip().startswith(ABOVE):
        first -= 1
    end = min(symbol.end_line, candidate.end_line)
    smaller = msgspec.structs.replace(
        candidate,
        start_line=candidate.start_line + first,
        end_line=end,
        kind=symbol.kind,
        symbol_kind=symbol.kind,
        symbol_name=symbol.name,
        parent_symbol=symbol.container,
    )
    narrowed = msgspec.structs.replace(row, signature=symbol.signature)
    cut = "\n".join(lines[first : end - candidate.start_line + 1])
    return smaller, narrowed, cut or text


def _cut(lines: Sequence[str], candidate: Candidate, symbol: SymbolLike) -> str:
    first = max(symbol.start_line - candidate.start_line, 0)
    return "\n".join(lines[first : symbol.end_line - candidate.start_line + 1])
