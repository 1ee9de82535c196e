"""From candidates to an order: fusion, then parts that each can be switched off and weighed.

A pure function of the query, the candidates, the settings and the context. Each part adds to or
multiplies a candidate's score and is recorded, so that the parts of a result add up to its score.
With all parts off the score is plain reciprocal rank fusion (Cormack, Clarke and Buettcher,
"Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods", 2009).

The constants were chosen on the development split; docs/retrieval.md has the table, and what they
are worth on repositories that they were not chosen on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import log, sqrt

from surveyor.config.rank_settings import RankSettings
from surveyor.protocol.enumerations import FileLabel
from surveyor.search.definition_boost import definitions
from surveyor.search.issue_text import OUTER_SHARE
from surveyor.search.named_places import is_called, place_share
from surveyor.search.near_names import name_words, near_names, rarity_of_words
from surveyor.search.path_facts import PathFacts
from surveyor.search.query import Query
from surveyor.search.rank_types import Candidate, RankContext, RankedCandidate, ScoreStep
from surveyor.search.said_words import may_say
from surveyor.search.score_table import ScoreTable

__all__ = ["Candidate", "RankContext", "RankedCandidate", "ScoreStep", "rank", "share_named"]

RRF_K = 60
"""The constant of reciprocal rank fusion, from the paper."""

FOLDER_SHARE = 1.0
"""What a match of the folder counts beside one of the file's stem."""

CHOICE_STEP = 0.001
"""Share of its score by which a chunk stays behind one of its file that is chosen before it."""

HEAD_SHARE = 0.5
"""What a name in a file's head counts beside one of a definition when a file's chunk is chosen: it
is mostly what the file imports."""

EXACT_SHARE = 0.5
"""What it tells of a result that it says a name which nothing defines, beside its definition."""

LEAST_SIDE = 0.7
"""Least factor on a lift for exact text; a part of a word counts .6."""

ISSUE_COHERENCE = 4.0
"""Factor on the lift of coherent files for an issue, which says many things of the same few."""

ISSUE_COHERENCE_SHARE = 0.5
"""What of that lift the file's other chunks get, by how good they are beside its best one: an
issue's fix often changes several functions of a file."""

ISSUE_SATURATION = 0.5
"""Least factor for each chunk of the file above one, of an issue's results."""

ASKING_KINDS = ("words", "issue")
"""Kinds of queries that ask; a name, a place or a text leads where it stands."""

MOST_OTHERS = 5
"""Further chunks of a result's file that are kept: those that are results themselves are taken from
them later."""

OTHERS_SHARE = 0.6
"""Of a result's score that a further chunk of its file has, counted alone."""

INLINE_TESTS = frozenset({"tests", "test"})

SHORT_LINES = 8
"""Chunks of so few lines declare more often than they do."""

PREFIX = 4
"""Letters that two words must share at their start to count as forms of one word."""


