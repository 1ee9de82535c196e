"""What the graph costs, how fast it answers from the store, and how soon it follows a save.

    python -m tests.bench.graph_store [--files 2000] [--folder PATH] [--home PATH] [--part PART …]
                                       [--typescript]

Without a folder the sources are Python files of the environment that runs this. `--part index`
indexes the folder twice, once with an extraction that fails at once, so that nothing of the graph
is made: the difference in CPU time of engine and workers is the graph's. `--part answers` asks
about names drawn at random; answers are timed by the engine itself (`took_ms`), and beside the wall
clock stands the engine's CPU time, which other programs on the machine do not lengthen. `--part
edits` saves files one after another, each when the one before it has settled, and asks every 10 ms
whether the new edge is there; `--typescript` saves files of that language, for a folder of such.
Without `--part` all three are measured. With `--home` the index is
kept there and found there again. Every figure is printed as soon as it is known.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from surveyor.client.blocking import Client, connect
from surveyor.errors import NotFoundError
from surveyor.protocol.engine import StatusRequest
from surveyor.protocol.graph import CallersRequest, ImpactRequest, MapRequest, ReferencesRequest
from surveyor.protocol.search import SymbolsRequest
from tests.bench.engine import _percentile, _run, corpus
from tests.product import SERVER, product

QUESTIONS = 200
EDITS = 40
IMPORTERS = 200
"""Files that import, and call, what is edited."""
SEED = 5
DEADLINE_S = 600.0
POLL_S = 0.01
"""Pause between two looks for an edge: how precisely it is measured, and a tenth of the engine."""
PARTS = ("index", "answers", "edits")
WITHOUT = """\
import sys
if any("worker" in argument for argument in sys.orig_argv):
    from surveyor.graph.extract import extract as module
    from surveyor.graph.extract import file_graph

    def extract(*arguments, **named):
        raise RuntimeError("measured without the graph")

    module.extract = extract
    file_graph.graph_of = lambda *arguments, **named: b""
