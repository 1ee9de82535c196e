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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import log, prod, sqrt
from typing import Literal

import msgspec

from surveyor.search.pathfacts import PathFacts, path_facts
from surveyor.search.query import Query, SymbolName
from surveyor.search.tokens import join_words

__all__ = ["Candidate", "Part", "RankContext", "RankSettings", "Ranked", "rank"]

RRF_K = 60
"""The constant of reciprocal rank fusion, from the paper."""

EXACT = 0.9
"""Strength of a definition from which it counts as exact, in the query's own case."""

FRAGMENT = 0.92
"""Strength of a part of the definition that does not hold the name itself."""

WITHOUT_NAME = 0.7
"""What such a part's lift counts: the comment above a short function is not the function."""

FOLDER_SHARE = 1.0
"""What a match of the folder counts beside one of the file's stem."""

INLINE_TESTS = frozenset({"tests", "test"})

SHORT_LINES = 8
"""Chunks of so few lines declare more often than they do."""

PREFIX = 4
"""Letters that two words must share at their start to count as forms of one word."""


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
    for item in scored:
        if settings.location and query.path:
            item.add("location", top * settings.location_weight * _at_location(item, query))
        if settings.stem and not (query.kind == "symbol" and item.defines):
            match = _path_match(item, rarity, settings.stem_coverage)
            item.add("stem", top * settings.stem_weight * match)
        side = _penalties(item, query, settings)
        if settings.definition and query.kind == "symbol":
            unit = top * settings.definition_weight_symbol
            item.add("definition", unit * item.defines * sqrt(side))
        _lifts(item, settings, context)
    return _select(scored, settings, limit)


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
    """Lift definitions; one in another case only where nothing is defined in the query's own."""
    for symbol in query.symbols:
        if symbol.weight < 1.0 and join_words(symbol.name) in context.subject:
            continue
        strengths = [_defines(item.candidate, symbol) for item in scored]
        most = max(strengths, default=0.0)
        if most <= 0.0 or (symbol.weight < 1.0 and most < EXACT):
            continue
        for item, strength in zip(scored, strengths, strict=True):
            if strength < EXACT <= most:
                strength *= settings.definition_inexact
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
    item: _Scored, rarity: dict[str, tuple[float, set[str]]], coverage_share: float
) -> float:
    """Share of the query's words, by their rarity, that the file's stem or folder says.

    A stem of which the query says only a part counts less: `http` is more `http.ts` than
    `http_proxy_utils.ts`.
    """
    stems, folders = item.facts.stem_words, item.facts.folder_words
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


def _penalties(item: _Scored, query: Query, settings: RankSettings) -> float:
    """Multiply the factors of the path and of the chunk's kind; returns their product."""
    factors: list[tuple[str, float]] = []
    flags = item.facts.flags
    wants = query.wants
    unwanted = flags - wants
    if unwanted:
        for want, switch, weight in (
            ("tests", settings.tests, settings.tests_weight),
            ("examples", settings.examples, settings.examples_weight),
            ("docs", settings.docs, settings.docs_weight),
            ("vendored", settings.vendored, settings.vendored_weight),
            ("generated", settings.generated, settings.generated_weight),
            ("legacy", settings.legacy, settings.legacy_weight),
            ("config", settings.config, settings.config_weight),
            ("types", settings.types, settings.types_weight),
        ):
            if switch and want in unwanted:
                factors.append((want, weight))
    candidate = item.candidate
    lifted = "tests" in flags or "tests" in wants
    if settings.tests and not lifted and _is_inline_test(candidate):
        factors.append(("tests", settings.tests_weight))
    passes_on = candidate.is_reexport or item.facts.reexport_name
    if settings.short and candidate.end_line - candidate.start_line + 1 <= SHORT_LINES:
        factors.append(("short", settings.short_weight))
    if settings.reexport and passes_on and not (candidate.symbol_name or candidate.symbols):
        factors.append(("reexport", settings.reexport_weight))
    for name, factor in factors:
        item.multiply(name, factor)
    return prod(factor for _, factor in factors)


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


def _order(item: _Scored) -> tuple[float, str, str, int, str]:
    candidate = item.candidate
    return (-item.score, candidate.root, candidate.path, candidate.start_line, candidate.id)


def _select(scored: list[_Scored], settings: RankSettings, limit: int) -> list[Ranked]:
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
        Ranked(item.candidate, item.score, tuple(Part(*part) for part in item.parts), item.defines)
        for item in scored[:limit]
    ]
