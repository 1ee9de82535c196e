"""Where code was before a commit brought it into a file: `git log -L` ends there.

A commit that moves a function removes its lines from another file, or from another place of the
same one. Lines that say little (blanks, brackets) are no evidence.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from surveyor.git.errors import GitError
from surveyor.knowledge.history.gitlog import git

SAME_CODE = 0.6
"""Least share of the range's telling lines that the other place must have lost."""
TELLING_CHARS = 4
MAX_LINES = 2000
"""Of a removed part, and of a range: comparing more costs seconds."""
DIFF_TIMEOUT_S = 15.0

_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@")


@dataclass(frozen=True, slots=True)
class MoveOrigin:
    """A place in the first parent of a commit, where the code of a range came from."""

    path: str
    start_line: int
    end_line: int


@dataclass(slots=True)
class _Removed:
    """What a commit took out of a file: line numbers in the parent, and the lines."""

    path: str
    numbers: list[int] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)


def origin(root: Path, commit: str, lines: Sequence[str]) -> MoveOrigin | None:
    """Where these lines of `commit` were before it; None when they were new.

    Raises `GitError` when git fails; a commit without a parent has no origin.
    """
    wanted = [line.strip() for line in lines[:MAX_LINES]]
    telling = sum(len(line) >= TELLING_CHARS for line in wanted)
    if not telling:
        return None
    try:
        shown = git(
            root, "diff-tree", "-p", "-U0", "-M", "-r", "--no-ext-diff", "--no-textconv",
            "--no-color", "--relative", f"{commit}^", commit, "--", timeout=DIFF_TIMEOUT_S,
        )  # fmt: skip
    except GitError:
        return None
    best: tuple[float, MoveOrigin] | None = None
    for removed in _removed(shown):
        found = _alike(removed, wanted, telling)
        if found is not None and (best is None or found[0] > best[0]):
            best = found
    return best[1] if best is not None else None


def _alike(
    removed: _Removed, wanted: Sequence[str], telling: int
) -> tuple[float, MoveOrigin] | None:
    gone = [line.strip() for line in removed.lines[:MAX_LINES]]
    blocks = difflib.SequenceMatcher(None, gone, wanted, autojunk=False).get_matching_blocks()
    same = [
        index
        for block in blocks
        for index in range(block.a, block.a + block.size)
        if len(gone[index]) >= TELLING_CHARS
    ]
    if len(same) < SAME_CODE * telling:
        return None
    first, last = _span(gone, wanted, blocks)
    return len(same) / telling, MoveOrigin(
        removed.path, removed.numbers[first], removed.numbers[last]
    )


def _span(
    gone: Sequence[str], wanted: Sequence[str], blocks: Sequence[difflib.Match]
) -> tuple[int, int]:
    """The part of the removed lines that the range was, its own edges edited perhaps."""
    real = [block for block in blocks if block.size]
    before = real[0].b
    after = len(wanted) - (real[-1].b + real[-1].size)
    first = max(0, real[0].a - before)
    last = min(len(gone), real[-1].a + real[-1].size + after) - 1
    return first, last


def _removed(diff: str) -> list[_Removed]:
    found: list[_Removed] = []
    number = left = 0
    for line in diff.split("\n"):
        if left and line.startswith("-"):
            found[-1].numbers.append(number)
            found[-1].lines.append(line[1:])
            number, left = number + 1, left - 1
        elif line.startswith("--- a/"):
            found.append(_Removed(line[6:].rstrip("\t")))
        elif match := _HUNK.match(line):
            number, left = int(match[1]), int(match[2] or 1)
    return [one for one in found if one.lines]