def rank(
    query: Query,
    candidates: Sequence[Candidate],
    settings: RankSettings,
    context: RankContext,
    limit: int = 10,
) -> list[RankedCandidate]:
    """The best `limit` candidates in order. Ties go by root, path and line."""
    if not candidates:
        return []
    table = ScoreTable(candidates)
    _fuse(table, query, settings)
    top = max(table.scores)
    if top == 0.0:
        top = 1.0 / (RRF_K + 1)
    if settings.coherence:
        told = query.kind == "issue"
        unit = top * settings.coherence_weight * (ISSUE_COHERENCE if told else 1.0)
        _coherence(table, unit, ISSUE_COHERENCE_SHARE if told else 0.0)
    if settings.definition and query.symbols:
        facts = [table.facts[file] for file in table.file]
        defines = definitions(table.candidates, facts, query, settings, context)
        for number, strength in defines.items():
            table.defines[number] = strength
        if query.kind != "symbol":
            unit = top * settings.definition_weight
            table.add("definition", {n: unit * each for n, each in defines.items()})
    if settings.location and query.places:
        _locations(table, query, top * settings.location_weight)
    if settings.stem:
        _stems(table, query, settings, context, top * settings.stem_weight)
    if settings.phrase and context.said:
        unit, said = top * settings.phrase_weight, context.said
        found = ((n, said.get(each.id)) for n, each in enumerate(table.candidates))
        table.add("phrase", {n: unit * share for n, share in found if share})
    of_documents = context.of_documents or not _is_beside_code(table)
    spared = _only_places(table, context)
    side = _penalties(table, query, settings, spared, of_documents=of_documents)
    if settings.definition and query.kind == "symbol":
        unit = top * settings.definition_weight_symbol
        lifted = ((n, strength) for n, strength in enumerate(table.defines) if strength)
        table.add("definition", {n: unit * strength * sqrt(side[n]) for n, strength in lifted})
    if settings.near_name and query.kind == "symbol" and not any(table.defines):
        unit = top * settings.near_name_weight
        near = near_names(query.symbols[0].name, table.candidates) if query.symbols else {}
        table.add("near name", {n: unit * each * sqrt(side[n]) for n, each in near.items()})
    if settings.exact and context.exact:
        unit, exact = top * settings.exact_weight, context.exact
        sure = ((n, exact.get(each.id)) for n, each in enumerate(table.candidates))
        table.add("exact", {n: unit * s * _exact_side(side[n]) for n, s in sure if s})
    _lifts(table, settings, context)
    if settings.choice and query.kind not in ("symbol", "location"):
        _choose(table, query, top * settings.choice_weight)
    saturation = settings.saturation_weight
    if query.kind == "issue":
        saturation = max(saturation, ISSUE_SATURATION)
    asks = query.kind in ASKING_KINDS
    return _select(table, settings, context, limit, saturation, with_others=asks)


def _fuse(table: ScoreTable, query: Query, settings: RankSettings) -> None:
    near = settings.nearness_weight if settings.nearness and query.kind == "words" else 0.0
    dense = sparse = 1.0
    if settings.fusion:
        if near:
            share = settings.dense_weight_words
        else:
            share = settings.dense_weight_symbol if query.is_symbol_like else settings.dense_weight
        dense, sparse = 2.0 * share, 2.0 * (1.0 - share)
    found = [(n, each.dense_rank, each.dense) for n, each in enumerate(table.candidates)]
    table.add("dense", _side(found, dense, near, from_least=True))
    found = [(n, each.sparse_rank, each.sparse) for n, each in enumerate(table.candidates)]
    table.add("sparse", _side(found, sparse, near, from_least=False))


def _side(
    candidates: Iterable[tuple[int, int, float | None]],
    weight: float,
    near: float,
    *,
    from_least: bool,
) -> dict[int, float]:
    """What a side says of candidates, given by number, rank (0: not found) and similarity.

    A share `near` of it is the similarity, scaled to the best one (and to the least one, where none
    is 0), the rest the reciprocal rank. Ranks alone cannot tell whether the first of a side stands
    out or is as good as the fiftieth (Bruch, Gai and Ingber, "An Analysis of Fusion Functions for
    Hybrid Retrieval", 2023).
    """
    found = [each for each in candidates if each[1]]
    values = {n: weight / (RRF_K + place) for n, place, _ in found}
    known = [score for _, _, score in found if score is not None]
    if not near or not known:
        return values
    most, least = max(known), min(known) if from_least else 0.0
    unit, reach = weight / (RRF_K + 1), most - least
    for n, _, score in found:
        if score is not None:
            share = (score - least) / reach if reach > 0.0 else 1.0
            values[n] += near * (unit * share - values[n])
    return values


def _coherence(table: ScoreTable, unit: float, share: float) -> None:
    """Lift the best chunk of each file by what was found of it, and by a share of that the others,
    as far as they are as good."""
    scores = table.scores
    sums = [sum(scores[numbers.start : numbers.stop]) for numbers in table.chunks]
    most = max(sums)
    if most > 0.0:
        lifts = {table.best(file): unit * total / most for file, total in enumerate(sums)}
        if share:
            for best, lift in list(lifts.items()):
                for number in table.chunks[table.file[best]]:
                    good = scores[number] / max(scores[best], 1e-9)
                    lifts.setdefault(number, lift * share * good)
        table.add("coherence", lifts)


