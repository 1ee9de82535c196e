"""Knowledge in the vector store: texts become points, queries find them again.

SQLite is the truth; points are derived. `reconcile` makes a space equal to what SQLite holds,
after a crash, a changed model or a changed project id.
"""

from __future__ import annotations

import asyncio
import math
import uuid
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from surveyor.embedding.chunk_text import titled_text
from surveyor.embedding.contract import Embedder
from surveyor.embedding.sparse import document_words, query_vector, weights_of
from surveyor.embedding.tokens import raw_words
from surveyor.protocol.enumerations import Mode
from surveyor.store.vectors.contract import (
    Collection,
    Filter,
    Hit,
    Point,
    Space,
    Sparse,
    StoreDamagedError,
    StoreFullError,
    VectorStore,
)
from surveyor.store.vectors.listing import all_ids
from surveyor.units import counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

POINT_NAMESPACE = uuid.UUID("0c2e8c52-52b1-5d0e-8a7e-3a5f0a7f6b55")
"""Namespace of the ids of knowledge points (version 5 UUIDs)."""

UPSERT_POINTS = 64
"""Points per call into the store, which holds the interpreter lock meanwhile."""
RECONCILED_AT_ONCE = 512
CANDIDATES = 50
"""Taken from each half of the search before fusion (retrieval.md)."""
MOST_WORDED = 5_000
"""Entries that are read for their words where the store lacks their points."""
RRF_K = 60
DENSE_WEIGHT = 0.4
"""Share of the meaning in the fusion (retrieval.md, for sentences)."""


class TextVectors(NamedTuple):
    """A text as the model and the words see it."""

    dense: NDArray[np.float32]
    sparse: Sparse


EmbedTexts = Callable[[Sequence[str], Sequence[str]], Awaitable[list[TextVectors]]]
"""Vectors of texts, each under its title, in their order. Raises `SurveyorError`."""


@dataclass(frozen=True, slots=True)
class PointEntry:
    """Something to be embedded: what it is called, what it says, what filters may use."""

    id: str
    title: str
    text: str
    payload: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PointHit:
    """A point that answers a query. `score` is fused, `confidence` between 0 and 1."""

    id: str
    score: float
    confidence: float
    dense: float | None
    sparse: float | None


Stored = Callable[[], Awaitable[Mapping[str, PointEntry]]]
"""What a space should hold, by point; no more than `MOST_WORDED` of it are looked at."""


class FoundPoints(NamedTuple):
    """Points that answer a query, best first."""

    hits: list[PointHit]
    lacking: str = ""
    """What the answer may lack, in one line."""


def point_id(*parts: str) -> str:
    """The id of what these parts name."""
    return str(uuid.uuid5(POINT_NAMESPACE, "\0".join(parts)))


