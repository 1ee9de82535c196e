"""What windows cost: starting, and coming again; beside the server started directly.

    python -m tests.bench.windows PROJECT FILE NAME [--server ty] [--rounds 5]

NAME is a word of FILE with a definition. Each round starts the server directly, a window without a
host of servers, one with it, and one that comes again within the grace period, and asks each for
the definition as soon as it may: what is shown is the time from the process's start, the median of
the rounds, and the processor's time of the window and of a Python that does nothing.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import psutil

from surveyor.servers.process import ServerProcess
from surveyor.servers.registry import builtin
from tests.lsp.rawclient import RawEditor, environment, place
from tests.servers.real import search_path

GRACE = {"SURVEYOR_SERVERS__GRACE": "120"}


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
    command: list[str], data: Path, root: Path, options: Any
) -> tuple[RawEditor, float]:
    """A started and initialized server, and the seconds until then."""
    since = time.perf_counter()
    env = {**environment(data, GRACE), "PATH": search_path()}
    editor = RawEditor(await ServerProcess.spawn(command, cwd=root, env=env))
    await editor.initialize(root, options=options)
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
                editor, initialized = await begin(command, data, task.root, given)
                await task.ask(editor, language)
                answered = time.perf_counter() - since
                used = psutil.Process(editor.process.pid).cpu_times()
                seen[label].append((initialized, answered, used.user + used.system))
                editor.session.notify("exit")
                await editor.close()
            await stop_servers(data)
    print(f"a Python that does nothing: of the processor {nothing():.2f} s")
    for label, times in seen.items():
        middle = [statistics.median(column) for column in zip(*times, strict=True)]
        print(
            f"{label:<22} initialize {middle[0]:5.2f} s   first definition {middle[1]:5.2f} s   "
            f"of the processor {middle[2]:5.2f} s"
        )


def nothing() -> float:
    """The processor's seconds of a Python that starts and ends; the median of five."""
    taken = []
    for _ in range(5):
        before = os.times()
        subprocess.run([sys.executable, "-c", ""], check=True)
        after = os.times()
        spent = after.children_user + after.children_system
        taken.append(spent - before.children_user - before.children_system)
    return statistics.median(taken)


async def stop_servers(data: Path) -> None:
    """Stop the host of a data folder."""
    stopping = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "surveyor", "servers", "stop"),
        env=environment(data),
        stdout=asyncio.subprocess.DEVNULL,
    )
    await stopping.wait()


async def settled(editor: RawEditor, root: Path) -> None:
    """Wait until the project is indexed."""
    await editor.wait_told(
        "surveyor/status", lambda s: any(p["status"] == "healthy" for p in s["projects"]), 300
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("project", type=Path)
    parser.add_argument("file", type=Path)
    parser.add_argument("name")
    parser.add_argument("--server", default="ty")
    parser.add_argument("--language", default="python")
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    asked = Task(given.project.resolve(), given.file, given.name)
    asyncio.run(starts(asked, given.server, given.language, given.rounds))
