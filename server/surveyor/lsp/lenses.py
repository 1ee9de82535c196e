"""Code lenses above definitions, off by default: how often it is used, and what is like it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from lsprotocol import types

from surveyor.errors import SurveyorError
from surveyor.lsp.engine_link import EngineLink
from surveyor.lsp.roots import Roots
from surveyor.lsp.settings import EditorSettings
from surveyor.protocol.search import SimilarRequest, SymbolItem, SymbolsRequest
from surveyor.servers.uris import to_path

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


class Lenses:
    """Serves `textDocument/codeLens` and its resolve."""

    def __init__(
        self, index: EngineLink, roots: Roots, settings: Callable[[], EditorSettings], count: Count
    ) -> None:
        self._index = index
        self._roots = roots
        self._settings = settings
        self._count = count

    async def find(self, uri: str) -> list[types.CodeLens]:
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

    async def resolve(self, item: types.CodeLens) -> types.CodeLens:
        """Give a lens its words and its command."""
        data: dict[str, Any] = item.data if isinstance(item.data, dict) else {}
        item.command = types.Command(title="", command="")
        start = item.range.start
        if data.get("what") == "references":
            number = await self._count(data["uri"], start.line, start.character)
            if number is not None:
                item.command = types.Command(
                    title=f"{number} reference{'' if number == 1 else 's'}",
                    command="surveyor.showReferences",
                    arguments=[
                        {
                            "uri": data["uri"],
                            "position": {"line": start.line, "character": start.character},
                        }
                    ],
                )
        elif data.get("what") == "similar":
            await self._similar(item, data)
        return item

    async def _similar(self, item: types.CodeLens, data: dict[str, Any]) -> None:
        try:
            answer = await self._index.call(
                SimilarRequest(
                    cwd=data["root"],
                    path=data["path"],
                    start_line=data["first"],
                    end_line=data["last"],
                    limit=5,
                ),
                limit_s=2,
            )
        except SurveyorError:
            return
        number = sum(
            result.confidence >= SIMILAR_AT_LEAST
            and not (result.path == data["path"] and result.start_line == data["first"])
            for result in answer.results
        )
        if number:
            item.command = types.Command(
                title=f"{number} similar",
                command="surveyor.similar",
                arguments=[
                    {
                        "textDocument": {"uri": data["uri"]},
                        "range": {
                            "start": {"line": data["first"] - 1, "character": 0},
                            "end": {"line": data["last"] - 1, "character": 0},
                        },
                    }
                ],
            )


def lens(uri: str, item: SymbolItem, what: str) -> types.CodeLens:
    """An unresolved lens on a symbol's name."""
    line = item.line - 1
    return types.CodeLens(
        range=types.Range(
            start=types.Position(line, item.column),
            end=types.Position(line, max(item.end_column, item.column)),
        ),
        data={
            "what": what,
            "uri": uri,
            "root": item.root,
            "path": str(Path(item.path)),
            "first": item.start_line,
            "last": item.end_line,
        },
    )
