"""`surveyor mcp`: lines between an agent's stdio and the MCP server that lives in the engine.

Only what starts in milliseconds is imported: the SDK is paid for once, in the engine. The relay
reads of each message no more than what it needs to keep an agent's session whole when the engine
is replaced or killed: the handshake is said again, and what was under way is answered with an
error that says to call again. When no engine can run, `degraded` answers in its place.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from surveyor import __version__, paths
from surveyor.engine_lock import START_LOCK, FileLock, is_held, pause_after
from surveyor.errors import SurveyorError
from surveyor.platform import endpoints
from surveyor.platform.load import slowness
from surveyor.protocol.wire import id_of, is_json, mended

READ_BYTES = 1 << 16
START_TIMEOUT_S = 30.0
DRAIN_S = 10.0
"""How long answers are waited for after the agent has closed its side."""
PLAIN_ANSWER = re.compile(rb'\{"jsonrpc":"2\.0","id":(\d+),"(?:result|error)":')
"""How the engine's answers begin: only what begins in another way is parsed."""
LINE_LIMIT_BYTES = 32 << 20
"""Longest message of an agent: half of what the engine takes in one line."""
PARSE_ERROR = -32700
INVALID_REQUEST = -32600
GONE = "the engine ended while it was answering"

Message = dict[str, Any]


def main(arguments: list[str]) -> int:
    """Relay until the agent closes its side; returns the exit code."""
    project = _project(arguments)
    if project is None:
        sys.stderr.write("usage: surveyor mcp [-C|--project PATH]\n")
        return 2
    # A client with no folder open puts nothing in the place of its variable: that names no folder.
    root = paths.named_path(project.strip() or Path.cwd())
    return AgentRelay(str(root), implied=not project.strip()).run()


def _project(arguments: list[str]) -> str | None:
    if not arguments:
        return ""
    if len(arguments) == 2 and arguments[0] in ("--project", "-C"):
        return arguments[1]
    if len(arguments) == 1 and arguments[0].startswith("--project="):
        return arguments[0].partition("=")[2]
    return None


