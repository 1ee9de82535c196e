"""From what a job answers to the rows of the graph, the files of a whole job at a time."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import msgspec

from surveyor.graph.facts import decode_blobs
from surveyor.graph.jobs import OutlinedFile, ResolvedFile
from surveyor.graph.update.backlog import OutlineChanges
from surveyor.store.state import Transaction
from surveyor.store.state.graph import files
from surveyor.store.state.graph.documents import GraphDocument, replace_documents

__all__ = ["decode_outline", "store_documents", "write_edges", "write_outlines"]

_OUTLINE = msgspec.msgpack.Decoder(dict[str, int])


def decode_outline(data: bytes) -> dict[str, int]:
    """A stored outline: hashes by name of what other files see of a file."""
    return _OUTLINE.decode(data) if data else {}


async def store_documents(
    tx: Transaction, graphs: Mapping[int, bytes], pending: Collection[int] = ()
) -> None:
    """Store what the worker extracted, and note which documents' graphs are left for later."""
    blobs = {doc_id: decode_blobs(graph) for doc_id, graph in graphs.items() if graph}
    found = [
        GraphDocument(doc_id, each.version, each.package, each.names, each.facts, each.references)
        for doc_id, each in blobs.items()
    ]
    await replace_documents(tx, {*graphs, *pending}, found, pending)


async def write_outlines(
    tx: Transaction, checkout_id: str, items: Sequence[OutlinedFile], changes: OutlineChanges
) -> set[str]:
    """Store files' definitions, and note what looks different; the paths that were known."""
    stored = await _files(tx, checkout_id, [item.path for item in items])
    await files.upsert_files(
        tx,
        [
            files.NewFile(
                checkout_id,
                item.path,
                item.package,
                item.is_test,
                msgspec.msgpack.encode(item.outline),
            )
            for item in items
        ],
    )
    for item in items:
        old = stored[item.path][1] if item.path in stored else {}
        changes.note(item.path, old, item.outline, is_test=item.is_test)
    known = await _files(tx, checkout_id, [item.path for item in items])
    ids = {path: file_id for path, (file_id, _) in known.items()}
    await _write_nodes(tx, ids, items, {path: ids[path] for path in stored})
    return set(stored)


async def _files(
    tx: Transaction, checkout_id: str, paths: Sequence[str]
) -> dict[str, tuple[int, dict[str, int]]]:
    """Ids and outlines of those files that the graph has."""
    return {
        found.path: (found.file_id, decode_outline(found.outline))
        for found in await files.outlines(tx, checkout_id, paths)
    }


async def _write_nodes(
    tx: Transaction, ids: Mapping[str, int], items: Sequence[OutlinedFile], known: Mapping[str, int]
) -> None:
    """Definitions keep their ids as long as their names stay; `known` files may have old ones."""
    if known:
        qualnames = {ids[item.path]: {node.qualname for node in item.nodes} for item in items}
        gone = [
            node_id
            for node_id, file_id, qualname in await files.node_names(tx, list(known.values()))
            if qualname not in qualnames[file_id]
        ]
        await files.delete_nodes(tx, gone)
        await files.delete_places(tx, known.values())
    nodes: list[files.NewNode] = []
    for item in items:
        file_id, name = ids[item.path], item.path.rpartition("/")[2]
        nodes.append(files.NewNode(file_id, "", name, "file", 1, 1, 1, 0, 0))
        nodes += [
            files.NewNode(file_id, *msgspec.structs.astuple(node)[:-1]) for node in item.nodes
        ]
    await files.upsert_nodes(tx, nodes)
    await files.insert_places(
        tx,
        [
            files.NewPlace(*place, ids[item.path], node.qualname)
            for item in items
            for node in item.nodes
            for place in node.places
        ],
    )


async def write_edges(tx: Transaction, checkout_id: str, items: Sequence[ResolvedFile]) -> None:
    """Replace what files use and import; of a file that the graph lost meanwhile, nothing."""
    known = await _files(tx, checkout_id, [item.path for item in items])
    found = [(known[item.path][0], item) for item in items if item.path in known]
    await files.replace_uses(
        tx,
        [file_id for file_id, _ in found],
        [
            files.NewEdge(
                file_id, e.line, e.column, e.target, e.kind, e.end_column, e.source, e.score
            )
            for file_id, item in found
            for e in item.edges
        ],
        [
            files.NewImport(file_id, ordinal, line, module, kind, target or None, reason)
            for file_id, item in found
            for ordinal, (line, module, kind, target, reason) in enumerate(item.imports)
        ],
    )
    await files.mark_resolved(tx, [(file_id, item.doc_id, item.left) for file_id, item in found])
