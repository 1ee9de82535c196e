"""Answers from the index where no upstream can give one: by syntax and name, and marked so.

`Location` has no place for a mark; document symbols carry it in `detail`, the window's log and
`surveyor/status` say which server is missing.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from surveyor.errors import EngineUnavailableError, SurveyorError
from surveyor.files.safe_read import LARGE_FILE_BYTES, read_text
from surveyor.lsp.engine_link import EngineLink
from surveyor.lsp.host import EditorHost
from surveyor.lsp.kinds import number
from surveyor.lsp.line_mapping import LineMappings
from surveyor.lsp.relay import RoutingParams
from surveyor.lsp.roots import Roots
from surveyor.protocol.graph import (
    CalleesRequest,
    CallersRequest,
    DefinitionRequest,
    GraphItem,
    GraphRequest,
    GraphResponse,
    ImplementationsRequest,
    ReferencesRequest,
)
from surveyor.protocol.search import SymbolItem, SymbolsRequest
from surveyor.servers.documents import OpenDocument, OpenDocuments
from surveyor.servers.uris import to_path, to_uri

WAIT_S = 1.0
MARK = "from the index"
MAX_DEFINITIONS = 20


class Fallback:
    """Answers LSP requests from the index, where no upstream answers them."""

    def __init__(
        self,
        index: EngineLink,
        documents: OpenDocuments,
        roots: Roots,
        host: EditorHost,
        said: Callable[[str], None],
    ) -> None:
        self._index = index
        self._documents = documents
        self._roots = roots
        self._host = host
        self._said = said
        self._line_mappings = LineMappings(documents)

    async def __call__(self, method: str, target: RoutingParams) -> Any:
        """Answer a method, or `None`."""
        path = to_path(target.uri) if target.uri else None
        if path is None or self._roots.of(path) is None:
            return None
        try:
            match method:
                case "textDocument/definition" | "textDocument/declaration":
                    return await self._definition(path, target)
                case "textDocument/references":
                    return await self._places(ReferencesRequest, path, target)
                case "textDocument/implementation":
                    return await self._places(ImplementationsRequest, path, target)
                case "textDocument/prepareCallHierarchy":
                    return await self._prepare_calls(path, target)
                case "callHierarchy/incomingCalls":
                    return await self._calls(CallersRequest, target)
                case "callHierarchy/outgoingCalls":
                    return await self._calls(CalleesRequest, target)
                case "textDocument/documentSymbol":
                    return await self._outline(path)
        except SurveyorError as error:
            self._said(f"{method}: {error.message}")
        return None

    async def _definition(self, path: Path, target: RoutingParams) -> list[dict[str, Any]] | None:
        answer = await self._graph(DefinitionRequest, path, target)
        if answer is not None and answer.results:
            return [self._place(item, answer.root) for item in answer.results]
        name = self._word(target)
        if not name:
            return None
        symbols = await self._index.call(
            SymbolsRequest(query=name, cwd=str(path), limit=MAX_DEFINITIONS), limit_s=WAIT_S
        )
        exact = [item for item in symbols.results if item.name == name]
        # A definition in the same file hides others of its name, as scopes mostly do.
        here = [item for item in exact if Path(item.root) / item.path == path]
        return [location(item) for item in (here or exact)] or None

    async def _places(
        self, request: type[GraphRequest], path: Path, target: RoutingParams
    ) -> list[dict[str, Any]] | None:
        answer = await self._graph(request, path, target)
        if answer is None:
            return None
        places = [self._place(item, answer.root) for item in answer.results]
        subject = answer.symbol
        if request is ReferencesRequest and target.with_declaration and subject is not None:
            places.insert(0, self._place(subject, answer.root))
        return places or None

    def _place(self, item: GraphItem, root: str) -> dict[str, Any]:
        """Location of a place of the graph."""
        return self._now(graph_location(item, root))

    def _now(self, found: dict[str, Any]) -> dict[str, Any]:
        """A location or an item with the lines that it has in an edited buffer."""

        def moved(end: dict[str, int]) -> dict[str, int]:
            return {**end, "line": self._line_mappings.to_buffer(found["uri"], end["line"])}

        ranges: dict[str, Any] = {
            name: {"start": moved(found[name]["start"]), "end": moved(found[name]["end"])}
            for name in ("range", "selectionRange")
            if name in found
        }
        return {**found, **ranges}

    async def _graph(
        self, request: type[GraphRequest], path: Path, target: RoutingParams
    ) -> GraphResponse | None:
        position = target.position
        if position is None:
            return None
        # The graph knows the file as it was saved; an edited line is known by its word.
        line = self._line_mappings.to_saved(to_uri(path), position.line)
        word = self._word(target) if line is None else ""
        if line is None and not word:
            return None
        place: dict[str, Any] = (
            {"name": word}
            if line is None
            else {
                "path": str(path),
                "line": line + 1,
                "column": position.character,
                "enclosing": False,
            }
        )
        try:
            return await self._index.call(
                request(**place, cwd=str(path.parent), exact="never", saved=True), limit_s=WAIT_S
            )
        except EngineUnavailableError:
            raise
        except SurveyorError as error:
            self._said(f"{request.operation}: {error.message}")
            return None

    async def _prepare_calls(
        self, path: Path, target: RoutingParams
    ) -> list[dict[str, Any]] | None:
        answer = await self._graph(DefinitionRequest, path, target)
        if answer is None or not answer.results:
            return None
        return [self._now(call_item(answer.results[0], answer.root))]

    async def _calls(
        self, request: type[GraphRequest], target: RoutingParams
    ) -> list[dict[str, Any]]:
        """Callers or callees of an item that we prepared."""
        path = to_path(target.uri)
        start = target.selection
        if path is None or start is None:
            return []
        place = RoutingParams(position=start)
        answer = await self._graph(request, path, place)
        if answer is None:
            return []
        key = "from" if request is CallersRequest else "to"
        return [
            {
                key: self._now(call_item(item, answer.root, around=request is CallersRequest)),
                "fromRanges": [self._place(item, answer.root)["range"]],
            }
            for item in answer.results
            if item.depth == 1
        ]

    async def _outline(self, path: Path) -> list[dict[str, Any]] | None:
        answer = await self._index.call(
            SymbolsRequest(query="", cwd=str(path), path=str(path), limit=1000), limit_s=WAIT_S
        )
        items = sorted(answer.results, key=lambda item: (item.start_line, -item.end_line))
        document = self._documents.get(to_uri(path))
        if self._host.can("textDocument.documentSymbol.hierarchicalDocumentSymbolSupport"):
            return nest(items, document)
        return [
            {
                "name": item.name,
                "kind": number(item.kind),
                "location": location(item),
                "containerName": item.container,
            }
            for item in items
        ]

    def _word(self, target: RoutingParams) -> str:
        position = target.position
        if position is None:
            return ""
        document = self._documents.get(target.uri)
        if document is None:
            path = to_path(target.uri)
            try:
                text = read_text(path, LARGE_FILE_BYTES, errors="replace") if path else ""
            except OSError:
                return ""
            document = OpenDocument(target.uri, "", 0, text)
        return document.word_at(position.line, position.character)


def graph_range(item: GraphItem) -> dict[str, Any]:
    """LSP range of a place of the graph."""
    line = max(item.line - 1, 0)
    return {
        "start": {"line": line, "character": item.column},
        "end": {"line": line, "character": max(item.end_column, item.column)},
    }


def graph_location(item: GraphItem, root: str) -> dict[str, Any]:
    """Location of a place of the graph."""
    return {"uri": to_uri(Path(root) / item.path), "range": graph_range(item)}


def call_item(item: GraphItem, root: str, *, around: bool = False) -> dict[str, Any]:
    """A CallHierarchyItem: of the definition, or of the one `around` a use."""
    first = max((item.start_line or item.line) - 1, 0)
    last = max((item.end_line or item.line) - 1, first)
    whole = {
        "start": {"line": first, "character": 0},
        "end": {"line": last + 1, "character": 0},
    }
    selection = whole if around else graph_range(item)
    return {
        "name": item.symbol.rpartition(".")[2] or item.path,
        "kind": number(item.symbol_kind or "function"),
        "detail": f"{item.symbol}  ({MARK})",
        "uri": to_uri(Path(root) / item.path),
        "range": whole,
        "selectionRange": {**selection, "end": selection["start"]} if around else selection,
    }


def location(item: SymbolItem) -> dict[str, Any]:
    """Location of a symbol's name."""
    return {"uri": to_uri(Path(item.root) / item.path), "range": name_range(item)}


