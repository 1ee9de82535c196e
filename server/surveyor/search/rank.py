"""From candidates to an order: fusion, then parts that each can be switched off and weighed.

A pure function of the query, the candidates, the settings and the context. Each part adds to or
multiplies a candidate's score and is recorded, so that the parts of a result add up to its score.
With all parts off the score is plain reciprocal rank fusion (Cormack, Clarke and Buettcher,
"Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods", 2009).

The constants were chosen on the development split; docs/retrieval.md has the table, and what they
are worth on repositories that they were not chosen on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from math import log, sqrt
from typing import Literal

from surveyor.search.pathfacts import PathFacts, path_facts
from surveyor.search.query import Query, SymbolName, Want
from surveyor.search.ranktypes import Candidate, Part, RankContext, Ranked, RankSettings
from surveyor.search.tokens import STOP_WORDS, join_words, split_words, stem

__all__ = ["Candidate", "Part", "RankContext", "RankSettings", "Ranked", "rank"]

RRF_K = 60
"""The constant of reciprocal rank fusion, from the paper."""

EXACT = 0.9
"""Strength of a definition from which it counts as exact, in the query's own case."""

HELD = 0.8
"""The same where a chunk holds it among others."""

DECLARED = 0.6
"""What a function's prototype in a header counts where the function itself is found."""

CALLED = frozenset({"function", "method", "constructor"})
HEADERS = (".h", ".hh", ".hpp", ".hxx", ".h++")

FRAGMENT = 0.92
"""Strength of a part of the definition that does not hold the name itself."""

WITHOUT_NAME = 0.7
"""What such a part's lift counts: the comment above a short function is not the function."""

FOLDER_SHARE = 1.0
"""What a match of the folder counts beside one of the file's stem."""

CHOICE_STEP = 0.001
"""Share of its score by which a chunk stays behind one of its file that is chosen before it."""

INLINE_TESTS = frozenset({"tests", "test"})

SHORT_LINES = 8
"""Chunks of so few lines declare more often than they do."""

PREFIX = 4
"""Letters that two words must share at their start to count as forms of one word."""


class _Scored:
    """A candidate while its score is being made."""

    __slots__ = ("candidate", "defines", "facts", "parts", "score")

    def __init__(self, candidate: Candidate) -> None:
        self.candidate = candidate
        self.facts: PathFacts = path_facts(candidate.path)
        self.score = 0.0
        self.defines = 0.0
        self.parts: list[tuple[str, Literal["add", "multiply"], float, float]] = []
        """As in `Part`, which is made for the few that are listed."""

    def add(self, name: str, value: float) -> None:
        if value:
            self.score += value
            self.parts.append((name, "add", value, self.score))

    def multiply(self, name: str, value: float) -> None:
        if value != 1.0 and self.score:
            self.score *= value
            self.parts.append((name, "multiply", value, self.score))


def rank(
    query: Query,
    candidates: Sequence[Candidate],
    settings: RankSettings,
    context: RankContext,
    limit: int = 10,
) -> list[Ranked]:
    """The best `limit` candidates in order. Ties go by root, path and line."""
    if not candidates:
        return []
    scored = [_Scored(candidate) for candidate in candidates]
    _fuse(query, scored, settings)
    top = max((item.score for item in scored), default=0.0)
    if top == 0.0:
        top = 1.0 / (RRF_K + 1)
    if settings.coherence:
        _coherence(scored, top * settings.coherence_weight)
    if settings.definition and query.symbols:
        _definitions(scored, query, top, settings, context)
    rarity = _rarity(scored, query, context) if settings.stem else {}
    said_by: dict[str, float] = {}
    sides = _Sides(query, settings)
    for item in scored:
        if settings.location and query.path:
            item.add("location", top * settings.location_weight * _at_location(item, query))
        if settings.stem and not (query.kind == "symbol" and item.defines):
            path = item.candidate.path
            if path not in said_by:
                said_by[path] = _path_match(item.facts, rarity, settings.stem_coverage)
            item.add("stem", top * settings.stem_weight * said_by[path])
        if settings.phrase and context.said:
            share = context.said.get(item.candidate.id, 0.0)
            item.add("phrase", top * settings.phrase_weight * share)
        side = _penalties(item, sides, query, settings)
        if settings.definition and query.kind == "symbol":
            unit = top * settings.definition_weight_symbol
            item.add("definition", unit * item.defines * sqrt(side))
        _lifts(item, settings, context)
    if settings.choice and query.kind not in ("symbol", "location"):
        _choose(scored, query, top * settings.choice_weight)
    return _select(scored, settings, context, limit)


