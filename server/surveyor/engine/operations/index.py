"""Registering, indexing and looking after projects."""

from __future__ import annotations

import asyncio
import time

from surveyor.engine.app import Engine
from surveyor.engine.index.runs import Run
from surveyor.engine.operations import Call, operation
from surveyor.engine.projects.checkouts import Checkout
from surveyor.errors import NotFoundError
from surveyor.protocol.base import Done
from surveyor.protocol.engine import StopRequest
from surveyor.protocol.projects import (
    ControlRequest,
    IndexProgressRequest,
    IndexRequest,
    IndexResponse,
    Progress,
    ProjectsRequest,
    ProjectsResponse,
    RemoveProjectRequest,
)

MAX_WAIT_MS = 60_000
STANDSTILL = (
    "paused",
    "disk_full",
    "missing_root",
    "store_unreachable",
    "index_damaged",
    "read_only",
)
"""Reasons for which an index run makes no progress."""
STANDSTILL_S = 10.0
"""How long whoever waits for a run waits for one that makes none."""


@operation(IndexRequest)
async def index(engine: Engine, request: IndexRequest, call: Call) -> IndexResponse:
    """Register if needed, scan, and wait for the end when asked to."""
    engine.require_writable()
    checkout = await engine.registration.register(
        request.path, explicit=request.explicit, force=request.force
    )
    await engine.activity.begin(call.session, checkout)
    run = await engine.scanner.scan(checkout, clean=request.clean)
    run.asked = True
    if request.wait:
        try:
            await _end_of(engine, checkout, run)
        except asyncio.CancelledError:
            if request.clean:
                engine.spawn(engine.scanner.abandon(checkout))
            raise
    checkout = await engine.projects.current(checkout) or checkout
    fresh = await engine.freshness(checkout)
    return IndexResponse(
        root=checkout.root,
        project=checkout.name,
        project_id=checkout.project_id,
        checkout_id=checkout.checkout_id,
        run=run.number,
        report=run.report() if run.phase == "done" else None,
        **fresh.freshness(),
    )


async def _end_of(engine: Engine, checkout: Checkout, run: Run) -> None:
    """Until a run ends, or has stood still for a while: the answer has the reason."""
    since = time.monotonic()
    while run.phase != "done":
        seen = run.changes
        await run.wait(seen, STANDSTILL_S / 4)
        now = await engine.projects.current(checkout) or checkout
        stands = (await engine.freshness(now)).reason in STANDSTILL
        if not stands or run.changes != seen:
            since = time.monotonic()
        elif time.monotonic() - since > STANDSTILL_S:
            return


@operation(IndexProgressRequest)
async def progress(engine: Engine, request: IndexProgressRequest, _: Call) -> Progress:
    """Where the last run of a folder is, once something changed."""
    checkout = await engine.resolve(cwd=request.root)
    run = engine.pipeline.runs.get(checkout.checkout_id)
    if run is None:
        raise NotFoundError(f"{checkout.root} has not been indexed since the engine started")
    if request.wait_ms:
        await run.wait(request.seen, min(request.wait_ms, MAX_WAIT_MS) / 1000)
    now = run.progress()
    fresh = await engine.freshness(checkout)
    if now.phase != "done" and fresh.reason in STANDSTILL:
        now.notice = fresh.message
    return now


@operation(ProjectsRequest)
async def projects(engine: Engine, _: ProjectsRequest, call: Call) -> ProjectsResponse:
    """Every registered folder with its counts."""
    known = await engine.projects.all()
    return ProjectsResponse(projects=[await engine.status.of_project(c) for c in known])


@operation(RemoveProjectRequest)
async def remove(engine: Engine, request: RemoveProjectRequest, _: Call) -> Done:
    """Forget a folder."""
    engine.require_writable()
    checkout = await engine.resolve(project=request.project)
    await engine.registration.remove(checkout)
    return Done(message=f"Removed {checkout.root} from the index; its files are untouched.")


@operation(ControlRequest)
async def control(engine: Engine, request: ControlRequest, _: Call) -> Done:
    """Pause, resume, watch, stop watching or give up a reindexing."""
    engine.require_writable()
    if request.project is None:
        if request.action in ("pause", "resume"):
            await engine.pause(request.action == "pause")
            return Done(message=f"Indexing is {request.action}d.")
        raise NotFoundError("no project given", "Name its folder.")
    checkout = await engine.resolve(project=request.project)
    root = checkout.root
    if request.action == "cancel":
        given_up = await engine.scanner.abandon(checkout)
        what = "is given up; its index is as it was" if given_up else "was not under way"
        return Done(message=f"Reindexing {root} {what}.")
    if request.action in ("pause", "resume"):
        await engine.projects.set_flags(checkout, paused=request.action == "pause")
        return Done(message=f"Indexing of {root} is {request.action}d.")
    if request.action == "watch":
        await engine.projects.set_flags(checkout, watched=True)
        await engine.scanner.scan(await engine.projects.get(checkout.checkout_id))
        return Done(message=f"{root} is followed.")
    await engine.projects.set_flags(checkout, watched=False)
    await engine.unwatch(checkout)
    if request.purge:
        await engine.scanner.purge(checkout)
        return Done(message=f"{root} is not followed any more and its index is dropped.")
    return Done(message=f"{root} is not followed any more; its index is kept as it is.")


@operation(StopRequest)
async def stop(engine: Engine, _: StopRequest, call: Call) -> Done:
    """End the engine once this answer is out."""
    from surveyor.engine.process.shutdown import children_of, named

    asyncio.get_running_loop().call_later(0.05, engine.stop, "asked to")
    ended = named(await asyncio.to_thread(children_of, engine.pid))
    with_them = f", with {', '.join(ended)}" if ended else ""
    return Done(message=f"The engine ({engine.pid}) is ending{with_them}.")
