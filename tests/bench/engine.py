"""How fast the engine indexes and answers, and what it takes: ratios within one run.

    python -m tests.bench.engine [--files 1000] [--folder PATH] [--peer]

Without a folder the sources are Python files of the environment that runs this (its installed
packages). `--peer` indexes the same folder with semble, from PyPI, with our model's vectors as its
local static model; install it beside the tests (`pip install semble`).
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import psutil

from surveyor.engine.client import Client, connect
from surveyor.models import (
    IndexProgressRequest,
    IndexRequest,
    Progress,
    SearchRequest,
    StatusRequest,
    StatusResponse,
    SymbolsRequest,
)
from tests.product import product

QUERIES = 200
EDITS = 20
SEED = 3


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--peer", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.folder or corpus(Path(scratch) / "corpus", options.files)
        with _product(Path(scratch) / "home") as client:
            rows = measure(client, folder)
        if options.peer:
            seconds = peer(folder, Path(scratch))
            ours = float(rows["index: seconds"])
            rows["semble: seconds"] = round(seconds, 2)
            rows["index: ours / semble"] = round(ours / seconds, 2)
    width = max(map(len, rows))
    for name, value in rows.items():
        sys.stdout.write(f"{name:<{width}}  {value}\n")


def corpus(folder: Path, count: int) -> Path:
    """Copies of the environment's own sources, spread over its packages."""
    site = Path(sysconfig.get_paths()["purelib"])
    found = sorted(
        p for p in site.rglob("*.py") if 500 < p.stat().st_size < 60_000 and "pip" not in p.parts
    )
    random.Random(SEED).shuffle(found)
    for path in found[:count]:
        target = folder / path.relative_to(site)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    return folder


@contextmanager
def _product(home: Path) -> Iterator[Client]:
    import os

    with product(home) as made:
        os.environ.update(made.environment)
        with connect() as client:
            yield client


def measure(client: Client, folder: Path) -> dict[str, Any]:
    """Everything about one folder."""
    rows: dict[str, Any] = {}
    word = "return"
    first = None
    started = time.perf_counter()
    answer = client.call(IndexRequest(path=str(folder)))
    root = answer.root
    during: list[float] = []
    with connect() as other:
        while True:
            progress = client.call(IndexProgressRequest(root=root, wait_ms=0))
            took, found = _timed(
                lambda: other.call(SearchRequest(query=word, cwd=root, mode="keyword"))
            )
            during.append(took)
            if first is None and found.results:
                first = time.perf_counter() - started
            if progress.phase == "done":
                break
            time.sleep(0.05)
    rows.update(_index_rows(progress, first))
    status = client.call(StatusRequest(path=root))
    rows["chunks"] = status.projects[0].chunks
    rows["memory: engine, anonymous MB"] = _mb(status.anonymous_bytes)
    rows["memory: engine, RSS MB"] = _mb(status.memory_bytes)
    rows["memory: workers, anonymous MB"] = _mb(status.worker_bytes)
    rows |= _query_rows(client, root, status)
    rows["query while indexing, with transport: p95 ms"] = _percentile(
        [1000 * s for s in during], 95
    )
    again = _run(client, root)
    rows["no-op reindex: share of the first"] = round(
        again.elapsed_s / max(progress.elapsed_s, 0.001), 3
    )
    rows |= _edit_rows(client, folder, root)
    rows["idle: CPU % over 5 s"] = _idle(status)
    return rows


def _index_rows(progress: Progress, first: float | None) -> dict[str, Any]:
    assert progress.report is not None
    return {
        "index: files": progress.report.files_indexed,
        "index: seconds": round(progress.elapsed_s, 2),
        "index: chunks/s": round(progress.report.chunks_created / progress.elapsed_s),
        "index: first keyword answer, s": round(first or 0, 2),
    }


