"""`activity`: what agents asked, read and changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from surveyor.engine.activity_picture import activity_picture
from surveyor.engine.agent_log import AgentLog, called
from surveyor.engine.operations import Caller, operation
from surveyor.engine.operations.engine_callables import ResolveCheckout
from surveyor.engine.process.sessions import Session
from surveyor.protocol.activity import ActivityRequest, ActivityResponse, ActivitySession
from surveyor.store.state import State, agent_log

__all__ = ["ActivityOperations"]

MAX_SESSIONS = 100


class ActivityOperations:
    """Reads the log of agents' calls."""

    def __init__(
        self,
        state: State,
        resolve: ResolveCheckout,
        kept: AgentLog,
        sessions: Callable[[], Iterable[Session]],
    ) -> None:
        self._state = state
        self._resolve = resolve
        self._kept = kept
        self._sessions = sessions

    @operation(ActivityRequest)
    async def activity(self, request: ActivityRequest, _: Caller) -> ActivityResponse:
        """Sessions and their calls; with `picture`, one session's path through the code."""
        root = (await self._resolve(request.cwd)).root if request.cwd else ""
        opened = {session.id for session in self._sessions()}
        found = await agent_log.sessions(self._state, root, MAX_SESSIONS)
        wanted = request.session
        if request.picture and not wanted and found:
            wanted = found[0].session
        calls = [
            called(each) for each in await agent_log.calls(self._state, wanted, root, request.limit)
        ]
        return ActivityResponse(
            sessions=[
                ActivitySession(
                    session=each.session,
                    client=each.client,
                    root=each.root,
                    first=each.first,
                    last=each.last,
                    calls=each.calls,
                    edits=each.edits,
                    open=each.session in opened,
                )
                for each in found
                if each.session.startswith(wanted)
            ],
            calls=calls,
            kept=self._kept.is_kept(),
            picture=activity_picture(request.picture, calls) if request.picture else None,
        )
