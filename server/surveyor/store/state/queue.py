"""The durable queue (seed 000, "Queue Schema"): leases, retries with back-off, visible failures."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec

from surveyor.store.state.database import State, Transaction

MAX_RETRIES = 3
BACKOFF_SECONDS = (0.5, 2.0, 8.0)
"""Wait before the first, second and third retry."""
LEASE_SECONDS = 120.0
FAIRNESS_INTERVAL = 10
"""Every so many takes the least urgent go first, so that nothing starves (seed 000)."""
PROJECTS_AT_ONCE = 4
"""Projects that share a take: each commit has its price, and one file of each of many is many."""


_PAYLOAD = msgspec.json.Decoder(dict[str, Any])


@dataclass(frozen=True, slots=True)
class NewQueueItem:
    """A piece of work to enqueue."""

    item_type: str
    op: str
    tenant_id: str
    collection: str
    payload: dict[str, Any]
    checkout_id: str | None = None
    priority: int = 5
    branch: str | None = None

    @property
    def payload_json(self) -> str:
        """Canonical form: the same payload gives the same key."""
        return json.dumps(self.payload, sort_keys=True, separators=(",", ":"))

    @property
    def idempotency_key(self) -> str:
        """`SHA256(item_type|op|tenant_id|collection|payload_json)[:32]`."""
        return self.key_of(self.payload_json)

    def key_of(self, payload_json: str) -> str:
        """The idempotency key, where the canonical payload is at hand."""
        text = "|".join((self.item_type, self.op, self.tenant_id, self.collection, payload_json))
        return hashlib.sha256(text.encode()).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class LeasedItem:
    """An item that this engine is carrying out."""

    queue_id: str
    item_type: str
    op: str
    tenant_id: str
    collection: str
    checkout_id: str | None
    payload: dict[str, Any]
    retry_count: int
    created_at: float
    """When it was queued, in seconds since 1970."""


async def enqueue(tx: Transaction, items: Iterable[NewQueueItem]) -> None:
    """Add items; one that waits already is left alone, one in progress will be done again."""
    now = time.time()
    await tx.many(
        """INSERT INTO unified_queue
             (idempotency_key, item_type, op, tenant_id, collection, checkout_id, priority,
              payload_json, branch, created_at)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
           ON CONFLICT (idempotency_key) DO UPDATE SET
             changed_again = CASE status WHEN 'in_progress' THEN 1 ELSE changed_again END,
             retry_count = CASE status WHEN 'failed' THEN 0 ELSE retry_count END,
             not_before = CASE status WHEN 'failed' THEN 0 ELSE not_before END,
             status = CASE status WHEN 'failed' THEN 'pending' ELSE status END,
             priority = max(priority, excluded.priority),
             updated_at = (julianday('now') - 2440587.5) * 86400.0""",
        (
            (
                item.key_of(payload),
                item.item_type,
                item.op,
                item.tenant_id,
                item.collection,
                item.checkout_id,
                item.priority,
                payload,
                item.branch,
                now + position * 1e-6,  # their order is kept
            )
            for position, item in enumerate(items)
            for payload in (item.payload_json,)
        ),
    )


async def queue_id_of(tx: Transaction, item: NewQueueItem) -> str:
    """Id of a waiting item, for the caller who wants to follow it."""
    rows = await tx.read(
        "SELECT queue_id FROM unified_queue WHERE idempotency_key = ?", (item.idempotency_key,)
    )
    return str(rows[0][0]) if rows else ""


_WAITING_CHECKOUTS = """
    WITH RECURSIVE waiting (id) AS (
      SELECT min(checkout_id) FROM unified_queue
      UNION ALL
      SELECT (SELECT min(checkout_id) FROM unified_queue WHERE checkout_id > waiting.id)
      FROM waiting WHERE waiting.id IS NOT NULL
    )
    SELECT waiting.id AS checkout_id, coalesce(c.active, 0) AS active
    FROM waiting LEFT JOIN checkouts c ON c.checkout_id = waiting.id
    WHERE waiting.id IS NOT NULL AND coalesce(c.paused, 0) = 0"""
"""One step in the index for each checkout, not one for each item."""


async def _next_of(
    tx: Transaction, checkout_id: str | None, now: float, limit: int, item_types: Sequence[str]
) -> list[sqlite3.Row]:
    """The first items that wait of a checkout, or of none, in the order of an index: sorting all
    that wait took half a second for each batch of 300,000 files."""
    of_type = f"AND item_type IN ({','.join('?' * len(item_types))})" if item_types else ""
    return await tx.read(
        f"""SELECT * FROM unified_queue
            WHERE checkout_id IS ? AND status = 'pending' AND not_before <= ? {of_type}
            ORDER BY priority DESC, created_at LIMIT ?""",
        (checkout_id, now, *item_types, limit),
    )


async def next_items(
    tx: Transaction, now: float, limit: int, item_types: Sequence[str] = ()
) -> list[tuple[bool, sqlite3.Row]]:
    """The first items of each checkout that is not paused, and whether it is in use."""
    found: list[tuple[bool, sqlite3.Row]] = []
    for row in await tx.read(_WAITING_CHECKOUTS):
        items = await _next_of(tx, row["checkout_id"], now, limit, item_types)
        found += [(bool(row["active"]), item) for item in items]
    for item in await _next_of(tx, None, now, limit, item_types):
        found.append((item["collection"] == "memory", item))
    return found


async def _files_in_progress(tx: Transaction) -> set[tuple[str, str]]:
    rows = await tx.read(
        "SELECT checkout_id, payload_json FROM unified_queue INDEXED BY queue_leases"
        " WHERE status = 'in_progress' AND item_type = 'file'"
    )
    return {file for row in rows if (file := _file_of(row)) is not None}


def _is_free(row: sqlite3.Row, busy: set[tuple[str, str]]) -> bool:
    """Whether nothing else of the same file is in progress; it counts as such from now on."""
    file = _file_of(row) if row["item_type"] == "file" else None
    if file in busy:
        return False
    if file is not None:
        busy.add(file)
    return True


def _file_of(row: sqlite3.Row) -> tuple[str, str] | None:
    path = _PAYLOAD.decode(row["payload_json"]).get("relative_path")
    return (str(row["checkout_id"]), str(path)) if path is not None else None


_Order = tuple[bool, int, int, int, float]


def _in_turn(
    found: Sequence[tuple[bool, sqlite3.Row]], limit: int, turn: int, others_first: bool
) -> Callable[[tuple[bool, sqlite3.Row]], _Order]:
    """The order in which items are taken: some of each project, another project first each time.

    To be called with each item once, in the order of its project.
    """
    share = max(1, limit // PROJECTS_AT_ONCE)
    projects = dict.fromkeys(row["checkout_id"] for _, row in found)
    first = turn * (limit // share) % max(1, len(projects))
    place = {each: (at - first) % len(projects) for at, each in enumerate(projects)}
    taken: Counter[tuple[str | None, int]] = Counter()

    def order(each: tuple[bool, sqlite3.Row]) -> _Order:
        active, row = each
        project, priority = row["checkout_id"], row["priority"]
        before = taken[project, priority]
        taken[project, priority] += 1
        return (
            active is others_first,
            -priority,
            before // share,
            place[project],
            row["created_at"],
        )

    return order


async def lease(
    state: State, worker_id: str, limit: int, turn: int, item_types: Sequence[str] = ()
) -> list[LeasedItem]:
    """Take up to `limit` items, active projects first, and now and then the others first.

    Of what is as urgent, projects take turns: seven files do not wait for another's forty thousand.
    A file that is in progress is not taken once more (as deleted, then added): who read it first
    could be the last to write.
    """
    others_first = turn % FAIRNESS_INTERVAL == FAIRNESS_INTERVAL - 1
    now = time.time()
    async with state.transaction() as tx:
        busy = await _files_in_progress(tx)
        found = await next_items(tx, now, limit + len(busy), item_types)
        free = [each for each in found if _is_free(each[1], busy)]
        rows = [row for _, row in sorted(free, key=_in_turn(free, limit, turn, others_first))]
        rows = rows[:limit]
        await tx.many(
            """UPDATE unified_queue SET status = 'in_progress', lease_until = ?, worker_id = ?,
                 changed_again = 0, updated_at = (julianday('now') - 2440587.5) * 86400.0
               WHERE queue_id = ?""",
            [(now + LEASE_SECONDS, worker_id, row["queue_id"]) for row in rows],
        )
    return [
        LeasedItem(
            queue_id=row["queue_id"],
            item_type=row["item_type"],
            op=row["op"],
            tenant_id=row["tenant_id"],
            collection=row["collection"],
            checkout_id=row["checkout_id"],
            payload=_PAYLOAD.decode(row["payload_json"]),
            retry_count=row["retry_count"],
            created_at=row["created_at"],
        )
        for row in rows
    ]


async def finish(tx: Transaction, queue_ids: Iterable[str]) -> None:
    """Drop what is done, and put back what was asked for again meanwhile."""
    ids = [(queue_id,) for queue_id in queue_ids]
    await tx.many(
        """UPDATE unified_queue SET status = 'pending', changed_again = 0, lease_until = NULL
           WHERE queue_id = ? AND changed_again = 1""",
        ids,
    )
    await tx.many("DELETE FROM unified_queue WHERE queue_id = ? AND status = 'in_progress'", ids)


async def fail(
    tx: Transaction, failures: Iterable[tuple[LeasedItem, str]], retries: int = MAX_RETRIES
) -> list[LeasedItem]:
    """Record errors; items go back with a pause, or fail for good. Returns the latter."""
    given_up: list[LeasedItem] = []
    for item, error in failures:
        last = item.retry_count >= retries
        if last:
            given_up.append(item)
        pause = 0.0 if last else BACKOFF_SECONDS[min(item.retry_count, len(BACKOFF_SECONDS) - 1)]
        now = time.time()
        await tx.execute(
            """UPDATE unified_queue SET status = ?, retry_count = retry_count + ?,
                 not_before = ?, lease_until = NULL, last_error_at = ?, changed_again = 0,
                 errors = json_insert(errors, '$[#]', json_object('at', ?, 'error', ?)),
                 updated_at = (julianday('now') - 2440587.5) * 86400.0
               WHERE queue_id = ?""",
            (
                "failed" if last else "pending",
                0 if last else 1,
                now + pause,
                now,
                now,
                error,
                item.queue_id,
            ),
        )
    return given_up


async def put_back(tx: Transaction, queue_ids: Iterable[str], pause_s: float = 0.0) -> None:
    """Let items wait again, for so long at least: what stopped them was no fault of theirs."""
    not_before = time.time() + pause_s if pause_s else None
    await tx.many(
        "UPDATE unified_queue SET status = 'pending', lease_until = NULL,"
        " not_before = coalesce(?, not_before) WHERE queue_id = ? AND status = 'in_progress'",
        [(not_before, queue_id) for queue_id in queue_ids],
    )


async def recover(tx: Transaction) -> int:
    """Take back every lease of an engine that is gone; returns how many."""
    return await tx.execute(
        "UPDATE unified_queue SET status = 'pending', lease_until = NULL "
        "WHERE status = 'in_progress'"
    )


class QueueRow(NamedTuple):
    """An item as people see it."""

    queue_id: str
    item_type: str
    op: str
    status: str
    collection: str
    tenant_id: str
    retry_count: int
    created_at: float
    payload: dict[str, Any]
    errors: list[dict[str, Any]]


_ERRORS = msgspec.json.Decoder(list[dict[str, Any]])


async def listed(
    state: State, begin: str | None, *, failed: bool = False, limit: int
) -> list[QueueRow]:
    """Items, the failed ones first, then the oldest.

    Those whose ids begin with `begin`; without one all, or only the failed ones.
    """
    where, parameters = "1", []
    if begin is not None:
        where, parameters = "queue_id LIKE ? || '%'", [begin]
    elif failed:
        where = "status = 'failed'"
    rows = await state.read(
        f"SELECT * FROM unified_queue WHERE {where} ORDER BY status = 'failed' DESC, created_at"
        " LIMIT ?",
        (*parameters, limit),
    )
    return [
        QueueRow(
            queue_id=row["queue_id"],
            item_type=row["item_type"],
            op=row["op"],
            status=row["status"],
            collection=row["collection"],
            tenant_id=row["tenant_id"],
            retry_count=row["retry_count"],
            created_at=row["created_at"],
            payload=_PAYLOAD.decode(row["payload_json"]),
            errors=_ERRORS.decode(row["errors"]),
        )
        for row in rows
    ]


async def retry_failed(tx: Transaction, begin: str | None = None) -> int:
    """Have failed items tried again, all or those whose ids begin so; returns how many."""
    where, parameters = _failed(begin)
    return await tx.execute(
        f"UPDATE unified_queue SET status = 'pending', retry_count = 0, not_before = 0 {where}",
        parameters,
    )


async def drop_failed(tx: Transaction, begin: str | None = None) -> int:
    """Drop failed items, all or those whose ids begin so; returns how many."""
    where, parameters = _failed(begin)
    return await tx.execute(f"DELETE FROM unified_queue {where}", parameters)


def _failed(begin: str | None) -> tuple[str, list[str]]:
    if begin is None:
        return "WHERE status = 'failed'", []
    return "WHERE status = 'failed' AND queue_id LIKE ? || '%'", [begin]


@dataclass(frozen=True, slots=True)
class QueuedItem:
    """An item as it waits or failed."""

    queue_id: str
    op: str
    status: str
    payload: dict[str, Any]
    errors: list[dict[str, Any]]
    """Oldest first, each with `at` and `error`."""


async def errors_by_id(
    state: State, queue_ids: Sequence[str]
) -> list[tuple[str, list[dict[str, Any]]]]:
    """Status and errors of those of some items that are not done.

    Asked again and again while somebody waits: payloads, which may be long, are not read.
    """
    rows = await state.read(
        "SELECT status, errors FROM unified_queue WHERE queue_id IN"
        f" ({','.join('?' * len(queue_ids))})",
        queue_ids,
    )
    return [(str(row["status"]), json.loads(row["errors"])) for row in rows]


async def waiting_items(
    state: State, item_type: str, tenant: str, fields: Mapping[str, str]
) -> list[QueuedItem]:
    """A tenant's items that have not failed and whose payloads say so, oldest first."""
    rows = await state.read(
        "SELECT queue_id, op, status, payload_json, errors FROM unified_queue WHERE item_type = ?"
        f" AND tenant_id = ? AND status <> 'failed'{_with('payload_json', fields)}"
        " ORDER BY created_at, rowid",
        (item_type, tenant, *fields.values()),
    )
    return [_queued(row) for row in rows]


