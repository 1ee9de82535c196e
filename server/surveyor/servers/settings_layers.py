"""Settings of a language server in layers: what is usual, the editor's, the user's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def settings_for(settings: Mapping[str, Any], section: str | None) -> Any:
    """The part of a server's settings that a dotted section names; `None` when there is none."""
    value: Any = settings
    for key in (section or "").split("."):
        if key:
            if not isinstance(value, Mapping):
                return None
            value = value.get(key)
    return value


def laid_over(base: Any, over: Any) -> Any:
    """One value of a section over another: tables are merged, a `None` hides nothing."""
    if isinstance(base, Mapping) and isinstance(over, Mapping):
        return merge(base, over)
    return base if over is None else over


def merge(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """`over` laid over `base`, table by table; a `None` above does not hide a value below."""
    merged = dict(base)
    for key, value in over.items():
        merged[key] = laid_over(merged.get(key), value)
    return merged
