"""Who an upstream works for: an editor, or nobody (headless); and the client it sees.

`UpstreamHost` is what a face implements. `answer` gives every request that a server sends a
definite answer: forwarded where an editor is attached, else decided here. Nothing here
writes files.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, Protocol, TypeVar

import msgspec

from surveyor.servers import messages
from surveyor.servers.methods import FEATURES, LISTED, own_client_keys
from surveyor.servers.registry import ServerSpec
from surveyor.servers.rpc_session import MethodNotFoundError
from surveyor.servers.settings_layers import laid_over, settings_for
from surveyor.servers.uris import to_uri

REFRESHES = {
    "workspace/semanticTokens/refresh": "textDocument/semanticTokens",
    "workspace/inlayHint/refresh": "textDocument/inlayHint",
    "workspace/inlineValue/refresh": "textDocument/inlineValue",
    "workspace/codeLens/refresh": "textDocument/codeLens",
    "workspace/diagnostic/refresh": "textDocument/diagnostic",
    "workspace/foldingRange/refresh": "textDocument/foldingRange",
}
"""Requests of a server that something be asked for anew, and the feature that is meant."""


class AskingServer(Protocol):
    """What is known of a server when it asks."""

    @property
    def spec(self) -> ServerSpec:
        """Our data about it."""
        ...

    @property
    def root(self) -> Path:
        """The folder that it works on."""
        ...

    @property
    def registrations(self) -> dict[str, dict[str, Any]]:
        """Capabilities that it has registered, by their ids."""
        ...


S = TypeVar("S", bound=AskingServer)
S_contra = TypeVar("S_contra", bound=AskingServer, contravariant=True)


class UpstreamHost(Protocol[S_contra]):
    """Interface of what upstreams work for: an editor, or nobody (`HeadlessHost`)."""

    @property
    def attached(self) -> bool:
        """Whether an editor is there to be asked."""
        ...

    @property
    def capabilities(self) -> Mapping[str, Any]:
        """The editor's `ClientCapabilities`; empty when headless."""
        ...

    def relayed(self, upstream: S_contra) -> Collection[str]:
        """Features of a server that are relayed beyond the usual (names of `methods.FEATURES`)."""
        ...

    async def forward(self, upstream: S_contra, method: str, params: msgspec.Raw) -> Any:
        """Pass a server's request on to the editor and return its result."""
        ...

    def notified(self, upstream: S_contra, method: str, params: msgspec.Raw) -> None:
        """A server's notification, for the host to pass on or drop."""
        ...

    def changed(self, upstream: S_contra) -> None:
        """State, readiness or registrations of an upstream have changed."""
        ...


class HeadlessHost:
    """A host with no editor: everything is answered from our own configuration."""

    attached = False
    capabilities: Mapping[str, Any] = {}

    def relayed(self, upstream: AskingServer) -> Collection[str]:
        """Nothing: nobody asks for it."""
        return ()

    async def forward(self, upstream: AskingServer, method: str, params: msgspec.Raw) -> Any:
        """Nobody to forward to."""
        if method == "workspace/applyEdit":
            return {"applied": False, "failureReason": "No editor is attached to Surveyor."}
        raise MethodNotFoundError(method)

    def notified(self, upstream: AskingServer, method: str, params: msgspec.Raw) -> None:
        """Nobody to tell."""

    def changed(self, upstream: AskingServer) -> None:
        """Nobody to tell."""


_TEXT_DOCUMENT: dict[str, Any] = {
    "synchronization": {"didSave": True, "dynamicRegistration": False},
    "hover": {"contentFormat": ["markdown", "plaintext"]},
    "definition": {"linkSupport": False},
    "declaration": {"linkSupport": False},
    "typeDefinition": {"linkSupport": False},
    "implementation": {"linkSupport": False},
    "references": {},
    "documentHighlight": {},
    "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
    "codeAction": {
        "codeActionLiteralSupport": {
            "codeActionKind": {"valueSet": ["", "quickfix", "refactor", "source"]}
        },
        "disabledSupport": True,
        "dataSupport": True,
        "resolveSupport": {"properties": ["edit"]},
    },
    "callHierarchy": {},
    "typeHierarchy": {},
    "publishDiagnostics": {"relatedInformation": False},
}

