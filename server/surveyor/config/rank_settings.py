"""The switches and weights of ranking, each with what the configuration says of it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TypeVar

__all__ = ["RankSettings"]

T = TypeVar("T")


def _setting(default: T, meaning: str, most: float = math.inf) -> T:
    """A field with what the configuration says of it; a number is between 0 and `most`."""
    made: T = field(default=default, metadata={"meaning": meaning, "most": most})
    return made


@dataclass(frozen=True, slots=True)
class RankSettings:
    """Switches and weights; `[search]` of the configuration mirrors it field by field.

    Lifts are added: one of weight 1 is worth the best score that fusion gave. Factors multiply,
    and those on kinds of files are left out where the query asks for the kind.
    """

    code_apart: bool = _setting(
        True,
        "Candidates of code are looked for apart from tests, documentation and configuration,"
        " which would crowd them out.",
    )
    fusion: bool = _setting(
        True, "Meaning and words are weighed against each other; off: both count the same."
    )
    dense_weight: float = _setting(0.4, "Share of the meaning in queries of prose.", most=1.0)
    nearness: bool = _setting(
        True,
        "In questions of words, how near each side finds a chunk counts beside its rank there.",
    )
    nearness_weight: float = _setting(0.5, "Share of it; the rest is the rank.", most=1.0)
    dense_weight_words: float = _setting(
        0.5, "Share of the meaning in questions of words with `nearness`.", most=1.0
    )
    dense_weight_symbol: float = _setting(
        0.25, "Share of the meaning in queries for names, places and literals.", most=1.0
    )
    coherence: bool = _setting(True, "The best chunk of a file of which much was found is lifted.")
    coherence_weight: float = _setting(0.2, "Lift for the file of which most was found.")
    definition: bool = _setting(True, "Chunks that define a name of the query are lifted.")
    definition_weight: float = _setting(2.0, "Lift where the query says more than the name.")
    definition_weight_symbol: float = _setting(
        5.0, "Lift where the query is a name: its definition comes first wherever it lies."
    )
    definition_inexact: float = _setting(
        0.3, "Factor on that lift for names in another case, where some are in the query's own."
    )
    definition_stem: float = _setting(
        1.5, "Factor on that lift where the file is named after the symbol."
    )
    near_name: bool = _setting(
        True,
        "Where nothing defines the name that the query is, those that share its words are lifted.",
    )
    near_name_weight: float = _setting(2.5, "Lift for a name of the same words.")
    stem: bool = _setting(True, "Files whose name or folder says what the query says are lifted.")
    stem_weight: float = _setting(1.0, "Lift for a path that says all of the query.")
    stem_coverage: float = _setting(
        0.9,
        "Share of that lift that depends on how much of the file's name the query says.",
        most=1.0,
    )
    phrase: bool = _setting(
        True, "What says a quoted text, an error message or pasted code word for word is lifted."
    )
    phrase_weight: float = _setting(2.0, "Lift for all of its words in a row.")
    exact: bool = _setting(
        True,
        "What says a name or quoted text exactly comes first, unless something defines the name.",
    )
    exact_weight: float = _setting(
        10.0,
        "Lift for it, above all others together; less within a longer word or in another case.",
    )
    choice: bool = _setting(
        True,
        "Of a file's chunks the one is shown whose names say the query's telling words; the file"
        " keeps its place.",
    )
    choice_weight: float = _setting(2.0, "Lift, within the file, for a name that says all.")
    tests: bool = _setting(True, "Tests count less, unless the query asks for them.")
    tests_weight: float = _setting(0.3, "Factor on tests.")
    examples: bool = _setting(True, "Examples count less, unless the query asks for them.")
    examples_weight: float = _setting(0.3, "Factor on examples, samples and benchmarks.")
    docs: bool = _setting(True, "Documentation beside code counts less, unless asked for.")
    docs_weight: float = _setting(0.3, "Factor on documentation.")
    vendored: bool = _setting(True, "Copies of other projects count less.")
    vendored_weight: float = _setting(0.3, "Factor on vendored code.")
    generated: bool = _setting(True, "Generated code counts less.")
    generated_weight: float = _setting(0.5, "Factor on generated code.")
    legacy: bool = _setting(True, "Deprecated and compatibility code counts less.")
    legacy_weight: float = _setting(0.5, "Factor on legacy code.")
    config: bool = _setting(True, "Configuration counts less, unless the query asks for it.")
    config_weight: float = _setting(0.3, "Factor on configuration, build and CI files.")
    types: bool = _setting(True, "Files of mere type declarations count less.")
    types_weight: float = _setting(0.5, "Factor on them: stubs, `.d.ts`.")
    reexport: bool = _setting(True, "Chunks that only pass names on count less.")
    reexport_weight: float = _setting(0.8, "Factor on re-exports, barrels and `__init__` files.")
    short: bool = _setting(True, "Bodies come before overloads, prototypes and one-line aliases.")
    short_weight: float = _setting(0.85, "Factor on chunks of few lines.")
    location: bool = _setting(True, "The chunk at a place that the query names is lifted.")
    location_weight: float = _setting(6.0, "Lift for the very line, as in a stack trace.")
    saturation: bool = _setting(True, "Further chunks of a file that is already listed count less.")
    saturation_weight: float = _setting(0.25, "Factor for each chunk of the file above it.")
    working_set: bool = _setting(True, "Open, unsaved and recently edited files are lifted.")
    working_set_weight: float = _setting(
        0.15, "Most that it adds, as a share of the score; files edited lately get a part."
    )
    graph: bool = _setting(False, "Files of importance in the code graph are lifted.")
    graph_weight: float = _setting(0.1, "Most that it adds, as a share of the score.")
    commits: bool = _setting(
        True,
        "Files that the project's own commits lead a query to are lifted, where that was seen to"
        " help with commits that it was not learned from.",
    )
    commits_weight: float = _setting(0.15, "Most that it adds, as a share of the score.")
    diff: bool = _setting(True, "Where a diff was asked for, its files are lifted.")
    diff_weight: float = _setting(
        2.0, "Factor on changed files; files that depend on them get half the lift."
    )

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
