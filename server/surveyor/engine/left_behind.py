"""A place that a change leaves behind."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["LeftBehind"]


class LeftBehind(NamedTuple):
    """What does not fit any more; `line` is 1-based, `column` in UTF-16 code units."""

    path: str
    line: int
    column: int
    message: str
    about: str
    """Path and line of what changed."""
    symbol: str
    """What it is in."""
    is_test: bool
    is_sure: bool
