"""The same questions asked of the product: its engine, its store, its public search request."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from surveyor.client.blocking import call
from surveyor.protocol.enumerations import Mode
from surveyor.protocol.projects import IndexProgressRequest, IndexRequest
from surveyor.protocol.search import SearchRequest
from tests.bench.retrieval.asking import root_of
from tests.bench.retrieval.dataset import Question, Repository
from tests.bench.retrieval.metrics import DEPTH, Place, Score, score


@dataclass(slots=True)
class Answers:
    """What one configuration made of the questions, in their order."""

    questions: list[Question] = field(default_factory=list)
    scores: list[Score] = field(default_factory=list)
    milliseconds: list[float] = field(default_factory=list)
    """The engine's own, by question."""

    @property
    def ndcg(self) -> list[float]:
        """NDCG@10 by question."""
        return [each.ndcg for each in self.scores]


@contextmanager
def engine(data: Path | None = None) -> Iterator[None]:
    """An engine with a data folder of its own, thrown away at the end unless `data` is given."""
    before = os.environ.get("SURVEYOR_DATA_DIR")
    with TemporaryDirectory(prefix="surveyor-bench-") as folder:
        os.environ["SURVEYOR_DATA_DIR"] = str(data or folder)
        try:
            yield
        finally:
            stop()
            if before is None:
                del os.environ["SURVEYOR_DATA_DIR"]
            else:
                os.environ["SURVEYOR_DATA_DIR"] = before


def stop() -> None:
    """End the engine, if one runs; returns when it is gone."""
    subprocess.run([sys.executable, "-m", "surveyor", "engine", "stop"], check=False)


def index(root: Path, force: bool = True) -> float:
    """Index a folder; returns the seconds until it was searchable."""
    started = perf_counter()
    answer = call(IndexRequest(path=str(root), force=force))
    seen = -1
    while True:
        progress = call(
            IndexProgressRequest(root=answer.root, run=answer.run, seen=seen, wait_ms=1000)
        )
        if progress.phase == "done":
            return perf_counter() - started
        seen = progress.files_done


def search(root: Path, text: str, mode: Mode = "hybrid") -> tuple[list[Place], float]:
    """Places found, relative to the root, and the engine's own milliseconds."""
    answer = call(SearchRequest(query=text, project=str(root), limit=DEPTH, mode=mode))
    places = [Place(found.path, found.start_line, found.end_line) for found in answer.results]
    return places, answer.took_ms


def ask(
    repositories: Sequence[Repository], checkouts: Path, whole: bool, mode: Mode = "hybrid"
) -> Answers:
    """All questions, as the engine is configured now."""
    found = Answers()
    for repository in repositories:
        root, prefix = root_of(checkouts, repository, whole)
        for question in repository.questions:
            places, milliseconds = search(root, question.text, mode)
            inside = [Place(prefix + p.path, p.start_line, p.end_line) for p in places]
            found.questions.append(question)
            found.scores.append(score(inside, question.targets))
            found.milliseconds.append(milliseconds)
    return found


@contextmanager
def settings(values: Mapping[str, object]) -> Iterator[None]:
    """With these settings (`section.key`): the next call starts an engine that has read them."""
    for key, value in values.items():
        _set(key, value)
    stop()
    try:
        yield
    finally:
        from surveyor import paths

        paths.config_file().write_text("# nothing\n")
        stop()


def _set(key: str, value: object) -> None:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    command = [sys.executable, "-m", "surveyor", "config", "set", key, text]
    subprocess.run(command, check=True, capture_output=True)
