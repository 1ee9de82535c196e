"""The engine's account of itself."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from surveyor import __version__
from surveyor.config.addresses import without_user
from surveyor.config.web_summary import web_said
from surveyor.engine.index.model_in_use import ModelInUse
from surveyor.engine.index.pipeline import Pipeline
from surveyor.engine.index.vector_rebuild import VectorRebuilder
from surveyor.engine.process.lifetime import Lifetime
from surveyor.engine.process.live_settings import LiveSettings
from surveyor.engine.process.sessions import Sessions
from surveyor.engine.projects.checkouts import Checkout
from surveyor.engine.projects.freshness import IndexFreshness
from surveyor.engine.projects.registry import ProjectRegistry
from surveyor.knowledge.service import Knowledge
from surveyor.process_memory import resident_and_anonymous_bytes
from surveyor.protocol.engine import StatusResponse
from surveyor.protocol.projects import ProjectStatus, SkippedFile
from surveyor.store.state import State, files, queue
from surveyor.store.state.graph.files import count_behind
from surveyor.store.vectors.contract import VectorStore
from surveyor.worker.pool import WorkerPool


class StatusReport:
    """Counts, sizes and freshness of what an engine has."""

    def __init__(
        self,
        data_dir: Path,
        state: State,
        vectors: VectorStore,
        projects: ProjectRegistry,
        resolve: Callable[[str], Awaitable[Checkout]],
        freshness: IndexFreshness,
        pipeline: Pipeline,
        pool: WorkerPool,
        model: ModelInUse,
        vector_rebuilder: VectorRebuilder,
        knowledge: Knowledge,
        sessions: Sessions,
        live_settings: LiveSettings,
        lifetime: Lifetime,
        compacting: Callable[[str], bool],
        commits_said: Callable[[Checkout], str | None],
        given_up: Callable[[str], Awaitable[list[str]]],
    ) -> None:
        """`resolve` gives the checkout that a path lies in; `compacting` says of a checkout's id
        whether its vectors are still to be made compact; `commits_said` says of a checkout what
        its commits taught the search; `given_up` of which of its files, by its id, it could not be
        worked out what they use."""
        self._data_dir = data_dir
        self._state = state
        self._vectors = vectors
        self._projects = projects
        self._resolve = resolve
        self._freshness = freshness
        self._pipeline = pipeline
        self._pool = pool
        self._model = model
        self._vector_rebuilder = vector_rebuilder
        self._knowledge = knowledge
        self._sessions = sessions
        self._live_settings = live_settings
        self._lifetime = lifetime
        self._compacting = compacting
        self._commits_said = commits_said
        self._given_up = given_up

    async def of_project(self, checkout: Checkout) -> ProjectStatus:
        """Counts and freshness of a checkout."""
        state, checkout_id = self._state, checkout.checkout_id
        counts = await files.count_by_status(state, checkout_id)
        languages = await files.count_by_language(state, checkout_id)
        chunks = await files.count_chunks(state, checkout_id)
        symbols = await files.count_symbols(state, checkout_id)
        known = {each.checkout_id: each for each in await self._projects.all()}
        parent = known.get(checkout.parent_checkout_id or "")
        disk_bytes = await asyncio.to_thread(
            self._vectors.disk_bytes, self._pipeline.committer.space(checkout.project_id)
        )
        # Last: what happened since the counts is said.
        fresh = await self._freshness.of(checkout)
        run = self._pipeline.runs.get(checkout_id)
        return ProjectStatus(
            root=checkout.root,
            name=checkout.name,
            project_id=checkout.project_id,
            checkout_id=checkout.checkout_id,
            branch=checkout.branch,
            files=counts.get("indexed", 0),
            chunks=chunks,
            symbols=symbols,
            skipped=counts.get("skipped", 0),
            failed=counts.get("failed", 0),
            languages=languages,
            watched=checkout.watched,
            active=checkout.active,
            paused=checkout.paused or self._pipeline.paused,
            model=self._model.info.name,
            last_indexed=checkout.last_scan,
            parent_root=parent.root if parent is not None else None,
            disk_bytes=disk_bytes,
            reembedding=self._vector_rebuilder.reembedding(checkout.project_id),
            left_s=None if run is None or not fresh.files_behind else run.left_s,
            edges_behind=await count_behind(self._state, checkout.checkout_id),
            unread_uses=await self._given_up(checkout.checkout_id),
            compacting=self._compacting(checkout.checkout_id),
            learned=self._commits_said(checkout),
            **fresh.freshness(),
        )

    async def of_engine(self, path: str | None, skipped: bool) -> StatusResponse:
        """The engine, its projects (or the one at `path`), and what was skipped there."""
        checkouts = await self._projects.all()
        stalled = await self._projects.looks.stalled(each.root for each in checkouts)
        if path is not None:
            at = [each for each in checkouts if each.root in stalled and each.root == path]
            checkouts = at or [await self._resolve(path)]
        left_out: list[SkippedFile] = []
        if skipped:
            for checkout in checkouts:
                left_out += [
                    SkippedFile(path=each.path, reason=each.reason, detail=each.detail)
                    for each in await files.left_out(self._state, checkout.checkout_id)
                ]
        pid, settings = self._lifetime.pid, self._live_settings.settings
        rss, anonymous = resident_and_anonymous_bytes(pid)
        return StatusResponse(
            engine_version=__version__,
            pid=pid,
            uptime_s=round(self._lifetime.uptime_s, 1),
            data_dir=str(self._data_dir),
            store=settings.qdrant.url or "embedded",
            model=self._model.info.name,
            asks=settings.ask.endpoint and without_user(settings.ask.endpoint),
            web=web_said(self._live_settings.web),
            projects=[await self.of_project(checkout) for checkout in checkouts],
            queue=await queue.counts(self._state),
            sessions=len(self._sessions),
            memory_bytes=rss,
            anonymous_bytes=anonymous,
            worker_bytes=sum(resident_and_anonymous_bytes(pid)[1] for pid in self._pool.pids),
            disk_free_bytes=shutil.disk_usage(self._data_dir).free,
            limits={
                "max_file_size": settings.indexing.max_file_size,
                "open_shards": settings.engine.open_shards,
                "min_free_disk": self._pipeline.disk_room.min_free,
            },
            skipped=left_out,
            knowledge=await self._of_knowledge(checkouts),
        )

    async def _of_knowledge(self, checkouts: Sequence[Checkout]) -> dict[str, Any]:
        """What is kept beside the code, by kind and project, the limits, and what is wrong in
        them."""
        usage = await self._knowledge.retention.usage()
        stalled = await self._projects.looks.stalled(one.root for one in checkouts)
        checkouts = [one for one in checkouts if one.root not in stalled]
        told_of = await asyncio.to_thread(
            lambda: [w for one in checkouts for w in self._live_settings.warnings_of(one.root)]
        )
        usage.warnings = [
            *self.warnings,
            *dict.fromkeys(told_of),
            *usage.warnings,
            *sorted(self._knowledge.writes.warnings),
        ]
        told: dict[str, Any] = msgspec.to_builtins(usage)
        return told

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is wrong in the user's settings."""
        return (*self._live_settings.warnings, *filter(None, [self._model.warning]))
