"""state.db: what an earlier version wrote, and a disk without room."""

import asyncio
import shutil
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from surveyor.engine.process.repair import repair_state
from surveyor.store.state import (
    State,
    StateError,
    Transaction,
    compacting,
    database,
    documents,
    files,
    settings,
)
from surveyor.store.state.change_counter import changes_catalog
from surveyor.store.state.content_digests import find_damage
from surveyor.store.state.database import StateFullError, migrations
from surveyor.store.state.question_threads import aside
from surveyor.store.state.second_copy import SecondCopy, open_copy, spare_of
from surveyor.store.state.sql_lists import is_point


def made_by(path: Path, last: int) -> sqlite3.Connection:
    """A state.db as a version that knew the migrations up to `last` left it."""
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE schema_version (version INTEGER PRIMARY KEY, applied_at TEXT)")
    for number, script in sorted(migrations().items()):
        if number <= last:
            connection.executescript(script)
            connection.execute("INSERT INTO schema_version (version) VALUES (?)", (number,))
    return connection


def test_each_migration_has_a_number_of_its_own() -> None:
    folder = Path(database.__file__).parent / "migrations"
    numbers = sorted(int(script.name[:4]) for script in folder.glob("*.sql"))
    assert numbers == list(range(1, len(numbers) + 1)) == sorted(migrations())


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


