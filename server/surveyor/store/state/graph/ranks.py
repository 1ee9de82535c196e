"""How important files and definitions are."""

from __future__ import annotations

from collections.abc import Sequence

from surveyor.store.state.database import State

__all__ = [
    "has_ranks",
    "top_files",
    "write_file_ranks",
    "write_node_ranks",
]

_AT_ONCE = 4000
"""Rows written in one transaction."""


async def top_files(state: State, checkout_id: str, limit: int) -> list[tuple[str, float]]:
    """Path and rank of the most important files, the first of them first."""
    rows = await state.read(
        "SELECT path, rank FROM graph_files WHERE checkout_id = ? AND rank > 0"
        " ORDER BY rank DESC LIMIT ?",
        (checkout_id, limit),
    )
    return [(str(row[0]), float(row[1])) for row in rows]


async def write_node_ranks(
    state: State, ranks: Sequence[tuple[int, float]], tolerance: float
) -> None:
    """Store ranks of nodes by id; those that moved less than a share of `tolerance` stay."""
    await _write(state, "graph_nodes", "node_id", ranks, tolerance)


async def write_file_ranks(
    state: State, ranks: Sequence[tuple[int, float]], tolerance: float
) -> None:
    """Store ranks of files by id; those that moved less than a share of `tolerance` stay."""
    await _write(state, "graph_files", "file_id", ranks, tolerance)


async def _write(
    state: State, table: str, key: str, ranks: Sequence[tuple[int, float]], tolerance: float
) -> None:
    for start in range(0, len(ranks), _AT_ONCE):
        async with state.transaction() as tx:
            await tx.many(
                f"UPDATE {table} SET rank = ?2 WHERE {key} = ?1"
                " AND abs(rank - ?2) > ?3 * (rank + ?2)",
                [(*row, tolerance) for row in ranks[start : start + _AT_ONCE]],
            )


async def has_ranks(state: State, checkout_id: str) -> bool:
    """Whether a checkout's files have been ranked."""
    found = await state.value(
        "SELECT EXISTS (SELECT 1 FROM graph_files WHERE checkout_id = ? AND rank > 0)",
        (checkout_id,),
    )
    return bool(found)
