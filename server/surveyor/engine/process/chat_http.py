"""OpenAI's chat completions over the engine, for clients that speak them: `/v1/chat/completions`.

A model is a project: `surveyor` is the one that the header `X-Surveyor-Project` names, or the only
one; others are called by their names. The last message of the user is the question.
"""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from surveyor.answering.budget import estimate
from surveyor.engine.operations import Caller
from surveyor.engine.operations.ask import AskOperations, QuestionState
from surveyor.engine.operations.engine_callables import AllCheckouts
from surveyor.engine.process.chat_request import (
    OWN_MODEL,
    ChatParameterError,
    CompletionRequest,
    read_completion_request,
)
from surveyor.engine.process.http_body import body_of
from surveyor.errors import NotFoundError, SurveyorError, UsageError
from surveyor.protocol.ask import AskRequest, AskResponse
from surveyor.protocol.wire import clipped
from surveyor.store.state.projects import Checkout
from surveyor.units import counted

__all__ = ["CHAT_PREFIX", "chat_routes", "not_served", "refused"]

CHAT_PREFIX = "/v1/"
PROJECT_HEADER = "x-surveyor-project"
MAX_BODY_BYTES = 8 << 20
ASIDE_HEADER = "X-Surveyor-Left-Aside"
"""Names what was sent and has no effect."""


def chat_routes(
    ask: AskOperations,
    checkouts: AllCheckouts,
    touch: Callable[[], None],
    is_allowed: Callable[[Request], bool] = lambda _: True,
) -> list[Route]:
    """The routes of the interface, for requests that may be served.

    `touch` is told of each: an engine that answers is in use.
    """

    async def models(request: Request) -> Response:
        if not is_allowed(request):
            return _error(UsageError("a bearer token is needed"), 401)
        touch()
        names = [OWN_MODEL, *(each.name for each in await checkouts())]
        return _json({"object": "list", "data": [_model(name) for name in dict.fromkeys(names)]})

    async def one_model(request: Request) -> Response:
        if not is_allowed(request):
            return _error(UsageError("a bearer token is needed"), 401)
        touch()
        name = request.path_params["model"]
        if name not in {OWN_MODEL, *(each.name for each in await checkouts())}:
            return _error(_no_model(name))
        return _json(_model(name))

    async def completions(request: Request) -> Response:
        if not is_allowed(request):
            return _error(UsageError("a bearer token is needed"), 401)
        touch()
        try:
            body = await body_of(request, MAX_BODY_BYTES)
            if body is None:
                raise UsageError(f"the request is longer than {MAX_BODY_BYTES >> 20} MB")
            asked = read_completion_request(body)
            question = _question(asked, request, await checkouts())
            asking = await ask.begin(question, Caller(), asked.sampling)
        except SurveyorError as error:
            return _error(error)
        aside = {ASIDE_HEADER: ", ".join(asked.left_aside)} if asked.left_aside else {}
        if asked.is_streamed:
            return StreamingResponse(
                _events(ask, asking, asked),
                media_type="text/event-stream",
                headers={"Cache-Control": "no-cache", **aside},
            )
        async for _text in ask.answer(asking):
            pass
        answer = _json(_completion(asking, asked))
        answer.headers.update(aside)
        return answer

    return [
        Route("/v1/models", models, methods=["GET"]),
        Route("/v1/models/{model:path}", one_model, methods=["GET"]),
        Route("/v1/chat/completions", completions, methods=["POST"]),
    ]


def _question(asked: CompletionRequest, request: Request, known: Sequence[Checkout]) -> AskRequest:
    named = request.headers.get(PROJECT_HEADER)
    if named is None and asked.model != OWN_MODEL:
        if asked.model not in {each.name for each in known}:
            raise _no_model(asked.model)
        named = asked.model
    if named is None:
        if len(known) != 1:
            raise UsageError(
                f"{counted(len(known), 'project is', 'projects are')} indexed, and none is named",
                "Name one as the model, or in the header X-Surveyor-Project; see /v1/models.",
            )
        named = known[0].project_id
    return AskRequest(question=asked.question, project=named, earlier=asked.earlier)


