"""Questions about what a repository does not have, from `absent.txt`.

A line there is a query about what no program of the benchmark's kinds does, or a query and, after a
tab, a regular expression (in any case): where no text of a repository matches it, the repository
has no answer to the query. The confidence is fitted on them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from tests.bench.retrieval.dataset import Question

CATEGORY = "absent"
LIST = Path(__file__).with_suffix(".txt")
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
