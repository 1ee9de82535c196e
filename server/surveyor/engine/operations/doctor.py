"""Checks of what the running engine holds."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import textwrap
from pathlib import Path

from surveyor.config.units import format_size
from surveyor.engine.app import Engine
from surveyor.engine.operations import Call, operation
from surveyor.protocol.engine import DoctorRequest, DoctorResponse, Finding
from surveyor.store.state import queue
from surveyor.store.state.content_digests import find_damage
from surveyor.store.vectors.contract import StoreError, StoreUnreachableError

BRIEF_CHARS = 200


@operation(DoctorRequest)
async def doctor(engine: Engine, request: DoctorRequest, _: Call) -> DoctorResponse:
    """State, store, points, queue, watches, disk and settings, one finding each."""
    state = await _state(engine)
    if not state.ok:  # whatever else is asked of it fails
        return DoctorResponse(findings=[state, _disk(engine)])
    try:
        points = [*await _shards(engine, request.repair), *await _points(engine, request.repair)]
    except StoreUnreachableError as error:
        points = [Finding(check="store", ok=False, message=error.message, hint=error.hint)]
    findings = [
        state,
        await _copy(engine, request.repair),
        *points,
        await _queue(engine),
        *await _watches(engine),
        _disk(engine),
        *await _settings(engine),
        *await _limits(engine),
    ]
    return DoctorResponse(findings=findings)


async def _state(engine: Engine) -> Finding:
    try:
        problems = [str(row[0]) for row in await engine.state.read("PRAGMA quick_check(5)")]
    except sqlite3.DatabaseError as error:
        problems = [str(error)]
    if problems == ["ok"]:
        try:
            damage = await asyncio.to_thread(find_damage, engine.state.path)
            problems = [f"not what was written: {damage.said()}"] if damage else []
        except sqlite3.Error as error:
            problems = [str(error)]
    if not problems:
        return Finding(
            check="state",
            ok=True,
            message=f"{engine.state.path} is sound, and holds what was written",
        )
    return Finding(
        check="state",
        ok=False,
        message=f"{engine.state.path} is damaged: {_brief(problems[0])}",
        hint="`surveyor doctor --repair` makes what is derived again from your files.",
    )


async def _copy(engine: Engine, repair: bool) -> Finding:
    """The second copy of what nothing can make again."""
    keeping = engine.state.keeping
    problem = await keeping.problem()
    if problem and repair:
        await engine.state.make_spare_anew()
    return Finding(
        check="copy",
        ok=not problem,
        message=f"{keeping.path} is damaged: {_brief(problem)}"
        if problem
        else f"{keeping.path} holds what you stored a second time",
        hint="`surveyor doctor --repair` makes it again." if problem and not repair else "",
        repaired=bool(problem) and repair,
    )


async def _shards(engine: Engine, repair: bool) -> list[Finding]:
    from surveyor.store.vectors.edge import EdgeStore

    store = engine.vectors
    if not isinstance(store, EdgeStore):
        count = len(await engine.on_store(store.spaces))
        return [Finding(check="store", ok=True, message=f"the server answers; {count} spaces")]
    damaged = await engine.on_store(lambda: store.damaged(probe=True))
    if not damaged:
        return [Finding(check="store", ok=True, message="every shard opens")]
    findings = []
    for each in damaged:
        moved = await engine.on_store(store.quarantine, each) if repair else None
        findings.append(
            Finding(
                check="store",
                ok=False,
                message=f"shard {each.folder.parent.name}: {_brief(each.reason)}",
                hint=f"moved to {moved}; its points are made again"
                if moved
                else "`surveyor doctor --repair` makes its points again from the index.",
                repaired=moved is not None,
            )
        )
    return findings


def _brief(reason: str) -> str:
    """What a library says of damage, without its own account of how it came there."""
    lines = [line for line in reason.splitlines() if not line.startswith("***")]
    return textwrap.shorten(lines[0] if lines else reason, BRIEF_CHARS, placeholder=" …")


async def _points(engine: Engine, repair: bool) -> list[Finding]:
    """Whether every project has exactly the points of its chunks."""
    findings = []
    for row in await engine.state.read(
        """SELECT project_id, name FROM projects p WHERE EXISTS
           (SELECT 1 FROM checkouts c WHERE c.project_id = p.project_id) ORDER BY name"""
    ):
        project_id, name = str(row[0]), str(row[1])
        share = engine.reembedding(project_id)
        if share is not None and not repair:  # under way: nothing that anybody has to put right
            findings.append(
                Finding(
                    check="points",
                    ok=True,
                    message=f"{name}: points are being made anew, {share:.0%} so far",
                )
            )
            continue
        try:
            if repair:
                missing, superfluous = await engine.remaker.reconcile(project_id)
            else:
                missing, superfluous = await engine.remaker.compare(project_id)
        except StoreUnreachableError:
            raise
        except StoreError:  # its shard is damaged, as has been said
            continue
        ok = not (missing or superfluous)
        what = f"{missing} points are missing, {superfluous} are superfluous"
        findings.append(
            Finding(
                check="points",
                ok=ok,
                message=f"{name}: {'complete' if ok else what}",
                hint="" if ok or repair else "`surveyor doctor --repair` puts it right.",
                repaired=repair and not ok,
            )
        )
    return findings


async def _queue(engine: Engine) -> Finding:
    counts = await queue.counts(engine.state)
    if counts["failed"]:
        return Finding(
            check="queue",
            ok=False,
            message=f"{counts['failed']} items failed for good",
            hint="`surveyor queue list --failed` says why; `surveyor queue retry` tries again.",
        )
    return Finding(check="queue", ok=True, message=f"{counts['pending']} items wait, none failed")


async def _watches(engine: Engine) -> list[Finding]:
    findings = []
    for checkout in await engine.projects.all():
        problem = engine.watcher.problem(Path(checkout.root)) if checkout.watched else ""
        if problem or checkout.missing_since:
            findings.append(
                Finding(
                    check="watch",
                    ok=False,
                    message=f"{checkout.root}: {problem or 'cannot be reached'}",
                    hint="`surveyor reindex` brings it up to date meanwhile.",
                )
            )
    return findings or [Finding(check="watch", ok=True, message="every followed folder is seen")]


def _disk(engine: Engine) -> Finding:
    free = shutil.disk_usage(engine.data_dir).free
    return Finding(
        check="disk",
        ok=free >= engine.pipeline.room.min_free,
        message=f"{format_size(free)} free in {engine.data_dir}",
        hint="" if free >= engine.pipeline.room.min_free else "Free some space to go on indexing.",
    )


async def _settings(engine: Engine) -> list[Finding]:
    warnings = list(engine.warnings)
    for checkout in await engine.projects.all():
        warnings += await asyncio.to_thread(engine.preferences.warnings_of, checkout.root)
    return [
        Finding(check="settings", ok=False, message=warning, hint="See `surveyor config show`.")
        for warning in warnings
    ] or [Finding(check="settings", ok=True, message="every setting is understood")]


async def _limits(engine: Engine) -> list[Finding]:
    """What comes near its limit, what a changed setting is about to delete, and what has gone."""
    from surveyor.engine.operations.knowledge import knowledge_of

    usage = await knowledge_of(engine).keeper.usage()
    findings = [
        Finding(
            check="limits",
            ok=False,
            message=one,
            hint="Set it back with `surveyor config set` if that was not meant.",
        )
        for one in usage.pending
    ]
    findings += [
        Finding(
            check="limits",
            ok=False,
            message=one,
            hint="Limits are settings of [storage]: `surveyor config set`.",
        )
        for one in usage.warnings
    ]
    gone = ", ".join(f"{count} {kind}" for kind, count in usage.evicted.items())
    if gone:
        message = f"let go of: {gone}; `surveyor library evicted` lists them"
        findings.append(Finding(check="limits", ok=True, message=message))
    return findings or [Finding(check="limits", ok=True, message="nothing is near its limit")]
