"""MCP over streamable HTTP: on loopback, for who has the token; off unless `[mcp] http` is on.

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
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, cast

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from surveyor import inside, paths
from surveyor.engine import boundary
from surveyor.engine.sessions import Session
from surveyor.errors import SurveyorError
from surveyor.mcp.agent import Agent
from surveyor.mcp.serving import SESSION_HEADER, AgentServer
from surveyor.models import Hello

if TYPE_CHECKING:
    from surveyor.engine.core import Engine

log = logging.getLogger(__name__)

TOKEN_FILE = "mcp-token"
TOKEN_BYTES = 32
ADDRESS_FILE = "mcp-address"
PATH = "/mcp"
GONE_S = 30.0
"""A session without a request or an open stream for so long has ended, for the project's activity;
the next request brings it back."""


class _Visit(Session):
    """An HTTP session, counted among the engine's: while it lasts its project is active."""

    def __init__(self, engine: Engine, root: str | None) -> None:
        super().__init__(engine, asyncio.StreamReader(), cast("asyncio.StreamWriter", None))
        roots = [root] if root else []
        self.hello = Hello(client="mcp", version="", pid=0, roots=roots, relay="mcp")
        self.requests = 0
        self.ending: asyncio.TimerHandle | None = None

    def close(self) -> None:
        """There is no connection of its own: the web server closes what is open."""


class _Visits:
    """Who is here: a session with a request under way, an open stream, or a recent one of these."""

    def __init__(self, engine: Engine, root: str | None, ended: Callable[[str], None]) -> None:
        self._engine = engine
        self._root = root
        self._ended = ended
        self._open: dict[str, _Visit] = {}

    async def enter(self, key: str) -> None:
        """A request of a session begins."""
        visit = self._open.get(key)
        if visit is None:
            visit = self._open[key] = _Visit(self._engine, self._root)
            self._engine.sessions.add(visit)
            await self._engine.activity.opened(visit)
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

    def _end(self, key: str, visit: _Visit) -> None:
        if self._open.get(key) is visit:
            del self._open[key]
            self._ended(key)
            self._engine.sessions.discard(visit)
            self._engine.spawn(self._engine.activity.closed(visit))


class _Project:
    """The MCP server of one project, with all sessions that name it."""

    def __init__(self, engine: Engine, root: str | None, names: list[str]) -> None:
        agent = Agent(engine, None, [root] if root else [], "address")
        self.server = AgentServer(agent)
        self.visits = _Visits(engine, root, self.server.forget)
        self.app: Starlette = self.server.sdk.streamable_http_app(
            streamable_http_path=PATH,
            transport_security=TransportSecuritySettings(
                enable_dns_rebinding_protection=True,
                allowed_hosts=[f"{name}:*" for name in names],
                allowed_origins=[f"http://{name}:*" for name in names],
            ),
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


class _Projects:
    """Finds the server of the project that a request's address names."""

    def __init__(self, engine: Engine, names: list[str]) -> None:
        self._engine = engine
        self._names = names
        self._known: dict[str | None, _Project] = {}
        self._living: list[asyncio.Task[None]] = []
        self._lock = asyncio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        named = Request(scope).query_params.get("project")
        try:
            root = await self._root(named) if named else None
            project = await self._of(root)
        except SurveyorError as error:
            said = {"error": error.message, "hint": error.hint}
            await JSONResponse(said, 404)(scope, receive, send)
            return
        await project(scope, receive, send)

    async def _root(self, named: str) -> str:
        """A folder of a registered project as it is; a project's name or id as its folder.

        Raises `SurveyorError` for one that is not registered: an address registers nothing.
        """
        with boundary.answering(boundary.Reach(tuple)):
            root = (await self._engine.resolve(project=named)).root
        if Path(named).is_absolute():
            folder = await asyncio.to_thread(inside.real, named)
            if folder.is_relative_to(root) and folder.is_dir():
                return str(folder)
        return root

    async def _of(self, root: str | None) -> _Project:
        async with self._lock:
            known = self._known.get(root)
            if known is None:
                known = _Project(self._engine, root, self._names)
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


class _Guard:
    """Lets in who has the token."""

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


class _Web(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def token_of(folder: Path) -> str:
    """The token, made once; only the user can read it."""
    file = folder / TOKEN_FILE
    with contextlib.suppress(OSError):
        return file.read_text().strip()
    token = secrets.token_hex(TOKEN_BYTES)
    file.touch(mode=0o600)
    file.write_text(token)
    return token


async def listen(engine: Engine) -> None:
    """Serve until the engine ends. A port that is taken is logged, not fatal."""
    settings = engine.settings.mcp
    folder = paths.runtime_dir(engine.data_dir)
    try:
        listening = socket.create_server((settings.host, settings.port))
    except OSError as error:
        log.error("MCP over HTTP: %s:%d: %s", settings.host, settings.port, error)
        return
    host, port = listening.getsockname()[:2]
    names = sorted({settings.host, "127.0.0.1", "localhost", "[::1]"})
    projects = _Projects(engine, names)
    web = _Web(
        uvicorn.Config(
            _Guard(projects, token_of(folder)),
            log_level="warning",
            access_log=False,
            lifespan="off",
        )
    )
    writing = folder / f".{ADDRESS_FILE}"
    writing.write_text(f"http://{host}:{port}{PATH}")
    writing.replace(folder / ADDRESS_FILE)  # who waits for the file finds it whole
    log.info("MCP over HTTP on %s:%d", host, port)
    serving = asyncio.create_task(web.serve(sockets=[listening]))

    async def close() -> None:
        web.should_exit = True
        web.force_exit = True
        await projects.close()
        await serving
        (folder / ADDRESS_FILE).unlink(missing_ok=True)

    engine.closers.append(close)
