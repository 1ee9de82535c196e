"""What windows and agents cost: starting, coming again, memory; beside the server started directly.

    python -m tests.bench.windows PROJECT FILE NAME [--server ty] [--rounds 5] [--memory]

NAME is a word of FILE with a definition. Each round starts the server directly, a window without a
host of servers, one with it, and one that comes again within the grace period, and asks each for
the definition as soon as it may: what is shown is the time from the process's start, the median of
the rounds, and the processor's time of the window. `--memory` starts one window with its engine and
server, then two more and five agents, and compares what all take (pages that are shared are
counted once).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import psutil

from surveyor.servers.process import ServerProcess
from surveyor.servers.registry import builtin
from tests.bench.lsp import stop_engine
from tests.lsp.rawclient import RawEditor, environment, place
from tests.servers.real import search_path

GRACE = {"SURVEYOR_SERVERS__GRACE": "120"}
WINDOWS, AGENTS = 3, 5
SETTLE_S = 4.0


class Task:
    """The question that everybody asks."""

    def __init__(self, root: Path, file: Path, name: str) -> None:
        self.root, self.file, self.name = root, root / file, name
        text = self.file.read_text()
        before = text[: text.index(name)]
        self.line = before.count("\n")
        self.column = len(before) - before.rfind("\n") - 1
        self.answer: Any = None

    async def ask(self, editor: RawEditor, language: str) -> None:
        """Open the file and ask; the answer has to be the one that the direct server gave."""
        uri = editor.open(self.file, language)
        where = place(uri, self.line, self.column)
        found = await editor.request("textDocument/definition", where)
        if self.answer is None:
            self.answer = found
        assert found == self.answer, (found, self.answer)


async def begin(
    command: list[str], data: Path, task: Task, options: Any
) -> tuple[RawEditor, float]:
    """A started and initialized server, and the seconds until then."""
    since = time.perf_counter()
    env = {**environment(data, GRACE), "PATH": search_path()}
    editor = RawEditor(await ServerProcess.spawn(command, cwd=task.root, env=env))
    await editor.initialize(task.root, options=options)
    return editor, time.perf_counter() - since


async def starts(task: Task, server: str, language: str, rounds: int) -> None:
    """Print how long starting takes, and the first answer."""
    ours = [sys.executable, "-m", "surveyor", "lsp"]
    options = {"engine": False, "upstream": {language: {"server": server}}}
    seen: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as name:
            data = Path(name)
            turns = {
                "directly": (list(builtin().servers[server].command), None),
                "window, no host": (ours, options),
                "window again": (ours, options),
            }
            for label, (command, given) in turns.items():
                since = time.perf_counter()
                editor, initialized = await begin(command, data, task, given)
                await task.ask(editor, language)
                answered = time.perf_counter() - since
                used = psutil.Process(editor.process.pid).cpu_times()
                seen[label].append((initialized, answered, used.user + used.system))
                editor.session.notify("exit")
                await editor.close()
            await stop_servers(data)
    for label, times in seen.items():
        middle = [statistics.median(column) for column in zip(*times, strict=True)]
        print(
            f"{label:<22} initialize {middle[0]:5.2f} s   first definition {middle[1]:5.2f} s   "
            f"of the processor {middle[2]:5.2f} s"
        )


async def stop_servers(data: Path) -> None:
    """Stop the host of a data folder."""
    stopping = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "surveyor", "servers", "stop"),
        env=environment(data),
        stdout=asyncio.subprocess.DEVNULL,
    )
    await stopping.wait()


def taken(data: Path, started: set[int]) -> dict[str, float]:
    """Megabytes of all processes that work on a data folder, by what they are."""
    found: dict[str, float] = defaultdict(float)
    for process in psutil.process_iter():
        try:
            mine = process.pid in started or process.environ().get("SURVEYOR_DATA_DIR") == str(data)
            if mine and process.pid != os.getpid():
                words = [Path(word).name for word in process.cmdline()]
                at = words.index("surveyor") + 1 if "surveyor" in words else 0
                found[" ".join(words[at : at + 2])] += process.memory_full_info().pss / (1 << 20)
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
    return found


async def memory(task: Task, server: str, language: str) -> None:
    """Print what one window takes with everything behind it, and what three and five agents do."""
    ours = [sys.executable, "-m", "surveyor", "lsp"]
    with tempfile.TemporaryDirectory() as name:
        data = Path(name)
        options = {"upstream": {language: {"server": server}}}
        editors: list[RawEditor] = []
        agents: list[asyncio.subprocess.Process] = []
        totals: list[float] = []
        for count in (1, WINDOWS):
            while len(editors) < count:
                editor, _ = await begin(ours, data, task, options)
                editors.append(editor)
                await task.ask(editor, language)
            if count == WINDOWS:
                for _ in range(AGENTS):
                    agents.append(await agent(data, task))
            await settled(editors[0], task.root)
            await asyncio.sleep(SETTLE_S)
            parts = taken(data, {e.process.pid for e in editors})
            totals.append(sum(parts.values()))
            shown = ", ".join(f"{part} {size:.0f}" for part, size in sorted(parts.items()))
            print(f"{len(editors)} windows, {len(agents)} agents: {totals[-1]:.0f} MB ({shown})")
        print(f"x{totals[1] / totals[0]:.2f}")
        for started in agents:
            started.kill()
            await started.wait()
        for editor in editors:
            await editor.close()
        await stop_engine(data)
        await stop_servers(data)


async def settled(editor: RawEditor, root: Path) -> None:
    """Wait until the project is indexed."""
    await editor.wait_told(
        "surveyor/status", lambda s: any(p["status"] == "healthy" for p in s["projects"]), 300
    )


async def agent(data: Path, task: Task) -> asyncio.subprocess.Process:
    """An agent's relay that has asked something."""
    started = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "surveyor", "mcp"),
        env={**environment(data, GRACE), "PATH": search_path()},
        cwd=task.root,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert started.stdin is not None and started.stdout is not None
    info: dict[str, Any] = {"protocolVersion": "2025-06-18", "capabilities": {}}
    asked = {"query": task.name}
    hello = {**info, "clientInfo": {"name": "bench", "version": "1"}}
    said: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/list"},
        {"id": 3, "method": "tools/call", "params": {"name": "search", "arguments": asked}},
    ]

    for message in said:
        started.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
    await started.stdin.drain()
    while json.loads(await started.stdout.readline()).get("id") != 3:
        pass
    return started


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("project", type=Path)
    parser.add_argument("file", type=Path)
    parser.add_argument("name")
    parser.add_argument("--server", default="ty")
    parser.add_argument("--language", default="python")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--memory", action="store_true")
    given = parser.parse_args()
    asked = Task(given.project.resolve(), given.file, given.name)
    if given.memory:
        asyncio.run(memory(asked, given.server, given.language))
    else:
        asyncio.run(starts(asked, given.server, given.language, given.rounds))
