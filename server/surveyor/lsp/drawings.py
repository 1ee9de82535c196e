"""`surveyor/graph`: a symbol's or a project's graph as boxes and arrows, in the editor's terms."""

from __future__ import annotations

from pathlib import Path

from surveyor.errors import UsageError
from surveyor.lsp.editor_words import not_a_file
from surveyor.lsp.engine_link import EngineLink
from surveyor.lsp.roots import Roots
from surveyor.protocol import editor
from surveyor.protocol.graph import (
    CalleesRequest,
    CallersRequest,
    Drawing,
    DrawnNode,
    ImpactRequest,
    MapRequest,
)
from surveyor.servers.uris import to_path, to_uri

__all__ = ["Drawings"]


class Drawings:
    """Asks the engine for what is drawn."""

    def __init__(self, index: EngineLink, roots: Roots) -> None:
        self._index = index
        self._roots = roots

    async def graph(self, params: editor.GraphParams) -> editor.GraphAnswer:
        """Boxes and arrows around a symbol, or of the most important files."""
        return await (self._map(params) if params.about == "map" else self._of_symbol(params))

    async def _map(self, params: editor.GraphParams) -> editor.GraphAnswer:
        asked = to_path(params.uri) if params.uri else None
        folder = (self._roots.of(asked) or asked) if asked else self._roots.first()
        if folder is None:
            raise UsageError("There is no folder to draw.", "Open one.")
        answer = await self._index.call(
            MapRequest(cwd=str(folder), tokens=params.tokens, saved=True, drawing=True)
        )
        drawing = answer.drawing or Drawing(nodes=[], edges=[])
        return editor.GraphAnswer(
            symbol=Path(answer.root).name,
            boxes=_boxes(drawing, Path(answer.root)),
            arrows=_arrows(drawing),
            omitted=drawing.omitted,
            files_total=answer.files_total,
            precision=answer.precision,
            complete=answer.complete,
        )

    async def _of_symbol(self, params: editor.GraphParams) -> editor.GraphAnswer:
        if params.text_document is None or params.position is None:
            raise UsageError("A graph of a symbol needs a document and a position.")
        path = to_path(params.text_document.uri)
        if path is None:
            raise not_a_file(params.text_document.uri)
        kind = {"impact": ImpactRequest, "callers": CallersRequest, "callees": CalleesRequest}
        request = kind[params.about](
            saved=True,
            path=str(path),
            line=params.position.line + 1,
            column=params.position.character,
            cwd=str(path.parent),
            depth=params.depth,
            drawing=True,
        )
        answer = await self._index.call(request)
        drawing = answer.drawing or Drawing(nodes=[], edges=[])
        subjects = [node.name or node.path for node in drawing.nodes if node.is_subject]
        return editor.GraphAnswer(
            symbol=", ".join(subjects),
            boxes=_boxes(drawing, Path(answer.root)),
            arrows=_arrows(drawing),
            omitted=drawing.omitted,
            files_total=0,
            precision=answer.precision,
            complete=answer.complete,
            notice=answer.notice,
        )


def _boxes(drawing: Drawing, root: Path) -> list[editor.GraphBox]:
    return [_box(node, root) for node in drawing.nodes]


def _box(node: DrawnNode, root: Path) -> editor.GraphBox:
    return editor.GraphBox(
        uri=to_uri(root / node.path),
        range=editor.Range.at(node.line),
        name=node.name,
        path=node.path,
        kind=node.kind,
        is_test=node.is_test,
        is_subject=node.is_subject,
        members=[
            editor.GraphMember(
                name=each.name, kind=each.kind, line=each.line, signature=each.signature
            )
            for each in node.members
        ],
    )


def _arrows(drawing: Drawing) -> list[editor.GraphArrow]:
    return [
        editor.GraphArrow(source=edge.source, target=edge.target, uses=edge.uses)
        for edge in drawing.edges
    ]
