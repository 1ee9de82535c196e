"""What the editor is told that we can: at once where known, later as upstreams show theirs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from surveyor.lsp.settings import EditorSettings
from surveyor.servers.methods import OPTIONAL, capability

if TYPE_CHECKING:
    from surveyor.servers.registry import Registry
    from surveyor.servers.upstream import Upstream

ALWAYS = {
    "textDocument/definition": "definitionProvider",
    "textDocument/references": "referencesProvider",
    "textDocument/documentSymbol": "documentSymbolProvider",
}
"""Served for every language in proxy mode: where there is no upstream, from the index."""

WHEN_OFFERED = {
    "textDocument/declaration": "declarationProvider",
    "textDocument/typeDefinition": "typeDefinitionProvider",
    "textDocument/implementation": "implementationProvider",
    "textDocument/documentHighlight": "documentHighlightProvider",
    "textDocument/prepareCallHierarchy": "callHierarchyProvider",
    "textDocument/prepareTypeHierarchy": "typeHierarchyProvider",
}
"""Served where an upstream does: registered once it is known to."""

OPTIONAL_KEYS = {
    "textDocument/completion": "completionProvider",
    "textDocument/signatureHelp": "signatureHelpProvider",
    "textDocument/rename": "renameProvider",
    "textDocument/codeAction": "codeActionProvider",
}

FEATURES = {
    "textDocument/prepareCallHierarchy": "callHierarchy",
    "textDocument/prepareTypeHierarchy": "typeHierarchy",
}
"""Names of features in ClientCapabilities where they differ from the method's."""


def feature(method: str) -> str:
    """Key of a method below `textDocument` in ClientCapabilities."""
    return FEATURES.get(method, method.partition("/")[2])


def is_dynamic(editor: Mapping[str, Any], method: str) -> bool:
    """Whether the editor takes a registration of a method after `initialize`."""
    return bool(capability(dict(editor), f"textDocument.{feature(method)}.dynamicRegistration"))


def static(editor: Mapping[str, Any], settings: EditorSettings) -> dict[str, Any]:
    """Providers to advertise in the answer to `initialize`.

    With two modes in one window only a registration can say which languages are meant; an editor
    that takes none gets the provider for all and empty answers for the others' languages.
    """
    mixed = settings.any_proxy and settings.any_companion
    providers: dict[str, Any] = {"hoverProvider": True}
    if settings.any_proxy:
        for method, key in ALWAYS.items():
            if not (mixed and is_dynamic(editor, method)):
                providers[key] = True
        for method, key in WHEN_OFFERED.items():
            if not is_dynamic(editor, method):
                providers[key] = True
        for method, key in OPTIONAL_KEYS.items():
            if method in settings.proxy_methods and not is_dynamic(editor, method):
                providers[key] = {} if method == "textDocument/completion" else True
    return providers


CODE_LENS = "textDocument/codeLens"


def registrations(
    editor: Mapping[str, Any],
    settings: EditorSettings,
    registry: Registry,
    offered: Mapping[str, Mapping[str, Any]],
) -> dict[str, dict[str, Any]]:
    """Registrations that shall stand now, by id.

    `offered` is what upstreams have shown so far: options by language and method.
    """
    wanted: dict[str, dict[str, Any]] = {}
    at_start = static(editor, settings)

    def add(method: str, language: str, options: Any) -> None:
        ids = registry.languages[language].ids
        extra = options if isinstance(options, dict) else {}
        key = f"surveyor/{method}/{language}"
        selector = [{"language": name} for name in ids]
        wanted[key] = {
            "id": key,
            "method": method,
            "registerOptions": {**extra, "documentSelector": selector},
        }

    if settings.lens and is_dynamic(editor, CODE_LENS):
        wanted[f"surveyor/{CODE_LENS}"] = {
            "id": f"surveyor/{CODE_LENS}",
            "method": CODE_LENS,
            # No selector of our own: the client's, which is every file.
            "registerOptions": {"documentSelector": None, "resolveProvider": True},
        }
    for language in registry.languages:
        for method, key in ALWAYS.items():
            proxied = settings.mode(language, method) == "proxy"
            if proxied and key not in at_start and is_dynamic(editor, method):
                add(method, language, None)
        for method, options in offered.get(language, {}).items():
            if settings.mode(language, method) != "proxy" or not is_dynamic(editor, method):
                continue
            if method in WHEN_OFFERED or method in settings.proxy_methods:
                add(method, language, options)
    return wanted


def offers(upstream: Upstream) -> dict[str, Any]:
    """Options of the methods that an upstream offers, of those that we may register."""
    found: dict[str, Any] = {}
    for method, key in {**WHEN_OFFERED, **OPTIONAL_KEYS}.items():
        if upstream.supports(method):
            found[method] = capability(upstream.capabilities, key) or next(
                (
                    item.get("registerOptions")
                    for item in upstream.registrations.values()
                    if item.get("method") == method
                ),
                None,
            )
    return found


def raw_methods(settings: EditorSettings) -> list[str]:
    """Requests beyond the usual that `proxy.methods` asks for."""
    return [name for method in settings.proxy_methods for name in OPTIONAL.get(method, [])]
