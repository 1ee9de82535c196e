"""Registering, indexing and looking after projects."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping

from surveyor.engine.index.runs import IndexRun
from surveyor.engine.index.scanner import Scanner
from surveyor.engine.operations import Caller, operation
from surveyor.engine.operations.engine_callables import FreshnessOf, ResolveCheckout, SpawnTask
from surveyor.engine.process.sessions import Session
from surveyor.engine.projects.checkouts import Checkout
from surveyor.engine.projects.registration import Registration
from surveyor.engine.projects.registry import ProjectRegistry
from surveyor.errors import NotFoundError, Quoting, UsageError
from surveyor.files import contained_paths
from surveyor.protocol.base import Done
from surveyor.protocol.projects import (
    STANDSTILL,
    ControlRequest,
    IndexProgress,
    IndexProgressRequest,
    IndexReport,
    IndexRequest,
    IndexResponse,
    ProjectsRequest,
    ProjectsResponse,
    ProjectStatus,
    RemoveProjectRequest,
)

MAX_WAIT_MS = 60_000
STANDSTILL_S = 10.0
"""How long whoever waits for a run waits for one that makes none."""


class IndexOperations:
    """Registering, indexing and looking after projects."""

    def __init__(
        self,
        resolve: ResolveCheckout,
        freshness: FreshnessOf,
        projects: ProjectRegistry,
        registration: Registration,
        scanner: Scanner,
        begin: Callable[[Session | None, Checkout], Awaitable[None]],
        runs: Mapping[str, IndexRun],
        shortage_of: Callable[[IndexRun], str],
        pause: Callable[[bool], Awaitable[None]],
        unwatch: Callable[[Checkout], Awaitable[None]],
        project_status: Callable[[Checkout], Awaitable[ProjectStatus]],
        require_writable: Callable[[], None],
        spawn: SpawnTask,
        wait_edges: Callable[[str, float], Awaitable[bool]],
        why_empty: Callable[[Checkout], str],
    ) -> None:
        """`wait_edges` waits for a checkout's id, up to some seconds, until its edges are up to
        date, and says whether they are; `why_empty` says why nothing at all of one is indexed, if
        so."""
        self._why_empty = why_empty
        self._resolve = resolve
        self._freshness = freshness
        self._projects = projects
        self._registration = registration
        self._scanner = scanner
        self._begin = begin
        self._runs = runs
        self._shortage_of = shortage_of
        self._pause = pause
        self._unwatch = unwatch
        self._project_status = project_status
        self._require_writable = require_writable
        self._spawn = spawn
        self._wait_edges = wait_edges

    @operation(IndexRequest)
    async def index(self, request: IndexRequest, call: Caller) -> IndexResponse:
        """Register if needed, scan, and wait for the end when asked to."""
        self._require_writable()
        checkout = await self._registration.register(
            request.path, explicit=request.explicit, force=request.force
        )
        await self._begin(call.session, checkout)
        run = await self._scanner.scan(checkout, clean=request.clean)
        run.asked = True
        if request.wait:
            try:
                await self._end_of(checkout, run)
            except asyncio.CancelledError:
                if request.clean:
                    self._spawn(self._scanner.abandon(checkout))
                raise
        checkout = await self._projects.current(checkout) or checkout
        fresh = await self._freshness(checkout)
        return IndexResponse(
            root=checkout.root,
            project=checkout.name,
            project_id=checkout.project_id,
            checkout_id=checkout.checkout_id,
            run=run.number,
            report=self._told(run.report(), checkout) if run.phase == "done" else None,
            **fresh.freshness(),
        )

    async def _end_of(self, checkout: Checkout, run: IndexRun) -> None:
        """Until a run ends, or has stood still for a while: the answer has the reason."""
        since = time.monotonic()
        while run.phase != "done":
            seen = run.changes
            await run.wait(seen, STANDSTILL_S / 4)
            now = await self._projects.current(checkout) or checkout
            stands = (await self._freshness(now)).reason in STANDSTILL
            if not stands or run.changes != seen:
                since = time.monotonic()
            elif time.monotonic() - since > STANDSTILL_S:
                return

    def _told(self, report: IndexReport, checkout: Checkout) -> IndexReport:
        """A report that says why the folder has nothing indexed, if so."""
        report.nothing_indexed = self._why_empty(checkout) or None
        return report

    @operation(IndexProgressRequest)
    async def progress(self, request: IndexProgressRequest, _: Caller) -> IndexProgress:
        """Where the last run of a folder is, once something changed or its edges are there."""
        checkout = await self._resolve(cwd=request.root)
        run = self._runs.get(checkout.checkout_id)
        if run is None:
            raise NotFoundError(f"{checkout.root} has not been indexed since the engine started")
        wait_s = min(request.wait_ms, MAX_WAIT_MS) / 1000
        edges_pending = request.edges
        if request.edges and run.phase == "done":
            edges_pending = not await self._wait_edges(checkout.checkout_id, wait_s)
        elif wait_s:
            await run.wait(request.seen, wait_s)
        now = run.progress()
        now.edges_pending = edges_pending
        fresh = await self._freshness(checkout)
        if now.report is not None:
            now.report = self._told(now.report, checkout)
        elif fresh.reason in STANDSTILL:
            now.notice = fresh.message
        else:
            now.foreseen = self._shortage_of(run) or None
        return now

    @operation(ProjectsRequest)
    async def projects(self, _: ProjectsRequest, call: Caller) -> ProjectsResponse:
        """Every registered folder with its counts."""
        known = await self._projects.all()
        return ProjectsResponse(projects=[await self._project_status(c) for c in known])

    @operation(RemoveProjectRequest)
    async def remove(self, request: RemoveProjectRequest, _: Caller) -> Done:
        """Forget a folder."""
        self._require_writable()
        checkout = await self._resolve(project=request.project)
        await _require_whole(checkout, request.project)
        await self._registration.remove(checkout)
        return Done(message=f"Removed {checkout.root} from the index; its files are untouched.")

    @operation(ControlRequest)
    async def control(self, request: ControlRequest, _: Caller) -> Done:
        """Pause, resume, watch, stop watching or give up a reindexing."""
        self._require_writable()
        if request.project is None:
            if request.action in ("pause", "resume"):
                await self._pause(request.action == "pause")
                return Done(message=f"Indexing is {request.action}d.")
            raise NotFoundError("no project given", "Name its folder.")
        checkout = await self._resolve(project=request.project)
        root = checkout.root
        if request.purge:
            await _require_whole(checkout, request.project)
        if request.action == "cancel":
            given_up = await self._scanner.abandon(checkout)
            what = "is given up; its index is as it was" if given_up else "was not under way"
            return Done(message=f"Reindexing {root} {what}.")
        if request.action in ("pause", "resume"):
            await self._projects.set_flags(checkout, paused=request.action == "pause")
            return Done(message=f"Indexing of {root} is {request.action}d.")
        if request.action == "watch":
            await self._projects.set_flags(checkout, watched=True)
            await self._scanner.scan(await self._projects.get(checkout.checkout_id))
            return Done(message=f"{root} is followed.")
        await self._projects.set_flags(checkout, watched=False)
        await self._unwatch(checkout)
        if request.purge:
            await self._scanner.purge(checkout)
            return Done(message=f"{root} is not followed any more and its index is dropped.")
        return Done(message=f"{root} is not followed any more; its index is kept as it is.")


async def _require_whole(checkout: Checkout, named: str) -> None:
    """Raises `UsageError` for a place within a project: that its whole index goes was not said."""
    if "/" in named and str(await asyncio.to_thread(contained_paths.real, named)) != checkout.root:
        raise UsageError(
            f"{contained_paths.shown(named)} is a place in {checkout.root}, and no project",
            Quoting(f"To drop all of it, name {checkout.root}."),
        )
