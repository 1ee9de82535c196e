"""How fast the engine indexes and answers, and what it takes: ratios within one run.

    python -m tests.bench.engine [--files 1000] [--folder PATH] [--peer]
    python -m tests.bench.engine --home HOME [--files 2000] [--folder PATH] --queries-only

Without a folder the sources are Python files of the environment that runs this (its installed
packages). `--home` keeps the product's data (in HOME/data) for another run; `--queries-only` asks
its questions of what is indexed there, once the engine is quiet, and indexes only what is not.
`--peer` indexes the same folder with semble, from PyPI, with our model's vectors as its
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
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import psutil

from surveyor.client.blocking import Client, connect
from surveyor.protocol.engine import StatusRequest
from surveyor.protocol.projects import IndexProgress, IndexProgressRequest, IndexRequest
from surveyor.protocol.search import SearchRequest, SymbolsRequest
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
    parser.add_argument("--home", type=Path)
    parser.add_argument("--queries-only", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        home: Path = (options.home or Path(scratch) / "home").resolve()
        folder = options.folder or corpus(
            (home if options.home else Path(scratch)) / "corpus", options.files
        )
        with _product(home) as client:
            rows = only_queries(client, folder) if options.queries_only else measure(client, folder)
        if options.peer:
            seconds, spent = peer(folder, Path(scratch))
            ours = float(rows["index: seconds"])
            rows["semble: seconds"] = round(seconds, 2)
            rows["semble: CPU s"] = round(spent, 1)
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
    """Everything about one folder: nobody asks anything during the first index but its progress."""
    rows: dict[str, Any] = {}
    engine = psutil.Process(client.call(StatusRequest()).pid)
    before = _cpu(engine)
    started = time.perf_counter()
    root = client.call(IndexRequest(path=str(folder))).root
    first = _first_answer(client, root, started)
    progress, spent = _finish(client, root, engine)
    rows |= _index_rows(progress, first)
    rows["index: CPU s, engine / workers"] = (
        f"{spent[0] - before[0]:.1f} / {sum(spent[1].values()):.1f}"
    )
    status = client.call(StatusRequest(path=root))
    rows["chunks"] = status.projects[0].chunks
    rows["memory: engine, anonymous MB"] = _mb(status.anonymous_bytes)
    rows["memory: engine, RSS MB"] = _mb(status.memory_bytes)
    rows["memory: workers, anonymous MB"] = _mb(status.worker_bytes)
    rows |= _edit_rows(client, folder, root, "while the graph is made")
    rows["graph: quiet after, s"] = round(_until_quiet(engine), 1)
    rows |= _query_rows(client, root)
    again = _run(client, root)
    rows["no-op reindex: share of the first"] = round(
        again.elapsed_s / max(progress.elapsed_s, 0.001), 3
    )
    rows["no-op reindex: seconds"] = round(again.elapsed_s, 2)
    rows |= _edit_rows(client, folder, root, "at rest")
    _until_quiet(engine)
    rows["idle: CPU % over 5 s"] = _idle(engine)
    rows |= _queries_while_indexing(client, root)
    return rows


def only_queries(client: Client, folder: Path) -> dict[str, Any]:
    """Queries of a folder that is indexed already, or is first; then while it is indexed again."""
    root = client.call(IndexRequest(path=str(folder))).root
    engine = psutil.Process(client.call(StatusRequest()).pid)
    _finish(client, root, engine)
    rows: dict[str, Any] = {"quiet after, s": round(_until_quiet(engine), 1)}
    rows["chunks"] = client.call(StatusRequest(path=root)).projects[0].chunks
    before = _seconds(engine)
    rows |= _query_rows(client, root)
    rows["query: CPU ms of the engine"] = round((_seconds(engine) - before) * 1000 / QUERIES, 1)
    return rows | _queries_while_indexing(client, root)


def _first_answer(client: Client, root: str, started: float) -> float:
    """Seconds until a word is found."""
    while True:
        found = client.call(SearchRequest(query="return", cwd=root, mode="keyword"))
        progress = client.call(IndexProgressRequest(root=root, wait_ms=0))
        if found.results or progress.phase == "done":
            return time.perf_counter() - started
        time.sleep(0.1)  # asking all the time would be measured, too


def _finish(
    client: Client, root: str, engine: psutil.Process
) -> tuple[IndexProgress, tuple[float, dict[int, float]]]:
    """The end of a run, and what engine and workers had spent then."""
    seen = -1
    while True:
        progress = client.call(IndexProgressRequest(root=root, wait_ms=500, seen=seen))
        if progress.phase == "done":
            return progress, _cpu(engine)
        seen = progress.changes
        time.sleep(0.1)  # progress changes with every batch


def _cpu(engine: psutil.Process) -> tuple[float, dict[int, float]]:
    """CPU seconds of the engine, and of each of its workers."""
    workers = {}
    for child in engine.children(recursive=True):
        with suppress(psutil.Error):
            workers[child.pid] = _seconds(child)
    return _seconds(engine), workers


def _seconds(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def _until_quiet(engine: psutil.Process) -> float:
    """Seconds until engine and workers together need less than a fiftieth of a core."""
    started = time.perf_counter()
    while True:
        before = _cpu(engine)
        since = time.perf_counter()
        time.sleep(2)  # what is measured is the CPU time of two seconds
        after = _cpu(engine)
        spent = after[0] - before[0]
        spent += sum(seconds - before[1].get(pid, 0.0) for pid, seconds in after[1].items())
        if spent < 0.02 * (time.perf_counter() - since):
            return since - started


def _queries_while_indexing(client: Client, root: str) -> dict[str, Any]:
    """Keyword queries, twenty a second at most, while everything is indexed again."""
    times: list[float] = []
    client.call(IndexRequest(path=root, clean=True))
    with connect() as other:
        while client.call(IndexProgressRequest(root=root, wait_ms=0)).phase != "done":
            took, _ = _timed(
                lambda: other.call(SearchRequest(query="return", cwd=root, mode="keyword"))
            )
            times.append(took * 1000)
            time.sleep(0.05)  # twenty queries a second, not as many as it can answer
    return {"query while indexing, with transport: p95 ms": _percentile(times, 95)}


def _index_rows(progress: IndexProgress, first: float) -> dict[str, Any]:
    assert progress.report is not None
    return {
        "index: files": progress.report.files_indexed,
        "index: seconds": round(progress.elapsed_s, 2),
        "index: chunks/s": round(progress.report.chunks_created / progress.elapsed_s),
        "index: first keyword answer, s": round(first, 2),
    }


def _query_rows(client: Client, root: str) -> dict[str, Any]:
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


def _edit_rows(client: Client, folder: Path, root: str, when: str) -> dict[str, Any]:
    """From the write to the moment when a search finds it."""
    times: list[float] = []
    asked = partial(SearchRequest, cwd=root, mode="keyword", limit=1)
    target = folder / "surveyor_bench_edit.py"
    for number in range(EDITS):
        name = f"freshly_written_{when.replace(' ', '_')}_{number}"
        started = time.perf_counter()
        target.write_text(f"def {name}():\n    return {number}\n")
        while not any(s.symbol == name for s in client.call(asked(query=name)).results):
            time.sleep(0.01)  # how precisely it is measured
        times.append((time.perf_counter() - started) * 1000)
    target.unlink()
    return {f"save to searchable, {when}: p50 ms": _percentile(times, 50),
            f"save to searchable, {when}: p95 ms": _percentile(times, 95)}  # fmt: skip


def _idle(engine: psutil.Process) -> float:
    engine.cpu_percent()
    time.sleep(5)  # what is measured is the CPU time of five seconds
    return round(engine.cpu_percent(), 2)


def _run(client: Client, root: str) -> IndexProgress:
    client.call(IndexRequest(path=root, explicit=False))
    while True:
        progress = client.call(IndexProgressRequest(root=root, wait_ms=200))
        if progress.phase == "done":
            return progress


def peer(folder: Path, scratch: Path) -> tuple[float, float]:
    """Seconds, and CPU seconds, of semble for the same folder, its process and model warmed up."""
    program = """
