"""`initialize`, answered before the heavy half of the server is imported.

pygls and lsprotocol take most of a second to import on a busy machine; an editor waits for this
one answer with everything else. What is advertised here is served by `server.py`; a test compares
the two.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec

from surveyor import __version__
from surveyor.lsp import capabilities
from surveyor.lsp import settings as options
from surveyor.lsp.message_reader import envelopes, failure
from surveyor.servers import messages
from surveyor.servers.errors import INVALID_PARAMS, SERVER_NOT_INITIALIZED

COMMANDS = ("search", "similar", "reindex", "status", "remember", "impact")
"""Served as `surveyor.<name>` by `workspace/executeCommand`."""


@dataclass(frozen=True, slots=True)
class EditorInfo:
    """The parameters of `initialize`, as the editor sent them, and our answer to it."""

    params: dict[str, Any]

    @property
    def capabilities(self) -> dict[str, Any]:
        """The editor's `ClientCapabilities`."""
        value = self.params.get("capabilities")
        return value if isinstance(value, dict) else {}

    @property
    def options(self) -> dict[str, Any]:
        """`initializationOptions`; empty when there are none."""
        value = self.params.get("initializationOptions")
        return value if isinstance(value, dict) else {}

    def result(self) -> dict[str, Any]:
        """Our `InitializeResult`. Positions are UTF-16 whatever the editor offers."""
        settings = options.read([self.options])
        providers: dict[str, Any] = {
            "positionEncoding": "utf-16",
            "textDocumentSync": {
                "openClose": True,
                "change": 2,
                "save": {"includeText": False},
            },
            "workspaceSymbolProvider": {"resolveProvider": True},
            "executeCommandProvider": {"commands": [f"surveyor.{name}" for name in COMMANDS]},
            "workspace": {"workspaceFolders": {"supported": True, "changeNotifications": True}},
        }
        dynamic = capabilities.is_dynamic(self.capabilities, "textDocument/codeLens")
        if not dynamic:  # elsewhere it comes and goes with the setting
            providers["codeLensProvider"] = {"resolveProvider": True}
        providers.update(capabilities.static(self.capabilities, settings))
        return {
            "capabilities": providers,
            "serverInfo": {"name": "surveyor", "version": __version__},
        }


async def greet(reader: asyncio.StreamReader, write: Callable[[bytes], None]) -> EditorInfo | None:
    """Wait for `initialize` and answer it; `None` when the editor leaves instead.

    Other requests get -32002, other notifications are dropped, as LSP says. Raises `FramingError`.
    """
    async for message in envelopes(reader, write):
        if message.method == "exit":
            return None
        if message.method is None or message.id is msgspec.UNSET:
            continue
        if message.method != "initialize":
            text = "the server is not initialized yet"
            write(failure(message.id, SERVER_NOT_INITIALIZED, text))
            continue
        params = readable(message.params)
        if not isinstance(params, dict):
            write(failure(message.id, INVALID_PARAMS, "initialize needs params"))
            continue
        editor_info = EditorInfo(params)
        write(messages.splice_result(message.id, messages.encode(editor_info.result())))
        return editor_info
    return None


def readable(params: msgspec.Raw) -> Any:
    """The params as Python objects; `None` for what is none."""
    try:
        return messages.decode(params)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