def _query_rows(client: Client, root: str, status: StatusResponse) -> dict[str, Any]:
    """Distinct queries made of symbol words, half of them filtered; the engine's own time."""
    names = client.call(SymbolsRequest(query="e", cwd=root, limit=2000)).results
    chance = random.Random(SEED)
    words = sorted({part for s in names for part in s.name.split("_") if len(part) > 3})
    queries = [" ".join(chance.sample(words, 3)) for _ in range(QUERIES)]
    first = client.call(SearchRequest(query="where is the first query", cwd=root)).took_ms
    inside: list[float] = []
    outside: list[float] = []
    for number, query in enumerate(queries):
        filters: dict[str, Any] = {"languages": ["python"], "types": ["code"]} if number % 2 else {}
        request = SearchRequest(query=query, cwd=root, **filters)
        took, answer = _timed(partial(client.call, request))
        inside.append(answer.took_ms)
        outside.append(took * 1000)
    return {
        "query: first, ms": first,
        "query: p50 ms": _percentile(inside, 50),
        "query: p95 ms": _percentile(inside, 95),
        "query with transport: p50 ms": _percentile(outside, 50),
    }


def _edit_rows(client: Client, folder: Path, root: str) -> dict[str, Any]:
    """From the write to the moment when a search finds it."""
    times: list[float] = []
    target = folder / "surveyor_bench_edit.py"
    for number in range(EDITS):
        name = f"freshly_written_{number}"
        started = time.perf_counter()
        target.write_text(f"def {name}():\n    return {number}\n")
        while not any(
            s.name == name
            for s in client.call(SymbolsRequest(query=name, cwd=root, limit=1)).results
        ):
            time.sleep(0.005)
        times.append((time.perf_counter() - started) * 1000)
    target.unlink()
    return {"save to searchable: p50 ms": _percentile(times, 50),
            "save to searchable: p95 ms": _percentile(times, 95)}  # fmt: skip


def _idle(status: StatusResponse) -> float:
    time.sleep(3)
    engine = psutil.Process(status.pid)
    engine.cpu_percent()
    time.sleep(5)
    return round(engine.cpu_percent(), 2)


def _run(client: Client, root: str) -> Progress:
    client.call(IndexRequest(path=root, explicit=False))
    while True:
        progress = client.call(IndexProgressRequest(root=root, wait_ms=200))
        if progress.phase == "done":
            return progress


def peer(folder: Path, scratch: Path) -> float:
    """Seconds that semble takes for the same folder, its process and model warmed up."""
    program = """
import json, sys, time
from pathlib import Path
import numpy as np
from model2vec import StaticModel
from semble import SembleIndex
from tokenizers import Tokenizer
from surveyor.search.embedding import SHIPPED_FOLDER
from surveyor.search.static_model import _map_weights
rows, scale = _map_weights(SHIPPED_FOLDER, "model.onnx")
table = rows.astype(np.float32) * scale.reshape(-1, 1)
tokenizer = Tokenizer.from_file(str(SHIPPED_FOLDER / "tokenizer.json"))
StaticModel(table, tokenizer).save_pretrained(sys.argv[2])
small = Path(sys.argv[3]); small.mkdir(); (small / "a.py").write_text("a = 1\\n")
SembleIndex.from_path(small, model_path=sys.argv[2])
started = time.perf_counter()
SembleIndex.from_path(sys.argv[1], model_path=sys.argv[2])
print(json.dumps(time.perf_counter() - started))
"""
    done = subprocess.run(
        [sys.executable, "-c", program, str(folder), str(scratch / "peer"), str(scratch / "small")],
        check=True,
        capture_output=True,
        text=True,
    )
    return float(json.loads(done.stdout.splitlines()[-1]))


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    started = time.perf_counter()
    result = work()
    return time.perf_counter() - started, result


def _percentile(values: list[float], percent: int) -> float:
    if len(values) < 2:
        return round(values[0], 2) if values else 0.0
    return round(statistics.quantiles(values, n=100)[percent - 1], 2)


def _mb(count: int) -> float:
    return round(count / (1 << 20), 1)


if __name__ == "__main__":
    main()
