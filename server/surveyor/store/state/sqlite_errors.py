"""What SQLite's errors say."""

from __future__ import annotations

import sqlite3


def is_full(error: sqlite3.Error) -> bool:
    """Whether it says that the disk has no room, or that a quota is used up (a write error)."""
    codes = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE, sqlite3.SQLITE_IOERR_WRITE)
    return getattr(error, "sqlite_errorcode", None) in codes
