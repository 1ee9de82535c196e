"""Which candidates define the names of a query, and how surely."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

from surveyor.config.rank_settings import RankSettings
from surveyor.embedding.tokens import join_words, stem
from surveyor.files.file_class import read_labels
from surveyor.search.path_facts import PathFacts, path_facts
from surveyor.search.query import Query, SymbolName
from surveyor.search.rank_types import Candidate, RankContext

__all__ = ["definitions"]

EXACT = 0.9
"""Strength of a definition from which it counts as exact, in the query's own case."""

HELD = 0.8
"""The same where a chunk holds it among others."""

DECLARED = 0.6
"""What a function's prototype in a header, or an interface, counts where the function or class of
that name itself is found."""

LAST_PART = 0.95
"""Strength of a definition whose name ends with it: `Phoenix.Router` is a `Router`."""

INSIDE, WITHIN = 1.3, 1.15
"""Factors where the query's container is the definition's own, or one around that."""
ELSEWHERE = 0.5
"""The same where neither scope nor path says the container."""

CALLED = frozenset({"function", "method", "constructor"})
DECLARING = frozenset({"interface", "protocol"})
HEADERS = (".h", ".hh", ".hpp", ".hxx", ".h++")

FRAGMENT = 0.92
"""Strength of a part of the definition that does not hold the name itself."""

WITHOUT_NAME = 0.7
"""What such a part's lift counts: the comment above a short function is not the function."""


def definitions(
    candidates: Sequence[Candidate],
    facts: Sequence[PathFacts],
    query: Query,
    settings: RankSettings,
    context: RankContext,
) -> dict[int, float]:
    """How well candidates define a name of the query, by their number; `facts` are their paths'.

    One in another case counts less where the code defines the query's own, and of the many names
    of an issue those that many files define tell less.
    """
    best: dict[int, float] = {}
    for symbol in query.symbols:
        joined = join_words(symbol.name)
        if symbol.weight < 1.0 and joined in context.subject:
            continue
        strengths = {
            number: strength
            for number, candidate in enumerate(candidates)
            if (strength := _defines(candidate, symbol, joined, context.subject))
        }
        most = max(strengths.values(), default=0.0)
        if most <= 0.0 or (symbol.weight < 1.0 and most < EXACT):
            continue
        found = [
            candidates[number]
            for number, strength in strengths.items()
            if strength >= HELD and not read_labels(candidates[number].labels) - query.wants
        ]
        defined = any(not _declares(candidate) for candidate in found)
        telling = 1.0
        if query.kind == "issue":
            telling = 1.0 / sqrt(max(len({candidate.path for candidate in found}), 1))
        for number, strength in strengths.items():
            candidate = candidates[number]
            if found and strength < HELD:
                strength *= settings.definition_inexact
            elif defined and _declares(candidate):
                strength *= DECLARED
            if _is_without_name(candidate, symbol.name):
                strength *= WITHOUT_NAME
            strength *= symbol.weight * telling
            if most < EXACT or strengths[number] >= EXACT:  # no member before what is called so
                strength *= _stem_lift(joined, facts[number], settings.definition_stem)
            best[number] = max(best.get(number, 0.0), strength)
    return best


def _defines(
    candidate: Candidate, symbol: SymbolName, joined: str, subject: frozenset[str]
) -> float:
    """How surely the chunk is the definition of a name: 1 for its own symbol in the same case."""
    name = symbol.name
    if candidate.symbol_name == name:
        strength = FRAGMENT if _is_without_name(candidate, name) else 1.0
    elif candidate.symbol_name.endswith("." + name):
        strength = LAST_PART
    elif name in candidate.symbols:
        strength = 0.85
    elif any(each.endswith("." + name) for each in candidate.symbols):
        strength = HELD
    elif join_words(candidate.symbol_name) == joined:
        strength = 0.5
    elif joined in map(join_words, candidate.symbols):
        strength = 0.4
    else:
        return 0.0
    if candidate.file_type == "doc":
        strength *= 0.3
    if symbol.container:
        strength *= _container_lift(candidate, joined, join_words(symbol.container), subject)
    return strength


def _container_lift(
    candidate: Candidate, joined: str, inside: str, subject: frozenset[str]
) -> float:
    """Factor for how well a definition lies in what the query names before it: a class, a module,
    or a package, which is a folder, or the project where it lies in none."""
    scope = [join_words(part) for part in candidate.parent_symbol.split(".")]
    if joined in scope and joined != join_words(candidate.symbol_name):
        scope = scope[: scope.index(joined)] or [""]  # it begins what the chunk lies in
    if inside == scope[-1]:
        return INSIDE
    if inside in scope:
        return WITHIN
    folder = candidate.path.rpartition("/")[0].rpartition("/")[2]
    if inside == join_words(folder) if folder else stem(inside) in subject:
        return 1.0 if candidate.parent_symbol else WITHIN
    known = (path_facts(candidate.path).stem, join_words(candidate.symbol_name))
    return 1.0 if inside in known else ELSEWHERE


def _stem_lift(joined: str, facts: PathFacts, most: float) -> float:
    """Factor for a file that is named after a definition; half of it where its name says more, as
    that of a part of a class (`SqlMapper.Async.cs`)."""
    if joined not in (facts.stem, facts.stem + "s"):
        return 1.0
    return 1.0 + (most - 1.0) / 2.0 if facts.says_more else most


def _declares(candidate: Candidate) -> bool:
    """Whether a chunk is an interface, or of functions in a header, which are mostly prototypes."""
    if candidate.symbol_kind in DECLARING:
        return True
    return candidate.symbol_kind in CALLED and candidate.path.endswith(HEADERS)


def _is_without_name(candidate: Candidate, name: str) -> bool:
    """Whether a fragment is the documentation of a definition or a later part of its body."""
    return (
        bool(candidate.is_fragment)
        and candidate.symbol_name == name
        and name not in candidate.symbols
    )
