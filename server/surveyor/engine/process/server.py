"""What an engine serves: its sockets, sessions and HTTP, until it is told to end."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import json
import logging
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from surveyor import __version__
from surveyor.engine.app import Engine
from surveyor.engine.operations import Caller
from surveyor.engine.operations.ask import AskOperations
from surveyor.engine.process.data_folder import DataFolderHold
from surveyor.engine.process.loop_watchdog import watch
from surveyor.engine.process.sessions import (
    LINE_LIMIT_BYTES,
    Session,
    SessionServices,
    internal_error,
)
from surveyor.engine.process.shutdown import leave, leave_after
from surveyor.engine.process.web import WebServer
from surveyor.errors import SurveyorError
from surveyor.platform import endpoints
from surveyor.platform.event_loop import on_end_signals

if TYPE_CHECKING:
    import uvicorn

log = logging.getLogger(__name__)


BLOCKING_THREADS = 32
"""Threads for what would hold the event loop, started as they are needed."""


async def serve(
    data: Path,
    folder: Path,
    data_hold: DataFolderHold,
    release: Callable[[], None],
    refusal: SurveyorError | None,
    given: dict[str, socket.socket],
) -> None:
    """Open what is in a data folder and answer until told to end; the lock is the caller's, and
    the sockets too that it was `given`.

    Then `release` is called, and this process is gone within seconds, whatever it does.
    """
    engine = Engine(data, refusal, on_stop=lambda: leave_after(release))
    loop = asyncio.get_running_loop()
    # Few by default, and what asks a drive that has stalled keeps its own.
    loop.set_default_executor(ThreadPoolExecutor(BLOCKING_THREADS, "blocking"))
    on_end_signals(loop, engine.lifetime.stop)
    try:
        await engine.open()
    except BaseException:
        # The state's threads would keep a process alive that serves nobody, and clients start
        # the next one.
        state = getattr(engine, "state", None)
        if state is not None:
            await state.close()
        raise
    watch()
    token = endpoints.make_token(folder)
    is_authorised = partial(_is_authorised, token)

    def explain(error: Exception) -> SurveyorError:
        return internal_error(
            error,
            data_hold.check(),
            engine.state.path,
            is_ending=engine.lifetime.stopping.is_set(),
        )

    async def answer(name: str, params: bytes, session: Session) -> Any:
        return await engine.answer(name, params, Caller(session=session))

    services = SessionServices(
        sessions=engine.sessions,
        relays=engine.relays,
        lifetime=engine.lifetime,
        operations=engine.operations,
        answer=answer,
        is_authorised=is_authorised,
        opened=engine.activity.opened,
        closed=engine.activity.closed,
        folder_problem=data_hold.check,
        explain=explain,
    )

    def load_web() -> uvicorn.Server:
        # A fifth of the time of a start; see `web`.
        from surveyor.engine.process import http

        metrics_text = partial(
            http.metrics_of,
            engine.state,
            engine.lifetime,
            engine.sessions,
            engine.projects,
            engine.pool,
            engine.pipeline,
        )
        app = http.create_app(
            engine.operations,
            engine.answer,
            is_authorised,
            explain,
            metrics_text,
            engine.lifetime,
            engine.operations.group(AskOperations),
            engine.projects,
        )
        return http.server_of(app)

    connections: set[asyncio.Task[None]] = set()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        connections.add(task)
        try:
            await Session(services, reader, writer).serve()
        except (ConnectionError, asyncio.CancelledError, ValueError) as error:
            log.debug("a session ended: %r", error)
        finally:
            connections.discard(task)
            writer.close()

    with _sockets(folder, given) as (http_socket, session_socket):
        sessions = await asyncio.start_server(accept, sock=session_socket, limit=LINE_LIMIT_BYTES)
        web = WebServer(http_socket, load_web)
        (folder / "engine.json").write_text(
            json.dumps({"pid": engine.lifetime.pid, "version": __version__, **_ports(folder)})
        )
        engine.tasks.spawn(data_hold.monitor(engine.lifetime.stop))
        log.info("engine %s serves %s", __version__, data)
        await engine.lifetime.stopping.wait()
        sessions.close()
        closing = asyncio.create_task(web.close())
        for session in engine.sessions:
            session.close()
        for task in list(connections):
            task.cancel()
        await asyncio.gather(*connections, return_exceptions=True)
        await closing
        await engine.close()
        (folder / "engine.json").unlink(missing_ok=True)
    release()
    leave()  # without waiting for threads, which may hang in the calls of others


def _is_authorised(token: str | None, given: str | None) -> bool:
    """Whether a caller may be served; a private socket needs no token."""
    return token is None or hmac.compare_digest(token, given or "")


@contextlib.contextmanager
def _sockets(
    folder: Path, given: dict[str, socket.socket]
) -> Iterator[tuple[socket.socket, socket.socket]]:
    """Listening sockets for HTTP and sessions; their files go with them, but for those `given`,
    which somebody else listens on before and after. What a killed engine left is replaced.
    """
    wanted = [folder / "engine.sock", folder / "session.sock"]
    opened = [given.get(str(name)) or endpoints.listen(name) for name in wanted]
    try:
        yield opened[0], opened[1]
    finally:
        for each in opened:
            each.close()
        for name in wanted:
            if str(name) not in given:
                name.unlink(missing_ok=True)
        endpoints.remove_token(folder)


def _ports(folder: Path) -> dict[str, str]:
    return {"http": str(folder / "engine.sock"), "session": str(folder / "session.sock")}