async def test_documents_of_an_earlier_version_are_labelled_where_they_are(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    before = made_by(path, 9)
    before.execute("INSERT INTO projects (project_id, name) VALUES ('p', 'p')")
    of_document = "INSERT INTO documents (project_id, path, content_hash, file_type, version)"
    for name in ("tests/test_pay.py", "src/pay.py"):
        before.execute(f"{of_document} VALUES ('p', ?, x'00', 'code', '1')", (name,))
    before.commit()
    before.close()
    labels = "SELECT path, labels, version FROM documents ORDER BY path"
    for _ in range(2):
        state = await State.open(path)
        try:
            rows = [tuple(row) for row in await state.read(labels)]
            assert rows == [("src/pay.py", "", "1"), ("tests/test_pay.py", "tests", "1")]
        finally:
            await state.close()
    with closing(sqlite3.connect(path)) as other:  # a version that labels otherwise
        other.executescript("UPDATE documents SET labels = 'docs'; PRAGMA user_version = 999")
    state = await State.open(path)
    try:
        assert [row[1] for row in await state.read(labels)] == ["", "tests"]
    finally:
        await state.close()


async def test_a_disk_without_room_undoes_a_transaction_and_the_next_may_have_it(
    tmp_path: Path,
) -> None:
    told = []
    state = await State.open(tmp_path / "state.db", on_full=lambda: told.append(True))

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


def copied(path: Path) -> dict[str, bytes]:
    """Rows of the second copy, by key."""
    with closing(open_copy(spare_of(path))) as copy:
        return dict(copy.execute("SELECT tbl || key, data FROM kept WHERE data IS NOT NULL"))


async def test_a_long_log_is_given_back_unless_somebody_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "LEFT_LOG_BYTES", 4096)
    state = await State.open(tmp_path / "state.db")
    log = tmp_path / "state.db-wal"
    try:
        async with state.transaction() as tx:
            await tx.execute("INSERT INTO settings (key, value) VALUES ('a', '1')")
        with closing(sqlite3.connect(tmp_path / "state.db", isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT * FROM settings").fetchall()
            async with state.transaction() as tx:
                await tx.execute("INSERT INTO settings (key, value) VALUES ('b', '2')")
            await state.shorten_log()
            assert log.stat().st_size > 4096
        await state.shorten_log()
        assert log.stat().st_size == 0
        rows = await state.read("SELECT key FROM settings ORDER BY key")
        assert [row[0] for row in rows] == ["a", "b"]
    finally:
        await state.close()


async def test_whoever_is_cancelled_while_it_begins_leaves_no_transaction_open(
    tmp_path: Path,
) -> None:
    state = await State.open(tmp_path / "state.db")

    async def write() -> None:
        async with state.transaction() as tx:
            await tx.execute("INSERT INTO settings (key, value) VALUES ('lost', '1')")

    try:
        for turns in range(6):
            writing = asyncio.create_task(write())
            for _ in range(turns):
                await asyncio.sleep(0)
            writing.cancel()
            await asyncio.gather(writing, return_exceptions=True)
            async with state.transaction() as tx:
                await tx.execute("DELETE FROM settings")
    finally:
        await state.close()


async def test_the_second_copy_has_what_was_stored_before_it_is_answered(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    state = await written(path, one="/one")
    try:
        before = copied(path)
        assert 'projects["one"]' in before and 'checkouts["one"]' in before
        async with state.transaction() as tx:
            await tx.execute("INSERT INTO texts (text_hash, text) VALUES (x'00', 'derived')")
            await tx.execute("UPDATE checkouts SET revision = revision + 1")
        assert copied(path) == before, "an index run writes nothing new"
        async with state.transaction() as tx:
            await add_rule(tx, "kept")
        assert b"Use uv" in copied(path)['rules["kept"]']
        with pytest.raises(ZeroDivisionError):
            async with state.transaction() as tx:
                await add_rule(tx, "never")
                raise ZeroDivisionError
        assert 'rules["never"]' not in copied(path)
        async with state.transaction() as tx:
            await tx.execute("DELETE FROM rules")
        assert 'rules["kept"]' not in copied(path)
    finally:
        await state.close()


async def add_rule(tx: Transaction, name: str, content: str = "Use uv") -> None:
    await tx.execute(
        "INSERT INTO rules (rule_id, label, content, created_at, updated_at)"
        " VALUES (?, ?, ?, 1, 1)",
        (name, name, content),
    )


async def rules(path: Path) -> dict[str, str]:
    state = await State.open(path)
    try:
        return dict(map(tuple, await state.read("SELECT rule_id, content FROM rules")))
    finally:
        await state.close()


async def stored(path: Path, *names: str) -> None:
    state = await State.open(path)
    async with state.transaction() as tx:
        for name in names:
            await add_rule(tx, name, f"Use {name} everywhere")
    await state.close()


async def test_a_transaction_lost_by_the_state_is_in_the_copy(tmp_path: Path) -> None:
    """As after a kill between the two, or a power cut: the copy is written first, and synced."""
    path = tmp_path / "state.db"
    await stored(path, "first")
    old = path.read_bytes()
    await stored(path, "second")
    path.write_bytes(old)
    assert (await rules(path)).keys() == {"first", "second"}


async def test_a_flipped_byte_in_a_page_is_found_and_mended(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    await stored(path, "first", "second")
    flip(path, b"first everywhere")
    assert find_damage(path).kept == [("rules", '["first"]')]
    (found,) = await asyncio.to_thread(repair_state, tmp_path)
    assert found.repaired and "brought back: 1 rule; not brought back: nothing" in found.message
    assert (await rules(path))["first"] == "Use first everywhere"
    assert not find_damage(path)


async def test_what_both_have_lost_is_named(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    await stored(path, "first", "second")
    flip(path, b"first everywhere")
    flip(spare_of(path), b"first everywhere")
    (found,) = await asyncio.to_thread(repair_state, tmp_path)
    assert 'not brought back: rule ["first"]' in found.message
    assert (await rules(path))["second"] == "Use second everywhere"


def flip(path: Path, text: bytes) -> None:
    content = bytearray(path.read_bytes())
    assert text in content
    while (at := content.find(text)) >= 0:
        content[at] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize("harm", ["removed", "rubbish", "cut", "flipped"])
async def test_a_damaged_copy_is_made_again(tmp_path: Path, harm: str) -> None:
    path, copy = tmp_path / "state.db", spare_of(tmp_path / "state.db")
    await stored(path, "first")
    if harm == "removed":
        copy.unlink()
    elif harm == "rubbish":
        copy.write_bytes(b"this is no database" * 1000)
    elif harm == "cut":
        copy.write_bytes(copy.read_bytes()[:5000])
    else:
        flip(copy, b"first everywhere")
    await stored(path, "second")
    if harm == "flipped":
        assert "not what was written" in SecondCopy(path).problem()
        state = await State.open(path)
        await state.make_spare_anew()
        await state.close()
    assert SecondCopy(path).problem() == ""
    assert {'rules["first"]', 'rules["second"]'} <= copied(path).keys()


async def test_a_torn_copy_keeps_what_was_whole(tmp_path: Path) -> None:
    path, copy = tmp_path / "state.db", spare_of(tmp_path / "state.db")
    state = await State.open(path)
    async with state.transaction() as tx:
        await add_rule(tx, "first")
    torn = tmp_path / "torn"
    shutil.copytree(tmp_path, torn)
    log = torn / f"{copy.name}-wal"
    log.write_bytes(log.read_bytes()[:-100])
    await state.close()
    assert await rules(torn / "state.db") == {"first": "Use uv"}
    assert SecondCopy(torn / "state.db").problem() == ""


async def test_a_copy_of_an_earlier_version_is_replaced_or_read(tmp_path: Path) -> None:
    path, copy = tmp_path / "state.db", spare_of(tmp_path / "state.db")
    await stored(path, "first")
    copy.unlink()
    with closing(sqlite3.connect(copy)) as old:
        old.execute("CREATE TABLE rules (rule_id, label, title, content, created_at, updated_at)")
        old.execute("INSERT INTO rules VALUES ('old', 'old', '', 'Use old', 1, 1)")
        old.commit()
    damaged = tmp_path / "damaged"
    shutil.copytree(tmp_path, damaged)
    assert (await rules(path)).keys() == {"first"}
    assert 'rules["first"]' in copied(path)
    (damaged / "state.db").write_bytes(b"no database" * 1000)
    await asyncio.to_thread(repair_state, damaged)
    assert (await rules(damaged / "state.db")) == {"old": "Use old"}


async def test_a_state_that_was_emptied_is_not_begun_anew(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    await (await written(path, one="/one")).close()
    path.write_bytes(b"")
    with pytest.raises(StateError, match="damaged"):
        await State.open(path)


def test_a_write_that_a_quota_refuses_is_no_damage(tmp_path: Path) -> None:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR_WRITE
    said = database._unusable(tmp_path / "state.db", error)
    assert "No space left" in said.message and "Free some" in said.hint
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR_READ
    assert "damaged" in database._unusable(tmp_path / "state.db", error).message


async def test_rows_before_and_behind_the_damage_and_of_the_spare_are_saved(
    tmp_path: Path,
) -> None:
    path = tmp_path / "state.db"
    roots = {f"p{n:03}": f"/{n}/{'long' * 100}" for n in range(200)}
    state = await written(path, **dict(list(roots.items())[:120]))
    await state.close()
    spare = spare_of(path).read_bytes()
    await (await written(path, **dict(list(roots.items())[120:]))).close()
    spare_of(path).write_bytes(spare)  # the last minute's changes are not in it
    content = bytearray(path.read_bytes())
    for start in range(0, len(content), 4096):  # the row's page, and its index's
        if b"/40/long" in content[start : start + 4096]:
            content[start : start + 4096] = b"\xa5" * 4096
    path.write_bytes(content)
    (found,) = await asyncio.to_thread(repair_state, tmp_path)
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
        ("DELETE FROM document_texts", True),
        ("DELETE FROM texts WHERE text_hash = ?", True),
        ("INSERT INTO symbols SELECT * FROM json_each(?)", True),
        ("DELETE FROM symbol_uses", False),
    ],
)
def test_statements_that_change_the_catalog(sql: str, changes: bool) -> None:
    assert changes_catalog(sql) is changes


async def test_a_question_of_many_queries_is_answered_in_one_thread(tmp_path: Path) -> None:
    state = await State.open(tmp_path / "state.db")
    threads = set()

    async def question(wait_s: float | None = None) -> list[int]:
        found = []
        for number in range(3):
            found.append(await state.value("SELECT ?", (number,)))
            threads.add(await aside(threading.get_ident))
        if wait_s is not None:
            await asyncio.sleep(wait_s)
        return found

    try:
        assert await state.in_one_thread(question()) == [0, 1, 2]
        assert len(threads) == 1 and threading.get_ident() not in threads
        with pytest.raises(sqlite3.OperationalError, match="no such table"):
            await state.in_one_thread(state.value("SELECT * FROM nowhere"))
        with pytest.raises(RuntimeError):
            await state.in_one_thread(question(0.001))
        assert await question() == [0, 1, 2]  # on the loop it is as it was
    finally:
        await state.close()


async def test_a_long_question_holds_up_no_other(tmp_path: Path) -> None:
    state = await State.open(tmp_path / "state.db")
    endless = """WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1e6)
        SELECT max(i) FROM n"""
    ended: list[str] = []

    async def ask(name: str, sql: str) -> None:
        await state.read(sql)
        ended.append(name)

    async with asyncio.TaskGroup() as group:
        group.create_task(ask("long", endless))
        await asyncio.sleep(0)
        group.create_task(ask("short", "SELECT 1"))
    assert ended == ["short", "long"]
    async with state.transaction() as tx:
        await tx.execute("INSERT INTO projects (project_id, name) VALUES ('p', 'r')")
    counts = await asyncio.gather(*(state.value("SELECT count(*) FROM projects") for _ in range(9)))
    assert counts == [1] * 9, "every connection sees what is committed"
    await state.close()


async def filled(path: Path, rows: int) -> State:
    """A state with texts of 2 KB each."""
    state = await State.open(path)
    async with state.transaction() as tx:
        await tx.many(
            "INSERT INTO texts (text_hash, text) VALUES (?, ?)",
            ((number.to_bytes(16, "big"), f"{number} " * 400) for number in range(rows)),
        )
    return state


async def test_room_of_what_was_deleted_is_given_back(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    state = await filled(path, 8_000)
    try:
        async with state.transaction() as tx:
            await tx.execute("DELETE FROM texts WHERE text_id % 4 <> 0")
        await state.shorten_log()
        kept = [tuple(row) for row in await state.read("SELECT text_hash, text FROM texts")]
        before = path.stat().st_size
        wanted = await compacting.plan(state, 0)
        assert wanted is not None and wanted.bytes < before / 2 and not wanted.lacking
        assert await compacting.compact_at_rest(state)
        await state.shorten_log()
        assert path.stat().st_size < before / 2
        assert [tuple(row) for row in await state.read("SELECT text_hash, text FROM texts")] == kept
        assert await compacting.plan(state, 0) is None
    finally:
        await state.close()


async def test_what_has_grown_is_written_anew_and_a_disk_without_room_is_named(
    tmp_path: Path,
) -> None:
    state = await filled(tmp_path / "state.db", 8_000)
    try:
        wanted = await compacting.plan(state, 0)
        assert wanted is not None and not wanted.lacking
        crowded = await compacting.plan(state, 1 << 60)
        assert crowded is not None and tmp_path in crowded.lacking
    finally:
        await state.close()


async def test_a_small_or_a_very_large_database_is_left_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = await filled(tmp_path / "state.db", 100)
    try:
        assert await compacting.plan(state, 0) is None
    finally:
        await state.close()
    state = await filled(tmp_path / "large.db", 8_000)
    try:
        monkeypatch.setattr(compacting, "MOST_BYTES", 1 << 20)
        assert await compacting.plan(state, 0) is None
    finally:
        await state.close()


async def test_who_writes_does_not_wait_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It goes on for ever here, and ends as soon as somebody writes."""
    monkeypatch.setattr(
        database,
        "VACUUM",
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
        " INSERT INTO settings SELECT 'k', i FROM n WHERE i < 0",
    )
    state = await State.open(tmp_path / "state.db")
    try:
        vacuuming = asyncio.ensure_future(state.vacuum())
        while not state.is_vacuuming:
            await asyncio.sleep(0)
        async with state.transaction() as tx:
            await settings.remember(tx, "paused", "yes")
        assert await vacuuming is False
        assert await settings.value_of(state, "paused") == "yes"
        async with state.transaction() as tx:
            assert await state.vacuum() is False, "somebody writes"
    finally:
        await state.close()


async def test_points_are_found_by_the_beginnings_of_their_ids(tmp_path: Path) -> None:
    """Two that begin alike are told apart, in a database of before, too."""
    path = tmp_path / "state.db"
    ids = ["01234567-0000-0000-0000-000000000001", "01234567-0000-0000-0000-000000000002"]
    before = made_by(path, 17)
    before.execute("INSERT INTO projects (project_id, name) VALUES ('p', 'r')")
    before.execute(
        "INSERT INTO documents (doc_id, project_id, path, content_hash, file_type, version)"
        " VALUES (1, 'p', 'a.py', x'01', 'code', 'v')"
    )
    before.executemany(
        "INSERT INTO chunks (doc_id, ordinal, point_id, text_hash, kind, start_line, end_line)"
        " VALUES (1, ?, ?, ?, 'function', 1, 2)",
        [(number, each, bytes([number]) * 16) for number, each in enumerate(ids)],
    )
    before.commit()
    before.close()
    state = await State.open(path)
    try:
        assert await documents.points_among(state, "p", ids[1:]) == [(ids[1], 1)]
        assert await documents.points_of_version(state, "v", [*ids, "89"]) == set(ids)
        async with state.transaction() as tx:
            await documents.note_dead(tx, [("p", ids[0]), ("p", ids[0][:-1] + "9")])
        assert await documents.dead_points(state) == {"p": [ids[0][:-1] + "9"]}
        plan = await state.read(
            f"EXPLAIN QUERY PLAN SELECT 1 FROM json_each('[]') j CROSS JOIN chunks c"
            f" ON {is_point('j.value')}"
        )
        assert any("chunks_by_point" in row["detail"] for row in plan)
    finally:
        await state.close()


async def test_files_at_or_below_paths_are_found_by_the_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A look at each file for each of the 16,000 paths that a branch does without took minutes."""
    paths = ["a", "a.py", "a/b.py", "a/c/d.py", "a0.py", "ab/e.py", "ü/f%.py", "z.py"]
    state = await State.open(tmp_path / "state.db")
    try:
        async with state.transaction() as tx:
            await tx.execute("INSERT INTO projects (project_id, name) VALUES ('p', 'p')")
            for number, each in enumerate("12"):
                await tx.execute(
                    "INSERT INTO checkouts (checkout_id, project_id, root) VALUES (?, 'p', ?)",
                    (each, each),
                )
                for path in paths[number:]:
                    await tx.execute(
                        "INSERT INTO files (checkout_id, path, size, mtime_ns, status)"
                        " VALUES (?, ?, 1, 1, 'indexed')",
                        (each, path),
                    )
        plain = state.read
        plans: list[str] = []

        async def told(sql: str, parameters: tuple[object, ...] = ()) -> list[sqlite3.Row]:
            plan = await plain(f"EXPLAIN QUERY PLAN {sql}", parameters)
            plans.extend(str(row["detail"]) for row in plan)
            return list(await plain(sql, parameters))

        monkeypatch.setattr(state, "read", told)
        gone = ["a", "ü", "none", *(f"{number}.py" for number in range(1000))]
        found = await files.paths_at_or_below(state, "1", gone)
        assert found == {"a", "a/b.py", "a/c/d.py", "ü/f%.py"}
        assert len(plans) < 40 and not any("SCAN f" in each for each in plans), plans
        assert any("path>? AND path<?" in each for each in plans), plans
    finally:
        await state.close()
