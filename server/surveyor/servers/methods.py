"""What Surveyor knows of LSP's methods: capability keys, time limits, and which may be proxied."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Method:
    """A request that may go to an upstream.

    `capability` is the key of `ServerCapabilities` (dots go deeper) that advertises it;
    `registration` the method used in `client/registerCapability` (hierarchies register their
    prepare method only). `timeout_s` is the limit for an answer in seconds.
    """

    name: str
    capability: str
    timeout_s: float
    registration: str = ""
    over_workspace: bool = False
    """Its answer is partial while the server is still reading the workspace."""


QUICK_S = 2.0
OUTLINE_S = 5.0
SLOW_S = 10.0

_METHODS = [
    Method("textDocument/hover", "hoverProvider", QUICK_S),
    Method("textDocument/definition", "definitionProvider", QUICK_S),
    Method("textDocument/declaration", "declarationProvider", QUICK_S),
    Method("textDocument/typeDefinition", "typeDefinitionProvider", QUICK_S),
    Method("textDocument/implementation", "implementationProvider", SLOW_S, over_workspace=True),
    Method("textDocument/references", "referencesProvider", SLOW_S, over_workspace=True),
    Method("textDocument/documentHighlight", "documentHighlightProvider", QUICK_S),
    Method("textDocument/documentSymbol", "documentSymbolProvider", OUTLINE_S),
    Method("textDocument/prepareCallHierarchy", "callHierarchyProvider", SLOW_S),
    Method(
        "callHierarchy/incomingCalls",
        "callHierarchyProvider",
        SLOW_S,
        "textDocument/prepareCallHierarchy",
        over_workspace=True,
    ),
    Method(
        "callHierarchy/outgoingCalls",
        "callHierarchyProvider",
        SLOW_S,
        "textDocument/prepareCallHierarchy",
    ),
    Method("textDocument/prepareTypeHierarchy", "typeHierarchyProvider", SLOW_S),
    Method(
        "typeHierarchy/supertypes",
        "typeHierarchyProvider",
        SLOW_S,
        "textDocument/prepareTypeHierarchy",
    ),
    Method(
        "typeHierarchy/subtypes",
        "typeHierarchyProvider",
        SLOW_S,
        "textDocument/prepareTypeHierarchy",
        over_workspace=True,
    ),
    Method("workspace/symbol", "workspaceSymbolProvider", QUICK_S),
    # Off unless `proxy.methods` lists them.
    Method("textDocument/completion", "completionProvider", QUICK_S),
    Method(
        "completionItem/resolve",
        "completionProvider.resolveProvider",
        QUICK_S,
        "textDocument/completion",
    ),
    Method("textDocument/signatureHelp", "signatureHelpProvider", QUICK_S),
    Method("textDocument/rename", "renameProvider", SLOW_S),
    Method(
        "textDocument/prepareRename",
        "renameProvider.prepareProvider",
        QUICK_S,
        "textDocument/rename",
    ),
    Method("textDocument/codeAction", "codeActionProvider", SLOW_S),
    Method(
        "codeAction/resolve",
        "codeActionProvider.resolveProvider",
        SLOW_S,
        "textDocument/codeAction",
    ),
]

METHODS = {method.name: method for method in _METHODS}

PROXIED = [
    "textDocument/definition",
    "textDocument/declaration",
    "textDocument/typeDefinition",
    "textDocument/implementation",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/documentSymbol",
    "textDocument/prepareCallHierarchy",
    "callHierarchy/incomingCalls",
    "callHierarchy/outgoingCalls",
    "textDocument/prepareTypeHierarchy",
    "typeHierarchy/supertypes",
    "typeHierarchy/subtypes",
]
"""Relayed in `proxy` mode, beside hover."""

OPTIONAL = {
    "textDocument/completion": ["textDocument/completion", "completionItem/resolve"],
    "textDocument/signatureHelp": ["textDocument/signatureHelp"],
    "textDocument/rename": ["textDocument/rename", "textDocument/prepareRename"],
    "textDocument/codeAction": ["textDocument/codeAction", "codeAction/resolve"],
    "textDocument/publishDiagnostics": [],
}
"""What `proxy.methods` may add, and the requests that come with each."""


def capability(capabilities: Any, path: str) -> Any:
    """Value of a dotted key in ServerCapabilities; `None` when absent."""
    value = capabilities
    for key in path.split("."):
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value
