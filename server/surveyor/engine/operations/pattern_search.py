"""Structural search: the index tells which files may match, the workers match them."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher, unified_diff
from functools import partial
from io import StringIO

import msgspec

from surveyor.engine.operations.filters import languages_meant
from surveyor.engine.operations.pattern_readings import Reading, Readings, searched_languages
from surveyor.errors import SurveyorError, UsageError
from surveyor.protocol.search import FileRewrite, SearchRequest
from surveyor.search import globs
from surveyor.search.scope import Conditions, SearchTarget
from surveyor.search.text_search import TextAnswer, TextLines, TextSearcher, TextSource
from surveyor.store.state.chunk_rows import document_text
from surveyor.store.state.document_texts import texts_of
from surveyor.structural.errors import BadPatternError
from surveyor.structural.grammars import GRAMMARS, MARKUPS, PROGRAMMING, Grammar, grammar_of
from surveyor.structural.holes import required_words
from surveyor.structural.jobs import FileMatches, PatternJob, PatternSource
from surveyor.structural.rules import source_of
from surveyor.units import counted
from surveyor.worker.messages import Job, Outcome

__all__ = ["PatternAnswer", "PatternSearch"]

TIME_LIMIT_S = 40.0
"""A pattern without a word of its own has every file parsed: some 500 a second."""
FILES_PER_JOB = 25
MAX_ALONE = 4 * FILES_PER_JOB
"""Texts of failed jobs that are tried again alone: a rule may break every worker that reads it."""
FILES_PER_STEP = 2 * FILES_PER_JOB
FILES_BETWEEN_WORDS = 200
"""Files after which it is told how far a search is."""
JOBS_AT_ONCE = 8
"""So that edits, which wait for the same workers, wait for a part of a second."""
MAX_MATCHES = 10_000
"""Matches that one answer counts."""
CONTEXT_LINES = (3, 12, 50, 1 << 30)
"""Lines around a change, the first number that is enough."""
MAX_DIFF_FILES = 500
"""Files of which a rewriting is shown."""

Tell = Callable[[int, int], Awaitable[None]]
"""Hears how many files have been read, and of how many."""
RunJobs = Callable[[Sequence[Job]], Awaitable[list[Outcome]]]
Read = Callable[[TextSource], Reading | None]
"""How a text is matched."""
_Spans = tuple[TextSource, FileMatches]


@dataclass(slots=True)
class PatternAnswer:
    """The matches of one page, how many there are, and what a rewriting changes."""

    text: TextAnswer
    diffs: list[FileRewrite]
    problems: list[str]
    """What was not searched, and why, each as a sentence."""
    is_selective: bool
    """Whether files without a match are known without parsing most of them."""
    languages: tuple[str, ...] = ()
    """Those whose files were looked at."""


class PatternSearch:
    """Finds code by its syntax."""

    def __init__(self, searcher: TextSearcher, run_jobs: RunJobs) -> None:
        self._searcher = searcher
        self._run_jobs = run_jobs

    async def find(
        self,
        request: SearchRequest,
        places: Sequence[SearchTarget],
        conditions: Conditions,
        tell: Tell,
    ) -> PatternAnswer:
        """A page of matches in the order of paths and lines. Raises `BadPatternError`."""
        said = source_of(request.query, request.rewrite)
        source = said.source
        if request.rewrite is not None and request.branch:
            raise UsageError(
                "only what is checked out can be rewritten", "Leave out rewrite, or the branch."
            )
        if request.branch:  # a rule's `fix`, in a search
            source = msgspec.structs.replace(source, rewrite=None)
        asked = conditions.languages or (languages_meant([said.language]) if said.language else ())
        lacking = [each for each in asked if grammar_of(each) is None and each not in MARKUPS]
        if lacking:
            raise UsageError(
                f"there are no patterns for {', '.join(lacking)}", f"One of: {', '.join(GRAMMARS)}."
            )
        clauses = tuple(frozenset([word]) for word in required_words(source))
        answer = PatternAnswer(TextAnswer(time_limit_s=TIME_LIMIT_S), [], [], bool(clauses))
        conditions = replace(conditions, languages=searched_languages(asked))
        answer.languages = conditions.languages
        readings = Readings(asked)
        sources: list[TextSource] = []
        for place in places:
            sources += await self._searcher.sources(place, clauses, conditions, answer.text)
        if said.paths:
            matches = globs.matcher(said.paths, "")
            sources = [each for each in sources if matches(each.path)]
        fitting = await self._check(source, readings, sources, answer)
        if not sources and clauses:
            answer.problems += await self._no_language(places, conditions, readings, fitting)
        sources = [each for each in sources if readings.of(each, fitting) is not None]
        answer.text.candidates = len(sources)
        read = partial(readings.of, fitting=fitting)
        found = await self._match(source, sources, read, answer, tell)
        if conditions.kinds:
            found = await self._inside(found, conditions.kinds)
        await self._page(request, found, answer.text)
        if source.rewrite is not None:
            answer.diffs = await self._diffs(found, answer)
        return answer

    async def _check(
        self,
        source: PatternSource,
        readings: Readings,
        sources: Sequence[TextSource],
        answer: PatternAnswer,
    ) -> set[Grammar]:
        """Of the languages of some files those that can read the pattern.

        Raises `BadPatternError` where none can.
        """
        grammars = sorted(readings.grammars(sources) or readings.named() or PROGRAMMING)
        outcomes = await self._run_jobs([PatternJob(source, grammar) for grammar in grammars])
        fitting: set[Grammar] = set()
        problem = ""
        for grammar, outcome in zip(grammars, outcomes, strict=True):
            if outcome.status == "patterns":
                fitting.add(grammar)
            elif outcome.reason == BadPatternError.code:
                problem = problem or outcome.detail
            else:
                raise SurveyorError(f"the pattern could not be tried: {outcome.detail}")
        if not fitting:
            raise BadPatternError(
                problem
                if len(grammars) == 1
                else f"{problem}; and no other of {len(grammars)} languages reads it"
            )
        left = sorted(readings.whole(sources) - fitting)
        if left and len(grammars) < len(PROGRAMMING):
            answer.problems.append(f"Not searched, for it is no pattern there: {', '.join(left)}.")
        return fitting

    async def _no_language(
        self,
        places: Sequence[SearchTarget],
        conditions: Conditions,
        readings: Readings,
        fitting: Collection[Grammar],
    ) -> list[str]:
        """What to say where no file at all is in a language that can read the pattern."""
        there: set[Grammar] = set()
        for place in places:
            every = await self._searcher.sources(place, (), conditions, TextAnswer())
            there |= readings.grammars(every)
        if not there or there & set(fitting):
            return []
        return [
            f"No file is in a language that can read the pattern ({', '.join(sorted(fitting))}):"
            f" what is there is in {', '.join(sorted(there))}."
        ]

    async def _match(
        self,
        source: PatternSource,
        sources: Sequence[TextSource],
        read: Read,
        answer: PatternAnswer,
        tell: Tell,
    ) -> list[_Spans]:
        """The texts with matches, in the order of the sources."""
        text = answer.text
        deadline = time.monotonic() + TIME_LIMIT_S
        found: list[_Spans] = []
        failed: list[str] = []
        alone = MAX_ALONE
        told = 0
        async with contextlib.aclosing(self._outcomes(source, sources, read)) as steps:
            async for batches, outcomes in steps:
                batches, outcomes, alone = await self._apart(source, batches, outcomes, read, alone)
                some: list[_Spans] = []
                for batch, outcome in zip(batches, outcomes, strict=True):
                    if outcome.status != "patterns":
                        failed += [each.path for each in batch]
                        continue
                    some += zip(batch, outcome.patterns, strict=True)
                text.read += sum(map(len, batches))
                if told + FILES_BETWEEN_WORDS <= text.read < len(sources):
                    told = text.read
                    await tell(text.read, len(sources))
                text.unreadable += [each.path for each, matches in some if matches.is_damaged]
                matching = [(each, matches) for each, matches in some if matches.spans]
                found += sorted(matching, key=lambda pair: pair[0].path)
                text.total += sum(len(matches.spans) for _, matches in matching)
                if text.total > MAX_MATCHES:
                    answer.problems.append(
                        f"There are more than {MAX_MATCHES} matches: narrow it with a path or a"
                        " longer pattern."
                    )
                    break
                if time.monotonic() > deadline and text.read < len(sources):
                    text.out_of_time = True
                    break
        if failed:
            files = counted(len(failed), "file")
            answer.problems.append(f"{files} could not be matched ({', '.join(failed[:3])}).")
        return found

    async def _outcomes(
        self, source: PatternSource, sources: Sequence[TextSource], read: Read
    ) -> AsyncGenerator[tuple[list[list[TextSource]], list[Outcome]]]:
        """What comes of the texts, some of them after the others, in their order.

        Those that follow are at work meanwhile: a worker that is done does not wait for the other,
        nor both for what is made of their answers.
        """
        ahead: deque[tuple[list[list[TextSource]], asyncio.Task[list[Outcome]]]] = deque()
        begun = 0
        try:
            while begun < len(sources) or ahead:
                while begun < len(sources) and sum(len(each) for each, _ in ahead) < JOBS_AT_ONCE:
                    batches = _batches(sources[begun : begun + FILES_PER_STEP], read)
                    begun += FILES_PER_STEP
                    jobs = [await self._job(source, each, read) for each in batches]
                    ahead.append((batches, asyncio.ensure_future(self._run_jobs(jobs))))
                batches, outcomes = ahead[0]
                yield batches, await outcomes
                ahead.popleft()
        finally:
            for _, outcomes in ahead:
                outcomes.cancel()
            await asyncio.gather(*(each for _, each in ahead), return_exceptions=True)

    async def _apart(
        self,
        source: PatternSource,
        batches: Sequence[list[TextSource]],
        outcomes: Sequence[Outcome],
        read: Read,
        alone: int,
    ) -> tuple[list[list[TextSource]], list[Outcome], int]:
        """Texts whose job failed, each in a job of its own: one of them broke it for the others.

        As many as may still be tried alone; returns how many remain.
        """
        kept: list[list[TextSource]] = []
        answers: list[Outcome] = []
        for batch, outcome in zip(batches, outcomes, strict=True):
            if outcome.status == "patterns" or not 1 < len(batch) <= alone:
                kept.append(batch)
                answers.append(outcome)
                continue
            alone -= len(batch)
            kept += ([each] for each in batch)
            answers += await self._run_jobs(
                [await self._job(source, [each], read) for each in batch]
            )
        return kept, answers, alone

    async def _job(
        self, source: PatternSource, batch: Sequence[TextSource], read: Read
    ) -> PatternJob:
        """A job for texts of one language, those that are not stored at its end."""
        reading = read(batch[0])
        assert reading is not None  # only such are batched
        return PatternJob(
            source,
            reading.grammar or reading.parts[0],
            [each.doc_id for each in batch if _is_stored(each)],
            [await self._text(each) for each in batch if not _is_stored(each)],
            MAX_MATCHES,
            reading.markup,
            reading.parts,
        )

    async def _text(self, source: TextSource) -> bytes:
        if source.unsaved is not None:
            return source.unsaved.text
        if not source.is_stored:
            return (await document_text(self._searcher.state, source.doc_id)).encode()
        stored = (await texts_of(self._searcher.state, [source.doc_id])).get(source.doc_id)
        return (stored.read() if stored is not None else None) or b""

    async def _inside(self, found: Sequence[_Spans], kinds: tuple[str, ...]) -> list[_Spans]:
        """The matches inside definitions of the kinds asked for."""
        stored = await self._searcher.symbols([source for source, _ in found])
        kept: list[_Spans] = []
        for source, matches in found:
            symbols = (
                source.unsaved.overlay.symbols if source.unsaved else stored.get(source.doc_id, ())
            )
            wanted = [each for each in symbols if each.kind in kinds]
            lines = TextLines(await self._text(source))
            inside = set(lines.spans_inside(matches.spans, wanted))
            left = FileMatches()
            for span, captures in zip(matches.spans, matches.captures, strict=True):
                if span in inside:
                    left.spans.append(span)
                    left.captures.append(captures)
            if left.spans:
                kept.append((source, left))
        return kept

    async def _page(
        self, request: SearchRequest, found: Sequence[_Spans], text: TextAnswer
    ) -> None:
        """Count all matches, and show those of the page."""
        text.total = sum(len(matches.spans) for _, matches in found)
        text.files = len(found)
        before = 0
        for source, matches in found:
            first = max(request.offset - before, 0)
            last = request.offset + request.limit - before
            before += len(matches.spans)
            if first >= len(matches.spans) or last <= 0:
                continue
            lines = TextLines(await self._text(source))
            for span, captures in zip(
                matches.spans[first:last], matches.captures[first:last], strict=True
            ):
                shown = lines.match(source, span, request.context_lines)
                shown.captures = captures
                text.matches.append(shown)
        await self._searcher.name_symbols(text.matches)

    async def _diffs(self, found: Sequence[_Spans], answer: PatternAnswer) -> list[FileRewrite]:
        """What a rewriting changes, file by file."""
        changed = [pair for pair in found if pair[1].rewritten is not None]
        if len(changed) > MAX_DIFF_FILES:
            answer.problems.append(
                f"Of {counted(len(changed), 'file')} {MAX_DIFF_FILES} are shown."
            )
        diffs = []
        for source, matches in changed[:MAX_DIFF_FILES]:
            before = await self._text(source)
            diff = await asyncio.to_thread(_diff, source.path, before, matches.rewritten or b"")
            diffs.append(
                FileRewrite(
                    path=source.path,
                    root=source.place.root,
                    diff=diff,
                    unsaved_version=source.unsaved.overlay.version if source.unsaved else None,
                )
            )
        return diffs


def _is_stored(source: TextSource) -> bool:
    return source.unsaved is None and source.is_stored


def _batches(sources: Sequence[TextSource], read: Read) -> list[list[TextSource]]:
    """Texts that are read alike, those that are stored before the others."""
    alike: dict[Reading | None, list[TextSource]] = {}
    for each in sources:
        alike.setdefault(read(each), []).append(each)
    return [
        some[start : start + FILES_PER_JOB]
        for all_ in alike.values()
        for some in [sorted(all_, key=lambda each: not _is_stored(each))]
        for start in range(0, len(some), FILES_PER_JOB)
    ]


def _diff(path: str, before: bytes, after: bytes) -> str:
    """A unified diff with so much around each change that its old lines are there only once."""
    text = before.decode("utf-8", "replace")
    old, new = list(StringIO(text, "\n")), list(StringIO(after.decode("utf-8", "replace"), "\n"))
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for around in CONTEXT_LINES:
        hunks = [
            "".join(old[hunk[0][1] : hunk[-1][2]]) for hunk in matcher.get_grouped_opcodes(around)
        ]
        if all(text.count(hunk) == 1 for hunk in hunks):
            break
    lines = []
    for line in unified_diff(old, new, f"a/{path}", f"b/{path}", n=around):
        lines.append(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n")
    return "".join(lines)