class AgentRelay:
    """One agent's session, over as many engines as it takes."""

    def __init__(self, root: str, *, implied: bool) -> None:
        self._root = root
        self._implied = implied
        self._engine: socket.socket | None = None
        self._lock = threading.RLock()
        self._out = threading.Lock()
        self._pending: set[int | str] = set()
        self._opening: bytes = b""
        self._initialised: bytes = b""
        self._swallow: int | str | None = None
        self._reader: threading.Thread | None = None
        self._closing = False
        self._problem: tuple[str, str] = ("", "")
        self._degraded = False

    def run(self) -> int:
        """Pump both ways."""
        lines = LineSplitter(LINE_LIMIT_BYTES)
        while block := os.read(0, READ_BYTES):
            for line in lines.feed(block):
                self._from_agent(line)
        for line in lines.end():
            self._from_agent(line)
        self._closing = True
        with self._lock:
            engine, reader = self._engine, self._reader
        if engine is not None:
            with contextlib.suppress(OSError):
                engine.shutdown(socket.SHUT_WR)
            if reader is not None:
                reader.join(DRAIN_S)
        return 0

    # --- from the agent ---------------------------------------------------------------------

    def _from_agent(self, line: bytes | OversizedLine) -> None:
        if isinstance(line, OversizedLine):
            said = f"a message of {line.size} bytes is too long: at most {LINE_LIMIT_BYTES}"
            self._refuse(line.head, INVALID_REQUEST, said)
            return
        if not line.strip():
            return
        if b"\\u" in line:
            line = mended(line)
        message = _parse(line)
        if not message:
            wrong = INVALID_REQUEST if is_json(line) else PARSE_ERROR
            said = "not a JSON-RPC message" if wrong == INVALID_REQUEST else "not JSON"
            self._refuse(line, wrong, said)
            return
        method = message.get("method")
        number = _id(message)
        if method == "initialize":
            self._opening = line
        elif method == "notifications/initialized":
            self._initialised = line
        with self._lock:
            if self._engine is None and not self._connect(first=method == "initialize"):
                self._answer_degraded(message)
                return
            if method is not None and number is not None:
                self._pending.add(number)
            engine = self._engine
        assert engine is not None
        try:
            engine.sendall(line + b"\n")
        except OSError:
            self._lost(engine)

    def _refuse(self, line: bytes, code: int, text: str) -> None:
        """Answer what is no message, under its id where it has one."""
        error = {"code": code, "message": text}
        said = {"jsonrpc": "2.0", "id": id_of(line), "error": error}
        self._to_agent(json.dumps(said).encode() + b"\n")

    def _answer_degraded(self, message: Message) -> None:
        from surveyor.mcp.degraded import answer  # rarely needed

        self._degraded = True
        said = answer(message, *self._problem)
        if said is not None:
            self._to_agent(json.dumps(said).encode() + b"\n")

    def _to_agent(self, data: bytes) -> None:
        with self._out:
            view = memoryview(data)
            while view:
                view = view[os.write(1, view) :]

    # --- from the engine --------------------------------------------------------------------

    def _read(self, engine: socket.socket) -> None:
        lines = LineSplitter(None)
        try:
            while block := engine.recv(READ_BYTES):
                for line in lines.feed(block):
                    assert isinstance(line, bytes)
                    self._from_engine(line)
        except OSError:
            pass
        self._lost(engine)

    def _from_engine(self, line: bytes) -> None:
        plain = PLAIN_ANSWER.match(line)
        message = {"id": int(plain[1])} if plain else _parse(line)
        number = _id(message)
        if "method" not in message and number is not None:
            with self._lock:
                if number == self._swallow:
                    self._swallow = None
                    return
                self._pending.discard(number)
        self._to_agent(line + b"\n")

    def _lost(self, engine: socket.socket) -> None:
        """The connection ended: say so to who waits, and look for the next engine."""
        with self._lock:
            if self._engine is not engine:
                return
            self._engine = None
            engine.close()
            waiting, self._pending = sorted(self._pending, key=str), set()
        if not self._closing or waiting:
            for number in waiting:
                error = {"code": -32000, "message": f"{GONE}; call again"}
                said = {"jsonrpc": "2.0", "id": number, "error": error}
                self._to_agent(json.dumps(said).encode() + b"\n")
        if not self._closing:
            with self._lock:
                self._connect(first=False)

    # --- connecting -------------------------------------------------------------------------

    def _connect(self, *, first: bool) -> bool:
        """Attach to the engine, starting one if need be; False when none can run."""
        if self._engine is not None:
            return True
        engine = _attach(self._root, self._implied)
        if engine is None:
            engine = self._find()
        if engine is None:
            return False
        self._engine = engine
        if not first and self._opening:
            self._swallow = _parse(self._opening).get("id")
            engine.sendall(self._opening + b"\n")
            if self._initialised:
                engine.sendall(self._initialised + b"\n")
        self._reader = threading.Thread(target=self._read, args=(engine,), daemon=True)
        self._reader.start()
        if self._degraded:
            self._degraded = False
            changed = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
            self._to_agent(json.dumps(changed).encode() + b"\n")
        return True

    def _find(self) -> socket.socket | None:
        """Wait for the engine that somebody starts, or start it; None, with why, when none runs."""
        turn = _take_turn()
        try:
            engine = _await_engine(self._root, self._implied) if turn is None else None
            if engine is not None:
                return engine
            from surveyor.client.blocking import connect  # not where an engine runs already

            connect(start=True, turn=turn).close()
        except ImportError as error:
            self._problem = (str(error), "Install Surveyor again.")
            return None
        except SurveyorError as error:
            self._problem = (error.message, error.hint)
            return None
        finally:
            if turn is not None:
                turn.release()
        engine = _attach(self._root, self._implied)
        if engine is None:
            self._problem = ("the engine does not answer", "See `surveyor engine logs`.")
        return engine


