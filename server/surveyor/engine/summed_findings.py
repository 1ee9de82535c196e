"""What follows from one thing that is gone, said once for a file: a renamed folder is one line for
each that imports it, and not one for each name."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from surveyor.protocol.check import CheckFinding
from surveyor.units import counted

__all__ = ["summed"]

MAX_BESIDE_IMPORT = 4
"""Places that are told of a file beside its import of what is gone."""
MAX_PLACES = 20
"""Places in one file that are told of several definitions gone from another."""
MIN_DEFINITIONS = 4
"""Gone definitions from which on places are summed: of a renamed function all are told."""
KEPT = 4
"""Places that are told of those that are summed."""
_IMPORT = "imports "


def summed(findings: Sequence[CheckFinding]) -> list[CheckFinding]:
    """The findings in their order, where many of one file are about one that is gone the first of
    them with how many there are."""
    groups: dict[tuple[str, str], list[int]] = {}
    for number, each in enumerate(findings):
        if each.kind == "removed":
            groups.setdefault((each.path, _file_of(each.about)), []).append(number)
    left_out: set[int] = set()
    said: dict[int, str] = {}
    for (_, gone), numbers in groups.items():
        kept = _kept(findings, numbers)
        if len(kept) < len(numbers):
            left_out.update(set(numbers) - set(kept))
            more = counted(len(numbers) - len(kept), "more place names", "more places name")
            said[kept[-1]] = f"; {more} what is gone from {gone}"
    return [
        replace(each, message=each.message + said[number]) if number in said else each
        for number, each in enumerate(findings)
        if number not in left_out
    ]


def _kept(findings: Sequence[CheckFinding], numbers: list[int]) -> list[int]:
    imports = [number for number in numbers if findings[number].message.startswith(_IMPORT)]
    if imports and len(numbers) - len(imports) > MAX_BESIDE_IMPORT:
        return imports
    definitions = {findings[number].message for number in numbers}
    if len(numbers) > MAX_PLACES and len(definitions) >= MIN_DEFINITIONS:
        return numbers[:KEPT]
    return numbers


def _file_of(about: str) -> str:
    path, _, line = about.rpartition(":")
    return path if line.isdigit() else about
