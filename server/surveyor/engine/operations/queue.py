"""The queue as people see it."""

from __future__ import annotations

from collections.abc import Callable

from surveyor.engine.operations import Caller, operation
from surveyor.errors import NotFoundError
from surveyor.protocol.engine import QueueItem, QueueRequest, QueueResponse
from surveyor.store.state import State
from surveyor.store.state import queue as queue_rows


class QueueOperations:
    """Listing the queue's items, retrying and dropping them."""

    def __init__(
        self,
        state: State,
        wake: Callable[[], None],
    ) -> None:
        self._state = state
        self._wake = wake

    @operation(QueueRequest)
    async def queue(self, request: QueueRequest, _: Caller) -> QueueResponse:
        """List or show items; retry the failed ones or drop them."""
        if request.action in ("retry", "clean"):
            await self._change(request)
        rows = await queue_rows.listed(
            self._state, request.queue_id, failed=request.failed, limit=request.limit
        )
        if request.action == "show" and not rows:
            raise NotFoundError(f"no queue item {request.queue_id}", "See `surveyor queue list`.")
        return QueueResponse(
            items=[QueueItem(**row._asdict()) for row in rows],
            counts=await queue_rows.counts(self._state),
        )

    async def _change(self, request: QueueRequest) -> None:
        change = queue_rows.retry_failed if request.action == "retry" else queue_rows.drop_failed
        async with self._state.transaction() as tx:
            changed = await change(tx, request.queue_id)
        if not changed and request.queue_id is not None:
            raise NotFoundError(
                f"no failed queue item {request.queue_id}", "See `surveyor queue list --failed`."
            )
        self._wake()
