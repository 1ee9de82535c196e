"""The time as knowledge stores it."""

from __future__ import annotations

import time
from datetime import UTC, datetime


def now() -> str:
    """The time as it is stored."""
    return stored(time.time())


def stored(seconds: float) -> str:
    """A time in seconds since 1970 as it is stored."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
