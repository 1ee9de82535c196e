"""A state with one small project in it, and what groups of operations are given in place of the
parts of an engine."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar

import pytest

from surveyor.engine.projects.checkouts import Checkout
from surveyor.errors import NotFoundError
from surveyor.protocol.base import Freshness
from surveyor.store.state import State
from surveyor.store.vectors.contract import Space

T = TypeVar("T")

SOURCE = "def pay(amount):\n    return amount\n"
PROJECT_ID, CHECKOUT_ID = "p1", "c1"


def checkout_at(root: Path | str, checkout_id: str = CHECKOUT_ID, **fields: Any) -> Checkout:
    """A registered folder that is watched and in order."""
    given: dict[str, Any] = {
        "project_id": PROJECT_ID,
        "name": Path(root).name,
        "branch": "main",
        "parent_checkout_id": None,
        "watched": True,
        "active": False,
        "paused": False,
        "revision": 1,
        "last_scan": None,
        "missing_since": None,
        **fields,
    }
    return Checkout(checkout_id=checkout_id, root=str(root), **given)


class Folders:
    """The registered folders, in place of the registry: by name, root, or a folder below one."""

    def __init__(self, *checkouts: Checkout) -> None:
        self.known = list(checkouts)
        self.fresh = Freshness(revision=1)

    async def all(self) -> list[Checkout]:
        return self.known

    async def get(self, checkout_id: str) -> Checkout:
        return next(each for each in self.known if each.checkout_id == checkout_id)

    async def current(self, checkout: Checkout) -> Checkout:
        return checkout

    async def register(self, path: str, **how: bool) -> Checkout:
        self.known.append(checkout_at(path, f"c{len(self.known) + 1}"))
        return self.known[-1]

    async def resolve(self, cwd: str | None = None, project: str | None = None) -> Checkout:
        for each in self.known:
            if project in (each.name, each.root) or (
                project is None and cwd and Path(cwd).is_relative_to(each.root)
            ):
                return each
        raise NotFoundError(f"no project at {project or cwd}")

    async def freshness(self, checkout: Checkout) -> Freshness:
        return self.fresh


class Buffers:
    """Unsaved buffers by path, in place of those of editors."""

    def __init__(self) -> None:
        self.shown: dict[str, tuple[str, int]] = {}

    def of(self, checkout_id: str) -> Sequence[Any]:
        return [SimpleNamespace(path=path) for path in self.shown]

    def text(self, checkout_id: str, path: str) -> tuple[str, int] | None:
        return self.shown.get(path)

    def chunk(self, checkout_id: str, chunk_id: str) -> None:
        return None

    async def show(self, owner: str, checkout: Checkout, path: str, v: int, text: str) -> None:
        self.shown[path] = (text, v)

    def hide(self, owner: str, checkout: Checkout, path: str) -> None:
        self.shown.pop(path, None)


class Background:
    """What was begun beside the answer."""

    def __init__(self) -> None:
        self.tasks: list[asyncio.Task[Any]] = []

    def __call__(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = asyncio.ensure_future(work)
        self.tasks.append(task)
        return task

    async def done(self) -> None:
        await asyncio.gather(*self.tasks)


def space_of(project_id: str) -> Space:
    return Space("projects", project_id, "model", 4)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    (folder / "net").mkdir(parents=True)
    (folder / "pay.py").write_text(SOURCE)
    (folder / "net" / "retry.py").write_text(SOURCE)
    (folder / ".env").write_text("KEY=1")
    return folder


@pytest.fixture
def folders(root: Path) -> Folders:
    return Folders(checkout_at(root))


@pytest.fixture
async def state(tmp_path: Path, root: Path) -> AsyncIterator[State]:
    """Two indexed files of one chunk each, and one that is left out."""
    opened = await State.open(tmp_path / "state.db")
    async with opened.transaction() as tx:
        await tx.execute("INSERT INTO projects (project_id, name) VALUES ('p1', 'shop')")
        await tx.execute(
            "INSERT INTO checkouts (checkout_id, project_id, root, revision) VALUES (?, ?, ?, 7)",
            (CHECKOUT_ID, PROJECT_ID, str(root)),
        )
        for number, path in enumerate(("pay.py", "net/retry.py"), 1):
            key = bytes([number])
            await tx.execute(
                """INSERT INTO documents
                   (doc_id, project_id, path, content_hash, language, file_type, version)
                   VALUES (?, 'p1', ?, ?, 'python', 'code', 'v1')""",
                (number, path, key),
            )
            await tx.execute(
                """INSERT INTO files (checkout_id, path, size, mtime_ns, doc_id, status)
                   VALUES ('c1', ?, 1, 1, ?, 'indexed')""",
                (path, number),
            )
            await tx.execute(
                """INSERT INTO chunks (doc_id, ordinal, point_id, text_hash, kind, start_line,
                   end_line, symbol_name, kinds)
                   VALUES (?, 0, ?, ?, 'function', 1, 2, 'pay', '["function"]')""",
                (number, f"chunk{number}", key),
            )
            await tx.execute("INSERT INTO texts (text_hash, text) VALUES (?, ?)", (key, SOURCE))
        await tx.execute(
            """INSERT INTO files (checkout_id, path, size, mtime_ns, status, reason)
               VALUES ('c1', '.env', 1, 1, 'skipped', 'secret')"""
        )
        await tx.execute(
            """INSERT INTO branch_files (project_id, branch, path, doc_id)
               VALUES ('p1', 'topic', 'pay.py', 1)"""
        )
    yield opened
    await opened.close()
