"""How much of a project leans on a definition: PageRank over its edges.

A use gives weight from the definition around it to what it uses; a file gives to the definitions
it uses at its top level, and every definition gives some to its file. Tests give little: what
they call most is not what matters most.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from surveyor.store.worker_graph_reads import edges_to_rank, files_to_rank, nodes_to_rank

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["pagerank", "rank_checkout"]

DAMPING = 0.85
"""Brin and Page, 1998."""
ITERATIONS = 30
TEST_WEIGHT = 0.1
"""Of a use in a test, against one elsewhere."""
LEAST_SCORE = 0.25
"""Edges below are left out of answers too: they say that a name is common, not that it matters."""
KIND_WEIGHTS = (1.0, 0.3, 0.3, 0.2, 0.5, 1.0, 1.0, 0.5)
"""By `facts.KIND_NAMES`: call, read, write, import, type, inheritance, instantiation, implicit."""


def pagerank(
    count: int,
    sources: Sequence[int] | NDArray[np.int64],
    targets: Sequence[int] | NDArray[np.int64],
    weights: Sequence[float] | NDArray[np.float64],
    start: Mapping[int, float] | None = None,
) -> NDArray[np.float64]:
    """Scores of `count` nodes, 1 on average; `start` personalises (node -> weight)."""
    import numpy as np

    if count == 0:
        return np.zeros(0)
    source, target = np.asarray(sources, dtype=np.int64), np.asarray(targets, dtype=np.int64)
    weight = np.asarray(weights, dtype=np.float64)
    out = np.bincount(source, weights=weight, minlength=count)
    share = weight / out[source] if len(source) else weight
    base = np.full(count, 1.0 / count)
    if start:
        base = np.zeros(count)
        for node, value in start.items():
            base[node] = value
        base /= base.sum()
    scores = base.copy()
    dangling = out == 0
    for _ in range(ITERATIONS):
        flow = np.bincount(target, weights=scores[source] * share, minlength=count)
        scores = (1 - DAMPING) * base + DAMPING * (flow + scores[dangling].sum() * base)
    result: NDArray[np.float64] = scores * count
    return result


def rank_checkout(
    connection: sqlite3.Connection,
    checkout_id: str,
    start: Mapping[int, float] | None = None,
) -> tuple[list[tuple[int, float]], list[tuple[int, float]]]:
    """Ranks of a checkout's nodes and files. `start`: files (by id) or nodes to begin from.

    Node ids and file ids are different numbers; in `start` files are negative.
    """
    import numpy as np

    files = files_to_rank(connection, checkout_id)
    nodes = nodes_to_rank(connection, checkout_id)
    edges = edges_to_rank(connection, checkout_id)
    index = {-file_id: position for position, (file_id, _) in enumerate(files)}
    for node_id, _ in nodes:
        index[node_id] = len(index)
    tests = {file_id for file_id, is_test in files if is_test}
    sources, targets, weights = [], [], []
    for source, file_id, target, kind, score in edges:
        begin = index.get(source if source else -file_id)
        end = index.get(target)
        if begin is None or end is None or begin == end or score < LEAST_SCORE:
            continue
        sources.append(begin)
        targets.append(end)
        weights.append(KIND_WEIGHTS[kind] * score * (TEST_WEIGHT if file_id in tests else 1.0))
    for node_id, file_id in nodes:  # a file is as important as what it defines
        sources.append(index[node_id])
        targets.append(index[-file_id])
        weights.append(0.2)
    personal = {index[key]: value for key, value in (start or {}).items() if key in index}
    if not personal:
        personal = {
            index[-file_id]: TEST_WEIGHT if is_test else 1.0 for file_id, is_test in files
        } | {index[n]: TEST_WEIGHT if f in tests else 1.0 for n, f in nodes}
    scores = pagerank(len(index), np.array(sources, dtype=np.int64), targets, weights, personal)
    rounded = np.round(scores, 4).tolist()
    return (
        [(node_id, rounded[index[node_id]]) for node_id, _ in nodes],
        [(file_id, rounded[index[-file_id]]) for file_id, _ in files],
    )
