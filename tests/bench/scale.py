"""How cost grows with the size of a project: one column a size, from an empty data folder each.

    python -m tests.bench.scale [--folder PATH] [--home HOME] [SIZE ...]

SIZE is a number of files, which are taken from the folder (or from the Python files of the
environment that runs this), spread over all of it. With one size and `--home`, the data stay in
HOME/data for another look. `tests/bench/test_scale.py` is the short form, which CI runs.

Memory is what is anonymous and in use, read four times a second: what stays in it between two
looks is seen. The waits are those of a client that asks for the engine's health twenty times a
second; the bench's own tick beside it says how much of that is the machine's.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import re
import shutil
import socket
import sqlite3
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import psutil

from surveyor import paths
from surveyor.client.blocking import Client, connect
from surveyor.process_memory import resident_and_anonymous_bytes
from surveyor.protocol.engine import StatusRequest
from surveyor.protocol.graph import ReferencesRequest
from surveyor.protocol.projects import IndexProgress, IndexProgressRequest, IndexRequest
from surveyor.protocol.search import SearchRequest, SymbolsRequest
from tests.bench.engine import SEED, _percentile, _timed, corpus
from tests.product import Product, product

SAMPLE_S = 0.25
DISK_EVERY = 8
"""Looks at memory for each at the disk, which has more to read."""
TICK_S = 0.05
QUIET_S = 6.0
"""So long the engine, its workers and children need next to nothing before it counts as at rest."""
QUIET_SHARE = 0.05
QUERIES = 60
DENSE_PAGE = 50
HELD = re.compile(r"the event loop was held for ([\d.]+) s")

SHARD_PARTS = (
    ("wal", "the shard's log"),
    ("payload_storage", "payload"),
    ("payload_index", "payload"),
    ("vector_storage-text", "sparse"),
    ("vector_index-text", "sparse"),
    ("vector_storage-dense", "dense"),
    ("vector_index-dense", "HNSW"),
)
"""Files of a shard by a part of their path; the others are `the shard's ids`."""
STATE_PARTS = {
    "texts": "chunks' texts",
    "vectors": "vectors in SQLite",
    "document_texts": "documents' texts",
    "document_ngrams": "n-grams",
    "chunks": "chunks",
    "symbols": "symbols",
}
"""Tables with their indexes; graph's are `graph`, the others `other tables`."""


@dataclass
class Peaks:
    """The most that was in use at one look, and what was seen at the last."""

    most: Counter[str] = field(default_factory=Counter)
    last: dict[str, int] = field(default_factory=dict)
    cpu: dict[int, tuple[str, float]] = field(default_factory=dict)
    """By process: its kind, and CPU seconds when it was last seen."""

    def cpu_s(self, kind: str) -> float:
        """CPU seconds of all processes of a kind."""
        return sum(seconds for each, seconds in self.cpu.values() if each == kind)


