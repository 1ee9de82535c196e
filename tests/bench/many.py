"""Many projects in use at once: answers, memory and disk by the minute, and after a killed engine.

    python -m tests.bench.many [--projects 8] [--files 200] [--minutes 2] [--home HOME]
    python -m tests.bench.many --kills 3

Each project is a git repository of this environment's sources, with a second branch in which a
twentieth of the files differ. Editors (sessions of the asynchronous client) save files, switch
branches and search; agents (relays) search and ask for impacts and maps. A row says what a minute
of all of them was like. With `--kills` the engine is killed as often, in equal parts of the time,
and the last table has how long each client waited for its next answer.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import signal
import statistics
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from surveyor.client.asynchronous import AsyncClient, hello
from surveyor.errors import SurveyorError
from surveyor.protocol.graph import ImpactRequest, MapRequest
from surveyor.protocol.search import SearchRequest, SymbolsRequest
from tests.bench.endurance import QUERIES, disk
from tests.bench.engine import corpus
from tests.bench.mcp import Agent
from tests.product import Product, git, product

SEED = 11
EDITORS = 4
AGENTS = 8
THINK_S = 0.5
"""Pause of a client between two questions: an agent reads what it got."""
SAVE_SHARE = 0.2
"""Of what an editor does, saving a file; one in `SWITCH_EVERY` of these is a switch of branches."""
SWITCH_EVERY = 20
OTHER_SHARE = 0.05
"""Of a project's files, those that are different on its other branch."""
ROW_S = 60.0
INDEX_S = 3600.0
ASK_AGAIN_S = 0.05


@dataclass
class Death:
    """How the clients got over the end of an engine."""

    waited: dict[str, float] = field(default_factory=dict)
    """Seconds to each client's first answer to a question asked after it."""
    spent: tuple[float, float] | None = None
    """CPU seconds of the new engine and of its children when the last of these had come."""


@dataclass
class Log:
    """What clients have seen since the last row, and between deaths and answers."""

    took: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    errors: list[str] = field(default_factory=list)
    killed_at: float = 0.0
    waited: dict[str, float] = field(default_factory=dict)
    """Of the last death."""

    def answered(self, client: str, kind: str, asked: float) -> None:
        """An answer has come to what was asked at `asked`."""
        now = time.monotonic()
        if asked >= self.killed_at:
            self.took[kind].append(1000 * (now - asked))
        if self.killed_at and client not in self.waited and asked >= self.killed_at:
            self.waited[client] = now - self.killed_at

    def failed(self, client: str, why: str) -> None:
        """A question had no answer; after a death that is what a client has to expect."""
        if not self.killed_at or client in self.waited:
            self.errors.append(f"{client}: {why}")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--projects", type=int, default=8)
    parser.add_argument("--files", type=int, default=200)
    parser.add_argument("--minutes", type=float, default=2)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--home", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        home: Path = (options.home or Path(scratch) / "home").resolve()
        home.mkdir(exist_ok=True)
        roots = [_project(home, n, options.files) for n in range(options.projects)]
        with product(home) as made:
            os.environ.update(made.environment)
            for root in roots:
                indexing = made.start("index", str(root), "--json")
                assert indexing.wait(INDEX_S) == 0, indexing.communicate()
                made.settle(root)
            asyncio.run(_use(made, roots, options.minutes * 60, options.kills))


def _project(home: Path, number: int, files: int) -> Path:
    """A repository with two branches; one of another run is used again."""
    root = home / "projects" / f"p{number}"
    if root.exists():
        return root
    corpus(root, files)
    chance = random.Random(SEED + number)
    for path in _sources(root):  # no text in common with another project
        path.write_text(path.read_text(errors="replace").replace("self", f"self_{number}"))
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "first")
    git(root, "checkout", "-q", "-b", "other")
    for path in chance.sample(_sources(root), max(1, int(files * OTHER_SHARE))):
        path.write_text(path.read_text() + "\n\ndef of_the_other_branch():\n    return 2\n")
    git(root, "commit", "-qam", "other")
    git(root, "checkout", "-q", "main")
    return root


def _sources(root: Path) -> list[Path]:
    return sorted(root.rglob("*.py"))


