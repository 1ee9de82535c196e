"""What the editor wants of us: initializationOptions, `workspace/configuration`, our own file.

Later wins: the user's `surveyor.toml`, initializationOptions, the editor's `surveyor` section.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar, get_args

from surveyor.protocol.wire import shown
from surveyor.servers.methods import LISTED, listed_features, unknown_methods

Mode = Literal["proxy", "full", "companion", "auto"]
MODES = get_args(Mode)


Name = TypeVar("Name", bound=str)

HOVER_PARTS = ("references", "rules", "similar", "history")
RULE_COMMANDS = "ruleCommands"
"""In a hover: links at each rule that run commands of the client's own."""
Lens = Literal["references", "similar"]
LENSES: tuple[Lens, ...] = get_args(Lens)

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

    @property
    def full(self) -> bool:
        """Whether every method that a server offers is relayed."""
        return self.mode == "full"


@dataclass(frozen=True, slots=True)
class EditorSettings:
    """Everything that the editor can set."""

    trusted: bool = False
    distrusted: bool = False
    """The editor has said that the workspace is not trusted; most editors say nothing of it."""
    default_mode: LanguageMode = field(default_factory=LanguageMode)
    modes: Mapping[str, LanguageMode] = field(default_factory=dict)
    hover: frozenset[str] = frozenset(HOVER_PARTS)
    lens: frozenset[Lens] = frozenset()
    auto_index: bool = True
    engine: bool = True
    """False: a pure relay; nothing comes from the index and no engine is started."""
    symbol_limit: int = 100
    proxy_methods: tuple[str, ...] = ()
    upstream: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    status_notifications: bool = False
    """Whether the client asked to be told of the status (`surveyor/status`)."""
    shows_status: bool = False
    """Whether the client always shows the status: the engine's end is then no message as well."""
    activity_notifications: bool = False
    """Whether the client asked to be told of agents' calls (`surveyor/activity`)."""
    warnings: tuple[str, ...] = ()
    """What was set and means nothing."""

    def mode(self, language: str, method: str = "") -> Mode:
        """Mode of a method of a language."""
        return self.modes.get(language, self.default_mode).of(method)

    def is_companion(self, language: str, method: str = "") -> bool:
        """Whether a method of a language is left to another server."""
        return self.mode(language, method) == "companion"

    def is_full(self, language: str) -> bool:
        """Whether a language's server is the editor's only one, and all that it has is relayed."""
        return self.modes.get(language, self.default_mode).full

    def relayed(self, language: str) -> frozenset[str]:
        """Features of a language that are relayed beyond the usual."""
        mode = self.modes.get(language, self.default_mode)
        wanted = frozenset(LISTED) if mode.full else listed_features(self.proxy_methods)
        listed = listed_features(name for name, of in mode.methods.items() if of != "companion")
        return frozenset(m for m in wanted if mode.of(m) != "companion") | listed

    @property
    def relays_more(self) -> bool:
        """Whether anything is relayed beyond the usual, in any language."""
        return any(self.relayed(name) for name in ("", *self.modes))

    @property
    def any_proxy(self) -> bool:
        """Whether some language, or the default, relays anything."""
        return any(
            {m.mode, *m.methods.values()} != {"companion"}
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
    methods = read_methods(merged.get("proxy"))
    hover = switches(merged.get("hover"), HOVER_PARTS, default=True)
    links = "rules" in hover and merged.get("ruleCommands") is True
    return EditorSettings(
        trusted=merged.get("trusted") is True,
        distrusted=merged.get("trusted") is False,
        default_mode=default,
        modes=modes,
        hover=hover | {RULE_COMMANDS} if links else hover,
        lens=switches(merged.get("lens"), LENSES, default=False),
        auto_index=pick(merged, "autoIndex", "auto_index", True, bool),
        engine=pick(merged, "engine", "engine", True, bool),
        symbol_limit=max(1, min(1000, pick(merged, "symbolLimit", "symbol_limit", 100, int))),
        proxy_methods=methods,
        upstream={
            str(name): table
            for name, table in (merged.get("upstream") or {}).items()
            if isinstance(table, Mapping)
        }
        if isinstance(merged.get("upstream"), Mapping)
        else {},
        status_notifications=pick(
            merged, "statusNotifications", "status_notifications", False, bool
        ),
        shows_status=pick(merged, "showsStatus", "shows_status", False, bool),
        activity_notifications=pick(
            merged, "activityNotifications", "activity_notifications", False, bool
        ),
        warnings=tuple(unknown_values(merged.get("mode"), methods)),
    )


def unknown_values(mode: Any, methods: Sequence[str]) -> Iterator[str]:
    """What is said of methods and modes that nobody knows."""
    for name in unknown_methods(methods):
        yield f"proxy.methods lists {shown(name)}, which is no method that can be relayed."
    table = mode if isinstance(mode, Mapping) else {"*": mode}
    for value in table.values():
        word = value.get("mode") if isinstance(value, Mapping) else value
        if word is not None and word not in MODES:
            yield f"The mode {shown(str(word))} is not known; it is one of {', '.join(MODES)}."
        of = value.get("methods") if isinstance(value, Mapping) else None
        for name in unknown_methods(map(str, of if isinstance(of, Mapping) else ())):
            yield f"mode lists {shown(name)}, which is no method that can be relayed."


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
    return value if value in MODES else "proxy"


def switches(value: Any, names: tuple[Name, ...], *, default: bool) -> frozenset[Name]:
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
