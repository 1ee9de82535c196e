"""Checks the arguments of tools, as `protocol.tools` declares them.

Models send a word where a list is wanted and a digit as text; both are taken for what they mean.
What cannot be understood is answered with the allowed values, so that the next call is right.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping, Sequence
from typing import Any

from surveyor.errors import UsageError
from surveyor.protocol.tools import Arg

MAX_NAME_CHARS = 60
MAX_NUMBER = (1 << 53) - 1
"""The largest integer that JSON carries everywhere."""


def check(arguments: Sequence[Arg], given: Mapping[str, Any] | None) -> dict[str, Any]:
    """The arguments as they are meant, with defaults. Raises `UsageError` for what is not."""
    known = {each.name: each for each in arguments}
    values: dict[str, Any] = {each.name: each.default for each in arguments}
    for name, value in (given or {}).items():
        argument = known.get(name)
        if argument is None:
            near = difflib.get_close_matches(name[:MAX_NAME_CHARS], known, n=1)
            hint = f"Did you mean {near[0]!r}? " if near else ""
            raise UsageError(
                f"there is no argument {_shown(name)}", f"{hint}Known: {', '.join(known)}."
            )
        if value is not None:
            values[name] = _understood(argument, value)
    missing = [each.name for each in arguments if each.required and values[each.name] is None]
    if missing:
        raise UsageError(f"the argument {missing[0]!r} is needed", known[missing[0]].about)
    return values


def _understood(argument: Arg, value: Any) -> Any:
    kind = argument.kind
    if kind == "strings":
        parts = value.split(",") if isinstance(value, str) else value
        if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
            raise _wrong(argument, value)
        words = [part.strip() for part in parts if part.strip()]
        for word in words:
            _choose(argument, word)
        return words
    if kind == "string":
        if isinstance(value, int | float) and not isinstance(value, bool):
            value = _shown(value)
        if not isinstance(value, str):
            raise _wrong(argument, value)
        return _choose(argument, value)
    if kind == "boolean":
        if isinstance(value, str) and value.lower() in ("true", "false"):
            return value.lower() == "true"
        if not isinstance(value, bool):
            raise _wrong(argument, value)
        return value
    if kind == "objects":
        if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
            raise _wrong(argument, value)
        return value
    if kind == "object":
        if not isinstance(value, dict):
            raise _wrong(argument, value)
        return value
    return _number(argument, value)


def _number(argument: Arg, value: Any) -> int | float:
    number: int | float
    try:
        if isinstance(value, bool):
            raise ValueError
        number = int(value) if argument.kind == "integer" else float(value)
        if argument.kind == "integer" and isinstance(value, float) and value != number:
            raise ValueError
        if not math.isfinite(number) or abs(number) > MAX_NUMBER:
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        raise _wrong(argument, value) from None
    low, high = argument.minimum, argument.maximum
    if (low is not None and number < low) or (high is not None and number > high):
        limits = f"from {low:g}" if low is not None else ""
        limits += f" to {high:g}" if high is not None else ""
        raise UsageError(f"{argument.name} is {_shown(number)}", f"Allowed: {limits.strip()}.")
    return number


def _choose(argument: Arg, word: str) -> str:
    if argument.choices and word not in argument.choices:
        raise UsageError(
            f"{argument.name} cannot be {_shown(word)}",
            f"One of: {', '.join(argument.choices)}.",
        )
    return word


def _wrong(argument: Arg, value: Any) -> UsageError:
    lists = {"strings": "a list of words", "objects": "a list of objects"}
    wanted = lists.get(argument.kind, f"a value of type {argument.kind}")
    return UsageError(f"{argument.name} cannot be {_shown(value)}", f"Give {wanted}.")


def _shown(value: Any) -> str:
    try:
        text = repr(value[:60] if isinstance(value, str | list) else value)
    except (ValueError, RecursionError):  # an integer of thousands of digits; deep nesting
        text = f"a value of type {type(value).__name__}"
    return text if len(text) <= 60 else text[:57] + "…"