@dataclass(slots=True)
class Points:
    """Embeds, stores and finds. `model` answers the fingerprint and dimension in use."""

    vectors: VectorStore
    on_store: Callable[..., Awaitable[Any]]
    ask_store: Callable[..., Awaitable[Any]]
    """The same for what somebody waits for."""
    embed_texts: EmbedTexts
    model: Callable[[], tuple[str, int]]
    embedder: Callable[[Space], Awaitable[Embedder | None]]
    """The model of a space's points, if it can be loaded."""
    _missing: dict[Space, dict[str, PointEntry]] = field(default_factory=dict)
    """What is not there yet of spaces that are made equal to what is stored."""

    def space(self, collection: Collection, tenant: str) -> Space:
        """Where a tenant's points of the model in use are."""
        fingerprint, dimension = self.model()
        return Space(collection, tenant, fingerprint, dimension)

    async def put(self, space: Space, entries: Sequence[PointEntry]) -> None:
        """Embed entries in the workers and make their points durable."""
        await self.upsert(space, await self.embed(entries))

    async def embed(self, entries: Sequence[PointEntry]) -> list[Point]:
        """Points of entries, made in the workers. Raises `SurveyorError` when it fails."""
        if not entries:
            return []
        vectors = await self.embed_texts(
            [one.title for one in entries], [one.text for one in entries]
        )
        return [
            Point(one.id, vector.dense, vector.sparse, dict(one.payload))
            for one, vector in zip(entries, vectors, strict=True)
        ]

    async def upsert(self, space: Space, points: Sequence[Point]) -> None:
        """Make points durable."""
        for start in range(0, len(points), UPSERT_POINTS):
            await self.on_store(self.vectors.upsert, space, points[start : start + UPSERT_POINTS])
        if points:
            await self.on_store(self.vectors.flush, space)

    async def delete(self, space: Space, ids: Iterable[str]) -> None:
        """Remove points."""
        if doomed := list(ids):
            await self.on_store(self.vectors.delete, space, doomed)
            await self.on_store(self.vectors.flush, space)

    async def find(
        self,
        spaces: Mapping[Space, Stored],
        query: str,
        *,
        mode: Mode = "hybrid",
        limit: int = CANDIDATES,
        where: Filter | None = None,
    ) -> FoundPoints:
        """The best points of some spaces, fused by reciprocal rank; ties by id.

        While points of another model are being made, those of the earlier one still answer. What
        has no points, or none that can be read, is found by the words that are stored of it.
        """
        if not query.strip():
            return FoundPoints([])
        asked = {_tenancy(space) for space in spaces}
        there: list[Space] = await self.ask_store(self.vectors.spaces)
        known = [one for one in there if _tenancy(one) in asked]
        dense: list[Hit] = []
        sparse: list[Hit] = []
        unreadable: set[Space] = set()

        async def hits(ask: Callable[..., list[Hit]], space: Space, vector: object) -> list[Hit]:
            try:
                answer: list[Hit] = await self.ask_store(ask, space, vector, limit, where)
            except (StoreDamagedError, StoreFullError):
                unreadable.add(space)
                return []
            return answer

        if mode != "keyword":
            queries = await self._queries(query, known)
            for space in known:
                if (vector := queries[space.model]) is not None:
                    dense += await hits(self.vectors.dense, space, vector)
        words = query_vector(query)
        if mode != "semantic" and words.indices:
            for space in known:
                sparse += await hits(self.vectors.sparse, space, words)
        lacking = await self._lacking(spaces, [one for one in known if one not in unreadable])
        if not lacking:
            return FoundPoints(fuse(dense, sparse, limit, mode))
        if mode != "semantic":
            known_ids = {hit.id for hit in sparse}
            worded = await asyncio.to_thread(_by_words, lacking, words, where)
            sparse += [hit for hit in worded if hit.id not in known_ids]
        return FoundPoints(fuse(dense, sparse, limit, mode), _lacks(len(lacking), mode))

    async def _lacking(
        self, spaces: Mapping[Space, Stored], answering: Sequence[Space]
    ) -> list[PointEntry]:
        """What is stored of some spaces and has no points that answered."""
        earlier = {_tenancy(one) for one in answering if one not in spaces}
        found: list[PointEntry] = []
        for space, stored in spaces.items():
            if _tenancy(space) in earlier:  # points of an earlier model
                continue
            if space not in answering:
                found += (await stored()).values()
            else:
                found += self._missing.get(space, {}).values()
        return found[:MOST_WORDED]

    async def _queries(
        self, query: str, spaces: Iterable[Space]
    ) -> dict[str, NDArray[np.float32] | None]:
        """The query as each model of some spaces sees it; None where it says nothing to it."""
        found: dict[str, NDArray[np.float32] | None] = {}
        for space in {one.model: one for one in spaces}.values():
            embedder = await self.embedder(space)
            vector = None
            if embedder is not None and embedder.dimension == space.dimension:
                made = await asyncio.to_thread(embedder.embed_query, query)
                vector = made if float(abs(made).max()) > 0 else None
            found[space.model] = vector
        return found

    async def spaces(self) -> set[Space]:
        """Spaces that exist: asking one that does not would create it."""
        return set(await self.on_store(self.vectors.spaces))

    async def reconcile(self, space: Space, wanted: Mapping[str, PointEntry]) -> int:
        """Make a space hold exactly the wanted entries; returns how many had to be made."""
        exists = space in await self.spaces()
        present = await all_ids(self.vectors, self.on_store, space) if exists else set()
        missing = [entry for key, entry in wanted.items() if key not in present]
        # Until they are made, also where that fails: the next time is another one.
        self._missing[space] = left = {entry.id: entry for entry in missing}
        for start in range(0, len(missing), RECONCILED_AT_ONCE):
            some = missing[start : start + RECONCILED_AT_ONCE]
            await self.put(space, some)
            for entry in some:
                left.pop(entry.id, None)
        self._missing.pop(space, None)
        await self.delete(space, present - wanted.keys())
        return len(missing)