def refused(message: str, status: int) -> Response:
    """An error as clients of the interface read it."""
    return _error(UsageError(message), status)


async def not_served(request: Request, error: Exception) -> Response:
    """An error as clients read it where there is no such path, or not by this method."""
    assert isinstance(error, HTTPException)
    path = clipped(request.url.path)
    if error.status_code == 405:
        said: SurveyorError = UsageError(f"{path} is not asked by {request.method}")
    else:
        said = NotFoundError(
            f"there is no {path} here", "There are /v1/chat/completions and /v1/models."
        )
    answer = _error(said, error.status_code)
    answer.headers.update(error.headers or {})  # which methods there are
    return answer


async def _events(
    ask: AskOperations, asking: QuestionState, asked: CompletionRequest
) -> AsyncIterator[bytes]:
    """The answer as server-sent events; its sources come last."""
    head = {
        "id": _new_id(),
        "object": "chat.completion.chunk",
        "created": int(time.time()),
        "model": asked.model,
    }

    def event(delta: dict[str, Any], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return _event({**head, "choices": [choice]})

    yield event({"role": "assistant", "content": ""})
    async for text in ask.answer(asking):
        yield event({"content": text})
    yield event({"content": _rest(asking.response(), asked)})
    yield event({}, _finish_reason(asking))
    if asked.includes_usage:
        yield _event({**head, "choices": [], "usage": _usage(asking, asked)})
    yield b"data: [DONE]\n\n"


def _event(value: object) -> bytes:
    return b"data: " + msgspec.json.encode(value) + b"\n\n"


def _finish_reason(asking: QuestionState) -> str:
    return asking.model.finish_reason if asking.model is not None else "stop"


def _usage(asking: QuestionState, asked: CompletionRequest) -> dict[str, int]:
    """Tokens, estimated: models count differently, and without one none are counted."""
    sent = asking.prompt_tokens or estimate(asking.request.question)
    said = estimate(asking.text + _rest(asking.response(), asked))
    return {"prompt_tokens": sent, "completion_tokens": said, "total_tokens": sent + said}


def _completion(asking: QuestionState, asked: CompletionRequest) -> dict[str, Any]:
    answer = asking.response()
    message = {"role": "assistant", "content": (answer.answer or "") + _rest(answer, asked)}
    choice = {"index": 0, "message": message, "finish_reason": _finish_reason(asking)}
    return {
        "id": _new_id(),
        "object": "chat.completion",
        "created": int(time.time()),
        "model": asked.model,
        "choices": [choice],
        "usage": _usage(asking, asked),
    }


def _rest(answer: AskResponse, asked: CompletionRequest) -> str:
    """What is said behind a model's words, or in place of them."""
    parts = [f"_{said}_" for said in (answer.notice, asked.unread) if said]
    if answer.answer:
        cited = [f"[{each.number}] {each.cited}" for each in answer.pieces]
        parts.append("\n".join(cited))
    else:
        parts += [f"[{p.number}] {p.cited}\n{_fenced(p.text)}" for p in answer.pieces]
    said = "\n\n".join(filter(None, parts))
    return f"\n\n{said}" if answer.answer and said else said


def _fenced(text: str) -> str:
    """Between fences longer than any in it: a document's own would end them."""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}\n{text}\n{fence}"


def _new_id() -> str:
    return f"chatcmpl-{uuid.uuid4().hex}"


def _no_model(name: str) -> NotFoundError:
    return NotFoundError(f"no model is called {clipped(name)!r}", "See /v1/models.")


def _model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 0, "owned_by": "surveyor"}


def _json(value: object, status: int = 200) -> Response:
    return Response(msgspec.json.encode(value), status, media_type="application/json")


def _error(error: SurveyorError, status: int = 400) -> Response:
    status = 404 if isinstance(error, NotFoundError) else status
    said = {
        "message": error.sentence,
        "type": "invalid_request_error",
        "param": error.parameter if isinstance(error, ChatParameterError) else None,
        "code": error.code,
    }
    return _json({"error": said}, status)
