"""The files of checkouts as the graph has resolved them, and what of that is behind.

A file's document there is the one that was resolved, NULL where it is to be resolved again, and
-1 where it vanished meanwhile. A statement costs a change of threads, which for a small file is
more than its rows: writing takes the files of a whole job.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from surveyor.store.state.database import State, Transaction
from surveyor.store.state.document_texts import CompressedText
from surveyor.store.state.sql_lists import marks

__all__ = [
    "FileOutline",
    "NewEdge",
    "NewFile",
    "NewImport",
    "NewNode",
    "NewPlace",
    "checkouts_behind",
    "code_of_no_language",
    "count_behind",
    "delete_files",
    "delete_nodes",
    "delete_places",
    "files_leaving",
    "files_to_outline",
    "files_to_resolve",
    "files_with_names",
    "files_without_edges",
    "files_without_index",
    "give_up",
    "insert_places",
    "mark_all_unresolved",
    "mark_resolved",
    "mark_unresolved",
    "mark_vanished",
    "names_of_files",
    "node_names",
    "outline_of",
    "outlines",
    "replace_uses",
    "test_file_ids",
    "upsert_files",
    "upsert_nodes",
]


class FileOutline(NamedTuple):
    """A file of the graph, with the encoded hashes of what other files see of it."""

    path: str
    file_id: int
    outline: bytes
    is_test: int


class NewFile(NamedTuple):
    """A file that was outlined."""

    checkout_id: str
    path: str
    package: str
    is_test: bool
    outline: bytes


class NewNode(NamedTuple):
    """A definition of a file; the file itself with an empty `qualname`."""

    file_id: int
    qualname: str
    name: str
    kind: str
    start_line: int
    end_line: int
    line: int
    column: int
    end_column: int


class NewPlace(NamedTuple):
    """Another place of a definition."""

    start_line: int
    end_line: int
    line: int
    column: int
    end_column: int
    file_id: int
    qualname: str


class NewEdge(NamedTuple):
    """A use of a node."""

    file_id: int
    line: int
    column: int
    target: int
    kind: int
    end_column: int
    source: int
    score: float


class NewImport(NamedTuple):
    """An import; `target` is the id of a file, if one was found."""

    file_id: int
    ordinal: int
    line: int
    module: str
    kind: str
    target: int | None
    reason: str


# --- what is behind -------------------------------------------------------------------------


async def checkouts_behind(state: State) -> list[tuple[str, str]]:
    """Id and root of all checkouts that have something left."""
    rows = await state.read(
        """SELECT c.checkout_id, c.root FROM checkouts c WHERE EXISTS (
             SELECT 1 FROM files f JOIN graph_documents d ON d.doc_id = f.doc_id
             LEFT JOIN graph_files g ON g.checkout_id = f.checkout_id AND g.path = f.path
             WHERE f.checkout_id = c.checkout_id AND g.doc_id IS NOT f.doc_id)
           OR EXISTS (SELECT 1 FROM graph_pending JOIN files f USING (doc_id)
                      WHERE f.checkout_id = c.checkout_id)"""
    )
    return [(str(row[0]), str(row[1])) for row in rows]


async def count_behind(state: State, checkout_id: str) -> int:
    """Files whose uses are not worked out, or not as the file is now."""
    found = await state.value(
        """SELECT count(*) FROM files f LEFT JOIN graph_documents d ON d.doc_id = f.doc_id
           LEFT JOIN graph_pending p ON p.doc_id = f.doc_id
           LEFT JOIN graph_files g ON g.checkout_id = f.checkout_id AND g.path = f.path
           WHERE f.checkout_id = ? AND (p.doc_id IS NOT NULL
             OR (d.doc_id IS NOT NULL AND g.doc_id IS NOT f.doc_id))""",
        (checkout_id,),
    )
    return int(found or 0)


async def files_to_outline(state: State, checkout_id: str) -> list[str]:
    """Files with a graph whose document is not the one that was outlined."""
    rows = await state.read(
        """SELECT f.path FROM files f JOIN graph_documents d ON d.doc_id = f.doc_id
           LEFT JOIN graph_files g ON g.checkout_id = f.checkout_id AND g.path = f.path
           WHERE f.checkout_id = ? AND g.doc_id IS NOT f.doc_id ORDER BY f.path""",
        (checkout_id,),
    )
    return [str(row[0]) for row in rows]


async def texts_to_resolve(
    state: State, checkout_id: str, limit: int
) -> list[tuple[str, CompressedText | None]]:
    """Path and text of files that have a graph, or are to have one, and no edges of it yet."""
    rows = await state.read(
        """SELECT f.path, t.text, t.checksum FROM files f
           LEFT JOIN graph_files g ON g.checkout_id = f.checkout_id AND g.path = f.path
           LEFT JOIN document_texts t ON t.doc_id = f.doc_id
           WHERE f.checkout_id = ? AND f.doc_id IS NOT NULL AND g.doc_id IS NOT f.doc_id
           AND (EXISTS (SELECT 1 FROM graph_documents d WHERE d.doc_id = f.doc_id)
                OR EXISTS (SELECT 1 FROM graph_pending p WHERE p.doc_id = f.doc_id))
           LIMIT ?""",
        (checkout_id, limit),
    )
    return [(row[0], None if row[1] is None else CompressedText(row[1], row[2])) for row in rows]


async def files_without_graph(state: State, checkout_id: str) -> list[str]:
    """Indexed files with any text that have no graph, and to which none is still to come."""
    rows = await state.read(
        """SELECT f.path FROM files f WHERE f.checkout_id = ? AND f.status = 'indexed'
           AND EXISTS (SELECT 1 FROM chunks c WHERE c.doc_id = f.doc_id)
           AND NOT EXISTS (SELECT 1 FROM graph_documents d WHERE d.doc_id = f.doc_id)
           AND NOT EXISTS (SELECT 1 FROM graph_pending p WHERE p.doc_id = f.doc_id)
           ORDER BY f.path""",
        (checkout_id,),
    )
    return [str(row[0]) for row in rows]


async def code_of_no_language(
    state: State, checkout_id: str, languages: Sequence[str]
) -> list[str]:
    """Indexed files of code, by path, of which nobody knows what they use: in no language that is
    known, or in one of `languages`."""
    rows = await state.read(
        f"""SELECT f.path FROM files f JOIN documents d USING (doc_id)
            WHERE f.checkout_id = ? AND f.status = 'indexed' AND d.file_type IN ('code', 'test')
            AND (d.language IS NULL OR d.language IN ({marks(languages)}))
            AND NOT EXISTS (SELECT 1 FROM graph_documents g WHERE g.doc_id = f.doc_id)
            AND NOT EXISTS (SELECT 1 FROM graph_pending p WHERE p.doc_id = f.doc_id)
            ORDER BY f.path""",
        (checkout_id, *languages),
    )
    return [str(row[0]) for row in rows]


async def files_without_index(state: State, checkout_id: str) -> list[tuple[int, str]]:
    """Id and path of files in the graph that the index does not have any more."""
    rows = await state.read(
        """SELECT g.file_id, g.path FROM graph_files g WHERE g.checkout_id = ?
           AND NOT EXISTS (SELECT 1 FROM files f
                           WHERE f.checkout_id = g.checkout_id AND f.path = g.path
                             AND (f.doc_id IN (SELECT doc_id FROM graph_documents)
                                  OR f.doc_id IN (SELECT doc_id FROM graph_pending)))""",
        (checkout_id,),
    )
    return [(int(row[0]), str(row[1])) for row in rows]


async def files_to_resolve(state: State, checkout_id: str, limit: int) -> list[str]:
    """Files that are outlined and whose edges are not there, at most `limit`."""
    rows = await state.read(
        """SELECT g.path FROM graph_files g JOIN files f USING (checkout_id, path)
           WHERE g.checkout_id = ? AND g.doc_id IS NULL AND f.doc_id IS NOT NULL
           LIMIT ?""",
        (checkout_id, limit),
    )
    return [str(row[0]) for row in rows]


async def files_with_names(state: State, checkout_id: str, hashes: Sequence[bytes]) -> list[int]:
    """Ids of files that use one of these names, given by their hashes (and a few that do not).

    Looks for one after the other: for a few names.
    """
    rows = await state.read(
        f"""SELECT g.file_id FROM graph_files g JOIN graph_documents d USING (doc_id)
            WHERE g.checkout_id = ? AND ({" OR ".join(["instr(d.names, ?)"] * len(hashes))})
        """,
        (checkout_id, *hashes),
    )
    return [int(row[0]) for row in rows]


async def names_of_files(state: State, checkout_id: str) -> list[tuple[int, bytes]]:
    """Ids of files, with the hashes of the names that each uses."""
    rows = await state.read(
        "SELECT g.file_id, d.names FROM graph_files g JOIN graph_documents d USING (doc_id)"
        " WHERE g.checkout_id = ?",
        (checkout_id,),
    )
    return [(row[0], row[1]) for row in rows]


async def test_file_ids(state: State, checkout_id: str) -> set[int]:
    """Ids of the files of tests."""
    rows = await state.read(
        "SELECT file_id FROM graph_files WHERE checkout_id = ? AND is_test", (checkout_id,)
    )
    return {int(row[0]) for row in rows}


async def files_without_edges(state: State, checkout_id: str) -> list[tuple[int, str]]:
    """Ids and paths of the files whose edges are not there, those that are gone too."""
    rows = await state.read(
        """SELECT g.file_id, g.path FROM graph_files g LEFT JOIN files f USING (checkout_id, path)
           WHERE g.checkout_id = ? AND g.doc_id IS NOT f.doc_id""",
        (checkout_id,),
    )
    return [(int(row[0]), str(row[1])) for row in rows]


# --- marks ----------------------------------------------------------------------------------


async def mark_all_unresolved(tx: Transaction, checkout_id: str) -> None:
    """All files of a checkout are to be resolved again."""
    await tx.execute(
        "UPDATE graph_files SET doc_id = NULL WHERE checkout_id = ? AND doc_id > 0",
        (checkout_id,),
    )


async def mark_unresolved(tx: Transaction, file_ids: Iterable[int]) -> None:
    """Files are to be resolved again."""
    await tx.many(
        "UPDATE graph_files SET doc_id = NULL WHERE file_id = ?",
        [(file_id,) for file_id in file_ids],
    )


async def mark_paths_unresolved(tx: Transaction, checkout_id: str, paths: Iterable[str]) -> None:
    """The same of files by their paths."""
    await tx.many(
        "UPDATE graph_files SET doc_id = NULL WHERE checkout_id = ? AND path = ?",
        [(checkout_id, path) for path in paths],
    )


async def mark_resolved(tx: Transaction, resolved: Iterable[tuple[int, int, bytes]]) -> None:
    """Files were resolved as these documents: (id of the file, id of the document, encoded uses
    that are not followed)."""
    await tx.many(
        "UPDATE graph_files SET doc_id = ?2, left_uses = ?3 WHERE file_id = ?1", list(resolved)
    )


async def files_leaving(
    state: State, checkout_id: str, name_hash: bytes
) -> list[tuple[str, bytes]]:
    """Paths of the files with uses that are not followed and have a name, by its hash (and a few
    without), and all such uses of each, encoded: tests last."""
    rows = await state.read(
        """SELECT path, left_uses FROM graph_files WHERE checkout_id = ? AND instr(left_uses, ?)
           ORDER BY is_test, path""",
        (checkout_id, name_hash),
    )
    return [(str(path), bytes(uses)) for path, uses in rows]


async def mark_vanished(tx: Transaction, checkout_id: str, paths: Iterable[str]) -> None:
    """Files were not there to be resolved."""
    await tx.many(
        "UPDATE graph_files SET doc_id = -1 WHERE checkout_id = ? AND path = ?",
        [(checkout_id, path) for path in paths],
    )


async def give_up(tx: Transaction, checkout_id: str, paths: Iterable[str]) -> None:
    """What files use cannot be worked out: nothing of it is kept until they or what they use
    changes."""
    keys = [(checkout_id, path) for path in paths]
    of_file = "file_id = (SELECT file_id FROM graph_files WHERE checkout_id = ? AND path = ?)"
    await tx.many(f"DELETE FROM graph_edges WHERE {of_file}", keys)
    await tx.many(f"DELETE FROM graph_imports WHERE {of_file}", keys)
    await tx.many(
        """UPDATE graph_files AS g SET left_uses = x'', doc_id = (SELECT f.doc_id FROM files f
             WHERE f.checkout_id = g.checkout_id AND f.path = g.path)
           WHERE g.checkout_id = ? AND g.path = ?""",
        keys,
    )


async def delete_files(tx: Transaction, file_ids: Iterable[int]) -> None:
    """Delete files, and what they define and use."""
    await tx.many("DELETE FROM graph_files WHERE file_id = ?", [(file_id,) for file_id in file_ids])


# --- outlines and definitions ---------------------------------------------------------------


async def outlines(tx: Transaction, checkout_id: str, paths: Sequence[str]) -> list[FileOutline]:
    """Those of these files that the graph has."""
    rows = await tx.read(
        "SELECT path, file_id, outline, is_test FROM graph_files WHERE checkout_id = ?"
        f" AND path IN ({marks(paths)})",
        (checkout_id, *paths),
    )
    return [FileOutline._make(row) for row in rows]


async def outline_of(state: State, file_id: int) -> FileOutline | None:
    """A file's outline; None where the graph does not have it."""
    row = await state.one(
        "SELECT path, file_id, outline, is_test FROM graph_files WHERE file_id = ?", (file_id,)
    )
    return FileOutline._make(row) if row is not None else None


