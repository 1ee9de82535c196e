"""What ranking takes and gives: candidates, what is known beside them, scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import msgspec

from surveyor.store.chunk_row import RankedChunk

__all__ = ["Candidate", "RankContext", "RankedCandidate", "ScoreStep"]


class Candidate(RankedChunk, frozen=True, gc=False):
    """A chunk that a side of the search found, with what ranking needs of it.

    A Struct: a query makes a hundred, and a frozen dataclass of so many fields takes ten times
    as long to make.
    """

    id: str = ""
    dense_rank: int = 0
    """1-based rank among the dense hits; 0 where that side did not find it."""
    sparse_rank: int = 0
    dense: float | None = None
    sparse: float | None = None
    root: str = ""
    """Folder of its project, to tell results of several projects apart."""


@dataclass(frozen=True, slots=True)
class RankContext:
    """What is known beside the candidates. Paths are relative to the root."""

    open_files: frozenset[str] = frozenset()
    """Open or unsaved in an editor."""
    recent_files: Mapping[str, float] = field(default_factory=dict)
    """Path -> 1 for edited just now, falling to 0 with age."""
    changed_files: frozenset[str] = frozenset()
    """Files of the diff that was asked for."""
    dependants: frozenset[str] = frozenset()
    """Files that depend directly on a changed one."""
    graph_prior: Mapping[str, float] = field(default_factory=dict)
    """Path -> importance in the import and call graph, 0 to 1."""
    commit_prior: Mapping[str, float] = field(default_factory=dict)
    """Path -> how surely the project's own commits lead the query there, 0 to 1
    (`commit_prior`)."""
    subject: frozenset[str] = frozenset()
    """Stemmed words of the project's own name, which say nothing within the project."""
    of_documents: bool = False
    """Whether hardly any of what is searched is code."""
    said: Mapping[str, float] = field(default_factory=dict)
    """Candidate id -> share of a quoted or pasted text that it says in a row (`phrases`)."""
    exact: Mapping[str, float] = field(default_factory=dict)
    """Candidate id -> how surely it says the name or quoted text that is the query
    (`exact_text`)."""


class ScoreStep(msgspec.Struct, frozen=True, gc=False):
    """One step of a score: the score after it is the score before, plus or times `value`."""

    name: str
    operation: Literal["add", "multiply"]
    value: float
    score: float


class RankedCandidate(msgspec.Struct, frozen=True):
    """A candidate with its final score."""

    candidate: Candidate
    score: float
    parts: Sequence[ScoreStep]
    defines: float = 0.0
    """How well it defines a name of the query: 1 for its own symbol, more in a file or class that
    the query names too."""
    said: float = 0.0
    """Share of a quoted or pasted text that it says word for word."""
    margin: float = 0.0
    """Of the first: how far it is above the next file, listed or not, as a share of its score."""
    others: tuple[Candidate, ...] = ()
    """Further chunks of its file, the best first."""
