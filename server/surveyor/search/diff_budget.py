"""Diffs cut to a budget: at whole hunks, so that what is left of each can still be applied."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from surveyor.units import counted

__all__ = ["CutDiffs", "cut_diffs"]

_HUNK = re.compile(r"^(?=@@ )", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class CutDiffs:
    """The first diffs that fit, of which the last may lack hunks, and how much is left out."""

    shown: list[str]
    hunks_left: int
    files_left: int
    """Files of which a hunk at least is left out."""

    def left_out(self, how_to_see_it: str) -> str:
        """What is left out, as a sentence; empty where nothing is."""
        if not self.hunks_left:
            return ""
        hunks, files = counted(self.hunks_left, "hunk"), counted(self.files_left, "file")
        return f"{hunks} more in {files}, beyond the budget: {how_to_see_it}."


def cut_diffs(diffs: Sequence[str], room: int) -> CutDiffs:
    """As many hunks of unified diffs as fit so many characters, in their order."""
    shown: list[str] = []
    hunks_left = files_left = 0
    for diff in diffs:
        heading, *hunks = _HUNK.split(diff)
        kept = [] if hunks_left else _fitting(heading, hunks, room)
        room -= sum(map(len, kept))
        if kept:
            shown.append("".join(kept))
        left = len(hunks) - max(len(kept) - 1, 0)
        hunks_left += left
        files_left += left > 0
    return CutDiffs(shown, hunks_left, files_left)


def _fitting(heading: str, hunks: Sequence[str], room: int) -> list[str]:
    """The heading and the first hunks; nothing where not even one fits."""
    kept: list[str] = []
    room -= len(heading)
    for hunk in hunks:
        room -= len(hunk)
        if room < 0:
            break
        kept.append(hunk)
    return [heading, *kept] if kept else []
