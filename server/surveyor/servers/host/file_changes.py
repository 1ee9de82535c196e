"""What changed on disk while nobody was there to tell a server of it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from surveyor.servers.lsp_globs import matches
from surveyor.servers.uris import to_uri

MAX_FILES = 50_000
"""A folder with more is not compared."""

SKIPPED = frozenset(
    {".git", ".hg", ".svn", "node_modules", ".venv", "venv", "target", "__pycache__"}
)
"""Folders that no server's watchers are meant for, and that have most files."""

CREATED, CHANGED, DELETED = 1, 2, 3
"""LSP's `FileChangeType`."""

Stamps = Mapping[str, tuple[int, int]]


def stamps_of(root: Path) -> Stamps | None:
    """Time and size of every file below a folder; `None` where there are too many."""
    found: dict[str, tuple[int, int]] = {}
    left = [str(root)]
    while left:
        with contextlib.suppress(OSError), os.scandir(left.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    if entry.name not in SKIPPED:
                        left.append(entry.path)
                    continue
                if len(found) >= MAX_FILES:
                    return None
                with contextlib.suppress(OSError):
                    status = entry.stat(follow_symlinks=False)
                    found[entry.path] = (status.st_mtime_ns, status.st_size)
    return found


def changes_between(
    before: Stamps, now: Stamps, root: Path, watchers: Iterable[dict[str, Any]]
) -> list[dict[str, Any]]:
    """File events of what has come, changed and gone, of the files that are watched."""
    globs = list(watchers)
    changes = []
    for path in before.keys() | now.keys():
        if before.get(path) == now.get(path):
            continue
        kind = CHANGED if path in before and path in now else CREATED if path in now else DELETED
        if any(matches(glob, Path(path), root) for glob in globs):
            changes.append({"uri": to_uri(path), "type": kind})
    return changes