"""


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--home", type=Path)
    parser.add_argument("--typescript", action="store_true")
    parser.add_argument("--part", choices=PARTS, action="append")
    options = parser.parse_args()
    parts = options.part or PARTS
    with tempfile.TemporaryDirectory() as scratch:
        home: Path = options.home or Path(scratch)
        folder = options.folder or home / "corpus"
        if not folder.exists():
            corpus(folder, options.files)
        without = None
        if "index" in parts:
            plain = Path(scratch) / "plain"
            plain.mkdir()
            (plain / "sitecustomize.py").write_text(WITHOUT)
            path = os.pathsep.join([str(plain), str(SERVER)])
            with _engine(Path(scratch) / "without", PYTHONPATH=path) as client:
                without, root = indexed(client, folder)
                if made := client.call(MapRequest(cwd=root, tokens=50)).symbols_total:
                    raise AssertionError(f"{made} definitions are in a graph that was left out")
            say("index: CPU s without the graph", round(without, 1))
        with _engine(home / "with") as client:
            with_graph, root = indexed(client, folder)
            if without is not None:
                say("index: CPU s with it", round(with_graph, 1))
                say("index: the graph adds", f"{with_graph / without - 1:.0%}")
            say("files", client.call(MapRequest(cwd=root, tokens=50)).files_total)
            if "answers" in parts:
                answers(client, root)
            if "edits" in parts:
                edits(client, folder, root, TYPESCRIPT if options.typescript else PYTHON)


def say(name: str, value: object) -> None:
    """One figure, at once."""
    sys.stdout.write(f"{name:<60}  {value}\n")
    sys.stdout.flush()


@contextmanager
def _engine(home: Path, **extra: str) -> Iterator[Client]:
    with product(home, **extra) as made:
        os.environ.update(made.environment)
        # One that a connection starts finds its modules where this process does.
        made.run("engine", "start")
        with connect() as client:
            yield client


def _cpu(pid: int) -> float:
    """CPU seconds of the engine and its workers, those that have ended too."""
    engine = psutil.Process(pid)
    times = [p.cpu_times() for p in (engine, *engine.children(recursive=True))]
    ended = getattr(times[0], "children_user", 0.0) + getattr(times[0], "children_system", 0.0)
    return float(sum(t.user + t.system for t in times) + ended)


def _settled(client: Client, root: str, pause_s: float = 5 * POLL_S) -> None:
    """Wait until all edges are resolved; what is asked meanwhile takes CPU time too."""

    def complete() -> bool:
        return client.call(MapRequest(cwd=root, tokens=50)).complete

    _until(complete, pause_s)


def _until(done: Callable[[], bool], pause_s: float = POLL_S) -> float:
    """Seconds until something is so, asked again and again with a pause."""
    started = time.perf_counter()
    while not done():
        if time.perf_counter() - started > DEADLINE_S:
            raise TimeoutError(f"not within {DEADLINE_S:g} s")
        time.sleep(pause_s)  # asking all the time would take what it measures
    return time.perf_counter() - started


def indexed(client: Client, folder: Path) -> tuple[float, str]:
    """CPU seconds until a folder is indexed and its edges are resolved, and its root."""
    pid = client.call(StatusRequest()).pid
    before = _cpu(pid)
    _run(client, str(folder))
    root = client.call(StatusRequest(path=str(folder))).projects[0].root
    _settled(client, root, 1.0)
    return _cpu(pid) - before, root


def answers(client: Client, root: str) -> None:
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
    for kind, request in kinds.items():
        took: list[float] = []
        engine = psutil.Process(pid)
        before = sum(engine.cpu_times()[:2])
        for name in drawn:
            took.append(client.call(request(name=name, cwd=root)).took_ms)
        spent = (sum(engine.cpu_times()[:2]) - before) / len(drawn) * 1000
        say(f"{kind}: p50 / p95 ms", f"{_percentile(took, 50)} / {_percentile(took, 95)}")
        say(f"{kind}: CPU ms of the engine each", round(spent, 1))


# --- saves ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Written:
    """How the files that are saved are written in a language."""

    ending: str
    package: Mapping[str, str]
    """Files that the folder needs, by name."""
    function: str
    """One that returns something: `{name}`, `{value}`."""
    imports: str
    """The import of a `{name}` from a file of the folder, `{file}`."""
    hub: str
    """What the hub's own function is called by."""


PYTHON = Written(
    ending=".py",
    package={"__init__.py": ""},
    function="def {name}():\n    return {value}\n",
    imports="from surveyor_bench.{file} import {name}\n\n\n",
    hub="surveyor_bench.hub.surveyor_bench_hub",
)
TYPESCRIPT = Written(
    ending=".ts",
    package={},
    function="export function {name}() {{\n  return {value};\n}}\n",
    imports="import {{ {name} }} from './{file}';\n\n",
    hub="surveyor_bench/hub.ts:surveyor_bench_hub",
)


