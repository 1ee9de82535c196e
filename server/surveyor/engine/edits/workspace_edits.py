"""What a language server wants to be changed (`WorkspaceEdit`), and texts with that change."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from surveyor.engine.edits.file_text import FileText
from surveyor.errors import SurveyorError, UsageError
from surveyor.servers.positions import line_starts, offset_at, utf16_length
from surveyor.servers.uris import to_path

__all__ = ["changes_of", "place_at", "with_edits"]


def changes_of(value: Any, root: Path) -> tuple[dict[str, list[Any]], bool]:
    """The `TextEdit`s of an edit by path within a root, and whether it wants more than text.

    Raises `UsageError` for files outside; `KeyError` and `TypeError` for what is no edit.
    """
    if not isinstance(value, dict):
        return {}, False
    listed = [
        (change["textDocument"]["uri"], change["edits"])
        for change in value.get("documentChanges") or []
        if isinstance(change, dict) and "textDocument" in change
    ] or list((value.get("changes") or {}).items())
    more = any("kind" in change for change in value.get("documentChanges") or [])
    files: dict[str, list[Any]] = {}
    for uri, edits in listed:
        file = to_path(uri)
        if file is None or not file.is_relative_to(root):
            raise UsageError(
                f"the language server would change {uri}, outside the project",
                "Nothing was changed: only what is the project's own can be.",
            )
        files.setdefault(file.relative_to(root).as_posix(), []).extend(edits)
    return files, more


class OverlappingEditsError(SurveyorError):
    """A server's edits do not fit together."""

    code = "refused"


def with_edits(file: FileText, edits: Sequence[Any]) -> FileText:
    """A file with `TextEdit`s, its own line ends in what they put in.

    What several put into one place stands there in their order. Raises `OverlappingEditsError`.
    """
    text, starts = file.text, line_starts(file.text)
    spans = []
    for edit in edits:
        first, last = (
            offset_at(text, starts, edit["range"][end]["line"], edit["range"][end]["character"])
            for end in ("start", "end")
        )
        written = edit["newText"].replace("\r\n", "\n").replace("\n", file.line_end)
        spans.append((first, last, written))
    spans.sort(key=lambda span: span[:2])
    parts, at = [], 0
    for start, end, written in spans:
        if start < at or end < start:
            raise OverlappingEditsError(
                "the language server's edits overlap", "Nothing was changed."
            )
        parts += [text[at:start], written]
        at = end
    return file.with_text("".join([*parts, text[at:]]))


def place_at(text: str, offset: int) -> tuple[int, int]:
    """Line, from 0, and column in UTF-16 of a place in a text."""
    starts = line_starts(text)
    line = bisect_right(starts, offset) - 1
    return line, utf16_length(text[starts[line] : offset])