async def items_below(state: State, item_type: str, name: str) -> list[QueuedItem]:
    """Items of a tenant with a dotted name, and of those below it."""
    rows = await state.read(
        f"""SELECT queue_id, op, status, payload_json, errors FROM unified_queue
            WHERE item_type = ? AND {_TENANT_BELOW}""",
        (item_type, name, len(name) + 1, name + "."),
    )
    return [_queued(row) for row in rows]


async def is_waiting_below(state: State, item_type: str, name: str) -> bool:
    """Whether an item of a tenant with a dotted name, or below it, has neither failed nor ended."""
    found = await state.value(
        "SELECT 1 FROM unified_queue WHERE item_type = ? AND status <> 'failed'"
        f" AND {_TENANT_BELOW}",
        (item_type, name, len(name) + 1, name + "."),
    )
    return bool(found)


async def is_waiting_outside(state: State, collection: str) -> bool:
    """Whether an item of another collection than this has neither failed nor ended."""
    found = await state.value(
        "SELECT 1 FROM unified_queue WHERE collection <> ? AND status <> 'failed'", (collection,)
    )
    return bool(found)


async def has_earlier(state: State, queue_id: str, fields: Mapping[str, str]) -> bool:
    """Whether an earlier item of the same type and tenant waits, whose payload says the same."""
    found = await state.value(
        f"""SELECT 1 FROM unified_queue o JOIN unified_queue mine ON mine.queue_id = ?
            WHERE o.item_type = mine.item_type AND o.tenant_id = mine.tenant_id
              AND o.status <> 'failed' AND o.queue_id <> mine.queue_id
              AND (o.created_at, o.rowid) < (mine.created_at, mine.rowid)
              {_with("o.payload_json", fields)} LIMIT 1""",
        (queue_id, *fields.values()),
    )
    return bool(found)


