"""From a query to ranked answers: candidates from `candidates`, ordered by `rank`, shown."""

from __future__ import annotations

import asyncio
import contextlib
import difflib
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import msgspec
import numpy as np

from surveyor.config.rank_settings import RankSettings
from surveyor.embedding.ngrams import LEAST_BYTES
from surveyor.embedding.sparse import query_vector
from surveyor.protocol.enumerations import Expansion, Mode
from surveyor.protocol.search import ScorePart, Scores, SearchResult
from surveyor.search import globs
from surveyor.search.candidates import CandidateFinder
from surveyor.search.commit_prior import CommitPrior
from surveyor.search.confidence import (
    EVIDENCE_DEPTH,
    LOW,
    confidences,
    is_surely_answerable,
)
from surveyor.search.evidence import (
    UNKNOWN_SURROUNDINGS,
    Surroundings,
    evidence_of,
    unsaid_words,
    words_said,
)
from surveyor.search.exact_text import (
    ALONE,
    NAMED,
    WHOLE,
    WITHIN,
    CandidateNgrams,
    chunks_named,
    chunks_saying,
    in_quotes,
    is_defined_among,
    is_key,
    is_more_than_name,
    line_saying,
    longer_names,
    says,
    wanted_path,
    wanted_texts,
)
from surveyor.search.expand import FEEDBACK_CHUNKS, feedback, joined, synonyms
from surveyor.search.lacking import LackingPoints, WhoKnowsPoints
from surveyor.search.named_places import sure_place
from surveyor.search.other_places import other_places
from surveyor.search.phrases import share_said, wanted_phrases
from surveyor.search.query import Query, SymbolName, understand
from surveyor.search.rank import RRF_K, Candidate, RankContext, RankedCandidate, rank
from surveyor.search.rerank import Reranker, reordered
from surveyor.search.row_cache import Spawn
from surveyor.search.scope import (
    CANDIDATES,
    CandidateRow,
    Conditions,
    GatheredCandidates,
    Overlay,
    SearchInput,
    SearchTarget,
    candidate_of,
    meets,
)
from surveyor.search.snippets import allot, snippet, telling_line
from surveyor.search.symbol_narrowing import (
    SymbolLike,
    holds_several,
    members_meant,
    narrow,
    narrow_to_line,
    narrow_to_member,
    needs_narrowing,
)
from surveyor.search.text_catalog import TextCatalog
from surveyor.search.word_presence import standing_nowhere
from surveyor.store.chunk_row import Row
from surveyor.store.state import State
from surveyor.store.state.chunk_rows import branches_elsewhere
from surveyor.store.state.searched_chunks import chunks_at, with_signatures, with_texts
from surveyor.store.state.symbols import (
    SymbolDefinition,
    definitions_named,
    definitions_of_kinds,
    is_defined,
    names_beginning_with,
)
from surveyor.store.vectors.contract import (
    Hit,
    Sparse,
    StoreDamagedError,
    StoreFullError,
    StoreUnreachableError,
    VectorStore,
)

LEAST_FUZZY = 4
"""Letters of a name from which typing errors are looked for."""
SPREAD, LEAST_SPREAD = 4, 2
"""Share of a name's letters, and letters at least, by which a mistyped one is shorter or longer: of
a long one a word may be written out."""
FUZZY_CUTOFF = 0.8
"""Least similarity (difflib's ratio) of a defined name to a mistyped one."""
GUESS_WEIGHT = 0.7
"""What a guessed name counts beside a written one."""
GUESS_SHARPNESS = 4
"""Power of a guess's likeness, relative to the nearest name's, that its weight falls with."""


FEW_CODE = 0.02
"""Share of chunks of code below which documents are what is looked for: a script that builds a site
was the first answer about each of 650 documents beside it."""
WEAK_RESULTS = 5
"""Results shown where none of them matches well."""
WEAK_TOKENS = 40
"""What is shown of each of them."""
JUDGED_KINDS = ("words", "symbol")
"""Kinds of queries that confidence was fitted on."""


