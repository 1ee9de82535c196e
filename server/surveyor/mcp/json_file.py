"""Changing one entry of a JSON file that a person keeps, comments and layout included.

Parsing and writing such a file again would lose its comments (JSON with comments is what Zed and
VS Code read) and reorder it. Only the text of the entry is inserted, replaced or taken out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from surveyor.files.writing import BOM

INDENT = "  "

_SKIP = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*+(?:"|\Z))|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_LAST_COMMA = re.compile(r'("(?:[^"\\]|\\.)*+(?:"|\Z))|,(?=\s*+[}\]])', re.DOTALL)
_LINE_COMMENT = re.compile(r"//[^\n]*\Z")
_INDENT = re.compile(r"[ \t]*")
_SCALAR = re.compile(r"-?[0-9][0-9eE+.\-]*|true|false|null")


class JsoncError(ValueError):
    """The text is not JSON, with or without comments."""


Path = Sequence[str | int]
"""Names in objects and numbers in lists that lead to a value."""


@dataclass(slots=True)
class _Node:
    """A value: where its text lies, and its members: by name in an object, by number in a list."""

    start: int
    end: int
    members: dict[str | int, _Member] = field(default_factory=dict)
    kind: Literal["object", "list", "other"] = "other"


@dataclass(slots=True)
class _Member:
    start: int
    value: _Node
    comma_before: int | None


def _parse(text: str) -> _Node:
    start = _after_space(text, 1 if text.startswith(BOM) else 0)
    try:
        node = _value(text, start)
    except RecursionError:
        raise JsoncError("its values are nested too deep") from None
    if _after_space(text, node.end) != len(text):
        raise JsoncError(f"unexpected text at {_place(text, node.end)}")
    return node


def _after_space(text: str, at: int) -> int:
    match = _SKIP.match(text, at)
    return match.end() if match else at


def _place(text: str, at: int) -> str:
    """A place as editors show it."""
    line = text.count("\n", 0, at) + 1
    return f"line {line}, column {at - text.rfind(chr(10), 0, at)}"


def _value(text: str, at: int) -> _Node:
    if at >= len(text):
        raise JsoncError("the text ends too early")
    if text[at] == "{":
        return _object(text, at)
    if text[at] == "[":
        return _array(text, at)
    match = _STRING.match(text, at) or _SCALAR.match(text, at)
    if match is None:
        raise JsoncError(f"no value at {_place(text, at)}")
    return _Node(at, match.end())


def _object(text: str, start: int) -> _Node:
    node = _Node(start, start, kind="object")
    at, comma = _after_space(text, start + 1), None
    while text[at : at + 1] != "}":
        key = _STRING.match(text, at)
        if key is None:
            raise JsoncError(f"no name at {_place(text, at)}")
        colon = _after_space(text, key.end())
        if text[colon : colon + 1] != ":":
            raise JsoncError(f"no colon at {_place(text, colon)}")
        value = _value(text, _after_space(text, colon + 1))
        node.members[json.loads(key.group())] = _Member(at, value, comma)
        at, comma = _after_member(text, value, "}")
    node.end = at + 1
    return node


def _array(text: str, start: int) -> _Node:
    node = _Node(start, start, kind="list")
    at, comma = _after_space(text, start + 1), None
    while text[at : at + 1] != "]":
        value = _value(text, at)
        node.members[len(node.members)] = _Member(at, value, comma)
        at, comma = _after_member(text, value, "]")
    node.end = at + 1
    return node


def _after_member(text: str, value: _Node, end: str) -> tuple[int, int | None]:
    """Where the next member begins, or the end of all, and where the comma before it is."""
    at = _after_space(text, value.end)
    if text[at : at + 1] == ",":
        return _after_space(text, at + 1), at
    if text[at : at + 1] != end:
        raise JsoncError(f"no comma at {_place(text, at)}")
    return at, None


def load(text: str) -> Any:
    """The value of JSON with comments. Raises `JsoncError`."""
    _parse(text)
    bare = _COMMENT.sub(lambda match: match.group(1) or " ", text)
    bare = _LAST_COMMA.sub(lambda match: match.group(1) or "", bare)
    try:
        return json.loads(bare.removeprefix(BOM))
    except RecursionError:
        raise JsoncError("its values are nested too deep") from None


def put(text: str, path: Path, value: Any) -> str:
    """The text with `value` at `path`, objects on the way made as needed.

    An object that is there keeps its other members, at every depth. Nothing else changes: neither
    comments, nor the ends of lines, nor a byte order mark. Raises `JsoncError`.
    """
    text = _begun(text)
    root = node = _parse(text)
    layout = _Layout(text, root)
    for depth, name in enumerate(path):
        if node.kind == "other" or (node.kind == "list" and name not in node.members):
            raise JsoncError(f"{_dotted(path[:depth])} is not an object")
        member = node.members.get(name)
        if member is None:
            for inner in reversed(path[depth + 1 :]):
                value = {inner: value}
            return _applied(text, _insertion(text, layout, node, {name: value}))
        node = member.value
    return _applied(text, _assignment(text, layout, node, value))


def append(text: str, path: Path, value: Any) -> str:
    """The text with `value` last in the list at `path`, which is made where there is none.

    Raises `JsoncError`.
    """
    text = _begun(text)
    root = node = _parse(text)
    for name in path:
        if node.kind != "object" or name not in node.members:
            return put(text, path, [value])
        node = node.members[name].value
    if node.kind != "list":
        raise JsoncError(f"{_dotted(path)} is not a list")
    return _applied(text, _insertion(text, _Layout(text, root), node, [value]))


def _dotted(path: Path) -> str:
    return ".".join(str(name) for name in path) or "the file"


def _begun(text: str) -> str:
    """The text, with an object where it holds nothing."""
    if text.removeprefix(BOM).strip():
        return text
    return f"{text[: text.startswith(BOM)]}{{}}{_line_end(text)}"


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


Edit = tuple[int, int, str]
"""Where the text is replaced, and by what."""


def _applied(text: str, edits: Sequence[Edit]) -> str:
    for start, end, inserted in sorted(edits, key=lambda edit: edit[:2], reverse=True):
        text = text[:start] + inserted + text[end:]
    return text


class _Layout:
    """How a file ends its lines and indents them."""

    def __init__(self, text: str, root: _Node) -> None:
        self.end = _line_end(text)
        self._text = text
        self._is_one_line = bool(root.members) and "\n" not in text[root.start : root.end]
        own = self._own_line(root)
        self._unit = own.removeprefix(self.outer(root)) if own is not None else INDENT
        self._unit = self._unit or INDENT

    def outer(self, node: _Node) -> str:
        """The indentation of the line on which a value begins."""
        line = self._text.rfind("\n", 0, node.start) + 1
        return _indent_at(self._text, line + self._text.startswith(BOM, line))

    def inner(self, node: _Node) -> str:
        """The indentation of a value's members: that of those which are there, if any."""
        own = self._own_line(node)
        return own if own is not None else self.outer(node) + self._unit

    def line(self, indent: str) -> str:
        """What stands before a new member: a line of its own, but in a file that is one line."""
        return "" if self._is_one_line else self.end + indent

    def shown(self, value: Any, indent: str) -> str:
        """A value as text, all but its first line indented."""
        if self._is_one_line:
            return json.dumps(value, ensure_ascii=False)
        shown = json.dumps(value, indent=self._unit, ensure_ascii=False)
        return shown.replace("\n", self.end + indent)

    def _own_line(self, node: _Node) -> str | None:
        """What stands before a member that begins a line."""
        for member in node.members.values():
            line = self._text.rfind("\n", node.start, member.start) + 1
            if line and not self._text[line : member.start].strip(" \t"):
                return self._text[line : member.start]
        return None