async def _use(made: Product, roots: list[Path], seconds: float, kills: int) -> None:
    log = Log()
    stop = threading.Event()
    names = await _names(roots)
    agents = [
        threading.Thread(target=_agent, args=(made, roots[n % len(roots)], n, names, log, stop))
        for n in range(AGENTS)
    ]
    for thread in agents:
        thread.start()
    editors = [
        asyncio.ensure_future(_editor(roots[n % len(roots)], n, names, log, stop))
        for n in range(EDITORS)
    ]
    deaths: list[Death] = []
    try:
        await _minutes(made, log, seconds, kills, deaths)
    finally:
        stop.set()
        await asyncio.gather(*editors)
        for thread in agents:
            await asyncio.to_thread(thread.join)
    for number, death in enumerate(deaths, 1):
        _say_death(number, death)


async def _names(roots: list[Path]) -> dict[Path, list[str]]:
    """Some functions of each project to ask impacts of."""
    client = AsyncClient(hello("cli", [str(root) for root in roots]))
    client.open()
    while not client.connected:
        await asyncio.sleep(ASK_AGAIN_S)
    found = {}
    for root in roots:
        answer = await client.call(SymbolsRequest(query="e", cwd=str(root), limit=500))
        found[root] = [each.name for each in answer.results if each.kind == "function"]
    await client.close()
    return found


async def _minutes(
    made: Product, log: Log, seconds: float, kills: int, deaths: list[Death]
) -> None:
    """A row each minute, and the deaths between them."""
    begun = time.monotonic()
    dying = [begun + seconds * (n + 1) / (kills + 1) for n in range(kills)]
    _say_head()
    next_row = begun + min(ROW_S, seconds)
    while (now := time.monotonic()) < begun + seconds:
        if dying and now >= dying[0]:
            dying.pop(0)
            pid = json.loads((made.runtime / "engine.json").read_text())["pid"]
            deaths.append(Death())
            log.waited = deaths[-1].waited
            log.killed_at = time.monotonic()
            os.kill(pid, signal.SIGKILL)
        if deaths and deaths[-1].spent is None and len(log.waited) == EDITORS + AGENTS:
            deaths[-1].spent = _cpu_s(made)
        if now >= next_row:
            _say_row(made, log, now - begun)
            next_row += ROW_S
        await asyncio.sleep(ASK_AGAIN_S)
    _say_row(made, log, seconds)


async def _editor(
    root: Path, number: int, names: dict[Path, list[str]], log: Log, stop: threading.Event
) -> None:
    """A window whose user saves, switches branches and asks."""
    chance = random.Random(SEED + 100 + number)
    me = f"editor {number}"
    client = AsyncClient(hello("lsp", [str(root)]))
    client.open()
    while not stop.is_set():
        if chance.random() < SAVE_SHARE:
            await asyncio.to_thread(_change, root, chance, switches=number == 0)
        kind, request = _question(root, names[root], chance)
        asked = time.monotonic()
        try:
            await client.call(request, timeout_s=60)
            log.answered(me, kind, asked)
        except (SurveyorError, TimeoutError) as error:
            log.failed(me, f"{kind}: {error}")
            await asyncio.sleep(ASK_AGAIN_S)
            continue
        await asyncio.sleep(THINK_S * chance.uniform(0.2, 1.8))
    await client.close()


def _change(root: Path, chance: random.Random, *, switches: bool) -> None:
    """A save, or now and then another branch, what was edited thrown away."""
    if switches and chance.randrange(SWITCH_EVERY) == 0:
        git(root, "checkout", "-q", "-f", chance.choice(["main", "other"]))
        return
    path = chance.choice(_sources(root))
    with contextlib.suppress(OSError):
        text = path.read_text(errors="replace")
        path.write_text(f"{text}\n\ndef saved_{chance.randrange(1000)}():\n    return 1\n")


def _question(root: Path, names: list[str], chance: random.Random) -> tuple[str, Any]:
    where = chance.random()
    if where < 0.7:
        return "search", SearchRequest(query=chance.choice(QUERIES), cwd=str(root))
    if where < 0.85:
        return "impact", ImpactRequest(name=chance.choice(names), cwd=str(root))
    return "map", MapRequest(cwd=str(root))


