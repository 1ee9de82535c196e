"""What documents hold for the graph, what is left to be extracted, and the files that show it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import msgspec

from surveyor.store.state.database import State, Transaction
from surveyor.store.state.sql_lists import marks

__all__ = [
    "FileMention",
    "GraphDocument",
    "contents_mentioning",
    "defined_names",
    "drop_pending_file",
    "encoded_references",
    "has_file",
    "mentions",
    "names_by_document",
    "paths_ending",
    "paths_with_ending",
    "pending_among",
    "pending_paths",
    "replace_documents",
    "signatures_at",
]

_SIGNATURES = msgspec.json.Decoder(list[tuple[str, int, int, str]])
"""Path, line, column, signature."""


class GraphDocument(NamedTuple):
    """A document's graph, its parts encoded."""

    doc_id: int
    version: int
    package: str
    names: bytes
    facts: bytes
    references: bytes


class FileMention(NamedTuple):
    """A file that uses some name, with its graph, encoded."""

    path: str
    references: bytes
    facts: bytes
    file_id: int
    is_test: int


async def replace_documents(
    tx: Transaction,
    touched: Collection[int],
    documents: Sequence[GraphDocument],
    pending: Collection[int],
) -> None:
    """Replace the graphs of the `touched` documents by these; those of `pending` come later."""
    keys = [(doc_id,) for doc_id in touched]
    await tx.many("DELETE FROM graph_documents WHERE doc_id = ?", keys)
    await tx.many("DELETE FROM graph_pending WHERE doc_id = ?", keys)
    await tx.many("INSERT INTO graph_pending (doc_id) VALUES (?)", [(each,) for each in pending])
    await tx.many(
        "INSERT INTO graph_documents (doc_id, version, package, names, facts, refs)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        documents,
    )
    # The same content parsed anew (another grammar) must be resolved anew.
    await tx.many(
        "UPDATE graph_files SET doc_id = NULL WHERE doc_id = ?",
        [(document.doc_id,) for document in documents],
    )


async def pending_paths(reader: State | Transaction, checkout_id: str) -> list[str]:
    """Files whose documents have no graph yet."""
    rows = await reader.read(
        "SELECT f.path FROM graph_pending JOIN files f USING (doc_id)"
        " WHERE f.checkout_id = ? ORDER BY f.path",
        (checkout_id,),
    )
    return [str(row[0]) for row in rows]


async def pending_among(tx: Transaction, doc_ids: Sequence[int]) -> set[int]:
    """Which of these documents have no graph yet."""
    rows = await tx.read(
        f"SELECT doc_id FROM graph_pending WHERE doc_id IN ({marks(doc_ids)})", doc_ids
    )
    return {int(row[0]) for row in rows}


async def drop_pending_file(tx: Transaction, checkout_id: str, path: str) -> None:
    """Wait for a file's graph no longer."""
    await tx.execute(
        "DELETE FROM graph_pending WHERE doc_id IN"
        " (SELECT doc_id FROM files WHERE checkout_id = ? AND path = ?)",
        (checkout_id, path),
    )


async def encoded_references(state: State, checkout_id: str, path: str) -> bytes | None:
    """What a file uses, encoded; None for one without a graph."""
    row = await state.one(
        """SELECT d.refs FROM files f JOIN graph_documents d ON d.doc_id = f.doc_id
           WHERE f.checkout_id = ? AND f.path = ?""",
        (checkout_id, path),
    )
    return None if row is None else bytes(row[0])


async def mentions(state: State, checkout_id: str, name_hash: bytes) -> list[FileMention]:
    """Files that use a name, given by its hash (and a few that do not): tests last, by path."""
    rows = await state.read(
        """SELECT f.path, d.refs, d.facts, g.file_id, g.is_test FROM files f
           JOIN graph_documents d ON d.doc_id = f.doc_id
           JOIN graph_files g ON g.checkout_id = f.checkout_id AND g.path = f.path
           WHERE f.checkout_id = ? AND instr(d.names, ?) ORDER BY g.is_test, f.path""",
        (checkout_id, name_hash),
    )
    return [FileMention._make(row) for row in rows]


async def files_with_any(
    state: State, checkout_id: str, hashes: Sequence[bytes]
) -> list[tuple[str, bytes]]:
    """Paths of the files with one of these hashes among their names' (and a few without), and all
    hashes of each: tests last."""
    if not hashes:
        return []
    found = " OR ".join(["instr(d.names, ?)"] * len(hashes))
    rows = await state.read(
        f"""SELECT f.path, d.names FROM files f JOIN graph_documents d ON d.doc_id = f.doc_id
            JOIN graph_files g ON g.checkout_id = f.checkout_id AND g.path = f.path
            WHERE f.checkout_id = ? AND ({found}) ORDER BY g.is_test, f.path""",
        (checkout_id, *hashes),
    )
    return [(str(path), bytes(names)) for path, names in rows]