def _fuse(query: Query, scored: list[_Scored], settings: RankSettings) -> None:
    dense = sparse = 1.0
    if settings.fusion:
        share = settings.dense_weight_symbol if query.is_symbol_like else settings.dense_weight
        dense, sparse = 2.0 * share, 2.0 * (1.0 - share)
    for item in scored:
        candidate = item.candidate
        if candidate.dense_rank:
            item.add("dense", dense / (RRF_K + candidate.dense_rank))
        if candidate.sparse_rank:
            item.add("sparse", sparse / (RRF_K + candidate.sparse_rank))


def _coherence(scored: list[_Scored], unit: float) -> None:
    sums: dict[tuple[str, str], float] = {}
    best: dict[tuple[str, str], _Scored] = {}
    for item in scored:
        key = (item.candidate.root, item.candidate.path)
        sums[key] = sums.get(key, 0.0) + item.score
        if key not in best or _order(item) < _order(best[key]):
            best[key] = item
    most = max(sums.values(), default=0.0)
    if most > 0.0:
        for key, item in best.items():
            item.add("coherence", unit * sums[key] / most)


def _definitions(
    scored: list[_Scored],
    query: Query,
    top: float,
    settings: RankSettings,
    context: RankContext,
) -> None:
    """Lift definitions; one in another case less where the code defines the query's own."""
    for symbol in query.symbols:
        if symbol.weight < 1.0 and join_words(symbol.name) in context.subject:
            continue
        strengths = [_defines(item.candidate, symbol) for item in scored]
        most = max(strengths, default=0.0)
        if most <= 0.0 or (symbol.weight < 1.0 and most < EXACT):
            continue
        found = [
            item
            for item, strength in zip(scored, strengths, strict=True)
            if strength >= HELD and not item.facts.flags - query.wants
        ]
        defined = any(not _declares(item.candidate) for item in found)
        for item, strength in zip(scored, strengths, strict=True):
            if found and strength < HELD:
                strength *= settings.definition_inexact
            elif defined and _declares(item.candidate):
                strength *= DECLARED
            if strength and _is_without_name(item.candidate, symbol.name):
                strength *= WITHOUT_NAME
            strength *= symbol.weight
            if strength and join_words(symbol.name) in (item.facts.stem, item.facts.stem + "s"):
                strength *= settings.definition_stem
            item.defines = max(item.defines, strength)
    if query.kind != "symbol":
        for item in scored:
            item.add("definition", top * settings.definition_weight * item.defines)


def _defines(candidate: Candidate, symbol: SymbolName) -> float:
    """How surely the chunk is the definition of a name: 1 for its own symbol in the same case."""
    name = symbol.name
    if candidate.symbol_name == name:
        strength = FRAGMENT if _is_without_name(candidate, name) else 1.0
    elif name in candidate.symbols:
        strength = 0.85
    else:
        joined = join_words(name)
        if join_words(candidate.symbol_name) == joined:
            strength = 0.5
        elif any(join_words(defined) == joined for defined in candidate.symbols):
            strength = 0.4
        else:
            return 0.0
    if candidate.file_type == "doc":
        strength *= 0.3
    if symbol.container:
        inside = join_words(symbol.container)
        scope = [join_words(part) for part in candidate.parent_symbol.split(".")]
        if inside in scope:
            strength *= 1.3
        elif inside not in (path_facts(candidate.path).stem, join_words(candidate.symbol_name)):
            strength *= 0.5
    return strength


def _declares(candidate: Candidate) -> bool:
    """Whether a chunk of functions is of a header, where they are mostly prototypes."""
    return candidate.symbol_kind in CALLED and candidate.path.endswith(HEADERS)


def _is_without_name(candidate: Candidate, name: str) -> bool:
    """Whether a fragment is the documentation of a definition or a later part of its body."""
    return candidate.is_fragment and candidate.symbol_name == name and name not in candidate.symbols