_PASSED_ON = [
    "hover",
    "definition",
    "declaration",
    "typeDefinition",
    "implementation",
    "references",
    "documentHighlight",
    "documentSymbol",
]
"""Features whose answers the editor reads itself: what it supports is what the server may send."""


def refreshed(method: str) -> str:
    """Key below `workspace`, in ClientCapabilities, of a request to ask anew."""
    name = method.split("/")[1]
    return "diagnostics" if name == "diagnostic" else name


def client_capabilities(host: UpstreamHost[Any], relayed: Collection[str]) -> dict[str, Any]:
    """The `ClientCapabilities` that a server sees: the editor's for what is relayed, else ours.

    `relayed` are the features that are relayed beyond the usual.
    """
    editor = as_table(host.capabilities.get("textDocument"))
    text = {**_TEXT_DOCUMENT}
    for name in _PASSED_ON if host.attached else ():
        # An editor that says nothing of a feature takes its plainest answers.
        text[name] = as_table(editor.get(name))
    if host.attached and "publishDiagnostics" in editor:
        text["publishDiagnostics"] = as_table(editor["publishDiagnostics"])
    for name in text:
        if name not in ("synchronization", "publishDiagnostics"):
            text[name] = {**text[name], "dynamicRegistration": True}
    for method in relayed:
        section, _, name = FEATURES[method].client.partition(".")
        # As it is, `dynamicRegistration` too: what is registered late only reaches an editor that
        # takes registrations.
        if section == "textDocument" and name != "synchronization":
            if name in editor:
                text[name] = editor[name]
            elif host.attached and name in text and name != "publishDiagnostics":
                text[name] = {}
    saves = as_table(editor.get("synchronization"))
    for name in ("willSave", "willSaveWaitUntil"):
        if f"textDocument/{name}" in relayed and saves.get(name):
            text["synchronization"] = {**text["synchronization"], name: True}
    capabilities: dict[str, Any] = {
        "general": {"positionEncodings": ["utf-16"]},
        "textDocument": text,
        "workspace": _workspace(host, relayed),
        "window": {"workDoneProgress": True, "showMessage": {}},
        "experimental": {"serverStatusNotification": True},
    }
    window = as_table(host.capabilities.get("window"))
    if host.attached and "showDocument" in window:
        capabilities["window"]["showDocument"] = window["showDocument"]
    if host.attached and isinstance(host.capabilities.get("experimental"), dict):
        capabilities["experimental"] = {
            **host.capabilities["experimental"],
            **capabilities["experimental"],
        }
    if host.attached and LISTED.keys() <= set(relayed):
        own = own_client_keys(host.capabilities)
        for name, value in own.pop("textDocument", {}).items():
            text.setdefault(name, value)
        for name, value in own.items():
            capabilities.setdefault(name, value)
    return capabilities


def extra_capabilities(host: UpstreamHost[Any], relayed: Collection[str]) -> dict[str, Any]:
    """What a server is told that a client can beyond the usual: it may behave otherwise for it.

    One that is asked for diagnostics, for one, sends none by itself.
    """
    usual, full = client_capabilities(host, ()), client_capabilities(host, relayed)
    extra: dict[str, Any] = {"relayed": sorted(relayed)} if relayed else {}
    for section, value in full.items():
        known, table = as_table(usual.get(section)), as_table(value)
        if not isinstance(value, dict):
            extra[section] = value
        more = {name: value for name, value in table.items() if known.get(name) != value}
        if more:
            extra[section] = more
    if extra and host.attached:
        extra["workspaceEdit"] = as_table(host.capabilities.get("workspace")).get("workspaceEdit")
    experimental = host.capabilities.get("experimental") if host.attached else None
    return {**extra, "experimental": experimental} if experimental else extra


