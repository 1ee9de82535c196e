"""What ranking takes and gives: candidates, what is known beside them, settings, scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import msgspec

__all__ = ["Candidate", "Part", "RankContext", "RankSettings", "Ranked"]


class Candidate(msgspec.Struct, frozen=True, gc=False):
    """A chunk that a side of the search found, with what ranking needs of it.

    A Struct: a query makes a hundred, and a frozen dataclass of so many fields takes ten times
    as long to make.
    """

    id: str
    path: str
    """Relative to its root, forward slashes."""
    start_line: int
    end_line: int
    dense_rank: int = 0
    """1-based rank among the dense hits; 0 where that side did not find it."""
    sparse_rank: int = 0
    dense: float | None = None
    sparse: float | None = None
    kind: str = ""
    file_type: str = "code"
    symbol_name: str = ""
    symbol_kind: str = ""
    parent_symbol: str = ""
    symbols: Sequence[str] = ()
    """Names that the chunk defines."""
    is_fragment: bool = False
    is_reexport: bool = False
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
    subject: frozenset[str] = frozenset()
    """Stemmed words of the project's own name, which say nothing within the project."""
    said: Mapping[str, float] = field(default_factory=dict)
    """Candidate id -> share of a quoted or pasted text that it says in a row (`phrases`)."""


@dataclass(frozen=True, slots=True)
class RankSettings:
    """Switches and weights; `[search]` of the configuration mirrors it field by field."""

    code_apart: bool = True
    """Look for code apart from tests, documentation and configuration, which would crowd it out
    of the candidates (read where candidates are found)."""
    fusion: bool = True
    """Weigh the dense side against the sparse one; off: both count the same."""
    dense_weight: float = 0.4
    """Share of the dense side in queries of prose."""
    dense_weight_symbol: float = 0.25
    """Share of the dense side in queries for names, places and literals."""
    coherence: bool = True
    """Lift the best chunk of files of which much was found."""
    coherence_weight: float = 0.2
    definition: bool = True
    """Lift chunks that define a name the query mentions."""
    definition_weight: float = 2.0
    definition_weight_symbol: float = 5.0
    """The same where the query is a name: its definition comes first wherever it lies."""
    definition_inexact: float = 0.3
    """Factor on definitions in another case where some are in the query's own."""
    definition_stem: float = 1.5
    """Factor on the lift where the file is named after the symbol."""
    stem: bool = True
    """Lift files whose name or folder says what the query says."""
    stem_weight: float = 1.0
    stem_coverage: float = 0.9
    """Share of the lift that depends on how much of the stem the query says."""
    phrase: bool = True
    """Lift what says a quoted literal, an error message or a piece of code word for word."""
    phrase_weight: float = 2.0
    choice: bool = True
    """Of a file's chunks, show the one whose name says what the query says; the file keeps its
    place."""
    choice_weight: float = 1.0
    tests: bool = True
    tests_weight: float = 0.3
    examples: bool = True
    examples_weight: float = 0.3
    docs: bool = True
    docs_weight: float = 0.3
    vendored: bool = True
    vendored_weight: float = 0.3
    generated: bool = True
    generated_weight: float = 0.5
    legacy: bool = True
    legacy_weight: float = 0.5
    config: bool = True
    config_weight: float = 0.3
    types: bool = True
    types_weight: float = 0.5
    reexport: bool = True
    reexport_weight: float = 0.8
    short: bool = True
    """Prefer bodies to declarations: overloads, prototypes, one-line aliases."""
    short_weight: float = 0.85
    location: bool = True
    """Lift the chunk at the place that a stack-trace line names."""
    location_weight: float = 6.0
    saturation: bool = True
    saturation_weight: float = 0.25
    """Factor for each further chunk of a file that is already listed."""
    working_set: bool = True
    working_set_weight: float = 0.15
    """Most that being open adds, as a share of the score; recently edited files get a part."""
    graph: bool = True
    graph_weight: float = 0.1
    """Most that importance in the graph adds, as a share of the score."""
    diff: bool = True
    diff_weight: float = 2.0
    """Factor on changed files where a diff was asked for; dependants get half the lift."""

    @classmethod
    def plain(cls) -> RankSettings:
        """All parts off: reciprocal rank fusion."""
        return replace(cls(), **dict.fromkeys(cls.parts(), False))

    @classmethod
    def parts(cls) -> tuple[str, ...]:
        """Names of the switches."""
        return tuple(name for name, default in cls().as_dict().items() if isinstance(default, bool))

    def as_dict(self) -> dict[str, bool | float]:
        """Field -> value."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Part:
    """One step of a score: the score after it is the score before, plus or times `value`."""

    name: str
    operation: Literal["add", "multiply"]
    value: float
    score: float


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate in its place."""

    candidate: Candidate
    score: float
    parts: tuple[Part, ...]
    defines: float = 0.0
    """How well it defines a name of the query: 1 for its own symbol, more in a file or class that
    the query names too."""
    said: float = 0.0
    """Share of a quoted or pasted text that it says word for word."""
    margin: float = 0.0
    """Of the first: how far it is above the next file, listed or not, as a share of its score."""
