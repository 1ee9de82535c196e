"""What the agent's face adds: starting, calling, holding a session; against the engine's own time.

    python -m tests.bench.mcp [--folder PATH] [--sessions 10] [--calls 200]

Without a folder the sources are Python files of the environment that runs this. Wall time is what
an agent feels and is disturbed by whatever else runs; CPU time is the part that is ours.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import psutil

from surveyor.client.blocking import Client, connect
from surveyor.protocol.graph import ReferencesRequest
from surveyor.protocol.search import SearchRequest, SymbolsRequest
from tests.agent_answers import data_of
from tests.bench.engine import corpus
from tests.product import Product, product

SEED = 5
INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}
WARM_S = 60.0
ASK_AGAIN_S = 0.2
"""A language server does not say when it is ready: it is asked, outside of what is measured."""


class Agent:
    """A relay and its pipes, without a client library in the way."""

    def __init__(self, made: Product, folder: Path) -> None:
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "surveyor", "mcp", "--project", str(folder)],
            env=made.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._next = 0

    def ask(self, method: str, params: Any) -> Any:
        """The result of a request."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._next += 1
        message = {"jsonrpc": "2.0", "id": self._next, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        while True:
            heard = json.loads(self.process.stdout.readline())
            if heard.get("id") == self._next:
                return heard["result"]

    def initialize(self) -> float:
        """Milliseconds from the start of the process to the answer."""
        self.ask("initialize", INITIALIZE)
        took = 1000 * (time.perf_counter() - self.started)
        self.tell("notifications/initialized")
        return took

    def tell(self, method: str) -> None:
        """A notification."""
        assert self.process.stdin is not None
        said = {"jsonrpc": "2.0", "method": method}
        self.process.stdin.write(json.dumps(said).encode() + b"\n")
        self.process.stdin.flush()

    def call(self, tool: str, **arguments: Any) -> Any:
        """What a tool's answer says of itself."""
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})
        assert not result.get("isError"), result
        return data_of(result)

    def cpu_ms(self) -> float:
        """CPU time of the relay so far."""
        used = psutil.Process(self.process.pid).cpu_times()
        return 1000 * (used.user + used.system)

    def close(self) -> None:
        """End the session."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(30)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--sessions", type=int, default=10)
    parser.add_argument("--calls", type=int, default=200)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.folder or corpus(Path(scratch) / "corpus", 200)
        with product(Path(scratch) / "home") as made:
            beside = Path(sys.executable).parent  # the language server of the test environment
            made.extra["PATH"] = f"{beside}{os.pathsep}{os.environ['PATH']}"
            os.environ.update(made.environment)
            made.index(folder)
            made.settle(folder)
            rows = measure(made, folder, options.sessions, options.calls)
    width = max(map(len, rows))
    for name, value in rows.items():
        sys.stdout.write(f"{name:<{width}}  {value}\n")


def measure(made: Product, folder: Path, sessions: int, calls: int) -> dict[str, Any]:
    """Everything about one folder."""
    rows: dict[str, Any] = {}
    cold, spent = [], []
    for _ in range(3):
        made.run("engine", "stop")
        agent = Agent(made, folder)
        cold.append(agent.initialize())
        pid = json.loads((made.runtime / "engine.json").read_text())["pid"]
        used = psutil.Process(pid).cpu_times()
        spent.append(agent.cpu_ms() + 1000 * (used.user + used.system))
        agent.close()
    rows["initialize, engine to be started: ms"] = _spread(cold)
    rows["initialize, engine to be started: CPU ms"] = _spread(spent)
    warm, cpu = [], []
    agent = Agent(made, folder)
    agent.initialize()
    for _ in range(sessions):
        another = Agent(made, folder)
        warm.append(another.initialize())
        cpu.append(another.cpu_ms())
        another.close()
    rows["initialize, engine up: ms"] = _spread(warm)
    rows["initialize, engine up: CPU ms of the relay"] = _spread(cpu)
    with connect() as client:
        rows |= _added(agent, client, folder, calls)
    rows |= _memory(made, folder, psutil.Process(pid), sessions)
    agent.close()
    return rows


def _added(agent: Agent, client: Client, folder: Path, calls: int) -> dict[str, Any]:
    """The same questions through the relay and over the engine's own channel, taking turns."""
    root = str(folder.resolve())
    names = client.call(SymbolsRequest(query="e", cwd=root, limit=2000)).results
    words = sorted({part for s in names for part in s.name.split("_") if len(part) > 3})
    chance = random.Random(SEED)
    inside: list[float] = []
    through: list[float] = []
    for _ in range(calls):
        query = " ".join(chance.sample(words, 3))
        ours = partial(agent.call, "search", query=query)
        theirs = partial(client.call, _search(query, root))
        theirs()  # what a first call warms is warm for both
        through.append(_timed(ours))
        inside.append(_timed(theirs))
    rows = _compared("search", through, inside)
    function = next(s for s in names if s.kind == "function")
    deadline = time.monotonic() + WARM_S
    while agent.call("symbol", action="references", name=function.name)["precision"] != "exact":
        if time.monotonic() > deadline:
            return rows | {"symbol": "no language server became ready"}
        time.sleep(ASK_AGAIN_S)
    inside, through = [], []
    asked = ReferencesRequest(name=function.name, cwd=root)
    for _ in range(calls):
        through.append(
            _timed(partial(agent.call, "symbol", action="references", name=function.name))
        )
        inside.append(_timed(partial(client.call, asked)))
    return rows | _compared("symbol, exact", through, inside)


def _search(query: str, root: str) -> SearchRequest:
    from surveyor.engine.agents.tools.search import CONCISE_TOKENS

    return SearchRequest(query=query, cwd=root, token_budget=CONCISE_TOKENS)


def _compared(what: str, through: list[float], inside: list[float]) -> dict[str, Any]:
    pairs = sorted(a - b for a, b in zip(through, inside, strict=True))
    return {
        f"{what}: engine's channel p50 / p95 ms": _quantiles(inside),
        f"{what}: through MCP p50 / p95 ms": _quantiles(through),
        f"{what}: MCP adds, p50 of the pairs, ms": round(statistics.median(pairs), 2),
        f"{what}: MCP adds, p95 less p95, ms": round(_at(through, 95) - _at(inside, 95), 2),
    }


def _memory(made: Product, folder: Path, engine: psutil.Process, count: int) -> dict[str, Any]:
    """Private memory of a relay, and what the engine holds for it."""
    before = engine.memory_full_info().uss
    agents = [Agent(made, folder) for _ in range(count)]
    for each in agents:
        each.initialize()
        each.call("search", query="where is it")
    relays = [psutil.Process(each.process.pid).memory_full_info() for each in agents]
    after = engine.memory_full_info().uss
    for each in agents:
        each.close()
    return {
        "memory: relay, private MB": round(statistics.median(m.uss for m in relays) / 1e6, 1),
        "memory: relay, RSS MB": round(statistics.median(m.rss for m in relays) / 1e6, 1),
        "memory: engine, per agent, MB": round((after - before) / count / 1e6, 2),
    }


def _timed(act: Callable[[], Any]) -> float:
    started = time.perf_counter()
    act()
    return 1000 * (time.perf_counter() - started)


def _at(values: list[float], percent: int) -> float:
    return sorted(values)[min(len(values) - 1, len(values) * percent // 100)]


def _quantiles(values: list[float]) -> str:
    return f"{statistics.median(values):.1f} / {_at(values, 95):.1f}"


def _spread(values: list[float]) -> str:
    return f"{min(values):.0f} (least), {statistics.median(values):.0f} (median)"


if __name__ == "__main__":
    main()
