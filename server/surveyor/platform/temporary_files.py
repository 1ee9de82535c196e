"""Where SQLite writes temporary files, which differs by the platform."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

__all__ = ["temporary_folder_of_sqlite"]


def temporary_folder_of_sqlite() -> Path:
    """The folder that SQLite chooses (https://www.sqlite.org/tempfiles.html)."""
    if os.name == "nt":
        return Path(tempfile.gettempdir())
    return next(_writable_folders(), Path.cwd())


def _writable_folders() -> Iterator[Path]:
    named = (os.environ.get(name, "") for name in ("SQLITE_TMPDIR", "TMPDIR"))
    for folder in (*named, "/var/tmp", "/usr/tmp", "/tmp"):
        if folder and os.access(folder, os.W_OK | os.X_OK):
            yield Path(folder)
