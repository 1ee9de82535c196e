"""Reading chunks by what is stored of them: `chunks` with their `documents` and `texts`."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from typing import NamedTuple

from surveyor.store.chunk_record import KINDS
from surveyor.store.state.chunk_texts import CHUNK_SIGNATURE, CHUNK_TEXT
from surveyor.store.state.database import State
from surveyor.store.state.searched_chunks import DocumentScope, exists_in
from surveyor.store.state.sql_lists import is_point


class ChunkPlace(NamedTuple):
    """Where a chunk is."""

    checkout_id: str
    path: str
    start_line: int
    end_line: int


class ListedChunk(NamedTuple):
    """A chunk as lists show it."""

    point_id: str
    doc_id: int
    path: str
    language: str | None
    file_type: str
    kind: str
    symbol: str | None
    container: str | None
    signature: str | None
    start_line: int
    end_line: int
    text: str

    @classmethod
    def of(cls, row: sqlite3.Row) -> ListedChunk:
        """From a row of `chunks_in`; what is empty is None."""
        return cls(
            point_id=row["point_id"],
            doc_id=row["doc_id"],
            path=row["path"],
            language=row["language"] or None,
            file_type=row["file_type"],
            kind=row["kind"],
            symbol=row["symbol_name"] or None,
            container=row["parent_symbol"] or None,
            signature=row["signature"] or None,
            start_line=row["start_line"],
            end_line=row["end_line"],
            text=row["text"] or "",
        )


class FoundChunks:
    """Chunks in the order of a list, of which a page is looked at."""

    def __init__(self, rows: list[sqlite3.Row]) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def of_paths(self, matches: Callable[[str], bool]) -> FoundChunks:
        """Those of the files whose paths match."""
        return FoundChunks([row for row in self._rows if matches(row["path"])])

    def page(self, offset: int, limit: int) -> list[ListedChunk]:
        """So many of them, from one on."""
        return [ListedChunk.of(row) for row in self._rows[offset : offset + limit]]


async def chunk_place(state: State, point_id: str) -> ChunkPlace | None:
    """Where the chunk with an id is, in one of the checkouts that have it; None for none."""
    row = await state.one(
        f"""SELECT d.path, f.checkout_id, c.start_line, c.end_line FROM chunks c
            JOIN documents d USING (doc_id) JOIN files f USING (doc_id)
            WHERE {is_point("?1")}""",
        (point_id,),
    )
    if row is None:
        return None
    return ChunkPlace(row["checkout_id"], row["path"], row["start_line"], row["end_line"])


class BranchFile(NamedTuple):
    """A file as a branch has it that is not checked out."""

    checkout_id: str
    """One of the project's."""
    branch: str
    path: str
    doc_id: int
    start_line: int
    end_line: int


async def branch_chunk(state: State, point_id: str) -> BranchFile | None:
    """Where the chunk with an id is on a branch that is kept; None for none."""
    row = await state.one(
        f"""SELECT k.checkout_id, b.branch, b.path, b.doc_id, c.start_line, c.end_line
            FROM chunks c JOIN branch_files b USING (doc_id)
            JOIN checkouts k ON k.project_id = b.project_id
            WHERE {is_point("?1")} ORDER BY b.branch LIMIT 1""",
        (point_id,),
    )
    return None if row is None else BranchFile(*row)


async def branch_file(
    state: State, checkout_id: str, path: str, branch: str | None
) -> BranchFile | None:
    """A file as a branch that is kept has it, or as any of them has."""
    row = await state.one(
        """SELECT k.checkout_id, b.branch, b.path, b.doc_id, 1, 0 FROM checkouts k
           JOIN branch_files b USING (project_id)
           WHERE k.checkout_id = ?1 AND b.path = ?2 AND (?3 IS NULL OR b.branch = ?3)
           ORDER BY b.branch LIMIT 1""",
        (checkout_id, path, branch),
    )
    return None if row is None else BranchFile(*row)


async def document_text(state: State, doc_id: int) -> str:
    """The text of a document as it was indexed, from its chunks; blank where none is."""
    rows = await state.read(
        f"""SELECT c.start_line, {CHUNK_TEXT} FROM chunks c
            WHERE c.doc_id = ? ORDER BY c.ordinal""",
        (doc_id,),
    )
    lines: dict[int, str] = {}
    for first, text in rows:
        for at, line in enumerate((text or "").splitlines(), first):
            lines.setdefault(at, line)
    return "\n".join(lines.get(at, "") for at in range(1, max(lines, default=0) + 1))


async def branches_elsewhere(
    state: State, checkout_id: str, doc_ids: Sequence[int]
) -> dict[int, str]:
    """Branches that have those of these documents which a checkout does not."""
    rows = await state.read(
        """SELECT b.doc_id, min(b.branch) FROM branch_files b
           WHERE b.doc_id IN (SELECT value FROM json_each(?2)) AND NOT EXISTS
             (SELECT 1 FROM files f WHERE f.doc_id = b.doc_id AND f.checkout_id = ?1)
           GROUP BY b.doc_id""",
        (checkout_id, json.dumps(list(doc_ids))),
    )
    return {int(row[0]): str(row[1]) for row in rows}


async def chunks_in(
    state: State,
    scope: DocumentScope,
    *,
    languages: Sequence[str] = (),
    types: Sequence[str] = (),
    kinds: Sequence[str] = (),
) -> FoundChunks:
    """Chunks that match all filters, by path and line; an empty filter lets all through."""
    condition, given = exists_in(scope)
    conditions, parameters = [condition], [*given]
    for column, values in (("lower(d.language)", languages), ("d.file_type", types)):
        if values:
            conditions.append(f"{column} IN ({','.join('?' * len(values))})")
            parameters += values
    if kinds:
        marks = ",".join("?" * len(kinds))
        conditions.append(f"EXISTS (SELECT 1 FROM json_each({KINDS}) WHERE value IN ({marks}))")
        parameters += kinds
    rows = await state.read(
        f"""SELECT c.*, d.path, d.language, d.file_type, {CHUNK_SIGNATURE} AS signature,
              {CHUNK_TEXT} AS text FROM chunks c
            JOIN documents d USING (doc_id)
            WHERE {" AND ".join(conditions)} ORDER BY d.path, c.doc_id, c.ordinal""",
        parameters,
    )
    return FoundChunks(rows)
