"""Structural search over many files: what a file costs the others that breaks a worker."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from types import SimpleNamespace

import pytest

from surveyor.engine.operations import pattern_search
from surveyor.engine.operations.filters import languages_meant
from surveyor.engine.operations.pattern_readings import Reading, Readings
from surveyor.engine.operations.pattern_search import (
    JOBS_AT_ONCE,
    MAX_ALONE,
    PatternAnswer,
    PatternSearch,
)
from surveyor.errors import UsageError
from surveyor.protocol.search import SearchRequest
from surveyor.search.scope import Conditions
from surveyor.search.text_search import TextAnswer, TextSource
from surveyor.structural.jobs import FileMatches, PatternJob, PatternSource
from surveyor.worker.messages import Job, Outcome

ROOT = SimpleNamespace(root="/shop")


class Workers:
    """Workers that break at some documents, and find one match in each other."""

    def __init__(self, breaking: set[int]) -> None:
        self.breaking = breaking
        self.jobs = 0
        self.told: list[tuple[int, int]] = []

    async def hear(self, done: int, total: int) -> None:
        self.told.append((done, total))

    async def run(self, jobs: Sequence[Job]) -> list[Outcome]:
        return [self._outcome(job) for job in jobs]

    def _outcome(self, job: Job) -> Outcome:
        assert isinstance(job, PatternJob)
        self.jobs += 1
        if self.breaking & set(job.doc_ids):
            return Outcome("failed", reason="error", detail="crashed")
        return Outcome("patterns", patterns=[FileMatches([(0, 1)], [{}]) for _ in job.doc_ids])


async def searched(
    breaking: set[int], files: int, workers: Workers | None = None
) -> tuple[list[int], PatternAnswer, Workers]:
    workers = workers or Workers(breaking)
    search = PatternSearch(None, workers.run)  # type: ignore[arg-type]
    answer = PatternAnswer(TextAnswer(time_limit_s=9), [], [], is_selective=True)
    sources = [
        TextSource(ROOT, f"{number:04}.py", "python", "code", number, checksum=1)  # type: ignore[arg-type]
        for number in range(1, files + 1)
    ]
    found = await search._match(
        PatternSource(pattern="f()"), sources, lambda _: Reading("python"), answer, workers.hear
    )
    return [source.doc_id for source, _ in found], answer, workers


async def test_a_file_that_breaks_a_worker_costs_itself() -> None:
    found, answer, _ = await searched({7}, 60)
    assert found == [each for each in range(1, 61) if each != 7]
    assert answer.problems == ["1 file could not be matched (0007.py)."]
    assert answer.text.read == 60


async def test_a_rule_that_breaks_every_worker_is_not_tried_with_every_file() -> None:
    found, answer, workers = await searched(set(range(1, 1001)), 1000)
    assert not found and "1,000 files could not" in answer.problems[0]
    assert workers.jobs == 1000 / 25 + MAX_ALONE
    assert workers.told == [(200, 1000), (400, 1000), (600, 1000), (800, 1000)]


async def test_workers_go_on_while_what_one_of_them_said_is_waited_for() -> None:
    class Slow(Workers):
        """The first job ends when so many others wait as may."""

        at_work = most = 0
        full = asyncio.Event()

        async def run(self, jobs: Sequence[Job]) -> list[Outcome]:
            self.at_work += len(jobs)
            self.most = max(self.most, self.at_work)
            if self.at_work == JOBS_AT_ONCE:
                self.full.set()
            await self.full.wait()
            self.at_work -= len(jobs)
            return await super().run(jobs)

    slow = Slow(set())
    found, answer, _ = await searched(set(), 1000, slow)
    assert found == list(range(1, 1001)) and answer.text.total == 1000
    assert slow.most == JOBS_AT_ONCE


async def test_a_search_that_has_enough_leaves_no_work_behind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pattern_search, "MAX_MATCHES", 60)
    cancelled = 0

    class Endless(Workers):
        """Answers the first files only."""

        async def run(self, jobs: Sequence[Job]) -> list[Outcome]:
            nonlocal cancelled
            if self.jobs >= 4:
                try:
                    await asyncio.Event().wait()
                except asyncio.CancelledError:
                    cancelled += len(jobs)
                    raise
            return await super().run(jobs)

    found, answer, _ = await searched(set(), 1000, Endless(set()))
    assert found == list(range(1, 101)) and "more than 60 matches" in answer.problems[0]
    assert 0 < cancelled <= JOBS_AT_ONCE


async def test_only_what_is_checked_out_is_rewritten() -> None:
    search = PatternSearch(None, Workers(set()).run)  # type: ignore[arg-type]
    request = SearchRequest(query="f()", mode="pattern", rewrite="g()", branch="other")
    with pytest.raises(UsageError, match="checked out"):
        await search.find(request, [], Conditions(), Workers(set()).hear)


class RustSearcher:
    """One file of Rust, which has the words that it is asked for or not."""

    def __init__(self, *, has_words: bool) -> None:
        self.has_words = has_words

    async def sources(self, place: object, clauses: object, *_: object) -> list[TextSource]:
        there = TextSource(ROOT, "a.rs", "rust", "code", 1, checksum=1)  # type: ignore[arg-type]
        return [there] if self.has_words or not clauses else []

    async def name_symbols(self, matches: Sequence[object]) -> None:
        assert not matches


class PythonReaders(Workers):
    """Workers for which every pattern is one of Python alone."""

    def _outcome(self, job: Job) -> Outcome:
        assert isinstance(job, PatternJob)
        if job.grammar == "python":
            return Outcome("patterns")
        return Outcome("failed", reason="bad_pattern", detail="the pattern is none")


async def test_a_pattern_of_a_language_that_nothing_is_written_in_says_so() -> None:
    workers = PythonReaders(set())
    search = PatternSearch(RustSearcher(has_words=False), workers.run)  # type: ignore[arg-type]
    request = SearchRequest(query="except $E: pass", mode="pattern")
    answer = await search.find(request, [ROOT], Conditions(), workers.hear)  # type: ignore[list-item]
    assert answer.problems == [
        "No file is in a language that can read the pattern (python): what is there is in rust."
    ]


@pytest.mark.parametrize(
    ("path", "language", "asked", "expected"),
    [
        ("a.tsx", "typescript", (), Reading("tsx")),
        ("a.ts", "typescript", ("typescript",), Reading("typescript")),
        ("a.vue", "vue", (), Reading(None, "vue", ("javascript", "tsx", "typescript"))),
        ("a.vue", "vue", ("typescript",), Reading(None, "vue", ("tsx", "typescript"))),
        ("a.html", "html", ("css",), Reading(None, "html", ("css",))),
        ("a.html", "html", ("html",), Reading("html", "html", ("javascript", "tsx", "typescript"))),
        ("a.html", "html", ("python",), None),
        ("a.txt", None, (), None),
    ],
)
def test_files_are_read_in_their_own_language_and_in_that_of_their_scripts(
    path: str, language: str | None, asked: tuple[str, ...], expected: Reading | None
) -> None:
    source = TextSource(ROOT, path, language, "code", 1)  # type: ignore[arg-type]
    assert Readings(asked).of(source) == expected


def test_a_name_of_a_language_that_is_counted_as_another_means_that() -> None:
    assert languages_meant(["tsx", "typescriptreact", "py"]) == (
        "typescript", "typescript", "python",
    )  # fmt: skip
