"""What changed files were and are, by HEAD or a range, the disk and editors' unsaved buffers."""

from __future__ import annotations

import asyncio
import difflib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from surveyor.change.jobs import CallsJob, FileCalls
from surveyor.change.languages import READERS
from surveyor.files.contained_paths import read_below
from surveyor.git.errors import GitError
from surveyor.git.runner import ask_async
from surveyor.graph.queries.diff import FileDiff, read_old
from surveyor.graph.queries.lookup import language_of_path
from surveyor.graph.queries.query_context import QueryContext

__all__ = [
    "MAX_BYTES",
    "FileVersions",
    "ReadCalls",
    "changed_versions",
    "current_texts",
    "is_read",
    "touched_lines",
]

ReadCalls = Callable[[Sequence[CallsJob]], Awaitable[list[FileCalls]]]
"""Reads signatures and calls; empty where a text cannot be read."""

MAX_BYTES = 1 << 20
"""Larger files are not compared: one of 10 MB takes half a minute."""
MAX_COMPARED_LINES = 2000
"""Where more lie between the first and the last change of a buffer, all of them count as changed:
what compares them takes quadratic time."""


@dataclass(frozen=True, slots=True)
class FileVersions:
    """A changed file: what it was and what it is."""

    path: str
    before: bytes
    after: bytes
    touched: list[tuple[int, int]]
    """First and last of the lines now that the change wrote."""
    old_path: str = ""
    """Where it was, if that is another path."""

    def is_touched(self, first: int, last: int) -> bool:
        """Whether the change wrote one of these lines."""
        return any(start <= last and end >= first for start, end in self.touched)


async def changed_versions(context: QueryContext, diff: Sequence[FileDiff]) -> list[FileVersions]:
    """What changed files were and are, unsaved buffers in place of what is saved; those that are
    too large by now are left out."""
    root = Path(context.checkout.root)
    found: list[FileVersions] = []
    by_path = {file.path: file for file in diff}
    for path in dict.fromkeys([*by_path, *context.unsaved]):
        if not is_read(path):
            continue
        file = by_path.get(path)
        before = await _before(root, path, file)
        (after,) = await current_texts(context, [path])
        if len(after) > MAX_BYTES:
            continue
        if path in context.unsaved or file is None:
            touched = await asyncio.to_thread(touched_lines, before, after)
        elif file.whole:  # one that git does not know has no hunks
            touched = [(1, after.count(b"\n") + 1)]
        else:
            touched = [(hunk.first, hunk.last) for hunk in file.hunks]
        old_path = file.old_path if file is not None and file.old_path != path else ""
        found.append(FileVersions(path, before, after, touched, old_path))
    return found


def is_read(path: str) -> bool:
    """Whether calls of a file's language are compared with what they call."""
    return language_of_path(path) in READERS


def _buffer(context: QueryContext, path: str) -> bytes | None:
    if path not in context.unsaved:
        return None
    held = context.buffers.text(context.checkout.checkout_id, path)
    return held[0].encode("utf-8", "replace") if held is not None else None


async def current_texts(context: QueryContext, paths: Sequence[str]) -> list[bytes]:
    """What files are now: an unsaved buffer, else what is saved."""
    root = Path(context.checkout.root)
    held = [_buffer(context, path) for path in paths]

    def read() -> list[bytes]:
        return [
            text if text is not None else _saved(root, path)
            for path, text in zip(paths, held, strict=True)
        ]

    return await asyncio.to_thread(read)


def _saved(root: Path, path: str) -> bytes:
    try:
        return read_below(root, path)
    except OSError:
        return b""


async def _before(root: Path, path: str, file: FileDiff | None) -> bytes:
    if file is not None:
        return b"" if file.whole else await read_old(root, file)
    try:  # changed in a buffer only
        return await ask_async(root, "cat-file", "blob", f"HEAD:./{path}")
    except GitError:
        return _saved(root, path)


def touched_lines(before: bytes, after: bytes) -> list[tuple[int, int]]:
    """First and last of the lines of a text that are not those before it; 1-based."""
    old, new = before.splitlines(), after.splitlines()
    same = 0  # what is before the first change and behind the last need not be compared
    while same < min(len(old), len(new)) and old[same] == new[same]:
        same += 1
    while len(old) > same and len(new) > same and old[-1] == new[-1]:
        old.pop()
        new.pop()
    if max(len(old), len(new)) - same > MAX_COMPARED_LINES:
        return [(same + 1, len(new))]
    matcher = difflib.SequenceMatcher(None, old[same:], new[same:], autojunk=False)
    return [
        (same + start + 1, same + end)
        for kind, _, _, start, end in matcher.get_opcodes()
        if kind in ("replace", "insert")
    ]