import json, sys, time
from pathlib import Path
import numpy as np
from model2vec import StaticModel
from semble import SembleIndex
from tokenizers import Tokenizer
from surveyor.embedding.dense import SHIPPED_FOLDER
from surveyor.embedding.static_model import _map_weights
rows, scale = _map_weights(SHIPPED_FOLDER, "model.onnx")
table = rows.astype(np.float32) * scale.reshape(-1, 1)
tokenizer = Tokenizer.from_file(str(SHIPPED_FOLDER / "tokenizer.json"))
StaticModel(table, tokenizer).save_pretrained(sys.argv[2])
small = Path(sys.argv[3]); small.mkdir(); (small / "a.py").write_text("a = 1\\n")
SembleIndex.from_path(small, model_path=sys.argv[2])
started, before = time.perf_counter(), time.process_time()
SembleIndex.from_path(sys.argv[1], model_path=sys.argv[2])
print(json.dumps([time.perf_counter() - started, time.process_time() - before]))
"""
    done = subprocess.run(
        [sys.executable, "-c", program, str(folder), str(scratch / "peer"), str(scratch / "small")],
        check=True,
        capture_output=True,
        text=True,
    )
    seconds, spent = json.loads(done.stdout.splitlines()[-1])
    return float(seconds), float(spent)


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
