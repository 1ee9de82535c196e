"""Code lenses above definitions, off by default: how often it is used, and what is like it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec

from surveyor.errors import SurveyorError
from surveyor.lsp.engine_link import EngineLink
from surveyor.lsp.roots import Roots
from surveyor.lsp.settings import EditorSettings, Lens
from surveyor.protocol.search import SimilarRequest, SymbolItem, SymbolsRequest
from surveyor.servers.uris import to_path
from surveyor.units import counted

CallableKinds = frozenset(
    {
        "function",
        "method",
        "class",
        "constructor",
        "struct",
        "interface",
        "trait",
        "enum",
        "protocol",
    }
)
"""What gets a lens; a lens above every constant would be noise."""

MAX_LENSES = 200
SIMILAR_AT_LEAST = 0.5

Count = Callable[[str, int, int], Awaitable[int | None]]
"""References of the symbol at uri, line, character; `None` when that is not known."""


class LensData(msgspec.Struct):
    """What a lens of ours is about: a symbol's first and last line (1-based), and what to say."""

    what: Lens
    uri: str
    root: str
    path: str
    first: int
    last: int


class Lenses:
    """Serves `textDocument/codeLens` and its resolve."""

    def __init__(
        self, index: EngineLink, roots: Roots, settings: Callable[[], EditorSettings], count: Count
    ) -> None:
        self._index = index
        self._roots = roots
        self._settings = settings
        self._count = count

    async def find(self, uri: str) -> list[dict[str, Any]]:
        """Unresolved lenses of a document."""
        wanted = self._settings().lens
        path = to_path(uri)
        if not wanted or path is None or self._roots.of(path) is None:
            return []
        try:
            answer = await self._index.call(
                SymbolsRequest(query="", cwd=str(path), path=str(path), limit=1000), limit_s=2
            )
        except SurveyorError:
            return []
        items = [item for item in answer.results if item.kind in CallableKinds][:MAX_LENSES]
        return [lens(uri, item, what) for item in items for what in sorted(wanted)]

    async def resolve(self, item: dict[str, Any], data: LensData) -> dict[str, Any]:
        """A lens of ours with its words and its command."""
        if data.what == "references":
            command = await self._references(item, data)
        else:
            command = await self._similar(data)
        return {**item, "command": command or {"title": "", "command": ""}}

    async def _references(self, item: dict[str, Any], data: LensData) -> dict[str, Any] | None:
        start = item["range"]["start"]
        number = await self._count(data.uri, start["line"], start["character"])
        if number is None:
            return None
        return {
            "title": counted(number, "reference"),
            "command": "surveyor.showReferences",
            "arguments": [{"uri": data.uri, "position": start}],
        }

    async def _similar(self, data: LensData) -> dict[str, Any] | None:
        try:
            answer = await self._index.call(
                SimilarRequest(
                    cwd=data.root,
                    path=data.path,
                    start_line=data.first,
                    end_line=data.last,
                    limit=5,
                ),
                limit_s=2,
            )
        except SurveyorError:
            return None
        number = sum(
            result.confidence >= SIMILAR_AT_LEAST
            and not (result.path == data.path and result.start_line == data.first)
            for result in answer.results
        )
        if not number:
            return None
        span = {
            "start": {"line": data.first - 1, "character": 0},
            "end": {"line": data.last, "character": 0},
        }
        return {
            "title": f"{number} similar",
            "command": "surveyor.similar",
            "arguments": [{"textDocument": {"uri": data.uri}, "range": span}],
        }


def data_of(item: Any) -> LensData | None:
    """What we noted on a lens of ours; `None` for a language server's."""
    try:
        return msgspec.convert(item["data"], LensData)
    except (msgspec.ValidationError, KeyError, TypeError):
        return None


def lens(uri: str, item: SymbolItem, what: Lens) -> dict[str, Any]:
    """An unresolved lens on a symbol's name."""
    line = item.line - 1
    data = LensData(what, uri, item.root, str(Path(item.path)), item.start_line, item.end_line)
    return {
        "range": {
            "start": {"line": line, "character": item.column},
            "end": {"line": line, "character": max(item.end_column, item.column)},
        },
        "data": msgspec.to_builtins(data),
    }
