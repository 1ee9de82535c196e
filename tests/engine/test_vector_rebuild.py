"""Points that are made again when the model changes, and what happens when they cannot be."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from surveyor.engine.app import Engine
from surveyor.store.vectors.contract import Point, Space, Sparse
from surveyor.worker.messages import ChunksJob, Job, Outcome
from surveyor.worker.pool import WorkerPool
from tests.product import write_tree


@pytest.fixture
async def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Engine]:
    monkeypatch.setenv("SURVEYOR_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "data").mkdir()
    opened = Engine(tmp_path / "data")
    await opened.open()
    yield opened
    await opened.close()


async def test_an_earlier_model_s_points_stay_until_all_of_the_new_ones_are_made(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = write_tree(tmp_path / "shop")
    checkout = await engine.registration.register(str(shop), explicit=True)
    await engine.scanner.scan(checkout)
    await engine.index_freshness.wait([checkout], 60)
    current = engine.committer.space(checkout.project_id)
    ids = list(await engine.store_executor.run(engine.vectors.ids, current))
    old = Space("projects", checkout.project_id, "earlier", 4)
    point = Point(ids[0], np.ones(4, np.float32), Sparse((1,), (1.0,)), {})
    await engine.store_executor.run(engine.vectors.upsert, old, [point])
    await engine.store_executor.run(engine.vectors.delete, current, ids)
    real = WorkerPool.run

    async def failing(pool: WorkerPool, jobs: Sequence[Job]) -> list[Outcome]:
        if any(isinstance(job, ChunksJob) for job in jobs):
            return [Outcome("failed", reason="error", detail="out of memory") for _ in jobs]
        return await real(pool, jobs)

    monkeypatch.setattr(WorkerPool, "run", failing)
    await engine.vector_rebuilder.reconcile_all()
    assert old in await engine.store_executor.run(engine.vectors.spaces)
    assert old in engine.vector_rebuilder.old_spaces(checkout.project_id)
    said = await engine.index_freshness.of(checkout)
    assert (said.status, said.reason) == ("stale", "embedding_failed")
    assert "out of memory" in (said.message or "")

    monkeypatch.setattr(WorkerPool, "run", real)
    await engine.vector_rebuilder.reconcile(checkout.project_id)
    assert old not in await engine.store_executor.run(engine.vectors.spaces)
    assert set(await engine.store_executor.run(engine.vectors.ids, current)) == set(ids)
    assert (
        await engine.index_freshness.of(checkout)
    ).status != "stale"  # its edges may still be made
