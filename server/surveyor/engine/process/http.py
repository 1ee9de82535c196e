"""The operations over HTTP, with health, metrics and a description of the interface."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any

import msgspec
import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from surveyor import __version__
from surveyor.engine.index.pipeline import Pipeline
from surveyor.engine.operations import Caller, Operations
from surveyor.engine.operations.ask import AskOperations
from surveyor.engine.process.chat_http import chat_routes
from surveyor.engine.process.deadlines import DeadlineError
from surveyor.engine.process.http_body import body_of
from surveyor.engine.process.lifetime import Lifetime
from surveyor.engine.process.openapi import describe_interface
from surveyor.engine.process.sessions import (
    LINE_LIMIT_BYTES,
    UNREADABLE,
    Sessions,
    error_data,
    log_fault,
)
from surveyor.engine.projects.registry import ProjectRegistry
from surveyor.errors import (
    DiskFullError,
    EngineUnavailableError,
    NotFoundError,
    SurveyorError,
    UsageError,
)
from surveyor.protocol.base import PROTOCOL_MAX, PROTOCOL_MIN
from surveyor.protocol.wire import clipped, shown
from surveyor.store.state import State, StateError, queue
from surveyor.store.vectors.contract import StoreError
from surveyor.worker.pool import WorkerPool

MESSAGE_CHARS = 2000
"""An error says no more, whatever it quotes."""


def create_app(
    operations: Operations,
    answer: Callable[[str, bytes, Caller], Awaitable[Any]],
    is_authorised: Callable[[str | None], bool],
    explain: Callable[[Exception], SurveyorError],
    metrics_text: Callable[[], Awaitable[str]],
    lifetime: Lifetime,
    ask: AskOperations,
    projects: ProjectRegistry,
) -> Starlette:
    """The HTTP application: `POST /v1/<operation>`, `/health`, `/metrics`, `/openapi.json`.

    And `/v1/chat/completions` with `/v1/models`. `answer` serves one operation, `is_authorised`
    says whether a caller with a token may be served, `explain` what to say of a fault of ours.
    """

    async def operation(request: Request) -> Response:
        if not is_authorised(_token(request)):
            return _error(401, UsageError("a bearer token is needed"))
        name = request.path_params["name"]
        if name == "models":  # of the chat interface: to be read only
            refused = _error(405, UsageError("models are asked for with GET"))
            refused.headers["Allow"] = "GET"
            return refused
        if name not in operations:
            said = f"no such operation: {shown(name)}"
            return _error(404, NotFoundError(said, "See /openapi.json."))
        body = await body_of(request, LINE_LIMIT_BYTES)
        if body is None:
            said = f"the request is longer than {LINE_LIMIT_BYTES >> 20} MB"
            return _error(413, UsageError(said, "Send less at once."))
        try:
            answered = await answer(name, body or b"{}", Caller())
        except UNREADABLE as error:
            return _error(422, UsageError(f"not what {name} takes: {error}", "See /openapi.json."))
        except SurveyorError as error:
            return _error(status_of(error), error)
        except Exception as error:
            fault = explain(error)
            log_fault(name, fault)
            return _error(503 if isinstance(fault, EngineUnavailableError) else 500, fault)
        return _json(answered)

    async def health(_: Request) -> Response:
        return _json(
            {
                "status": "starting" if lifetime.starting else "ok",
                "version": __version__,
                "protocol": [PROTOCOL_MIN, PROTOCOL_MAX],
                "pid": lifetime.pid,
                "uptime_s": round(lifetime.uptime_s, 3),
            }
        )

    async def metrics(_: Request) -> Response:
        return Response(await metrics_text(), media_type="text/plain; version=0.0.4")

    async def openapi(_: Request) -> Response:
        return _json(await asyncio.to_thread(describe_interface, operations))

    return Starlette(
        routes=[
            *chat_routes(
                ask,
                projects.all,
                lifetime.touch,
                lambda request: is_authorised(_token(request)),
            ),
            Route("/v1/{name:str}", operation, methods=["POST"]),
            Route("/health", health),
            Route("/metrics", metrics),
            Route("/openapi.json", openapi),
        ],
        exception_handlers={HTTPException: _not_routed},
    )


def server_of(app: Starlette) -> uvicorn.Server:
    """What serves the application. Blocks: it imports what that takes, which `serve` would do on
    the event loop."""
    config = uvicorn.Config(app, log_level="warning", lifespan="off", access_log=False)
    config.load()
    return _Server(config)


class _Server(uvicorn.Server):
    """uvicorn without its signal handlers: the engine has its own."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def status_of(error: SurveyorError) -> int:
    """The HTTP status of an error: who has to do something about it."""
    if isinstance(error, NotFoundError):
        return 404
    if isinstance(error, DiskFullError):
        return 507
    if isinstance(error, DeadlineError):
        return 504
    if isinstance(error, StateError):
        return 500
    if isinstance(error, EngineUnavailableError | StoreError):
        return 503
    return 422


def _token(request: Request) -> str | None:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token if scheme.lower() == "bearer" else None


def _json(value: object, status: int = 200) -> Response:
    return Response(msgspec.json.encode(value), status, media_type="application/json")


def _error(status: int, error: SurveyorError) -> Response:
    message = clipped(error.message, MESSAGE_CHARS)
    return _json({"error": {"message": message, **error_data(error)}}, status)


async def _not_routed(request: Request, raised: Exception) -> Response:
    """What no route takes: in the form that every error has."""
    status = getattr(raised, "status_code", 404)
    headers = getattr(raised, "headers", None) or {}
    path = shown(request.url.path)
    allowed = ", ".join(sorted(headers.get("Allow", "").split(", ")))  # Starlette joins a set
    error: SurveyorError = (
        UsageError(f"{path} takes {allowed}, not {shown(request.method)}", "See /openapi.json.")
        if allowed
        else NotFoundError(f"there is nothing at {path}", "See /openapi.json.")
    )
    response = _error(status, error)
    response.headers.update(headers)
    return response


async def metrics_of(
    state: State,
    lifetime: Lifetime,
    sessions: Sessions,
    projects: ProjectRegistry,
    pool: WorkerPool,
    pipeline: Pipeline,
) -> str:
    """Prometheus text: what an operator would draw."""
    counts = await queue.counts(state)
    stages = pipeline.committer.timings.items()
    return "".join(
        (
            _metric("uptime_seconds", "gauge", "Since the engine started.",
                    {"": f"{lifetime.uptime_s:.1f}"}),
            _metric("sessions", "gauge", "Clients that are connected.", {"": len(sessions)}),
            _metric("projects", "gauge", "Projects that are registered.",
                    {"": len(await projects.all())}),
            _metric("index_workers", "gauge", "Worker processes.", {"": len(pool.pids)}),
            _metric("queue_items", "gauge", "Files that wait to be indexed, by state.",
                    {f'{{status="{status}"}}': number for status, number in counts.items()}),
            _metric("indexing_seconds_total", "counter", "Time spent on indexing, by stage.",
                    {f'{{stage="{stage}"}}': f"{seconds:.4f}" for stage, seconds in stages}),
        )
    )  # fmt: skip


def _metric(name: str, kind: str, means: str, samples: Mapping[str, object]) -> str:
    """One family of samples by their labels, in Prometheus' text format."""
    name = f"surveyor_{name}"
    lines = [f"# HELP {name} {means}", f"# TYPE {name} {kind}"]
    lines += [f"{name}{labels} {value}" for labels, value in samples.items()]
    return "".join(f"{line}\n" for line in lines) if samples else ""