def _at_location(item: _Scored, query: Query) -> float:
    path = item.candidate.path
    wanted = query.path
    if not (wanted == path or wanted.endswith("/" + path) or path.endswith("/" + wanted)):
        return 0.0
    if not query.line:
        return 0.5
    candidate = item.candidate
    return 1.0 if candidate.start_line <= query.line <= candidate.end_line else 0.2


def _rarity(
    scored: list[_Scored], query: Query, context: RankContext
) -> dict[str, tuple[float, set[str]]]:
    """Per word that paths say: its share of what the query says, and the words it matches.

    A word that most of the candidates' paths say tells little: shares are proportional to
    log(1 + files / files whose path says it), as in IDF.
    """
    files = {(item.candidate.root, item.candidate.path): item.facts for item in scored}
    counts = Counter(word for facts in files.values() for word in facts.words)
    alike: dict[str, list[str]] = {}
    for said in counts:
        alike.setdefault(said[:PREFIX], []).append(said)
    found: dict[str, tuple[float, set[str]]] = {}
    for word in query.words:
        if word not in context.subject:
            forms = {said for said in alike.get(word[:PREFIX], ()) if _same(word, said)}
            holding = max((counts[form] for form in forms), default=0)
            found[word] = log(1.0 + len(files) / max(holding, 1)), forms
    total = sum(weight for weight, _ in found.values()) or 1.0
    return {word: (weight / total, forms) for word, (weight, forms) in found.items() if forms}


def _path_match(
    facts: PathFacts, rarity: dict[str, tuple[float, set[str]]], coverage_share: float
) -> float:
    """Share of the query's words, by their rarity, that the file's stem or folder says.

    A stem of which the query says only a part counts less: `http` is more `http.ts` than
    `http_proxy_utils.ts`.
    """
    stems, folders = facts.stem_words, facts.folder_words
    in_stem = in_folder = 0.0
    said: set[str] = set()
    for weight, forms in rarity.values():
        if not stems.isdisjoint(forms):
            in_stem += weight
            said |= stems & forms
        elif not folders.isdisjoint(forms):
            in_folder += weight * FOLDER_SHARE
    cover = len(said) / len(stems) if stems else 0.0
    return in_stem * (1.0 - coverage_share * (1.0 - cover)) + in_folder


def _same(word: str, other: str) -> bool:
    """Whether two stemmed words are forms of one: equal, or one begins with the other."""
    if word == other:
        return True
    return min(len(word), len(other)) >= PREFIX and (
        other.startswith(word) or word.startswith(other)
    )


class _Sides(dict[frozenset[Want], tuple[tuple[str, float], ...]]):
    """Factors of the kinds of files that a path says it is; few sets of kinds occur in a query."""

    def __init__(self, query: Query, settings: RankSettings) -> None:
        self.wants = query.wants
        self.known = [
            (want, weight)
            for want, switch, weight in (
                ("tests", settings.tests, settings.tests_weight),
                ("examples", settings.examples, settings.examples_weight),
                ("docs", settings.docs, settings.docs_weight),
                ("vendored", settings.vendored, settings.vendored_weight),
                ("generated", settings.generated, settings.generated_weight),
                ("legacy", settings.legacy, settings.legacy_weight),
                ("config", settings.config, settings.config_weight),
                ("types", settings.types, settings.types_weight),
            )
            if switch
        ]

    def __missing__(self, flags: frozenset[Want]) -> tuple[tuple[str, float], ...]:
        unwanted = flags - self.wants
        self[flags] = tuple(each for each in self.known if each[0] in unwanted)
        return self[flags]


def _penalties(item: _Scored, sides: _Sides, query: Query, settings: RankSettings) -> float:
    """Multiply the factors of the path and of the chunk's kind; returns their product."""
    candidate, facts = item.candidate, item.facts
    product = 1.0
    for name, factor in sides[facts.flags]:
        item.multiply(name, factor)
        product *= factor
    if (
        settings.tests
        and "tests" not in facts.flags
        and "tests" not in query.wants
        and _is_inline_test(candidate)
    ):
        item.multiply("tests", settings.tests_weight)
        product *= settings.tests_weight
    if settings.short and candidate.end_line - candidate.start_line + 1 <= SHORT_LINES:
        item.multiply("short", settings.short_weight)
        product *= settings.short_weight
    if (
        settings.reexport
        and (candidate.is_reexport or facts.reexport_name)
        and not (candidate.symbol_name or candidate.symbols)
    ):
        item.multiply("reexport", settings.reexport_weight)
        product *= settings.reexport_weight
    return product