def _locations(table: ScoreTable, query: Query, unit: float) -> None:
    lifts: dict[int, float] = {}
    outward = 1.0
    alone = query.kind == "location"
    for place in query.places:
        files = [file for file, path in enumerate(table.paths) if is_called(place.path, path)]
        weight = place.weight * (outward if place.depth else 1.0)
        for number in (number for file in files for number in table.chunks[file]):
            share = place_share(place, table.candidates[number], alone=alone)
            lifts[number] = max(lifts.get(number, 0.0), unit * weight * share)
        if files and place.depth:
            outward *= OUTER_SHARE  # of the frames those count that lie in the project
    table.add("location", lifts)


def _stems(
    table: ScoreTable, query: Query, settings: RankSettings, context: RankContext, unit: float
) -> None:
    """Lift files whose path says the query's words; a definition of its name needs no lift."""
    words = [word for word in query.words if word not in context.subject]
    saying = _saying(table.facts, words)
    rarity = _rarity(len(table.facts), words, saying)
    lifts: dict[int, float] = {}
    for file in sorted({file for files in saying.values() for file in files}):
        lift = unit * _path_match(table.facts[file], rarity, settings.stem_coverage)
        lifts.update(dict.fromkeys(table.chunks[file], lift))
    if query.kind == "symbol":
        lifts = {number: lift for number, lift in lifts.items() if not table.defines[number]}
    table.add("stem", lifts)


def _saying(facts: Sequence[PathFacts], words: Sequence[str]) -> dict[str, list[int]]:
    """Files by the words of their paths, for those words that may be forms of some of `words`."""
    starts = {word[:PREFIX] for word in words}
    saying: dict[str, list[int]] = {}
    for file, each in enumerate(facts):
        for word in each.words:
            if word[:PREFIX] in starts:
                saying.setdefault(word, []).append(file)
    return saying


def _rarity(
    files: int, words: Sequence[str], saying: Mapping[str, Sequence[int]]
) -> dict[str, tuple[float, set[str]]]:
    """Per word that paths say: its share of what the query says, and the words it matches.

    A word that most of the candidates' paths say tells little: shares are proportional to
    log(1 + files / files whose path says it), as in IDF.
    """
    found: dict[str, tuple[float, set[str]]] = {}
    for word in words:
        forms = {said for said in saying if _same(word, said)}
        holding = max((len(saying[form]) for form in forms), default=0)
        found[word] = log(1.0 + files / max(holding, 1)), forms
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


def _only_places(table: ScoreTable, context: RankContext) -> frozenset[int]:
    """Candidates in tests, documentation and the like that alone define a name of the query, or
    alone say what it quotes: what a path is called shall not hide them."""
    defining = {number for number, strength in enumerate(table.defines) if strength}
    saying: set[int] = set()
    if context.said:  # of most queries nothing is quoted
        said = ((n, context.said.get(each.id)) for n, each in enumerate(table.candidates))
        saying = {n for n, share in said if share == 1.0}

    def only(numbers: set[int]) -> set[int]:
        aside = {number for number in numbers if table.labels[table.file[number]]}
        return aside if aside == numbers else set()

    return frozenset(only(defining) | only(saying))


def _is_beside_code(table: ScoreTable) -> bool:
    """Whether there is code among the candidates."""
    return any(
        each.file_type == "code" and each.kind != "text" and "docs" not in each.labels
        for each in table.candidates
    )


