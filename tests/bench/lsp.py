"""What the relay costs: the same requests to a language server directly and through `surveyor lsp`.

    python -m tests.bench.lsp [--server ty|basedpyright] [--rounds 300]
    python -m tests.bench.lsp --project PATH [--data FOLDER]

Both run at once on the same project and are asked in turn, so that a busy machine slows both.
Prints p50 and p95 in milliseconds, what is added, and the ratio; with an engine, also hovers with
our section. The second form measures `workspace/symbol`, hovers without a server, and memory on a
real project.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from surveyor.servers.documents import EDITOR, OpenDocuments
from surveyor.servers.lsp_client import HeadlessHost
from surveyor.servers.registry import builtin
from surveyor.servers.upstream import Upstream
from surveyor.servers.uris import to_uri
from tests.lsp.rawclient import RawEditor, environment, place
from tests.servers.real import search_path

USES = 2000
"""References of the one function that everything calls."""
FILES = 40


def write_project(root: Path) -> Path:
    """A project with `USES` references to one function, and 200 functions to hover."""
    root.mkdir(parents=True)
    lines = ["def common(value: int) -> int:", '    """Used everywhere."""', "    return value", ""]
    for number in range(200):
        lines += [
            f"def worker_{number}(value: int) -> int:",
            f'    """Work number {number}."""',
            f"    return common(value) + {number}",
            "",
        ]
    (root / "core.py").write_text("\n".join(lines) + "\n")
    rest = USES - 200
    for file in range(FILES):
        calls = [f"    common({n})" for n in range(rest // FILES)]
        calls += [f"    core.worker_{n}({n})" for n in range(file * 5, file * 5 + 5)]
        head = ["import core", "from core import common", "", f"def use_{file}() -> None:"]
        text = "\n".join([*head, *calls])
        (root / f"use_{file}.py").write_text(text + "\n")
    return root / "core.py"


async def timed(call: Callable[[], Awaitable[Any]]) -> float:
    """Milliseconds that a call takes."""
    begin = time.perf_counter()
    await call()
    return (time.perf_counter() - begin) * 1000


def cpu_ms(pid: int) -> float:
    """Processor time that a process has used: what a busy machine does not change."""
    import psutil

    times = psutil.Process(pid).cpu_times()
    return float(times.user + times.system) * 1000


def report(name: str, direct: list[float], through: list[float]) -> None:
    """One line of the table."""
    p95 = [statistics.quantiles(times, n=20)[18] for times in (direct, through)]
    p50 = [statistics.median(times) for times in (direct, through)]
    between = [b - a for a, b in zip(direct, through, strict=True)]
    print(
        f"{name:<28} direct {p50[0]:7.2f} {p95[0]:7.2f}   through {p50[1]:7.2f} {p95[1]:7.2f}   "
        f"added p50 {p50[1] - p50[0]:+6.2f} p95 {p95[1] - p95[0]:+6.2f}   x{p50[1] / p50[0]:.2f}   "
        f"by pairs p50 {statistics.median(between):+.2f}"
    )


async def main(server: str, rounds: int, relay_only: bool) -> None:
    """Measure and print."""
    os.environ["PATH"] = search_path()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        core = write_project(folder / "project")
        root = core.parent
        await measure_start(folder, root)
        plain = await RawEditor.start(folder / "d0")
        relay = {
            "engine": False,
            "hover": False,
            "upstream": {"python": {"server": server}},
            "proxy": {"methods": ["textDocument/completion"]},
        }
        await plain.initialize(root, options=relay)
        spec = builtin().servers[server]
        documents = OpenDocuments()
        direct = Upstream(
            spec, spec.command, root, host=HeadlessHost(), documents=documents, language="python"
        )
        direct.start()
        uri = to_uri(core)
        direct.attach(documents.open(uri, "python", 1, core.read_text(), EDITOR))
        plain.open(core, "python")
        await direct.wait_ready(60)
        await plain.wait_upstream("python", 60)
        lines = [4 + 4 * random.randrange(200) for _ in range(rounds)]

        async def pair(
            label: str, method: str, targets: list[dict[str, Any]], editor: RawEditor
        ) -> None:
            first, second = [], []
            before = cpu_ms(editor.process.pid)
            for params in [*targets[:5], *targets]:
                first.append(await timed(lambda p=params: direct.request(method, p, timeout=60)))  # type: ignore[misc]
                second.append(await timed(lambda p=params: editor.raw(method, p)))  # type: ignore[misc]
            report(label, first[5:], second[5:])
            spent = (cpu_ms(editor.process.pid) - before) / len(second)
            print(f"{'':<28} {spent:.2f} ms of our processor's time each")

        hovers = [place(uri, line, 6) for line in lines]
        common = [{**place(uri, 0, 6), "context": {"includeDeclaration": True}}] * 30
        await pair("hover", "textDocument/hover", hovers, plain)
        await pair(
            "definition",
            "textDocument/definition",
            [place(uri, line + 2, 13) for line in lines],
            plain,
        )
        await pair(
            "completion",
            "textDocument/completion",
            [place(uri, line + 2, 13) for line in lines[: rounds // 3]],
            plain,
        )
        await pair(f"references ({USES})", "textDocument/references", common, plain)
        await plain.close()
        if not relay_only:
            await with_engine(folder, root, core, server, direct, hovers, rounds)
        await direct.stop()


async def measure_start(folder: Path, root: Path) -> None:
    """From process start to `initialize` answered."""
    times = []
    for _ in range(5):
        begin = time.perf_counter()
        editor = await RawEditor.start(folder / "d0")
        await editor.initialize(root, options={"engine": False})
        times.append((time.perf_counter() - begin) * 1000)
        await editor.close()
    print(
        f"start to initialize          best {min(times):.0f}  median "
        f"{statistics.median(times):.0f} ms"
    )


async def with_engine(
    folder: Path,
    root: Path,
    core: Path,
    server: str,
    direct: Upstream,
    hovers: list[dict[str, Any]],
    rounds: int,
) -> None:
    """Hovers with our section, and workspace symbols."""
    editor = await RawEditor.start(folder / "d1")
    await editor.initialize(root, options={"upstream": {"python": {"server": server}}})
    editor.open(core, "python")
    await editor.wait_upstream("python", 60)
    await indexed(editor, FILES)
    await editor.eventually("textDocument/hover", hovers[0], lambda h: h and "Used " in str(h))
    seen = {str(params): params for params in hovers}
    for label in ("first", "again"):
        first, second, present = [], [], 0
        for params in [*hovers[:5], *seen.values()]:
            await asyncio.sleep(BETWEEN_HOVERS_S)
            first.append(await timed(lambda p=params: direct.request("textDocument/hover", p)))  # type: ignore[misc]
            begin = time.perf_counter()
            raw = await editor.raw("textDocument/hover", params)
            second.append((time.perf_counter() - begin) * 1000)
            present += b"Used " in raw
        report(f"hover + section, {label}", first[5:], second[5:])
        print(f"{'':<28} {100 * present / len(second):.0f} % with a section")
    await editor.close()
    await stop_engine(folder / "d1")


async def indexed(editor: RawEditor, files: int, limit: float = 900) -> None:
    """Wait until the window's folder is."""
    await editor.wait_told(
        "surveyor/status",
        lambda s: any(p["status"] == "healthy" and p["files"] > files for p in s["projects"]),
        limit,
    )


