"""What the writer of `state.db` changes of what nothing could make again, and its second copy."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING

from surveyor.store.state import kept_rows
from surveyor.store.state.kept_rows import KEPT, Key
from surveyor.store.state.second_copy import KeyChange, SecondCopy
from surveyor.store.state.sqlite_errors import is_full

if TYPE_CHECKING:
    import aiosqlite

log = logging.getLogger(__name__)


class SecondCopyWriter:
    """Belongs to one writer; called within its transactions."""

    def __init__(self, path: Path, writer: aiosqlite.Connection) -> None:
        self._spare = SecondCopy(path)
        self.path = self._spare.path
        self._writer = writer
        self._touched: dict[Key, None] = {}
        """Keys whose rows the running transaction has changed, by the writer's thread."""
        self._number = 0
        self._ahead = False
        """The copy has a transaction that is not committed."""

    async def begin(self) -> None:
        """Bring both sides together, and hear of every change from now on.

        Raises `OSError` and `sqlite3.Error`.
        """
        for said in await asyncio.to_thread(self._spare.bring_together):
            log.warning("brought back from %s: %s", self.path, said)
        rows = await self._writer.execute_fetchall("SELECT number FROM kept_progress")
        self._number = next((int(row[0]) for row in rows), 0)
        await self._writer.create_function("kept_touch", 2, self._touch)
        for _, statement in kept_rows.triggers():
            await self._writer.execute(statement)

    async def copy(self) -> None:
        """Have what the transaction has changed in the copy, before it is committed.

        Raises `OSError` and `sqlite3.Error`.
        """
        if not self._touched:
            return
        if self._ahead:
            await asyncio.to_thread(self._spare.fall_back)
            self._ahead = False
        changes = await self._changes()
        if not changes:
            return
        self._ahead = True
        try:
            await asyncio.to_thread(self._spare.write, changes, self._number + 1)
        except (OSError, sqlite3.DatabaseError) as error:
            if isinstance(error, sqlite3.OperationalError) and is_full(error):
                raise
            log.warning("%s: %s", self.path, error)
            await asyncio.to_thread(self._spare.make_anew)
            await asyncio.to_thread(self._spare.write, changes, self._number + 1)

    def done(self) -> None:
        """The transaction is committed."""
        self._touched.clear()
        if self._ahead:
            self._ahead = False
            self._number += 1

    async def undo(self) -> None:
        """The transaction was rolled back, unless it was committed before."""
        self._touched.clear()
        if not self._ahead:
            return
        try:
            await asyncio.to_thread(self._spare.fall_back)
            self._ahead = False
        except (OSError, sqlite3.Error) as error:
            log.warning("%s is ahead of its original: %s", self.path, error)

    async def mend(self) -> None:
        """Make the copy again where somebody has removed or damaged it."""
        if self._number and not self.path.exists():
            try:
                await asyncio.to_thread(self._spare.make_anew)
            except (OSError, sqlite3.Error) as error:
                log.warning("there is no second copy of what you store: %s", error)

    async def make_anew(self) -> None:
        """Replace the copy. Raises `OSError` and `sqlite3.Error`."""
        await asyncio.to_thread(self._spare.make_anew)

    async def compact(self) -> None:
        """Free the copy of what was replaced in it. Raises `OSError` and `sqlite3.Error`."""
        if self._number:
            await asyncio.to_thread(self._spare.compact)

    async def problem(self) -> str:
        """What is wrong with the copy; empty when there is nothing."""
        if not self._number:
            return ""
        return await asyncio.to_thread(self._spare.problem)

    async def close(self) -> None:
        """Release the copy, once `state.db` is closed."""
        await asyncio.to_thread(self._spare.close)

    def _touch(self, table: str, key: str) -> None:
        self._touched[table, key] = None

    async def _changes(self) -> list[KeyChange]:
        """What has become of the touched keys, written down in `state.db`."""
        changes = []
        for key in self._touched:
            table = KEPT[key[0]]
            rows = await self._writer.execute_fetchall(
                kept_rows.select_one(table), kept_rows.key_values(key[1])
            )
            listed = [tuple(row) for row in rows]
            change = KeyChange(key, kept_rows.encode(table.columns, listed) if listed else None)
            known = list(
                await self._writer.execute_fetchall(
                    "SELECT digest FROM kept_digests WHERE tbl = ? AND key = ?", key
                )
            )
            if (known[0][0] if known else None) != (change.digest if listed else None):
                changes.append(change)
        for change in changes:
            await self._writer.execute(
                "DELETE FROM kept_digests WHERE tbl = ? AND key = ?", change.key
            )
            if change.data is not None:
                await self._writer.execute(
                    "INSERT INTO kept_digests VALUES (?, ?, ?)", (*change.key, change.digest)
                )
        if changes:
            await self._writer.execute(
                "INSERT OR REPLACE INTO kept_progress VALUES (1, ?)", (self._number + 1,)
            )
        return changes