def _penalties(
    table: ScoreTable,
    query: Query,
    settings: RankSettings,
    spared: frozenset[int],
    *,
    of_documents: bool,
) -> list[float]:
    """Multiply the factors of paths and of the chunks' kinds; returns their products.

    Those of paths do not touch the candidates that are `spared`. In a folder `of_documents` these
    are what is looked for.
    """
    side = [1.0] * len(table.scores)

    def count_less(name: str, factor: float, numbers: Iterable[int]) -> None:
        factors = dict.fromkeys(numbers, factor)
        for number in factors:
            side[number] *= factor
        table.multiply(name, factors)

    # Few sets of kinds occur among the candidates of a query.
    labelled: dict[frozenset[FileLabel], list[int]] = {}
    for labels, numbers in zip(table.labels, table.chunks, strict=True):
        if labels:
            labelled.setdefault(labels, []).extend(numbers)
    for want, factor in _sides(settings):
        if want not in query.wants and not (want == "docs" and of_documents):
            those = [numbers for labels, numbers in labelled.items() if want in labels]
            every = (number for numbers in those for number in numbers)
            count_less(want, factor, (number for number in every if number not in spared))
    inline: list[int] = []
    short: list[int] = []
    passing: list[int] = []
    for number, each in enumerate(table.candidates):
        if each.end_line - each.start_line < SHORT_LINES:
            short.append(number)
        if not (each.symbol_name or each.symbols):
            passing.append(number)
        if each.parent_symbol or each.kind == "module":
            inline.append(number)
    if settings.tests and "tests" not in query.wants:
        count_less("tests", settings.tests_weight, _inline_tests(table, inline))
    if settings.short:
        count_less("short", settings.short_weight, short)
    if settings.reexport:
        count_less("reexport", settings.reexport_weight, _reexports(table, passing))
    return side


def _sides(settings: RankSettings) -> list[tuple[FileLabel, float]]:
    """Factors on the kinds of files that a path says it is."""
    known: list[tuple[FileLabel, bool, float]] = [
        ("tests", settings.tests, settings.tests_weight),
        ("examples", settings.examples, settings.examples_weight),
        ("docs", settings.docs, settings.docs_weight),
        ("vendored", settings.vendored, settings.vendored_weight),
        ("generated", settings.generated, settings.generated_weight),
        ("legacy", settings.legacy, settings.legacy_weight),
        ("config", settings.config, settings.config_weight),
        ("types", settings.types, settings.types_weight),
    ]
    return [(want, weight) for want, switch, weight in known if switch]


def _inline_tests(table: ScoreTable, numbers: Iterable[int]) -> list[int]:
    """Those that are tests beside the code, as Rust has them: a module `tests` within the file."""

    def is_test(each: Candidate) -> bool:
        if each.symbol_name in INLINE_TESTS and each.kind == "module":
            return True
        return not INLINE_TESTS.isdisjoint(each.parent_symbol.split("."))

    inside = [number for number in numbers if is_test(table.candidates[number])]
    return [number for number in inside if "tests" not in table.labels[table.file[number]]]


def _reexports(table: ScoreTable, numbers: Iterable[int]) -> list[int]:
    """Those that pass on what others define."""
    return [
        number
        for number in numbers
        if table.candidates[number].is_reexport or table.facts[table.file[number]].reexport_name
    ]


def _exact_side(factor: float) -> float:
    """What of the factors on tests, documentation and the like is left where both they and the
    code say a text: code comes first, but not before them with a mere part of a word."""
    return max(sqrt(sqrt(factor)), LEAST_SIDE)


def _lifts(table: ScoreTable, settings: RankSettings, context: RankContext) -> None:
    """Multiply what is known of files beside their text."""
    files = list(enumerate(table.paths))
    if settings.working_set and (context.open_files or context.recent_files):
        weight, recent = settings.working_set_weight, context.recent_files
        near = ((file, 1.0 if p in context.open_files else recent.get(p, 0.0)) for file, p in files)
        table.multiply_files("working set", {file: 1.0 + weight * n for file, n in near if n})
    if settings.graph and context.graph_prior:
        weight, known = settings.graph_weight, context.graph_prior
        priors = ((file, known.get(path, 0.0)) for file, path in files)
        table.multiply_files("graph", {file: 1.0 + weight * n for file, n in priors if n})
    if settings.commits and context.commit_prior:
        weight, known = settings.commits_weight, context.commit_prior
        priors = ((file, known.get(path, 0.0)) for file, path in files)
        table.multiply_files("commits", {file: 1.0 + weight * n for file, n in priors if n})
    if settings.diff and context.changed_files:
        weight = settings.diff_weight
        depends = 1.0 + (weight - 1.0) / 2.0
        factors = {file: depends for file, path in files if path in context.dependants}
        factors |= {file: weight for file, path in files if path in context.changed_files}
        table.multiply_files("diff", factors)