async def stop_engine(data: Path) -> None:
    """Stop the engine of a data folder."""
    stopping = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "surveyor",
        "engine",
        "stop",
        env=environment(data),
        stdout=asyncio.subprocess.DEVNULL,
    )
    await stopping.wait()


BUFFERS = 20

BETWEEN_HOVERS_S = 0.05
"""People do not hover faster, and what one hover left to be made would delay the next."""


async def on_project(root: Path, data: Path, rounds: int) -> None:
    """Symbols, hovers and memory on a real project with `BUFFERS` open buffers."""
    import psutil

    os.environ["PATH"] = search_path()
    editor = await RawEditor.start(data)
    # No upstream: it is our own part that is measured, and it has to be there by itself.
    await editor.initialize(root, options={"upstream": {"python": {"enabled": False}}})
    await indexed(editor, 0)
    files = sorted(p for p in root.rglob("*.py") if p.stat().st_size > 2000)
    chance = random.Random(1)
    opened = chance.sample(files, min(BUFFERS, len(files)))
    places: list[tuple[dict[str, Any], str]] = []
    for path in opened:
        uri = editor.open(path, "python")
        for number, line in enumerate(path.read_text().split("\n")):
            head, _, rest = line.partition("def ")
            if rest and not head.strip():
                name = rest.partition("(")[0]
                places.append((place(uri, number, len(head) + 4), name))
    status = await editor.request("surveyor/status")
    engine = psutil.Process(int(await engine_pid(data)))
    names = [name for _, name in places]
    some = rounds // 3
    queries = {
        "names": [chance.choice(names) for _ in range(some)],
        "words": [" ".join(chance.choices(WORDS, k=3)) for _ in range(some)],
        "common names": [chance.choice(common_names(files)) for _ in range(some)],
        "as typed": [name[: chance.randrange(1, 6)] for name in chance.choices(names, k=some)],
        "unknown names": [
            name[::-1] + chance.choice("qxz") for name in chance.choices(names, k=some)
        ],
    }
    mixed = [query for each in queries.values() for query in each]
    chance.shuffle(mixed)
    print(f"{status['projects'][0]['chunks']} chunks")
    for label, some_queries in {"at once": mixed[: 2 * some], **queries}.items():
        before, ours = cpu_ms(engine.pid), cpu_ms(editor.process.pid)
        times = [
            await timed(lambda q=q: editor.raw("workspace/symbol", {"query": q}))  # type: ignore[misc]
            for q in some_queries
        ]
        print(
            f"workspace/symbol, {label:<16} p50 {statistics.median(times):5.1f} p95 "
            f"{statistics.quantiles(times, n=20)[18]:5.1f} first {times[0]:5.1f} ms; processor: "
            f"engine {(cpu_ms(engine.pid) - before) / len(times):4.1f} "
            f"window {(cpu_ms(editor.process.pid) - ours) / len(times):4.1f} ms each"
        )
    present = 0
    asked = chance.sample(places, min(rounds, len(places)))
    times = []
    for params, _ in asked:
        await asyncio.sleep(BETWEEN_HOVERS_S)
        begin = time.perf_counter()
        # The section alone is waited for longer; within the budget it would have to be here.
        answer = await editor.request("textDocument/hover", params)
        times.append((time.perf_counter() - begin) * 1000)
        present += bool(answer)
    print(
        f"{'section alone':<28} {len(asked)} places: {100 * present / len(asked):.0f} % have one; "
        f"p50 {statistics.median(times):.1f} p95 {statistics.quantiles(times, n=20)[18]:.1f} ms"
    )
    await unsaved(editor, root, opened)
    rss = psutil.Process(editor.process.pid).memory_info().rss / (1 << 20)
    print(f"memory, {len(opened)} open buffers     {rss:.0f} MB")
    await editor.close()
    await stop_engine(data)


