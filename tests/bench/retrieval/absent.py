"""Questions about what a repository does not have, from `absent.txt`.

A line there is a query about what no program of the benchmark's kinds does, or a query and, after a
tab, a regular expression (in any case): where no text of a repository matches it, the repository
has no answer to the query. `absent_elsewhere.txt` has others, in several languages and of one word
to forty, which were never fitted on: they are asked of the product.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path

from surveyor.client.blocking import call
from surveyor.protocol.search import SearchRequest
from tests.bench.retrieval import product
from tests.bench.retrieval.dataset import Question

CATEGORY = "absent"
LIST = Path(__file__).with_suffix(".txt")
ELSEWHERE = LIST.with_stem("absent_elsewhere")
LOWS = (0.15, 0.2, 0.3)
PER_REPOSITORY = 14
"""Most questions of a repository, drawn in turn from the list: some four hundred in all."""


def absent_from(repository: str, number: int, texts: Sequence[str]) -> list[Question]:
    """Questions that a repository of these texts cannot answer, others for each `number`."""
    lines = [line.split("\t") for line in LIST.read_text(encoding="utf-8").splitlines()]
    far = [line[0] for line in lines if len(line) == 1]
    near = [(line[0], line[1]) for line in lines if len(line) == 2]
    half = PER_REPOSITORY // 2
    chosen = [far[(number * half + step) % len(far)] for step in range(half)]
    start = number * half % len(near)
    for query, said in near[start:] + near[:start]:
        if len(chosen) == PER_REPOSITORY:
            break
        word = re.compile(said, re.IGNORECASE)
        if not any(word.search(text) for text in texts):
            chosen.append(query)
    return [Question(repository, query, CATEGORY, ()) for query in chosen]


def report(folders: Sequence[Path], data: Path | None) -> None:
    """Print how many of `absent_elsewhere.txt`, asked of each folder, are below some thresholds."""
    best: list[float] = []
    with product.engine(data):
        for folder in folders:
            root = folder.resolve()
            product.index(root, force=data is None)
            for text in ELSEWHERE.read_text(encoding="utf-8").splitlines():
                request = SearchRequest(query=text, project=str(root), limit=3, score_threshold=0.0)
                best.append(max((r.confidence for r in call(request).results), default=0.0))
    for low in LOWS:
        below = sum(each < low for each in best)
        sys.stdout.write(f"below {low}: {below} of {len(best)} ({below / len(best):.3f})\n")