def _indent_at(text: str, line: int) -> str:
    found = _INDENT.match(text, line)
    return found.group() if found is not None else ""


def _assignment(text: str, layout: _Layout, node: _Node, value: Any) -> list[Edit]:
    """What makes a value into another one; members of an object that are not named stay."""
    if node.kind == "object" and isinstance(value, dict):
        edits = [
            edit
            for name, inner in value.items()
            if (member := node.members.get(name)) is not None
            for edit in _assignment(text, layout, member.value, inner)
        ]
        new = {name: inner for name, inner in value.items() if name not in node.members}
        return edits + (_insertion(text, layout, node, new) if new else [])
    if json.dumps(load(text[node.start : node.end])) == json.dumps(value):
        return []
    return [(node.start, node.end, layout.shown(value, layout.outer(node)))]


def _insertion(
    text: str, layout: _Layout, node: _Node, new: Mapping[str | int, Any] | Sequence[Any]
) -> list[Edit]:
    """What adds members to an object, or values to a list, behind all that it holds.

    A comment behind what was last stays there: the comma goes before it, the new line after it.
    """
    indent = layout.inner(node)
    if isinstance(new, Mapping):
        entries = [f"{json.dumps(k)}: {layout.shown(v, indent)}" for k, v in new.items()]
    else:
        entries = [layout.shown(value, indent) for value in new]
    line = layout.line(indent)
    lines = line + f",{line}".join(entries)
    close = node.end - 1
    if not node.members:
        at = _after_comments(text, node.start + 1, close)
        if "\n" in text[at:close]:
            return [(at, at, lines)]
        return [(at, close, lines + layout.line(layout.outer(node)))]
    last = max(member.value.end for member in node.members.values())
    comma = _after_space(text, last)
    if text[comma] == ",":
        at = _after_comments(text, comma + 1, close)
        return [(at, at, lines + ",")]
    at = _after_comments(text, last, close)
    return [(last, at, "," + text[last:at] + lines)]


