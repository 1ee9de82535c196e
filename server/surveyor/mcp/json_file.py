"""Changing one entry of a JSON file that a person keeps, comments and layout included.

Parsing and writing such a file again would lose its comments (JSON with comments is what Zed and
VS Code read) and reorder it. Only the text of the entry is inserted, replaced or taken out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from surveyor.files.writing import BOM

INDENT = "  "

_SKIP = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*+(?:"|\Z))|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_LAST_COMMA = re.compile(r'("(?:[^"\\]|\\.)*+(?:"|\Z))|,(?=\s*+[}\]])', re.DOTALL)
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
        raise JsoncError(f"unexpected text at character {node.end}")
    return node


def _after_space(text: str, at: int) -> int:
    match = _SKIP.match(text, at)
    return match.end() if match else at


def _value(text: str, at: int) -> _Node:
    if at >= len(text):
        raise JsoncError("the text ends too early")
    if text[at] == "{":
        return _object(text, at)
    if text[at] == "[":
        return _array(text, at)
    match = _STRING.match(text, at) or _SCALAR.match(text, at)
    if match is None:
        raise JsoncError(f"no value at character {at}")
    return _Node(at, match.end())


def _object(text: str, start: int) -> _Node:
    node = _Node(start, start, kind="object")
    at, comma = _after_space(text, start + 1), None
    while text[at : at + 1] != "}":
        key = _STRING.match(text, at)
        if key is None:
            raise JsoncError(f"no name at character {at}")
        colon = _after_space(text, key.end())
        if text[colon : colon + 1] != ":":
            raise JsoncError(f"no colon at character {colon}")
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
        raise JsoncError(f"no comma at character {at}")
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


def put(text: str, path: Sequence[str], value: Any) -> str:
    """The text with `value` at `path`, objects on the way made as needed.

    Nothing else changes: neither comments, nor the ends of lines, nor a byte order mark. Raises
    `JsoncError`.
    """
    text = _begun(text)
    node, depth = _parse(text), 0
    while True:
        if node.kind != "object":
            raise JsoncError(f"{'.'.join(path[:depth]) or 'the file'} is not an object")
        member = node.members.get(path[depth])
        if member is None:
            break
        if depth == len(path) - 1:
            shown = _shown(value, depth + 1, _line_end(text))
            return text[: member.value.start] + shown + text[member.value.end :]
        node, depth = member.value, depth + 1
    for name in reversed(path[depth + 1 :]):
        value = {name: value}
    entry = f"{json.dumps(path[depth])}: {_shown(value, depth + 1, _line_end(text))}"
    return _inserted(text, node, entry, depth)


def append(text: str, path: Sequence[str], value: Any) -> str:
    """The text with `value` last in the list at `path`, which is made where there is none.

    Raises `JsoncError`.
    """
    text = _begun(text)
    node = _parse(text)
    for name in path:
        if node.kind != "object" or name not in node.members:
            return put(text, path, [value])
        node = node.members[name].value
    if node.kind != "list":
        raise JsoncError(f"{'.'.join(path)} is not a list")
    depth = len(path)
    return _inserted(text, node, _shown(value, depth + 1, _line_end(text)), depth)


def _begun(text: str) -> str:
    """The text, with an object where it holds nothing."""
    if text.removeprefix(BOM).strip():
        return text
    return f"{text[: text.startswith(BOM)]}{{}}{_line_end(text)}"


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _inserted(text: str, node: _Node, entry: str, depth: int) -> str:
    """The text with one more member, which comes last."""
    end, inner = _line_end(text), INDENT * (depth + 1)
    if node.members:
        last = list(node.members.values())[-1].value.end
        return f"{text[:last]},{end}{inner}{entry}{text[last:]}"
    inside = text[node.start + 1 : node.end - 1]  # comments, if anything
    if "\n" not in inside:
        inside += f"{end}{INDENT * depth}"
    return f"{text[: node.start + 1]}{end}{inner}{entry}{inside}{text[node.end - 1 :]}"


def remove(text: str, path: Path) -> str:
    """The text without the entry at `path`, nor objects that hold nothing else then.

    An object in which a comment is left stays. Raises `JsoncError`.
    """
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
    member = holder.members[name]
    if len(holder.members) == 1:
        left = _left(text, holder, name)
        left = left if left.strip() else ""
        return text[: holder.start + 1] + left + text[holder.end - 1 :]
    if member.comma_before is not None:
        between = text[member.comma_before + 1 : member.start]
        kept = between if between.strip() else ""  # comments: of others, perhaps
        return text[: member.comma_before] + kept + text[member.value.end :]
    comma = _after_space(text, member.value.end)
    between = text[member.value.end : comma]
    kept = between if between.strip() else ""
    return text[: member.start] + kept + text[comma + 1 :].lstrip()


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


def _shown(value: Any, depth: int, end: str) -> str:
    shown = json.dumps(value, indent=INDENT, ensure_ascii=False)
    return shown.replace("\n", end + INDENT * depth)
