"""What the graph costs, and how fast it answers from the store.

    python -m tests.bench.graph_store [--files 2000] [--folder PATH]

Without a folder the sources are Python files of the environment that runs this. The folder is
indexed twice, once with an extraction that fails at once, so that nothing of the graph is made:
the difference in CPU time of engine and workers is the graph's. Answers are timed by the engine
itself (`took_ms`), one after the other, on names drawn at random; beside the wall clock stands the
engine's CPU time, which other programs on the machine do not lengthen.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

from surveyor.engine.client import Client, connect
from surveyor.graph.models import (
    CallersRequest,
    ImpactRequest,
    MapRequest,
    ReferencesRequest,
)
from surveyor.models import StatusRequest, SymbolsRequest
from tests.bench.engine import _percentile, _run, corpus
from tests.product import SERVER, product

QUESTIONS = 200
EDITS = 40
SEED = 5
DEADLINE_S = 600.0
WITHOUT = """\
import sys
if any("worker" in argument for argument in sys.orig_argv):
    from surveyor.indexing import parse

    def extract(*arguments):
        raise RuntimeError("measured without the graph")

    parse.extract = extract
    parse.graph_of = lambda *arguments, **named: b""
"""


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.folder or corpus(Path(scratch) / "corpus", options.files)
        plain = Path(scratch) / "plain"
        plain.mkdir()
        (plain / "sitecustomize.py").write_text(WITHOUT)
        path = os.pathsep.join([str(plain), str(SERVER)])
        with _engine(Path(scratch) / "without", PYTHONPATH=path) as client:
            without, _ = indexed(client, folder)
        with _engine(Path(scratch) / "with") as client:
            with_graph, root = indexed(client, folder)
            rows: dict[str, Any] = {
                "index: CPU s without the graph": round(without, 1),
                "index: CPU s with it": round(with_graph, 1),
                "index: the graph adds": f"{with_graph / without - 1:.0%}",
            }
            rows |= answers(client, root)
            rows |= edits(client, folder, root)
    width = max(map(len, rows))
    for name, value in rows.items():
        sys.stdout.write(f"{name:<{width}}  {value}\n")


@contextmanager
def _engine(home: Path, **extra: str) -> Iterator[Client]:
    with product(home, **extra) as made:
        os.environ.update(made.environment)
        with connect() as client:
            yield client


def _cpu(pid: int) -> float:
    """CPU seconds of the engine and its workers, those that have ended too."""
    engine = psutil.Process(pid)
    times = [p.cpu_times() for p in (engine, *engine.children(recursive=True))]
    ended = getattr(times[0], "children_user", 0.0) + getattr(times[0], "children_system", 0.0)
    return float(sum(t.user + t.system for t in times) + ended)


def _settled(client: Client, root: str) -> None:
    """Wait until all edges are resolved."""
    deadline = time.monotonic() + DEADLINE_S
    while not client.call(MapRequest(cwd=root, tokens=50)).complete:
        if time.monotonic() > deadline:
            raise TimeoutError("the graph did not settle")


def indexed(client: Client, folder: Path) -> tuple[float, str]:
    """CPU seconds until a folder is indexed and its edges are resolved, and its root."""
    pid = client.call(StatusRequest()).pid
    before = _cpu(pid)
    _run(client, str(folder))
    root = client.call(StatusRequest(path=str(folder))).projects[0].root
    _settled(client, root)
    return _cpu(pid) - before, root


def answers(client: Client, root: str) -> dict[str, Any]:
    """Times of answers to questions about names drawn at random."""
    pid = client.call(StatusRequest()).pid
    found = client.call(SymbolsRequest(query="e", cwd=root, limit=5000)).results
    names = sorted({f"{s.path}:{s.name}" for s in found if s.kind in ("function", "class")})
    drawn = random.Random(SEED).sample(names, min(QUESTIONS, len(names)))
    kinds: dict[str, Any] = {
        "references": ReferencesRequest,
        "callers": CallersRequest,
        "impact": ImpactRequest,
    }
    rows: dict[str, Any] = {"files": client.call(MapRequest(cwd=root, tokens=50)).files_total}
    for kind, request in kinds.items():
        took: list[float] = []
        engine = psutil.Process(pid)
        before = sum(engine.cpu_times()[:2])
        for name in drawn:
            took.append(client.call(request(name=name, cwd=root)).took_ms)
        spent = (sum(engine.cpu_times()[:2]) - before) / len(drawn) * 1000
        rows[f"{kind}: p50 / p95 ms"] = f"{_percentile(took, 50)} / {_percentile(took, 95)}"
        rows[f"{kind}: CPU ms of the engine each"] = round(spent, 1)
    return rows


def edits(client: Client, folder: Path, root: str) -> dict[str, Any]:
    """From the write to the moment when the new call is among the callers, and is searchable."""
    callers: list[float] = []
    symbols: list[float] = []
    pid = client.call(StatusRequest()).pid
    before = 0.0
    target = folder / "surveyor_bench_target.py"
    user = folder / "surveyor_bench_user.py"
    target.write_text("def surveyor_bench_target():\n    return 1\n")
    for number in range(-1, EDITS):
        if not number:  # the one before it has a worker started, if none was left
            _settled(client, root)
            before = _cpu(pid)
        name = f"surveyor_bench_user_{number}"
        text = "from surveyor_bench_target import surveyor_bench_target\n\n\n"
        started = time.perf_counter()
        user.write_text(f"{text}def {name}():\n    return surveyor_bench_target()\n")
        searchable = 0.0
        while True:
            if not searchable and any(
                s.name == name
                for s in client.call(SymbolsRequest(query=name, cwd=root, limit=1)).results
            ):
                searchable = time.perf_counter() - started
            if searchable and _calls(client, root, name):
                break
        callers.append((time.perf_counter() - started) * 1000)
        symbols.append(searchable * 1000)
    _settled(client, root)
    spent = (_cpu(pid) - before) / EDITS * 1000
    first, callers, symbols = callers[0], callers[1:], symbols[1:]
    target.unlink()
    user.unlink()
    return {
        "save to searchable: p50 / p95 ms": f"{_percentile(symbols, 50)} /"
        f" {_percentile(symbols, 95)}",
        "save to edges: p50 / p95 ms": f"{_percentile(callers, 50)} / {_percentile(callers, 95)}",
        "first save to edges: ms": round(first),
        "save: CPU ms of engine and workers each": round(spent),
    }


def _calls(client: Client, root: str, name: str) -> bool:
    from surveyor.errors import NotFoundError

    try:
        answer = client.call(CallersRequest(name="surveyor_bench_target", cwd=root, exact="never"))
    except NotFoundError:
        return False
    return any(item.symbol == name for item in answer.results)


if __name__ == "__main__":
    main()