def name_range(item: SymbolItem) -> dict[str, Any]:
    """LSP range of a symbol's name."""
    line = item.line - 1
    end = max(item.end_column, item.column)
    return {
        "start": {"line": line, "character": item.column},
        "end": {"line": line, "character": end},
    }


def whole_range(item: SymbolItem, document: OpenDocument | None) -> dict[str, Any]:
    """LSP range of a whole definition, its last line included."""
    last = item.end_line - 1
    length = len(document.line(last).encode("utf-16-le")) // 2 if document else 0
    end = {"line": last, "character": length} if document else {"line": last + 1, "character": 0}
    return {"start": {"line": item.start_line - 1, "character": 0}, "end": end}


def nest(items: list[SymbolItem], document: OpenDocument | None) -> list[dict[str, Any]]:
    """`DocumentSymbol`s, each below the one whose lines hold it. `items` come in order of lines."""
    top: list[dict[str, Any]] = []
    open_now: list[tuple[int, list[dict[str, Any]]]] = []
    for item in items:
        while open_now and open_now[-1][0] < item.end_line:
            open_now.pop()
        children: list[dict[str, Any]] = []
        symbol = {
            "name": item.name or "(anonymous)",
            "detail": f"{item.signature or ''}  ({MARK})".strip(),
            "kind": number(item.kind),
            "range": whole_range(item, document),
            "selectionRange": name_range(item),
            "children": children,
        }
        (open_now[-1][1] if open_now else top).append(symbol)
        open_now.append((item.end_line, children))
    return top
