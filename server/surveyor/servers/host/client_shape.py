"""What one client can take: the server was told that we take more, for the sake of the others."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from surveyor.servers.methods import capability

LINKS = ("definition", "declaration", "typeDefinition", "implementation")
MARKUP = ["markdown", "plaintext"]
KINDS = list(range(1, 27))

SUPERSET: dict[str, Any] = {
    "general": {"positionEncodings": ["utf-16"]},
    "textDocument": {
        "synchronization": {"didSave": True},
        "hover": {"contentFormat": MARKUP},
        "documentSymbol": {
            "hierarchicalDocumentSymbolSupport": True,
            "symbolKind": {"valueSet": KINDS},
        },
        "callHierarchy": {"dynamicRegistration": True},
        "typeHierarchy": {"dynamicRegistration": True},
        "publishDiagnostics": {"versionSupport": True},
    },
    "workspace": {
        "applyEdit": True,
        "configuration": True,
        "workspaceFolders": True,
    },
    "window": {"workDoneProgress": True, "showMessage": {}},
}
"""What a server is told beside what its first client can: another client may come later.

Not `linkSupport`: a client that knows links takes plain locations as well. What is beyond the usual
(completion, edits, diagnostics that are asked for …) is the same for all of a server's clients that
use it: see `attach.profile_key`.
"""

Shape = Callable[[Any], Any]


def merged(base: Any, more: Any) -> Any:
    """Capabilities of both: what either can."""
    if isinstance(base, Mapping) and isinstance(more, Mapping):
        keys = [*base, *(key for key in more if key not in base)]
        return {
            key: merged(base[key], more[key])
            if key in base and key in more
            else (base[key] if key in base else more[key])
            for key in keys
        }
    if isinstance(base, list) and isinstance(more, list):
        return base + [item for item in more if item not in base]
    return base or more


class ClientShape:
    """How answers are made fit for one client."""

    def __init__(self, capabilities: Mapping[str, Any]) -> None:
        self._capabilities = dict(capabilities)
        self._shapes: dict[str, Shape] = {}
        text = "textDocument."
        for name in LINKS:
            if not self._can(f"{text}{name}.linkSupport"):
                self._shapes[text.replace(".", "/") + name] = without_links
        if not self._can(f"{text}documentSymbol.hierarchicalDocumentSymbolSupport"):
            self._shapes["textDocument/documentSymbol"] = flat_symbols
        if not self._takes(f"{text}hover.contentFormat"):
            self._shapes["textDocument/hover"] = plain_hover

    def needed(self, method: str, *, uri: str = "") -> Shape | None:
        """What an answer to a method must go through; `None` when it goes as it came.

        `uri` is the document that was asked about.
        """
        shape = self._shapes.get(method)
        if shape is flat_symbols:
            return lambda value: flat_symbols(value, uri)
        return shape

    def _can(self, path: str) -> bool:
        return bool(capability(self._capabilities, path))

    def _takes(self, path: str) -> bool:
        formats = capability(self._capabilities, path)
        return isinstance(formats, list) and "markdown" in formats


def without_links(value: Any) -> Any:
    """`LocationLink`s as `Location`s."""
    if isinstance(value, list):
        return [without_links(item) for item in value]
    if isinstance(value, dict) and "targetUri" in value:
        span = value.get("targetSelectionRange") or value.get("targetRange")
        return {"uri": value["targetUri"], "range": span}
    return value


def flat_symbols(value: Any, uri: str = "", container: str = "") -> Any:
    """A tree of `DocumentSymbol`s as a list of `SymbolInformation`s."""
    if not isinstance(value, list):
        return value
    found: list[Any] = []
    for item in value:
        if not isinstance(item, dict) or "selectionRange" not in item:
            found.append(item)
            continue
        kept = {key: item[key] for key in ("name", "kind", "tags", "deprecated") if key in item}
        inside = {"containerName": container} if container else {}
        found.append({**kept, **inside, "location": {"uri": uri, "range": item["range"]}})
        found += flat_symbols(item.get("children") or [], uri, str(item.get("name", "")))
    return found


def plain_hover(value: Any) -> Any:
    """A hover without Markdown's marks of code blocks."""
    contents = value.get("contents") if isinstance(value, dict) else None
    if not isinstance(contents, dict) or contents.get("kind") != "markdown":
        return value
    lines = str(contents.get("value", "")).splitlines()
    text = "\n".join(line for line in lines if not re.match(r"\s*(```|---\s*$)", line))
    return {**value, "contents": {"kind": "plaintext", "value": text}}
