"""state.db: what an earlier version wrote, and a disk without room."""

import asyncio
import sqlite3
from pathlib import Path

import pytest

from surveyor.engine.repair import repair_state
from surveyor.store.state import State, StateError
from surveyor.store.state.changes import changes_catalog
from surveyor.store.state.database import StateFullError, migrations
from surveyor.store.state.spare import spare_of


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


async def written(path: Path, **roots: str) -> State:
    state = await State.open(path)
    async with state.transaction() as tx:
        for name, root in roots.items():
            await tx.execute("INSERT INTO projects (project_id, name) VALUES (?, ?)", (name, name))
            await tx.execute(
                "INSERT INTO checkouts (checkout_id, project_id, root) VALUES (?, ?, ?)",
                (name, name, root),
            )
    return state


async def test_a_spare_copy_is_replaced_when_what_it_holds_has_changed(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    state = await written(path, one="/one")
    try:
        await state.keep_spare()
        made = spare_of(path).stat().st_ino
        async with state.transaction() as tx:
            await tx.execute("INSERT INTO texts (text_hash, text) VALUES (x'00', 'derived')")
            await tx.execute("UPDATE checkouts SET revision = revision + 1")
        await state.keep_spare()
        assert spare_of(path).stat().st_ino == made, "an index run writes nothing new"
        async with state.transaction() as tx:
            await tx.execute("UPDATE checkouts SET watched = 0")
        await state.keep_spare()
        assert spare_of(path).stat().st_ino != made
    finally:
        await state.close()


async def test_a_state_that_was_emptied_is_not_begun_anew(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    await (await written(path, one="/one")).close()
    path.write_bytes(b"")
    with pytest.raises(StateError, match="damaged"):
        await State.open(path)


async def test_rows_before_and_behind_the_damage_and_of_the_spare_are_saved(
    tmp_path: Path,
) -> None:
    path = tmp_path / "state.db"
    roots = {f"p{n:03}": f"/{n}/{'long' * 100}" for n in range(200)}
    state = await written(path, **dict(list(roots.items())[:120]))
    await state.keep_spare()
    spare = spare_of(path).read_bytes()
    await state.close()
    await (await written(path, **dict(list(roots.items())[120:]))).close()
    spare_of(path).write_bytes(spare)  # the last minute's changes are not in it
    content = bytearray(path.read_bytes())
    for start in range(0, len(content), 4096):  # the row's page, and its index's
        if b"/40/long" in content[start : start + 4096]:
            content[start : start + 4096] = b"\xa5" * 4096
    path.write_bytes(content)
    found = await asyncio.to_thread(repair_state, tmp_path)
    assert found.repaired
    state = await State.open(path)
    try:
        rows = await state.read("SELECT project_id, root FROM checkouts")
        assert dict(map(tuple, rows)) == roots
    finally:
        await state.close()


@pytest.mark.parametrize(
    ("sql", "changes"),
    [
        ("INSERT INTO files (path) VALUES (?)", True),
        ("  insert or ignore into\n documents (path) VALUES (?)", True),
        ("REPLACE INTO chunks VALUES (?)", True),
        ("UPDATE OR REPLACE files SET checkout_id = ?", True),
        ("UPDATE chunks SET start_line = 2", True),
        ("DELETE FROM chunks WHERE doc_id = ? RETURNING point_id", True),
        ("DELETE FROM checkouts WHERE checkout_id = ?", True),
        ("WITH old AS (SELECT 1) DELETE FROM files", True),
        ("UPDATE checkouts SET revision = revision + 1", False),
        ("INSERT INTO graph_files SELECT * FROM files", False),
        ("DELETE FROM graph_documents WHERE doc_id NOT IN (SELECT doc_id FROM documents)", False),
        ("SELECT doc_id FROM files", False),
        ("DELETE FROM texts", False),
    ],
)
def test_statements_that_change_the_catalog(sql: str, changes: bool) -> None:
    assert changes_catalog(sql) is changes
