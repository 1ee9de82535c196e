"""What Surveyor knows of LSP's features: how each is offered, registered, requested and limited."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

QUICK_S = 2.0
OUTLINE_S = 5.0
SLOW_S = 10.0


class Relay(Enum):
    """When a feature is relayed to the editor."""

    USUAL = auto()
    """In every mode but `companion`."""
    LISTED = auto()
    """In `full` mode, or when `proxy.methods` lists it."""
    OURS = auto()
    """Never as it is: our own answer has the server's in it."""


@dataclass(frozen=True, slots=True)
class FeatureRequest:
    """A request of a feature.

    `option` is the dotted key below the feature's options without which it is not offered;
    `timeout_s` the limit for an answer in seconds where something else can answer.
    """

    name: str
    timeout_s: float = SLOW_S
    option: str = ""
    over_workspace: bool = False
    """Its answer is partial while the server is still reading the workspace."""


@dataclass(frozen=True, slots=True)
class Feature:
    """What a server offers under one key.

    `method` is its name in `client/registerCapability`, `provider` its key in ServerCapabilities
    and `client` its key in ClientCapabilities (dots go deeper).
    """

    method: str
    provider: str
    client: str
    relay: Relay
    requests: tuple[FeatureRequest, ...]

    @property
    def over_workspace(self) -> bool:
        """Whether it is about the workspace: registered without a document's language."""
        return self.method.startswith("workspace/")


def _document(
    name: str, relay: Relay, *requests: FeatureRequest, provider: str = "", client: str = ""
) -> Feature:
    """A feature of `textDocument`, its keys after its name unless they are given."""
    return Feature(
        f"textDocument/{name}",
        provider or f"{name}Provider",
        f"textDocument.{client or name}",
        relay,
        requests or (FeatureRequest(f"textDocument/{name}"),),
    )


def _files(name: str) -> Feature:
    """Telling, or asking, a server of files that are created, renamed or deleted."""
    requests = (FeatureRequest(f"workspace/{name}Files"),) if name.startswith("will") else ()
    operations = "workspace.fileOperations"
    method = f"workspace/{name}Files"
    return Feature(method, f"{operations}.{name}", operations, Relay.LISTED, requests)


def _quick(name: str, relay: Relay = Relay.USUAL) -> Feature:
    return _document(name, relay, FeatureRequest(f"textDocument/{name}", QUICK_S))


_FEATURES = [
    _quick("hover", Relay.OURS),
    _quick("definition"),
    _quick("declaration"),
    _quick("typeDefinition"),
    _document(
        "implementation",
        Relay.USUAL,
        FeatureRequest("textDocument/implementation", over_workspace=True),
    ),
    _document(
        "references", Relay.USUAL, FeatureRequest("textDocument/references", over_workspace=True)
    ),
    _quick("documentHighlight"),
    _document(
        "documentSymbol", Relay.USUAL, FeatureRequest("textDocument/documentSymbol", OUTLINE_S)
    ),
    _document(
        "prepareCallHierarchy",
        Relay.USUAL,
        FeatureRequest("textDocument/prepareCallHierarchy"),
        FeatureRequest("callHierarchy/incomingCalls", over_workspace=True),
        FeatureRequest("callHierarchy/outgoingCalls"),
        provider="callHierarchyProvider",
        client="callHierarchy",
    ),
    _document(
        "prepareTypeHierarchy",
        Relay.USUAL,
        FeatureRequest("textDocument/prepareTypeHierarchy"),
        FeatureRequest("typeHierarchy/supertypes"),
        FeatureRequest("typeHierarchy/subtypes", over_workspace=True),
        provider="typeHierarchyProvider",
        client="typeHierarchy",
    ),
    Feature(
        "workspace/symbol",
        "workspaceSymbolProvider",
        "workspace.symbol",
        Relay.OURS,
        (FeatureRequest("workspace/symbol", QUICK_S),),
    ),
    _document(
        "completion",
        Relay.LISTED,
        FeatureRequest("textDocument/completion"),
        FeatureRequest("completionItem/resolve", option="resolveProvider"),
    ),
    _document("signatureHelp", Relay.LISTED),
    _document(
        "rename",
        Relay.LISTED,
        FeatureRequest("textDocument/rename"),
        FeatureRequest("textDocument/prepareRename", option="prepareProvider"),
    ),
    _document(
        "codeAction",
        Relay.LISTED,
        FeatureRequest("textDocument/codeAction"),
        FeatureRequest("codeAction/resolve", option="resolveProvider"),
    ),
    _document(
        "codeLens",
        Relay.LISTED,
        FeatureRequest("textDocument/codeLens"),
        FeatureRequest("codeLens/resolve", option="resolveProvider"),
    ),
    _document("formatting", Relay.LISTED, provider="documentFormattingProvider"),
    _document(
        "rangeFormatting",
        Relay.LISTED,
        FeatureRequest("textDocument/rangeFormatting"),
        FeatureRequest("textDocument/rangesFormatting", option="rangesSupport"),
        provider="documentRangeFormattingProvider",
    ),
    _document("onTypeFormatting", Relay.LISTED, provider="documentOnTypeFormattingProvider"),
    _document(
        "inlayHint",
        Relay.LISTED,
        FeatureRequest("textDocument/inlayHint"),
        FeatureRequest("inlayHint/resolve", option="resolveProvider"),
    ),
    _document(
        "semanticTokens",
        Relay.LISTED,
        FeatureRequest("textDocument/semanticTokens/full", option="full"),
        FeatureRequest("textDocument/semanticTokens/full/delta", option="full.delta"),
        FeatureRequest("textDocument/semanticTokens/range", option="range"),
    ),
    _document("foldingRange", Relay.LISTED),
    _document("selectionRange", Relay.LISTED),
    _document(
        "documentLink",
        Relay.LISTED,
        FeatureRequest("textDocument/documentLink"),
        FeatureRequest("documentLink/resolve", option="resolveProvider"),
    ),
    _document(
        "documentColor",
        Relay.LISTED,
        FeatureRequest("textDocument/documentColor"),
        FeatureRequest("textDocument/colorPresentation"),
        provider="colorProvider",
        client="colorProvider",
    ),
    _document("linkedEditingRange", Relay.LISTED),
    _document("inlineValue", Relay.LISTED),
    _document("inlineCompletion", Relay.LISTED),
    _document("moniker", Relay.LISTED),
    _document(
        "diagnostic",
        Relay.LISTED,
        FeatureRequest("textDocument/diagnostic"),
        FeatureRequest("workspace/diagnostic", option="workspaceDiagnostics"),
    ),
    Feature(
        "textDocument/publishDiagnostics", "", "textDocument.publishDiagnostics", Relay.LISTED, ()
    ),
    Feature(
        "textDocument/willSave",
        "textDocumentSync.willSave",
        "textDocument.synchronization",
        Relay.LISTED,
        (),
    ),
    Feature(
        "textDocument/willSaveWaitUntil",
        "textDocumentSync.willSaveWaitUntil",
        "textDocument.synchronization",
        Relay.LISTED,
        (FeatureRequest("textDocument/willSaveWaitUntil"),),
    ),
    *map(_files, ("willCreate", "didCreate", "willRename", "didRename", "willDelete", "didDelete")),
    Feature(
        "workspace/executeCommand",
        "executeCommandProvider",
        "workspace.executeCommand",
        Relay.LISTED,
        (FeatureRequest("workspace/executeCommand"),),
    ),
]


