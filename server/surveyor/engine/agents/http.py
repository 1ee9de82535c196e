"""MCP over streamable HTTP: on loopback, for who has the token; off unless `[mcp] http` is on.

Beside it are OpenAI's chat completions, for editors that know no Unix socket; nothing else is.

The Host and Origin headers are checked, so that a web page cannot reach it through the user's
browser. The project is named in the address (`/mcp?project=/path`), or in each call. Each project
has an MCP server of its own, for the instructions and notifications are the project's.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import logging
import secrets
import socket
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import uvicorn
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp
from mcp.server.transport_security import (
    TransportSecurityMiddleware,
    TransportSecuritySettings,
)
from mcp_types import jsonrpc_message_adapter
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from surveyor.engine.agents.address import PATH
from surveyor.engine.agents.agent import Agent
from surveyor.engine.agents.event_store import RETRY_MS, ResumableSessions, SessionEvents
from surveyor.engine.agents.server import SESSION_HEADER, AgentServer
from surveyor.engine.agents.services import AgentServices, SessionHooks
from surveyor.engine.operations.engine_callables import SpawnTask
from surveyor.engine.process.chat_http import CHAT_PREFIX, chat_routes, not_served, refused
from surveyor.engine.process.sessions import Session
from surveyor.engine.projects import boundary
from surveyor.errors import SurveyorError, UsageError
from surveyor.files import contained_paths
from surveyor.protocol.sessions import Hello
from surveyor.protocol.wire import clipped, id_of, is_json, mended, shown

log = logging.getLogger(__name__)

MAX_NAMED_CHARS = 4096
MAX_BODY_BYTES = 32 << 20
"""Longest message of an agent, as over stdio."""
GONE_S = 30.0
"""A session without a request or an open stream for so long has ended, for the project's activity;
the next request brings it back."""


@dataclass(slots=True)
class _HttpSession:
    """An HTTP session, counted among the engine's: while it lasts its project is active."""

    session: Session
    requests: int = 0
    ending: asyncio.TimerHandle | None = None


class _HttpSessions:
    """Who is here: a session with a request under way, an open stream, or a recent one of these."""

    def __init__(
        self,
        visitors: SessionHooks,
        spawn: SpawnTask,
        root: str | None,
        ended: Callable[[str], None],
    ) -> None:
        self._visitors = visitors
        self._spawn = spawn
        self._root = root
        self._ended = ended
        self._open: dict[str, _HttpSession] = {}

    async def enter(self, key: str) -> None:
        """A request of a session begins."""
        visit = self._open.get(key)
        if visit is None:
            roots = [self._root] if self._root else []
            hello = Hello(client="mcp", version="", pid=0, roots=roots, relay="mcp")
            visit = self._open[key] = _HttpSession(self._visitors.session_of(hello))
            self._visitors.add(visit.session)
            await self._visitors.opened(visit.session)
        visit.requests += 1
        if visit.ending is not None:
            visit.ending.cancel()
            visit.ending = None

    def rename(self, key: str, new: str) -> None:
        """The server has given a new session its id."""
        if key != new and new not in self._open:
            self._open[new] = self._open.pop(key)

    def leave(self, key: str, *, ended: bool) -> None:
        """A request has been answered, or its caller is gone."""
        visit = self._open.get(key)
        if visit is None:
            return
        visit.requests -= 1
        if ended or visit.requests <= 0:
            loop = asyncio.get_running_loop()
            visit.ending = loop.call_later(0 if ended else GONE_S, self._end, key, visit)

    def _end(self, key: str, visit: _HttpSession) -> None:
        if self._open.get(key) is visit:
            del self._open[key]
            self._ended(key)
            self._visitors.discard(visit.session)
            self._spawn(self._visitors.closed(visit.session))


class _ProjectServer:
    """The MCP server of one project, with all sessions that name it."""

    def __init__(
        self, services: AgentServices, visitors: SessionHooks, root: str | None, names: list[str]
    ) -> None:
        agent = Agent(services, None, [root] if root else [], "address")
        self.server = AgentServer(agent, services.request_timeout)
        self.visits = _HttpSessions(visitors, services.spawn, root, self.server.forget)
        sessions = ResumableSessions(
            self.server.sdk,
            event_store=SessionEvents(),
            retry_interval=RETRY_MS,
            max_request_body_size=MAX_BODY_BYTES,
            security_settings=_guards(names),
        )
        self.app = Starlette(
            routes=[Route(PATH, endpoint=StreamableHTTPASGIApp(sessions))],
            lifespan=lambda _: sessions.run(),
        )

    async def live(self, ready: asyncio.Future[None]) -> None:
        """Keep the sessions until cancelled."""
        await self.server.agent.open_own_roots()
        async with self.app.router.lifespan_context(self.app):
            ready.set_result(None)
            await self.server.watch()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request of a session, old or new."""
        headers = dict(scope["headers"])
        known = headers.get(SESSION_HEADER.encode(), b"").decode("latin-1")
        key = known or secrets.token_hex(8)
        if not known:
            await self.server.prepare()  # what a new session is told: rules may have changed
        await self.visits.enter(key)

        async def sending(message: Message) -> None:
            nonlocal key
            if message["type"] == "http.response.start":
                given = dict(message.get("headers", ())).get(SESSION_HEADER.encode())
                if given is not None and not known:
                    self.visits.rename(key, given.decode("latin-1"))
                    key = given.decode("latin-1")
            await send(message)

        try:
            await self.app(scope, receive, sending)
        finally:
            self.visits.leave(key, ended=scope["method"] == "DELETE")


class _ProjectServers:
    """Finds the server of the project that a request's address names."""

    def __init__(self, services: AgentServices, visitors: SessionHooks, names: list[str]) -> None:
        self._services = services
        self._visitors = visitors
        self._names = names
        self._known: dict[str | None, _ProjectServer] = {}
        self._living: list[asyncio.Task[None]] = []
        self._lock = asyncio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        named = Request(scope).query_params.get("project")
        try:
            root = await self._root(named) if named else None
            project = await self._of(root)
        except SurveyorError as error:
            said = {"error": clipped(error.message), "hint": error.hint}
            await JSONResponse(said, 404)(scope, receive, send)
            return
        if scope["method"] == "POST":
            checked = await _readable(scope, receive, send)
            if checked is None:
                return
            receive = checked
        await project(scope, receive, send)

    async def _root(self, named: str) -> str:
        """A folder of a registered project as it is; a project's name or id as its folder.

        Raises `SurveyorError` for one that is not registered: an address registers nothing.
        """
        if "\0" in named or len(named) > MAX_NAMED_CHARS:
            raise UsageError(f"no project is called {shown(named)!r}", "Name its folder.")
        with boundary.answering(boundary.Reach(tuple)):
            root = (await self._services.resolve(project=named)).root
        if Path(named).is_absolute():
            folder = await asyncio.to_thread(contained_paths.real, named)
            if folder.is_relative_to(root) and folder.is_dir():
                return str(folder)
        return root

    async def _of(self, root: str | None) -> _ProjectServer:
        async with self._lock:
            known = self._known.get(root)
            if known is None:
                known = _ProjectServer(self._services, self._visitors, root, self._names)
                ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
                self._living.append(asyncio.create_task(known.live(ready)))
                await ready
                self._known[root] = known
        return known

    async def close(self) -> None:
        """End all sessions."""
        for task in self._living:
            task.cancel()
        await asyncio.gather(*self._living, return_exceptions=True)


