"""Answering queries: the engine's side of search and of similar code."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from surveyor.embedding.tokens import split_words, stem
from surveyor.engine.app import Engine
from surveyor.engine.operations import Call, operation
from surveyor.engine.operations.texts import read_text, relative
from surveyor.engine.projects.registry import Checkout
from surveyor.errors import SurveyorError, UsageError
from surveyor.parsing.languages import find_language, languages
from surveyor.parsing.types import CHUNK_KINDS, SYMBOL_KINDS
from surveyor.paths import real_path
from surveyor.protocol.base import Freshness
from surveyor.protocol.search import SearchRequest, SearchResponse, SearchResult, SimilarRequest
from surveyor.search.confidence import LOW
from surveyor.search.globs import below
from surveyor.search.pipeline import Extras
from surveyor.search.rank import RankContext
from surveyor.search.scope import Conditions, Place
from surveyor.store.vectors.contract import Space
from surveyor.worker.main import TextJob

FILE_TYPES = ("code", "doc", "test", "config", "note", "artifact")
LEAST_BESIDE_OTHERS = 0.35
"""Confidence that knowledge needs among results of other corpora: a rule that has nothing to do
with a query is always the best of the rules. Measured on rules, pages and commits: what matches
has .44 and more, what does not .34 and less."""
TAGGED = ("rules", "libraries", "notes")
"""What carries tags; code and commits do not, so nothing of them has the one that is asked for."""
RRF_K = 60
"""Reciprocal rank fusion over corpora (Cormack et al. 2009)."""


@operation(SearchRequest)
async def search(engine: Engine, request: SearchRequest, _: Call) -> SearchResponse:
    """Ranked results from the corpora asked for."""
    started = time.perf_counter()
    _check(request)
    scope = await scope_of(engine, request)
    checkouts = scope.checkouts
    if "code" in request.corpora and request.branch not in (None, "*"):
        await _check_branch(engine, request.branch, checkouts)
    if request.wait_until_fresh_ms:
        await engine.wait_fresh(checkouts, request.wait_until_fresh_ms / 1000)
    lists: list[list[SearchResult]] = []
    corpora = [each for each in request.corpora if not request.tags or each in TAGGED]
    if "code" in corpora:
        lists.append(await _code(engine, request, scope))
    for corpus in corpora:
        finder = engine.corpora.get(corpus)
        if finder is not None:
            found = await finder(request, checkouts)
            if len(corpora) > 1 and request.mode != "keyword":
                found = [one for one in found if one.confidence >= LEAST_BESIDE_OTHERS]
            lists.append(found)
    results = lists[0] if len(lists) == 1 else _fuse(lists, request.limit)
    fresh = await freshness_of(engine, checkouts)
    return SearchResponse(
        results=results,
        took_ms=round((time.perf_counter() - started) * 1000, 2),
        notice=_notice(request, results, fresh, scope),
        branch=checkouts[0].branch if len(checkouts) == 1 else None,
        **fresh.freshness(),
    )


def _check(request: SearchRequest) -> None:
    if request.limit < 1:
        raise UsageError("limit must be at least 1")
    for name in request.types:
        if name not in FILE_TYPES:
            raise UsageError(f"no file type {name!r}", f"One of: {', '.join(FILE_TYPES)}.")
    check_kinds(request.kinds, (*SYMBOL_KINDS, *CHUNK_KINDS))


def languages_meant(names: Sequence[str]) -> tuple[str, ...]:
    """Languages as the index calls them, from `py`, `C++` or `Python`. Raises `UsageError`."""
    meant = []
    for name in names:
        found = find_language(name)
        if found is None:
            raise UsageError(f"no language {name!r}", f"One of: {', '.join(languages())}.")
        meant.append(found.name)
    return tuple(meant)


def check_kinds(asked: Sequence[str], known: Sequence[str]) -> None:
    """Raise `UsageError` for a kind that is not known."""
    for name in asked:
        if name not in known:
            kinds = ", ".join(sorted(set(known)))
            raise UsageError(f"no kind {name!r}", f"One of: {kinds}.")


async def _check_branch(engine: Engine, branch: str, checkouts: Sequence[Checkout]) -> None:
    """Raise `UsageError` for a branch that nothing is kept of."""
    rows = await engine.state.read(
        """SELECT DISTINCT branch FROM branch_files
           WHERE project_id IN (SELECT value FROM json_each(?))""",
        (json.dumps([each.project_id for each in checkouts]),),
    )
    known = {str(row[0]) for row in rows} | {each.branch for each in checkouts if each.branch}
    if checkouts and branch not in known:
        raise UsageError(
            f"nothing is indexed of a branch {branch!r}",
            f"One of: {', '.join(sorted(known)) or 'none'}. A branch is indexed once it is checked"
            " out, and kept when another is.",
        )


@dataclass(frozen=True, slots=True)
class Scope:
    """What is searched: checkouts, each whole or a folder in it (with a slash at its end)."""

    folders: tuple[tuple[Checkout, str], ...]
    unknown: tuple[str, ...] = ()
    """Asked for beside them, and in no indexed project."""

    @property
    def checkouts(self) -> list[Checkout]:
        """Each once."""
        return list({each.checkout_id: each for each, _ in self.folders}.values())

    @property
    def prefix(self) -> str:
        """The folder, where there is only one."""
        return self.folders[0][1] if len(self.folders) == 1 else ""


async def scope_of(engine: Engine, request: SearchRequest) -> Scope:
    """Where to search. Raises `SurveyorError` when nothing of it is known."""
    known = await engine.projects.all()
    if request.scope == "all":
        return Scope(tuple((each, "") for each in known))
    if request.projects and request.scope == "current":
        return await _several(engine, request.projects)
    current = await engine.resolve(request.cwd, request.project)
    if request.scope == "other":
        others = [each for each in known if each.checkout_id != current.checkout_id]
        return Scope(tuple((each, "") for each in others))
    cwd = request.cwd if request.project is None else None
    return Scope(((current, _folder_in(current, cwd)),))


async def _several(engine: Engine, names: Sequence[str]) -> Scope:
    """Projects, or folders in them: those that are known, and none that lies in another one."""
    found: dict[tuple[str, str], tuple[Checkout, str]] = {}
    unknown: dict[str, SurveyorError] = {}
    for name in names:
        try:
            checkout = await engine.resolve(name, name)
        except SurveyorError as error:
            unknown[name] = error
            continue
        prefix = _folder_in(checkout, name if "/" in name else None)
        found[checkout.checkout_id, prefix] = (checkout, prefix)
    if unknown and not found:
        raise next(iter(unknown.values()))
    folders = tuple(
        (checkout, prefix)
        for checkout, prefix in found.values()
        if not any(
            prefix != other and prefix.startswith(other)
            for whose, other in found
            if whose == checkout.checkout_id
        )
    )
    return Scope(folders, tuple(unknown))


def _folder_in(checkout: Checkout, folder: str | None) -> str:
    """A folder relative to the root, with a slash at its end; empty for all of the checkout."""
    if folder in (None, checkout.root):
        return ""
    inside = real_path(Path(folder).expanduser())
    if str(inside) == checkout.root or not inside.is_dir():
        return ""
    return inside.relative_to(checkout.root).as_posix() + "/"


async def _code(engine: Engine, request: SearchRequest, scope: Scope) -> list[SearchResult]:
    checkouts = scope.checkouts
    places = [
        _place(engine, checkout, space, request.branch, prefix)
        for checkout, prefix in scope.folders
        for space in engine.spaces_of(checkout.project_id)
    ]
    embedders = {}
    if request.mode != "keyword":
        for space in {place.space for place in places}:
            embedder = await engine.model.of(space)
            if embedder is not None:
                embedders[space.model] = embedder
    roots = [each.root for each in checkouts]
    own = engine.settings.search  # a project's files name no model that is loaded
    query, ranked, found = await engine.searcher.search(
        request.query,
        places,
        embedders,
        mode=request.mode,
        conditions=Conditions(
            languages=languages_meant(request.languages),
            paths=below(request.paths, roots, scope.prefix),
            types=tuple(request.types),
            kinds=tuple(request.kinds),
        ),
        settings=engine.preferences.ranking(roots),
        context=await _context(engine, request, checkouts),
        extras=Extras(
            expansion=engine.preferences.search(roots).expansion,
            reranker=await engine.rerankers.get(own.reranker, engine.settings.model.threads),
            depth=own.reranker_depth,
            weight=own.reranker_weight,
        ),
        limit=request.limit,
    )
    results = await engine.searcher.results(
        query,
        ranked,
        found,
        kinds=request.kinds,
        explain=request.explain,
        token_budget=request.token_budget,
        threshold=request.score_threshold,
    )
    for annotate in engine.annotators:
        await annotate(results, checkouts)
    return results


def _place(
    engine: Engine, checkout: Checkout, space: Space, branch: str | None = None, prefix: str = ""
) -> Place:
    return Place(
        checkout_id=checkout.checkout_id,
        project_id=checkout.project_id,
        root=checkout.root,
        project=checkout.name,
        branch=checkout.branch,
        space=space,
        other_branch=branch if branch not in (None, checkout.branch) else None,
        prefix=prefix,
    )


async def _context(
    engine: Engine, request: SearchRequest, checkouts: Sequence[Checkout]
) -> RankContext:
    subject = frozenset(stem(word) for checkout in checkouts for word in split_words(checkout.name))
    open_files = set(request.open_files)
    for checkout in checkouts:
        open_files.update(overlay.path for overlay in engine.overlays.of(checkout.checkout_id))
    context = RankContext(
        open_files=frozenset(open_files),
        recent_files=dict.fromkeys(request.recent_files, 1.0),
        subject=subject if len(checkouts) == 1 else frozenset(),
    )
    for provider in engine.context_providers:
        context = await provider(request, checkouts, context)
    return context


def _fuse(lists: list[list[SearchResult]], limit: int) -> list[SearchResult]:
    """Reciprocal rank fusion, the first corpus first among equals."""
    scored = [
        (1.0 / (RRF_K + position), order, result)
        for order, results in enumerate(lists)
        for position, result in enumerate(results, 1)
    ]
    scored.sort(key=lambda entry: (-entry[0], entry[1]))
    return [result for _, _, result in scored[:limit]]


async def freshness_of(engine: Engine, checkouts: Sequence[Checkout]) -> Freshness:
    """The worst of several; behind and revision are sums."""
    order = ("healthy", "indexing", "stale", "uncertain", "degraded")
    worst = Freshness()
    for checkout in checkouts:
        each = await engine.freshness(checkout)
        behind, revision = worst.files_behind + each.files_behind, worst.revision + each.revision
        if order.index(each.status) > order.index(worst.status):
            worst = each
        worst = msgspec.structs.replace(worst, files_behind=behind, revision=revision)
    return worst


def _notice(
    request: SearchRequest, results: Sequence[SearchResult], fresh: Freshness, scope: Scope
) -> str | None:
    said = [_said(request, results, fresh, scope.prefix)]
    if scope.unknown:
        said.append(f"Not searched, for it is not indexed: {', '.join(scope.unknown)}.")
    return " ".join(filter(None, said)) or None


def _said(
    request: SearchRequest, results: Sequence[SearchResult], fresh: Freshness, prefix: str
) -> str | None:
    if not any(character.isalnum() for character in request.query):
        return "The query has no words: type some to search for."
    if request.tags and not set(request.corpora) & set(TAGGED):
        return f"Code and commits carry no tags: search in {', '.join(TAGGED)}."
    if not results:
        where = f" in {prefix}" if prefix else ""
        return f"Nothing found{where}." if fresh.status == "healthy" else None
    if results[0].confidence < LOW and results[0].source == "code":
        return "Nothing here matches this well; what follows is the nearest."
    return f"Searched in {prefix}" if prefix else None


@operation(SimilarRequest)
async def similar(engine: Engine, request: SimilarRequest, _: Call) -> SearchResponse:
    """Code like a range of lines, nearest first, without the range itself."""
    started = time.perf_counter()
    checkout = await engine.resolve(cwd=request.cwd)
    text = request.text
    own_path = relative(checkout, request.path) if request.path is not None else ""
    if text is None:
        if request.path is None:
            raise UsageError("neither text nor path given", "Give one of them.")
        lines = (await read_text(engine, checkout, own_path))[0].splitlines()
        text = "\n".join(lines[request.start_line - 1 : request.end_line])
    (outcome,) = await engine.pool.run([TextJob(titles=[""], texts=[text])])
    if outcome.status != "embedded":
        raise UsageError(f"the text cannot be compared: {outcome.detail}")
    results = await engine.searcher.nearest(
        outcome.vectors[0],
        _place(engine, checkout, engine.pipeline.space(checkout.project_id)),
        limit=request.limit,
        without=(own_path, request.start_line, request.end_line),
    )
    fresh = await engine.freshness(checkout)
    return SearchResponse(
        results=results,
        took_ms=round((time.perf_counter() - started) * 1000, 2),
        branch=checkout.branch,
        **fresh.freshness(),
    )
