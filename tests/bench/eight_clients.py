"""What three windows and five agents take beside one window: every process behind them.

    python -m tests.bench.eight_clients PROJECT [--server NAME] [--documents 10] [--rest 65]

One window opens documents of the server's language, types into one of them, and asks for hovers,
definitions, symbols and completions at names in them; when the project is indexed and nothing was
asked for `--rest` seconds, everything is counted (proportional set sizes: pages that processes
share are counted once). Then two more windows do the same with other documents, and five agents
ask what agents ask; it is counted again. Prints what each kind of process takes, and how many
there are.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psutil

from surveyor.servers.errors import ResponseError
from surveyor.servers.registry import builtin
from tests.bench.lsp import stop_engine
from tests.bench.windows import GRACE, begin, settled, stop_servers
from tests.lsp.rawclient import RawEditor, environment, place
from tests.servers.real import search_path

WINDOWS, AGENTS = 3, 5
ASKED = 8
"""Names of each document that a window asks about."""
SEED = 19
WORD = re.compile(r"(?<![\w.])[A-Za-z_]\w{3,}(?=\()")
METHODS = (
    "textDocument/hover",
    "textDocument/definition",
    "textDocument/references",
    "textDocument/documentSymbol",
    "textDocument/completion",
)
READY_S = 300.0


class Eight:
    """A project, its documents, and who is asked about them."""

    def __init__(self, root: Path, server: str, documents: int, options: dict[str, Any]) -> None:
        known = builtin()
        self.root, self.documents, self.options = root, documents, options
        self.language = next(n for n, each in known.languages.items() if server in each.servers)
        endings = known.languages[self.language].extensions
        found = [path for path in root.rglob("*") if path.suffix in endings and path.is_file()]
        hidden = re.compile(r"/(\.git|node_modules|\.venv|target)/")
        self.files = sorted(path for path in found if not hidden.search(str(path)))
        self.drawn = random.Random(SEED)
        self.drawn.shuffle(self.files)
        self.names: Counter[str] = Counter()

    async def window(self, data: Path) -> RawEditor:
        """A window with documents that has asked what windows ask."""
        command = [sys.executable, "-m", "surveyor", "lsp"]
        editor, _ = await begin(command, data, self.root, self.options)
        mine = [self.files.pop() for _ in range(min(self.documents, len(self.files)))]
        texts = {editor.open(path, self.identifier(path)): path.read_text() for path in mine}
        await editor.wait_upstream(self.language, READY_S)
        for uri, text in texts.items():
            await self.ask(editor, uri, text)
        uri, text = next(iter(texts.items()))
        await self.type_into(editor, uri, text)
        return editor

    def identifier(self, path: Path) -> str:
        """The language of a document, as editors name it."""
        return self.language if path.suffix != ".tsx" else "typescriptreact"

    async def ask(self, editor: RawEditor, uri: str, text: str) -> None:
        """A window's questions about one document."""
        places = list(WORD.finditer(text))
        for found in self.drawn.sample(places, k=min(ASKED, len(places))):
            self.names[found[0]] += 1
            line = text.count("\n", 0, found.start())
            column = found.start() - (text.rfind("\n", 0, found.start()) + 1)
            for method in METHODS:
                params = {**place(uri, line, column + 1), "context": {"includeDeclaration": True}}
                if method.endswith("completion"):
                    params["context"] = {"triggerKind": 1}
                try:
                    await editor.request(method, params)
                except ResponseError:
                    continue
            await editor.request("workspace/symbol", {"query": found[0]})

    async def type_into(self, editor: RawEditor, uri: str, text: str) -> None:
        """Leave an unsaved text that ends otherwise."""
        document = {"uri": uri, "version": 2}
        end = text.count("\n")
        at = {"line": end, "character": len(text) - (text.rfind("\n") + 1)}
        change = {"range": {"start": at, "end": at}, "text": "\n"}
        params = {"textDocument": document, "contentChanges": [change]}
        editor.session.notify("textDocument/didChange", params)
        await editor.request("textDocument/documentSymbol", {"textDocument": {"uri": uri}})

    async def agent(self, data: Path) -> asyncio.subprocess.Process:
        """An agent that has asked what agents ask."""
        started = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "surveyor", "mcp"),
            env={**environment(data, GRACE), "PATH": search_path()},
            cwd=self.root,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=1 << 24,
        )
        info = {"protocolVersion": "2025-06-18", "capabilities": {}}
        await said(started, "initialize", {**info, "clientInfo": {"name": "b", "version": "1"}})
        await said(started, "notifications/initialized", None, answered=False)
        await said(started, "tools/list", {})
        for name in self.drawn.sample(sorted(self.names), k=min(6, len(self.names))):
            calls: list[tuple[str, Mapping[str, Any]]] = [
                ("search", {"query": f"where is {name} handled"}),
                ("search", {"query": name, "mode": "literal"}),
                ("symbol", {"name": name}),
                ("symbol", {"name": name, "action": "references"}),
                ("symbol", {"name": name, "action": "callers"}),
                ("impact", {"target": name}),
                ("retrieve", {"symbol": name}),
            ]
            for tool, given in calls:
                await said(started, "tools/call", {"name": tool, "arguments": dict(given)})
        await said(started, "tools/call", {"name": "map", "arguments": {}})
        await said(started, "tools/call", {"name": "check", "arguments": {}})
        return started


