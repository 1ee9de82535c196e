"""Rows kept in memory: never other than what SQLite would say now, whatever was written."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from surveyor.parsing.hashing import digest
from surveyor.search import row_cache as module
from surveyor.search.row_cache import RowCache
from surveyor.search.scope import SearchTarget
from surveyor.store.chunk_row import Row
from surveyor.store.state import State, Transaction
from surveyor.store.state.documents import drop_unused
from surveyor.store.state.searched_chunks import chunks_at
from surveyor.store.vectors.contract import Space

SPACE = Space("projects", "p", "m", 4)
PLACES = [SearchTarget(name, "p", f"/{name}", name, None, SPACE) for name in ("c", "d")]
DEADLINE_S = 60.0


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "QUIET_S", 0.01)
    monkeypatch.setattr(module, "FIRST_S", 0.01)


@dataclass
class Kept:
    """A state with two checkouts of one project, and what is kept of it."""

    state: State
    rows: RowCache

    async def of(self, place: SearchTarget) -> dict[str, Row]:
        """What is kept, once it is."""
        async with asyncio.timeout(DEADLINE_S):
            while (rows := self.rows.of(place)) is None:
                await asyncio.sleep(0.005)
        return rows

    async def stored(self, place: SearchTarget) -> dict[str, Row]:
        """What SQLite says."""
        ids = [str(row[0]) for row in await self.state.read("SELECT point_id FROM chunks")]
        rows = await chunks_at(self.state, place, ids, kinds=True)
        return {row.point_id: row for row in rows}

    async def agree(self) -> None:
        """Both say the same of both checkouts."""
        for place in PLACES:
            kept, stored = await self.of(place), await self.stored(place)
            assert plain(kept) == plain(stored)


def plain(rows: dict[str, Row]) -> dict[str, object]:
    return {point: msgspec.to_builtins(row) for point, row in rows.items()}


@asynccontextmanager
async def opened(path: Path) -> AsyncIterator[Kept]:
    state = await State.open(path)
    tasks: set[asyncio.Task[None]] = set()

    def spawn(work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        tasks.add(task)
        return task

    async with state.transaction() as tx:
        await tx.execute("INSERT INTO projects (project_id, name) VALUES ('p', 'r')")
        for place in PLACES:
            await tx.execute(
                "INSERT INTO checkouts (checkout_id, project_id, root) VALUES (?, 'p', ?)",
                (place.checkout_id, place.root),
            )
    try:
        yield Kept(state, RowCache(state, spawn))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await state.close()


@pytest.fixture
async def kept(tmp_path: Path) -> AsyncIterator[Kept]:
    async with opened(tmp_path / "state.db") as made:
        yield made


async def write(tx: Transaction, checkout: str, path: str, text: str, chunks: int) -> None:
    """A file's new content: another document with its chunks, which keep their points."""
    content = digest(text.encode())
    found = await tx.read(
        "SELECT doc_id FROM documents WHERE path = ? AND content_hash = ?", (path, content)
    )
    if found:
        doc_id = int(found[0][0])
    else:
        doc_id = await tx.insert(
            "INSERT INTO documents (project_id, path, content_hash, language, file_type, version)"
            " VALUES ('p', ?, ?, 'python', 'code', 'v')",
            (path, content),
        )
        await add_chunks(tx, doc_id, path, text, chunks)
    before = await tx.read(
        "SELECT doc_id FROM files WHERE checkout_id = ? AND path = ?", (checkout, path)
    )
    await tx.execute(
        "INSERT INTO files (checkout_id, path, size, mtime_ns, doc_id, status)"
        " VALUES (?, ?, 1, 1, ?, 'indexed') ON CONFLICT (checkout_id, path)"
        " DO UPDATE SET doc_id = excluded.doc_id",
        (checkout, path, doc_id),
    )
    await drop_unused(tx, [int(row[0]) for row in before])


