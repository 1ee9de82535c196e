"""`initialize`, answered before the heavy half of the server is imported.

The rest takes a few tenths of a second to import on a busy machine; an editor waits for this one
answer with everything else. What is advertised here is served by `server.py`; a test compares
the two.
"""

from __future__ import annotations

import asyncio
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from surveyor import __version__, paths
from surveyor.lsp import capabilities
from surveyor.lsp import settings as options
from surveyor.lsp.capabilities import Offers
from surveyor.lsp.message_reader import envelopes, failure
from surveyor.lsp.settings import EditorSettings
from surveyor.servers import messages
from surveyor.servers.errors import INVALID_PARAMS, SERVER_NOT_INITIALIZED

COMMANDS = ("search", "similar", "reindex", "status", "remember", "impact")
"""Served as `surveyor.<name>` by `workspace/executeCommand`."""

NOTHING_KNOWN: Mapping[str, Offers] = {}


@dataclass(frozen=True, slots=True)
class EditorInfo:
    """The parameters of `initialize`, as the editor sent them, and our answer to it."""

    params: dict[str, Any]
    number: Any = None
    """The request's id."""
    settings: EditorSettings = field(default_factory=EditorSettings)
    """What the user's file and the editor say, as far as it is known so early."""

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

    @property
    def waits(self) -> bool:
        """Whether the answer has to wait for what the workspace's servers offer."""
        return capabilities.needs_servers(self.capabilities, self.settings)

    def result(self, known: Mapping[str, Offers] = NOTHING_KNOWN) -> dict[str, Any]:
        """Our `InitializeResult`. Positions are UTF-16 whatever the editor offers.

        `known` is what servers offer, by language.
        """
        providers: dict[str, Any] = {
            "positionEncoding": "utf-16",
            "textDocumentSync": {
                "openClose": True,
                "change": 2,
                "save": {"includeText": False},
            },
            "workspaceSymbolProvider": True,
            "executeCommandProvider": {"commands": [f"surveyor.{name}" for name in COMMANDS]},
            "workspace": {"workspaceFolders": {"supported": True, "changeNotifications": True}},
        }
        dynamic = capabilities.is_dynamic(self.capabilities, capabilities.CODE_LENS)
        if not dynamic:  # elsewhere it comes and goes with the setting
            providers["codeLensProvider"] = {"resolveProvider": True}
        found = capabilities.static(self.capabilities, self.settings, known)
        for path, offered in found.items():
            capabilities.put(providers, path, offered)
        for name, value in capabilities.own(self.settings, known).items():
            providers.setdefault(name, value)
        return {
            "capabilities": providers,
            "serverInfo": {"name": "surveyor", "version": __version__},
        }

    def answer(self, known: Mapping[str, Offers] = NOTHING_KNOWN) -> bytes:
        """The response to `initialize`."""
        return messages.splice_result(self.number, messages.encode(self.result(known)))


def settings_of(params: Mapping[str, Any]) -> EditorSettings:
    """Settings of the user's file and of `initialize`, without what takes long to import."""
    layers: list[Mapping[str, Any]] = []
    try:
        table = tomllib.loads(paths.config_file().read_text(encoding="utf-8"))
    except (OSError, ValueError):  # told of when it is read in earnest
        table = {}
    if isinstance(table.get("lsp"), dict):
        layers.append(table["lsp"])
    if isinstance(table.get("proxy"), dict):
        layers.append({"proxy": table["proxy"]})
    given = params.get("initializationOptions")
    return options.read([*layers, given if isinstance(given, dict) else {}])


async def greet(reader: asyncio.StreamReader, write: Callable[[bytes], None]) -> EditorInfo | None:
    """Wait for `initialize` and answer it; `None` when the editor leaves instead.

    Nor is it answered here where the answer waits (`EditorInfo.waits`). Other requests get -32002,
    other notifications are dropped, as LSP says. Raises `FramingError`.
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
        editor_info = EditorInfo(params, message.id, settings_of(params))
        if not editor_info.waits:
            write(editor_info.answer())
        return editor_info
    return None


def readable(params: msgspec.Raw) -> Any:
    """The params as Python objects; `None` for what is none."""
    try:
        return messages.decode(params)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
