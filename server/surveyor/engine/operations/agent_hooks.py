"""What hooks of agents tell and ask."""

from __future__ import annotations

import re
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from pathlib import Path

from surveyor.engine.operations import Caller, operation
from surveyor.engine.operations.engine_callables import ResolveCheckout
from surveyor.engine.process.sessions import Session
from surveyor.engine.projects.checkouts import Checkout
from surveyor.engine.session_readings import SessionReadings
from surveyor.errors import UsageError
from surveyor.files.contained_paths import below
from surveyor.graph.service import GraphService
from surveyor.protocol.agent_hooks import AgentWroteRequest, SearchHintRequest, SearchHintResponse
from surveyor.protocol.base import Done

__all__ = ["AgentHookOperations"]

HINT_EVERY_S = 900.0
"""A hint that comes with each search would be noise."""
MAX_SESSIONS = 500
"""Sessions of which it is remembered when they were given one."""
MAX_DEFINED = 3
"""A name that more definitions have says little."""


class AgentHookOperations:
    """Serves hooks."""

    def __init__(
        self,
        resolve: ResolveCheckout,
        graph: GraphService,
        readings: SessionReadings,
        sessions: Callable[[], Iterable[Session]],
        gives_hints: Callable[[], bool],
    ) -> None:
        self._resolve = resolve
        self._graph = graph
        self._readings = readings
        self._sessions = sessions
        self._gives_hints = gives_hints
        self._hinted: OrderedDict[str, float] = OrderedDict()

    @operation(AgentWroteRequest)
    async def agent_wrote(self, request: AgentWroteRequest, call: Caller) -> Done:
        """Note what an agent has written, so that its session is not told of it."""
        file = Path(request.path)
        if not file.is_absolute():
            raise UsageError(f"{request.path} is not absolute")
        checkout = await self._resolve(cwd=str(file.parent))
        session = self._session_of(request.parents, checkout)
        if session is None:
            return Done(message="no session of that agent is open here")
        path = below(Path(checkout.root), request.path)
        await self._readings.wrote_itself(session.id, checkout, path, request.texts)
        return Done(message="noted")

    def _session_of(self, parents: list[int], checkout: Checkout) -> Session | None:
        """The session of the agent that started the hook: of the same parent, else the only one."""
        agents = [each for each in self._sessions() if each.hello.client == "mcp"]
        started = [each for each in agents if each.hello.parent in parents]
        if started:
            return min(started, key=lambda each: parents.index(each.hello.parent))
        here = [each for each in agents if checkout.root in each.hello.roots]
        return here[0] if len(here) == 1 else None

    @operation(SearchHintRequest)
    async def search_hint(self, request: SearchHintRequest, call: Caller) -> SearchHintResponse:
        """What the index knows of a name that an agent has searched for in files."""
        now = time.monotonic()
        last = self._hinted.get(request.session)
        if not self._gives_hints() or (last is not None and now - last < HINT_EVERY_S):
            return SearchHintResponse()
        context = await self._graph.query_context_at_once(request.cwd, None, saved=True)
        for name in request.names:
            defined = [node for node in await context.stored.named(name) if not node.is_test]
            if 1 <= len(defined) <= MAX_DEFINED:
                self._hinted[request.session] = now
                while len(self._hinted) > MAX_SESSIONS:
                    self._hinted.popitem(last=False)
                return SearchHintResponse(text=_hint(name, defined[0].path, defined[0].line))
        return SearchHintResponse()


def _hint(name: str, path: str, line: int) -> str:
    shown = re.sub(r"[^\w./@+-]", "_", path)
    return (
        f"{name} is defined at {shown}:{line}. Surveyor's tool symbol (name={name},"
        " action=references or callers) lists its uses with how certain each is."
    )
