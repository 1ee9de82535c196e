"""Repairing a `state.db` that the engine cannot open, while no engine runs.

The damaged file is kept beside the new one. What cannot be made again (which folders are
registered, rules, notes) is read out of it row by row as far as it can be read, and beyond that out
of its spare copy; the rest is made again from the files.
"""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import time
from pathlib import Path

from surveyor import paths
from surveyor.engine.client import data_unusable
from surveyor.engine.lock import EngineLock
from surveyor.errors import SurveyorError
from surveyor.models import Finding
from surveyor.store.state import State, StateError, Transaction
from surveyor.store.state.spare import KEPT, open_copy, spare_of


def repair_state(data: Path) -> Finding:
    """Set a damaged `state.db` aside and start a new one with what could be salvaged.

    Raises `SurveyorError` when an engine holds the data folder.
    """
    try:
        lock = EngineLock(paths.make_folders(data) / "engine.lock")
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


async def _repair(path: Path) -> Finding:
    try:
        state = await State.open(path)
        sound = [row[0] for row in await state.read("PRAGMA quick_check(1)")] == ["ok"]
        await state.close()
        if sound:
            return Finding(check="state", ok=True, message=f"{path} is sound")
    except StateError as error:
        if "damaged" not in error.message:
            return Finding(check="state", ok=False, message=error.message, hint=error.hint)
    except sqlite3.Error:
        pass
    kept = path.with_name(f"state.db.damaged-{time.strftime('%Y%m%d-%H%M%S')}")
    for suffix in ("", "-wal", "-shm"):
        source = path.with_name(path.name + suffix)
        if source.exists():
            source.rename(kept.with_name(kept.name + suffix))
    state = await State.open(path, anew=True)
    try:
        async with state.transaction() as tx:
            saved = await _salvage(tx, kept, spare_of(path))
    finally:
        await state.close()
    where = f"It is kept as {kept.name}; " if kept.exists() else ""
    return Finding(
        check="state",
        ok=False,
        message=f"{path} was damaged",
        hint=f"{where}{saved} rows were saved (folders, rules, notes), the index is made again.",
        repaired=True,
    )


async def _salvage(tx: Transaction, damaged: Path, spare: Path) -> int:
    """Fill what cannot be made again; returns the number of rows."""
    await tx.execute("PRAGMA defer_foreign_keys = ON")
    saved = 0
    for table in KEPT:
        columns = [str(row["name"]) for row in await tx.read(f"PRAGMA table_info({table})")]
        rows, complete = _readable_rows(damaged, table, columns)
        if not complete:
            rows += _readable_rows(spare, table, columns)[0]
        for row in rows:
            saved += await tx.execute(
                f"INSERT OR IGNORE INTO {table} ({', '.join(row)})"
                f" VALUES ({', '.join('?' * len(row))})",
                list(row.values()),
            )
    await tx.execute("UPDATE checkouts SET last_scan = NULL, active = 0")
    await tx.execute("UPDATE libraries SET synced_at = NULL")
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
    return saved


def _readable_rows(
    path: Path, table: str, columns: list[str]
) -> tuple[list[dict[str, object]], bool]:
    """Rows before and behind what the damage hides, by column, and whether none is hidden.

    An earlier version's table may lack columns; what a version has added since is left to its
    default.
    """
    try:
        connection = open_copy(path)
    except sqlite3.Error:
        return [], False
    rows: list[dict[str, object]] = []
    with contextlib.closing(connection):
        connection.row_factory = sqlite3.Row
        for order in ("ASC", "DESC"):
            try:
                described = connection.execute(f"PRAGMA table_info({table})")
                there = {str(row["name"]) for row in described}
                wanted = ", ".join(f'"{name}"' for name in columns if name in there)
                # In the order of the file: sorting would read all of it before the first row.
                key = "rowid" if _has_rowid(connection, table) else columns[0]
                cursor = connection.execute(
                    f"SELECT {wanted} FROM {table} NOT INDEXED ORDER BY {key} {order}"
                )
                while (row := cursor.fetchone()) is not None:
                    rows.append(dict(row))
            except sqlite3.Error:
                continue
            else:
                return rows, True
    return rows, False


def _has_rowid(connection: sqlite3.Connection, table: str) -> bool:
    try:
        connection.execute(f"SELECT rowid FROM {table} LIMIT 0")
    except sqlite3.OperationalError:
        return False
    return True
