"""Who was known to use definitions that are not there any more.

A definition's uses go with its row. While a change is being made that is what has to be known: a
method that was renamed is still called on values whose type only the graph knew.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from surveyor.store.state.database import State, Transaction
from surveyor.store.state.sql_lists import marks

__all__ = ["LostUses", "forget_lost_uses", "lost_uses", "note_lost_files", "note_lost_nodes"]

MOST_NOTED = 500
"""Definitions, or files, of one batch whose uses are noted: who removes more changes branches."""
MOST_KEPT = 20_000
"""Rows that are kept; older ones go."""

_NOTE = """INSERT OR REPLACE INTO graph_lost_uses (path, qualname, file_id, enclosing, uses)
    SELECT f.path, n.qualname, e.file_id, ifnull(s.qualname, ''), count(*)
    FROM graph_nodes n JOIN graph_files f ON f.file_id = n.file_id
    JOIN graph_edges e ON e.target = n.node_id
    LEFT JOIN graph_nodes s ON s.node_id = e.source
    WHERE {which} = ? AND n.qualname != '' AND e.score >= ?
    GROUP BY n.node_id, e.file_id, ifnull(s.qualname, '')"""


class LostUses(NamedTuple):
    """How often a definition of a file used one that is gone."""

    path: str
    enclosing: str
    """'' at file level."""
    uses: int


async def note_lost_nodes(tx: Transaction, node_ids: Sequence[int], least_score: float) -> None:
    """Keep who uses definitions that are about to be deleted, with a score or more."""
    await _note(tx, "n.node_id", node_ids, least_score)


async def note_lost_files(tx: Transaction, file_ids: Sequence[int], least_score: float) -> None:
    """The same of all that some files define."""
    await _note(tx, "n.file_id", file_ids, least_score)


async def _note(tx: Transaction, which: str, ids: Sequence[int], least_score: float) -> None:
    if not 0 < len(ids) <= MOST_NOTED:
        return
    await tx.many(_NOTE.format(which=which), [(id_, least_score) for id_ in ids])
    await tx.execute(
        "DELETE FROM graph_lost_uses"
        f" WHERE lost_id <= (SELECT max(lost_id) FROM graph_lost_uses) - {MOST_KEPT}"
    )


async def forget_lost_uses(
    tx: Transaction, checkout_id: str, defined: Mapping[str, Collection[str]]
) -> None:
    """Of what is there again, given by path and qualified names, nothing is lost."""
    paths = list(defined)
    rows = await tx.read(
        f"""SELECT DISTINCT l.path, l.qualname FROM graph_lost_uses l JOIN graph_files f
              ON f.file_id = l.file_id
            WHERE l.path IN ({marks(paths)}) AND f.checkout_id = ?""",
        (*paths, checkout_id),
    )
    await tx.many(
        """DELETE FROM graph_lost_uses WHERE path = ? AND qualname = ?
           AND file_id IN (SELECT file_id FROM graph_files WHERE checkout_id = ?)""",
        [(row[0], row[1], checkout_id) for row in rows if row[1] in defined[row[0]]],
    )


async def lost_uses(
    state: State, checkout_id: str, paths: Collection[str]
) -> dict[tuple[str, str], list[LostUses]]:
    """Who used what is gone from some files, by path and qualified name."""
    wanted = list(dict.fromkeys(paths))
    rows = await state.read(
        f"""SELECT l.path, l.qualname, f.path, l.enclosing, l.uses FROM graph_lost_uses l
            JOIN graph_files f ON f.file_id = l.file_id
            WHERE l.path IN ({marks(wanted)}) AND f.checkout_id = ?""",
        (*wanted, checkout_id),
    )
    found: dict[tuple[str, str], list[LostUses]] = {}
    for path, qualname, *use in rows:
        found.setdefault((path, qualname), []).append(LostUses(*use))
    return found
