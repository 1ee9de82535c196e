"""Changing ids: a project gained a remote, a folder moved. Rows and tenants are rewritten."""

from __future__ import annotations

import logging
from collections.abc import Callable

from surveyor.engine.index.pipeline import Pipeline
from surveyor.engine.index.unsaved_buffers import EditorBuffers
from surveyor.engine.index.vector_rebuild import VectorRebuilder
from surveyor.engine.process.store_executor import StoreExecutor
from surveyor.engine.projects.checkouts import Checkout
from surveyor.engine.projects.freshness import IndexFreshness
from surveyor.engine.projects.registry import ProjectRegistry
from surveyor.git.project import ProjectInfo
from surveyor.store.state import State, files, identity, queue
from surveyor.store.state import projects as project_rows

log = logging.getLogger(__name__)

RenameInGraph = Callable[[str, str, str], None]
"""Called with a checkout's old id, its new one and its root."""


class IdentityChange:
    """Gives checkouts other ids; what hangs on them follows."""

    def __init__(
        self,
        state: State,
        projects: ProjectRegistry,
        freshness: IndexFreshness,
        pipeline: Pipeline,
        editor_buffers: EditorBuffers,
        store_executor: StoreExecutor,
        vector_rebuilder: VectorRebuilder,
        rename_in_graph: RenameInGraph,
    ) -> None:
        self._state = state
        self._projects = projects
        self._freshness = freshness
        self._pipeline = pipeline
        self._editor_buffers = editor_buffers
        self._store_executor = store_executor
        self._vector_rebuilder = vector_rebuilder
        self._rename_in_graph = rename_in_graph

    async def apply(self, checkout: Checkout, info: ProjectInfo) -> None:
        """Give a checkout the ids that its folder has now.

        Where the new project is known already (another clone has the same remote), the checkout
        joins it: its files are mapped again at the next scan, with vectors found by their text.
        """
        old, new = checkout.project_id, info.project_id
        async with self._pipeline.committer.committing, self._projects.naming():
            moves_project = new != old
            joined = moves_project and await project_rows.has_project(self._state, new)
            alone = await project_rows.count_checkouts(self._state, old) == 1
            whole = moves_project and not joined and alone
            async with self._state.transaction() as tx:
                await identity.defer_references(tx)
                if moves_project and not joined:
                    await project_rows.insert_project(tx, new, info.name, info.remote)
                if moves_project and not whole:
                    await files.forget_files(tx, checkout.checkout_id)
                await queue.delete_files(tx, checkout.checkout_id)
                if whole:
                    await identity.move_project(tx, old, new)
                elif joined and alone:
                    await identity.join_project(tx, old, new)
                await identity.move_checkout(tx, checkout.checkout_id, info.checkout_id)
                await identity.place_checkout(
                    tx,
                    info.checkout_id,
                    project_id=new,
                    root=str(info.root),
                    branch=info.branch,
                    head=info.head,
                )
                if moves_project and alone:
                    await identity.delete_project_without_documents(tx, old)
            self._pipeline.rename_checkout(checkout.checkout_id, info.checkout_id, str(info.root))
            if whole or not moves_project:
                self._freshness.rename(checkout.checkout_id, info.checkout_id)
            self._editor_buffers.rename_checkout(checkout.checkout_id, info.checkout_id)
            self._rename_in_graph(checkout.checkout_id, info.checkout_id, str(info.root))
            if whole:
                await self._store_executor.rename_project(old, new)
                self._vector_rebuilder.rename_project(old, new)
                await self._freshness.count_stale()
            elif moves_project and not await project_rows.has_project(self._state, old):
                await self._store_executor.drop_project(old)
            log.info("%s is now %s of project %s", info.root, info.checkout_id, new)