def _choose(table: ScoreTable, query: Query, unit: float) -> None:
    """Put the chunk of a file first whose names say what of the query few names say.

    Only within a file: a name decides between a file's chunks, and moves no file.
    """
    said = _named_words(table, frozenset(query.words))
    rarity = rarity_of_words(query.words, said.values(), len(table.candidates))
    scores = table.scores
    changes: dict[int, float] = {}
    for numbers in table.chunks:
        if len(numbers) == 1 or said.keys().isdisjoint(numbers):
            continue

        def worth(number: int) -> tuple[float, int]:
            share = max(
                (sum(map(rarity.__getitem__, s)) for s in said.get(number, ())), default=0.0
            )
            if table.candidates[number].kind == "preamble":
                share *= HEAD_SHARE
            return scores[number] + unit * share, -number

        chosen = max(numbers, key=worth)
        best = max(numbers, key=scores.__getitem__)
        if scores[chosen] < scores[best]:
            changes[chosen] = scores[best] - scores[chosen]
            changes[best] = -scores[best] * CHOICE_STEP
    table.add("choice", changes)


def _named_words(table: ScoreTable, wanted: frozenset[str]) -> dict[int, list[frozenset[str]]]:
    """For each candidate, by its number, the words of the query that its own name says, and those
    that the names in it say; without names, and candidates, that say none."""
    names: list[str] = []
    owners: list[int] = []
    for number, each in enumerate(table.candidates):
        names += (each.symbol_name, *each.symbols)
        owners += [number] * (1 + len(each.symbols))
    said: dict[int, list[frozenset[str]]] = {}
    for at in may_say(wanted, names):
        if words := name_words(names[at]) & wanted:
            said.setdefault(owners[at], []).append(words)
    return said


def share_named(name: str, facts: PathFacts, wanted: frozenset[str]) -> float:
    """How much of a chunk's own name the query says, more for longer names.

    What the file's name says tells its chunks nothing apart. One word of several is no name.
    """
    words = name_words(name)
    if words.isdisjoint(wanted):
        return 0.0
    words = words - facts.stem_words
    said = len(words & wanted)
    if said > 1 or said == len(words) == 1:
        return said / len(words) * (said - 0.5) / (said + 0.5)
    return 0.0


def _select(
    table: ScoreTable,
    settings: RankSettings,
    context: RankContext,
    limit: int,
    saturation: float,
    *,
    with_others: bool,
) -> list[RankedCandidate]:
    """Order by score; each further chunk of a file counts less, by a factor of `saturation`."""
    order = table.order()
    alone = table.scores[:]
    if settings.saturation:
        seen = [0] * len(table.chunks)
        factors: dict[int, float] = {}
        for number in order:
            file = table.file[number]
            if seen[file]:
                factors[number] = saturation ** seen[file]
            seen[file] += 1
        table.multiply("saturation", factors)
        order = table.order()
    return [
        RankedCandidate(
            table.candidates[number],
            table.scores[number],
            table.parts(number),
            table.defines[number],
            _said(context, table.candidates[number].id),
            _margin(table, order) if position == 0 else 0.0,
            _others(table, number, alone) if with_others else (),
        )
        for position, number in enumerate(order[:limit])
    ]


def _others(table: ScoreTable, number: int, scores: Sequence[float]) -> tuple[Candidate, ...]:
    """The candidates of its file that come next by these scores, which count each chunk alone."""
    numbers = table.chunks[table.file[number]]
    if len(numbers) == 1:
        return ()
    least = OTHERS_SHARE * scores[number]
    others = [each for each in numbers if each != number and scores[each] >= least]
    others.sort(key=scores.__getitem__, reverse=True)
    return tuple(table.candidates[each] for each in others[:MOST_OTHERS])


def _said(context: RankContext, id_: str) -> float:
    """Share of what is quoted that a candidate says; of a name that is nowhere defined, half."""
    return max(context.said.get(id_, 0.0), EXACT_SHARE * context.exact.get(id_, 0.0))


def _margin(table: ScoreTable, order: Sequence[int]) -> float:
    first, own = table.scores[order[0]], table.file[order[0]]
    other = next((table.scores[number] for number in order if table.file[number] != own), 0.0)
    return 1.0 - max(other, 0.0) / first if first > 0.0 else 0.0