_TENANT_BELOW = "(tenant_id = ? OR substr(tenant_id, 1, ?) = ?)"


def _with(column: str, fields: Mapping[str, str]) -> str:
    """SQL: the payload in a column has these fields, whose values are bound in this order."""
    return "".join(f" AND json_extract({column}, '$.{name}') = ?" for name in fields)


def _queued(row: sqlite3.Row) -> QueuedItem:
    return QueuedItem(
        queue_id=row["queue_id"],
        op=row["op"],
        status=row["status"],
        payload=_PAYLOAD.decode(row["payload_json"]),
        errors=json.loads(row["errors"]),
    )


async def counts(state: State, checkout_id: str | None = None) -> dict[str, int]:
    """Items by status."""
    where, parameters = ("WHERE checkout_id = ?", (checkout_id,)) if checkout_id else ("", ())
    rows = await state.read(
        f"SELECT status, count(*) FROM unified_queue {where} GROUP BY status", parameters
    )
    found = {str(row[0]): int(row[1]) for row in rows}
    return {status: found.get(status, 0) for status in ("pending", "in_progress", "failed")}


async def count_failed(state: State, item_type: str) -> int:
    """Items of a type that have failed for good."""
    found = await state.value(
        "SELECT count(*) FROM unified_queue WHERE status = 'failed' AND item_type = ?",
        (item_type,),
    )
    return int(found or 0)


