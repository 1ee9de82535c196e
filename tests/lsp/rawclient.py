"""An editor in a few lines: drives `surveyor lsp` over stdio, raw JSON in and out."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from surveyor.servers import messages
from surveyor.servers.process import ServerProcess
from surveyor.servers.rpc_session import MethodNotFoundError, RpcSession
from surveyor.servers.uris import to_uri
from tests.servers.support import PATIENCE_S, eventually

CHECKOUT = Path(__file__).parents[2]
LIMIT_S = 120.0


def environment(data: Path, extra: Mapping[str, str] | None = None) -> dict[str, str]:
    return {
        **os.environ,
        "PYTHONPATH": str(CHECKOUT / "server"),
        "SURVEYOR_DATA_DIR": str(data),
        "SURVEYOR_SERVERS__GRACE": "0",
        **(extra or {}),
    }


class RawEditor:
    """One editor window. `answers` are what it says to the server's requests."""

    def __init__(self, process: ServerProcess) -> None:
        self.process = process
        self.answers: dict[str, Any] = {}
        self.asked: list[tuple[str, Any]] = []
        self.told: list[tuple[str, Any]] = []
        self._changed = asyncio.Event()
        self.session = RpcSession(
            process.reader,
            process.writer,
            on_request=self._on_request,
            on_notification=self._on_notification,
            name="surveyor lsp",
        )
        self._reading = asyncio.ensure_future(self.session.run())

    @classmethod
    async def start(
        cls, data: Path, *, env: Mapping[str, str] | None = None, cwd: Path | None = None
    ) -> RawEditor:
        process = await ServerProcess.spawn(
            [sys.executable, "-m", "surveyor", "lsp"],
            cwd=cwd or CHECKOUT,
            env=environment(data, env),
        )
        return cls(process)

    async def initialize(
        self,
        *roots: Path,
        capabilities: Mapping[str, Any] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        folders = [{"uri": to_uri(root), "name": root.name} for root in roots]
        result = await self.request(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": folders[0]["uri"] if folders else None,
                "workspaceFolders": folders,
                "capabilities": capabilities or {},
                "initializationOptions": {"statusNotifications": True, **(options or {})},
            },
        )
        self.session.notify("initialized", {})
        return dict(result)

    async def request(self, method: str, params: Any = None, limit: float = LIMIT_S) -> Any:
        return messages.decode(await self.session.request(method, params, timeout=limit))

    async def raw(self, method: str, params: Any) -> bytes:
        return bytes(await self.session.request(method, params, timeout=LIMIT_S))

    def open(self, path: Path, language: str, text: str | None = None, version: int = 1) -> str:
        uri = to_uri(path)
        self.session.notify(
            "textDocument/didOpen",
            {
                "textDocument": {
                    "uri": uri,
                    "languageId": language,
                    "version": version,
                    "text": path.read_text() if text is None else text,
                }
            },
        )
        return uri

    async def at(self, method: str, uri: str, line: int, character: int, **more: Any) -> Any:
        return await self.request(method, {**place(uri, line, character), **more})

    async def eventually(
        self,
        method: str,
        params: Any,
        good: Callable[[Any], object] = bool,
        seconds: float = PATIENCE_S,
    ) -> Any:
        """Ask until the answer is good: what is slow is left out of an answer, not waited for."""
        return await eventually(lambda: self.request(method, params), good, seconds)

    async def wait_told(self, method: str, matches: Any = None, limit: float = LIMIT_S) -> Any:
        """The first notification of a method (that matches), past or to come."""
        async with asyncio.timeout(limit):
            while True:
                for name, params in self.told:
                    if name == method and (matches is None or matches(params)):
                        return params
                self._changed.clear()
                await self._changed.wait()

    async def wait_upstream(self, language: str, limit: float = LIMIT_S) -> dict[str, Any]:
        """Wait until the upstream of a language is ready."""

        def ready(status: Any) -> bool:
            return any(u["language"] == language and u["ready"] for u in status["upstreams"])

        status = await self.wait_told("surveyor/status", ready, limit)
        return next(dict(u) for u in status["upstreams"] if u["language"] == language)

    async def shutdown(self) -> int:
        await self.request("shutdown")
        self.session.notify("exit")
        return await asyncio.wait_for(self.process.process.wait(), LIMIT_S)

    async def close(self) -> None:
        await self.process.end(grace=0.0)
        self._reading.cancel()
        await asyncio.gather(self._reading, return_exceptions=True)

    async def _on_request(self, method: str, params: msgspec.Raw) -> Any:
        value = messages.decode(params)
        self.asked.append((method, value))
        self._changed.set()
        if method in self.answers:
            answer = self.answers[method]
            return answer(value) if callable(answer) else answer
        if method.startswith(("client/", "window/")):
            return None
        if method == "workspace/configuration":
            return [None for _ in value["items"]]
        raise MethodNotFoundError(method)

    def _on_notification(self, method: str, params: msgspec.Raw) -> None:
        self.told.append((method, messages.decode(params)))
        self._changed.set()


def place(uri: str, line: int, character: int) -> dict[str, Any]:
    return {
        "textDocument": {"uri": uri},
        "position": {"line": line, "character": character},
    }
