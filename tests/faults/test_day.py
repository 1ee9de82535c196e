"""A day's work in a compressed form: editors, agents and terminals on several projects, kills and
jumps of the clock among them. Nothing is lost, nothing grows, every answer is true of the disk.

    SURVEYOR_MINUTES=15 SURVEYOR_SEED=7 pytest -s -m slow tests/faults/test_day.py

What people do in seconds of thought follows each other at once here. Four editors and four agents
stay attached throughout, however often the engine is killed.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import sqlite3
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.faults.agents import Agent, kill
from tests.faults.test_kill import catalog
from tests.gitrepo import git, repository
from tests.lsp.rawclient import RawEditor
from tests.product import SERVER, Product, product, until

MINUTES = float(os.environ.get("SURVEYOR_MINUTES", "15"))
SEED = int(os.environ.get("SURVEYOR_SEED", "7"))
PROJECTS, FILES, EDITORS, AGENTS = 3, 40, 4, 4
SETTLE_EVERY = 60
"""Operations between two moments at which everything must be true."""
DAY_S = 86_400
CLOCK = """
import os, time

_real, _at, _offset = time.time, 0.0, 0.0


def _shifted():
    global _at, _offset
    if time.monotonic() - _at > 0.5:
        _at = time.monotonic()
        try:
            with open(os.environ["TEST_CLOCK"]) as file:
                _offset = float(file.read() or 0)
        except OSError:
            pass
    return _real() + _offset