class OversizedLine:
    """A line that is longer than any message: how long, and how it begins."""

    def __init__(self, size: int, head: bytes) -> None:
        self.size = size
        self.head = head


class LineSplitter:
    """Lines of what comes in blocks; of one that is too long no more than its beginning is kept."""

    def __init__(self, limit: int | None) -> None:
        self._limit = limit
        self._blocks: list[bytes] = []
        self._size = 0

    def feed(self, block: bytes) -> Iterator[bytes | OversizedLine]:
        """The lines that are whole with this block."""
        begin = 0
        while (end := block.find(b"\n", begin)) >= 0:
            self._keep(block[begin:end])
            begin = end + 1
            yield self._take()
        self._keep(block[begin:])

    def end(self) -> Iterator[bytes | OversizedLine]:
        """What is left when nothing follows."""
        if self._size:
            yield self._take()

    def _keep(self, part: bytes) -> None:
        if self._limit is None or self._size <= self._limit:
            self._blocks.append(part)
        self._size += len(part)

    def _take(self) -> bytes | OversizedLine:
        line, size = b"".join(self._blocks), self._size
        self._blocks, self._size = [], 0
        return line if self._limit is None or size <= self._limit else OversizedLine(size, line)


def _parse(line: bytes) -> Message:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return message if isinstance(message, dict) else {}


def _id(message: Message) -> int | str | None:
    """The id of a request or an answer, if it is one that the protocol has."""
    number = message.get("id")
    is_one = isinstance(number, int | str) and not isinstance(number, bool)
    return number if is_one else None


def _take_turn() -> FileLock | None:
    """The right to start an engine; None while another client has it."""
    try:
        turn = FileLock(paths.make_folders(paths.data_dir()) / START_LOCK)
        return turn if turn.acquire() else None
    except (OSError, SurveyorError):
        return None  # said when it is tried


def _await_engine(root: str, implied: bool) -> socket.socket | None:
    """A connection to the engine that somebody else starts; None when nobody does any more.

    All the agents of a user lose an engine at the same time. Those that wait load nothing: it
    would be taken from what the engine needs to start.
    """
    folder = paths.runtime_dir(paths.data_dir())
    begun, limit = time.monotonic(), START_TIMEOUT_S * slowness()
    while (waited := time.monotonic() - begun) < limit:
        engine = _attach(root, implied)
        if engine is not None:
            return engine
        if not any(is_held(folder / name) for name in ("engine.lock", START_LOCK)):
            return None
        time.sleep(pause_after(waited))
    return None


def _attach(root: str, implied: bool) -> socket.socket | None:
    """A greeted connection that carries MCP from now on; None when no engine answers."""
    data = paths.data_dir()
    try:
        connection, token = _open(data)
    except OSError:
        return None
    hello = {
        "client": "mcp",
        "version": __version__,
        "pid": os.getpid(),
        "parent": os.getppid(),
        "protocol": [1, 1],
        "roots": [root],
        "roots_implied": implied,
        "relay": "mcp",
        "token": token,
    }
    greeting = {"jsonrpc": "2.0", "id": 0, "method": "hello", "params": hello}
    try:
        connection.sendall(json.dumps(greeting).encode() + b"\n")
        welcome = b""
        while not welcome.endswith(b"\n"):
            block = connection.recv(1)  # not a byte of what follows
            if not block:
                raise OSError("closed")
            welcome += block
        if "result" in _parse(welcome):
            return connection
    except OSError:
        pass
    connection.close()
    return None


def _open(data: Any) -> tuple[socket.socket, str | None]:
    folder = paths.runtime_dir(data)
    return endpoints.connect(folder / "session.sock"), endpoints.read_token(folder)
