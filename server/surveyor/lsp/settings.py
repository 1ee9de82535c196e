"""What the editor wants of us: initializationOptions, `workspace/configuration`, our own file.

Later wins: the user's `surveyor.toml`, initializationOptions, the editor's `surveyor` section.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Mode = Literal["proxy", "companion", "auto"]

HOVER_PARTS = ("references", "rules", "similar", "history")
LENSES = ("references", "similar")

SECTION_NOW_MS = 5
"""How long a hover waits for our section after the upstream's, in ms: 10 are promised, and a
machine that is busy adds some of its own."""

SECTION_REST_MS = 1
"""How long of these it waits for what takes longer, once it is known who uses the thing."""


@dataclass(frozen=True, slots=True)
class LanguageMode:
    """Mode of one language, why, and methods that differ."""

    mode: Mode = "proxy"
    reason: str = ""
    methods: Mapping[str, Mode] = field(default_factory=dict)

    def of(self, method: str) -> Mode:
        """Mode of one method; `auto` is proxy until the client knows of another server."""
        chosen = self.methods.get(method, self.mode)
        return "proxy" if chosen == "auto" else chosen


@dataclass(frozen=True, slots=True)
class EditorSettings:
    """Everything that the editor can set."""

    trusted: bool = False
    default_mode: LanguageMode = field(default_factory=LanguageMode)
    modes: Mapping[str, LanguageMode] = field(default_factory=dict)
    hover: frozenset[str] = frozenset(HOVER_PARTS)
    lens: frozenset[str] = frozenset()
    auto_index: bool = True
    engine: bool = True
    """False: a pure relay; nothing comes from the index and no engine is started."""
    symbol_limit: int = 100
    proxy_methods: tuple[str, ...] = ()
    upstream: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def mode(self, language: str, method: str = "") -> Mode:
        """Mode of a method of a language."""
        return self.modes.get(language, self.default_mode).of(method)

    @property
    def any_proxy(self) -> bool:
        """Whether some language, or the default, relays anything."""
        return any(
            m.mode != "companion" or "proxy" in m.methods.values()
            for m in (self.default_mode, *self.modes.values())
        )

    @property
    def any_companion(self) -> bool:
        """Whether some language or method is another server's."""
        return any(
            m.mode == "companion" or "companion" in m.methods.values()
            for m in (self.default_mode, *self.modes.values())
        )


def read(layers: Sequence[Mapping[str, Any]]) -> EditorSettings:
    """Settings from layers of camelCase or snake_case objects; what does not fit is ignored."""
    merged: dict[str, Any] = {}
    for layer in layers:
        merged = overlay(merged, layer)
    default, modes = read_modes(merged.get("mode"))
    return EditorSettings(
        trusted=merged.get("trusted") is True,
        default_mode=default,
        modes=modes,
        hover=switches(merged.get("hover"), HOVER_PARTS, default=True),
        lens=switches(merged.get("lens"), LENSES, default=False),
        auto_index=pick(merged, "autoIndex", "auto_index", True, bool),
        engine=pick(merged, "engine", "engine", True, bool),
        symbol_limit=max(1, min(1000, pick(merged, "symbolLimit", "symbol_limit", 100, int))),
        proxy_methods=read_methods(merged.get("proxy")),
        upstream={
            str(name): table
            for name, table in (merged.get("upstream") or {}).items()
            if isinstance(table, Mapping)
        }
        if isinstance(merged.get("upstream"), Mapping)
        else {},
    )


def overlay(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """`over` laid over `under`, object by object; `null` says nothing. A mode replaces a mode."""
    result = dict(under)
    for key, value in over.items():
        present = result.get(key)
        if isinstance(value, Mapping) and isinstance(present, Mapping) and "mode" not in value:
            result[key] = overlay(present, value)
        elif key == "mode" and isinstance(value, Mapping) and isinstance(present, str):
            result[key] = {"*": present, **value}
        elif value is not None:
            result[key] = value
    return result


def read_modes(value: Any) -> tuple[LanguageMode, dict[str, LanguageMode]]:
    """Modes from a word for all languages, or an object by language (`*` is the rest)."""
    if isinstance(value, str):
        return read_mode(value), {}
    if not isinstance(value, Mapping):
        return LanguageMode(), {}
    modes = {str(name): read_mode(item) for name, item in value.items()}
    return modes.pop("*", LanguageMode()), modes


def read_mode(value: Any) -> LanguageMode:
    """A mode from a word, or from `{mode, reason, methods}`."""
    if isinstance(value, str):
        return LanguageMode(as_mode(value))
    if not isinstance(value, Mapping):
        return LanguageMode()
    methods = value.get("methods")
    return LanguageMode(
        as_mode(value.get("mode")),
        str(value.get("reason") or ""),
        {str(k): as_mode(v) for k, v in methods.items()} if isinstance(methods, Mapping) else {},
    )


def as_mode(value: Any) -> Mode:
    """A known mode; anything else is the default."""
    return value if value in ("proxy", "companion", "auto") else "proxy"


def switches(value: Any, names: tuple[str, ...], *, default: bool) -> frozenset[str]:
    """The names that are on: from a boolean for all, or an object by name."""
    if isinstance(value, bool):
        return frozenset(names) if value else frozenset()
    if not isinstance(value, Mapping):
        return frozenset(names) if default else frozenset()
    rest = value.get("all", value.get("enabled", default))
    return frozenset(name for name in names if value.get(name, rest))


def read_methods(value: Any) -> tuple[str, ...]:
    """`proxy.methods`."""
    methods = value.get("methods") if isinstance(value, Mapping) else value
    return tuple(str(m) for m in methods) if isinstance(methods, list) else ()


def pick(values: Mapping[str, Any], camel: str, snake: str, default: Any, kind: type) -> Any:
    """A value under either spelling, if it is of its kind."""
    value = values.get(camel, values.get(snake, default))
    return value if isinstance(value, kind) else default