time.time = _shifted
"""
GROWS = {"descriptors": 24, "threads": 8, "memory": 48 << 20, "processes": 2}
"""How much more there may be in the last third than there was in the first."""


@dataclass
class Use:
    """What the engine takes when nothing is queued."""

    descriptors: int
    threads: int
    memory: int
    processes: int


@dataclass
class Day:
    """What was done, and what must be true because of it."""

    surveyor: Product
    scratch: Path
    chance: random.Random
    folders: list[Path] = field(default_factory=list)
    editors: list[RawEditor] = field(default_factory=list)
    agents: list[Agent] = field(default_factory=list)
    done: Counter[str] = field(default_factory=Counter)
    uses: list[Use] = field(default_factory=list)
    rules: set[str] = field(default_factory=set)
    documents: set[str] = field(default_factory=set)
    version: int = 0
    checked: int = 0

    # --- what people do -------------------------------------------------------------------------

    async def edit(self) -> None:
        """A file is opened, changed without being saved, asked about, saved and closed."""
        number = self.chance.randrange(EDITORS)
        editor, path = self.editors[number], self.file(self.folders[number % PROJECTS])
        text = self.text(path)
        if not path.exists():
            path.write_text(self.text(path))
        uri = editor.open(path, "python", version=1)
        for version in (2, 3):
            now = text if version == 3 else text[: len(text) // 2]
            identifier = {"uri": uri, "version": version}
            changed = {"textDocument": identifier, "contentChanges": [{"text": now}]}
            editor.session.notify("textDocument/didChange", changed)
            where = {"textDocument": {"uri": uri}, "position": {"line": 3, "character": 6}}
            await editor.request("textDocument/hover", where)
            await editor.request("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
        path.write_text(text)
        editor.session.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
        editor.session.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    async def save(self) -> None:
        """Somebody else writes files."""
        folder = self.folder()
        for _ in range(self.chance.randint(1, 8)):
            path = self.file(folder)
            path.write_text(self.text(path))

    async def remove(self) -> None:
        self.file(self.folder()).unlink(missing_ok=True)

    async def switch(self) -> None:
        """To another branch and back, with a commit on the way."""
        folder = self.folder()
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "--allow-empty", "-m", f"work {self.version}")
        git(folder, "switch", "-q", "-C", f"topic-{self.chance.randrange(4)}")
        await self.save()
        if self.chance.random() < 0.5:
            git(folder, "stash", "-q", "-u")
            git(folder, "switch", "-q", "main")

    async def ask(self) -> None:
        """Terminals ask what can be asked."""
        folder, file = self.folder(), self.file(self.folder()).name
        command = self.chance.choice(
            [
                ("search", "work of a module", "--project", str(folder)),
                ("symbols", "work", "--project", str(folder)),
                ("impact", "--diff", "--project", str(folder)),
                ("impact", f"pkg/{file}", "--project", str(folder)),
                ("map", "--project", str(folder)),
                ("history", "search", "work", "--project", str(folder)),
                ("status", str(folder)),
                ("secrets", "list", "--project", str(folder)),
            ]
        )
        found = await self.run(*command, check=False)
        # An empty diff has nothing to say; a file that was removed is not found.
        is_nothing = "The diff is empty" in found.stderr or found.returncode == 3
        assert found.returncode == 0 or is_nothing, (command, found.stderr)

    async def note(self) -> None:
        """Something that must never be lost."""
        self.version += 1
        if self.chance.random() < 0.5:
            name = f"rule-{self.version}"
            told = ("--label", name, "--title", name, "-c", f"Do {name}.")
            await self.run("memory", "add", "--global", *told)
            self.rules.add(name)
        else:
            name = f"day.doc{self.version}"
            text = f"# {name}\n\nThe text of {name}.\n"
            await self.run("library", "ingest", "-", "--name", name, input=text)
            self.documents.add(name)

    async def settings(self) -> None:
        """Settings change, at times to what nobody can read."""
        file = self.folder() / "surveyor.toml"
        text = self.chance.choice(
            ["[indexing]\nmax_file_size = '1MB'\n", "[indexing\n", "[watching]\npatterns = 3\n", ""]
        )
        if text:
            file.write_text(text)
        else:
            file.unlink(missing_ok=True)

    async def clock(self) -> None:
        """The clock jumps: days on, for what is kept for days, or an hour back."""
        clock = self.scratch / "clock"
        jump = self.chance.choice([DAY_S, 8 * DAY_S, -3600])
        clock.write_text(str(float(clock.read_text()) + jump))

    async def reindex(self) -> None:
        await self.run("reindex", str(self.folder()), *self.chance.choice([(), ("--clean",)]))

    async def reindex_and_leave(self) -> None:
        await self.run("reindex", str(self.folder()), "--clean", "--no-wait")

    async def kill(self) -> None:
        await asyncio.to_thread(kill, self.surveyor)

    async def stop(self) -> None:
        await self.run("engine", "stop")

    # --- what must be true then -----------------------------------------------------------------

    async def settle(self) -> None:
        """Nothing is queued, and every answer is true of the disk."""
        for folder in self.folders:
            await self.run("reindex", str(folder))
            await asyncio.to_thread(self.surveyor.settle, folder)
        _, wrong = await asyncio.to_thread(catalog, self.surveyor.data)
        del wrong["queue items"]  # the graph's and the history's go on behind
        assert not any(wrong.values()), wrong
        for folder in self.folders:
            on_disk = {str(each.relative_to(folder)) for each in (folder / "pkg").glob("*.py")}
            assert self.indexed(folder) == on_disk
            for path in self.chance.sample(sorted(on_disk), 3):
                marker = re.findall(r"work_\w+", (folder / path).read_text())[0]
                found = await asyncio.to_thread(self.surveyor.search, marker, folder)
                told = [each for each in found["results"] if marker in each["snippet"]]
                assert [each["path"] for each in told] == [path], (marker, path, found)
                gone = re.sub(r"_v\d+_", "_v0_", marker)
                others = await asyncio.to_thread(self.surveyor.search, gone, folder)
                for each in others["results"]:
                    assert (folder / each["path"]).is_file(), each["path"]
                    for word in re.findall(r"work_\w+", each["snippet"]):
                        assert word in (folder / each["path"]).read_text(), (word, each["path"])
                self.checked += 1 + len(others["results"])
        rules = (await self.run("memory", "list", "--json")).stdout
        libraries = json.loads((await self.run("library", "list", "--json")).stdout)["libraries"]
        assert not {each for each in self.rules if f'"{each}"' not in rules}
        stored = {each["name"]: each["documents"] for each in libraries}
        assert stored.get("day", 0) == len(self.documents), stored
        self.uses.append(await asyncio.to_thread(self.use))

    def use(self) -> Use:
        """Of the engine, once its workers have nothing to do."""
        pid = self.surveyor.engine_pid()
        assert pid is not None
        engine = psutil.Process(pid)
        memory = int(self.surveyor.json("status")["anonymous_bytes"])
        known = EDITORS + AGENTS
        processes = len(self.surveyor.processes()) - known
        return Use(engine.num_fds(), engine.num_threads(), memory, processes)

    def indexed(self, folder: Path) -> set[str]:
        """The modules of a project that its index has."""
        address = f"file:{self.surveyor.data / 'state.db'}?mode=ro"
        with closing(sqlite3.connect(address, uri=True)) as state:
            rows = state.execute(
                "SELECT f.path FROM files f JOIN checkouts USING (checkout_id)"
                " WHERE root = ? AND f.path LIKE 'pkg/%' AND f.status = 'indexed'",
                (str(folder.resolve()),),
            )
            return {path for (path,) in rows}

    # --- means ----------------------------------------------------------------------------------

    def folder(self) -> Path:
        return self.chance.choice(self.folders)

    def file(self, folder: Path) -> Path:
        return folder / "pkg" / f"module_{self.chance.randrange(FILES)}.py"

    def text(self, path: Path) -> str:
        """A text that no file has had: each name in it is of this version only."""
        self.version += 1
        stem = path.stem.removeprefix("module_")
        return f'"""Module {stem}."""\n\n\n' + "\n\n".join(
            f"def work_{stem}_v{self.version}_{i}(value):\n"
            f'    """Work {i} of module {stem}."""\n    return value * {i}\n'
            for i in range(4)
        )

    async def run(self, *arguments: str, **options: Any) -> Any:
        return await asyncio.to_thread(self.surveyor.run, *arguments, **options)


WORK: list[tuple[int, Callable[[Day], Any]]] = [
    (30, Day.edit), (15, Day.save), (4, Day.remove), (6, Day.switch), (20, Day.ask), (10, Day.note),
    (3, Day.settings), (2, Day.clock), (3, Day.reindex), (2, Day.reindex_and_leave), (3, Day.kill),
    (1, Day.stop),
]  # fmt: skip
"""What is done, and how often."""


async def begin(surveyor: Product, scratch: Path) -> Day:
    day = Day(surveyor, scratch, random.Random(SEED))
    for number in range(PROJECTS):
        files = {}
        for each in range(FILES):
            path = Path(f"pkg/module_{each}.py")
            files[str(path)] = day.text(path)
        day.folders.append(repository(scratch / f"project_{number}", files).resolve())
        await day.run("index", str(day.folders[-1]))
    for number in range(EDITORS):
        day.editors.append(await RawEditor.start(surveyor.data, env=surveyor.environment))
        await day.editors[-1].initialize(day.folders[number % PROJECTS])
    for number in range(AGENTS):
        folder = day.folders[number % PROJECTS]
        agent = await asyncio.to_thread(Agent, surveyor, folder, f"work of module {number}", 1.0)
        agent.start()
        day.agents.append(agent)
    return day


@pytest.mark.slow
@pytest.mark.timeout(1200 + 120 * MINUTES)
async def test_a_day_s_work_loses_nothing_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(CLOCK)
    (tmp_path / "clock").write_text("0")
    (tmp_path / "home").mkdir()
    with product(
        tmp_path / "home",
        PYTHONPATH=os.pathsep.join((str(tmp_path / "site"), str(SERVER))),
        TEST_CLOCK=str(tmp_path / "clock"),
    ) as surveyor:
        day = await begin(surveyor, tmp_path)
        try:
            until_s = time.monotonic() + 60 * MINUTES
            weights = [weight for weight, _ in WORK]
            while time.monotonic() < until_s:
                for _ in range(SETTLE_EVERY):
                    ((_, work),) = day.chance.choices(WORK, weights)
                    await work(day)
                    day.done[work.__name__] += 1
                await day.settle()
        finally:
            for agent in day.agents:
                await asyncio.to_thread(agent.close)
            for editor in day.editors:
                await editor.close()
        said = [each for agent in day.agents for each in agent.said]
        errors = Counter(each.error for each in said if each.error)
        third = max(1, len(day.uses) // 3)
        sys.stderr.write(
            f"\n{MINUTES:g} minutes, seed {SEED}: {dict(day.done)}, {len(said)} searches of agents,"
            f" {day.checked} answers checked, {len(day.rules)} rules, {len(day.documents)}"
            f" documents; first {day.uses[0]}, last {day.uses[-1]}; errors: {dict(errors)}\n"
        )
        assert all("call again" in error for error in errors), errors
        assert not [each for each in said if each.status == "healthy" and not each.paths]
        for name, more in GROWS.items():
            first = max(getattr(use, name) for use in day.uses[:third])
            last = min(getattr(use, name) for use in day.uses[-third:])
            assert last <= first + more, (name, day.uses)
        for folder in day.folders:
            (folder / "surveyor.toml").unlink(missing_ok=True)
        until(lambda: surveyor.run("doctor", "--no-measure", check=False).returncode == 0)
        log = (surveyor.data / "logs" / "engine.log").read_text(errors="replace")
        assert "Traceback" not in log, log[log.index("Traceback") - 500 :][:3000]
        surveyor.run("engine", "stop")
        with suppress(AssertionError):
            until(lambda: not surveyor.processes(), 20)
        assert not [each.cmdline() for each in surveyor.processes()]
