"""Questions in the log of calls: each is a session of its own, with an entry for every step.

As of agents' calls it has what was asked, with credentials masked, scores and places; no text.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Awaitable, Callable

from surveyor.engine.operations.ask import QuestionState
from surveyor.engine.operations.engine_callables import ResolveCheckout
from surveyor.errors import SurveyorError
from surveyor.protocol.ask import AskPiece, AskResponse
from surveyor.store.state.agent_log import LoggedCall, Place
from surveyor.units import counted

__all__ = ["QuestionLog"]

OVER_HTTP = "http"
"""Who asks over HTTP says no name."""


class QuestionLog:
    """Writes questions down once they are answered."""

    def __init__(
        self, resolve: ResolveCheckout, add: Callable[[LoggedCall], Awaitable[None]]
    ) -> None:
        self._resolve = resolve
        self._add = add

    async def add(self, asking: QuestionState) -> None:
        """Write down a question: its outcome first, then its steps in their order."""
        request, answer = asking.request, asking.response()
        try:
            root = (await self._resolve(cwd=request.cwd, project=request.project)).root
        except SurveyorError:  # removed meanwhile
            return
        caller = asking.caller.session
        client = caller.hello.client if caller is not None else OVER_HTTP
        session = secrets.token_hex(4)

        failed = answer.model is not None and not answer.answer
        question = " ".join(request.question.split())
        asked = LoggedCall(
            0, session, client, root, time.time(), "ask", question, _outcome(answer), failed, []
        )
        await self._add(asked)
        for step in answer.steps:
            places = [_place(each) for each in answer.pieces if each.corpus == step.name == "code"]
            await self._add(
                asked._replace(
                    tool=step.name,
                    asked="",
                    outcome=step.in_words(),
                    failed=False,
                    places=places,
                )
            )


def _outcome(answer: AskResponse) -> str:
    said = f"{counted(len(answer.pieces), 'piece')}, best {answer.confidence:.2f}"
    if answer.model is not None:
        said += f"; sent to {answer.model.name} at {answer.model.endpoint}"
        return said if answer.answer else f"{said}; {answer.notice or 'no answer'}"
    return said if answer.known else f"{said}: not known"


def _place(piece: AskPiece) -> Place:
    return piece.root, piece.path, piece.start_line, piece.end_line, "read"
