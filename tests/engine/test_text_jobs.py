"""What knowledge asks of the workers, without workers."""

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import pytest

from surveyor.embedding.embedded import Embedded
from surveyor.engine.index.text_jobs import TEXTS_PER_JOB, TextJobs
from surveyor.errors import SurveyorError
from surveyor.knowledge.document_reading import ReadDocument, ReadJob
from surveyor.worker.messages import BROKEN, Outcome, TextJob
from surveyor.worker.pool import BrokenJobError, WorkerPool


class Pool:
    """Answers every job at once."""

    def __init__(self, outcome: Outcome | None = None) -> None:
        self.jobs: list[Any] = []
        self._outcome = outcome

    async def run(self, jobs: Sequence[Any]) -> list[Outcome]:
        self.jobs += jobs
        return [self._outcome or Outcome("embedded", vectors=_vectors(job)) for job in jobs]


def _vectors(job: TextJob) -> list[Embedded]:
    return [
        Embedded(
            text_hash=b"",
            dense=np.array([len(text)], dtype=np.float16).tobytes(),
            indices=np.array([7], dtype=np.uint32).tobytes(),
            values=np.array([0.5], dtype=np.float32).tobytes(),
        )
        for text in job.texts
    ]


def jobs(pool: Pool) -> TextJobs:
    return TextJobs(cast("WorkerPool", pool))


async def test_texts_are_embedded_in_their_order_a_few_per_job() -> None:
    pool = Pool()
    texts = ["x" * number for number in range(TEXTS_PER_JOB + 3)]
    vectors = await jobs(pool).embed(["title"] * len(texts), texts)
    assert [int(one.dense[0]) for one in vectors] == list(range(len(texts)))
    assert vectors[0].sparse.indices == (7,)
    assert [len(job.texts) for job in pool.jobs] == [TEXTS_PER_JOB, 3]


async def test_a_failed_job_says_why() -> None:
    job = ReadJob("document", "book.one", path="/tmp/one.pdf")
    read = ReadDocument("book.one", "", "One", "pdf", [])
    assert await jobs(Pool(Outcome("read", documents=[read]))).read(job) == [read]
    with pytest.raises(SurveyorError, match="it is encrypted"):
        await jobs(Pool(Outcome("failed", detail="it is encrypted"))).read(job)
    with pytest.raises(BrokenJobError, match=r"one\.pdf: needs"):
        await jobs(Pool(Outcome("failed", reason=BROKEN, detail="needs more"))).read(job)
    with pytest.raises(SurveyorError, match="could not be embedded"):
        await jobs(Pool(Outcome("failed"))).embed(["a"], ["b"])
