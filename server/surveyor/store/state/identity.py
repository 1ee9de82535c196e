"""Changing ids of projects and checkouts: one function for each table that holds one.

`PROJECT_TABLES` and `CHECKOUT_TABLES` list every table with a column `project_id` or
`checkout_id`, and what is done there; a test holds them against the migrations.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from surveyor.store.state.database import Transaction

Move = Callable[[Transaction, str, str], Awaitable[None]]
"""Gives the rows of an id (the first) another one. Where the other has the same row already, it is
replaced."""


async def _move_branch_files(tx: Transaction, old: str, new: str) -> None:
    await tx.execute(
        "UPDATE OR REPLACE branch_files SET project_id = ? WHERE project_id = ?", (new, old)
    )


async def _move_checkouts(tx: Transaction, old: str, new: str) -> None:
    await tx.execute(
        "UPDATE OR REPLACE checkouts SET project_id = ? WHERE project_id = ?", (new, old)
    )


async def _move_commits(tx: Transaction, old: str, new: str) -> None:
    await tx.execute(
        "UPDATE OR REPLACE commits SET project_id = ? WHERE project_id = ?", (new, old)
    )


async def _move_dead_points(tx: Transaction, old: str, new: str) -> None:
    await tx.execute(
        "UPDATE OR REPLACE dead_points SET project_id = ? WHERE project_id = ?", (new, old)
    )


async def _move_documents(tx: Transaction, old: str, new: str) -> None:
    await tx.execute(
        "UPDATE OR REPLACE documents SET project_id = ? WHERE project_id = ?", (new, old)
    )


async def _move_history_progress(tx: Transaction, old: str, new: str) -> None:
    await tx.execute(
        "UPDATE OR REPLACE history_progress SET project_id = ? WHERE project_id = ?", (new, old)
    )


async def _move_library_documents(tx: Transaction, old: str, new: str) -> None:
    await tx.execute(
        "UPDATE OR REPLACE library_documents SET project_id = ? WHERE project_id = ?", (new, old)
    )


async def _move_project_packages(tx: Transaction, old: str, new: str) -> None:
    await tx.execute(
        "UPDATE OR REPLACE project_packages SET project_id = ? WHERE project_id = ?", (new, old)
    )


async def _move_rules(tx: Transaction, old: str, new: str) -> None:
    await tx.execute("UPDATE OR REPLACE rules SET project_id = ? WHERE project_id = ?", (new, old))


async def _move_files(tx: Transaction, old: str, new: str) -> None:
    await tx.execute(
        "UPDATE OR REPLACE files SET checkout_id = ? WHERE checkout_id = ?", (new, old)
    )


async def _move_graph_files(tx: Transaction, old: str, new: str) -> None:
    await tx.execute(
        "UPDATE OR REPLACE graph_files SET checkout_id = ? WHERE checkout_id = ?", (new, old)
    )


async def _move_queue(tx: Transaction, old: str, new: str) -> None:
    await tx.execute(
        "UPDATE OR REPLACE unified_queue SET checkout_id = ? WHERE checkout_id = ?", (new, old)
    )


async def _move_rule_anchors(tx: Transaction, old: str, new: str) -> None:
    await tx.execute(
        "UPDATE OR REPLACE rule_anchors SET checkout_id = ? WHERE checkout_id = ?", (new, old)
    )


async def _rename_checkout(tx: Transaction, old: str, new: str) -> None:
    """The checkout's own row, and its submodules'."""
    await tx.execute("UPDATE checkouts SET checkout_id = ? WHERE checkout_id = ?", (new, old))
    await tx.execute(
        "UPDATE checkouts SET parent_checkout_id = ? WHERE parent_checkout_id = ?", (new, old)
    )


PROJECT_TABLES: dict[str, Move | None] = {
    "branch_files": _move_branch_files,
    "checkouts": _move_checkouts,
    "commits": _move_commits,
    "dead_points": _move_dead_points,
    "documents": _move_documents,
    "history_progress": _move_history_progress,
    "library_documents": _move_library_documents,
    "project_packages": _move_project_packages,
    "projects": None,  # the project itself: its new row is there, the old one is deleted
    "rules": _move_rules,
}
"""By table with a `project_id`."""

CHECKOUT_TABLES: dict[str, Move] = {
    "checkouts": _rename_checkout,
    "files": _move_files,
    "graph_files": _move_graph_files,
    "rule_anchors": _move_rule_anchors,
    "unified_queue": _move_queue,
}
"""By table with a `checkout_id`."""

NOT_JOINED = ("checkouts", "documents")
"""Tables that stay when a project joins another one: each checkout changes by itself, and its files
are mapped to the other's documents by the next scan."""


async def defer_references(tx: Transaction) -> None:
    """Check what refers to what at the end of a transaction only."""
    await tx.execute("PRAGMA defer_foreign_keys = ON")


async def move_project(tx: Transaction, old: str, new: str) -> None:
    """Give everything of a project another project's id, which has a row."""
    for move in PROJECT_TABLES.values():
        if move is not None:
            await move(tx, old, new)


async def join_project(tx: Transaction, old: str, new: str) -> None:
    """Hand what a project has beside files and checkouts to another one."""
    for table, move in PROJECT_TABLES.items():
        if move is not None and table not in NOT_JOINED:
            await move(tx, old, new)


async def move_checkout(tx: Transaction, old: str, new: str) -> None:
    """Give everything of a checkout another id."""
    for move in CHECKOUT_TABLES.values():
        await move(tx, old, new)


async def place_checkout(
    tx: Transaction,
    checkout_id: str,
    *,
    project_id: str,
    root: str,
    branch: str | None,
    head: str | None,
) -> None:
    """Say where a checkout is, and of which project it is."""
    await tx.execute(
        "UPDATE checkouts SET project_id = ?, root = ?, branch = ?, head = ?, missing_since = NULL"
        " WHERE checkout_id = ?",
        (project_id, root, branch, head, checkout_id),
    )


async def delete_project_without_documents(tx: Transaction, project_id: str) -> None:
    """Delete a project's row unless documents are left, whose points have to go first."""
    await tx.execute(
        "DELETE FROM projects WHERE project_id = ? AND NOT EXISTS"
        " (SELECT 1 FROM documents d WHERE d.project_id = projects.project_id)",
        (project_id,),
    )
