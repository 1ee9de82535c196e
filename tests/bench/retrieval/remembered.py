"""Does a half-remembered name lead to the one that is meant?

With the part `near_name` of the ranking and without it, by the product's functions in memory, which
look for no typing errors.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path

from surveyor.config.rank_settings import RankSettings
from surveyor.embedding.contract import Embedder
from surveyor.embedding.dense import load_embedder
from surveyor.embedding.tokens import join_words, split_words, stem
from surveyor.search.rank import RankContext, rank
from tests.bench.retrieval import asking, memory
from tests.bench.retrieval.bodies import first_is_right
from tests.bench.retrieval.dataset import Question, Target
from tests.bench.retrieval.names import definitions
from tests.bench.retrieval.table import gain

LEAST_WORDS, MOST_FILES = 3, 2
"""Words of a name that has parts to forget, and files that may define it."""


def questions(root: Path, sample: int) -> list[Question]:
    """Names with a word left out, two exchanged, or one put into the plural or out of it."""
    defined = definitions(root)
    known = {join_words(name) for name in defined}
    names = sorted(name for name in defined if len(split_words(name)) >= LEAST_WORDS)
    chance = random.Random(root.name)
    chance.shuffle(names)
    found: list[Question] = []
    for name in names:
        places = defined[name]
        typed = _misremembered(name, chance)
        if len({path for path, *_ in places}) > MOST_FILES or join_words(typed) in known:
            continue
        targets = tuple(Target(*place) for place in places)
        found.append(Question(root.name, typed, "symbol", targets))
        if len(found) == sample:
            break
    return found


def _misremembered(name: str, chance: random.Random) -> str:
    words = list(split_words(name))
    at = chance.randrange(len(words) - 1)
    how = chance.choice(("left out", "exchanged", "plural"))
    if how == "left out":
        del words[at]
    elif how == "exchanged":
        words[at], words[at + 1] = words[at + 1], words[at]
    else:
        words[at] = words[at].removesuffix("s") if words[at].endswith("s") else words[at] + "s"
    if "_" in name:
        return "_".join(words)
    first = words[0].capitalize() if name[:1].isupper() else words[0]
    return first + "".join(word.capitalize() for word in words[1:])


def report(
    folders: Sequence[Path], sample: int, cache: Path | None, say: Callable[[str], None]
) -> None:
    """Print how many first results hold the definition, and their files, and the gain."""
    embedder = load_embedder("")
    ways = {"shipped": RankSettings(), "without": RankSettings(near_name=False)}
    chunks: dict[str, list[float]] = {way: [] for way in ways}
    files: dict[str, list[float]] = {way: [] for way in ways}
    for folder in folders:
        asked = _ask(folder.resolve(), sample, embedder, cache)
        for way, settings in ways.items():
            chunks[way] += [float(first_is_right(each, settings)) for each in asked]
            files[way] += [float(_first_file_is_right(each, settings)) for each in asked]
    for what, values in (("definition", chunks), ("file", files)):
        shares = {way: sum(own) / max(len(own), 1) for way, own in values.items()}
        say(
            f"{what} first, {len(values['shipped'])} names: {shares['shipped']:.3f},"
            f" {shares['without']:.3f} without: {gain(values['without'], values['shipped'])}"
        )


def _first_file_is_right(each: asking.Asked, settings: RankSettings) -> bool:
    ranked = rank(each.query, each.candidates["hybrid"], settings, each.context, 1)
    paths = {target.path for target in each.question.targets}
    return bool(ranked) and ranked[0].candidate.path in paths


def _ask(root: Path, sample: int, embedder: Embedder, cache: Path | None) -> list[asking.Asked]:
    index = memory.build(root, embedder, cache=cache)
    context = RankContext(subject=frozenset(map(stem, split_words(root.name))))
    return asking.ask_index(questions(root, sample), index, embedder, "", context, ("hybrid",))
