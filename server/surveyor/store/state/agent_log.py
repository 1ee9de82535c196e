"""Calls of agents: what they asked, read and changed."""

from __future__ import annotations

import json
from typing import NamedTuple

from surveyor.store.state.database import State, Transaction

Place = tuple[str, str, int, int, str]
"""Root, path, first and last line, `read` or `edited`."""


class LoggedCall(NamedTuple):
    """One call of an agent's tool; `entry_id` is 0 before it is stored."""

    entry_id: int
    session: str
    client: str
    root: str
    at: float
    tool: str
    asked: str
    outcome: str
    failed: bool
    places: list[Place]


class LoggedSession(NamedTuple):
    """A session by its calls."""

    session: str
    client: str
    root: str
    first: float
    last: float
    calls: int
    edits: int


_COLUMNS = "entry_id, session, client, root, at, tool, asked, outcome, failed, places"


async def add(tx: Transaction, call: LoggedCall) -> int:
    """Store a call; returns its number."""
    return await tx.insert(
        "INSERT INTO agent_log (session, client, root, at, tool, asked, outcome, failed, places)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (*call[1:8], int(call.failed), json.dumps(call.places)),
    )


async def prune(tx: Transaction, before: float, most: int) -> None:
    """Forget calls of an earlier time, and the oldest beyond so many."""
    await tx.execute("DELETE FROM agent_log WHERE at < ?", (before,))
    await tx.execute(
        "DELETE FROM agent_log WHERE entry_id <= (SELECT max(entry_id) FROM agent_log) - ?", (most,)
    )


async def clear(tx: Transaction) -> None:
    """Forget all calls."""
    await tx.execute("DELETE FROM agent_log")


async def calls(state: State, session: str, root: str, limit: int) -> list[LoggedCall]:
    """The last calls, oldest first: of a session by the beginning of its name, else of a root."""
    rows = await state.read(
        f"SELECT {_COLUMNS} FROM agent_log WHERE substr(session, 1, ?) = ? AND ? IN ('', root)"
        " ORDER BY entry_id DESC LIMIT ?",
        (len(session), session, root, limit),
    )
    return [
        LoggedCall._make((*row[:8], bool(row[8]), [tuple(each) for each in json.loads(row[9])]))
        for row in reversed(rows)
    ]


async def sessions(state: State, root: str, limit: int) -> list[LoggedSession]:
    """Sessions, the latest first."""
    rows = await state.read(
        "SELECT session, max(client), max(root), min(at), max(at), count(*),"
        " sum(tool = 'edit' AND NOT failed) FROM agent_log WHERE ? IN ('', root)"
        " GROUP BY session ORDER BY max(entry_id) DESC LIMIT ?",
        (root, limit),
    )
    return [LoggedSession(*row) for row in rows]