def _after_comments(text: str, start: int, end: int) -> int:
    """Where the last comment between two places ends, else the first of them."""
    for comment in _COMMENT.finditer(text, start, end):
        start = comment.end() - comment.group().endswith("\r")
    return start


def remove(text: str, path: Path) -> str:
    """The text without the entry at `path`, nor objects that hold nothing else then.

    An object in which a comment is left stays. What `put` has inserted beside other members goes
    to the byte. Where the name stands twice, both go: the other would count then. Raises
    `JsoncError`.
    """
    while (without := _without_last(text, path)) != text:
        text = without
    return text


def _without_last(text: str, path: Path) -> str:
    node = _parse(text) if text.removeprefix(BOM).strip() else _Node(0, 0)
    trail: list[tuple[_Node, str | int]] = []
    for name in path:
        if name not in node.members:
            return text
        trail.append((node, name))
        node = node.members[name].value
    while len(trail) > 1 and not _left(text, *trail[-1]).strip():
        above, key = trail[-2]
        if _has_comment(text, above.members[key]):
            break
        trail.pop()
    holder, name = trail[-1]
    if len(holder.members) == 1 and not _left(text, holder, name).strip():
        return text[: holder.start + 1] + text[holder.end - 1 :]
    return _applied(text, _removal(text, holder.members[name], holder.start + 1))


def _removal(text: str, member: _Member, first: int) -> list[Edit]:
    """What takes a member out with one comma and the space before it; comments around it stay."""
    before = first if member.comma_before is None else member.comma_before + 1
    start, end = _after_comments(text, before, member.start), member.value.end
    comma = _after_space(text, end)
    edits: list[Edit] = []
    if text[comma] == ",":
        edits.append((comma, comma + 1, ""))
    elif member.comma_before is not None:
        edits.append((member.comma_before, before, ""))
    follows = text[end:comma] + text[comma + (text[comma] == ",") :]
    ends_line = _LINE_COMMENT.search(text, before, start) is not None
    if ends_line and not re.match(r"[ \t]*\r?\n", follows):
        return [*edits, (member.start, end, "")]  # else the comment would take in what follows
    return [*edits, (start, end, "")]


def _has_comment(text: str, member: _Member) -> bool:
    """Whether something stands between a member's name and its value."""
    name = _STRING.match(text, member.start)
    at = name.end() if name is not None else member.start
    return text[at : member.value.start].strip() not in ("", ":")


def _left(text: str, holder: _Node, name: str | int) -> str:
    """What an object's braces hold beside one member: its other members, space and comments."""
    member = holder.members[name]
    before, after = text[holder.start + 1 : member.start], text[member.value.end : holder.end - 1]
    if len(holder.members) > 1:
        return before + after
    comma = _after_space(after, 0)
    if after[comma : comma + 1] == ",":
        after = after[:comma] + after[comma + 1 :]
    return before + after
