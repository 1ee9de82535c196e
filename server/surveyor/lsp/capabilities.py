"""What the editor is told that we can: at once where known, later as upstreams show theirs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from surveyor.lsp.settings import EditorSettings
from surveyor.servers.methods import (
    FEATURES,
    LISTED,
    Feature,
    Relay,
    capability,
    is_offered,
    own_client_keys,
    own_server_keys,
)

if TYPE_CHECKING:
    from surveyor.servers.registry import Registry
    from surveyor.servers.upstream import Upstream

Offers = Mapping[str, Any]
"""Options of the features that a server offers, by the features' methods, and under `OWN` what it
has beside LSP's."""

OWN = "capabilities"
"""Where `Offers` have the keys of ServerCapabilities that are the server's own."""

ALWAYS = ("textDocument/definition", "textDocument/references", "textDocument/documentSymbol")
"""Served for every language in proxy mode: where there is no upstream, from the index."""

WHEN_OFFERED = tuple(
    feature.method
    for feature in FEATURES.values()
    if feature.relay is Relay.USUAL and feature.method not in ALWAYS
)
"""Served where an upstream does: registered once it is known to."""

CODE_LENS = "textDocument/codeLens"

COMPLETION = "textDocument/completion"

EXECUTE = "workspace/executeCommand"

NEEDS_OPTIONS = frozenset(
    {
        EXECUTE,
        "textDocument/onTypeFormatting",
        "textDocument/semanticTokens",
        *(method for method in FEATURES if method.endswith("Files")),
    }
)
"""Features that cannot be advertised before a server has said with which options."""


def is_dynamic(editor: Mapping[str, Any], method: str) -> bool:
    """Whether the editor takes a registration of a feature after `initialize`."""
    return bool(capability(dict(editor), f"{FEATURES[method].client}.dynamicRegistration"))


def needs_servers(editor: Mapping[str, Any], settings: EditorSettings) -> bool:
    """Whether the editor has to be told at once what only a server can say.

    It takes no registration of something that it can do and that is relayed beyond the usual.
    """
    languages = ("", *settings.modes)
    relayed = {method for language in languages for method in settings.relayed(language)}
    if own_client_keys(editor) and any(map(settings.is_full, languages)):
        return True  # it knows a server's own ways: there is no registration of those
    return any(
        FEATURES[method].provider
        and not is_dynamic(editor, method)
        # Editors do not tell of everything that they do; all of them complete.
        and (method == COMPLETION or capability(dict(editor), FEATURES[method].client) is not None)
        for method in relayed
    )


def static(
    editor: Mapping[str, Any], settings: EditorSettings, known: Mapping[str, Offers]
) -> dict[str, Any]:
    """Providers to advertise in the answer to `initialize`, by their keys in ServerCapabilities.

    With two modes in one window only a registration can say which languages are meant; an editor
    that takes none gets the provider for all and empty answers for the others' languages.
    `known` are the offers of the workspace's servers by language, as far as they are known.
    """
    mixed = settings.any_proxy and settings.any_companion
    providers: dict[str, Any] = {"hoverProvider": True}
    if settings.any_proxy:
        for method in ALWAYS:
            if not (mixed and is_dynamic(editor, method)):
                providers[FEATURES[method].provider] = True
        for method in WHEN_OFFERED:
            if not is_dynamic(editor, method):
                providers[FEATURES[method].provider] = True
    for method, feature in LISTED.items():
        if not feature.provider or is_dynamic(editor, method):
            continue
        offered = [
            offers[method]
            for language, offers in known.items()
            if method in offers and method in settings.relayed(language)
        ]
        if not offered and is_named(method, settings):
            offered = [{} if method == COMPLETION else True]
        if offered:
            providers[feature.provider] = combined(offered)
    return providers


def own(settings: EditorSettings, known: Mapping[str, Offers]) -> dict[str, Any]:
    """The keys of ServerCapabilities that only servers know whose all is relayed."""
    found: dict[str, Any] = {}
    for language, offered in known.items():
        for name, value in offered.get(OWN, {}).items() if settings.is_full(language) else ():
            found[name] = combined([found[name], value]) if name in found else value
    return found


