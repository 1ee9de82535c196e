"""The product's confidence in what a repository does not have: `absent_elsewhere.txt`.

Its lines are in several languages, of one word to forty, and about what no program of the kind has.
Nothing was fitted on them.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from surveyor.client.blocking import call
from surveyor.protocol.search import SearchRequest
from tests.bench.retrieval import product

LIST = Path(__file__).with_suffix(".txt")
LOWS = (0.15, 0.2, 0.3)


def report(folders: Sequence[Path], data: Path | None) -> None:
    """Print how many of `absent_elsewhere.txt`, asked of each folder, are below some thresholds."""
    best: list[float] = []
    with product.engine(data):
        for folder in folders:
            root = folder.resolve()
            product.index(root, force=data is None)
            for text in LIST.read_text(encoding="utf-8").splitlines():
                request = SearchRequest(query=text, project=str(root), limit=3, score_threshold=0.0)
                best.append(max((r.confidence for r in call(request).results), default=0.0))
    for low in LOWS:
        below = sum(each < low for each in best)
        sys.stdout.write(f"below {low}: {below} of {len(best)} ({below / len(best):.3f})\n")
