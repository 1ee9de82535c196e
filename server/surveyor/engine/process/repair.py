"""Repairing a `state.db` that the engine cannot open, while no engine runs.

The damaged file is kept beside the new one. What cannot be made again (which folders are
registered, rules, notes) is read out of it row by row as far as it can be read, and beyond that out
of its spare copy; the rest is made again from the files.
"""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path

from surveyor import paths
from surveyor.engine.index import catalog
from surveyor.engine_lock import EngineLock, data_unusable
from surveyor.errors import SurveyorError
from surveyor.protocol.engine import Finding
from surveyor.store.state import State, StateError, Transaction, kept_rows
from surveyor.store.state.content_digests import Damage, find_damage
from surveyor.store.state.kept_rows import KEPT, KeptTable, Key
from surveyor.store.state.second_copy import (
    Change,
    described,
    files_of,
    number_of,
    open_copy,
    set_aside,
    spare_of,
    statements,
)

NAMED = 5
"""So many lost rows are named."""


def repair_state(data: Path) -> list[Finding]:
    """Mend a damaged `state.db`, or set it aside and start a new one with what could be salvaged.

    Raises `SurveyorError` when an engine holds the data folder.
    """
    try:
        lock = EngineLock(paths.make_folders(data) / "engine.lock", data)
        acquired = lock.acquire()
    except OSError as error:
        raise data_unusable(data, error) from error
    if not acquired:
        raise SurveyorError("an engine is running", "End it first: `surveyor engine stop`.")
    try:
        return asyncio.run(_repair(data / "state.db"))
    finally:
        lock.release()
        paths.leave(data)


async def _repair(path: Path) -> list[Finding]:
    try:
        state = await State.open(path)
        sound = [row[0] for row in await state.read("PRAGMA quick_check(1)")] == ["ok"]
        await state.close()
        if sound:
            damage = await asyncio.to_thread(find_damage, path)
            if not damage:
                return [Finding(check="state", ok=True, message=f"{path} is sound")]
            return [await _mend(path, damage)]
    except StateError as error:
        if "damaged" not in error.message:
            return [Finding(check="state", ok=False, message=error.message, hint=error.hint)]
    except (sqlite3.Error, UnicodeError):
        pass
    aside = set_aside(path)
    saved, lost = await asyncio.to_thread(salvaged, aside, spare_of(path))
    copy = spare_of(path)
    for file in files_of(copy):  # what it holds is written again; this one stays with the other
        if file.exists():
            file.rename(file.with_name(f"{file.name}{aside.name.removeprefix(path.name)}"))
    state = await State.open(path, anew=True)
    try:
        async with state.transaction() as tx:
            await _fill(tx, saved)
    finally:
        await state.close()
    where = f"It is kept as {aside.name}. " if aside.exists() else ""
    return [
        Finding(
            check="state",
            ok=False,
            message=f"{path} was damaged; {_told(saved, lost)}",
            hint=f"{where}The index is made again.",
            repaired=True,
        )
    ]


def _told(saved: Iterable[Change], lost: Iterable[Key]) -> str:
    brought = described(each.key[0] for each in saved if each.data is not None)
    text = f"brought back: {', '.join(brought) or 'nothing'}"
    names = [f"{KEPT[table].noun} {key}" for table, key in lost]
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"{text}; not brought back: {', '.join(names[:NAMED]) or 'nothing'}{more}"


async def _mend(path: Path, damage: Damage) -> Finding:
    """Rows whose pages can be read, but that are not what was written."""
    copies = await asyncio.to_thread(_of_copy, spare_of(path))
    state = await State.open(path)
    try:
        there = [copies[key] for key in damage.kept if key in copies]
        lost = [key for key in damage.kept if key not in copies]
        async with state.transaction() as tx:
            await _fill(tx, there)
            for key in lost:  # what is left of it stays, and is from now on what there is
                await tx.execute("DELETE FROM kept_digests WHERE tbl = ? AND key = ?", key)
            await _drop_derived(tx, damage)
    finally:
        await state.close()
    return Finding(
        check="state",
        ok=False,
        message=f"{path} was damaged ({damage.said()}); {_told(there, lost)}",
        hint="What is derived is made again from your files.",
        repaired=True,
    )


async def _drop_derived(tx: Transaction, damage: Damage) -> None:
    documents = sorted(damage.documents)
    for part in catalog.batches(documents):
        marks = catalog.marks(part)
        await tx.execute(
            f"""UPDATE checkouts SET last_scan = NULL WHERE checkout_id IN
                (SELECT checkout_id FROM files WHERE doc_id IN ({marks}))""",
            part,
        )
        await tx.execute(f"DELETE FROM files WHERE doc_id IN ({marks})", part)
        await tx.execute(f"DELETE FROM branch_files WHERE doc_id IN ({marks})", part)
    await tx.many("DELETE FROM texts WHERE text_hash = ?", [(each,) for each in damage.texts])
    await catalog.drop_unused(tx, documents)
    await tx.many("DELETE FROM vectors WHERE vector_id = ?", [(each,) for each in damage.vectors])