async def said(
    agent: asyncio.subprocess.Process, method: str, params: Any, *, answered: bool = True
) -> None:
    """Say something to an agent's relay, and wait for the answer."""
    assert agent.stdin is not None and agent.stdout is not None
    message = {"jsonrpc": "2.0", "method": method, **({"params": params} if params else {})}
    if answered:
        message["id"] = 1
    agent.stdin.write(json.dumps(message).encode() + b"\n")
    await agent.stdin.drain()
    while answered and json.loads(await agent.stdout.readline()).get("id") != 1:
        pass


def taken(data: Path) -> dict[str, tuple[int, float]]:
    """How many processes of each kind work on a data folder, and their megabytes."""
    found: dict[str, tuple[int, float]] = defaultdict(lambda: (0, 0.0))
    for process in psutil.process_iter():
        try:
            if process.environ().get("SURVEYOR_DATA_DIR") != str(data):
                continue
            kind, pss = kind_of(process), process.memory_full_info().pss / (1 << 20)
        except (psutil.NoSuchProcess, psutil.AccessDenied, psutil.ZombieProcess):
            continue
        count, size = found[kind]
        found[kind] = (count + 1, size + pss)
    return dict(found)


def kind_of(process: psutil.Process) -> str:
    """What a process is, in a word or two."""
    words = [Path(word).name for word in process.cmdline()]
    if "surveyor" in words:
        return " ".join(words[words.index("surveyor") + 1 :][:2])
    programs = [word for word in words if not word.startswith("-")]
    return " ".join(programs[:2]) or process.name()


async def measure(eight: Eight, rest: float) -> None:
    """Print what one window takes, and what all eight do."""
    with tempfile.TemporaryDirectory() as name:
        data = Path(name)
        editors: list[RawEditor] = []
        agents: list[asyncio.subprocess.Process] = []
        totals: list[float] = []
        try:
            for count in (1, WINDOWS):
                while len(editors) < count:
                    editors.append(await eight.window(data))
                await settled(editors[0], eight.root)
                if count == WINDOWS:
                    for _ in range(AGENTS):
                        agents.append(await eight.agent(data))
                await asyncio.sleep(rest)
                parts = taken(data)
                totals.append(sum(size for _, size in parts.values()))
                print(f"{len(editors)} windows, {len(agents)} agents: {totals[-1]:.0f} MB")
                for kind, (number, size) in sorted(parts.items()):
                    print(f"    {number} {kind:<40} {size:7.1f}")
            print(f"x{totals[1] / totals[0]:.2f}")
        finally:
            for started in agents:
                started.kill()
                await started.wait()
            for editor in editors:
                await editor.close()
            await stop_engine(data)
            await stop_servers(data)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("project", type=Path)
    parser.add_argument("--server", default="ty")
    parser.add_argument("--documents", type=int, default=10)
    parser.add_argument("--rest", type=float, default=65.0)
    given = parser.parse_args()
    about = Eight(
        given.project.resolve(),
        given.server,
        given.documents,
        {},
    )
    about.options.update({"upstream": {about.language: {"server": given.server}}})
    asyncio.run(measure(about, given.rest))
