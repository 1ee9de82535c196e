"""`environment.user_path`: the PATH of the user's shell, for processes that start without one.

An editor started from a desktop has a short PATH. So every command line run notes the shell's:
variables and `~` expanded, what was noted before appended, each folder once (the first wins), and
the file written only if that changed it.
"""

from __future__ import annotations

import contextlib
import os
import time
import tomllib
from pathlib import Path

from surveyor import paths
from surveyor.files.writing import PRIVATE, read_text, replace_text

NOT_FROM_A_SHELL = ("lsp", "mcp", "engine", "config")
"""Commands that editors, agents and the engine start, and the one that edits the file itself."""

FRESH_S = 60.0
"""How long an empty file is left to whoever emptied it."""

EXPANSIONS = 10
"""A variable may hold another; more levels than this are a circle."""


def expand(segment: str) -> str:
    """A folder with `~` and variables replaced, however deep they are nested."""
    for _ in range(EXPANSIONS):
        wider = os.path.expandvars(segment)
        if wider == segment:
            break
        segment = wider
    return str(Path(segment).expanduser()) if segment.startswith("~") else segment


def merge(current: str, stored: str) -> str:
    """`current` and then `stored`, expanded, each folder once."""
    folders: dict[str, None] = {}
    for text in (current, stored):
        for segment in text.split(os.pathsep):
            if segment:
                folders.setdefault(expand(segment), None)
    return os.pathsep.join(folders)


def stored_path(file: Path) -> str:
    """What is noted; empty when there is nothing, the file cannot be read, or is a repository's."""
    if paths.carrying_repository(file) is not None:
        return ""
    try:
        text = file.read_text(encoding="utf-8")
        if "user_path" not in text:
            return ""
        value = tomllib.loads(text).get("environment", {}).get("user_path", "")
    except (OSError, ValueError, AttributeError):
        return ""
    return value if isinstance(value, str) else ""


def remember(file: Path | None = None) -> bool:
    """Note this process's PATH in the user's file; whether it had to be written.

    A file that cannot be read or written is left alone: no command fails because of this.
    """
    file = file or paths.config_file()
    stored = stored_path(file)
    merged = merge(os.environ.get("PATH", ""), stored)
    if merged == stored:
        return False
    with contextlib.suppress(OSError, ValueError):
        write(file, merged)
        return True
    return False


def write(file: Path, value: str) -> None:
    """Set the key, atomically, leaving the rest of the file as it is.

    Raises `OSError`, or `ValueError` when the file is not TOML.
    """
    import tomlkit

    before = read_text(file)
    if before is not None and not before.strip() and _is_fresh(file):
        return  # somebody is about to write it
    document = tomlkit.parse(before or "")
    if "environment" not in document:
        document["environment"] = tomlkit.table()
    document["environment"]["user_path"] = value
    replace_text(file, tomlkit.dumps(document), PRIVATE, expected=before)


def _is_fresh(file: Path) -> bool:
    return time.time() - file.stat().st_mtime < FRESH_S


def is_all(file: Path) -> bool:
    """Whether a file has nothing but what this module wrote."""
    try:
        values = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return set(values) <= {"environment"} and set(values.get("environment", {})) <= {"user_path"}
