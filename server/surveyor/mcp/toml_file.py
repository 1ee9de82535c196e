"""Changing one table of a TOML file that a person keeps; see `jsonc`, of which it is the twin."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from typing import Any


def put(text: str, path: list[str], value: Mapping[str, Any]) -> str:
    """The text with a table at `path`: at the end, or in the place of the one that is there.

    Raises `ValueError` for what is not TOML.
    """
    end = "\r\n" if "\r\n" in text else "\n"
    if _holds(tomllib.loads(text), path):
        return _replaced(text, path, dict(value))
    lines = [f"[{'.'.join(path)}]"]
    for name, each in value.items():
        if isinstance(each, dict):
            inner = ", ".join(f"{json.dumps(k)} = {_shown(v)}" for k, v in each.items())
            lines.append(f"{name} = {{ {inner} }}")
        else:
            lines.append(f"{name} = {_shown(each)}")
    gap = "" if not text else end if text.endswith("\n") else end * 2
    after = text + gap + end.join([*lines, ""])
    try:
        tomllib.loads(after)
    except tomllib.TOMLDecodeError:  # what leads there is an inline table, or dotted names
        return _replaced(text, path, dict(value))
    return after


def remove(text: str, path: list[str]) -> str:
    """The text without the table at `path`. Raises `ValueError` for what is not TOML."""
    if not _holds(tomllib.loads(text), path):
        return text
    after = _replaced(text, path, None)
    # The empty line before our table is our own, at the end of a file.
    at_end = text.rstrip()[: len(after.rstrip())] == after.rstrip()
    if at_end and after.endswith("\n"):
        after = after.rstrip("\r\n") + ("\r\n" if after.endswith("\r\n") else "\n")
    return "" if not after.strip() else after


def _holds(value: Any, path: list[str]) -> bool:
    for name in path:
        if not isinstance(value, dict) or name not in value:
            return False
        value = value[name]
    return True


def _replaced(text: str, path: list[str], value: dict[str, Any] | None) -> str:
    """The text with the value at `path` exchanged, or taken out, by a library that keeps layout."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(text)
        holder: Any = document
        for name in path[:-1]:
            holder = holder[name]
        if value is None:
            del holder[path[-1]]
        else:
            holder[path[-1]] = value
        return tomlkit.dumps(document)
    except (TOMLKitError, KeyError, TypeError) as error:
        raise ValueError(f"it cannot be changed safely: {error}") from error


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
