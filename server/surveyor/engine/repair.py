"""Repairing a `state.db` that the engine cannot open, while no engine runs.

The damaged file is kept beside the new one. What cannot be made again (which folders are
registered, rules, notes) is read out of it row by row as far as it can be read; the rest is made
again from the files.
"""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

from surveyor import paths
from surveyor.engine.lock import EngineLock
from surveyor.errors import SurveyorError
from surveyor.models import Finding
from surveyor.store.state import State, StateError

DERIVED = frozenset(
    {
        "documents",
        "files",
        "branch_files",
        "chunks",
        "texts",
        "vectors",
        "symbols",
        "dead_points",
        "schema_version",
    }
)
"""Tables that an index run fills; everything else is salvaged."""


def repair_state(data: Path) -> Finding:
    """Set a damaged `state.db` aside and start a new one with what could be salvaged.

    Raises `SurveyorError` when an engine holds the data folder.
    """
    lock = EngineLock(paths.make_folders(data) / "engine.lock")
    if not lock.acquire():
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
    state = await State.open(path)
    saved = 0
    try:
        async with state.transaction() as tx:
            await tx.execute("PRAGMA defer_foreign_keys = ON")
            tables = await tx.read("SELECT name FROM sqlite_master WHERE type = 'table'")
            for (table,) in tables:
                if table in DERIVED or table.startswith("sqlite_") or "_fts" in table:
                    continue
                names = [str(r["name"]) for r in await tx.read(f"PRAGMA table_info({table})")]
                columns = ", ".join(f'"{name}"' for name in names)
                for row in _readable_rows(kept, f"SELECT {columns} FROM {table}"):
                    saved += await tx.execute(
                        f"INSERT OR IGNORE INTO {table} ({columns})"
                        f" VALUES ({','.join('?' * len(names))})",
                        row,
                    )
            await tx.execute("UPDATE checkouts SET last_scan = NULL")
    finally:
        await state.close()
    return Finding(
        check="state",
        ok=False,
        message=f"{path} was damaged",
        hint=f"It is kept as {kept.name}; {saved} rows were salvaged, the index is made again.",
        repaired=True,
    )


def _readable_rows(path: Path, query: str) -> Iterator[tuple[object, ...]]:
    """Rows up to the first one that the damage hides."""
    with contextlib.suppress(sqlite3.Error):
        connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        try:
            cursor = connection.execute(query)
            while row := cursor.fetchone():
                yield row
        finally:
            connection.close()
