"""Search in code: the corpus whose results others say something about."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from pathlib import PurePath

from surveyor.embedding.contract import Embedder
from surveyor.embedding.tokens import split_words, stem
from surveyor.engine.index.recent_edits import RecentEdits
from surveyor.engine.index.unsaved_buffers import EditorBuffers
from surveyor.engine.operations.commit_priors import CommitPriors
from surveyor.engine.operations.engine_callables import Annotator
from surveyor.engine.operations.filters import languages_meant
from surveyor.engine.operations.rerankers import Rerankers
from surveyor.engine.operations.search_scope import Scope, place_in
from surveyor.engine.process.live_settings import LiveSettings
from surveyor.engine.projects.checkouts import Checkout
from surveyor.protocol.search import SearchRequest
from surveyor.search.globs import below
from surveyor.search.pipeline import Searcher, SearchExtras, ShownResults
from surveyor.search.rank import RankContext
from surveyor.search.scope import Conditions
from surveyor.store.vectors.contract import Space

ContextProvider = Callable[[SearchRequest, Sequence[Checkout], RankContext], Awaitable[RankContext]]
"""Adds what a part knows (the graph, a diff) to what ranking knows beside the candidates."""
SpacesOf = Callable[[str], Sequence[Space]]
"""Where a project's points are: the model's own space first."""
EmbedderOf = Callable[[Space], Awaitable[Embedder | None]]


class CodeSearch:
    """Finds and ranks chunks of code."""

    def __init__(
        self,
        searcher: Searcher,
        spaces_of: SpacesOf,
        embedder: EmbedderOf,
        editor_buffers: EditorBuffers,
        recent_edits: RecentEdits,
        commit_priors: CommitPriors,
        live_settings: LiveSettings,
        context_providers: Sequence[ContextProvider],
        annotators: Sequence[Annotator],
    ) -> None:
        self._searcher = searcher
        self._spaces_of = spaces_of
        self._embedder = embedder
        self._editor_buffers = editor_buffers
        self._recent_edits = recent_edits
        self._commit_priors = commit_priors
        self._live_settings = live_settings
        self._context_providers = context_providers
        self._annotators = annotators
        self._rerankers = Rerankers()

    async def find(self, request: SearchRequest, scope: Scope) -> ShownResults:
        """Ranked results from the places of a scope, with what others know of them."""
        checkouts = scope.checkouts
        places = [
            place_in(checkout, space, request.branch, prefix)
            for checkout, prefix in scope.folders
            for space in self._spaces_of(checkout.project_id)
        ]
        embedders = {}
        if request.mode != "keyword":
            for space in {place.space for place in places}:
                embedder = await self._embedder(space)
                if embedder is not None:
                    embedders[space.model] = embedder
        roots = [each.root for each in checkouts]
        ranking = self._live_settings.ranking(roots)
        own = self._live_settings.settings.search  # a project's files name no model that is loaded
        answer = await self._searcher.search(
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
            settings=ranking,
            context=await self._context(request, checkouts),
            extras=SearchExtras(
                expansion=self._live_settings.search(roots).expansion,
                reranker=await self._rerankers.get(
                    own.reranker, self._live_settings.settings.model.threads
                ),
                depth=own.reranker_depth,
                weight=own.reranker_weight,
                commit_prior=self._commit_priors.of(checkouts[0])
                if ranking.commits and len(checkouts) == 1
                else None,
            ),
            limit=request.limit,
        )
        shown = await self._searcher.results(
            answer.query,
            answer.ranked,
            answer.found,
            kinds=request.kinds,
            explain=request.explain,
            token_budget=request.token_budget,
            threshold=request.score_threshold,
            limit=request.limit,
            lacking=answer.lacking,
            surroundings=answer.surroundings,
        )
        for annotate in self._annotators:
            await annotate(shown.results, checkouts)
        return shown

    @property
    def problem(self) -> str | None:
        """What keeps results from being ranked as the user's settings say."""
        return self._rerankers.problem

    async def _context(self, request: SearchRequest, checkouts: Sequence[Checkout]) -> RankContext:
        subject = frozenset(
            stem(word) for checkout in checkouts for word in split_words(checkout.name)
        )
        open_files: set[str] = set()
        recent_files: dict[str, float] = {}
        for checkout in checkouts:
            id_ = checkout.checkout_id
            open_files |= _inside(checkout.root, request.open_files)
            open_files.update(overlay.path for overlay in self._editor_buffers.of(id_))
            recent_files |= self._recent_edits.weights(id_)
            recent_files |= dict.fromkeys(_inside(checkout.root, request.recent_files), 1.0)
        context = RankContext(
            open_files=frozenset(open_files),
            recent_files=recent_files,
            subject=subject if len(checkouts) == 1 else frozenset(),
        )
        for provider in self._context_providers:
            context = await provider(request, checkouts, context)
        return context


def _inside(root: str, paths: Sequence[str]) -> set[str]:
    """Paths relative to a root; those of another are left out. Relative ones stay as they are."""
    found: set[str] = set()
    if not paths:  # as nearly always
        return found
    folder = PurePath(root)
    for path in map(PurePath, paths):
        if not path.is_absolute():
            found.add(path.as_posix())
        elif path.is_relative_to(folder):
            found.add(path.relative_to(folder).as_posix())
    return found