def _below_text_document(client: str) -> str:
    section, _, name = client.partition(".")
    return name if section == "textDocument" else ""


FEATURES = {feature.method: feature for feature in _FEATURES}

METHODS = {request.name: request for feature in _FEATURES for request in feature.requests}

FEATURE_OF = {request.name: feature for feature in _FEATURES for request in feature.requests}
"""The feature that a request belongs to."""

PROXIED = [
    request.name
    for feature in _FEATURES
    if feature.relay is Relay.USUAL
    for request in feature.requests
]
"""Requests relayed in `proxy` mode, beside hover."""

LISTED = {name: feature for name, feature in FEATURES.items() if feature.relay is Relay.LISTED}

ALL = "all"
"""What `proxy.methods` may have in place of every name."""


def listed_features(names: Iterable[str]) -> frozenset[str]:
    """The features that names of `proxy.methods` ask for: their own, or one of their requests'."""
    wanted = set()
    for name in names:
        if name == ALL:
            return frozenset(LISTED)
        feature = FEATURES.get(name) or FEATURE_OF.get(name)
        if feature is not None and feature.relay is Relay.LISTED:
            wanted.add(feature.method)
    return frozenset(wanted)


def unknown_methods(names: Iterable[str]) -> list[str]:
    """Names of `proxy.methods` that no feature has."""
    return [
        name for name in names if name != ALL and name not in FEATURES and name not in FEATURE_OF
    ]


SERVER_KEYS = frozenset(
    {
        *(feature.provider.partition(".")[0] for feature in _FEATURES),
        "positionEncoding",
        "textDocumentSync",
        "notebookDocumentSync",
        "workspace",
    }
) - {""}
"""The keys of LSP's ServerCapabilities; a server's others are its own (`experimental`)."""

CLIENT_KEYS = frozenset(
    {"workspace", "textDocument", "notebookDocument", "window", "general", "offsetEncoding"}
)
"""The same of ClientCapabilities; `offsetEncoding` was one before LSP had it."""

TEXT_DOCUMENT_KEYS = frozenset(
    {
        *(name for feature in _FEATURES if (name := _below_text_document(feature.client))),
        "synchronization",
        "filters",
    }
)
"""The keys of ClientCapabilities.textDocument."""


def own_server_keys(capabilities: Mapping[str, Any]) -> dict[str, Any]:
    """What a server tells its own clients that it can, beyond LSP."""
    return {name: value for name, value in capabilities.items() if name not in SERVER_KEYS}


def own_client_keys(capabilities: Mapping[str, Any]) -> dict[str, Any]:
    """What a client can beyond LSP, in the form of ClientCapabilities."""
    found = {
        name: value for name, value in capabilities.items() if name not in CLIENT_KEYS and value
    }
    text = capabilities.get("textDocument")
    if isinstance(text, Mapping):
        own = {name: value for name, value in text.items() if name not in TEXT_DOCUMENT_KEYS}
        if own:
            found["textDocument"] = own
    return found


def capability(capabilities: Any, path: str) -> Any:
    """Value of a dotted key in an object; `None` when absent."""
    value = capabilities
    for key in path.split("."):
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def is_offered(value: Any) -> bool:
    """Whether an option says yes: `{}` does."""
    return value is not None and value is not False


def offered_options(
    feature: Feature,
    capabilities: Mapping[str, Any],
    registrations: Iterable[Mapping[str, Any]],
) -> list[Any]:
    """Options under which a server offers a feature: at its start, and registered since."""
    found = []
    if feature.provider and is_offered(static := capability(dict(capabilities), feature.provider)):
        found.append(static)
    found += [
        item.get("registerOptions") or {}
        for item in registrations
        if item.get("method") == feature.method
    ]
    return found


def offers(options: Iterable[Any], request: FeatureRequest) -> bool:
    """Whether some of a feature's options include a request of it."""
    return any(
        not request.option or is_offered(capability(each, request.option)) for each in options
    )
