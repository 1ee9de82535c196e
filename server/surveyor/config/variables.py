"""Settings from the environment: `SURVEYOR_<SECTION>__<KEY>`, in any case of its letters.

A value is text; of a list or a table it is JSON. What does not fit is found when it is validated.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, get_args, get_origin

from pydantic import BaseModel

PREFIX = "surveyor_"
BETWEEN = "__"


def said_by(environment: Mapping[str, str], settings: type[BaseModel]) -> dict[str, Any]:
    """What variables say, by section. A key counts more than a variable with the whole section."""
    whole: dict[str, Any] = {}
    single: dict[str, Any] = {}
    for name, value in environment.items():
        lower = name.lower()
        if not lower.startswith(PREFIX):
            continue
        section, *keys = lower.removeprefix(PREFIX).split(BETWEEN)
        field = settings.model_fields.get(section)
        if field is None:
            continue
        if not keys:
            whole[section] = _parsed(value)
        else:
            _put(single.setdefault(section, {}), keys, _fit(field.annotation, keys, value))
    return {
        section: {**of_all, **single.get(section, {})} if isinstance(of_all, dict) else of_all
        for section, of_all in (single | whole).items()
    }


def _put(values: dict[str, Any], keys: list[str], value: Any) -> None:
    """Set a value in tables within tables."""
    for key in keys[:-1]:
        inner = values.setdefault(key, {})
        if not isinstance(inner, dict):
            return
        values = inner
    values[keys[-1]] = value


def _fit(section: Any, keys: list[str], value: str) -> Any:
    """A variable's text, or what it says in JSON where the key takes a list or a table."""
    fields = getattr(section, "model_fields", {})
    field = fields.get(keys[0])
    if len(keys) == 1 and field is not None and not _takes_more(field.annotation):
        return value
    return _parsed(value)


def _takes_more(kind: Any) -> bool:
    """Whether a type has room for a list or a table."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return True
    return get_origin(kind) in (list, dict, tuple) or any(map(_takes_more, get_args(kind)))


def _parsed(value: str) -> Any:
    with suppress(ValueError, RecursionError):
        return json.loads(value)
    return value