EDITS = 20
KEYS = "def quokka_"
KEY_S = 0.03


async def unsaved(editor: RawEditor, root: Path, opened: list[Path]) -> None:
    """How long after the last key an agent reads, and the window finds, what was typed."""
    from surveyor.client import blocking
    from surveyor.protocol.search import RetrieveRequest, SearchRequest

    reads: list[float] = []
    finds: list[float] = []
    for number in range(EDITS):
        path = opened[number % len(opened)]
        uri, name = to_uri(path), f"quokka_{number}_smiles"
        version = 100 + 50 * number
        for key in [*KEYS, f"{number}_smiles(): pass\n"]:
            version += 1
            start = {"line": 0, "character": 0 if version % 50 == 1 else version % 50 - 1}
            change = {"range": {"start": start, "end": start}, "text": key}
            item = {"uri": uri, "version": version}
            editor.session.notify(
                "textDocument/didChange", {"textDocument": item, "contentChanges": [change]}
            )
            await asyncio.sleep(0 if key.endswith("\n") else KEY_S)
        begin = time.perf_counter()
        ask = RetrieveRequest(path=str(path), cwd=str(root), end_line=1)
        while (await asyncio.to_thread(blocking.call, ask)).unsaved_version != version:
            await asyncio.sleep(0.01)
        reads.append((time.perf_counter() - begin) * 1000)
        found = await editor.request("workspace/symbol", {"query": name})
        assert found[0]["name"] == name, "what is read is found"
        finds.append((time.perf_counter() - begin) * 1000)
        query = SearchRequest(query=name, cwd=str(root), limit=1)
        (first,) = (await asyncio.to_thread(blocking.call, query)).results
        assert first.unsaved_version == version, "what is found is marked"
        await asyncio.sleep(0.5)
    for label, times in {"an agent reads it": reads, "the window finds it": finds}.items():
        print(
            f"unsaved text, after the last key {label:<20} p50 {statistics.median(times):.0f} "
            f"p95 {statistics.quantiles(times, n=20)[18]:.0f} ms"
        )


def common_names(files: list[Path]) -> list[str]:
    """The twenty names that most functions of a project have."""
    defined = Counter(
        name for path in files for name in re.findall(r"^\s*def (\w+)", path.read_text(), re.M)
    )
    return [name for name, _ in defined.most_common(20)]


WORDS = ["read", "write", "parse", "config", "file", "error", "retry", "cache", "merge", "tree"]


async def engine_pid(data: Path) -> int:
    """Process id of the engine of a data folder."""
    from surveyor.client import blocking
    from surveyor.protocol.engine import StatusRequest

    os.environ["SURVEYOR_DATA_DIR"] = str(data)
    return int((await asyncio.to_thread(blocking.call, StatusRequest())).pid)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", default="ty")
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--relay-only", action="store_true", help="no engine, no index")
    parser.add_argument("--project", type=Path, help="symbols, hovers, memory on this project")
    parser.add_argument("--data", type=Path, help="data folder, with the project's index or none")
    chosen = parser.parse_args()
    if chosen.project:
        data = chosen.data or Path(tempfile.mkdtemp())
        asyncio.run(on_project(chosen.project, data, chosen.rounds))
    else:
        asyncio.run(main(chosen.server, chosen.rounds, chosen.relay_only))
