"""Which definition of a file is around a line."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from surveyor.graph.extract.scopes import qualified
from surveyor.parsing.types import Symbol

__all__ = ["Enclosing"]


_BODIES = frozenset({"function", "method", "constructor", "class", "interface", "struct"})
"""Symbols that hold uses of others."""


class Enclosing:
    """Finds the innermost symbol around a line."""

    def __init__(self, symbols: Sequence[Symbol]) -> None:
        self._symbols = symbols
        spans = [(symbol.start_line, -symbol.end_line) for symbol in symbols]
        order = sorted(range(len(symbols)), key=spans.__getitem__)
        lines: list[int] = []
        owners: list[int] = []
        stack: list[int] = []
        self._parents = [-1] * len(symbols)

        def mark(line: int) -> None:
            lines.append(line)
            owners.append(stack[-1] if stack else -1)

        for index in order:
            start = symbols[index].start_line
            while stack and symbols[stack[-1]].end_line < start:
                mark_line = symbols[stack.pop()].end_line + 1
                mark(mark_line)
            self._parents[index] = stack[-1] if stack else -1
            stack.append(index)
            mark(start)
        while stack:
            mark_line = symbols[stack.pop()].end_line + 1
            mark(mark_line)
        self._lines, self._owners = lines, owners
        begun: dict[int, list[int]] = {}
        for index in order:
            begun.setdefault(symbols[index].start_line, []).append(index)
        self._shared = {line: found for line, found in begun.items() if len(found) > 1}
        """Lines on which several symbols begin, with these."""

    def at(self, line: int, column: int = -1) -> int:
        """Index of the innermost symbol around a 1-based line, or -1.

        Of several that begin on that line, given a column: the last whose name stands before it;
        of variables only where nothing that has a body does, which may be around them.
        """
        index = bisect_right(self._lines, line) - 1
        owner = self._owners[index] if index >= 0 else -1
        if column < 0 or line not in self._shared or owner not in self._shared[line]:
            return owner
        symbols = self._symbols
        named = [
            i
            for i in self._shared[line]
            if symbols[i].line == line and symbols[i].column <= column
        ]  # fmt: skip
        before = [i for i in named if symbols[i].kind in _BODIES] or named
        alone = all(symbols[i].end_line == line for i in self._shared[line])
        return max(before, key=lambda i: symbols[i].column) if alone and before else owner

    def of_kind(self, line: int, kinds: frozenset[str]) -> Symbol | None:
        """The innermost symbol of one of these kinds around a line."""
        index = self.at(line)
        while index >= 0:
            symbol = self._symbols[index]
            if symbol.kind in kinds:
                return symbol
            index = self.parent(index)
        return None

    def parent(self, index: int) -> int:
        """The symbol that encloses a symbol, or -1."""
        container = self._symbols[index].container
        while (index := self._parents[index]) >= 0:
            outer = qualified(self._symbols[index])
            if container == outer or container.startswith(outer + "."):
                break
        return index
