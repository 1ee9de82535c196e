"""A filter by kind asks for symbols: from the chunk that was found to the symbol in it.

A small class is one chunk with all its methods. Whoever filters by `method` shall see the method
that the query means, not the class around it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Protocol

import msgspec

from surveyor.embedding.tokens import tokenize
from surveyor.search.confidence import coverage
from surveyor.search.query import Query
from surveyor.search.rank import Candidate
from surveyor.store.chunk_row import Row

__all__ = ["SymbolLike", "narrow", "needs_narrowing", "of_kinds"]


class SymbolLike(Protocol):
    """Interface of definitions that a result can be narrowed to."""

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

    best = max(inside, key=fit)
    smaller = msgspec.structs.replace(
        candidate,
        start_line=max(best.start_line, candidate.start_line),
        end_line=min(best.end_line, candidate.end_line),
        kind=best.kind,
        symbol_kind=best.kind,
        symbol_name=best.name,
        parent_symbol=best.container,
    )
    narrowed = msgspec.structs.replace(row, signature=best.signature)
    return smaller, narrowed, _cut(lines, candidate, best) or text


def _cut(lines: Sequence[str], candidate: Candidate, symbol: SymbolLike) -> str:
    first = max(symbol.start_line - candidate.start_line, 0)
    return "\n".join(lines[first : symbol.end_line - candidate.start_line + 1])
