"""Places of LSP values, moved from the lines of one text to the lines of another.

What lies in a line that the other text does not have is left out, or, where half an answer is
worse than none (edits), makes the whole of it unanswerable.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

LineOf = Callable[[int], int | None]
"""Where a line is in the other text; `None` where it is not in it."""

OPAQUE = frozenset({"data", "arguments"})
"""The server's own: given back to it as it came."""

OPTIONAL = frozenset({"originSelectionRange", "parent", "relatedInformation"})
"""Members that a value can do without."""


class OutsideTextError(Exception):
    """A place has no line in the other text."""


class Translation:
    """Moves the places of values. `lines` has the documents that differ, by URI."""

    def __init__(
        self,
        lines: Mapping[str, Sequence[LineOf]],
        versions: Mapping[str, int | None],
        base: str,
        *,
        strict: bool,
    ) -> None:
        """A line must be at one place by all functions of its document. `versions` are what a
        document's version is called on the other side; `base` is the document whose places name
        none; `strict` leaves nothing out of lists."""
        self._lines = lines
        self._versions = versions
        self._base = base
        self._strict = strict

    def move(self, value: Any, uri: str | None = None) -> Any:
        """A value with its places moved. Raises `OutsideTextError`."""
        where = self._base if uri is None else uri
        if isinstance(value, list):
            return self._list(value, where)
        if isinstance(value, dict):
            return self._object(value, where)
        return value

    def line(self, number: int, uri: str) -> int:
        """Where a line is. Raises `OutsideTextError`."""
        functions = self._lines.get(uri)
        if functions is None:
            return number
        found = {function(number) for function in functions}
        only = found.pop() if len(found) == 1 else None
        if only is None:
            raise OutsideTextError(uri)
        return only

    def _list(self, value: list[Any], uri: str) -> list[Any]:
        moved = []
        for item in value:
            try:
                moved.append(self.move(item, uri))
            except OutsideTextError:
                if self._strict:
                    raise
        return moved

    def _object(self, value: dict[str, Any], uri: str) -> dict[str, Any]:
        if isinstance(value.get("line"), int) and "character" in value:
            return {**value, "line": self.line(value["line"], uri)}
        if is_range(value):
            return self._range(value, uri)
        uri = own_uri(value) or uri
        moved: dict[str, Any] = {}
        for key, member in value.items():
            try:
                moved[key] = self._member(key, member, value, uri)
            except OutsideTextError:
                if key in OPTIONAL or (key == "range" and "contents" in value):
                    continue
                raise
        return moved

    def _member(self, key: str, member: Any, value: dict[str, Any], uri: str) -> Any:
        if key in OPAQUE:
            return member
        if key == "changes" and isinstance(member, dict):
            return {each: self.move(edits, each) for each, edits in member.items()}
        if key in ("startLine", "endLine") and isinstance(member, int):
            return self.line(member, uri)
        if key == "version" and isinstance(value.get("uri"), str):
            return self._versions.get(uri, member)
        if not isinstance(member, dict | list):
            return member
        if key == "originSelectionRange":
            return self.move(member, self._base)
        if key == "fromRanges":
            caller = value.get("from")
            return self.move(member, own_uri(caller) if isinstance(caller, dict) else None)
        return self.move(member, uri)

    def _range(self, value: dict[str, Any], uri: str) -> dict[str, Any]:
        start, end = value["start"], value["end"]
        first = self.line(start["line"], uri)
        if end["line"] > start["line"] and end["character"] == 0:
            last = self.line(end["line"] - 1, uri) + 1  # before the end of the line above
        else:
            last = self.line(end["line"], uri)
        if last - first != end["line"] - start["line"] and self._strict:
            raise OutsideTextError(uri)  # an edit of lines that have others between them now
        return {**value, "start": {**start, "line": first}, "end": {**end, "line": last}}


def is_range(value: dict[str, Any]) -> bool:
    """Whether an object is an LSP range."""
    return all(
        isinstance(end := value.get(key), dict)
        and isinstance(end.get("line"), int)
        and "character" in end
        for key in ("start", "end")
    )


def own_uri(value: dict[str, Any]) -> str | None:
    """The document that an object names for its own places."""
    for key in ("uri", "targetUri"):
        if isinstance(value.get(key), str):
            return str(value[key])
    document = value.get("textDocument")
    if isinstance(document, dict) and isinstance(document.get("uri"), str):
        return str(document["uri"])
    return None
