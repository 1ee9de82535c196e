"""Reading a damaged `state.db` and its spare copy, and writing back what could be read.

Only for what nothing can make again: which folders are registered, rules, notes.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path

from surveyor.store.state import kept_rows
from surveyor.store.state.database import State, Transaction
from surveyor.store.state.kept_rows import KEPT, KeptTable, Key
from surveyor.store.state.second_copy import KeyChange, number_of, open_copy, statements


async def is_sound(state: State) -> bool:
    """Whether the structure of the database's pages is what it should be."""
    return [row[0] for row in await state.read("PRAGMA quick_check(1)")] == ["ok"]


async def accept_lost(tx: Transaction, keys: Iterable[Key]) -> None:
    """What is left of rows that are damaged stays, and is from now on what there is."""
    await tx.many("DELETE FROM kept_digests WHERE tbl = ? AND key = ?", list(keys))


async def restore(tx: Transaction, changes: Iterable[KeyChange]) -> None:
    """Have the rows of some keys be what was kept; what refers to rows that are lost goes."""
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


def salvaged(damaged: Path, spare: Path) -> tuple[list[KeyChange], list[Key]]:
    """What can be brought back of what nothing can make again, and what is known to be lost."""
    copies = rows_of_copy(spare)
    written, number = _written(damaged)
    behind = number is not None and number > _number_of_copy(spare)
    found: dict[Key, KeyChange] = {}
    for name, table in KEPT.items():
        for key, data in _readable(damaged, table):
            change = KeyChange((name, key), data)
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
            found.setdefault((name, key), KeyChange((name, key), data))
    lost = [kept_key for kept_key in written if kept_key not in found]
    return list(found.values()), lost


def rows_of_copy(spare: Path) -> dict[Key, KeyChange]:
    """What the copy has, deletions included; what is not what was written is left out."""
    found: dict[Key, KeyChange] = {}
    for order in ("ASC", "DESC"):
        with contextlib.suppress(sqlite3.Error), contextlib.closing(open_copy(spare)) as copy:
            for table, key, digest, data in copy.execute(
                f"SELECT tbl, key, digest, data FROM kept NOT INDEXED ORDER BY rowid {order}"
            ):
                change = KeyChange((table, key), data)
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