def _is_inline_test(candidate: Candidate) -> bool:
    """Tests beside the code, as Rust has them: a module `tests` within the file."""
    if candidate.symbol_name in INLINE_TESTS and candidate.kind == "module":
        return True
    parent = candidate.parent_symbol
    return bool(parent) and not INLINE_TESTS.isdisjoint(parent.split("."))


def _lifts(item: _Scored, settings: RankSettings, context: RankContext) -> None:
    path = item.candidate.path
    if settings.working_set and (context.open_files or context.recent_files):
        nearness = 1.0 if path in context.open_files else context.recent_files.get(path, 0.0)
        item.multiply("working set", 1.0 + settings.working_set_weight * nearness)
    if settings.graph and context.graph_prior:
        prior = context.graph_prior.get(path, 0.0)
        item.multiply("graph", 1.0 + settings.graph_weight * prior)
    if settings.diff and context.changed_files:
        if path in context.changed_files:
            item.multiply("diff", settings.diff_weight)
        elif path in context.dependants:
            item.multiply("diff", 1.0 + (settings.diff_weight - 1.0) / 2.0)


def _choose(scored: list[_Scored], query: Query, unit: float) -> None:
    """Put the chunk of a file first whose own name says most of the query.

    Only within a file: a name decides between a file's chunks, and moves no file.
    """
    files: dict[tuple[str, str], list[_Scored]] = {}
    for item in scored:
        files.setdefault((item.candidate.root, item.candidate.path), []).append(item)
    wanted = frozenset(query.words)
    for items in files.values():
        if len(items) > 1:
            best = min(items, key=_order)
            chosen = max(items, key=lambda item: item.score + unit * _named(item, wanted))
            if chosen.score < best.score:
                chosen.add("choice", best.score - chosen.score)
                best.add("choice", -best.score * CHOICE_STEP)


def _named(item: _Scored, wanted: frozenset[str]) -> float:
    """How much of a chunk's own name the query says, more for longer names.

    What the file's name says tells its chunks nothing apart. One word of several is no name.
    """
    words = name_words(item.candidate.symbol_name) - item.facts.stem_words
    said = len(words & wanted)
    if said > 1 or said == len(words) == 1:
        return said / len(words) * (said - 0.5) / (said + 0.5)
    return 0.0


@lru_cache(maxsize=50_000)
def name_words(name: str) -> frozenset[str]:
    """Stemmed words of a name."""
    return frozenset(stem(word) for word in split_words(name) if word not in STOP_WORDS)


def _order(item: _Scored) -> tuple[float, str, str, int, str]:
    candidate = item.candidate
    return (-item.score, candidate.root, candidate.path, candidate.start_line, candidate.id)


def _select(
    scored: list[_Scored], settings: RankSettings, context: RankContext, limit: int
) -> list[Ranked]:
    """Order by score; each further chunk of a file counts less."""
    scored.sort(key=_order)
    if settings.saturation:
        seen: dict[tuple[str, str], int] = {}
        for item in scored:
            key = (item.candidate.root, item.candidate.path)
            times = seen.get(key, 0)
            seen[key] = times + 1
            if times:
                item.multiply("saturation", settings.saturation_weight**times)
        scored.sort(key=_order)
    return [
        Ranked(
            item.candidate,
            item.score,
            tuple(Part(*part) for part in item.parts),
            item.defines,
            context.said.get(item.candidate.id, 0.0),
            _margin(scored) if position == 0 else 0.0,
        )
        for position, item in enumerate(scored[:limit])
    ]


def _margin(ordered: Sequence[_Scored]) -> float:
    first = ordered[0]
    own = (first.candidate.root, first.candidate.path)
    others = (i.score for i in ordered if (i.candidate.root, i.candidate.path) != own)
    return 1.0 - max(next(others, 0.0), 0.0) / first.score if first.score > 0.0 else 0.0
