"""The log of agents' calls: kept on this machine for `storage.retention`, and told to editors.

It has what was asked, with credentials masked, and places by path and lines; no text of files.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable

from surveyor.errors import SurveyorError
from surveyor.protocol.activity import ActivityCall, ActivityPlace
from surveyor.secrets import mask_text
from surveyor.store.state import State, agent_log
from surveyor.store.state.agent_log import LoggedCall

__all__ = ["AgentLog", "called"]

log = logging.getLogger(__name__)

MAX_CALLS = 20_000
"""The oldest beyond it are forgotten; some 10 MB."""
PRUNE_EVERY = 500
"""Calls between two looks at how many there are."""
MAX_PLACES = 50
"""Of one call."""
ASKED_CHARS = 160
OUTCOME_CHARS = 200

Tell = Callable[[str, object], Awaitable[None]]


class AgentLog:
    """Stores calls, and tells editors of each."""

    def __init__(
        self,
        state: State,
        tell: Tell,
        is_kept: Callable[[], bool],
        retention_s: Callable[[], Awaitable[float | None]],
    ) -> None:
        """`retention_s` is None while it is not known how long calls may be kept."""
        self._state = state
        self._tell = tell
        self.is_kept = is_kept
        self._retention_s = retention_s
        self._added = 0

    async def add(self, call: LoggedCall) -> None:
        """Keep a call, unless the user does not want it."""
        if not self.is_kept():
            return
        call = call._replace(
            asked=mask_text(call.asked)[:ASKED_CHARS],
            outcome=" ".join(mask_text(call.outcome).split())[:OUTCOME_CHARS],
            client=mask_text(call.client)[:60],
            places=call.places[:MAX_PLACES],
        )
        try:
            async with self._state.transaction() as tx:
                number = await agent_log.add(tx, call)
        except SurveyorError as error:  # a full disk, a folder that cannot be written
            log.info("a call was not logged: %s", error.message)
            return
        self._added += 1
        if self._added % PRUNE_EVERY == 0:
            await self.prune()
        await self._tell("agent_activity", called(call._replace(entry_id=number)))

    async def prune(self) -> None:
        """Forget what is too old or too much; all of it where none is to be kept."""
        retention = await self._retention_s()
        async with self._state.transaction() as tx:
            if not self.is_kept():
                await agent_log.clear(tx)
            elif retention is not None:
                await agent_log.prune(tx, time.time() - retention, MAX_CALLS)


def called(call: LoggedCall) -> ActivityCall:
    """A call as it goes over the wire."""
    return ActivityCall(
        id=call.entry_id,
        session=call.session,
        client=call.client,
        root=call.root,
        at=call.at,
        tool=call.tool,
        asked=call.asked,
        outcome=call.outcome,
        failed=call.failed,
        places=[
            ActivityPlace(root=root, path=path, first=first, last=last, kind=kind)  # type: ignore[arg-type]
            for root, path, first, last, kind in call.places
        ],
    )
