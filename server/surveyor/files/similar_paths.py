"""Files that may have been meant by a path that names none."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import PurePosixPath

__all__ = ["similar_paths"]

NEAR = 5
"""Most files that are named."""


def similar_paths(path: str, known: Iterable[str]) -> list[str]:
    """Known files of that name elsewhere, or of one like it, the likest path first."""
    by_name: dict[str, list[str]] = {}
    for each in known:
        by_name.setdefault(PurePosixPath(each).name.lower(), []).append(each)
    wanted = PurePosixPath(path).name.lower()
    alike = difflib.get_close_matches(wanted, by_name, n=NEAR)
    found = [each for name in alike for each in by_name[name]]
    found.sort(key=lambda each: -difflib.SequenceMatcher(None, path, each).ratio())
    return found[:NEAR]
