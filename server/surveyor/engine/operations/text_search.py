"""Searches of exact text: every place that says it, counted, and what could not be searched."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import msgspec

from surveyor.engine.operations.code_search import SpacesOf
from surveyor.engine.operations.filters import check_kinds, languages_meant
from surveyor.engine.operations.pattern_search import PatternSearch, RunJobs, Tell
from surveyor.engine.operations.search_scope import Scope, place_in
from surveyor.errors import UsageError
from surveyor.files.file_class import file_type_of
from surveyor.parsing.languages import language_of
from surveyor.parsing.source import BYTES_REPLACED, MAX_TEXT_BYTES
from surveyor.protocol.enumerations import SYMBOL_KINDS
from surveyor.protocol.search import (
    FileRewrite,
    Scores,
    SearchRequest,
    SearchResponse,
    SearchResult,
)
from surveyor.search import globs
from surveyor.search.diff_budget import cut_diffs
from surveyor.search.scope import Conditions, SearchTarget
from surveyor.search.text_pattern import literal, regular
from surveyor.search.text_search import TextAnswer, TextMatch, TextSearcher
from surveyor.secrets import mask_text
from surveyor.store.state import State
from surveyor.store.state.chunk_rows import branches_elsewhere
from surveyor.store.state.files import paths_with_problem, unsearched
from surveyor.units import counted

MAX_CONTEXT = 20
"""Lines around a match, on either side."""
NAMED_FILES = 3
"""Files of a kind that are named where they could not be searched."""
NO_NEWS = {
    "binary": ("binary file", "binary files"),
    "lock_file": ("lock file", "lock files"),
    "symlink": ("link", "links"),
    "dependencies": ("folder of dependencies", "folders of dependencies"),
}
"""Reasons for which nobody expects a file to be searched, and what one and several are called."""
CHARS_PER_TOKEN = 4
_BEYOND_ASCII = re.compile(r"\\(?:[pPwW]|x\{|x[89A-Fa-f])")
"""What a regular expression says that is about letters beyond ASCII, and is itself in ASCII."""
_CARRIAGE_RETURN = re.compile(r"(?<!\\)(?:\\\\)*\\(?:r|x0[dD]|x\{0*[dD]\}|015)(?!\?|\*)")


class TextSearch:
    """Finds every match of a text or a regular expression in code."""

    def __init__(
        self,
        state: State,
        spaces_of: SpacesOf,
        searcher: TextSearcher,
        run_jobs: RunJobs,
    ) -> None:
        self._state = state
        self._spaces_of = spaces_of
        self._searcher = searcher
        self._patterns = PatternSearch(searcher, run_jobs)

    async def find(self, request: SearchRequest, scope: Scope, tell: Tell) -> SearchResponse:
        """A page of matches with the number of all; `took_ms` and freshness are the caller's."""
        check_text_request(request)
        roots = [each.root for each in scope.checkouts]
        conditions = Conditions(
            languages=languages_meant(request.languages),
            paths=globs.below(request.paths, roots, scope.prefix),
            types=tuple(request.types),
            kinds=tuple(request.kinds),
        )
        places = [
            place_in(checkout, self._spaces_of(checkout.project_id)[0], request.branch, prefix)
            for checkout, prefix in scope.folders
        ]
        problems: list[str] = []
        diffs: list[FileRewrite] = []
        if request.mode == "pattern":
            matched = await self._patterns.find(request, places, conditions, tell)
            found, problems, diffs = matched.text, matched.problems, matched.diffs
            is_selective = matched.is_selective
            conditions = replace(conditions, languages=matched.languages)
        else:
            make = literal if request.mode == "literal" else regular
            pattern = make(request.query, ignore_case=request.ignore_case)
            is_selective = pattern.is_selective
            found = await self._searcher.find(
                pattern,
                places,
                conditions=conditions,
                limit=request.limit,
                offset=request.offset,
                context=request.context_lines,
            )
        results = [_result(each) for each in found.matches]
        await self._name_branches(results, found.matches)
        kept = _within(results, request.token_budget)
        behind = request.offset + len(kept)
        left_out, no_news = await self._left_out(places, conditions)
        if not request.query.isascii() or (
            request.mode == "regex" and _BEYOND_ASCII.search(request.query)
        ):
            left_out += await self._undecoded(places, conditions)
        left_out += not_as_stored(request)
        masked = await self._masked(places, conditions)
        # Few texts stand within a credential, and what looks like one is told of by itself.
        (left_out if request.mode == "regex" else no_news).extend(masked)
        incomplete = [*_unfinished(found), *problems, *left_out]
        diffs, cut = _diffs_within(diffs, request.token_budget)
        notice = [f"{counted(found.total, 'match', 'matches')} in {counted(found.files, 'file')}."]
        if not is_selective and found.candidates:
            notice.append("Nothing in the pattern tells files apart: every one was read.")
        return SearchResponse(
            results=kept,
            took_ms=0.0,
            omitted=max(found.total - behind, 0),
            omitted_hint=f"Continue with offset {behind}." if behind < found.total else None,
            notice=" ".join(filter(None, [*notice, cut, *incomplete, *no_news])),
            matches=found.total,
            files=found.files,
            next_offset=behind if behind < found.total else None,
            incomplete=incomplete,
            diffs=diffs,
        )

    async def _name_branches(
        self, results: Sequence[SearchResult], matches: Sequence[TextMatch]
    ) -> None:
        """Say of matches on all branches which of them each is on, if not the one on disk."""
        for place in {each.source.place for each in matches}:
            if place.other_branch is None:
                continue
            doc_ids = {each.source.doc_id for each in matches if each.source.place == place}
            branches = await branches_elsewhere(self._state, place.checkout_id, list(doc_ids))
            for result, match in zip(results, matches, strict=True):
                if match.source.place == place and place.other_branch == "*":
                    result.branch = branches.get(match.source.doc_id, place.branch)

    async def _left_out(
        self, places: Sequence[SearchTarget], conditions: Conditions
    ) -> tuple[list[str], list[str]]:
        """What is said of files that match the filters and are not indexed, or not all of them,
        and of those that nobody would expect to be."""
        by_reason: dict[str, list[str]] = {}
        cut: list[str] = []
        for place in places:
            if place.other_branch not in (None, "*"):
                continue
            matches = globs.matcher(conditions.paths, place.prefix)
            for each in await unsearched(self._state, place.checkout_id, MAX_TEXT_BYTES):
                if not matches(each.path) or not _may_be(each.path, conditions):
                    continue
                if each.status == "indexed":
                    cut.append(each.path)
                else:
                    by_reason.setdefault(each.reason or each.status, []).append(each.path)
        counts = {reason: len(by_reason.pop(reason, ())) for reason in NO_NEWS}
        said = [
            f"{len(paths)} {reason.replace('_', ' ')} ({_some(paths)})"
            for reason, paths in by_reason.items()
        ]
        sentences = [f"Not searched, for they are not indexed: {', '.join(said)}."] if said else []
        if cut:
            size = MAX_TEXT_BYTES // 1_000_000
            sentences.append(f"Only the first {size} MB are indexed of {_some(cut)}.")
        plain = [
            f"{count} {NO_NEWS[reason][count > 1]}" for reason, count in counts.items() if count
        ]
        return sentences, [f"Not indexed: {', '.join(plain)}."] if plain else []

    async def _masked(self, places: Sequence[SearchTarget], conditions: Conditions) -> list[str]:
        """What is said of files of which a search does not see all."""
        paths: list[str] = []
        for place in places:
            is_wanted = globs.matcher(conditions.paths, place.prefix)
            masked = await self._searcher.masked(place)
            paths += [path for path in masked if is_wanted(path) and _may_be(path, conditions)]
        if not paths:
            return []
        have = "has" if len(paths) == 1 else "have"
        return [
            f"{counted(len(paths), 'file')} {have} masked parts, credentials, that no search sees:"
            f" {_some(paths)}."
        ]

    async def _undecoded(self, places: Sequence[SearchTarget], conditions: Conditions) -> list[str]:
        """What is said of files whose letters beyond ASCII nobody can look for."""
        paths = [
            path
            for place in places
            if place.other_branch in (None, "*")
            for path in await paths_with_problem(self._state, place.checkout_id, BYTES_REPLACED)
            if globs.matcher(conditions.paths, place.prefix)(path) and _may_be(path, conditions)
        ]
        if not paths:
            return []
        subject = "is" if len(paths) == 1 else "are"
        return [f"What is not ASCII is not found in what {subject} not UTF-8: {_some(paths)}."]


