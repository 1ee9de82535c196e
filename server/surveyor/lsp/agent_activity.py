"""What agents did in this window's folders: asked for, and told of as it happens."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from surveyor.lsp.engine_link import EngineLink
from surveyor.lsp.protocol import Protocol
from surveyor.lsp.roots import Roots
from surveyor.lsp.settings import EditorSettings
from surveyor.protocol import editor
from surveyor.protocol.activity import ActivityCall, ActivityPlace, ActivityRequest
from surveyor.servers.uris import to_uri

__all__ = ["AgentActivity"]


class AgentActivity:
    """Serves `surveyor/activity`, as request and as notification."""

    def __init__(
        self,
        protocol: Protocol,
        index: Callable[[], EngineLink],
        roots: Roots,
        settings: Callable[[], EditorSettings],
    ) -> None:
        self._protocol = protocol
        self._index = index
        self._roots = roots
        self._settings = settings

    async def serve(self, params: editor.ActivityParams) -> editor.ActivityAnswer:
        """Sessions that work in this window's folders, and their calls; the last one last."""
        answer = await self._index().call(
            ActivityRequest(session=params.session, limit=params.limit)
        )
        return editor.ActivityAnswer(
            sessions=[
                editor.AgentSession(
                    session=each.session,
                    client=each.client,
                    root=each.root,
                    first=each.first,
                    last=each.last,
                    calls=each.calls,
                    edits=each.edits,
                    open=each.open,
                )
                for each in answer.sessions
                if self._concerns(each.root)
            ],
            calls=[agent_call(each) for each in answer.calls if self._is_ours(each)],
            kept=answer.kept,
        )

    def heard(self, params: Any) -> None:
        """An agent has called a tool: told to editors that asked to hear of it."""
        if not self._settings().activity_notifications:
            return
        call = msgspec.convert(params, type=ActivityCall)
        if self._is_ours(call):
            self._protocol.tell("surveyor/activity", agent_call(call))

    def _is_ours(self, call: ActivityCall) -> bool:
        return self._concerns(call.root) or any(self._concerns(each.root) for each in call.places)

    def _concerns(self, root: str) -> bool:
        """Whether a project has a folder of this window in it, or lies in one."""
        folder = Path(root)
        return bool(root) and any(
            folder == each or folder in each.parents or each in folder.parents
            for each in self._roots.paths
        )


def agent_call(call: ActivityCall) -> editor.AgentCall:
    """A call in the editor's terms."""
    return editor.AgentCall(
        id=call.id,
        session=call.session,
        client=call.client,
        at=call.at,
        tool=call.tool,
        asked=call.asked,
        outcome=call.outcome,
        failed=call.failed,
        places=[_place(each) for each in call.places],
    )


def _place(each: ActivityPlace) -> editor.AgentPlace:
    start = editor.Position(line=each.first - 1, character=0)
    end = editor.Position(line=max(each.last - 1, each.first - 1), character=0)
    return editor.AgentPlace(
        uri=to_uri(Path(each.root) / each.path),
        path=each.path,
        range=editor.Range(start=start, end=end),
        kind=each.kind,
    )
