"""The same questions asked of the product: its engine, its store, its public search request."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from surveyor.engine.client import call
from surveyor.models import IndexProgressRequest, IndexRequest, SearchRequest
from tests.bench.retrieval.metrics import DEPTH, Place


@contextmanager
def engine() -> Iterator[None]:
    """An engine with a data folder of its own; it ends with the block."""
    before = os.environ.get("SURVEYOR_DATA_DIR")
    with TemporaryDirectory(prefix="surveyor-bench-") as folder:
        os.environ["SURVEYOR_DATA_DIR"] = folder
        try:
            yield
        finally:
            subprocess.run([sys.executable, "-m", "surveyor", "engine", "stop"], check=False)
            if before is None:
                del os.environ["SURVEYOR_DATA_DIR"]
            else:
                os.environ["SURVEYOR_DATA_DIR"] = before


def index(root: Path) -> float:
    """Index a folder; returns the seconds until it was searchable."""
    started = perf_counter()
    answer = call(IndexRequest(path=str(root), force=True))
    seen = -1
    while True:
        progress = call(
            IndexProgressRequest(root=answer.root, run=answer.run, seen=seen, wait_ms=1000)
        )
        if progress.phase == "done":
            return perf_counter() - started
        seen = progress.files_done


def search(root: Path, text: str) -> tuple[list[Place], float]:
    """Places found, relative to the root, and the engine's own milliseconds."""
    answer = call(SearchRequest(query=text, project=str(root), limit=DEPTH))
    places = [Place(found.path, found.start_line, found.end_line) for found in answer.results]
    return places, answer.took_ms
