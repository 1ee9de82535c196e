"""Points that are made again when the model changes, and what happens when they cannot be."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from surveyor.engine.app import Engine
from surveyor.engine.operations import Caller
from surveyor.protocol.search import SearchRequest, SearchResponse
from surveyor.store.vectors import layout
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


def of_another_format(data: Path, number: int) -> None:
    """Have the shard of a project be one that another version wrote."""
    (manifest,) = (data / "vectors" / "projects").rglob("manifest.json")
    said = json.loads(manifest.read_text())
    manifest.write_text(json.dumps(said | {"format": number}))


async def asked(engine: Engine, query: str, shop: Path, **more: Any) -> SearchResponse:
    """What a search answers."""
    request = SearchRequest(query=query, project=str(shop), **more)
    answer = await engine.answer("search", msgspec.json.encode(request), Caller())
    assert isinstance(answer, SearchResponse)
    return answer


class HeldPool:
    """Points are made when they are let go."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.came, self.go = asyncio.Event(), asyncio.Event()
        real = WorkerPool.run

        async def run(pool: WorkerPool, jobs: Sequence[Job]) -> list[Outcome]:
            if any(isinstance(job, ChunksJob) for job in jobs):
                self.came.set()
                await self.go.wait()
            return await real(pool, jobs)

        monkeypatch.setattr(WorkerPool, "run", run)


@pytest.fixture
async def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An index of a shop, which no engine has open."""
    monkeypatch.setenv("SURVEYOR_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "data").mkdir()
    shop = write_tree(tmp_path / "shop")
    engine = Engine(tmp_path / "data")
    await engine.open()
    checkout = await engine.registration.register(str(shop), explicit=True)
    await engine.scanner.scan(checkout)
    await engine.index_freshness.wait([checkout], 60)
    await engine.close()
    return shop


def gone(data: Path) -> None:
    """Have no shard of a project be there."""
    shutil.rmtree(data / "vectors" / "projects")


@pytest.mark.parametrize(
    ("harm", "why"),
    [
        (partial(of_another_format, number=layout.FORMAT - 1), "an earlier version of Surveyor"),
        (gone, "they are not there any more"),
    ],
)
async def test_words_names_and_literals_answer_until_the_shard_is_made_again(
    written: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    harm: Callable[[Path], None],
    why: str,
) -> None:
    harm(tmp_path / "data")
    held = HeldPool(monkeypatch)
    engine = Engine(tmp_path / "data")
    await engine.open()
    try:
        answer = await asked(engine, "what the customer wants to buy", written)
        assert answer.results[0].path == "shop/cart.py"
        assert answer.status in ("stale", "indexing")
        said = f"{answer.message} {answer.notice}"
        assert said.count("by words and names alone, not by meaning") == 1 and why in said
        names = await asked(engine, "total_price", written)
        assert names.results[0].path == "shop/cart.py"
        keyword = await asked(engine, "customer buy", written, mode="keyword")
        assert keyword.results[0].path == "shop/cart.py"
        literal = await asked(engine, "def total_price", written, mode="literal")
        assert [each.path for each in literal.results] == ["shop/cart.py"]
        held.go.set()
        checkout = (await engine.projects.all())[0]
        await engine.vector_rebuilder.reconcile(checkout.project_id)
        whole = await asked(engine, "what the customer wants to buy", written)
        assert "not by meaning" not in f"{whole.message} {whole.notice}"
        assert engine.vector_rebuilder.is_whole(checkout.project_id)
        assert held.came.is_set()
    finally:
        held.go.set()
        await engine.close()


async def test_words_answer_beside_the_shard_of_a_newer_version(
    written: Path, tmp_path: Path
) -> None:
    of_another_format(tmp_path / "data", layout.FORMAT + 1)
    engine = Engine(tmp_path / "data")
    await engine.open()
    try:
        answer = await asked(engine, "what the customer wants to buy", written)
        assert answer.results[0].path == "shop/cart.py"
        assert "newer version" in f"{answer.message} {answer.notice}"
    finally:
        await engine.close()


async def test_what_is_made_and_what_is_not_stand_in_one_list(
    written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Points of one file are there, those of another are not yet."""
    engine = Engine(tmp_path / "data")
    await engine.open()
    held = HeldPool(monkeypatch)
    try:
        checkout = (await engine.projects.all())[0]
        space = engine.committer.space(checkout.project_id)
        doomed = await engine.state.read(
            "SELECT point_id FROM chunks JOIN documents d USING (doc_id) WHERE d.path = ?",
            ("shop/cart.py",),
        )
        await engine.store_executor.run(engine.vectors.delete, space, [each[0] for each in doomed])
        remaking = asyncio.ensure_future(engine.vector_rebuilder.reconcile(checkout.project_id))
        await asyncio.wait_for(held.came.wait(), 60)
        lacking = await engine.vector_rebuilder.lacking(checkout.project_id)
        assert lacking is not None and 0 < lacking.missing < lacking.total
        answer = await asked(engine, "price customer", written, mode="keyword", limit=20)
        paths = {each.path for each in answer.results}
        assert "shop/cart.py" in paths and len(paths) > 1
        held.go.set()
        await remaking
        assert await engine.vector_rebuilder.lacking(checkout.project_id) is None
    finally:
        held.go.set()
        await engine.close()
