"""What knowledge asks of the workers: texts embedded, documents read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from surveyor.embedding.embedded import dense_of, sparse_of
from surveyor.errors import SurveyorError
from surveyor.knowledge.document_reading import ReadDocument, ReadJob
from surveyor.knowledge.points import TextVectors
from surveyor.worker.messages import BROKEN, TextJob
from surveyor.worker.pool import BrokenJobError, WorkerPool

TEXTS_PER_JOB = 64


@dataclass(frozen=True, slots=True)
class TextJobs:
    """Turns texts and documents into jobs of the pool, and outcomes into what they say."""

    pool: WorkerPool

    async def embed(self, titles: Sequence[str], texts: Sequence[str]) -> list[TextVectors]:
        """Vectors of texts in their order. Raises `SurveyorError` when a job fails."""
        outcomes = await self.pool.run(
            [
                TextJob(
                    list(titles[start : start + TEXTS_PER_JOB]),
                    list(texts[start : start + TEXTS_PER_JOB]),
                )
                for start in range(0, len(texts), TEXTS_PER_JOB)
            ]
        )
        vectors: list[TextVectors] = []
        for outcome in outcomes:
            if outcome.status != "embedded":
                raise SurveyorError(f"texts could not be embedded: {outcome.detail}")
            vectors += [TextVectors(dense_of(one), sparse_of(one)) for one in outcome.vectors]
        return vectors

    async def read(self, job: ReadJob) -> list[ReadDocument]:
        """Have a worker read something. Raises `SurveyorError` when it cannot be read."""
        (outcome,) = await self.pool.run([job])
        if outcome.status == "failed" and outcome.reason == BROKEN:
            raise BrokenJobError(
                f"{job.path or job.name}: {outcome.detail}", "It is not tried again by itself."
            )
        if outcome.status == "failed":
            raise SurveyorError(outcome.detail or outcome.reason)
        return outcome.documents
