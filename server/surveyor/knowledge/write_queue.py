"""Durable writes: each is a queue item first, and answers `queued` or, once carried out, `done`."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from surveyor.errors import SurveyorError
from surveyor.knowledge import limits
from surveyor.knowledge.limits import StorageLimits
from surveyor.protocol.knowledge import Written
from surveyor.store.state import State, queue
from surveyor.store.state.queue import LeasedItem, NewQueueItem

POLL_S = 0.03
"""How often a waiting caller looks whether its item is done."""
EARLIER_WAIT_S = 10.0
"""How long a write waits for an earlier one of the same thing that another batch holds."""


@dataclass(slots=True)
class WriteQueue:
    """Puts writes of rules and documents into the queue, and waits for them."""

    state: State
    data_dir: Path
    limits: Callable[[], StorageLimits]
    wake: Callable[[], None]
    warnings: set[str] = field(default_factory=set)

    async def submit(
        self, items: Sequence[NewQueueItem], wait_ms: int, message: str = ""
    ) -> Written:
        """Queue items durably and wait for them as long as is wanted.

        Raises `DiskFullError` when there is too little space, `SurveyorError` when an item that
        was waited for failed for good.
        """
        ids = await self.enqueue(items)
        done = await self.wait(ids, wait_ms / 1000)
        return Written(
            status="done" if done else "queued", queue_id=ids[0] if ids else None, message=message
        )

    async def enqueue(self, items: Sequence[NewQueueItem]) -> list[str]:
        """Queue items durably; answers their ids. Raises `DiskFullError` as `submit` does."""
        self.check_space()
        async with self.state.transaction() as tx:
            await queue.enqueue(tx, items)
            ids = [await queue.queue_id_of(tx, item) for item in items]
        self.wake()
        return ids

    def check_space(self) -> None:
        """Refuse to write when the disk is nearly full, or may not be written at all."""
        if self.state.refusal is not None:
            raise self.state.refusal
        warning = limits.check_free_disk(self.data_dir, self.limits())
        if warning:
            self.warnings.add(warning)

    async def wait(self, ids: Sequence[str], timeout_s: float) -> bool:
        """Whether all items were carried out in time. Raises when one failed for good."""
        if not ids or timeout_s <= 0:
            return not ids
        deadline = asyncio.get_running_loop().time() + timeout_s
        while True:
            left = await queue.errors_by_id(self.state, ids)
            if not left:
                return True
            failed = [errors for status, errors in left if status == "failed"]
            if failed and len(failed) == len(left):
                raise SurveyorError(
                    last_error(failed[0]),
                    "Mend it and try again; `surveyor queue list` has what waits and failed.",
                )
            if asyncio.get_running_loop().time() >= deadline:
                return False
            await asyncio.sleep(POLL_S)

    async def pending(self, item_type: str, tenant: str, **fields: str) -> list[dict[str, Any]]:
        """Payloads of waiting items, oldest first, with `op` and `queue_id` added."""
        waiting = await queue.waiting_items(self.state, item_type, tenant, fields)
        return [one.payload | {"op": one.op, "queue_id": one.queue_id} for one in waiting]

    async def earlier_first(self, item: LeasedItem, **fields: str) -> None:
        """Let an earlier write of the same thing, which another batch holds, go first.

        Raises `SurveyorError`, so that the queue tries again later, when it takes too long.
        """
        deadline = asyncio.get_running_loop().time() + EARLIER_WAIT_S
        while await queue.has_earlier(self.state, item.queue_id, fields):
            if asyncio.get_running_loop().time() >= deadline:
                raise SurveyorError("an earlier write of the same is still waiting")
            await asyncio.sleep(POLL_S)


def last_error(errors: Sequence[Mapping[str, Any]]) -> str:
    """The newest of an item's errors."""
    said = str(errors[-1]["error"]) if errors else "the write failed"
    return re.sub(r"^\w+Error: ", "", said)


Handler = Callable[[LeasedItem], Awaitable[None]]
