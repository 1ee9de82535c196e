"""The engine's account of itself."""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import psutil

from surveyor import __version__
from surveyor.protocol.engine import StatusResponse
from surveyor.protocol.projects import ProjectStatus, SkippedFile
from surveyor.store.state import queue

if TYPE_CHECKING:
    from surveyor.engine.app import Engine
    from surveyor.engine.projects.registry import Checkout


async def project_status(engine: Engine, checkout: Checkout) -> ProjectStatus:
    """Counts and freshness of a checkout."""
    state = engine.state
    by_status = await state.read(
        "SELECT status, count(*) FROM files WHERE checkout_id = ? GROUP BY status",
        (checkout.checkout_id,),
    )
    files = {str(row[0]): int(row[1]) for row in by_status}
    languages = await state.read(
        """SELECT coalesce(d.language, 'other'), count(*) FROM files f JOIN documents d
           USING (doc_id) WHERE f.checkout_id = ? GROUP BY 1 ORDER BY 2 DESC""",
        (checkout.checkout_id,),
    )
    chunks, symbols = [
        int(
            await state.value(
                f"SELECT count(*) FROM files f JOIN {table} USING (doc_id) WHERE f.checkout_id = ?",
                (checkout.checkout_id,),
            )
        )
        for table in ("chunks", "symbols")
    ]
    known = {each.checkout_id: each for each in await engine.projects.all()}
    parent = known.get(checkout.parent_checkout_id or "")
    disk_bytes = await asyncio.to_thread(
        engine.vectors.disk_bytes, engine.pipeline.space(checkout.project_id)
    )
    fresh = await engine.freshness(checkout)  # last: what happened since the counts is said
    return ProjectStatus(
        root=checkout.root,
        name=checkout.name,
        project_id=checkout.project_id,
        checkout_id=checkout.checkout_id,
        branch=checkout.branch,
        files=files.get("indexed", 0),
        chunks=chunks,
        symbols=symbols,
        skipped=files.get("skipped", 0),
        failed=files.get("failed", 0),
        languages={str(row[0]): int(row[1]) for row in languages},
        watched=checkout.watched,
        active=checkout.active,
        paused=checkout.paused or engine.pipeline.paused,
        model=engine.model.info.name,
        last_indexed=checkout.last_scan,
        parent_root=parent.root if parent is not None else None,
        disk_bytes=disk_bytes,
        reembedding=engine.reembedding(checkout.project_id),
        **fresh.freshness(),
    )


async def engine_status(engine: Engine, path: str | None, skipped: bool) -> StatusResponse:
    """The engine, its projects (or the one at `path`), and what was skipped there."""
    checkouts = await engine.projects.all()
    if path is not None:
        checkouts = [await engine.resolve(cwd=path)]
    files: list[SkippedFile] = []
    if skipped:
        for checkout in checkouts:
            rows = await engine.state.read(
                "SELECT path, reason, detail FROM files WHERE checkout_id = ?"
                " AND status <> 'indexed' ORDER BY path",
                (checkout.checkout_id,),
            )
            files += [SkippedFile(path=r[0], reason=r[1], detail=r[2]) for r in rows]
    rss, anonymous = memory_of(engine.pid)
    return StatusResponse(
        engine_version=__version__,
        pid=engine.pid,
        uptime_s=round(time.monotonic() - engine.started_at, 1),
        data_dir=str(engine.data_dir),
        store=engine.settings.qdrant.url or "embedded",
        model=engine.model.info.name,
        projects=[await project_status(engine, checkout) for checkout in checkouts],
        queue=await queue.counts(engine.state),
        sessions=len(engine.sessions),
        memory_bytes=rss,
        anonymous_bytes=anonymous,
        worker_bytes=sum(memory_of(pid)[1] for pid in engine.pool.pids),
        disk_free_bytes=shutil.disk_usage(engine.data_dir).free,
        limits={
            "max_file_size": engine.settings.indexing.max_file_size,
            "open_shards": engine.settings.engine.open_shards,
            "min_free_disk": engine.pipeline.min_free_disk,
        },
        skipped=files,
        knowledge=await _knowledge(engine, checkouts),
    )


async def _knowledge(engine: Engine, checkouts: Sequence[Checkout]) -> dict[str, Any]:
    """What is kept beside the code, by kind and project, the limits, and what is wrong in them."""
    knowledge = engine.knowledge
    usage = await knowledge.keeper.usage()
    told_of = await asyncio.to_thread(
        lambda: [w for one in checkouts for w in engine.preferences.warnings_of(one.root)]
    )
    usage.warnings = [
        *engine.warnings,
        *dict.fromkeys(told_of),
        *usage.warnings,
        *sorted(knowledge.writes.warnings),
    ]
    told: dict[str, Any] = msgspec.to_builtins(usage)
    return told


def memory_of(pid: int) -> tuple[int, int]:
    """Resident and anonymous bytes of a process; zeros when it is gone."""
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Anonymous:"):
                return psutil.Process(pid).memory_info().rss, int(line.split()[1]) * 1024
    except (OSError, psutil.Error):
        pass
    try:
        rss = psutil.Process(pid).memory_info().rss
    except psutil.Error:
        return 0, 0
    return rss, rss