class Sampler:
    """A thread that looks at the product's processes and disk until told to stop."""

    def __init__(self, surveyor: Product, pid: int) -> None:
        self.peaks = Peaks()
        self._data = surveyor.data
        self._engine = psutil.Process(pid)
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Sampler:
        self.look(disk=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _run(self) -> None:
        looks = 0
        while not self._done.wait(SAMPLE_S):
            looks += 1
            with contextlib.suppress(psutil.Error):
                self.look(disk=looks % DISK_EVERY == 0)

    def look(self, *, disk: bool) -> None:
        """Look once."""
        seen: Counter[str] = Counter()
        for process in [self._engine, *self._engine.children(recursive=True)]:
            with contextlib.suppress(psutil.Error):
                kind = self._kind(process)
                size = resident_and_anonymous_bytes(process.pid)[1]
                seen[kind] = max(seen[kind], size) if kind == "worker" else seen[kind] + size
                times = process.cpu_times()
                self.peaks.cpu[process.pid] = (kind, times.user + times.system)
        if disk:
            seen["disk"] = disk_bytes(self._data)
        for name, size in seen.items():
            self.peaks.most[name] = max(self.peaks.most[name], size)
        self.peaks.last = dict(seen)

    def _kind(self, process: psutil.Process) -> str:
        if process.pid == self._engine.pid:
            return "engine"
        known = self.peaks.cpu.get(process.pid)
        if known is not None and known[0] != "child":  # it may have been looked at before its exec
            return known[0]
        words = process.cmdline()
        if "surveyor.worker.main" in words:
            return "worker"
        return "compaction" if "surveyor.store.vectors.compact" in words else "child"

    def spent(self) -> float:
        """CPU seconds of everything so far."""
        return sum(seconds for _, seconds in self.peaks.cpu.values())


class Ticker:
    """Two threads: one asks the engine for its health all the time, the other only sleeps."""

    def __init__(self) -> None:
        self.longest_s = 0.0
        """That the engine let a client wait."""
        self.own_s = 0.0
        """That a sleep of the bench's own was late: the machine's part."""
        self._done = threading.Event()
        self._threads = [
            threading.Thread(target=work, daemon=True) for work in (self._ask, self._sleep)
        ]

    def __enter__(self) -> Ticker:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        for thread in self._threads:
            thread.join()

    def _ask(self) -> None:
        address = str(paths.runtime_dir(paths.data_dir()) / "engine.sock")
        while not self._done.wait(TICK_S):
            with contextlib.suppress(OSError):
                self.longest_s = max(self.longest_s, _timed(lambda: _health(address))[0])

    def _sleep(self) -> None:
        while True:
            took, done = _timed(lambda: self._done.wait(TICK_S))
            self.own_s = max(self.own_s, took - TICK_S)
            if done:
                return


def _health(address: str) -> bytes:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(address)
        connection.sendall(b"GET /health HTTP/1.1\r\nHost: surveyor\r\nConnection: close\r\n\r\n")
        return connection.recv(65536)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", type=int, nargs="*", default=[1000])
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--home", type=Path)
    options = parser.parse_args()
    columns: list[dict[str, Any]] = []
    for size in options.sizes:
        with tempfile.TemporaryDirectory() as scratch:
            folder = tree(options.folder, Path(scratch) / "tree", size)
            home = options.home or Path(scratch) / "home"
            home.mkdir(exist_ok=True, parents=True)
            with product(home.resolve()) as surveyor:
                os.environ.update(surveyor.environment)
                columns.append(measure(surveyor, folder))
        _print(columns[-1:])
    if len(columns) > 1:
        sys.stdout.write("\n")
        _print(columns)


def _print(columns: list[dict[str, Any]]) -> None:
    names = list(dict.fromkeys(name for column in columns for name in column))
    for name in names:
        cells = " | ".join(str(column.get(name, "")) for column in columns)
        sys.stdout.write(f"| {name} | {cells} |\n")
    sys.stdout.flush()


def tree(source: Path | None, target: Path, count: int) -> Path:
    """So many files of a folder, at their paths; all of them where it has no more."""
    if source is None:
        return corpus(target, count)
    found = sorted(
        path
        for path in source.rglob("*")
        if ".git" not in path.parts and path.is_file() and not path.is_symlink()
    )
    random.Random(SEED).shuffle(found)
    for path in found[:count]:
        copy = target / path.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    return target


def measure(surveyor: Product, folder: Path) -> dict[str, Any]:
    """One column."""
    with connect() as client:
        pid = client.call(StatusRequest()).pid
        with Sampler(surveyor, pid) as sampler, Ticker() as ticker:
            rows = _indexed(client, folder, sampler)
            root = str(rows.pop("root"))
            rows |= _memory_rows(sampler)
            chunks = int(rows["chunks"])
            rows["disk at rest / most, MB"] = (
                f"{_mb(disk_bytes(surveyor.data))} / {_mb(sampler.peaks.most['disk'])}"
            )
            rows["bytes a chunk: at rest / most"] = (
                f"{disk_bytes(surveyor.data) // chunks} / {sampler.peaks.most['disk'] // chunks}"
            )
            rows["of these, by part"] = ", ".join(
                f"{name} {size // chunks}" for name, size in parts(surveyor.data).most_common()
            )
        rows["longest wait of a client until then, ms (the bench's own tick)"] = (
            f"{ticker.longest_s * 1000:.0f} ({ticker.own_s * 1000:.0f})"
        )
        rows |= _questions(client, root)
    rows["longest hold of the loop in the log, s"] = longest_hold(surveyor.data)
    rows |= _stop_and_start(surveyor, root)
    return rows


def _indexed(client: Client, folder: Path, sampler: Sampler) -> dict[str, Any]:
    """Index, wait for the graph and for rest."""
    started = time.perf_counter()
    root = client.call(IndexRequest(path=str(folder))).root
    first, progress = _until_done(client, root, started)
    assert progress.report is not None
    searchable = time.perf_counter() - started
    spent = sampler.peaks.cpu_s("engine"), sampler.peaks.cpu_s("worker")
    sampler_peaks = sampler.peaks.most["worker"]
    while client.call(IndexProgressRequest(root=root, edges=True, wait_ms=1000)).edges_pending:
        pass
    edges = time.perf_counter() - started
    _until_quiet(sampler)
    quiet = time.perf_counter() - started - QUIET_S
    return {
        "root": root,
        "files": progress.report.files_indexed,
        "chunks": progress.report.chunks_created,
        "first keyword answer, s": round(first, 1),
        "all searchable after, s": round(searchable, 1),
        "chunks a second": round(progress.report.chunks_created / searchable),
        "CPU until then: engine / workers, s": f"{spent[0]:.1f} / {spent[1]:.1f}",
        "who uses what known after, s": round(edges, 1),
        "at rest after, s": round(quiet, 1),
        "CPU until then: engine / workers / compaction, s": " / ".join(
            f"{sampler.peaks.cpu_s(kind):.1f}" for kind in ("engine", "worker", "compaction")
        ),
        "a worker until searchable, MB": _mb(sampler_peaks),
    }


def _until_done(client: Client, root: str, started: float) -> tuple[float, IndexProgress]:
    """When a word was first found, and the end of the run."""
    first = 0.0
    while True:
        if (
            not first
            and client.call(SearchRequest(query="return", cwd=root, mode="keyword")).results
        ):
            first = time.perf_counter() - started
        progress = client.call(IndexProgressRequest(root=root))
        if progress.phase == "done":
            return first or time.perf_counter() - started, progress
        time.sleep(0.1)  # asking all the time would be measured, too


def _until_quiet(sampler: Sampler) -> None:
    while True:
        before = sampler.spent()
        time.sleep(QUIET_S)  # what is measured is the CPU time of these seconds
        busy = sampler.peaks.last.get("compaction", 0)
        if not busy and sampler.spent() - before < QUIET_SHARE * QUIET_S:
            return


def _memory_rows(sampler: Sampler) -> dict[str, Any]:
    most, last = sampler.peaks.most, sampler.peaks.last
    return {
        "engine: most / at rest, MB": f"{_mb(most['engine'])} / {_mb(last['engine'])}",
        "a worker: most / at rest, MB": f"{_mb(most['worker'])} / {_mb(last.get('worker', 0))}",
        "compaction: most, MB": _mb(most["compaction"]),
    }


def _questions(client: Client, root: str) -> dict[str, Any]:
    """Times in the engine but for the last, which has the transport in it."""
    names = client.call(SymbolsRequest(query="e", cwd=root, limit=2000)).results
    chance = random.Random(SEED)
    words = sorted({part for each in names for part in each.name.split("_") if len(part) > 3})
    queries = [" ".join(chance.sample(words, min(3, len(words)))) for _ in range(QUERIES)]
    for query in queries[:5]:  # the first ones read what is kept in memory
        client.call(SearchRequest(query=f"{query} first", cwd=root))
    times = [client.call(SearchRequest(query=query, cwd=root)).took_ms for query in queries]
    some = [each.name for each in chance.sample(list(names), min(QUERIES, len(names)))]
    symbols = [
        1000 * _timed(partial(client.call, SymbolsRequest(query=name, cwd=root, limit=5)))[0]
        for name in some
    ]
    rows = {
        "query: p50 / p95, ms": f"{_percentile(times, 50)} / {_percentile(times, 95)}",
        "symbol by name, with transport: p50 / p95, ms": (
            f"{_percentile(symbols, 50)} / {_percentile(symbols, 95)}"
        ),
    }
    place, uses = densest(Path(os.environ["SURVEYOR_DATA_DIR"]))
    if uses:
        took, found = _timed(
            lambda: client.call(
                ReferencesRequest(**place, cwd=root, limit=DENSE_PAGE, exact="never")
            )
        )
        rows[f"first {DENSE_PAGE} uses of the most used definition (uses), with transport, ms"] = (
            f"{took * 1000:.0f} ({len(found.results) + found.omitted})"
        )
    return rows


def _stop_and_start(surveyor: Product, root: str) -> dict[str, Any]:
    stopped, _ = _timed(lambda: surveyor.run("engine", "stop"))
    started = time.perf_counter()
    with connect() as client:
        greeted = time.perf_counter() - started
        answered = 0.0
        with Ticker() as ticker:
            while not client.call(SearchRequest(query="return", cwd=root)).results:
                time.sleep(TICK_S)  # it is starting
            answered = time.perf_counter() - started
    return {
        "engine stop, s": round(stopped, 2),
        "engine start: greets / first search answered after, s": f"{greeted:.2f} / {answered:.2f}",
        "longest wait meanwhile, ms (the bench's own tick)": (
            f"{ticker.longest_s * 1000:.0f} ({ticker.own_s * 1000:.0f})"
        ),
    }


@contextlib.contextmanager
def _reading(data: Path) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(f"file:{data / 'state.db'}?mode=ro", uri=True)
    try:
        yield connection
    finally:
        connection.close()


def densest(data: Path) -> tuple[dict[str, Any], int]:
    """Where the definition is that is used most, and how often; not by what only has its name."""
    with _reading(data) as connection:
        found = connection.execute(
            """SELECT k.root || '/' || f.path, n.line, n."column", count(*) AS uses
               FROM graph_edges e JOIN graph_nodes n ON n.node_id = e.target
               JOIN graph_files f ON f.file_id = n.file_id JOIN checkouts k USING (checkout_id)
               WHERE n.qualname <> '' AND e.score >= 0.5
               GROUP BY e.target ORDER BY uses DESC LIMIT 1"""
        ).fetchone()
    if not found:
        return {}, 0
    path, line, column, uses = found
    return {"path": path, "line": line, "column": column}, int(uses)


def parts(data: Path) -> Counter[str]:
    """Bytes on disk by what they are for."""
    found: Counter[str] = Counter()
    with _reading(data) as connection, contextlib.suppress(sqlite3.OperationalError):
        owner = dict(connection.execute("SELECT name, tbl_name FROM sqlite_master"))
        for name, size in connection.execute(
            "SELECT name, sum(pgsize) FROM dbstat GROUP BY name"  # not every SQLite has it
        ):
            table = owner.get(name, name)
            part = "graph" if table.startswith("graph_") else STATE_PARTS.get(table, "other tables")
            found[part] += size
        free = connection.execute("PRAGMA freelist_count").fetchone()[0]
        found["free pages"] = free * connection.execute("PRAGMA page_size").fetchone()[0]
    found["SQLite's log"] = (data / "state.db-wal").stat().st_blocks * 512
    for path in (data / "vectors").rglob("*"):
        with contextlib.suppress(OSError):
            if path.is_file():
                found[_shard_part(str(path))] += path.stat().st_blocks * 512
    return found


def _shard_part(path: str) -> str:
    return next((name for piece, name in SHARD_PARTS if piece in path), "the shard's ids")


def disk_bytes(folder: Path) -> int:
    """Bytes in blocks, for a shard's files have holes; some vanish while they are counted."""
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += Path(parent, name).lstat().st_blocks * 512
    return total


def longest_hold(data: Path) -> float:
    """The longest that the engine says its loop was held; 0 where it never was for .25 s."""
    log = data / "logs" / "engine.log"
    text = log.read_text(errors="replace") if log.exists() else ""
    return max((float(each) for each in HELD.findall(text)), default=0.0)


def _mb(size: int) -> int:
    return round(size / (1 << 20))


if __name__ == "__main__":
    main()
