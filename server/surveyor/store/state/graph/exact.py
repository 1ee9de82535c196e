"""What language servers said about definitions, and which definitions are to be asked about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from surveyor.store.state.database import State
from surveyor.store.state.graph.nodes import MAX_ROWS, NODE_COLUMNS, NodeRecord
from surveyor.store.state.sql_lists import marks

__all__ = [
    "ExactAnswer",
    "answered_nodes",
    "count_answered",
    "find_answer",
    "insert_answer",
    "unanswered_nodes",
]


class ExactAnswer(NamedTuple):
    """A server's answer, encoded, and what it was true for."""

    server: str
    fingerprint: bytes
    answer: bytes


async def find_answer(state: State, node_id: int, question: str) -> ExactAnswer | None:
    """What a server once said about a node."""
    row = await state.one(
        """SELECT server, fingerprint, answer FROM graph_exact
           WHERE node_id = ? AND question = ?""",
        (node_id, question),
    )
    return None if row is None else ExactAnswer._make(row)


async def insert_answer(
    state: State, node_id: int, question: str, said: ExactAnswer, asked_at: float
) -> None:
    """Store an answer in place of an earlier one, in a transaction; of a node that has gone,
    nothing. `asked_at`: seconds since the epoch."""
    async with state.transaction() as tx:
        await tx.execute(
            """INSERT OR REPLACE INTO graph_exact
                 (node_id, question, server, fingerprint, asked_at, answer)
               SELECT ?1, ?2, ?3, ?4, ?5, ?6
               WHERE EXISTS (SELECT 1 FROM graph_nodes WHERE node_id = ?1)""",
            (node_id, question, said.server, said.fingerprint, asked_at, said.answer),
        )


async def count_answered(state: State, checkout_id: str, question: str) -> int:
    """Number of a checkout's definitions that have an answer."""
    return int(
        await state.value(
            """SELECT count(*) FROM graph_exact x JOIN graph_nodes n USING (node_id)
               JOIN graph_files f USING (file_id)
               WHERE f.checkout_id = ? AND x.question = ?""",
            (checkout_id, question),
        )
    )


async def unanswered_nodes(
    state: State, checkout_id: str, question: str, kinds: Sequence[str], limit: int
) -> list[NodeRecord]:
    """Definitions of these kinds outside of tests without an answer, the most important first."""
    rows = await state.read(
        f"""SELECT {NODE_COLUMNS} FROM graph_nodes n JOIN graph_files f ON f.file_id = n.file_id
            WHERE f.checkout_id = ? AND n.kind IN ({marks(kinds)}) AND f.is_test = 0
            AND NOT EXISTS (SELECT 1 FROM graph_exact x
                            WHERE x.node_id = n.node_id AND x.question = ?)
            ORDER BY n.rank DESC, f.path, n.line LIMIT ?""",
        (checkout_id, *kinds, question, limit),
    )
    return [NodeRecord._make(row) for row in rows]


async def answered_nodes(state: State, checkout_id: str, question: str) -> list[NodeRecord]:
    """Definitions that have an answer, the oldest first."""
    rows = await state.read(
        f"""SELECT {NODE_COLUMNS} FROM graph_nodes n JOIN graph_files f ON f.file_id = n.file_id
            WHERE f.checkout_id = ?1
            AND n.node_id IN (SELECT node_id FROM graph_exact WHERE question = ?2)
            ORDER BY (SELECT asked_at FROM graph_exact x WHERE x.node_id = n.node_id
                      AND x.question = ?2) LIMIT ?3""",
        (checkout_id, question, MAX_ROWS),
    )
    return [NodeRecord._make(row) for row in rows]
