"""What of a checkout's graph is behind its files, as the tables say it.

The difference between `files`, `graph_documents`, `graph_pending` and `graph_files` is all that an
update has to go by, so that one which was interrupted goes on where it was.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Sequence

from surveyor.graph.facts import NAME_HASH_BYTES, name_hash
from surveyor.graph.resolve.tree import MISSING
from surveyor.store.state import State

__all__ = [
    "PENDING",
    "checkouts_behind",
    "mark_dependants",
    "pending",
    "removed",
    "unresolved",
    "waiting",
]

FEW_NAMES = 16
"""Changed names that are looked for one by one in SQLite; of more, all files' names are compared
at once: some 40 ms for 2,000 files in either way."""

PENDING = (
    "SELECT f.path FROM graph_pending JOIN files f USING (doc_id)"
    " WHERE f.checkout_id = ? ORDER BY f.path"
)


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


async def pending(state: State, checkout_id: str) -> list[str]:
    """Files whose documents have no graph yet."""
    return [str(row[0]) for row in await state.read(PENDING, (checkout_id,))]


async def waiting(state: State, checkout_id: str) -> list[str]:
    """Files with a graph whose document is not the one that was outlined."""
    rows = await state.read(
        """SELECT f.path FROM files f JOIN graph_documents d ON d.doc_id = f.doc_id
           LEFT JOIN graph_files g ON g.checkout_id = f.checkout_id AND g.path = f.path
           WHERE f.checkout_id = ? AND g.doc_id IS NOT f.doc_id ORDER BY f.path""",
        (checkout_id,),
    )
    return [str(row[0]) for row in rows]


async def removed(state: State, checkout_id: str) -> list[tuple[int, str]]:
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


async def unresolved(state: State, checkout_id: str, limit: int) -> list[str]:
    """Files that are outlined and whose edges are not there, at most `limit`."""
    rows = await state.read(
        """SELECT g.path FROM graph_files g JOIN files f USING (checkout_id, path)
           WHERE g.checkout_id = ? AND g.doc_id IS NULL AND f.doc_id IS NOT NULL
           LIMIT ?""",
        (checkout_id, limit),
    )
    return [str(row[0]) for row in rows]


async def mark_dependants(
    state: State,
    checkout_id: str,
    names: Collection[str],
    added: Sequence[str],
    removed: Sequence[tuple[int, str]],
) -> None:
    """Files that use a changed name, or import what came or went, are to be resolved again."""
    affected = await _naming(state, checkout_id, names)
    for file_id, _ in removed:
        rows = await state.read("SELECT file_id FROM graph_imports WHERE target = ?", (file_id,))
        affected.update(int(row[0]) for row in rows)
    if added:
        rows = await state.read(
            """SELECT DISTINCT i.file_id FROM graph_imports i
               JOIN graph_files g ON g.file_id = i.file_id
               WHERE g.checkout_id = ? AND i.target IS NULL AND i.reason = ?""",
            (checkout_id, MISSING),
        )
        affected.update(int(row[0]) for row in rows)
    gone = {file_id for file_id, _ in removed}
    async with state.transaction() as tx:
        await tx.many(
            "UPDATE graph_files SET doc_id = NULL WHERE file_id = ?",
            [(file_id,) for file_id in affected - gone],
        )
        await tx.many("DELETE FROM graph_files WHERE file_id = ?", [(file_id,) for file_id in gone])


async def _naming(state: State, checkout_id: str, names: Collection[str]) -> set[int]:
    """Files that use one of these names."""
    hashes = [name_hash(name) for name in sorted(names)]
    if not hashes:
        return set()
    if len(hashes) <= FEW_NAMES:
        rows = await state.read(
            f"""SELECT g.file_id FROM graph_files g JOIN graph_documents d USING (doc_id)
                WHERE g.checkout_id = ? AND ({" OR ".join(["instr(d.names, ?)"] * len(hashes))})
            """,
            (checkout_id, *hashes),
        )
        return {int(row[0]) for row in rows}
    rows = await state.read(
        "SELECT g.file_id, d.names FROM graph_files g JOIN graph_documents d USING (doc_id)"
        " WHERE g.checkout_id = ?",
        (checkout_id,),
    )
    return await asyncio.to_thread(_with_any, frozenset(hashes), rows)


def _with_any(wanted: frozenset[bytes], rows: Iterable[Sequence[object]]) -> set[int]:
    """Which of (id, names' hashes one after the other) have one of those wanted."""
    found = set()
    for file_id, names in rows:
        assert isinstance(file_id, int) and isinstance(names, bytes)
        if not wanted.isdisjoint(
            names[at : at + NAME_HASH_BYTES] for at in range(0, len(names), NAME_HASH_BYTES)
        ):
            found.add(file_id)
    return found
