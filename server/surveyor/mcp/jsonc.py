"""Changing one entry of a JSON file that a person keeps, comments and layout included.

Parsing and writing such a file again would lose its comments (JSON with comments is what Zed and
VS Code read) and reorder it. Only the text of the entry is inserted, replaced or taken out.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

INDENT = "  "

_SKIP = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_LAST_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)
_SCALAR = re.compile(r"-?[0-9][0-9eE+.\-]*|true|false|null")


class JsoncError(ValueError):
    """The text is not JSON, with or without comments."""


@dataclass(slots=True)
class _Node:
    """A value: where its text lies, and for an object its members."""

    start: int
    end: int
    members: dict[str, _Member] = field(default_factory=dict)
    is_object: bool = False


@dataclass(slots=True)
class _Member:
    start: int
    value: _Node
    before: int
    """Where what precedes it ends: the opening brace, or the comma before."""
    comma_before: int | None


def _parse(text: str) -> _Node:
    start = _after_space(text, 1 if text.startswith("\ufeff") else 0)
    node = _value(text, start)
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
    node = _Node(start, start, is_object=True)
    at, before, comma = _after_space(text, start + 1), start + 1, None
    while text[at : at + 1] != "}":
        key = _STRING.match(text, at)
        if key is None:
            raise JsoncError(f"no name at character {at}")
        colon = _after_space(text, key.end())
        if text[colon : colon + 1] != ":":
            raise JsoncError(f"no colon at character {colon}")
        value = _value(text, _after_space(text, colon + 1))
        node.members[json.loads(key.group())] = _Member(at, value, before, comma)
        at = _after_space(text, value.end)
        if text[at : at + 1] == ",":
            comma, before = at, at + 1
            at = _after_space(text, at + 1)
        elif text[at : at + 1] != "}":
            raise JsoncError(f"no comma at character {at}")
    node.end = at + 1
    return node


def _array(text: str, start: int) -> _Node:
    at = _after_space(text, start + 1)
    while text[at : at + 1] != "]":
        at = _after_space(text, _value(text, at).end)
        if text[at : at + 1] == ",":
            at = _after_space(text, at + 1)
        elif text[at : at + 1] != "]":
            raise JsoncError(f"no comma at character {at}")
    return _Node(start, at + 1)


def load(text: str) -> Any:
    """The value of JSON with comments. Raises `JsoncError`."""
    _parse(text)
    bare = _COMMENT.sub(lambda match: match.group(1) or " ", text)
    bare = _LAST_COMMA.sub(lambda match: match.group(1) or "", bare)
    return json.loads(bare.removeprefix("\ufeff"))


def put(text: str, path: list[str], value: Any) -> str:
    """The text with `value` at `path`, objects on the way made as needed. Raises `JsoncError`."""
    if not text.strip():
        text = "{}\n"
    node, depth = _parse(text), 0
    while True:
        if not node.is_object:
            raise JsoncError(f"{'.'.join(path[:depth]) or 'the file'} is not an object")
        member = node.members.get(path[depth])
        if member is None:
            break
        if depth == len(path) - 1:
            shown = _shown(value, depth + 1)
            return text[: member.value.start] + shown + text[member.value.end :]
        node, depth = member.value, depth + 1
    for name in reversed(path[depth + 1 :]):
        value = {name: value}
    entry = f"{json.dumps(path[depth])}: {_shown(value, depth + 1)}"
    inner, outer = INDENT * (depth + 1), INDENT * depth
    if node.members:
        last = list(node.members.values())[-1].value.end
        return f"{text[:last]},\n{inner}{entry}{text[last:]}"
    return f"{text[: node.start]}{{\n{inner}{entry}\n{outer}}}{text[node.end :]}"


def remove(text: str, path: list[str]) -> str:
    """The text without the entry at `path`, nor objects that are empty then."""
    node = _parse(text) if text.strip() else _Node(0, 0)
    trail: list[tuple[_Node, str]] = []
    for name in path:
        if name not in node.members:
            return text
        trail.append((node, name))
        node = node.members[name].value
    while len(trail) > 1 and len(trail[-1][0].members) == 1:
        trail.pop()
    holder, name = trail[-1]
    member = holder.members[name]
    if len(holder.members) == 1:
        return f"{text[: holder.start]}{{}}{text[holder.end :]}"
    if member.comma_before is not None:
        return text[: member.comma_before] + text[member.value.end :]
    following = _after_space(text, member.value.end)
    return text[: member.start] + text[_after_space(text, following + 1) :]


def _shown(value: Any, depth: int) -> str:
    return json.dumps(value, indent=INDENT, ensure_ascii=False).replace("\n", "\n" + INDENT * depth)