class Saves:
    """A small package in the folder whose files are saved: one that others import, and those."""

    def __init__(self, client: Client, folder: Path, root: str, language: Written) -> None:
        self.client, self.root, self.language = client, root, language
        self.folder = folder / "surveyor_bench"
        self.pid = client.call(StatusRequest()).pid
        self.number = 0

    def write(self) -> None:
        """All of its files, settled."""
        self.folder.mkdir(exist_ok=True)
        for name, text in self.language.package.items():
            (self.folder / name).write_text(text)
        self.save("target", self.function("surveyor_bench_target"))
        # A name that nothing is called at all costs a search for similar ones.
        self.save("other", self.function("surveyor_bench_hub"))
        self.user("surveyor_bench_first")
        self.hub("surveyor_bench_first_hub", shared=True)
        for each in range(IMPORTERS):
            name = f"surveyor_bench_importer_{each}"
            imported = self.language.imports.format(file="hub", name="surveyor_bench_hub")
            call = self.function(name, "surveyor_bench_hub()")
            self.save(f"importer_{each}", imported + call)
        self.seen("surveyor_bench_importer_0")
        _until(lambda: len(self.callers(self.language.hub)) >= IMPORTERS, 20 * POLL_S)
        _settled(self.client, self.root)

    def save(self, name: str, text: str) -> None:
        """A file of the folder."""
        (self.folder / f"{name}{self.language.ending}").write_text(text)

    def function(self, name: str, value: str = "1") -> str:
        """The text of a function."""
        return self.language.function.format(name=name, value=value)

    def user(self, name: str) -> None:
        """The leaf: nobody imports it."""
        self.save("user", self.of_target(self.function(name, "surveyor_bench_target()")))

    def hub(self, name: str, *, shared: bool) -> None:
        """What others import: another function, with or without the one that they call."""
        own = self.function("surveyor_bench_hub") + "\n\n" if shared else ""
        self.save("hub", self.of_target(own + self.function(name, "surveyor_bench_target()")))

    def of_target(self, text: str) -> str:
        """A file that imports the target."""
        name = "surveyor_bench_target"
        return self.language.imports.format(file="target", name=name) + text

    def callers(self, name: str) -> set[str]:
        """Who calls a function, by the store."""
        request = CallersRequest(name=name, cwd=self.root, exact="never", limit=2 * IMPORTERS)
        try:
            return {item.symbol for item in self.client.call(request).results}
        except NotFoundError:
            return set()

    def seen(self, name: str) -> None:
        """Wait until a search for a name finds it."""
        request = SymbolsRequest(query=name, cwd=self.root, limit=1)
        _until(lambda: any(s.name == name for s in self.client.call(request).results))

    def linked(self, name: str) -> None:
        """Wait until a function is among the callers of the target."""
        _until(lambda: name in self.callers("surveyor_bench_target"))

    def measure(
        self, what: str, save: Callable[[str], None], wait: Callable[[str], None]
    ) -> list[float]:
        """Milliseconds from each save to what is waited for."""
        times: list[float] = []
        before = _cpu(self.pid)
        for _ in range(EDITS):
            name = f"surveyor_bench_user_{self.number}"
            self.number += 1
            started = time.perf_counter()
            save(name)
            wait(name)
            times.append((time.perf_counter() - started) * 1000)
            _settled(self.client, self.root)
        spent = (_cpu(self.pid) - before) / EDITS * 1000
        worst = " ".join(str(round(each)) for each in sorted(times)[-4:])
        say(
            f"{what}: p50 / p95 ms",
            f"{_percentile(times, 50):.0f} / {_percentile(times, 95):.0f}"
            f"  (worst {worst}; CPU {spent:.0f} ms each)",
        )
        return times


def edits(client: Client, folder: Path, root: str, language: Written) -> None:
    """From the write to the moment when it is searchable, and when the new call is an edge."""
    saves = Saves(client, folder, root, language)
    try:
        started = time.perf_counter()
        saves.write()
        say(f"{IMPORTERS} new files: s until their edges", f"{time.perf_counter() - started:.1f}")
        saves.measure("save to searchable", saves.user, saves.seen)
        saves.measure("save to edges", saves.user, saves.linked)

        def hub(name: str) -> None:
            saves.hub(name, shared=True)

        saves.measure(f"save of what {IMPORTERS} import: to its edges", hub, saves.linked)
        many: list[float] = []
        for number in range(EDITS // 2):
            name = f"surveyor_bench_other_{number}"
            saves.hub(name, shared=False)
            _until(lambda: not saves.callers(language.hub))
            saves.linked(name)
            _settled(client, root)
            begun = time.perf_counter()
            saves.hub(name, shared=True)
            _until(lambda: len(saves.callers(language.hub)) >= IMPORTERS)
            many.append((time.perf_counter() - begun) * 1000)
            _settled(client, root)
        say(
            f"new name that {IMPORTERS} call: all edges, p50 / p95 ms",
            f"{_percentile(many, 50):.0f} / {_percentile(many, 95):.0f}",
        )
    finally:
        for path in saves.folder.glob("*"):
            path.unlink()
        saves.folder.rmdir()


if __name__ == "__main__":
    main()
