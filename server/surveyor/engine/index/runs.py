"""Index runs: progress from the first file to the last, for whoever asked for an index."""

from __future__ import annotations

import asyncio
import time
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from itertools import count
from typing import Literal

from surveyor.protocol.enumerations import Phase, RunMode
from surveyor.protocol.projects import IndexProgress, IndexReport

Outcome = Literal["indexed", "removed", "skipped", "failed"]

MAX_ERRORS = 50
"""Errors listed in a report; the rest can be seen in the queue."""

_numbers = count(1)

FILE_WORK = 4096
"""Bytes that take as long to read and parse as what a file takes however short it is."""
PACE_S = 60.0
PACE_STEP_S = 1.0
PACE_LEAST_S = 5.0
PACE_LEAST_FILES = 100
"""Over how long the pace is taken, how often it is noted, and from when on it says something: the
first batches are small, and wait for workers that start."""


Became = tuple[Outcome, int]
"""What became of a file, and how many chunks it has."""


@cache
def _became(outcome: Outcome, chunks: int) -> Became:
    return outcome, chunks


@dataclass(slots=True)
class IndexRun:
    """Progress of one checkout from a scan until nothing is left to do."""

    root: str
    mode: RunMode
    number: int = field(default_factory=lambda: next(_numbers))
    phase: Phase = "waiting"
    started: float = field(default_factory=time.monotonic)
    ended: float | None = None
    asked: bool = False
    """Whether somebody asked for it, who is likely to search next."""
    abandoned: bool = False
    """Whoever asked for it asks no more: what is not done of it is left as it was."""
    unchanged: int = 0
    embedded: int = 0
    _skipped_by_walk: int = 0
    _files: dict[str, Became | None] = field(default_factory=dict)
    """What became of each wanted file last, None as long as nothing did; each file counts once. One
    of its paths and one of equal fates: it is kept for every file of a folder of any size."""
    _done: int = 0
    """Files that have become something."""
    _counts: Counter[Outcome] = field(default_factory=Counter)
    chunks: int = 0
    """Chunks of the files indexed so far."""
    errors: list[str] = field(default_factory=list)
    work_wanted: int = 0
    """What is to be read, in bytes, a file's own share (`FILE_WORK`) included; 0 where that is not
    known."""
    _work_done: int = 0
    _pace: deque[tuple[float, int]] = field(default_factory=deque)
    """When how much of it had been done, for the last `PACE_S` seconds."""
    room_needed: int = 0
    """Bytes of the disk that all of it is likely to take."""
    failure: str | None = None
    """Why the folder could not be looked through, if so."""
    changes: int = 0
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    def scanned(self, wanted: Iterable[str], unchanged: int, skipped: int) -> None:
        """What a comparison with the folder found."""
        self.want(wanted)
        self.unchanged, self._skipped_by_walk = unchanged, skipped

    def want(self, paths: Iterable[str]) -> None:
        """These files are to be looked at."""
        for path in paths:
            self._files.setdefault(path)

    def became(
        self, path: str, outcome: Outcome, chunks: int = 0, embedded: int = 0, size: int = 0
    ) -> None:
        """What a file of `size` bytes has become; a later word on the same file replaces the
        earlier one."""
        if (earlier := self._files.get(path)) is not None:
            self._counts[earlier[0]] -= 1
            self.chunks -= earlier[1]
        else:
            self._done += 1
            self._did(size + FILE_WORK)
        self._files[path] = _became(outcome, chunks)
        self._counts[outcome] += 1
        self.chunks += chunks
        self.embedded += embedded

    def work_of(self, source_bytes: int) -> int:
        """What all files that are wanted, with so many bytes in them, are to read."""
        return source_bytes + len(self._files) * FILE_WORK

    def _did(self, work: int) -> None:
        now = time.monotonic()
        if not self._pace:
            self._pace.append((now, 0))  # what the first ones took is not known
        self._work_done += work
        if now - self._pace[-1][0] >= PACE_STEP_S:
            self._pace.append((now, self._work_done))
        while len(self._pace) > 2 and now - self._pace[1][0] > PACE_S:
            self._pace.popleft()

    @property
    def left_s(self) -> float | None:
        """Seconds until all files can be searched, at the pace of the last minute; None before that
        is known."""
        if self.phase != "indexing" or not self.work_wanted or not self._pace:
            return None
        since, before = self._pace[0]
        took, done = time.monotonic() - since, self._work_done - before
        if took < PACE_LEAST_S or self._done < PACE_LEAST_FILES or done <= 0:
            return None
        return max(self.work_wanted - self._work_done, 0) * took / done

    @property
    def room_still_needed(self) -> int:
        """Bytes of the disk that the rest of it is likely to take."""
        left = 1 - self._done / max(len(self._files), 1)
        return round(self.room_needed * left)

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
        if len(self.errors) < MAX_ERRORS and text not in self.errors:
            self.errors.append(text)

    @property
    def elapsed_s(self) -> float:
        """Seconds since the start, or from start to end."""
        return (self.ended or time.monotonic()) - self.started

    def report(self) -> IndexReport:
        """The counts so far."""
        return IndexReport(
            mode=self.mode,
            files_indexed=self._counts["indexed"],
            files_unchanged=self.unchanged,
            files_removed=self._counts["removed"],
            files_skipped=self._skipped_by_walk + self._counts["skipped"],
            files_failed=self._counts["failed"],
            chunks_created=self.chunks,
            embeddings_generated=self.embedded,
            duration_ms=round(self.elapsed_s * 1000, 1),
            errors=list(self.errors),
            failure=self.failure,
        )

    def progress(self) -> IndexProgress:
        """Where the run is."""
        return IndexProgress(
            root=self.root,
            run=self.number,
            phase=self.phase,
            files_total=len(self._files),
            files_done=self._done,
            chunks_done=self.chunks,
            embeddings_generated=self.embedded,
            elapsed_s=round(self.elapsed_s, 3),
            left_s=None if (left := self.left_s) is None else round(left, 1),
            changes=self.changes,
            report=self.report() if self.phase == "done" else None,
        )
