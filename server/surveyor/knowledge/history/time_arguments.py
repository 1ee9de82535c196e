"""Points in time as people write them: dates, times, ages."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from surveyor.errors import UsageError
from surveyor.units import parse_duration


def iso(seconds: float) -> str:
    """A time as it is shown."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def parse_when(text: str, *, end: bool = False) -> float:
    """Seconds since 1970 of a date, a time, or an age (`90d`, `2 weeks ago`).

    With `end`, a date means its last second. Raises `UsageError` for anything else.
    """
    age = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-z]+?)s?(?:\s+ago)?\s*", text, re.IGNORECASE)
    if age and (age[2].lower() == "month" or age[2].lower() in _UNITS):
        months = age[2].lower() == "month"
        unit = 30 * 86400.0 if months else parse_duration(f"1{_UNITS[age[2].lower()]}")
        seconds = float(age[1]) * unit
        return (datetime.now(UTC) - timedelta(seconds=seconds)).timestamp()
    try:
        when = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise UsageError(
            f"{text!r} is neither a date nor an age", "For example 2026-03-01, 90d or 2 weeks ago."
        ) from error
    if when.tzinfo is None:
        when = when.astimezone()
    if end and len(text.strip()) <= len("2026-03-01"):
        when += timedelta(days=1, seconds=-1)
    return when.timestamp()


_UNITS = {
    "m": "min", "min": "min", "minute": "min", "h": "h", "hour": "h", "d": "d", "day": "d",
    "w": "w", "week": "w", "y": "y", "year": "y",
}  # fmt: skip
