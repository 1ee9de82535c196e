"""Where code is in a checkout: its files by content and its symbols by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from surveyor.store.state.database import State

MAX_SYMBOLS = 5000


class SymbolPlace(NamedTuple):
    """Where a symbol is defined. Lines are 1-based."""

    path: str
    name: str
    container: str
    kind: str
    start_line: int
    end_line: int


class FileContent(NamedTuple):
    """What the index knows of a file's content."""

    content_hash: bytes | None
    is_skipped: bool


async def symbols_of(
    state: State, checkout_id: str, *, paths: Sequence[str] = (), name: str | None = None
) -> list[SymbolPlace]:
    """Symbols of a checkout, by path and line: of some files, or of a name whatever its case."""
    conditions, parameters = ["f.checkout_id = ?"], [checkout_id]
    if paths:
        conditions.append(f"f.path IN ({','.join('?' * len(paths))})")
        parameters += paths
    if name is not None:
        conditions.append("s.name_lower = ?")
        parameters.append(name.lower())
    rows = await state.read(
        f"""SELECT f.path, s.name, s.container, s.kind, s.start_line, s.end_line FROM symbols s
            JOIN files f ON f.doc_id = s.doc_id WHERE {" AND ".join(conditions)}
            ORDER BY f.path, s.start_line LIMIT {MAX_SYMBOLS}""",
        parameters,
    )
    return [SymbolPlace._make(row) for row in rows]


async def file_content(state: State, checkout_id: str, path: str) -> FileContent | None:
    """The content of a file as it was indexed; None for one that is not known."""
    row = await state.one(
        "SELECT content_hash, status FROM files WHERE checkout_id = ? AND path = ?",
        (checkout_id, path),
    )
    return None if row is None else FileContent(row["content_hash"], row["status"] == "skipped")


async def first_path_with(state: State, checkout_id: str, content_hash: bytes | None) -> str | None:
    """The first file of a checkout that has a content."""
    found = await state.value(
        "SELECT path FROM files WHERE checkout_id = ? AND content_hash = ? ORDER BY path",
        (checkout_id, content_hash),
    )
    return None if found is None else str(found)


async def paths_with(state: State, checkout_id: str, content_hashes: Sequence[bytes]) -> list[str]:
    """Files of a checkout that have one of some contents."""
    rows = await state.read(
        "SELECT path FROM files WHERE checkout_id = ?"
        f" AND content_hash IN ({','.join('?' * len(content_hashes))})",
        (checkout_id, *content_hashes),
    )
    return [str(row[0]) for row in rows]


async def contents_below(state: State, checkout_id: str, folder: str, limit: int) -> list[bytes]:
    """Contents of the first files in a folder, by path."""
    rows = await state.read(
        "SELECT content_hash FROM files WHERE checkout_id = ? AND content_hash IS NOT NULL"
        " AND substr(path, 1, ?) = ? ORDER BY path LIMIT ?",
        (checkout_id, len(folder) + 1, folder + "/", limit),
    )
    return [bytes(row[0]) for row in rows]