async def _fill(tx: Transaction, changes: Iterable[Change]) -> None:
    """Have the rows of some keys be what was kept."""
    await tx.execute("PRAGMA defer_foreign_keys = ON")
    for sql, parameters in statements(changes):
        await tx.execute(sql, parameters)
    # What refers to a row that could not be read goes, or nothing could be kept.
    await tx.execute(
        "DELETE FROM checkouts WHERE project_id NOT IN (SELECT project_id FROM projects)"
    )
    await tx.execute(
        """UPDATE checkouts SET parent_checkout_id = NULL
           WHERE parent_checkout_id NOT IN (SELECT checkout_id FROM checkouts)"""
    )
    await tx.execute("DELETE FROM rule_anchors WHERE rule_id NOT IN (SELECT rule_id FROM rules)")
    await tx.execute(
        """DELETE FROM library_pieces
           WHERE document_id NOT IN (SELECT document_id FROM library_documents)"""
    )


def salvaged(damaged: Path, spare: Path) -> tuple[list[Change], list[Key]]:
    """What can be brought back of what nothing can make again, and what is known to be lost."""
    copies = _of_copy(spare)
    written, number = _written(damaged)
    behind = number is not None and number > _number_of_copy(spare)
    found: dict[Key, Change] = {}
    for name, table in KEPT.items():
        for key, data in _readable(damaged, table):
            change = Change((name, key), data)
            copy = copies.get(change.key)
            digest = written.get(change.key)
            if (digest is not None and digest == change.digest and (copy is None or behind)) or (
                copy is None and digest is None
            ):
                found[change.key] = change
    for kept_key, there in copies.items():
        found.setdefault(kept_key, there)
    for name, table in KEPT.items():  # a copy of an earlier version, where there is one
        for key, data in _readable(spare, table):
            found.setdefault((name, key), Change((name, key), data))
    lost = [kept_key for kept_key in written if kept_key not in found]
    return list(found.values()), lost


def _of_copy(spare: Path) -> dict[Key, Change]:
    """What the copy has, deletions included; what is not what was written is left out."""
    found: dict[Key, Change] = {}
    for order in ("ASC", "DESC"):
        with contextlib.suppress(sqlite3.Error), contextlib.closing(open_copy(spare)) as copy:
            for table, key, digest, data in copy.execute(
                f"SELECT tbl, key, digest, data FROM kept NOT INDEXED ORDER BY rowid {order}"
            ):
                change = Change((table, key), data)
                if table in KEPT and change.digest == digest:
                    found[change.key] = change
            break
    return found


def _number_of_copy(spare: Path) -> int:
    with contextlib.suppress(sqlite3.Error), contextlib.closing(open_copy(spare)) as copy:
        return number_of(copy, "progress") or 0
    return 0


def _written(damaged: Path) -> tuple[dict[Key, bytes], int | None]:
    """Digests that can be read, and how far the damaged file had come."""
    found: dict[Key, bytes] = {}
    number: int | None = None
    with contextlib.suppress(sqlite3.Error), contextlib.closing(open_copy(damaged)) as source:
        for table, key, digest in source.execute("SELECT tbl, key, digest FROM kept_digests"):
            if table in KEPT:
                found[table, key] = digest
        number = number_of(source, "kept_progress")
    return found, number


def _readable(path: Path, table: KeptTable) -> Iterator[tuple[str, bytes]]:
    """What can be read of a table before and behind what the damage hides, by key."""
    rows: dict[str, list[tuple[object, ...]]] = {}
    columns: list[str] = []
    try:
        connection = open_copy(path)
    except sqlite3.Error:
        return
    with contextlib.closing(connection):
        for order in ("ASC", "DESC"):
            try:
                described = connection.execute(f"PRAGMA table_info({table.name})")
                there = {str(row[1]) for row in described}
                if not there.issuperset(table.key):
                    return
                # An earlier version's table may lack columns.
                columns = [column for column in table.columns if column in there]
                # In the order of the file: sorting would read all of it before the first row.
                by = "rowid" if _has_rowid(connection, table.name) else table.key[0]
                cursor = connection.execute(
                    f"SELECT json_array({', '.join(table.key)}), {', '.join(columns)}"
                    f" FROM {table.name} NOT INDEXED WHERE {table.condition} ORDER BY {by} {order}"
                )
                while (row := cursor.fetchone()) is not None:
                    if isinstance(row[0], str) and row[1:] not in rows.setdefault(row[0], []):
                        rows[row[0]].append(row[1:])
            except sqlite3.Error:
                continue
            else:
                break
    for key, listed in rows.items():
        if table.order in columns:
            place = columns.index(table.order)
            listed.sort(key=lambda row: str(row[place]).zfill(12))
        yield key, kept_rows.encode(columns, listed)


def _has_rowid(connection: sqlite3.Connection, table: str) -> bool:
    try:
        connection.execute(f"SELECT rowid FROM {table} LIMIT 0")
    except sqlite3.OperationalError:
        return False
    return True