async def checkouts_waiting(state: State) -> list[str]:
    """Checkouts that have items, of whatever status."""
    rows = await state.read(
        "SELECT DISTINCT checkout_id FROM unified_queue WHERE checkout_id IS NOT NULL"
    )
    return [str(row[0]) for row in rows]


async def count_unfinished(state: State, checkout_id: str) -> int:
    """Items of a checkout that wait or are in progress."""
    left = await state.value(
        "SELECT count(*) FROM unified_queue WHERE checkout_id = ?"
        " AND status IN ('pending', 'in_progress')",
        (checkout_id,),
    )
    return int(left)


async def count_pending(state: State) -> int:
    """Items that wait."""
    sql = "SELECT count(*) FROM unified_queue WHERE status = 'pending'"
    return int(await state.value(sql))


async def delete_of_checkout(tx: Transaction, checkout_id: str) -> None:
    """Drop everything of a checkout."""
    await tx.execute("DELETE FROM unified_queue WHERE checkout_id = ?", (checkout_id,))


async def delete_files(tx: Transaction, checkout_id: str, status: str = "") -> None:
    """Drop the files of a checkout that wait, are in progress or failed; those of one status only,
    where it is given."""
    of_status, parameters = (" AND status = ?", (status,)) if status else ("", ())
    await tx.execute(
        f"DELETE FROM unified_queue WHERE checkout_id = ? AND item_type = 'file'{of_status}",
        (checkout_id, *parameters),
    )


async def delete_waiting_with(tx: Transaction, checkout_id: str, mark: str) -> None:
    """Drop the waiting files of a checkout whose payload has a mark."""
    await tx.execute(
        "DELETE FROM unified_queue WHERE checkout_id = ? AND item_type = 'file'"
        " AND status = 'pending' AND json_extract(payload_json, '$.' || ?)",
        (checkout_id, mark),
    )
