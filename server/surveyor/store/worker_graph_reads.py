"""What an index worker reads of the graph in `state.db`, on its connection that only reads.

Apart from `store.state`, as `worker_reads` is: a worker starts without asyncio.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

__all__ = [
    "NamedDefinition",
    "OutlinedNode",
    "PendingDocument",
    "StoredSymbol",
    "data_version",
    "definitions_named",
    "edges_to_rank",
    "encoded_facts",
    "encoded_references",
    "file_ids",
    "files_to_rank",
    "files_with_name",
    "has_at_most",
    "node_ids",
    "nodes_of_checkout",
    "nodes_to_rank",
    "packages_by_path",
    "pending_document",
    "symbols_of",
]

NamedDefinition = tuple[str, str, str]
"""(path, qualified name, kind)"""
OutlinedNode = tuple[str, str, str, str, int]
"""(path, qualified name, kind, name, id)"""
StoredSymbol = tuple[str, str, str, int, int, int, int, int]
"""(name, kind, container, start line, end line, line, column, end column)"""
_OF_FILE = """FROM files f JOIN graph_documents g ON g.doc_id = f.doc_id
    WHERE f.checkout_id = ? AND f.path = ?"""


class PendingDocument(NamedTuple):
    """A document that has no graph yet."""

    doc_id: int
    content_hash: bytes


def packages_by_path(connection: sqlite3.Connection, checkout_id: str) -> dict[str, str]:
    """All files of a checkout, each with its package, which may be empty."""
    rows = connection.execute(
        """SELECT f.path, coalesce(g.package, '') FROM files f
           LEFT JOIN graph_documents g ON g.doc_id = f.doc_id WHERE f.checkout_id = ?""",
        (checkout_id,),
    )
    return dict(rows.fetchall())


def files_with_name(
    connection: sqlite3.Connection, checkout_id: str, name_hash: bytes
) -> list[str]:
    """Files that use a name, given by its hash (and a few that do not), by path."""
    rows = connection.execute(
        """SELECT f.path FROM files f JOIN graph_documents g ON g.doc_id = f.doc_id
           WHERE f.checkout_id = ? AND instr(g.names, ?) ORDER BY f.path""",
        (checkout_id, name_hash),
    )
    return [path for (path,) in rows]


def encoded_facts(
    connection: sqlite3.Connection, checkout_id: str, path: str
) -> tuple[int, bytes] | None:
    """A file's document and what it offers, encoded."""
    row: tuple[int, bytes] | None = connection.execute(
        f"SELECT g.doc_id, g.facts {_OF_FILE}", (checkout_id, path)
    ).fetchone()
    return row


def encoded_references(
    connection: sqlite3.Connection, checkout_id: str, path: str
) -> tuple[int, bytes] | None:
    """A file's document and what it uses, encoded."""
    row: tuple[int, bytes] | None = connection.execute(
        f"SELECT g.doc_id, g.refs {_OF_FILE}", (checkout_id, path)
    ).fetchone()
    return row


def definitions_named(
    connection: sqlite3.Connection, checkout_id: str, name: str
) -> list[NamedDefinition]:
    """All definitions of a name, by path and qualified name."""
    return connection.execute(
        """SELECT f.path, n.qualname, n.kind FROM graph_nodes n
           JOIN graph_files f USING (file_id)
           WHERE n.name = ? AND f.checkout_id = ? ORDER BY f.path, n.qualname""",
        (name, checkout_id),
    ).fetchall()


def has_at_most(connection: sqlite3.Connection, checkout_id: str, nodes: int) -> bool:
    """Whether a checkout has no more definitions than so many."""
    (found,) = connection.execute(
        """SELECT count(*) FROM (SELECT 1 FROM graph_files f JOIN graph_nodes n USING (file_id)
           WHERE f.checkout_id = ? LIMIT ?)""",
        (checkout_id, nodes + 1),
    ).fetchone()
    return int(found) <= nodes


def nodes_of_checkout(connection: sqlite3.Connection, checkout_id: str) -> Iterator[OutlinedNode]:
    """All definitions of a checkout, one after the other, by path and qualified name."""
    return connection.execute(
        """SELECT f.path, n.qualname, n.kind, n.name, n.node_id FROM graph_files f
           JOIN graph_nodes n USING (file_id)
           WHERE f.checkout_id = ? ORDER BY f.path, n.qualname""",
        (checkout_id,),
    )


def node_ids(connection: sqlite3.Connection, checkout_id: str, path: str) -> dict[str, int]:
    """Ids of a file's nodes by qualified name."""
    rows = connection.execute(
        """SELECT n.qualname, n.node_id FROM graph_nodes n
           JOIN graph_files f USING (file_id) WHERE f.checkout_id = ? AND f.path = ?""",
        (checkout_id, path),
    )
    return dict(rows.fetchall())


def file_ids(connection: sqlite3.Connection, checkout_id: str) -> dict[str, int]:
    """Ids of a checkout's files in the graph by path."""
    rows = connection.execute(
        "SELECT path, file_id FROM graph_files WHERE checkout_id = ?", (checkout_id,)
    )
    return dict(rows.fetchall())


def pending_document(
    connection: sqlite3.Connection, checkout_id: str, path: str
) -> PendingDocument | None:
    """A file's document, if it has no graph yet."""
    row = connection.execute(
        """SELECT d.doc_id, d.content_hash FROM files f JOIN graph_pending p USING (doc_id)
           JOIN documents d USING (doc_id) WHERE f.checkout_id = ? AND f.path = ?""",
        (checkout_id, path),
    ).fetchone()
    return None if row is None else PendingDocument(*row)


def symbols_of(connection: sqlite3.Connection, doc_id: int) -> list[StoredSymbol]:
    """A document's definitions in their order."""
    return connection.execute(
        """SELECT name, kind, container, start_line, end_line, line, "column", end_column
           FROM symbols WHERE doc_id = ? ORDER BY ordinal""",
        (doc_id,),
    ).fetchall()


def files_to_rank(connection: sqlite3.Connection, checkout_id: str) -> list[tuple[int, int, str]]:
    """(id, 1 for a file of tests, path) of a checkout's files, by id."""
    return connection.execute(
        "SELECT file_id, is_test, path FROM graph_files WHERE checkout_id = ? ORDER BY file_id",
        (checkout_id,),
    ).fetchall()


def nodes_to_rank(
    connection: sqlite3.Connection, checkout_id: str
) -> Iterator[tuple[int, int, int]]:
    """(id, id of the file, 1 for a definition and 0 for the file itself) of a checkout's nodes,
    by id."""
    return connection.execute(
        """SELECT n.node_id, n.file_id, n.qualname != '' FROM graph_nodes n
           JOIN graph_files f USING (file_id) WHERE f.checkout_id = ? ORDER BY n.node_id""",
        (checkout_id,),
    )


def edges_to_rank(
    connection: sqlite3.Connection, checkout_id: str
) -> Iterator[tuple[int, int, int, int, float]]:
    """(source or 0 at file level, id of the file, target, kind, score) of a checkout's uses."""
    return connection.execute(
        """SELECT e.source, e.file_id, e.target, e.kind, e.score
           FROM graph_edges e JOIN graph_files f USING (file_id) WHERE f.checkout_id = ?""",
        (checkout_id,),
    )


def data_version(connection: sqlite3.Connection) -> int:
    """A number that changes whenever another connection has written."""
    version: int = connection.execute("PRAGMA data_version").fetchone()[0]
    return version
