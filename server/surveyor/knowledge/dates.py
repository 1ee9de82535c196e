"""The time as knowledge stores it."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> str:
    """The time as it is stored."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
