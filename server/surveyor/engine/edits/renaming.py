"""Places of a name in several files, and putting another one there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from surveyor.engine.edits.editing import CurrentText
from surveyor.engine.edits.file_text import FileText
from surveyor.engine.edits.workspace_edits import changes_of
from surveyor.errors import SurveyorError, UsageError
from surveyor.servers.positions import line_starts, offset_at

__all__ = [
    "NamePlace",
    "checked_name",
    "has_name",
    "is_like_code",
    "places_of_edit",
    "renamed",
    "why_left",
    "without_mark",
]

_NAME = re.compile(r"[^\W\d][\w$]*[!?=]?|\$[\w$]*|[\w-]+")
_COMMENT_LINE = re.compile(r"\s*(?://|#|/\*|\*|--|;|%|<!--)")


@dataclass(frozen=True, slots=True, order=True)
class NamePlace:
    """A span of a line that is to be another text. The line is from 0, columns in UTF-16."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    new: str


def checked_name(old: str, new: str) -> str:
    """The new name. Raises `UsageError` for what is none."""
    if not _NAME.fullmatch(new):
        raise UsageError(f"{new[:60]!r} is no name", "Give the new name alone, in `new`.")
    if new == old:
        raise UsageError(f"it is called {old} already", "Give another name.")
    return new


def places_of_edit(value: Any, root: Path) -> tuple[list[NamePlace], bool]:
    """The places of an LSP `WorkspaceEdit` within a root, and whether it wants more than text."""
    files, more = changes_of(value, root)
    places = [
        NamePlace(
            path,
            edit["range"]["start"]["line"],
            edit["range"]["start"]["character"],
            edit["range"]["end"]["line"],
            edit["range"]["end"]["character"],
            edit["newText"],
        )
        for path, edits in files.items()
        for edit in edits
    ]
    return sorted(set(places)), more


def without_mark(
    places: Iterable[NamePlace], first_lines: Mapping[str, str], old: str
) -> list[NamePlace]:
    """The same places in files that begin with a byte order mark, whose first lines are given
    without it: some language servers count it in what they read from the disk."""
    found = []
    for place in places:
        line = first_lines.get(place.path) if place.line == 0 else None
        if line is not None and place.column and not _stands_at(line, place.column, old):
            before = place.column - 1
            if _stands_at(line, before, old):
                place = replace(place, column=before, end_column=place.end_column - 1)
        found.append(place)
    return sorted(set(found))


def _stands_at(line: str, column: int, name: str) -> bool:
    return line.startswith(name, offset_at(line, line_starts(line), 0, column))


class MovedNameError(SurveyorError):
    """The places are not those of the text as it is now."""

    code = "conflict"


def renamed(
    current: Mapping[str, CurrentText], places: Iterable[NamePlace], old: str
) -> dict[str, FileText]:
    """The files with the new name in all places.

    Raises `MovedNameError` where a place has another text than the old name.
    """
    planned: dict[str, FileText] = {}
    for path, each in current.items():
        text = each.file.text
        starts = line_starts(text)
        spans = [
            (
                offset_at(text, starts, place.line, place.column),
                offset_at(text, starts, place.end_line, place.end_column),
                place.new,
            )
            for place in sorted(places)
            if place.path == path
        ]
        parts, last = [], 0
        for start, end, new in spans:
            if start < last or (start < end and old not in text[start:end]):
                raise MovedNameError(
                    f"{path} is not what the index or the language server has read",
                    "Nothing was changed: try again in a moment.",
                )
            parts += [text[last:start], new]
            last = end
        planned[path] = each.file.with_text("".join([*parts, text[last:]]))
    return planned


def has_name(current: CurrentText, place: NamePlace, old: str) -> bool:
    """Whether a name stands at a place."""
    text = current.file.text
    start = offset_at(text, line_starts(text), place.line, place.column)
    return text.startswith(old, start)


def why_left(text: str, column: int, *, other_language: bool) -> str:
    """What a place that has the name and was not renamed looks like, as far as its line shows."""
    before = text[:column]
    if _COMMENT_LINE.match(text) or re.search(r"(?:^|\s)(?://|#|/\*)", before):
        return "comment"
    if any(before.count(quote) % 2 for quote in ("'", '"', "`")):
        return "string"
    return "other language" if other_language else ""


def is_like_code(text: str, column: int, name: str) -> bool:
    """Whether a name in prose or in a string is meant as one, and is no ordinary word."""
    if not name.isalpha() or not (name.islower() or name.istitle()):
        return True
    return text[:column].endswith((".", "`", "::", "->", "#")) or text[
        column + len(name) :
    ].startswith(("(", "`", "::"))
