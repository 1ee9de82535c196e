"""Imports of files: which file each means, or why none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import msgspec

from surveyor.store.state.database import State
from surveyor.store.state.sql_lists import batches, marks

__all__ = [
    "FileImport",
    "ImportPlace",
    "UnresolvedRecord",
    "all_imports",
    "file_imports",
    "files_imported_by",
    "files_importing",
    "importers_of_nothing",
    "imports_of_file",
    "unresolved_imports",
]


class ImportPlace(NamedTuple):
    """File and line of an import."""

    path: str
    is_test: int
    line: int
    module: str


class FileImport(NamedTuple):
    """That one file imports another, seen from one of them."""

    file_id: int
    """Of the one that was asked about."""
    other_id: int
    line: int
    """In the one that imports."""
    module: str


class UnresolvedRecord(NamedTuple):
    """An import that no file was found for."""

    path: str
    line: int
    module: str
    kind: str
    reason: str


async def files_importing(state: State, file_id: int) -> list[int]:
    """Ids of the files that import a file."""
    rows = await state.read(
        "SELECT DISTINCT file_id FROM graph_imports WHERE target = ?", (file_id,)
    )
    return [int(row[0]) for row in rows]


async def files_imported_by(state: State, file_id: int) -> list[int]:
    """Ids of the files that a file imports."""
    rows = await state.read(
        "SELECT DISTINCT target FROM graph_imports WHERE file_id = ? AND target IS NOT NULL",
        (file_id,),
    )
    return [int(row[0]) for row in rows]


async def all_imports(state: State, checkout_id: str) -> list[tuple[int, int]]:
    """(id of the file that imports, id of the one that it imports), each once."""
    rows = await state.read(
        """SELECT DISTINCT i.file_id, i.target FROM graph_imports i
           JOIN graph_files g ON g.file_id = i.file_id
           WHERE g.checkout_id = ? AND i.target IS NOT NULL""",
        (checkout_id,),
    )
    return [(int(row[0]), int(row[1])) for row in rows]


async def imports_of_file(state: State, file_id: int) -> list[ImportPlace]:
    """Where a file is imported, by path and line."""
    rows = await state.read(
        """SELECT f.path, f.is_test, i.line, i.module FROM graph_imports i
           JOIN graph_files f ON f.file_id = i.file_id
           WHERE i.target = ? ORDER BY f.path, i.line""",
        (file_id,),
    )
    return [ImportPlace._make(row) for row in rows]


async def file_imports(
    state: State, file_ids: Sequence[int], direction: Literal["in", "out"]
) -> list[FileImport]:
    """Imports of other files by these (`out`), or of these by others (`in`), by line."""
    mine, theirs = ("file_id", "target") if direction == "out" else ("target", "file_id")
    found: list[FileImport] = []
    for part in batches(file_ids):
        rows = await state.read(
            f"""SELECT {mine}, {theirs}, line, module FROM graph_imports
                WHERE {mine} IN ({marks(part)}) AND target IS NOT NULL
                ORDER BY line, file_id, ordinal""",
            part,
        )
        found += [FileImport._make(row) for row in rows]
    return found


async def unresolved_imports(
    state: State, checkout_id: str, but_for: str, paths: Sequence[str], kind: str
) -> list[UnresolvedRecord]:
    """Imports for which no file was found, by path and line; not those with this reason.

    Of these files all, of the others those of this kind: a project has thousands.
    """
    rows = await state.read(
        """SELECT f.path, i.line, i.module, i.kind, i.reason FROM graph_imports i
           JOIN graph_files f ON f.file_id = i.file_id
           WHERE f.checkout_id = ? AND i.target IS NULL AND i.reason NOT IN ('', ?)
             AND (i.kind = ? OR f.path IN (SELECT value FROM json_each(?)))
           ORDER BY f.path, i.line""",
        (checkout_id, but_for, kind, msgspec.json.encode(paths).decode()),
    )
    return [UnresolvedRecord._make(row) for row in rows]


async def importers_of_nothing(
    state: State, checkout_id: str, reason: str
) -> list[tuple[int, str]]:
    """Ids of files that import what was not found, for this reason, and what they wrote."""
    rows = await state.read(
        """SELECT DISTINCT i.file_id, i.module FROM graph_imports i
           JOIN graph_files g ON g.file_id = i.file_id
           WHERE g.checkout_id = ? AND i.target IS NULL AND i.reason = ?""",
        (checkout_id, reason),
    )
    return [(int(row[0]), str(row[1])) for row in rows]