def _workspace(host: UpstreamHost[Any], relayed: Collection[str]) -> dict[str, Any]:
    """`ClientCapabilities.workspace` that a server sees."""
    editor = as_table(host.capabilities.get("workspace"))
    workspace: dict[str, Any] = {
        "applyEdit": True,
        "configuration": True,
        "workspaceFolders": True,
        "didChangeConfiguration": {"dynamicRegistration": True},
        "didChangeWatchedFiles": {"dynamicRegistration": True, "relativePatternSupport": True},
        "symbol": {"dynamicRegistration": True},
    }
    names = {refreshed(method) for method, feature in REFRESHES.items() if feature in relayed}
    if host.attached:
        names.add("workspaceEdit")
    if any(method.endswith("Files") for method in relayed):
        names.add("fileOperations")
    if "workspace/executeCommand" in relayed:
        names.add("executeCommand")
    if not host.attached:
        workspace["workspaceEdit"] = {"documentChanges": True}
    return {**workspace, **{name: editor[name] for name in names if name in editor}}


def as_table(value: Any) -> dict[str, Any]:
    """An object of the editor's; an empty one for what is none."""
    return value if isinstance(value, dict) else {}


async def answer(upstream: S, host: UpstreamHost[S], method: str, params: msgspec.Raw) -> Any:
    """The answer to a server's request. Raises `MethodNotFoundError` for what is not served."""
    if method == "workspace/configuration":
        return await _configuration(upstream, host, params)
    if method == "workspace/workspaceFolders":
        return workspace_folders(upstream)
    if method == "client/registerCapability":
        for item in items_of(params, "registrations"):
            if isinstance(item.get("method"), str):
                upstream.registrations[str(item.get("id"))] = registration_of(item)
        host.changed(upstream)
        return None
    if method == "client/unregisterCapability":
        for item in items_of(params, "unregisterations", "unregistrations"):
            upstream.registrations.pop(str(item.get("id")), None)
        host.changed(upstream)
        return None
    if method == "window/workDoneProgress/create":
        if host.attached:
            await host.forward(upstream, method, params)
        return None
    if method in REFRESHES:
        if host.attached:
            host.notified(upstream, method, params)
        return None
    if method == "workspace/applyEdit":
        return await host.forward(upstream, method, params)
    if method in ("window/showMessageRequest", "window/showDocument"):
        if host.attached:
            return await host.forward(upstream, method, params)
        return None if method == "window/showMessageRequest" else {"success": False}
    raise MethodNotFoundError(method)


def items_of(params: msgspec.Raw, *names: str) -> list[dict[str, Any]]:
    """The list under the first of some names that params have; its wrong items as empty ones."""
    value = messages.decode(params)
    if not isinstance(value, dict):
        return []
    found = next((value[name] for name in names if name in value), None)
    items = found if isinstance(found, list) else []
    return [item if isinstance(item, dict) else {} for item in items]


def registration_of(item: dict[str, Any]) -> dict[str, Any]:
    """A registration whose options are what all who read them take them for."""
    options = item.get("registerOptions")
    options = dict(options) if isinstance(options, dict) else {}
    if "watchers" in options:
        watchers = options["watchers"]
        options["watchers"] = (
            [each for each in watchers if isinstance(each, dict)]
            if isinstance(watchers, list)
            else []
        )
    return {**item, "registerOptions": options}


def workspace_folders(upstream: AskingServer) -> list[dict[str, str]]:
    """The one folder that a server works on."""
    return [{"uri": to_uri(upstream.root), "name": upstream.root.name or str(upstream.root)}]


async def _configuration(upstream: S, host: UpstreamHost[S], params: msgspec.Raw) -> list[Any]:
    """As many values as were asked for: the user's own where set, else the editor's, else what is
    usual, else `null`."""
    items = items_of(params, "items")
    sections = [each if isinstance(each := item.get("section"), str) else None for item in items]
    spec = upstream.spec
    ours = [settings_for(spec.settings, each) for each in sections]
    usual = [settings_for(spec.defaults, each) for each in sections]
    theirs: Any = None
    if host.attached and any(value is None or isinstance(value, Mapping) for value in ours):
        with contextlib.suppress(Exception):
            said = await host.forward(upstream, "workspace/configuration", params)
            theirs = messages.decode(messages.to_raw(said))
    if not isinstance(theirs, list) or len(theirs) != len(items):
        theirs = [None for _ in items]
    return [
        laid_over(laid_over(base, editors), mine)
        for base, editors, mine in zip(usual, theirs, ours, strict=True)
    ]