async def _body(receive: Receive) -> bytes | None:
    """A request's body; `None` for one that is too long, of which no more is read."""
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return b"".join(parts)  # the caller is gone
        size += len(message.get("body", b""))
        if size > MAX_BODY_BYTES:
            return None
        parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            return b"".join(parts)


async def _readable(scope: Scope, receive: Receive, send: Send) -> Receive | None:
    """The request with a body that is a message; `None` where it was answered that it is none."""
    body = await _body(receive)
    if body is None:
        text = f"a message is longer than {MAX_BODY_BYTES} bytes"
        await _refused(413, None, -32600, text)(scope, receive, send)
        return None
    body = mended(body) if b"\\u" in body else body
    try:
        jsonrpc_message_adapter.validate_json(body, by_name=False)
    except (ValueError, RecursionError):
        code, text = (-32600, "Invalid Request") if is_json(body) else (-32700, "Parse error")
        await _refused(400, id_of(body), code, text)(scope, receive, send)
        return None
    return _given(body, receive)


def _given(body: bytes, receive: Receive) -> Receive:
    """A body that has been read, for who reads it next; then what comes after it."""
    given = False

    async def receiving() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receiving


def _refused(status: int, number: int | str | None, code: int, text: str) -> JSONResponse:
    error = {"code": code, "message": text}
    return JSONResponse({"jsonrpc": "2.0", "id": number, "error": error}, status)


def _guards(names: list[str]) -> TransportSecuritySettings:
    """Which Host and Origin headers are served."""
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=[f"{name}:*" for name in names],
        allowed_origins=[f"http://{name}:*" for name in names],
    )


class _ChatBeside:
    """ASGI application: chat completions and models below `/v1`, agents at all other paths."""

    def __init__(self, services: AgentServices, agents: ASGIApp, names: list[str]) -> None:
        self._chat = Starlette(
            routes=chat_routes(services.ask, services.checkouts, services.touch),
            exception_handlers={HTTPException: not_served},
        )
        self._guard = TransportSecurityMiddleware(_guards(names))
        self._agents = agents

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith(CHAT_PREFIX):
            await self._agents(scope, receive, send)
            return
        request = Request(scope)
        is_post = request.method == "POST"
        refusal = await self._guard.validate_request(request, is_post=is_post)
        if refusal is None:
            await self._chat(scope, receive, send)
        else:
            answer = refused(bytes(refusal.body).decode(), refusal.status_code)
            await answer(scope, receive, send)


class _TokenCheck:
    """ASGI middleware that refuses requests without the token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            given = dict(scope["headers"]).get(b"authorization", b"").decode("latin-1")
            kind, _, token = given.partition(" ")
            if kind.lower() != "bearer" or not hmac.compare_digest(token.strip(), self._token):
                refusal = JSONResponse(
                    {"error": "a bearer token is needed"}, 401, {"WWW-Authenticate": "Bearer"}
                )
                await refusal(scope, receive, send)
                return
        await self._app(scope, receive, send)


class _AgentWebServer(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


async def listen(
    services: AgentServices, visitors: SessionHooks, listening: socket.socket, host: str, token: str
) -> Callable[[], Awaitable[None]]:
    """Serve on a socket of `address.announce` who has the token; returns what ends it."""
    names = sorted({host, "127.0.0.1", "localhost", "[::1]"})
    projects = _ProjectServers(services, visitors, names)
    config = uvicorn.Config(
        _TokenCheck(_ChatBeside(services, projects, names), token),
        log_level="warning",
        access_log=False,
        lifespan="off",
    )
    await asyncio.to_thread(config.load)  # imports, which `serve` would do on the event loop
    web = _AgentWebServer(config)
    serving = asyncio.create_task(web.serve(sockets=[listening]))

    async def close() -> None:
        web.should_exit = True
        web.force_exit = True
        await projects.close()
        await serving

    return close
