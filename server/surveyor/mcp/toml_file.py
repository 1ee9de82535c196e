"""Changing one table of a TOML file that a person keeps; the twin of `json_file`.

A table may be written under a header, as an inline table, or with dotted keys. Only the statements
that hold it are touched.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from surveyor.files.writing import BOM
from surveyor.mcp.toml_statements import KeyPath, Statement, statements


def load(text: str) -> dict[str, Any]:
    """What a file says. Raises `ValueError`."""
    return tomllib.loads(text.removeprefix(BOM))


def put(text: str, path: Sequence[str], value: Mapping[str, Any]) -> str:
    """The text with the values of a table at `path`, which keeps what else it holds.

    A table that is new comes last. Raises `ValueError` for what is not TOML, and where the table
    cannot be added to.
    """
    bare = text.removeprefix(BOM)
    is_there, there = _held(tomllib.loads(bare), tuple(path))
    if is_there:
        if not isinstance(there, dict):
            raise ValueError(f"{'.'.join(path)} is not a table")
        bare = _assigned(bare, tuple(path), value, there)
    else:
        bare = _added(bare, tuple(path), value)
    tomllib.loads(bare)
    return text[: text.startswith(BOM)] + bare


def remove(text: str, path: Sequence[str]) -> str:
    """The text without the table at `path`. Raises `ValueError` for what is not TOML."""
    bare, ours = text.removeprefix(BOM), tuple(path)
    is_there, _ = _held(tomllib.loads(bare), ours)
    if not is_there:
        return text
    listed = statements(bare)
    holder = _inline_holder(listed, ours)
    if holder is not None:
        return text[: text.startswith(BOM)] + _inline_changed(bare, holder, ours, None)
    for start, end in reversed(_regions(bare, listed, ours)):
        bare = bare[:start] + bare[end:]
    return text[: text.startswith(BOM)] + bare


def _held(value: Any, path: KeyPath) -> tuple[bool, Any]:
    for name in path:
        if not isinstance(value, dict) or name not in value:
            return False, None
        value = value[name]
    return True, value


def _is_in(path: KeyPath, holder: KeyPath) -> bool:
    return path[: len(holder)] == holder


def _inline_holder(listed: Sequence[Statement], path: KeyPath) -> Statement | None:
    """The statement whose value is an inline table on the way to a path."""
    for each in listed:
        if each.kind == "value" and len(each.path) < len(path) and _is_in(path, each.path):
            return each
    return None


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


# --- adding -------------------------------------------------------------------------------------


def _added(text: str, path: KeyPath, value: Mapping[str, Any]) -> str:
    """The text with a table that is not there yet."""
    holder = _inline_holder(statements(text), path)
    if holder is not None:
        return _inline_changed(text, holder, path, dict(value))
    end = _line_end(text)
    lines = [f"[{_dotted(path)}]", *(f"{_dotted((k,))} = {_shown(v)}" for k, v in value.items())]
    gap = "" if not text else end if text.endswith("\n") else end * 2
    after = text + gap + end.join([*lines, ""])
    try:
        tomllib.loads(after)
    except tomllib.TOMLDecodeError:  # what leads there is written with dotted keys
        return _dotted_added(text, path, value)
    return after


def _dotted_added(text: str, path: KeyPath, value: Any) -> str:
    """The text with a value behind the last that is written with dotted keys beside it."""
    beside = _dotted_beside(statements(text), path[:-1])
    if not beside:
        raise ValueError("it cannot be changed safely")
    last = beside[-1]
    return _line_inserted(text, last, f"{_dotted(path[len(last.table) :])} = {_shown(value)}")


def _dotted_beside(listed: Sequence[Statement], holder: KeyPath) -> list[Statement]:
    """Values of a table that are written from above it, with dotted keys."""
    return [
        each
        for each in listed
        if each.kind == "value" and _is_in(each.path, holder) and _is_in(holder, each.table)
    ]


def _line_inserted(text: str, above: Statement, line: str) -> str:
    """The text with a line under a statement, indented as that is."""
    end = _line_end(text)
    said = text[above.start : above.end]
    indent = said[: len(said) - len(said.lstrip(" \t"))]
    lead = "" if said.endswith("\n") else end
    trail = end if said.endswith("\n") else ""
    return text[: above.end] + lead + indent + line + trail + text[above.end :]


# --- changing -----------------------------------------------------------------------------------


def _assigned(text: str, path: KeyPath, value: Mapping[str, Any], there: Mapping[str, Any]) -> str:
    """The text with each of the values in a table that is there."""
    for name, wanted in value.items():
        inner, known = (*path, name), there.get(name)
        if isinstance(wanted, dict) and isinstance(known, dict):
            text = _assigned(text, inner, wanted, known)
        elif name not in there or json.dumps(known, default=str) != json.dumps(wanted):
            text = _set(text, inner, wanted)
    return text


def _set(text: str, path: KeyPath, value: Any) -> str:
    """The text with a value in the place of another, or beside those of its table."""
    listed = statements(text)
    for each in listed:
        if each.kind == "value" and each.path == path:
            return text[: each.value_start] + _shown(value) + text[each.value_end :]
    holder = _inline_holder(listed, path)
    if holder is not None:
        return _inline_changed(text, holder, path, value)
    table = [each for each in listed if each.table == path[:-1] and each.kind != "blank"]
    if table:
        return _line_inserted(text, table[-1], f"{_dotted(path[-1:])} = {_shown(value)}")
    if _dotted_beside(listed, path[:-1]):
        return _dotted_added(text, path, value)
    return _added(text, path[:-1], {str(path[-1]): value})


def _inline_changed(text: str, holder: Statement, path: KeyPath, value: Any) -> str:
    """The text with a value in an inline table exchanged, or taken out (None), layout kept."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    statement = text[holder.start : holder.end]
    try:
        document: Any = tomlkit.parse(statement)
        inner = document
        *above, name = path[len(holder.table) :]
        for each in above:
            if each not in inner and value is not None:
                inner[each] = tomlkit.inline_table()
            inner = inner[each]
            if not isinstance(inner, Mapping):
                raise TypeError(f"{each} is not a table")
        if value is None:
            del inner[name]
        else:
            inner[name] = _inline(value)
        changed = tomlkit.dumps(document)
    except (TOMLKitError, KeyError, TypeError) as error:
        raise ValueError(f"it cannot be changed safely: {error}") from error
    return text[: holder.start] + changed + text[holder.end :]


