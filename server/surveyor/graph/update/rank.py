"""How much of a project leans on a definition: PageRank over its edges.

A use gives weight from the definition around it to what it uses; a file gives to the definitions
it uses at its top level, and every definition gives some to its file. Tests give little: what
they call most is not what matters most.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from surveyor.store.worker_graph_reads import edges_to_rank, files_to_rank, nodes_to_rank

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["RankedGraph", "pagerank", "read_ranked_graph"]

DAMPING = 0.85
"""Brin and Page, 1998."""
ITERATIONS = 30
TEST_WEIGHT = 0.1
"""Of a use in a test, against one elsewhere."""
LEAST_SCORE = 0.25
"""Edges below are left out of answers too: they say that a name is common, not that it matters."""
KIND_WEIGHTS = (1.0, 0.3, 0.3, 0.2, 0.5, 1.0, 1.0, 0.5)
"""By `facts.KIND_NAMES`: call, read, write, import, type, inheritance, instantiation, implicit."""
OF_ITS_FILE = 0.2
"""What a definition gives to its file: it is as important as what it defines."""


def pagerank(
    count: int,
    sources: NDArray[np.int64],
    targets: NDArray[np.int64],
    weights: NDArray[np.float64],
    start: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Scores of `count` nodes, 1 on average, that begin from the weights of `start` (count)."""
    import numpy as np

    if count == 0:
        return np.zeros(0)
    out = np.bincount(sources, weights=weights, minlength=count)
    share = weights / out[sources]
    base = start / start.sum()
    scores = base.copy()
    dangling = out == 0
    for _ in range(ITERATIONS):
        flow = np.bincount(targets, weights=scores[sources] * share, minlength=count)
        scores = (1 - DAMPING) * base + DAMPING * (flow + scores[dangling].sum() * base)
    result: NDArray[np.float64] = scores * count
    return result


@dataclass(frozen=True, slots=True, eq=False)
class RankedGraph:
    """A checkout's graph as numbers: files come first, then nodes, both by their ids."""

    file_ids: NDArray[np.int64]
    node_ids: NDArray[np.int64]
    file_of_node: NDArray[np.int64]
    """Positions in `file_ids`."""
    is_test: NDArray[np.bool_]
    """Of each file."""
    is_definition: NDArray[np.bool_]
    """Of each node: not the file itself."""
    paths: list[str]
    sources: NDArray[np.int64]
    targets: NDArray[np.int64]
    weights: NDArray[np.float64]

    def ranks(self) -> tuple[list[tuple[int, float]], list[tuple[int, float]]]:
        """Of all nodes and of all files, by id: how important each is in the whole project."""
        import numpy as np

        tests = np.concatenate((self.is_test, self.is_test[self.file_of_node]))
        scores = self._scores(np.where(tests, TEST_WEIGHT, 1.0))
        files = len(self.file_ids)
        return (
            list(zip(self.node_ids.tolist(), scores[files:].tolist(), strict=True)),
            list(zip(self.file_ids.tolist(), scores[:files].tolist(), strict=True)),
        )

    def personal_ranks(
        self, start: Mapping[int, float], below: str, limit: int
    ) -> list[tuple[int, float]]:
        """The `limit` most important definitions seen from some nodes, and files (negative ids).

        Those outside of tests, in files whose path begins with `below`; and the nodes of `start`.
        Without any node that is known: seen from the whole project.
        """
        import numpy as np

        files = len(self.file_ids)
        base = np.zeros(files + len(self.node_ids))
        places = []
        for key, weight in start.items():
            ids, first = (self.node_ids, files) if key >= 0 else (self.file_ids, 0)
            (place,) = _positions(ids, np.array([abs(key)]))
            if place >= 0:
                base[first + place] = weight
                places.append(int(first + place))
        if not places:
            scores = np.array([rank for _, rank in self.ranks()[0]])
        else:
            scores = self._scores(base)[files:]
        begins = np.array([path.startswith(below) for path in self.paths], dtype=np.bool_)
        wanted = self.is_definition & (begins & ~self.is_test)[self.file_of_node]
        best = np.flatnonzero(wanted)
        best = best[np.argsort(-scores[best], kind="stable")[:limit]]
        chosen = np.union1d(best, np.array([p - files for p in places if p >= files], dtype=int))
        return list(zip(self.node_ids[chosen].tolist(), scores[chosen].tolist(), strict=True))

    def _scores(self, base: NDArray[np.float64]) -> NDArray[np.float64]:
        import numpy as np

        return np.round(pagerank(len(base), self.sources, self.targets, self.weights, base), 4)


def read_ranked_graph(connection: sqlite3.Connection, checkout_id: str) -> RankedGraph:
    """What is stored of a checkout's graph now."""
    import numpy as np

    rows = files_to_rank(connection, checkout_id)
    file_ids = np.array([file_id for file_id, _, _ in rows], dtype=np.int64)
    is_test = np.array([is_test for _, is_test, _ in rows], dtype=np.bool_)
    nodes = _table(nodes_to_rank(connection, checkout_id), 3).astype(np.int64)
    node_ids, file_of_node = nodes[0], _positions(file_ids, nodes[1])
    source, file_id, target, kind, score = _table(edges_to_rank(connection, checkout_id), 5)
    files = len(file_ids)
    user = _positions(file_ids, file_id.astype(np.int64))
    inner = _positions(node_ids, source.astype(np.int64))
    begin = np.where(source == 0, user, np.where(inner < 0, -1, inner + files))
    end = _positions(node_ids, target.astype(np.int64))
    end = np.where(end < 0, -1, end + files)
    kept = (begin >= 0) & (end >= 0) & (begin != end) & (score >= LEAST_SCORE)
    weights = np.array(KIND_WEIGHTS)[kind.astype(np.int64)] * score
    weights *= np.where(is_test[user], TEST_WEIGHT, 1.0) if files else 1.0
    return RankedGraph(
        file_ids=file_ids,
        node_ids=node_ids,
        file_of_node=file_of_node,
        is_test=is_test,
        is_definition=nodes[2].astype(np.bool_),
        paths=[path for _, _, path in rows],
        sources=np.concatenate((begin[kept], np.arange(len(node_ids)) + files)),
        targets=np.concatenate((end[kept], file_of_node)),
        weights=np.concatenate((weights[kept], np.full(len(node_ids), OF_ITS_FILE))),
    )


def _table(rows: Iterable[tuple[float, ...]], columns: int) -> NDArray[np.float64]:
    """Rows as columns (columns, rows). Ids are below 2**53, where floats are exact."""
    import numpy as np

    return np.fromiter(chain.from_iterable(rows), dtype=np.float64).reshape(-1, columns).T


def _positions(ids: NDArray[np.int64], wanted: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each of `wanted` stands in `ids`, which is sorted; -1 where it does not."""
    import numpy as np

    if not len(ids):
        return np.full(len(wanted), -1, dtype=np.int64)
    found = np.searchsorted(ids, wanted).clip(max=len(ids) - 1)
    result: NDArray[np.int64] = np.where(ids[found] == wanted, found, -1)
    return result
