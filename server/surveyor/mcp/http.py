"""MCP over streamable HTTP: on loopback, for who has the token; off unless `[mcp] http` is on.

The Host and Origin headers are checked, so that a web page cannot reach it through the user's
browser. The project is named in the address (`/mcp?project=/path`), or in each call.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import logging
import secrets
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from surveyor import paths
from surveyor.mcp.agent import Agent
from surveyor.mcp.serving import AgentServer, Context

if TYPE_CHECKING:
    from surveyor.engine.core import Engine

log = logging.getLogger(__name__)

TOKEN_FILE = "mcp-token"
TOKEN_BYTES = 32
ADDRESS_FILE = "mcp-address"
PATH = "/mcp"


class HttpServer(AgentServer):
    """One server for all HTTP sessions; the request's address says which project is meant."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(Agent(engine, None, []))
        self._agents: dict[str, Agent] = {}

    async def agent_of(self, ctx: Context) -> Agent:
        """The agent for the project that the request's address names."""
        request = ctx.request
        project = request.query_params.get("project") if isinstance(request, Request) else None
        if not project:
            return self.agent
        known = self._agents.get(project)
        if known is None:
            known = Agent(self.agent.engine, None, [project])
            await known.open_roots([project])
            self._agents[project] = known
        return known


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
    server = HttpServer(engine)
    await server.prepare()
    names = sorted({settings.host, "127.0.0.1", "localhost", "[::1]"})
    app: Any = server.sdk.streamable_http_app(
        streamable_http_path=PATH,
        host=settings.host,
        transport_security=TransportSecuritySettings(
            enable_dns_rebinding_protection=True,
            allowed_hosts=[f"{name}:*" for name in names],
            allowed_origins=[f"http://{name}:*" for name in names],
        ),
    )
    web = _Web(
        uvicorn.Config(
            _Guard(app, token_of(folder)), log_level="warning", access_log=False, lifespan="on"
        )
    )
    (folder / ADDRESS_FILE).write_text(f"http://{host}:{port}{PATH}")
    log.info("MCP over HTTP on %s:%d", host, port)
    serving = asyncio.create_task(web.serve(sockets=[listening]))
    watching = asyncio.create_task(server.watch())

    async def close() -> None:
        watching.cancel()
        web.should_exit = True
        web.force_exit = True
        await serving
        (folder / ADDRESS_FILE).unlink(missing_ok=True)

    engine.closers.append(close)
