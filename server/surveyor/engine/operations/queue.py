"""The queue as people see it."""

from __future__ import annotations

from typing import Any

import msgspec

from surveyor.engine.app import Engine
from surveyor.engine.operations import Call, operation
from surveyor.errors import NotFoundError
from surveyor.protocol.engine import QueueItem, QueueRequest, QueueResponse
from surveyor.store.state import queue as queue_rows


@operation(QueueRequest)
async def queue(engine: Engine, request: QueueRequest, _: Call) -> QueueResponse:
    """List or show items; retry the failed ones or drop them."""
    if request.action in ("retry", "clean"):
        await _change(engine, request)
    where, parameters = "1", []
    if request.queue_id is not None:
        where, parameters = "queue_id LIKE ? || '%'", [request.queue_id]
    elif request.failed:
        where = "status = 'failed'"
    rows = await engine.state.read(
        f"SELECT * FROM unified_queue WHERE {where} ORDER BY status = 'failed' DESC, created_at"
        " LIMIT ?",
        (*parameters, request.limit),
    )
    if request.action == "show" and not rows:
        raise NotFoundError(f"no queue item {request.queue_id}", "See `surveyor queue list`.")
    return QueueResponse(
        items=[
            QueueItem(
                queue_id=row["queue_id"],
                item_type=row["item_type"],
                op=row["op"],
                status=row["status"],
                collection=row["collection"],
                tenant_id=row["tenant_id"],
                retry_count=row["retry_count"],
                created_at=row["created_at"],
                payload=msgspec.json.decode(row["payload_json"], type=dict[str, Any]),
                errors=msgspec.json.decode(row["errors"], type=list[dict[str, Any]]),
            )
            for row in rows
        ],
        counts=await queue_rows.counts(engine.state),
    )


async def _change(engine: Engine, request: QueueRequest) -> None:
    where, parameters = "status = 'failed'", []
    if request.queue_id is not None:
        where, parameters = where + " AND queue_id LIKE ? || '%'", [request.queue_id]
    async with engine.state.transaction() as tx:
        if request.action == "retry":
            changed = await tx.execute(
                "UPDATE unified_queue SET status = 'pending', retry_count = 0, not_before = 0"
                f" WHERE {where}",
                parameters,
            )
        else:
            changed = await tx.execute(f"DELETE FROM unified_queue WHERE {where}", parameters)
    if not changed and request.queue_id is not None:
        raise NotFoundError(
            f"no failed queue item {request.queue_id}", "See `surveyor queue list --failed`."
        )
    engine.pipeline.wake()
