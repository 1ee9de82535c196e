"""Connections that read committed rows, each with a thread of its own.

One is enough while one question is asked at a time. Where a long one is at work, a short one goes
to another connection in place of waiting for it; that is opened when it is first needed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import aiosqlite

MOST_READERS = 3
"""With 16 MB of pages each. More of them would wait for the interpreter lock, not for SQLite."""


class Readers:
    """Queries of one database, on whichever connection has the least to do."""

    def __init__(
        self,
        first: aiosqlite.Connection,
        open_another: Callable[[], Awaitable[aiosqlite.Connection]],
    ) -> None:
        self._connections = [first]
        self._waiting = [0]
        """Queries on each that have no answer yet."""
        self._open_another = open_another
        self._opening = False
        self._closed = False

    async def read(self, sql: str, parameters: Sequence[Any]) -> list[sqlite3.Row]:
        """All rows of a query."""
        chosen = min(range(len(self._connections)), key=self._waiting.__getitem__)
        if self._waiting[chosen] and len(self._connections) < MOST_READERS:
            chosen = await self._added(chosen)
        self._waiting[chosen] += 1
        try:
            return list(await self._connections[chosen].execute_fetchall(sql, parameters))
        finally:
            self._waiting[chosen] -= 1

    async def close(self) -> None:
        """Close all; nothing is read any more."""
        self._closed = True
        for connection in self._connections:
            await connection.close()

    async def _added(self, otherwise: int) -> int:
        """One more connection, unless another caller is opening one."""
        if self._opening or self._closed:
            return otherwise
        self._opening = True
        try:
            added = await self._open_another()
            if self._closed:  # meanwhile
                await added.close()
                return otherwise
            self._connections.append(added)
            self._waiting.append(0)
            return len(self._connections) - 1
        finally:
            self._opening = False