def _agent(
    made: Product,
    root: Path,
    number: int,
    names: dict[Path, list[str]],
    log: Log,
    stop: threading.Event,
) -> None:
    """An agent on its relay."""
    chance = random.Random(SEED + 200 + number)
    me = f"agent {number}"
    agent = Agent(made, root)
    agent.initialize()
    while not stop.is_set():
        kind, request = _question(root, names[root], chance)
        arguments = (
            {"query": request.query}
            if kind == "search"
            else {"target": request.name}
            if kind == "impact"
            else {}
        )
        asked = time.monotonic()
        try:
            result = agent.ask("tools/call", {"name": kind, "arguments": arguments})
        except KeyError:  # a JSON-RPC error: the engine went away
            log.failed(me, f"{kind}: the engine went away")
            time.sleep(ASK_AGAIN_S)
            continue
        if result.get("isError"):
            log.failed(me, f"{kind}: {result['content'][0]['text'][:120]}")
        else:
            log.answered(me, kind, asked)
        time.sleep(THINK_S * chance.uniform(0.2, 1.8))
    agent.close()


# --- tables ---------------------------------------------------------------------------------


def _say_head() -> None:
    columns = ["search", "impact", "map"]
    times = "  ".join(f"{each + ' p50/p95 (n)':>22}" for each in columns)
    sys.stdout.write(
        f"{'s':>5} {times}  {'errors':>6} {'anon MB':>7} {'RSS':>5} {'fds':>4} {'thr':>4}"
        f" {'workers MB':>10} {'disk MB':>7}\n"
    )


def _say_row(made: Product, log: Log, at: float) -> None:
    took, log.took = log.took, defaultdict(list)
    errors, log.errors = log.errors, []
    cells = "  ".join(f"{_spread(took[kind]):>22}" for kind in ("search", "impact", "map"))
    sys.stdout.write(f"{at:5.0f} {cells}  {len(errors):>6} {_resources(made)}\n")
    for error in dict.fromkeys(errors[:5]):
        sys.stdout.write(f"      {error}\n")
    sys.stdout.flush()


def _spread(values: list[float]) -> str:
    if not values:
        return "-"
    worst = sorted(values)[min(len(values) - 1, len(values) * 95 // 100)]
    return f"{statistics.median(values):.0f}/{worst:.0f} ({len(values)})"


def _resources(made: Product) -> str:
    """The engine's, without asking it."""
    try:
        pid = json.loads((made.runtime / "engine.json").read_text())["pid"]
        engine = psutil.Process(pid)
        full, rss = engine.memory_full_info().uss, engine.memory_info().rss
        workers = sum(each.memory_full_info().uss for each in _alive(engine))
        numbers = (engine.num_fds(), engine.num_threads())
    except (OSError, ValueError, psutil.Error):
        return "the engine is away"
    return (
        f"{full >> 20:7} {rss >> 20:5} {numbers[0]:4} {numbers[1]:4} {workers >> 20:10}"
        f" {disk(made) / 1e6:7.0f}"
    )


def _alive(engine: psutil.Process) -> Iterator[psutil.Process]:
    for child in engine.children(recursive=True):
        with contextlib.suppress(psutil.Error):
            child.memory_full_info()
            yield child


def _cpu_s(made: Product) -> tuple[float, float]:
    """CPU seconds of the engine, and of its children, so far."""
    with contextlib.suppress(OSError, ValueError, psutil.Error):
        pid = json.loads((made.runtime / "engine.json").read_text())["pid"]
        times = psutil.Process(pid).cpu_times()
        running = psutil.Process(pid).children(recursive=True)
        alive = sum(sum(each.cpu_times()[:2]) for each in running)
        ended = times.children_user + times.children_system
        return times.user + times.system, ended + alive
    return 0.0, 0.0


def _say_death(number: int, death: Death) -> None:
    waited = death.waited
    missing = EDITORS + AGENTS - len(waited)
    times = ", ".join(f"{name} {seconds:.1f}" for name, seconds in sorted(waited.items()))
    worst = f"{max(waited.values()):.1f} s at most" if waited else "nobody had an answer"
    without = f", {missing} without an answer" if missing else ""
    engine, children = death.spent or (0.0, 0.0)
    cpu = f"CPU s of the engine {engine:.1f}, of its children {children:.1f}"
    sys.stdout.write(f"death {number}: {worst}{without}; {cpu}: {times}\n")


if __name__ == "__main__":
    main()
