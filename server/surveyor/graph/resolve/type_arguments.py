"""What type parameters stand for, each combination once: a number is cheap to compare."""

from __future__ import annotations

from collections.abc import Iterable

from surveyor.graph.resolve.values import Value

__all__ = ["TypeArguments"]

_MAX_DEPTH = 4
"""How deep types within types are remembered: `A<B<C<D>>>`."""


class TypeArguments:
    """All combinations that one resolver has met; 0 is nothing."""

    def __init__(self) -> None:
        self._known: list[dict[str, tuple[Value, ...]]] = [{}]
        self._depths = [0]
        self._numbers: dict[tuple[tuple[str, tuple[Value, ...]], ...], int] = {(): 0}

    def get(self, given: int, name: str) -> tuple[Value, ...]:
        """What a type parameter stands for."""
        return self._known[given].get(name, ())

    def of(self, bound: Iterable[tuple[str, Iterable[Value]]], outer: int = 0) -> int:
        """The number of a combination, on top of another one."""
        known = dict(self._known[outer])
        for name, values in bound:
            known[name] = tuple(
                value if self._depths[value.given] < _MAX_DEPTH else value._replace(given=0)
                for value in values
            )
        key = tuple(sorted(known.items()))
        if key not in self._numbers:
            self._numbers[key] = len(self._known)
            self._known.append(known)
            deepest = max((self._depths[v.given] for vs in known.values() for v in vs), default=0)
            self._depths.append(deepest + 1)
        return self._numbers[key]
