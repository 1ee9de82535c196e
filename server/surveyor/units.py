"""Sizes and durations as people write them in configuration files."""

from __future__ import annotations

import re

_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?\s*", re.IGNORECASE)
_SIZE_EXPONENTS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}

_DURATION = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(ms|s|m|min|h|d|w|y|)\s*", re.IGNORECASE)
_SECONDS = {
    "": 1,
    "ms": 0.001,
    "s": 1,
    "m": 60,
    "min": 60,
    "h": 3600,
    "d": 86400,
    "w": 604800,
    "y": 31536000,
}


def parse_size(text: str) -> int:
    """Bytes in `512KB`, `1.5 MB`, `2GB` (powers of 1,024) or a plain number.

    Raises `ValueError` naming the text when it is none of these.
    """
    match = _SIZE.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a size such as 512KB, 100MB or 2GB")
    return int(float(match[1]) * 1024 ** _SIZE_EXPONENTS[match[2].lower()])


def parse_duration(text: str) -> float:
    """Seconds in `250ms`, `30s`, `5m`, `12h`, `90d`, `2w`, `1y` or a plain number.

    A variable of the environment is text, whatever it says. Raises `ValueError` naming the text
    when it is none of these.
    """
    match = _DURATION.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a duration such as 30s, 5m, 12h or 90d")
    return float(match[1]) * _SECONDS[match[2].lower()]


def format_wait(seconds: float) -> str:
    """About how long something will take, for people."""
    for limit, unit, name in ((90, 1, "s"), (90 * 60, 60, "min")):
        if seconds < limit:
            return f"about {max(1, round(seconds / unit))} {name}"
    return f"about {seconds / 3600:.1f} h"


def files_left(count: int, seconds: float | None) -> str:
    """How many files are still to be indexed, and how long that takes where it is known; empty
    where there are none."""
    if not count:
        return ""
    wait = "" if seconds is None else f" ({format_wait(seconds)})"
    return f"{counted(count, 'file')}{wait}"


def format_size(count: int) -> str:
    """A size for people: the largest unit that leaves at least one, one decimal."""
    value = float(count)
    for unit in ("B", "KB", "MB", "GB"):
        if value < 1024:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1024
    return f"{value:.1f} TB"


def counted(number: int, one: str, several: str = "") -> str:
    """A number with the noun, or the words, that agree with it: `1 file`, `1,234 files`.

    `several` is the plural where it is not `one` with an s.
    """
    return f"{number:,} {one if number == 1 else several or one + 's'}"