@dataclass(frozen=True, slots=True)
class ShownResults:
    """The results of a query that are shown."""

    results: list[SearchResult]
    withheld: int = 0
    """Others that were found: none matches well, so only the nearest are shown."""
    lacking: tuple[LackingPoints, ...] = ()
    """What the store lacks of the projects that were asked."""


@dataclass(frozen=True, slots=True)
class RankedAnswer:
    """What a query found, best first."""

    query: Query
    ranked: list[RankedCandidate]
    found: dict[str, CandidateRow]
    """The rows behind them, by chunk id."""
    lacking: list[LackingPoints]
    """What the store lacks of the projects that were asked."""
    surroundings: Surroundings = UNKNOWN_SURROUNDINGS


@dataclass(frozen=True, slots=True)
class SearchExtras:
    """What a search does beyond one look and one ranking: nothing unless configured."""

    expansion: Expansion = "off"
    """More words than were typed, for the sparse side of queries in prose."""
    reranker: Reranker | None = None
    depth: int = 20
    """First results that the reranker reads."""
    weight: float = 1.0
    """What its opinion counts beside the best score."""
    commit_prior: CommitPrior | None = None
    """What the project's commits taught of it."""


NO_CONDITIONS = Conditions()
NO_EXTRAS = SearchExtras()
NO_CONTEXT = RankContext()
DEFAULT_RANKING = RankSettings()


class QueryEmbedder(Protocol):
    """Interface: turns a query into a dense vector."""

    def embed_query(self, text: str) -> np.ndarray:
        """Unit vector, or zeros for a query without a known word."""