async def upsert_files(tx: Transaction, files: Sequence[NewFile]) -> None:
    """Insert files, or replace what is known of them; they are to be resolved."""
    await tx.many(
        """INSERT INTO graph_files (checkout_id, path, package, is_test, outline)
           VALUES (?, ?, ?, ?, ?)
           ON CONFLICT (checkout_id, path) DO UPDATE SET doc_id = NULL,
             package = excluded.package, is_test = excluded.is_test, outline = excluded.outline""",
        files,
    )


async def node_names(tx: Transaction, file_ids: Collection[int]) -> list[tuple[int, int, str]]:
    """(id, id of the file, qualified name) of the definitions of files."""
    ids = list(file_ids)
    rows = await tx.read(
        "SELECT node_id, file_id, qualname FROM graph_nodes WHERE qualname != ''"
        f" AND file_id IN ({marks(ids)})",
        ids,
    )
    return [(row[0], row[1], row[2]) for row in rows]


async def delete_nodes(tx: Transaction, node_ids: Iterable[int]) -> None:
    """Delete definitions, and the uses of them."""
    await tx.many("DELETE FROM graph_nodes WHERE node_id = ?", [(node_id,) for node_id in node_ids])


async def delete_places(tx: Transaction, file_ids: Iterable[int]) -> None:
    """Delete the other places of files' definitions."""
    await tx.many(
        "DELETE FROM graph_places WHERE node_id IN"
        " (SELECT node_id FROM graph_nodes WHERE file_id = ?)",
        [(file_id,) for file_id in file_ids],
    )