def _inline(value: Any) -> Any:
    """A value as it stands within a line."""
    import tomlkit

    if not isinstance(value, dict):
        return value
    table = tomlkit.inline_table()
    for name, inner in value.items():
        table[name] = _inline(inner)
    return table


# --- removing -----------------------------------------------------------------------------------


def _regions(text: str, listed: Sequence[Statement], path: KeyPath) -> list[tuple[int, int]]:
    """Where the statements of a table lie, with what stands between them, and no more.

    A comment behind the last of them belongs to what follows. The empty line that `put` has made
    before a table goes with it.
    """
    found: list[tuple[int, int]] = []
    is_open = False
    for number, each in enumerate(listed):
        if each.kind == "blank":
            continue
        if not _is_in(each.path, path):
            is_open = False
        elif is_open:
            found[-1] = (found[-1][0], each.end)
        else:
            before = listed[number - 1] if number else None
            is_gap = before is not None and not text[before.start : before.end].strip()
            start = before.start if is_gap and before and each.kind == "header" else each.start
            found.append((start, each.end))
            is_open = True
    return found


# --- text ---------------------------------------------------------------------------------------


def _dotted(path: KeyPath) -> str:
    return ".".join(_key(str(name)) for name in path)


def _key(name: str) -> str:
    is_bare = name.isascii() and name.replace("-", "").replace("_", "").isalnum()
    return name if is_bare else json.dumps(name, ensure_ascii=False)


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        inner = ", ".join(f"{_key(name)} = {_shown(each)}" for name, each in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, list):
        return f"[{', '.join(_shown(each) for each in value)}]"
    return json.dumps(value, ensure_ascii=False)
