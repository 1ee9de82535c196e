"""What a worker embeds: no text whose point is there, and none whose vector is remembered."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from surveyor.embedding.dense import describe_model
from surveyor.embedding.embedded import dense_of
from surveyor.engine.index import catalog
from surveyor.engine.index.catalog import NewDocument
from surveyor.store.state import State
from surveyor.worker.main import Worker
from surveyor.worker.messages import FileJob, Outcome, WorkerSetup

PROJECT = "p" * 12
VERSION = "v1"
ONE = "def walk(tree):\n    return [leaf for leaf in tree]\n"
TWO = "def count(tree):\n    return sum(1 for leaf in tree)\n"


class CountingEmbedder:
    """A model that knows how many texts it was given."""

    name = fingerprint = "counting"
    dimension = 4
    accelerator = ""

    def __init__(self, *, is_remembered: bool) -> None:
        self.is_remembered = is_remembered
        self.texts = 0

    def embed_documents(
        self, texts: Sequence[str], words: Sequence[Sequence[str] | None] = ()
    ) -> NDArray[np.float32]:
        self.texts += len(texts)
        rows = np.zeros((len(texts), 4), dtype=np.float32)
        rows[np.arange(len(texts)), [len(text) % 4 for text in texts]] = 1
        return rows

    def embed_query(self, text: str) -> NDArray[np.float32]:
        row: NDArray[np.float32] = self.embed_documents([text])[0]
        return row

    def count_tokens(self, texts: Sequence[str]) -> int:
        return sum(map(len, texts))


@pytest.fixture
async def state(tmp_path: Path) -> AsyncIterator[State]:
    opened = await State.open(tmp_path / "state.db")
    async with opened.transaction() as tx:
        await tx.execute("INSERT INTO projects (project_id, name) VALUES (?, 'p')", (PROJECT,))
    yield opened
    await opened.close()


def worker_with(state: State, embedder: CountingEmbedder) -> Worker:
    setup = WorkerSetup(
        state_path=str(state.path),
        model="",
        threads=1,
        chunk_chars=2000,
        max_file_size=1 << 20,
        version=VERSION,
        k1=1.5,
        b=0.75,
    )
    worker = Worker(setup)
    worker._embedder = embedder
    return worker


def run(worker: Worker, root: Path, path: str, text: str, *, parse_known: bool = False) -> Outcome:
    (root / path).write_text(text)
    outcome = worker.run(FileJob(str(root), path, PROJECT, parse_known=parse_known))
    assert outcome.status == "parsed"
    return outcome


async def store(state: State, path: str, outcome: Outcome) -> None:
    ids = catalog.point_ids(PROJECT, path, outcome.vectors)
    async with state.transaction() as tx:
        await catalog.insert_documents(
            tx, [NewDocument(PROJECT, path, outcome, ids)], "counting", VERSION
        )


@pytest.mark.parametrize("is_remembered", [False, True])
async def test_a_text_whose_point_is_there_is_not_embedded(
    state: State, tmp_path: Path, is_remembered: bool
) -> None:
    embedder = CountingEmbedder(is_remembered=is_remembered)
    worker = worker_with(state, embedder)
    long = "\n\n".join(ONE.replace("walk", f"walk_{n}") * 40 for n in range(3))
    first = run(worker, tmp_path, "a.py", long)
    assert not any(vector.is_kept for vector in first.vectors)
    await store(state, "a.py", first)
    embedder.texts = 0
    again = run(worker, tmp_path, "a.py", f"\n{long}\n\n{TWO * 60}")
    kept = {vector.text_hash for vector in again.vectors if vector.is_kept}
    assert kept and kept <= {vector.text_hash for vector in first.vectors}
    made = [vector for vector in again.vectors if not vector.is_kept]
    assert made and all(vector.is_new and len(dense_of(vector)) == 4 for vector in made)
    assert len(made) < len(again.vectors)
    whole = run(worker, tmp_path, "a.py", f"\n{long}\n\n{TWO * 60}", parse_known=True)
    assert not any(vector.is_kept for vector in whole.vectors)


async def test_as_many_equal_texts_are_kept_as_there_are_points(
    state: State, tmp_path: Path
) -> None:
    embedder = CountingEmbedder(is_remembered=False)
    worker = worker_with(state, embedder)
    block = ONE * 60
    once = run(worker, tmp_path, "b.py", block)
    await store(state, "b.py", once)
    twice = run(worker, tmp_path, "b.py", block + block)
    ids = catalog.point_ids(PROJECT, "b.py", twice.vectors)
    there = set(catalog.point_ids(PROJECT, "b.py", once.vectors))
    for point_id, vector in zip(ids, twice.vectors, strict=True):
        assert vector.is_kept == (point_id in there)


async def test_a_renamed_file_is_embedded_again_only_by_a_model_that_is_not_remembered(
    state: State, tmp_path: Path
) -> None:
    for is_remembered in (False, True):
        embedder = CountingEmbedder(is_remembered=is_remembered)
        worker = worker_with(state, embedder)
        first = run(worker, tmp_path, f"{is_remembered}.py", ONE * 60)
        assert any(vector.body is not None for vector in first.vectors) is is_remembered
        await store(state, f"{is_remembered}.py", first)
        moved = run(worker, tmp_path, f"{is_remembered}_now.py", ONE * 60)
        assert any(vector.is_new for vector in moved.vectors) is not is_remembered
        assert not any(vector.is_kept for vector in moved.vectors), "another path, another point"


def test_the_shipped_model_is_not_remembered() -> None:
    assert not describe_model().is_remembered
