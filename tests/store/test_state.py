"""state.db: what an earlier version wrote, and a disk without room."""

import sqlite3
from pathlib import Path

import pytest

from surveyor.store.state import State
from surveyor.store.state.database import StateFullError, migrations


def made_by(path: Path, last: int) -> sqlite3.Connection:
    """A state.db as a version that knew the migrations up to `last` left it."""
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE schema_version (version INTEGER PRIMARY KEY, applied_at TEXT)")
    for number, script in sorted(migrations().items()):
        if number <= last:
            connection.executescript(script)
            connection.execute("INSERT INTO schema_version (version) VALUES (?)", (number,))
    return connection


async def test_texts_and_vectors_of_an_earlier_version_are_there(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    before = made_by(path, 7)
    texts = [(bytes([n]) * 16, f"text {n}") for n in range(50)]
    vectors = [(model, text_hash, b"v" + text_hash) for model in "ab" for text_hash, _ in texts]
    before.executemany("INSERT INTO texts (text_hash, text) VALUES (?, ?)", texts)
    before.executemany("INSERT INTO vectors (model, text_hash, dense) VALUES (?, ?, ?)", vectors)
    before.commit()
    before.close()
    state = await State.open(path)
    try:
        rows = await state.read("SELECT text_hash, text FROM texts")
        assert sorted(map(tuple, rows)) == texts
        rows = await state.read("SELECT model, text_hash, dense FROM vectors")
        assert sorted(map(tuple, rows)) == sorted(vectors)
        async with state.transaction() as tx:
            await tx.many("INSERT OR IGNORE INTO texts (text_hash, text) VALUES (?, ?)", texts)
        assert await state.value("SELECT count(*) FROM texts") == len(texts)
    finally:
        await state.close()


async def test_a_disk_without_room_undoes_a_transaction_and_the_next_may_have_it(
    tmp_path: Path,
) -> None:
    state = await State.open(tmp_path / "state.db")
    told = []
    state.on_full = lambda: told.append(True)

    async def limit(pages: int) -> None:
        async with state.transaction() as tx:
            await tx.read(f"PRAGMA max_page_count = {pages}")

    async def write(rows: int) -> None:
        async with state.transaction() as tx:
            await tx.many(
                "INSERT INTO texts (text_hash, text) VALUES (?, ?)",
                [(f"{n}".encode(), "long" * 1000) for n in range(rows)],
            )

    try:
        await limit(1)  # what there is and no more
        with pytest.raises(StateFullError, match="disk is full"):
            await write(1000)
        assert told == [True]
        assert await state.value("SELECT count(*) FROM texts") == 0
        await limit(1 << 30)
        await write(1000)
        assert await state.value("SELECT count(*) FROM texts") == 1000
    finally:
        await state.close()
