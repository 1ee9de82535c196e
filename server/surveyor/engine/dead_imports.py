"""Imports of files that a change deleted or renamed, where they lead to nothing now."""

from __future__ import annotations

import re
from collections.abc import Set
from pathlib import PurePosixPath

from surveyor.engine.left_behind import LeftBehind
from surveyor.graph.queries.gone_files import GoneImports
from surveyor.graph.queries.query_context import QueryContext
from surveyor.parsing.source import utf16_length

__all__ = ["dead_imports"]

_WORDS = re.compile(r"\w+")
_RUN_LATER = "dynamic"


async def dead_imports(
    context: QueryContext, gone: GoneImports, told: Set[tuple[str, int]]
) -> list[LeftBehind]:
    """Those of lines of which nothing is `told` (path and line) yet."""
    found = []
    for link, file in gone.places:
        text = context.lines.text(link.path, link.line, link.line)
        column = _column(link.module, PurePosixPath(file.path).name.partition(".")[0], text)
        if (link.path, link.line) in told or column is None:
            continue  # an unsaved text may have other lines
        user = await context.stored.file(link.path)
        new = f" (now {file.moved_to}?)" if file.moved_to else ""
        found.append(
            LeftBehind(
                link.path,
                link.line,
                column,
                f"imports {file.path}, which is gone{new}",
                file.moved_to or file.path,
                "",
                is_test=user is not None and user.is_test,
                is_sure=link.kind != _RUN_LATER,
            )
        )
    return found


def _column(module: str, stem: str, text: str) -> int | None:
    """Where a line names a file, in UTF-16 code units; None where it does not."""
    words = _WORDS.findall(module)
    for wanted in (module if stem in words else stem, *reversed(words)):
        if (at := text.find(wanted)) >= 0:
            return utf16_length(text[:at])
    return None