def _tenancy(space: Space) -> tuple[Collection, str]:
    """What a space has in common with those of other models."""
    return space.collection, space.tenant


def _lacks(count: int, mode: Mode) -> str:
    """What an answer lacks for want of the points of so many pieces."""
    how = "Not found" if mode == "semantic" else "Found by words alone, not by meaning,"
    # Of more than these the rest is not looked at.
    some = f"{MOST_WORDED} pieces or more" if count >= MOST_WORDED else counted(count, "piece")
    return f"{how} until their points are made again: {some}."


def _by_words(entries: Sequence[PointEntry], words: Sparse, where: Filter | None) -> list[Hit]:
    """The entries that have words of a query and that a filter lets through.

    Weighed as the store weighs them, with IDF ln(1 + (N - n + .5) / (n + .5)) of the entries given,
    so that both can stand in one list.
    """
    some = [each for each in entries if where is None or _meets(each, where)]
    texts = [titled_text(each.title, each.text) for each in some]
    weights = weights_of(
        words.indices, [document_words(text, raw_words(text.code)) for text in texts]
    )
    having = np.count_nonzero(weights, axis=0)
    idf = np.log(1 + (len(some) - having + 0.5) / (having + 0.5))
    scores = weights @ (idf * np.array(words.values))
    return [
        Hit(each.id, score) for each, score in zip(some, scores.tolist(), strict=True) if score > 0
    ]


def _meets(entry: PointEntry, where: Filter) -> bool:
    if where.ids is not None and entry.id not in where.ids:
        return False
    said = entry.payload.get
    return all(said(name) in values for name, values in where.must.items()) and not any(
        said(name) in values for name, values in where.must_not.items()
    )


def fuse(dense: Sequence[Hit], sparse: Sequence[Hit], limit: int, mode: Mode) -> list[PointHit]:
    """Reciprocal rank fusion of both halves, each sorted by its own score first."""
    by_meaning = {hit.id: hit.score for hit in sorted(dense, key=_best_first)[:limit]}
    by_words = {hit.id: hit.score for hit in sorted(sparse, key=_best_first)[:limit]}
    weights = {"hybrid": (DENSE_WEIGHT, 1 - DENSE_WEIGHT), "semantic": (1, 0), "keyword": (0, 1)}
    share, rest = weights[mode]
    scores: dict[str, float] = {}
    for ranks, weight in ((by_meaning, share), (by_words, rest)):
        for rank, key in enumerate(ranks, 1):
            scores[key] = scores.get(key, 0.0) + weight / (RRF_K + rank)
    top = max(by_words.values(), default=0.0)
    ordered = sorted(scores, key=lambda key: (-scores[key], key))
    return [
        PointHit(
            id=key,
            score=scores[key],
            confidence=confidence(by_meaning.get(key), by_words.get(key), top),
            dense=by_meaning.get(key),
            sparse=by_words.get(key),
        )
        for key in ordered[:limit]
    ]


def _best_first(hit: Hit) -> tuple[float, str]:
    return (-hit.score, hit.id)


COSINE_MIDDLE = 0.35
COSINE_SLOPE = 12.0
"""Logistic from cosine to confidence: with the shipped model unrelated prose lies below .2,
restatements above .5."""


def confidence(dense: float | None, sparse: float | None, best_sparse: float) -> float:
    """How likely a result is about the query: its meaning first, shared words second."""
    meaning = 1 / (1 + math.exp(-COSINE_SLOPE * ((dense or 0.0) - COSINE_MIDDLE)))
    words = (sparse or 0.0) / best_sparse if best_sparse else 0.0
    return round(min(1.0, 0.75 * meaning + 0.25 * words), 3)
