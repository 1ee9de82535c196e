"""What the graph has the index workers do."""

from __future__ import annotations

from collections.abc import Sequence

from surveyor.change.jobs import CallsJob, FileCalls
from surveyor.errors import SurveyorError
from surveyor.graph.jobs import GraphJob
from surveyor.parsing.types import ParsedFile, Symbol
from surveyor.store.state.projects import Checkout
from surveyor.worker.messages import FileJob
from surveyor.worker.pool import WorkerPool

__all__ = ["GraphWork"]


class GraphWork:
    """Turns the graph's questions into jobs of a pool."""

    def __init__(self, pool: WorkerPool) -> None:
        self._pool = pool

    async def run(self, job: GraphJob) -> bytes:
        """A job's result, encoded. Raises `SurveyorError` when the worker failed."""
        is_read = job.kind == "extract" and job.paths
        reader = self._pool.reader_of(job.root, job.paths[0]) if is_read else 0
        (outcome,) = await self._pool.run([job], reader=reader)
        if outcome.status != "graph":
            raise SurveyorError(f"the graph worker failed: {outcome.detail or outcome.reason}")
        return outcome.graph

    async def symbols_in(self, checkout: Checkout, path: str, data: bytes) -> Sequence[Symbol]:
        """The definitions of a file that has this in it; none where it cannot be read."""
        parsed = await self.parsed(checkout, path, data)
        return parsed.symbols if parsed is not None else ()

    async def parsed(self, checkout: Checkout, path: str, data: bytes) -> ParsedFile | None:
        """A file that has this in it, with its graph; None where it cannot be read."""
        job = FileJob(
            checkout.root, path, checkout.project_id, data=data, parse_known=True, graph_now=True,
            is_awaited=True,
        )  # fmt: skip
        (outcome,) = await self._pool.run([job])
        return outcome.parsed

    async def calls_in(self, jobs: Sequence[CallsJob]) -> list[FileCalls]:
        """What texts define and pass; empty where one cannot be read."""
        outcomes = await self._pool.run(list(jobs)) if jobs else []
        return [
            outcome.calls or FileCalls.unread(job)
            for job, outcome in zip(jobs, outcomes, strict=True)
        ]
