"""Which new files are old ones that moved: git says so of what its index knows only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from difflib import SequenceMatcher
from pathlib import PurePosixPath

__all__ = ["MOST_FILES", "line_spans", "moved_files"]

MOST_FILES = 1_000
"""On either side: more are not to be compared with each other."""
MOST_CHANGED = 50
"""The same of those that changed as well: each is compared with each."""
LEAST_LIKENESS = 0.5
"""Of the larger file's bytes, the part in lines that both have: git's own threshold."""
MOST_LINES = 5_000
"""Of files whose lines are compared one by one; of larger ones all lines count as changed."""


def moved_files(gone: Mapping[str, bytes], new: Mapping[str, bytes]) -> dict[str, str]:
    """By the path of a new file: the path that it had, by what both hold; the likest first."""
    found = _unchanged(gone, new)
    sources = {*found.values()}
    old = {path: text for path, text in gone.items() if path not in sources}
    now = {path: text for path, text in new.items() if path not in found}
    if max(len(old), len(now)) > MOST_CHANGED:
        return found
    return found | _changed(old, now)


def _unchanged(gone: Mapping[str, bytes], new: Mapping[str, bytes]) -> dict[str, str]:
    had: dict[bytes, list[str]] = {}
    for path, text in gone.items():
        if text:
            had.setdefault(text, []).append(path)
    found: dict[str, str] = {}
    for path, text in new.items():
        if paths := had.get(text):
            was = next((each for each in paths if _name(each) == _name(path)), paths[0])
            paths.remove(was)
            found[path] = was
    return found


def _changed(gone: Mapping[str, bytes], new: Mapping[str, bytes]) -> dict[str, str]:
    texts = {*gone.values(), *new.values()}
    lines = {text: Counter(text.splitlines(keepends=True)) for text in texts}
    pairs = [
        (likeness, _name(now) == _name(was), now, was)
        for now, after in new.items()
        for was, before in gone.items()
        if PurePosixPath(now).suffix == PurePosixPath(was).suffix
        and 2 * min(len(before), len(after)) >= max(len(before), len(after)) > 0
        and (likeness := _likeness(lines[before], lines[after])) >= LEAST_LIKENESS
    ]
    pairs.sort(key=lambda pair: (-pair[0], not pair[1], pair[2:]))
    found: dict[str, str] = {}
    taken: set[str] = set()
    for _, _, now, was in pairs:
        if now not in found and was not in taken:
            found[now] = was
            taken.add(was)
    return found


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def line_spans(before: bytes, after: bytes) -> list[tuple[int, int, int, int]]:
    """The runs of lines (first, end; from 0) before and now that differ."""
    if before == after:
        return []
    old, new = before.splitlines(), after.splitlines()
    if max(len(old), len(new)) > MOST_LINES:
        return [(0, len(old), 0, len(new))]
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    return [each[1:] for each in matcher.get_opcodes() if each[0] != "equal"]


def _likeness(one: Counter[bytes], other: Counter[bytes]) -> float:
    def size(lines: Counter[bytes]) -> int:
        return sum(len(line) * times for line, times in lines.items())

    return size(one & other) / max(size(one), size(other))
