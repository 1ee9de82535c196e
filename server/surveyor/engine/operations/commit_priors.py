"""Learns in the background what each project's commits say of its files, and keeps what helps.

The newest commits that ask something are put to the search with and without what the older ones
taught. Only where the answers get better by more than noise is anything of it used.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any

from surveyor.config.rank_settings import RankSettings
from surveyor.embedding.contract import Embedder
from surveyor.embedding.tokens import split_words, stem
from surveyor.engine.operations.search_scope import place_in
from surveyor.engine.projects.checkouts import Checkout
from surveyor.errors import SurveyorError
from surveyor.search.commit_prior import (
    LEAST_COMMITS,
    MOST_COMMITS,
    MOST_READ,
    CommitPrior,
    TaughtCommit,
    Verdict,
    asked_by,
    files_ndcg,
    fitted,
    taught_by,
    verdict_of,
)
from surveyor.search.pipeline import Searcher, SearchExtras
from surveyor.search.rank import RankContext
from surveyor.search.scope import SearchTarget
from surveyor.store.state import State
from surveyor.store.state.files import indexed_paths
from surveyor.store.state.history import CommitFileRow, newest_changes, progress_of
from surveyor.store.vectors.contract import Space

__all__ = ["CommitPriors"]

log = logging.getLogger(__name__)

MOST_TRIALS = 100
"""The newest commits that are asked."""
LEAST_TRIALS = 20
RESULTS = 30
"""Results that ten files are taken from."""
KEPT = 8
"""Projects whose maps are kept in memory, those asked last: 2 MB each."""
PAUSE_S = 0.02
"""Between two trials, for those who wait: a search gives nobody else a turn."""
LOOK_S = 300.0
"""How often it is looked whether there are new commits, while somebody searches."""
SOON_S = 20.0
"""After so long it is looked again where no commits were read yet."""


@dataclass(slots=True)
class _Learned:
    """What is known of one checkout."""

    tips: Sequence[str]
    """Up to which commits it was learned."""
    looked_at: float
    prior: CommitPrior | None = None
    verdict: Verdict | None = None
    """None where there are too few commits."""
    taught: int = 0


class CommitPriors:
    """The maps of the projects that are searched, by checkout; gone with the engine."""

    def __init__(
        self,
        state: State,
        searcher: Searcher,
        space_of: Callable[[str], Space],
        embedder_of: Callable[[Space], Awaitable[Embedder | None]],
        ranking: Callable[[Sequence[str]], RankSettings],
        is_busy: Callable[[str], bool],
        spawn: Callable[[Coroutine[Any, Any, None]], object],
    ) -> None:
        """`is_busy` says of a checkout's id whether its code is being indexed."""
        self._state = state
        self._searcher = searcher
        self._space_of = space_of
        self._embedder_of = embedder_of
        self._ranking = ranking
        self._is_busy = is_busy
        self._spawn = spawn
        self._learned: dict[str, _Learned] = {}
        self._learning: set[str] = set()

    def of(self, checkout: Checkout) -> CommitPrior | None:
        """What a project's commits taught, where it helps; learns anew beside everything else when
        there are new ones."""
        id_ = checkout.checkout_id
        known = self._learned.pop(id_, None)
        if known is not None:
            self._learned[id_] = known
        is_due = known is None or time.monotonic() - known.looked_at > LOOK_S
        if is_due and not self._learning and not self._is_busy(id_):
            self._learning.add(id_)
            self._spawn(self._learn(checkout))
        return known.prior if known is not None else None

    def said(self, checkout: Checkout) -> str | None:
        """What was learned, for people; None where nothing was asked yet."""
        if not self._ranking([checkout.root]).commits:
            return "off: `search.commits` is false"
        known = self._learned.get(checkout.checkout_id)
        if known is None:
            return None
        if not known.tips:
            return "off: no commits were read so far"
        if known.verdict is None:
            return "off: too few commits to learn from"
        verdict = known.verdict
        worth = f"{verdict.gain:+.3f} ± {verdict.error:.3f} NDCG@10 on {verdict.asked} commits"
        if known.prior is None:
            return f"off: {worth} that it was not learned from"
        return f"on, learned from {known.taught} commits: {worth} that it was not learned from"

    async def _learn(self, checkout: Checkout) -> None:
        try:
            await self._learn_of(checkout)
        except SurveyorError as error:
            log.warning("commits of %s teach nothing: %s", checkout.root, error.message)
        finally:
            self._learning.discard(checkout.checkout_id)

    async def _learn_of(self, checkout: Checkout) -> None:
        id_ = checkout.checkout_id
        progress = await progress_of(self._state, checkout.project_id)
        known = self._learned.get(id_)
        if progress is None:
            self._learned[id_] = _Learned([], time.monotonic() - LOOK_S + SOON_S)
            return
        tips = progress.tips
        if known is not None and known.tips == tips:
            known.looked_at = time.monotonic()
            return
        learned = _Learned(tips, time.monotonic())
        space = self._space_of(checkout.project_id)
        embedder = await self._embedder_of(space)
        if embedder is not None:
            await self._fill(learned, checkout, space, embedder)
        self._learned[id_] = learned
        for oldest in list(self._learned)[:-KEPT]:
            del self._learned[oldest]

    async def _fill(
        self, learned: _Learned, checkout: Checkout, space: Space, embedder: Embedder
    ) -> None:
        """Learn from all but the newest that ask, judge by those, and learn from all."""
        changes = await newest_changes(self._state, checkout.project_id, MOST_READ)
        paths = frozenset(await indexed_paths(self._state, checkout.checkout_id))
        trials, older, every = await asyncio.to_thread(_sorted_out, changes, paths)
        if len(trials) < LEAST_TRIALS or len(older) < LEAST_COMMITS:
            return
        prior = await asyncio.to_thread(_fit, older, embedder)
        place = place_in(checkout, space)
        learned.verdict = await self._judged(checkout, place, embedder, trials, prior)
        learned.taught = len(every)
        if learned.verdict.wins:
            learned.prior = await asyncio.to_thread(_fit, every, embedder)

    async def _judged(
        self,
        checkout: Checkout,
        place: SearchTarget,
        embedder: Embedder,
        trials: Sequence[TaughtCommit],
        prior: CommitPrior,
    ) -> Verdict:
        subject = frozenset(stem(word) for word in split_words(checkout.name))
        context = RankContext(subject=subject)
        settings = self._ranking([checkout.root])
        gains = []
        for trial in trials:
            worth = []
            for extras in (SearchExtras(), SearchExtras(commit_prior=prior)):
                answer = await self._searcher.search(
                    trial.question,
                    [place],
                    {place.space.model: embedder},
                    settings=settings,
                    context=context,
                    extras=extras,
                    limit=RESULTS,
                )
                await asyncio.sleep(PAUSE_S)
                worth.append(
                    files_ndcg((each.candidate.path for each in answer.ranked), trial.files)
                )
            gains.append(worth[1] - worth[0])
        return verdict_of(gains)


def _sorted_out(
    changes: Sequence[tuple[str, Sequence[CommitFileRow]]], paths: frozenset[str]
) -> tuple[list[TaughtCommit], list[TaughtCommit], list[TaughtCommit]]:
    """The newest commits that ask something, what those before them teach, and what all do; files
    by the names that they have today."""
    now: dict[str, str] = {}
    trials: list[TaughtCommit] = []
    older: list[TaughtCommit] = []
    every: list[TaughtCommit] = []
    for subject, files in changes:
        changed = [now.get(each.path, each.path) for each in files]
        for each in files:
            if each.old_path:
                now[each.old_path] = now.get(each.path, each.path)
        is_trial = len(trials) < MOST_TRIALS
        if is_trial and (asked := asked_by(subject, changed, paths)):
            trials.append(asked)
        if taught := taught_by(subject, changed, paths):
            every.append(taught)
            if not is_trial:
                older.append(taught)
    return trials, older[:MOST_COMMITS], every[:MOST_COMMITS]


def _fit(commits: Sequence[TaughtCommit], embedder: Embedder) -> CommitPrior:
    meanings = embedder.embed_documents([each.question for each in commits])
    return fitted(commits, meanings, embedder.fingerprint)
