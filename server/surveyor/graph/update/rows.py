"""The rows of the graph: documents' graphs, definitions, edges and imports, many files at a time.

A statement costs a change of threads, which for a small file is more than its rows: everything
here takes the files of a whole job and runs each statement once for all of them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import msgspec

from surveyor.graph.facts import decode_blobs
from surveyor.graph.jobs import Outlined, Resolved
from surveyor.store.state import Transaction

__all__ = ["decode_outline", "store_documents", "write_edges", "write_outlines"]

_OUTLINE = msgspec.msgpack.Decoder(dict[str, int])


def decode_outline(data: bytes) -> dict[str, int]:
    """A stored outline: hashes by name of what other files see of a file."""
    return _OUTLINE.decode(data) if data else {}


async def store_documents(
    tx: Transaction, graphs: Mapping[int, bytes], pending: Collection[int] = ()
) -> None:
    """Store what the worker extracted, and note which documents' graphs are left for later."""
    keys = [(doc_id,) for doc_id in {*graphs, *pending}]
    await tx.many("DELETE FROM graph_documents WHERE doc_id = ?", keys)
    await tx.many("DELETE FROM graph_pending WHERE doc_id = ?", keys)
    await tx.many("INSERT INTO graph_pending (doc_id) VALUES (?)", [(each,) for each in pending])
    blobs = {doc_id: decode_blobs(graph) for doc_id, graph in graphs.items() if graph}
    await tx.many(
        "INSERT INTO graph_documents (doc_id, version, package, names, facts, refs)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        [
            (doc_id, each.version, each.package, each.names, each.facts, each.references)
            for doc_id, each in blobs.items()
        ],
    )
    # The same content parsed anew (another grammar) must be resolved anew.
    await tx.many(
        "UPDATE graph_files SET doc_id = NULL WHERE doc_id = ?", [(doc_id,) for doc_id in blobs]
    )


async def write_outlines(
    tx: Transaction, checkout_id: str, items: Sequence[Outlined]
) -> tuple[set[str], set[str]]:
    """Store files' definitions; the paths that were known, and the names that look different."""
    stored = await _files(tx, checkout_id, [item.path for item in items])
    await tx.many(
        """INSERT INTO graph_files (checkout_id, path, package, is_test, outline)
           VALUES (?, ?, ?, ?, ?)
           ON CONFLICT (checkout_id, path) DO UPDATE SET doc_id = NULL,
             package = excluded.package, is_test = excluded.is_test, outline = excluded.outline""",
        [
            (
                checkout_id,
                item.path,
                item.package,
                item.is_test,
                msgspec.msgpack.encode(item.outline),
            )
            for item in items
        ],
    )
    changed: set[str] = set()
    for item in items:
        old = stored[item.path][1] if item.path in stored else {}
        changed |= {
            name
            for name in old.keys() | item.outline.keys()
            if old.get(name) != item.outline.get(name)
        }
    files = await _files(tx, checkout_id, [item.path for item in items])
    ids = {path: file_id for path, (file_id, _) in files.items()}
    await _write_nodes(tx, ids, items, {path: ids[path] for path in stored})
    return set(stored), changed


async def _files(
    tx: Transaction, checkout_id: str, paths: Sequence[str]
) -> dict[str, tuple[int, dict[str, int]]]:
    """Ids and outlines of those files that the graph has."""
    rows = await tx.read(
        "SELECT path, file_id, outline FROM graph_files WHERE checkout_id = ?"
        f" AND path IN ({','.join('?' * len(paths))})",
        (checkout_id, *paths),
    )
    return {str(row[0]): (int(row[1]), decode_outline(row[2])) for row in rows}


async def _write_nodes(
    tx: Transaction, ids: Mapping[str, int], items: Sequence[Outlined], known: Mapping[str, int]
) -> None:
    """Definitions keep their ids as long as their names stay; `known` files may have old ones."""
    if known:
        qualnames = {ids[item.path]: {node.qualname for node in item.nodes} for item in items}
        rows = await tx.read(
            "SELECT node_id, file_id, qualname FROM graph_nodes WHERE qualname != ''"
            f" AND file_id IN ({','.join('?' * len(known))})",
            list(known.values()),
        )
        gone = [(row[0],) for row in rows if row[2] not in qualnames[row[1]]]
        await tx.many("DELETE FROM graph_nodes WHERE node_id = ?", gone)
        await tx.many(
            "DELETE FROM graph_places WHERE node_id IN"
            " (SELECT node_id FROM graph_nodes WHERE file_id = ?)",
            [(file_id,) for file_id in known.values()],
        )
    await tx.many(
        """INSERT INTO graph_nodes (file_id, qualname, name, kind, start_line, end_line, line,
             "column", end_column) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
           ON CONFLICT (file_id, qualname) DO UPDATE SET kind = excluded.kind,
             start_line = excluded.start_line, end_line = excluded.end_line,
             line = excluded.line, "column" = excluded."column",
             end_column = excluded.end_column""",
        [
            row
            for item in items
            for row in (
                (ids[item.path], "", item.path.rpartition("/")[2], "file", 1, 1, 1, 0, 0),
                *((ids[item.path], *msgspec.structs.astuple(node)[:-1]) for node in item.nodes),
            )
        ],
    )
    await tx.many(
        """INSERT OR IGNORE INTO graph_places
             SELECT node_id, ?, ?, ?, ?, ? FROM graph_nodes WHERE file_id = ? AND qualname = ?""",
        [
            (*place, ids[item.path], node.qualname)
            for item in items
            for node in item.nodes
            for place in node.places
        ],
    )


async def write_edges(tx: Transaction, checkout_id: str, items: Sequence[Resolved]) -> None:
    """Replace what files use and import; of a file that the graph lost meanwhile, nothing."""
    files = await _files(tx, checkout_id, [item.path for item in items])
    found = [(files[item.path][0], item) for item in items if item.path in files]
    keys = [(file_id,) for file_id, _ in found]
    await tx.many("DELETE FROM graph_edges WHERE file_id = ?", keys)
    await tx.many("DELETE FROM graph_imports WHERE file_id = ?", keys)
    await tx.many(
        """INSERT OR IGNORE INTO graph_edges
             (file_id, line, "column", target, kind, end_column, source, score)
           SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8
           WHERE EXISTS (SELECT 1 FROM graph_nodes WHERE node_id = ?4)""",
        [
            (file_id, e.line, e.column, e.target, e.kind, e.end_column, e.source, e.score)
            for file_id, item in found
            for e in item.edges
        ],
    )
    await tx.many(
        """INSERT INTO graph_imports (file_id, ordinal, line, module, kind, target, reason)
           VALUES (?, ?, ?, ?, ?, (SELECT file_id FROM graph_files WHERE file_id = ?), ?)""",
        [
            (file_id, ordinal, line, module, kind, target or None, reason)
            for file_id, item in found
            for ordinal, (line, module, kind, target, reason) in enumerate(item.imports)
        ],
    )
    await tx.many(
        "UPDATE graph_files SET doc_id = ? WHERE file_id = ?",
        [(item.doc_id, file_id) for file_id, item in found],
    )
