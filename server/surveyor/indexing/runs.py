"""Index runs: progress from the first file to the last, for whoever asked for an index."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from itertools import count
from typing import Literal

from surveyor.models import IndexReport, Progress

RunMode = Literal["full", "incremental", "clean"]

MAX_ERRORS = 50
"""Errors listed in a report; the rest can be seen in the queue."""

_numbers = count(1)


@dataclass(slots=True)
class Run:
    """Progress of one checkout from a scan until nothing is left to do."""

    root: str
    mode: RunMode
    number: int = field(default_factory=lambda: next(_numbers))
    phase: Literal["waiting", "scanning", "indexing", "done"] = "waiting"
    started: float = field(default_factory=time.monotonic)
    ended: float | None = None
    total: int = 0
    done: int = 0
    indexed: int = 0
    unchanged: int = 0
    removed: int = 0
    skipped: int = 0
    failed: int = 0
    chunks: int = 0
    embedded: int = 0
    errors: list[str] = field(default_factory=list)
    changes: int = 0
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def notify(self) -> None:
        """Wake whoever waits for a change."""
        self.changes += 1
        async with self.changed:
            self.changed.notify_all()

    async def wait(self, seen: int, timeout_s: float) -> None:
        """Until something changed since `seen`, the run ended, or time is up."""
        try:
            async with asyncio.timeout(timeout_s), self.changed:
                await self.changed.wait_for(lambda: self.changes > seen or self.phase == "done")
        except TimeoutError:
            return

    def error(self, text: str) -> None:
        """Remember an error for the report."""
        if len(self.errors) < MAX_ERRORS:
            self.errors.append(text)

    @property
    def elapsed_s(self) -> float:
        """Seconds since the start, or from start to end."""
        return (self.ended or time.monotonic()) - self.started

    def report(self) -> IndexReport:
        """The counts so far."""
        return IndexReport(
            mode=self.mode,
            files_indexed=self.indexed,
            files_unchanged=self.unchanged,
            files_removed=self.removed,
            files_skipped=self.skipped,
            files_failed=self.failed,
            chunks_created=self.chunks,
            embeddings_generated=self.embedded,
            duration_ms=round(self.elapsed_s * 1000, 1),
            errors=list(self.errors),
        )

    def progress(self) -> Progress:
        """Where the run is."""
        return Progress(
            root=self.root,
            run=self.number,
            phase=self.phase,
            files_total=self.total,
            files_done=self.done,
            chunks_done=self.chunks,
            embeddings_generated=self.embedded,
            elapsed_s=round(self.elapsed_s, 3),
            changes=self.changes,
            report=self.report() if self.phase == "done" else None,
        )
