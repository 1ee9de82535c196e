"""Agents that ask an engine without pause, over `surveyor mcp`, while it is killed."""

from __future__ import annotations

import json
import subprocess
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from tests.agent_answers import data_of, results_of
from tests.product import Product


@dataclass
class Said:
    """One answer: when it was asked for and came, and what it says."""

    asked: float
    answered: float
    status: str | None
    reason: str | None
    paths: list[str]
    error: str = ""


@dataclass
class Agent:
    """One agent's session; its questions go on until it is told to stop."""

    surveyor: Product
    folder: Path
    query: str
    pause_s: float = 0.1
    said: list[Said] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._process = self.surveyor.start(
            "mcp", "--project", str(self.folder), stdin=subprocess.PIPE
        )
        self._number = 0
        self._stop = threading.Event()
        opening = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "agent", "version": "1"},
        }
        self._ask("initialize", opening)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(60)
        self._process.kill()
        self._process.communicate()

    def search(self) -> Said:
        asked = time.monotonic()
        answer = self._ask(
            "tools/call", {"name": "search", "arguments": {"query": self.query, "limit": 5}}
        )
        now = time.monotonic()
        if "error" in answer:
            return Said(asked, now, None, None, [], str(answer["error"].get("message")))
        result = answer["result"]
        told = data_of(result)
        error = json.dumps(result["content"]) if result.get("isError") else ""
        found = [] if error else [each["path"] for each in results_of(result)]
        return Said(asked, now, told.get("status"), told.get("reason"), found, error)

    def _run(self) -> None:
        while not self._stop.is_set():
            self.said.append(self.search())
            self._stop.wait(self.pause_s)

    def _ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        assert self._process.stdout is not None
        while line := self._process.stdout.readline():
            message: dict[str, Any] = json.loads(line)
            if message.get("id") == self._number and "method" not in message:
                return message
        raise AssertionError("the relay ended")

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()


def kill(surveyor: Product) -> float:
    """The engine and its workers, as the system would do it; returns when, on the monotonic clock.

    An engine that is just starting is waited for.
    """
    described = surveyor.runtime / "engine.json"
    while True:
        try:
            engine = psutil.Process(int(json.loads(described.read_text())["pid"]))
            killed = [*engine.children(recursive=True), engine]
            if "run" in engine.cmdline():
                break
        except (OSError, ValueError, psutil.Error):
            pass
        time.sleep(0.01)
    now = time.monotonic()
    for process in reversed(killed):
        with suppress(psutil.Error):
            process.kill()
    return now
