"""`surveyor/history`: the commits that changed a definition or lines, in the editor's terms."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path

from surveyor.errors import NotFoundError, SurveyorError, UsageError
from surveyor.lsp.editor_words import not_a_file
from surveyor.lsp.engine_link import EngineLink
from surveyor.lsp.line_mapping import LineMappings
from surveyor.protocol import editor
from surveyor.protocol.graph import EnrichmentRequest
from surveyor.protocol.history import CommitItem, HistoryResponse, HistorySymbolRequest
from surveyor.servers.documents import OpenDocuments
from surveyor.servers.uris import to_path, to_uri

__all__ = ["CodeHistory"]

NEAR_LINES = 200
"""How far from a line that is not saved a saved one is looked for."""


class CodeHistory:
    """Asks the engine when and why code changed."""

    def __init__(
        self, index: EngineLink, documents: OpenDocuments, root_of: Callable[[Path], Path]
    ) -> None:
        self._index = index
        self._root_of = root_of
        self._line_mappings = LineMappings(documents)

    async def history(self, params: editor.HistoryParams) -> editor.HistoryAnswer:
        """Commits that changed the definition at or around an empty range, or a range's lines."""
        path = to_path(params.text_document.uri)
        if path is None:
            raise not_a_file(params.text_document.uri)
        start, end = params.range.start, params.range.end
        near = self._saved(params.text_document.uri, start.line)
        if start != end:
            last = end.line - (end.character == 0 and end.line > start.line)
            asked = self._lines(path, near[0], self._saved(params.text_document.uri, last)[-1])
        else:
            asked = await self._definition(path, near, start.character)
        asked.limit, asked.diffs = params.limit, True
        try:
            answer = await self._index.call(asked)
        except NotFoundError:
            if asked.symbol is None:
                raise
            lines = self._lines(path, near[0], near[0])  # a place outside all definitions
            lines.limit, lines.diffs = params.limit, True
            answer = await self._index.call(lines)
        return self._answer(answer, self._root_of(path))

    def _saved(self, uri: str, line: int) -> list[int]:
        """The line on disk that a line of a buffer was; of one that is not saved, the nearest below
        and above: an edited head has its body below."""
        to_saved = self._line_mappings.to_saved
        known = to_saved(uri, line)
        if known is not None:
            return [known]
        below = (to_saved(uri, each) for each in range(line + 1, line + NEAR_LINES))
        above = (to_saved(uri, each) for each in range(line - 1, max(line - NEAR_LINES, -1), -1))
        found = [next((each for each in side if each is not None), None) for side in (below, above)]
        near = [each for each in found if each is not None]
        if not near:
            raise UsageError(
                "These lines are not saved yet, and have no history.", "Save the file."
            )
        return near

    def _lines(self, path: Path, first: int, last: int) -> HistorySymbolRequest:
        return HistorySymbolRequest(
            path=str(path),
            start_line=first + 1,
            end_line=max(first, last) + 1,
            cwd=str(path.parent),
        )

    async def _definition(
        self, path: Path, near: list[int], character: int
    ) -> HistorySymbolRequest:
        """What is named at a place, else what is around it."""
        for line in near:
            with contextlib.suppress(SurveyorError):
                known = await self._index.call(
                    EnrichmentRequest(
                        saved=True,
                        path=str(path),
                        line=line + 1,
                        column=character,
                        cwd=str(path.parent),
                        details=False,
                    )
                )
                if known.found and known.symbol is not None and known.symbol.symbol:
                    place = f"{self._root_of(path) / known.symbol.path}:{known.symbol.line}"
                    return HistorySymbolRequest(symbol=place, cwd=str(path.parent))
        return HistorySymbolRequest(symbol=f"{path}:{near[0] + 1}", cwd=str(path.parent))

    @staticmethod
    def _answer(found: HistoryResponse, root: Path) -> editor.HistoryAnswer:
        path = found.path or ""
        return editor.HistoryAnswer(
            symbol=found.symbol,
            path=path,
            uri=to_uri(root / path),
            range=editor.Range(
                start=editor.Position(line=max((found.start_line or 1) - 1, 0), character=0),
                end=editor.Position(line=max((found.end_line or 1) - 1, 0), character=0),
            ),
            commits=[_commit(item) for item in found.results],
            notice=found.notice,
        )


def _commit(item: CommitItem) -> editor.CodeCommit:
    return editor.CodeCommit(
        commit=item.commit,
        author=item.author,
        date=item.date,
        subject=item.subject,
        body=item.body,
        path=item.path or "",
        start_line=item.start_line or 0,
        end_line=item.end_line or 0,
        added=item.added or 0,
        removed=item.removed or 0,
        diff=item.diff or "",
        moved_from=item.moved_from,
        renamed_from=item.renamed_from,
        introduced=item.introduced,
    )
