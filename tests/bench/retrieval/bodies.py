"""Does a name lead to its body, where it is also declared, aliased or overloaded in a line or two?

With the part `short` of the ranking and without it, by the product's functions in memory.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path

from surveyor.config.rank_settings import RankSettings
from surveyor.embedding.contract import Embedder
from surveyor.embedding.dense import load_embedder
from surveyor.embedding.tokens import split_words, stem
from surveyor.search.rank import RankContext, rank
from tests.bench.retrieval import asking, memory
from tests.bench.retrieval.dataset import Question, Target
from tests.bench.retrieval.names import definitions
from tests.bench.retrieval.table import gain

DECLARATION_LINES, BODY_LINES = 4, 7
"""At most, and at least."""


def questions(root: Path, sample: int) -> list[Question]:
    """Names with a definition of each length; the longer ones are meant."""
    found = []
    for name, places in definitions(root).items():
        lengths = [end - start + 1 for _, start, end in places]
        if min(lengths) <= DECLARATION_LINES and max(lengths) >= BODY_LINES:
            bodies = [
                Target(*place)
                for place, lines in zip(places, lengths, strict=True)
                if lines >= BODY_LINES
            ]
            found.append(Question(root.name, name, "symbol", tuple(bodies)))
    found.sort(key=lambda each: each.text)
    random.Random(1).shuffle(found)
    return found[:sample]


def first_is_right(each: asking.Asked, settings: RankSettings) -> bool:
    """Whether the first result holds a body."""
    ranked = rank(each.query, each.candidates["hybrid"], settings, each.context, 1)
    return any(
        target.path == found.candidate.path
        and target.start_line <= found.candidate.end_line
        and target.end_line >= found.candidate.start_line
        for found in ranked[:1]
        for target in each.question.targets
    )


def report(
    folders: Sequence[Path], sample: int, cache: Path | None, say: Callable[[str], None]
) -> None:
    """Print how many first results are right in each folder, and the gain over all."""
    embedder = load_embedder("")
    shipped: list[float] = []
    without: list[float] = []
    for folder in folders:
        asked = _ask(folder.resolve(), sample, embedder, cache)
        own = [float(first_is_right(each, RankSettings())) for each in asked]
        others = [float(first_is_right(each, RankSettings(short=False))) for each in asked]
        say(f"{folder.name}: {len(asked)} names, {sum(own):.0f} right, {sum(others):.0f} without")
        shipped += own
        without += others
    say(
        f"all: {len(shipped)} names, {sum(shipped):.0f} right, {sum(without):.0f} without:"
        f" {gain(without, shipped)}"
    )


def _ask(root: Path, sample: int, embedder: Embedder, cache: Path | None) -> list[asking.Asked]:
    index = memory.build(root, embedder, cache=cache)
    context = RankContext(subject=frozenset(map(stem, split_words(root.name))))
    return asking.ask_index(questions(root, sample), index, embedder, "", context, ("hybrid",))
