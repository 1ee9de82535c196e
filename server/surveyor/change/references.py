"""Functions that are handed on by their names: whether what takes them still can."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from surveyor.change.comparison import ChangedSignature
from surveyor.change.signatures import Signature
from surveyor.units import counted

__all__ = ["counts_changed", "reference_misfit", "types_of_functions"]

_Counts = tuple[int, float]
"""The fewest and the most arguments that a function takes."""

_NAMED_TYPE = re.compile(rb"\btypealias\s+(\w+)|\btypedef\b.*?\(\s*\*\s*(\w+)\s*\)")
"""Names for types of functions in Kotlin and C."""


def _counts(signatures: Iterable[Signature]) -> list[_Counts]:
    found = []
    for signature in signatures:
        listed = [each for each in signature.parameters if each.kind in ("any", "positional")]
        rest = any(each.kind == "rest" for each in signature.parameters)
        least = sum(each.is_required for each in listed)
        found.append((least, math.inf if rest else float(len(listed))))
    return sorted(set(found))


def counts_changed(changed: ChangedSignature) -> bool:
    """Whether it takes another number of arguments than before, in one of its signatures."""
    return _counts(changed.before) != _counts(changed.after)


def reference_misfit(changed: ChangedSignature, taken_with: int = -1) -> str | None:
    """Why what takes a function cannot take it any more, as it takes one of so many arguments only;
    None where it may. `taken_with` is their number where it is known: with the instance of a
    method that is named by its type."""
    was, now = _counts(changed.before), _counts(changed.after)
    numbers = {taken_with, taken_with - 1} if taken_with >= 0 else set()
    if any(least <= number <= most for least, most in now for number in numbers):
        return None
    if not was or not now or any(_overlap(one, other) for one in was for other in now):
        return None
    fewest = min(least for least, _ in was)
    return f"hands on what took {_said(fewest)}"


def _overlap(one: _Counts, other: _Counts) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]


def _said(number: float) -> str:
    return counted(int(number), "argument")


def types_of_functions(line: bytes) -> list[str]:
    """Names that a line gives to types of functions."""
    return [(match[1] or match[2]).decode() for match in _NAMED_TYPE.finditer(line)]