async def upsert_nodes(tx: Transaction, nodes: Iterable[NewNode]) -> None:
    """Insert definitions; those whose names are known keep their ids."""
    await tx.many(
        """INSERT INTO graph_nodes (file_id, qualname, name, kind, start_line, end_line, line,
             "column", end_column) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
           ON CONFLICT (file_id, qualname) DO UPDATE SET kind = excluded.kind,
             start_line = excluded.start_line, end_line = excluded.end_line,
             line = excluded.line, "column" = excluded."column",
             end_column = excluded.end_column""",
        nodes,
    )


async def insert_places(tx: Transaction, places: Iterable[NewPlace]) -> None:
    """Insert other places of definitions, given by their file and qualified name."""
    await tx.many(
        """INSERT OR IGNORE INTO graph_places
             SELECT node_id, ?, ?, ?, ?, ? FROM graph_nodes WHERE file_id = ? AND qualname = ?""",
        places,
    )


# --- uses -----------------------------------------------------------------------------------


async def replace_uses(
    tx: Transaction,
    file_ids: Sequence[int],
    edges: Iterable[NewEdge],
    imports: Iterable[NewImport],
) -> None:
    """Replace what files use and import; a use of what has gone is left out."""
    keys = [(file_id,) for file_id in file_ids]
    await tx.many("DELETE FROM graph_edges WHERE file_id = ?", keys)
    await tx.many("DELETE FROM graph_imports WHERE file_id = ?", keys)
    await tx.many(
        """INSERT OR IGNORE INTO graph_edges
             (file_id, line, "column", target, kind, end_column, source, score)
           SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8
           WHERE EXISTS (SELECT 1 FROM graph_nodes WHERE node_id = ?4)""",
        edges,
    )
    await tx.many(
        """INSERT INTO graph_imports (file_id, ordinal, line, module, kind, target, reason)
           VALUES (?, ?, ?, ?, ?, (SELECT file_id FROM graph_files WHERE file_id = ?), ?)""",
        imports,
    )