async def add_chunks(tx: Transaction, doc_id: int, path: str, text: str, chunks: int) -> None:
    await tx.many(
        "INSERT INTO chunks (doc_id, ordinal, point_id, text_hash, kind, start_line, end_line,"
        " symbols, kinds, symbol_name) VALUES (?, ?, ?, x'00', 'function', ?, ?, ?, ?, ?)",
        [
            (doc_id, n, f"{path}#{n}", n + len(text), n + 9, f'["{text}", "s{n}"]', '["function"]',
             f"{text}{n}")
            for n in range(chunks)
        ],
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
async def test_whatever_is_written_they_say_what_sqlite_says(kept: Kept, seed: int) -> None:
    chance = random.Random(seed)
    for step in range(25):
        before = kept.state.catalog_version
        async with kept.state.transaction() as tx:
            for _ in range(chance.randrange(1, 4)):
                checkout = chance.choice("cd")
                path = f"{chance.randrange(6)}.py"
                what = chance.randrange(6)
                if what < 3:
                    text = f"t{chance.randrange(step + 1)}"
                    await write(tx, checkout, path, text, chance.randrange(5))
                elif what == 3:
                    gone = await tx.read(
                        "DELETE FROM files WHERE checkout_id = ? AND path = ? RETURNING doc_id",
                        (checkout, path),
                    )
                    await drop_unused(tx, [int(row[0]) for row in gone])
                elif what == 4:  # another version of the grammars makes other chunks of it
                    rows = await tx.read("SELECT doc_id FROM documents WHERE path = ?", (path,))
                    for row in rows:
                        await tx.execute("DELETE FROM chunks WHERE doc_id = ?", (row[0],))
                        await add_chunks(tx, row[0], path, f"v{step}", chance.randrange(5))
                        await tx.execute(
                            "UPDATE documents SET version = ? WHERE doc_id = ?", (step, row[0])
                        )
                else:
                    await tx.execute("UPDATE documents SET is_reexport = 1 WHERE path = ?", (path,))
        if before != kept.state.catalog_version:
            assert all(kept.rows.of(place) is None for place in PLACES), "nothing from before shows"
        if chance.random() < 0.7:
            await kept.agree()
    await kept.agree()


async def test_nothing_is_said_while_a_transaction_is_open_nor_kept_of_one_undone(
    kept: Kept,
) -> None:
    async with kept.state.transaction() as tx:
        await write(tx, "c", "a.py", "one", 3)
    await kept.agree()
    with pytest.raises(ZeroDivisionError):
        async with kept.state.transaction() as tx:
            assert kept.rows.of(PLACES[0]) is not None, "nothing has been written yet"
            await tx.execute("DELETE FROM files")
            assert kept.rows.of(PLACES[0]) is None
            raise ZeroDivisionError
    assert len(await kept.of(PLACES[0])) == 3
    await kept.agree()


async def test_what_does_not_change_the_catalog_costs_nothing(kept: Kept) -> None:
    async with kept.state.transaction() as tx:
        await write(tx, "c", "a.py", "one", 3)
    rows = await kept.of(PLACES[0])
    async with kept.state.transaction() as tx:
        await tx.execute("UPDATE checkouts SET active = 1")
        await tx.execute("INSERT INTO settings (key, value) VALUES ('a', 'files')")
        await tx.execute("DELETE FROM graph_files")
        await tx.read("SELECT * FROM files")
    assert kept.rows.of(PLACES[0]) is rows


async def test_each_checkout_has_its_own_and_a_branch_has_none(kept: Kept) -> None:
    async with kept.state.transaction() as tx:
        await write(tx, "c", "a.py", "one", 2)
        await write(tx, "d", "a.py", "other", 3)
    assert {row.symbol_name for row in (await kept.of(PLACES[0])).values()} == {"one0", "one1"}
    assert len(await kept.of(PLACES[1])) == 3
    assert kept.rows.of(replace(PLACES[0], other_branch="main")) is None


async def test_few_are_kept_those_searched_last(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_ROWS", 10)
    monkeypatch.setattr(module, "RECENT_S", 0.0)
    async with kept.state.transaction() as tx:
        await write(tx, "c", "a.py", "one", 6)
        await write(tx, "d", "a.py", "other", 6)
    await kept.of(PLACES[0])
    await kept.of(PLACES[1])
    assert kept.rows.of(PLACES[0]) is None, "both are too many"
    await kept.of(PLACES[0])
    async with kept.state.transaction() as tx:
        await write(tx, "c", "b.py", "more", 6)
    kept.rows.prepare("c")
    await kept.of(PLACES[1])
    await kept.rows.settled()
    assert kept.rows.of(PLACES[0]) is None, "too many by itself"
    assert kept.rows.of(PLACES[1]) is not None


async def test_what_is_in_use_is_not_let_go_for_another(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_ROWS", 10)
    async with kept.state.transaction() as tx:
        await write(tx, "c", "a.py", "one", 6)
        await write(tx, "d", "a.py", "other", 6)
    for place in PLACES[:2]:  # at once: the second finds the first's rows on their way
        assert kept.rows.of(place) is None
    await kept.rows.settled()
    held = [place for place in PLACES[:2] if kept.rows.of(place) is not None]
    assert len(held) == 1, "the one whose documents were read first"
    (other,) = (place for place in PLACES[:2] if place not in held)
    assert kept.rows.of(other) is None
    await kept.rows.settled()
    assert kept.rows.of(held[0]) is not None, "nobody reads the other again and again"