async def names_of_file(state: State, checkout_id: str, path: str) -> bytes:
    """The hashes of the names of a file; empty where it has no graph."""
    rows = await state.read(
        """SELECT d.names FROM files f JOIN graph_documents d ON d.doc_id = f.doc_id
           WHERE f.checkout_id = ? AND f.path = ?""",
        (checkout_id, path),
    )
    return bytes(rows[0][0]) if rows else b""


async def names_by_document(state: State, checkout_id: str) -> list[tuple[int, bytes]]:
    """The documents of a checkout, with the hashes of the names that each uses."""
    rows = await state.read(
        """SELECT d.doc_id, d.names FROM files f JOIN graph_documents d ON d.doc_id = f.doc_id
           WHERE f.checkout_id = ?""",
        (checkout_id,),
    )
    return [(int(row[0]), bytes(row[1])) for row in rows]


async def contents_mentioning(
    state: State, checkout_id: str, name_hash: bytes, path: str
) -> list[tuple[str, bytes]]:
    """Path and hash of the content of the files that use a name, and of one more, by path."""
    rows = await state.read(
        """SELECT f.path, f.content_hash FROM files f JOIN graph_documents d ON d.doc_id = f.doc_id
           WHERE f.checkout_id = ? AND (f.path = ? OR instr(d.names, ?)) ORDER BY f.path""",
        (checkout_id, path, name_hash),
    )
    return [(str(row[0]), bytes(row[1] or b"")) for row in rows]


async def has_file(state: State, checkout_id: str, path: str) -> bool:
    """Whether a file is in the index."""
    return bool(
        await state.read(
            "SELECT path FROM files WHERE checkout_id = ? AND path = ?", (checkout_id, path)
        )
    )


async def paths_ending(state: State, checkout_id: str, end: str) -> list[str]:
    """Files in some folder whose paths from there are this, by path."""
    rows = await state.read(
        "SELECT path FROM files WHERE checkout_id = ? AND path LIKE ? ESCAPE '\\' ORDER BY path",
        (checkout_id, "%/" + end.replace("_", "\\_").replace("%", "\\%")),
    )
    return [str(row[0]) for row in rows]


async def paths_with_ending(state: State, checkout_id: str, ending: str) -> list[str]:
    """Files whose names end so, which are letters after a dot, by path."""
    rows = await state.read(
        "SELECT path FROM files WHERE checkout_id = ? AND path LIKE ? ORDER BY path",
        (checkout_id, f"%{ending}"),
    )
    return [str(row[0]) for row in rows]


async def signatures_at(
    state: State, checkout_id: str, places: Collection[tuple[str, int, int]]
) -> dict[tuple[str, int, int], str]:
    """Signatures of the definitions at some places (path, line, column), where the parser found
    one. All with one query: a map is of a hundred files, and each query is a change of thread; and
    only these, for a file has hundreds of others."""
    lines: dict[str, list[str]] = {}
    for path, line, column in places:
        lines.setdefault(path, []).append(f"{line}:{column}")
    found = await state.value(
        """SELECT json_group_array(json_array(f.path, s.line, s."column", s.signature))
           FROM json_each(?) wanted
           CROSS JOIN files f ON f.checkout_id = ? AND f.path = wanted.key
           CROSS JOIN symbols s ON s.doc_id = f.doc_id
           WHERE s.signature != '' AND EXISTS (
             SELECT 1 FROM json_each(wanted.value)
             WHERE value = s.line || ':' || s."column")""",
        (msgspec.json.encode(lines).decode(), checkout_id),
    )
    return {
        (path, line, column): signature
        for path, line, column, signature in _SIGNATURES.decode(found)
    }


async def defined_names(
    state: State, checkout_id: str, path: str
) -> dict[tuple[str, str], set[str]]:
    """(container, name) of what a file defines now, with the kinds of things that have it."""
    rows = await state.read(
        """SELECT s.container, s.name, s.kind FROM symbols s JOIN files f ON f.doc_id = s.doc_id
           WHERE f.checkout_id = ? AND f.path = ?""",
        (checkout_id, path),
    )
    found: dict[tuple[str, str], set[str]] = {}
    for container, name, kind in rows:
        found.setdefault((container, name), set()).add(kind)
    return found