def not_as_stored(request: SearchRequest) -> list[str]:
    """What is said of a query that stored texts cannot match as the files themselves would."""
    said = []
    if "\r" in request.query.replace("\r\n", "\n") or (
        request.mode == "regex" and _CARRIAGE_RETURN.search(request.query)
    ):
        said.append(
            "Lines are searched as if they ended in \\n alone: a \\r that ends one is not found."
        )
    if request.mode == "literal" and mask_text(request.query) != request.query:
        said.append("Credentials are stored as asterisks, so what looks like one is not found.")
    return said


def check_text_request(request: SearchRequest) -> None:
    """Raise `UsageError` for what a search of exact text does not have."""
    if request.corpora != ["code"]:
        raise UsageError(
            f"mode={request.mode} searches code, not {', '.join(request.corpora)}",
            "Use mode=keyword for rules, libraries, notes and history.",
        )
    if request.offset < 0:
        raise UsageError("offset must be at least 0")
    if not 0 <= request.context_lines <= MAX_CONTEXT:
        raise UsageError(f"context_lines must be from 0 to {MAX_CONTEXT}")
    if request.mode == "pattern" and request.ignore_case:
        raise UsageError("ignore_case does not go with mode=pattern")
    if request.mode != "pattern" and request.rewrite is not None:
        raise UsageError("rewrite belongs to mode=pattern")
    check_kinds(request.kinds, SYMBOL_KINDS)


