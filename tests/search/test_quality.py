"""A small regression set on a package from PyPI that no constant was tuned on."""

from __future__ import annotations

from pathlib import Path

import pytest
import watchdog
from tests.bench.retrieval import memory
from tests.bench.retrieval.names import definitions

from surveyor.config.rank_settings import RankSettings
from surveyor.embedding.contract import Embedder
from surveyor.embedding.dense import load_embedder
from surveyor.search.query import understand
from surveyor.search.rank import RankContext, rank

ROOT = Path(watchdog.__file__).parent

QUESTIONS = [
    ("inotify file descriptor reading events", "observers/inotify_c.py"),
    ("take a snapshot of a directory and compare it", "utils/dirsnapshot.py"),
    ("poll a folder for changes on a timer", "observers/polling.py"),
    ("match paths against glob patterns", "utils/patterns.py"),
    ("restart a process when files change", "tricks/__init__.py"),
    ("command line entry point", "watchmedo.py"),
    ("queue that skips repeated items", "utils/bricks.py"),
    ("delay events so that moves are paired", "observers/inotify_buffer.py"),
    ("DirectorySnapshotDiff", "utils/dirsnapshot.py"),
    ("RegexMatchingEventHandler", "events.py"),
    ("BaseObserver.schedule", "observers/api.py"),
    ('File "/x/watchdog/utils/bricks.py", line 40, in _put', "utils/bricks.py"),
]


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return load_embedder()


@pytest.fixture(scope="module")
def index(embedder: Embedder) -> memory.MemoryIndex:
    return memory.build(ROOT, embedder)


def found(index: memory.MemoryIndex, embedder: Embedder, text: str) -> list[tuple[str, int, int]]:
    query = understand(text)
    candidates = index.candidates_for(query, embedder.embed_query(query.searched), "hybrid")
    return [
        (each.candidate.path, each.candidate.start_line, each.candidate.end_line)
        for each in rank(query, candidates, RankSettings(), RankContext())
    ]


def test_questions_are_answered_near_the_top(index: memory.MemoryIndex, embedder: Embedder) -> None:
    ranks = []
    for text, path in QUESTIONS:
        paths = list(dict.fromkeys(place[0] for place in found(index, embedder, text)))
        ranks.append(1 / (paths.index(path) + 1) if path in paths else 0.0)
    misses = [text for (text, _), rank_ in zip(QUESTIONS, ranks, strict=True) if rank_ < 0.5]
    assert sum(ranks) / len(ranks) >= 0.75, misses


def test_exact_names_give_their_definition_first(
    index: memory.MemoryIndex, embedder: Embedder
) -> None:
    known = definitions(ROOT)
    missed = []
    for name, places in known.items():
        first = found(index, embedder, name)[0]
        if not any(first[0] == p and first[1] <= e and first[2] >= s for p, s, e in places):
            missed.append(name)
    assert len(missed) <= 0.02 * len(known), missed


@pytest.mark.parametrize("text", ["", "the", "🎉", "a:b && (c | d) *?", "x" * 10_000, "'\"`%_"])
def test_any_text_gets_an_answer(index: memory.MemoryIndex, embedder: Embedder, text: str) -> None:
    assert isinstance(found(index, embedder, text), list)