def is_named(method: str, settings: EditorSettings) -> bool:
    """Whether the settings name a feature that can be advertised without a server's options."""
    requests = {method, *(request.name for request in FEATURES[method].requests)}
    return method not in NEEDS_OPTIONS and not requests.isdisjoint(settings.proxy_methods)


def put(table: dict[str, Any], path: str, value: Any) -> None:
    """Add options under a dotted key of nested objects to those that are there."""
    *folders, name = path.split(".")
    for folder in folders:
        table = table.setdefault(folder, {})
    table[name] = combined([table[name], value]) if name in table else value


def registrations(
    editor: Mapping[str, Any],
    settings: EditorSettings,
    registry: Registry,
    offered: Mapping[str, Offers],
) -> dict[str, dict[str, Any]]:
    """Registrations that shall stand now, by id.

    `offered` is what upstreams have shown so far, by language.
    """
    wanted: dict[str, dict[str, Any]] = {}
    mixed = settings.any_proxy and settings.any_companion

    def add(feature: Feature, language: str, options: Any) -> None:
        key = f"surveyor/{feature.method}/{language}"
        wanted[key] = {
            "id": key,
            "method": feature.method,
            "registerOptions": options_for(feature, registry.languages[language].ids, options),
        }

    if settings.lens and is_dynamic(editor, CODE_LENS):
        wanted[f"surveyor/{CODE_LENS}"] = {
            "id": f"surveyor/{CODE_LENS}",
            "method": CODE_LENS,
            # No selector of our own: the client's, which is every file.
            "registerOptions": {"documentSelector": None, "resolveProvider": True},
        }
    for language in registry.languages:
        for method in ALWAYS:
            relayed = mixed and not settings.is_companion(language, method)
            if relayed and is_dynamic(editor, method):
                add(FEATURES[method], language, None)
        more = settings.relayed(language)
        for method, options in offered.get(language, {}).items():
            if method == CODE_LENS and settings.lens:
                continue  # ours, for every file, has the server's in it
            usual = method in WHEN_OFFERED and not settings.is_companion(language, method)
            if (usual or method in more) and is_dynamic(editor, method):
                add(FEATURES[method], language, options)
    return wanted


def options_for(feature: Feature, ids: Iterable[str], options: Any) -> dict[str, Any]:
    """Options of a registration for the documents of one language."""
    extra = dict(options) if isinstance(options, dict) else {}
    if feature.over_workspace:
        return extra
    return {**extra, "documentSelector": [{"language": name} for name in ids]}


def offers(upstream: Upstream) -> dict[str, Any]:
    """What an upstream offers now of the features that may be relayed."""
    found: dict[str, Any] = {}
    for method in (*WHEN_OFFERED, *LISTED):
        options = upstream.options(FEATURES[method])
        if options:
            found[method] = combined(options)
    if more := own_server_keys(upstream.capabilities):
        found[OWN] = more
    return found


def combined(several: Iterable[Any]) -> Any:
    """One set of options that covers several: a server's own and what it registered since.

    Lists are joined, `true` and objects win over `false`; elsewhere the first stands (a legend).
    """
    merged: dict[str, Any] = {}
    value: Any = True
    for options in several:
        if isinstance(options, dict):
            for key, new in options.items():
                if key not in ("documentSelector", "id"):
                    merged[key] = joined(key, merged[key], new) if key in merged else new
        elif is_offered(options):
            value = options
    return merged or value


def joined(key: str, old: Any, new: Any) -> Any:
    """One value for two of the same option."""
    if key == "legend":
        return old
    if isinstance(old, list) and isinstance(new, list):
        return [*old, *(item for item in new if item not in old)]
    if isinstance(old, dict) and isinstance(new, dict):
        return combined([old, new])
    return old if is_offered(old) else new