def _may_be(path: str, conditions: Conditions) -> bool:
    """Whether a file without a document may meet the conditions, by its name."""
    if conditions.types and file_type_of(path) not in conditions.types:
        return False
    if not conditions.languages:
        return True
    language = language_of(path, b"")
    return language is not None and language.family in conditions.languages


def _unfinished(found: TextAnswer) -> list[str]:
    said = []
    if found.out_of_time:
        said.append(
            f"Stopped after {found.time_limit_s:g} s: {found.read} of"
            f" {counted(found.candidates, 'file')}"
            " that may match were read, so there may be more matches. Narrow it with a path or a"
            " longer text."
        )
    if found.unreadable:
        said.append(
            f"The stored text of {counted(len(found.unreadable), 'file')} is damaged"
            f" ({_some(found.unreadable)}): run `surveyor doctor --repair`."
        )
    if found.from_chunks:
        said.append(
            f"{counted(found.from_chunks, 'file')} of an earlier version of the index: until read"
            " again, without what is behind in very long lines, and without notebooks' outputs."
        )
    return said


def _some(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - NAMED_FILES} more" if len(paths) > NAMED_FILES else ""
    return f"{', '.join(paths[:NAMED_FILES])}{more}"


def _within(results: list[SearchResult], token_budget: int | None) -> list[SearchResult]:
    """As many results as a budget has room for, one at least."""
    if token_budget is None:
        return results
    room = token_budget * CHARS_PER_TOKEN
    for number, each in enumerate(results):
        room -= len(each.snippet)
        if room < 0 and number:
            return results[:number]
    return results


def _diffs_within(
    diffs: list[FileRewrite], token_budget: int | None
) -> tuple[list[FileRewrite], str]:
    """As much of a rewriting as a budget has room for, and a sentence on what is left out."""
    if token_budget is None:
        return diffs, ""
    cut = cut_diffs([each.diff for each in diffs], token_budget * CHARS_PER_TOKEN)
    kept = [
        msgspec.structs.replace(each, diff=diff)
        for each, diff in zip(diffs, cut.shown, strict=False)
    ]
    return kept, cut.left_out("raise `token_budget` or narrow the path")


def _result(match: TextMatch) -> SearchResult:
    source, symbol = match.source, match.symbol
    place = source.place
    return SearchResult(
        path=source.path,
        start_line=match.first_line,
        end_line=match.last_line,
        language=source.language,
        kind=symbol.kind if symbol else "text",
        symbol=symbol.name if symbol else None,
        container=(symbol.container or None) if symbol else None,
        score=1.0,
        confidence=1.0,
        scores=Scores(),
        snippet=match.shown,
        truncated=match.is_cut,
        project=place.project,
        branch=place.other_branch or place.branch,
        root=place.root,
        file_type=source.file_type,
        unsaved_version=source.unsaved.overlay.version if source.unsaved else None,
        line=match.line,
        column=match.column,
        match_end_line=match.end_line,
        end_column=match.end_column,
        captures=dict(match.captures),
    )
