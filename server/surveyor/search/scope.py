"""What a search is about, and what it has found so far: values without behaviour of their own.

A place and conditions say where to look and what for; what is found is gathered with the ranks
that each side gave it, until ranking sees it as candidates.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter, gt
from typing import Literal

import msgspec
import numpy as np

from surveyor.search.lacking import LackingPoints
from surveyor.search.query import Query
from surveyor.search.rank import Candidate
from surveyor.search.symbol_narrowing import SymbolLike, of_kinds
from surveyor.store.chunk_row import RankedChunk, Row
from surveyor.store.vectors.contract import Hit, Space, Sparse

CANDIDATES = 50
"""Hits of each side that are fused (retrieval.md)."""
OTHERS = 25
"""Hits of each side that are fused from tests, docs and configuration, unless asked for: they
would crowd out the code that they are about (whole repositories .818 -> .841 NDCG@10)."""


@dataclass(frozen=True, slots=True)
class SearchTarget:
    """Where to look: a checkout, or a branch of its project, or a folder in it."""

    checkout_id: str
    project_id: str
    root: str
    project: str
    branch: str | None
    space: Space
    other_branch: str | None = None
    """A branch that is not checked out here, or `*`."""
    prefix: str = ""
    """Folder that the search is scoped to, with a slash at the end."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """Filters that a caller asked for."""

    languages: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OverlayChunk:
    """A chunk of an unsaved buffer."""

    row: Row
    """As of a stored one, with its signature and text."""
    dense: np.ndarray
    sparse: Mapping[int, float]


@dataclass(frozen=True, slots=True)
class Overlay:
    """An unsaved buffer as searches see it, in place of the file on disk."""

    path: str
    version: int
    chunks: tuple[OverlayChunk, ...]
    symbols: tuple[SymbolLike, ...]


class CandidateRow(msgspec.Struct, frozen=True, gc=False):
    """A candidate's row, kept for its result."""

    row: Row
    place: SearchTarget
    overlay: Overlay | None = None


Side = Literal["dense", "sparse"]
Pool = Literal["main", "other"]
NOWHERE: tuple[int, float | None] = (0, None)
"""Rank and score of what a side did not find."""


@dataclass(slots=True)
class GatheredCandidates:
    """Candidates so far, and which side found them among what."""

    found: dict[str, CandidateRow] = field(default_factory=dict)
    """By chunk id."""
    sides: dict[tuple[Side, Pool], list[Hit]] = field(default_factory=dict)
    lacking: dict[str, LackingPoints] = field(default_factory=dict)
    """What the store lacks of the projects that were asked about."""

    def candidates(self) -> list[Candidate]:
        """Everything found, with its ranks."""
        dense, sparse = self._positions("dense"), self._positions("sparse")
        return [
            candidate_of(found, dense.get(id_, NOWHERE), sparse.get(id_, NOWHERE))
            for id_, found in self.found.items()
        ]

    def _positions(self, side: Side) -> dict[str, tuple[int, float | None]]:
        """Rank and score by id: code among code, the rest among everything."""
        # The same chunk may be in the spaces of two models while one replaces the other.
        main = _best(self.sides.get((side, "main"), []))[:CANDIDATES]
        other = _best(self.sides.get((side, "other"), []))[:OTHERS]
        placed: dict[str, tuple[int, float | None]] = {
            hit.id: (position, hit.score) for position, hit in enumerate(main, 1)
        }
        falling = [-hit.score for hit in main]
        for position, hit in enumerate(other, 1):
            above = bisect_left(falling, -hit.score)
            placed[hit.id] = (position + above, hit.score)
        return placed


@dataclass(frozen=True, slots=True)
class SearchInput:
    """What is looked for: a query as each side reads it, and the caller's conditions."""

    query: Query
    dense: np.ndarray | None
    sparse: Sparse
    conditions: Conditions
    apart: bool = True
    """Whether code is searched apart from the rest."""

    def sides(self) -> list[Side]:
        """Those that have something to look for."""
        dense: list[Side] = ["dense"] if self.dense is not None else []
        sparse: list[Side] = ["sparse"] if self.sparse.indices else []
        return dense + sparse


def pool_of(file_type: str) -> Pool:
    """The pool that a file's chunks are searched in."""
    return "main" if file_type == "code" else "other"


def meets(row: Row, conditions: Conditions) -> bool:
    """Whether a chunk is what a caller asked for, by all but its path."""
    return (
        (not conditions.languages or row.language in conditions.languages)
        and (not conditions.types or row.file_type in conditions.types)
        and of_kinds(row, conditions.kinds)
    )


_ranked = attrgetter(*RankedChunk.__struct_fields__)


def candidate_of(
    found: CandidateRow,
    dense: tuple[int, float | None] = NOWHERE,
    sparse: tuple[int, float | None] = NOWHERE,
) -> Candidate:
    """What was found as ranking sees it, with its rank and score on each side."""
    # By position: by name, a hundred of them take half a millisecond longer.
    row, root = found.row, found.place.root
    own = (row.point_id, dense[0], sparse[0], dense[1], sparse[1], root)
    return Candidate(*(_ranked(row) + own))


def _best(hits: Sequence[Hit]) -> list[Hit]:
    scores = [hit.score for hit in hits]
    if all(map(gt, scores, scores[1:])) and len({hit.id for hit in hits}) == len(hits):
        return list(hits)  # one look's are in order, mostly without ties
    best: dict[str, Hit] = {}
    for hit in sorted(hits, key=lambda hit: (-hit.score, hit.id)):
        best.setdefault(hit.id, hit)
    return list(best.values())