@dataclass(slots=True)
class Searcher:
    """Answers queries from one state and one store."""

    state: State
    vectors: VectorStore
    on_store: Callable[..., Awaitable[Any]]
    is_file_name: Callable[[str], bool]
    """Whether a word is called as files of source code are."""
    overlays: Callable[[str], Sequence[Overlay]] = field(default=lambda _: ())
    """Unsaved buffers of a checkout."""
    spawn: Spawn | None = None
    """Runs something beside everything else; without it no rows are kept between queries."""
    points: WhoKnowsPoints | None = None
    """Says which projects' points are not all there; without it they are."""

    _finder: CandidateFinder = field(init=False)
    _catalog: TextCatalog = field(init=False)

    def __post_init__(self) -> None:
        self._finder = CandidateFinder(
            self.state, self.vectors, self.on_store, self.spawn, self.points
        )
        self._catalog = self._finder.catalog

    def prepare(self, checkout_id: str) -> None:
        """Have a checkout's rows read before somebody searches in it."""
        self._finder.kept.prepare(checkout_id)

    async def search(
        self,
        text: str,
        places: Sequence[SearchTarget],
        embedders: Mapping[str, QueryEmbedder],
        *,
        mode: Mode = "hybrid",
        conditions: Conditions = NO_CONDITIONS,
        settings: RankSettings = DEFAULT_RANKING,
        context: RankContext = NO_CONTEXT,
        extras: SearchExtras = NO_EXTRAS,
        limit: int = 10,
    ) -> RankedAnswer:
        """Ranked candidates and the rows behind them; `embedders` are by model fingerprint.

        There are more than `limit` where their confidence is judged by more.
        """
        query = await self._corrected(understand(text, self.is_file_name), places)
        dense: dict[str, np.ndarray] = {}
        if mode != "keyword" and query.kind != "empty":
            for model in {place.space.model for place in places} & embedders.keys():
                vector = embedders[model].embed_query(query.searched)
                if np.any(vector):
                    dense[model] = vector
        sparse = query_vector(query.keywords) if mode != "semantic" else Sparse((), ())
        expands = extras.expansion != "off" and bool(sparse.indices) and not query.is_symbol_like
        if expands and extras.expansion == "synonyms":
            sparse = joined(sparse, synonyms(query))
        apart = settings.code_apart
        gathered = await self._gathered(places, query, dense, sparse, conditions, apart)
        if expands and extras.expansion == "feedback":
            first = rank(query, gathered.candidates(), settings, context, FEEDBACK_CHUNKS)
            texts = self._texts(gathered, [each.candidate.id for each in first])
            sparse = joined(sparse, feedback(query, texts))
            gathered = await self._gathered(places, query, dense, sparse, conditions, apart)
        if settings.exact:
            exact = await self._exact(query, places, conditions, gathered)
            context = replace(context, exact=exact)
        if settings.phrase and (phrases := wanted_phrases(query)):
            context = replace(context, said=self._sayers(phrases, gathered))
        if settings.commits and extras.commit_prior is not None and query.kind == "words":
            prior = extras.commit_prior
            known = prior.of(query.searched, dense.get(prior.model))
            context = replace(context, commit_prior=known)
        code, every = await self._chunks(places)
        context = replace(context, of_documents=code < FEW_CODE * every)
        if extras.reranker is None:
            most = max(limit, EVIDENCE_DEPTH)
            ranked = rank(query, gathered.candidates(), settings, context, most)
        else:
            most = max(limit, extras.depth, EVIDENCE_DEPTH)
            ranked = rank(query, gathered.candidates(), settings, context, most)
            ranked = await self._reranked(query, ranked, gathered, extras, most)
        lacking = list(gathered.lacking.values())
        return RankedAnswer(query, ranked, gathered.found, lacking, Surroundings(every))

    async def _chunks(self, places: Sequence[SearchTarget]) -> tuple[int, int]:
        """How many chunks of code there are in what is searched, and how many in all."""
        projects = {place.project_id for place in places}
        shares = [await self._finder.chunks_of(each) for each in projects]
        return sum(each.of_code for each in shares), sum(each.all for each in shares)

    async def _exact(
        self,
        query: Query,
        places: Sequence[SearchTarget],
        conditions: Conditions,
        gathered: GatheredCandidates,
    ) -> dict[str, float]:
        """Candidates that say exactly what the query is, and how surely.

        Of a message that a program printed: those of code and tests that say all of it, and those
        that say the longest part between its values, which the source says and tests say filled in.
        """
        is_message = query.kind in ("words", "error")
        ngrams = CandidateNgrams(self.state)
        exact: dict[str, float] = {}
        rows = [each.row for each in gathered.found.values()]
        for position, wanted in enumerate(wanted_texts(query) or wanted_path(query, rows)):
            found = await self._exactly(wanted, query, places, conditions, gathered, ngrams)
            kinds = {id_: gathered.found[id_].row.file_type for id_ in found}
            if is_message:
                found = {id_: found[id_] for id_ in found if kinds[id_] != "doc"}
            exact |= {id_: max(exact.get(id_, 0.0), found[id_]) for id_ in found}
            if position and any(kinds[id_] == "code" for id_ in found):
                break
        return exact

    async def _exactly(
        self,
        wanted: str,
        query: Query,
        places: Sequence[SearchTarget],
        conditions: Conditions,
        gathered: GatheredCandidates,
        ngrams: CandidateNgrams,
    ) -> dict[str, float]:
        """Candidates that say a text exactly, and how surely; others join them where none does.

        None where the text is a name that a candidate defines: it comes first without this, but
        for a key of a configuration that stands in quotes, and what says more than the name.
        """
        rows = [found.row for found in gathered.found.values()]
        defined = is_defined_among(query, rows) and not is_more_than_name(query, rows)
        if defined and not is_key(query, rows):
            return {}
        found = self._saying(wanted, gathered, list(gathered.found), ngrams)
        if max(found.values(), default=0.0) < WHOLE:
            for place in places:
                unsaved = frozenset(each.path for each in self.overlays(place.checkout_id))
                more = await chunks_saying(self._catalog, place, wanted, conditions, unsaved)
                gathered.found |= more  # of a long line it may be another part than is known
                found |= self._saying(wanted, gathered, list(more), ngrams)
        if defined:
            quoted = in_quotes(wanted, self._texts(gathered, list(found)))
            return {id_: found[id_] for id_, is_in in zip(found, quoted, strict=True) if is_in}
        if query.kind == "literal" and " " not in wanted:
            quoted = in_quotes(wanted, self._texts(gathered, list(found)))
            found |= {id_: ALONE for id_, is_in in zip(list(found), quoted, strict=True) if is_in}
        is_telling = query.kind == "symbol" and len(wanted) >= LEAST_BYTES
        if is_telling and max(found.values(), default=0.0) == WITHIN:
            found |= self._named_longer(wanted, places, conditions, gathered, found)
        return found

    def _named_longer(
        self,
        wanted: str,
        places: Sequence[SearchTarget],
        conditions: Conditions,
        gathered: GatheredCandidates,
        saying: Mapping[str, float],
    ) -> dict[str, float]:
        """Candidates that define a longer name with a text in it, of those that some say."""
        names = longer_names(wanted, self._texts(gathered, list(saying)))
        for place in places if names else ():
            unsaved = frozenset(each.path for each in self.overlays(place.checkout_id))
            more = chunks_named(self.state, place, names, conditions, unsaved)
            for id_, row in more.items():
                gathered.found.setdefault(id_, row)
        return {
            id_: NAMED
            for id_, each in gathered.found.items()
            if not set(names).isdisjoint((each.row.symbol_name, *each.row.symbols))
        }

    def _saying(
        self,
        wanted: str,
        gathered: GatheredCandidates,
        ids: Sequence[str],
        ngrams: CandidateNgrams,
    ) -> dict[str, float]:
        rows = [gathered.found[id_].row for id_ in ids]
        possible = ngrams.may_say(wanted, rows)
        ids = [id_ for id_, may in zip(ids, possible, strict=True) if may]
        strengths = zip(ids, says(wanted, self._texts(gathered, ids)), strict=True)
        return {id_: strength for id_, strength in strengths if strength}

    def _sayers(
        self, phrases: Sequence[Sequence[str]], gathered: GatheredCandidates
    ) -> dict[str, float]:
        """Candidates that say a phrase, and how much of it."""
        texts = self._texts(gathered, list(gathered.found))
        shares = (share_said(phrases, text) for text in texts)
        return {id_: share for id_, share in zip(gathered.found, shares, strict=True) if share}

    async def _gathered(
        self,
        places: Sequence[SearchTarget],
        query: Query,
        dense: Mapping[str, np.ndarray],
        sparse: Sparse,
        conditions: Conditions,
        apart: bool,
    ) -> GatheredCandidates:
        gathered = GatheredCandidates()
        for place in places:
            sought = SearchInput(query, dense.get(place.space.model), sparse, conditions, apart)
            overlays = self.overlays(place.checkout_id)
            await self._finder.gather(place, sought, overlays, gathered)
        return gathered

    async def _reranked(
        self,
        query: Query,
        ranked: list[RankedCandidate],
        gathered: GatheredCandidates,
        extras: SearchExtras,
        limit: int,
    ) -> list[RankedCandidate]:
        """The first results as the reranker sees them. It works beside the event loop."""
        assert extras.reranker is not None
        read = ranked[: extras.depth]
        texts = self._texts(gathered, [each.candidate.id for each in read])
        if query.kind == "empty" or not texts:
            return ranked[:limit]
        scores = await asyncio.to_thread(extras.reranker.scores, query.searched, texts)
        return reordered(ranked, scores, extras.weight, limit)

    async def _corrected(self, query: Query, places: Sequence[SearchTarget]) -> Query:
        """A name that nothing is called, joined by the defined names that it may be a typing
        error for (same first letter, much the same length)."""
        if query.kind != "symbol" or not query.symbols or len(query.symbols[0].name) < LEAST_FUZZY:
            return query
        name = query.symbols[0].name.lower()
        near: dict[str, float] = {}
        for place in places:
            # Nearly always there is one, and then no other name need be read.
            if is_defined(self.state, place, name):
                return query
            spread = max(len(name) // SPREAD, LEAST_SPREAD)
            lengths = len(name) - spread, len(name) + spread
            lower = await names_beginning_with(self.state, place, name[0], lengths)
            for close in difflib.get_close_matches(name, lower, 3, FUZZY_CUTOFF):
                near[lower[close]] = difflib.SequenceMatcher(None, close, name).ratio()
        nearest = max(near.values(), default=1.0)
        guesses = tuple(
            SymbolName(guess, weight=GUESS_WEIGHT * (alike / nearest) ** GUESS_SHARPNESS)
            for guess, alike in sorted(near.items())
        )
        return replace(query, symbols=query.symbols + guesses)

    # --- results --------------------------------------------------------------------------

    async def results(
        self,
        query: Query,
        ranked: Sequence[RankedCandidate],
        found: Mapping[str, CandidateRow],
        *,
        kinds: Sequence[str] = (),
        explain: bool = False,
        token_budget: int | None = None,
        threshold: float | None = 0.0,
        limit: int | None = None,
        lacking: Sequence[LackingPoints] = (),
        surroundings: Surroundings = UNKNOWN_SURROUNDINGS,
    ) -> ShownResults:
        """Results with snippets and confidence, those below the threshold left out.

        Without a threshold (None) a few are shown, shortened, where none matches well. With
        `kinds`, a chunk found for a symbol in it becomes that symbol; without, one of tiny
        neighbours becomes the one that the query names.
        """
        rows = with_texts(self.state, [found[each.candidate.id].row for each in ranked])
        texts = [row.text or "" for row in rows]
        said, is_whole = words_said(query, ranked, texts), not lacking
        unsaid = unsaid_words(query, said) if surroundings.chunks and is_whole else []
        # As if they stood nowhere: mostly there is an answer all the same, and nothing to look up.
        least = replace(surroundings, nowhere=frozenset(unsaid))
        evidence = evidence_of(query, ranked, said, least, is_whole=is_whole)
        if unsaid and not is_surely_answerable(evidence):
            spaces = {each.place.space for each in found.values()}
            nowhere = await standing_nowhere(self.vectors, self.on_store, spaces, unsaid)
            known = replace(surroundings, nowhere=nowhere)
            evidence = evidence_of(query, ranked, said, known, is_whole=is_whole)
        chances = confidences(evidence)[:limit]
        ranked, rows = ranked[:limit], with_signatures(self.state, rows[:limit])
        weak = threshold is None and _is_judged(query) and max(chances, default=1.0) < LOW
        withheld = max(len(ranked) - WEAK_RESULTS, 0) if weak else 0
        if weak:
            ranked, rows = ranked[:WEAK_RESULTS], rows[:WEAK_RESULTS]
            token_budget = _weak_budget(token_budget)
        meant = {} if kinds else members_meant([each.candidate for each in ranked], query)
        wanted = wanted_texts(query) or wanted_path(query, [each.row for each in found.values()])
        said_at = {
            each.candidate.id: each.candidate.start_line + line - 1
            for each, row in zip(ranked, rows, strict=True)
            if wanted and not kinds and not each.defines and holds_several(each.candidate)
            if (line := line_saying(wanted, row.text or ""))
        }
        names = {*meant.values()}
        names.update(name for id_ in said_at for name in found[id_].row.symbols)
        of_ids = meant.keys() | said_at.keys()
        behind_results = [found[each.candidate.id] for each in ranked]
        defined = await self._defined(behind_results, kinds, of_ids, names)
        also = {} if weak or kinds else other_places(query, ranked)
        made: list[tuple[SearchResult, str, int]] = []
        for position, each in enumerate(ranked):
            behind, row = found[each.candidate.id], rows[position]
            text, sure = row.text or "", chances[position]
            if sure < (threshold or 0.0):
                continue
            if needs_narrowing(each.candidate, kinds):
                symbols: Sequence[SymbolLike] = defined.get(row.doc_id, ())
                if behind.overlay is not None:
                    symbols = behind.overlay.symbols
                smaller, row, text = narrow(each.candidate, row, text, symbols, kinds, query)
                each = msgspec.structs.replace(each, candidate=smaller)
            elif each.candidate.id in of_ids:
                symbols = defined.get(row.doc_id, ())
                if behind.overlay is not None:
                    symbols = behind.overlay.symbols
                if at := said_at.get(each.candidate.id):
                    smaller, row, text = narrow_to_line(each.candidate, row, text, symbols, at)
                else:
                    name = meant[each.candidate.id]
                    smaller, row, text = narrow_to_member(each.candidate, row, text, symbols, name)
                each = msgspec.structs.replace(each, candidate=smaller)
            result = _result(each, behind, row, sure, explain)
            result.also = also.get(result.id, [])
            place = sure_place(query, each.candidate)
            if not place and not each.defines and (line := line_saying(wanted, text)):
                place = each.candidate.start_line + line - 1
            made.append((result, text, place))
        await self._name_branches(
            [result for result, *_ in made], [found[each.candidate.id] for each in ranked]
        )
        budgets = allot([text for _, text, _ in made], token_budget)
        for (result, text, place), budget in zip(made, budgets, strict=True):
            if place:
                telling = place - result.start_line
            else:
                telling = telling_line(text, result.symbol or "", query)
            cut = snippet(text, query, budget, telling)
            result.snippet, result.truncated = cut.text, cut.truncated
            result.line = result.start_line + telling
        return ShownResults([result for result, *_ in made], withheld, tuple(lacking))

    async def _name_branches(
        self, results: Sequence[SearchResult], behind: Sequence[CandidateRow]
    ) -> None:
        """Say of results of all branches which of them each is on, if not the one on disk."""
        wanted = {each.row.point_id: each for each in behind if each.place.other_branch == "*"}
        for checkout_id in {each.place.checkout_id for each in wanted.values()}:
            mine = {i: e for i, e in wanted.items() if e.place.checkout_id == checkout_id}
            documents = list({each.row.doc_id for each in mine.values()})
            branches = await branches_elsewhere(self.state, checkout_id, documents)
            for result in results:
                if result.id in mine and (branch := branches.get(mine[result.id].row.doc_id)):
                    result.branch = branch

    async def near(
        self,
        place: SearchTarget,
        sought: Sequence[tuple[np.ndarray | None, Sparse]],
        conditions: Conditions,
    ) -> list[CandidateRow]:
        """Chunks near some pairs of vectors, those first that are near the most of them; unsaved
        buffers among them."""
        scores: dict[str, float] = {}
        rows: dict[str, CandidateRow] = {}
        for dense, sparse in sought:
            gathered = GatheredCandidates()
            asked = SearchInput(understand(""), dense, sparse, conditions)
            overlays = self.overlays(place.checkout_id)
            await self._finder.gather(place, asked, overlays, gathered)
            rows |= gathered.found
            for each in gathered.candidates():
                for rank_ in filter(None, (each.dense_rank, each.sparse_rank)):
                    scores[each.id] = scores.get(each.id, 0.0) + 1 / (RRF_K + rank_)
        return [rows[id_] for id_ in sorted(scores, key=lambda id_: (-scores[id_], id_))]

    async def nearest(
        self,
        dense: np.ndarray,
        place: SearchTarget,
        conditions: Conditions = NO_CONDITIONS,
        *,
        limit: int,
        without: tuple[str, int, int],
    ) -> list[SearchResult]:
        """Chunks nearest to a vector, apart from those that overlap a range of a file."""
        own, start, end = without
        inside = globs.matcher(conditions.paths, place.prefix)
        hits: list[Hit] = []
        # As the status says.
        with contextlib.suppress(StoreDamagedError, StoreFullError, StoreUnreachableError):
            hits = await self.on_store(
                self.vectors.dense, place.space, dense, limit + CANDIDATES, None
            )
        rows = {
            row.point_id: row
            for row in await chunks_at(
                self.state, place, [h.id for h in hits], kinds=bool(conditions.kinds)
            )
        }
        ranked: list[RankedCandidate] = []
        found: dict[str, CandidateRow] = {}
        for hit in hits:
            row = rows.get(hit.id)
            if row is None or (row.path == own and row.start_line <= end and row.end_line >= start):
                continue
            if not (inside(row.path) and meets(row, conditions)):
                continue
            found[hit.id] = CandidateRow(row, place)
            candidate = candidate_of(found[hit.id], dense=(1, hit.score))
            ranked.append(RankedCandidate(candidate, hit.score, ()))
            if len(ranked) == limit:
                break
        results = (await self.results(understand(""), ranked, found)).results
        for result, each in zip(results, ranked, strict=True):
            result.confidence = round(max(0.0, each.score), 3)
        return results

    async def _defined(
        self,
        found: Sequence[CandidateRow],
        kinds: Sequence[str],
        ids: Collection[str],
        names: Collection[str],
    ) -> dict[int, list[SymbolDefinition]]:
        """Symbols in the documents of results, by document: of some kinds, or those of some names
        in the documents of some chunks."""
        if kinds:
            documents = list({each.row.doc_id for each in found if each.row.doc_id})
            return await definitions_of_kinds(self.state, documents, kinds) if documents else {}
        documents = list({each.row.doc_id for each in found if each.row.point_id in ids} - {0})
        return definitions_named(self.state, documents, list(names)) if documents else {}

    def _texts(self, gathered: GatheredCandidates, ids: Sequence[str]) -> list[str]:
        """Texts of some candidates, whose rows keep them: what asks next reads none again."""
        behind = [gathered.found[id_] for id_ in ids]
        rows = with_texts(self.state, [each.row for each in behind])
        for id_, each, row in zip(ids, behind, rows, strict=True):
            if row is not each.row:
                gathered.found[id_] = msgspec.structs.replace(each, row=row)
        return [row.text or "" for row in rows]


def _is_judged(query: Query) -> bool:
    """Whether it is of those that confidence was fitted on, which are in English."""
    return query.kind in JUDGED_KINDS and query.searched == query.text


def _weak_budget(budget: int | None) -> int:
    """Tokens for the snippets of results of which none matches well."""
    most = WEAK_RESULTS * WEAK_TOKENS
    return most if budget is None else min(budget, most)


def _result(
    each: RankedCandidate, behind: CandidateRow, row: Row, sure: float, explain: bool
) -> SearchResult:
    candidate, place = each.candidate, behind.place
    branch = place.other_branch if place.other_branch not in (None, "*") else place.branch
    return SearchResult(
        path=candidate.path,
        start_line=candidate.start_line,
        end_line=candidate.end_line,
        language=row.language or None,
        kind=_shown_kind(candidate),
        symbol=candidate.symbol_name or None,
        score=round(each.score, 6),
        confidence=round(sure, 3),
        scores=Scores(dense=_rounded(candidate.dense), sparse=_rounded(candidate.sparse)),
        snippet="",
        project=place.project,
        branch=branch,
        id=candidate.id,
        root=place.root,
        file_type=candidate.file_type,
        container=candidate.parent_symbol or None,
        signature=row.signature or None,
        unsaved_version=behind.overlay.version if behind.overlay else None,
        explain=[
            ScorePart(name=p.name, operation=p.operation, value=p.value, score=p.score)
            for p in each.parts
        ]
        if explain
        else None,
    )


def _shown_kind(candidate: Candidate) -> str:
    """What a reader would call what a chunk defines: a chunk's kind knows no types, constants,
    fields and macros."""
    if candidate.symbol_name and (candidate.kind == "block" or candidate.symbol_kind == "macro"):
        return candidate.symbol_kind or candidate.kind
    return candidate.kind


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
