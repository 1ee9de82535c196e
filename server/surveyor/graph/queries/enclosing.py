"""Which definition of a file is around a line."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from surveyor.graph.extract.scopes import qualified
from surveyor.parsing.types import Symbol

__all__ = ["Enclosing"]


_BODIES = frozenset({"function", "method", "constructor", "class", "interface", "struct"})
"""Symbols that hold uses of others."""


_MAX_CLIMB = 32
_Begin = tuple[int, int, int]


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
        self._shared = {line: set(found) for line, found in begun.items() if len(found) > 1}
        """Lines on which several symbols begin, with these."""
        self._order = order
        self._begins: dict[int, tuple[list[_Begin], list[_Begin]]] = {}
        """Of such lines, (column, -place in the order, index) of the symbols that are named there,
        sorted: of those that have a body, and of all; none where one of them ends elsewhere."""
        self._places: dict[str, list[int]] | None = None
        self._last: list[int] = []
        self._place_of: dict[int, int] = {}

    def at(self, line: int, column: int = -1) -> int:
        """Index of the innermost symbol around a 1-based line, or -1.

        Of several that begin on that line, given a column: the last whose name stands before it;
        of variables only where nothing that has a body does, which may be around them.
        """
        index = bisect_right(self._lines, line) - 1
        owner = self._owners[index] if index >= 0 else -1
        if column < 0 or line not in self._shared or owner not in self._shared[line]:
            return owner
        if line not in self._begins:
            self._begins[line] = self._beginning(line)
        for begins in self._begins[line]:
            if before := bisect_left(begins, (column + 1,)):
                return begins[before - 1][2]
        return owner

    def _beginning(self, line: int) -> tuple[list[_Begin], list[_Begin]]:
        symbols = self._symbols
        if any(symbols[i].end_line != line for i in self._shared[line]):
            return [], []
        named = sorted(
            (symbols[i].column, -i, i) for i in self._shared[line] if symbols[i].line == line
        )
        return [each for each in named if symbols[each[2]].kind in _BODIES], named

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
        if not container:
            return -1
        around = index
        for _ in range(_MAX_CLIMB):
            if (around := self._parents[around]) < 0:
                return -1
            outer = qualified(self._symbols[around])
            if container == outer or container.startswith(outer + "."):
                return around
        return self._far_parent(index, container)

    def _far_parent(self, index: int, container: str) -> int:
        """The same where thousands begin on one line, and are around each other as lines go."""
        if self._places is None:
            self._places, self._last = self._by_name()
        place = self._place_of[index]
        found = -1
        while container:
            places = self._places.get(container, [])
            for before in reversed(places[: bisect_left(places, place)]):
                if self._last[before] >= place:
                    found = max(found, before)
                    break
            container = container.rpartition(".")[0]
        return self._order[found] if found >= 0 else -1

    def _by_name(self) -> tuple[dict[str, list[int]], list[int]]:
        """Places in the order by qualified name; and of each, the last of those inside."""
        order = self._order
        self._place_of = {index: place for place, index in enumerate(order)}
        last = list(range(len(order)))
        for place in range(len(order) - 1, -1, -1):
            if (parent := self._parents[order[place]]) >= 0:
                outer = self._place_of[parent]
                last[outer] = max(last[outer], last[place])
        places: dict[str, list[int]] = {}
        for place, index in enumerate(order):
            places.setdefault(qualified(self._symbols[index]), []).append(place)
        return places, last
