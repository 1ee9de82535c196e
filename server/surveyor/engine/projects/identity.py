"""Changing ids: a project gained a remote, a folder moved. Rows and tenants are rewritten."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from surveyor.engine.index import catalog
from surveyor.git.project import ProjectInfo

if TYPE_CHECKING:
    from surveyor.engine.app import Engine
    from surveyor.engine.projects.registry import Checkout

log = logging.getLogger(__name__)


async def rewrite_identity(engine: Engine, checkout: Checkout, info: ProjectInfo) -> None:
    """Give a checkout the ids that its folder has now; what hangs on them follows.

    Where the new project is known already (another clone has the same remote), the checkout joins
    it: its files are mapped again at the next scan, with vectors found by their text.
    """
    async with engine.writing(), engine.projects.naming():
        state = engine.state
        moves_project = info.project_id != checkout.project_id
        joined = moves_project and await state.value(
            "SELECT 1 FROM projects WHERE project_id = ?", (info.project_id,)
        )
        shared = await state.value(
            "SELECT count(*) FROM checkouts WHERE project_id = ?", (checkout.project_id,)
        )
        whole = moves_project and not joined and shared == 1
        async with state.transaction() as tx:
            await tx.execute("PRAGMA defer_foreign_keys = ON")
            tables = [
                str(row[0])
                for row in await tx.read(
                    "SELECT name FROM sqlite_master WHERE type = 'table'"
                    " AND name NOT LIKE 'sqlite_%'"
                )
            ]
            columns = {
                table: {str(row["name"]) for row in await tx.read(f"PRAGMA table_info({table})")}
                for table in tables
            }
            if moves_project and not joined:
                await tx.execute(
                    "INSERT INTO projects (project_id, name, remote) VALUES (?, ?, ?)",
                    (info.project_id, info.name, info.remote),
                )
            if moves_project and not whole:
                rows = await tx.read(
                    "DELETE FROM files WHERE checkout_id = ? RETURNING doc_id",
                    (checkout.checkout_id,),
                )
                await catalog.drop_unused(
                    tx, [row["doc_id"] for row in rows if row["doc_id"] is not None]
                )
            await tx.execute(
                "DELETE FROM unified_queue WHERE checkout_id = ? AND item_type = 'file'",
                (checkout.checkout_id,),
            )
            for table, names in columns.items():
                if (
                    table != "projects"
                    and "project_id" in names
                    and (
                        whole
                        or (joined and shared == 1 and table not in ("documents", "checkouts"))
                    )
                ):
                    await tx.execute(
                        f"UPDATE OR REPLACE {table} SET project_id = ? WHERE project_id = ?",
                        (info.project_id, checkout.project_id),
                    )
                if "checkout_id" in names:
                    await tx.execute(
                        f"UPDATE OR REPLACE {table} SET checkout_id = ? WHERE checkout_id = ?",
                        (info.checkout_id, checkout.checkout_id),
                    )
            await tx.execute(
                "UPDATE checkouts SET parent_checkout_id = ? WHERE parent_checkout_id = ?",
                (info.checkout_id, checkout.checkout_id),
            )
            await tx.execute(
                "UPDATE checkouts SET project_id = ?, root = ?, branch = ?, head = ?,"
                " missing_since = NULL WHERE checkout_id = ?",
                (info.project_id, str(info.root), info.branch, info.head, info.checkout_id),
            )
            if moves_project and shared == 1:
                await tx.execute(
                    "DELETE FROM projects WHERE project_id = ? AND NOT EXISTS"
                    " (SELECT 1 FROM documents d WHERE d.project_id = projects.project_id)",
                    (checkout.project_id,),
                )
        engine.pipeline.rename_checkout(checkout.checkout_id, info.checkout_id, str(info.root))
        if whole or not moves_project:
            engine.projects.rename(checkout.checkout_id, info.checkout_id)
        engine.overlays.rename_checkout(checkout.checkout_id, info.checkout_id)
        engine.graph.updater.rename(checkout.checkout_id, info.checkout_id, str(info.root))
        if whole:
            await engine.access.rename_project(checkout.project_id, info.project_id)
            engine.remaker.rename_project(checkout.project_id, info.project_id)
            await engine.projects.count_stale()
        elif moves_project and not await state.value(
            "SELECT 1 FROM projects WHERE project_id = ?", (checkout.project_id,)
        ):
            await engine.access.drop_project(checkout.project_id)
        log.info("%s is now %s of project %s", info.root, info.checkout_id, info.project_id)
