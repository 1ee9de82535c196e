"""Which language servers exist: `servers.toml`, and what the user's configuration adds to it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources
from pathlib import PurePath
from typing import Any

from surveyor.errors import UsageError
from surveyor.servers.readiness import ReadinessStrategy
from surveyor.servers.settings_layers import merge


@dataclass(frozen=True, slots=True)
class InstallMethod:
    """How `surveyor servers install` gets a server; both empty means: the user's own install."""

    pypi: tuple[str, ...] = ()
    npm: tuple[str, ...] = ()
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Confined:
    """How a server is started in a folder that nobody trusts: so that it runs nothing of it, and
    asks the network for nothing that it names."""

    initialization_options: Mapping[str, Any] = field(default_factory=dict)
    """Laid over those that it is started with."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Laid over the user's own."""
    env: Mapping[str, str] = field(default_factory=dict)
    """The same of its environment."""
    own_files: Mapping[str, str] = field(default_factory=dict)
    """Options that name a file of a package that is installed beside it (`typescript/lib/…`): else
    it would take the project's. Where there is none, it is not started."""

    @property
    def runs_nothing(self) -> bool:
        """Whether it would run nothing of the folder if it were started as anywhere else."""
        return not (self.initialization_options or self.own_files)


@dataclass(frozen=True, slots=True)
class ServerSpec:
    """A language server as data."""

    name: str
    command: tuple[str, ...]
    languages: tuple[str, ...]
    markers: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    """The user's own, answered to `workspace/configuration` (dotted sections go deeper)."""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    """The same, for what neither the user nor the editor sets."""
    initialization_options: Any = None
    readiness: ReadinessStrategy = field(default_factory=ReadinessStrategy)
    install: InstallMethod = field(default_factory=InstallMethod)
    probe: tuple[str, ...] = ("--version",)
    """Arguments that make the program end at once if it runs at all; empty: not probed."""
    timeouts: Mapping[str, float] = field(default_factory=dict)
    """Seconds per method, over the defaults; `initialize` too."""
    memory_limit: int = 0
    """Bytes above which it is ended and started again; 0: half of the machine's memory."""
    env: Mapping[str, str] = field(default_factory=dict)
    reopen_created: bool = False
    """A created file is noticed only after an open and a close (pyright)."""
    uncancellable: tuple[str, ...] = ()
    """Methods whose cancelling fails the next such request, whoever asks it."""
    multilspy: str = ""
    """Name of the language in multilspy, when that provider launches it."""
    confined: Confined | None = None
    """How it is started where nobody trusts the folder; None: not at all, since it runs what a
    project names (build scripts, plugins, interpreters), or nobody has seen that it does not."""
    unconfined: ServerSpec | None = None
    """Of one that is confined: as it is anywhere else."""
    schemes: tuple[str, ...] = ()
    """Schemes of URIs under which it shows texts that are no files (a class of a library)."""

    @property
    def all_settings(self) -> Mapping[str, Any]:
        """What it is told after its start: the user's settings, laid over the defaults."""
        return merge(self.defaults, self.settings)


@dataclass(frozen=True, slots=True)
class LanguageSpec:
    """A language: its LSP identifiers, its files, and its servers, first choice first."""

    name: str
    ids: tuple[str, ...]
    extensions: tuple[str, ...]
    servers: tuple[str, ...]
    filenames: tuple[str, ...] = ()
    multilspy: str = ""
    environments: tuple[str, ...] = ()
    """Files that show a folder to have an environment of its own: what is installed for it."""
    projects: tuple[str, ...] = ()
    """Files that show a folder to be a project, whose servers look for sources in it."""
    packages: tuple[str, ...] = ()
    """Files that show a folder to be imported by the names of its parents."""


@dataclass(frozen=True, slots=True)
class Registry:
    """Languages and servers."""

    languages: Mapping[str, LanguageSpec]
    servers: Mapping[str, ServerSpec]
    _by_id: dict[str, LanguageSpec] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        by_id: dict[str, LanguageSpec] = {}
        for language in self.languages.values():
            for identifier in (*language.ids, language.name):
                by_id.setdefault(identifier, language)
        object.__setattr__(self, "_by_id", by_id)

    def language_of(self, language_id: str = "", path: str = "") -> LanguageSpec | None:
        """The language of an LSP identifier, else of a file name."""
        if language_id and (spoken := self._by_id.get(language_id)) is not None:
            return spoken
        name = path.rpartition("/")[2]
        for language in self.languages.values():
            if name in language.filenames or (
                name and any(name.endswith(extension) for extension in language.extensions)
            ):
                return language
        return None

    def language_of_scheme(self, uri: str) -> LanguageSpec | None:
        """The language whose server shows texts under URIs of this scheme."""
        scheme = uri.partition(":")[0]
        return next(
            (lang for lang in self.languages.values() if scheme in self.schemes_of(lang)), None
        )

    def schemes_of(self, language: LanguageSpec) -> frozenset[str]:
        """Schemes of what a language's servers show beside files."""
        return frozenset(each for name in language.servers for each in self.servers[name].schemes)

    def language_id(self, path: str) -> str:
        """LSP identifier for a file that no editor has named."""
        language = self.language_of(path=path)
        if language is None:
            return "plaintext"
        suffix = "." + path.rpartition(".")[2]
        return SPECIAL_IDS.get(suffix, language.ids[0])

    def candidates(self, language: str) -> list[ServerSpec]:
        """Servers of a language in the order in which they are tried."""
        spec = self.languages.get(language)
        return [self.servers[name] for name in spec.servers] if spec else []


SPECIAL_IDS = {
    ".tsx": "typescriptreact",
    ".jsx": "javascriptreact",
    ".js": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".c": "c",
    ".m": "objective-c",
    ".scss": "scss",
    ".less": "less",
    ".jsonc": "jsonc",
}
"""Extensions whose LSP identifier is not the first of their language."""


@cache
def builtin() -> Registry:
    """The registry that ships with Surveyor."""
    text = resources.files("surveyor.servers").joinpath("servers.toml").read_text("utf-8")
    data = tomllib.loads(text)
    languages = {
        name: LanguageSpec(
            name=name,
            ids=tuple(value.get("ids", [name])),
            extensions=tuple(value["extensions"]),
            filenames=tuple(value.get("filenames", [])),
            servers=tuple(value["servers"]),
            multilspy=value.get("multilspy", ""),
            environments=tuple(value.get("environments", [])),
            projects=tuple(value.get("projects", [])),
            packages=tuple(value.get("packages", [])),
        )
        for name, value in data["language"].items()
    }
    servers = {}
    for name, value in data["server"].items():
        spoken = tuple(lang for lang, spec in languages.items() if name in spec.servers)
        servers[name] = server_spec(name, value, spoken)
    return Registry(languages, servers)


def server_spec(name: str, value: Mapping[str, Any], languages: tuple[str, ...]) -> ServerSpec:
    """A server from its table; raises `UsageError` for what cannot be one."""
    command = value.get("command", [name])
    if isinstance(command, str):
        command = [command]
    if not command or not all(isinstance(part, str) for part in command):
        raise UsageError(f"upstream {name}: command must be a list of strings")
    install = value.get("install", {})
    try:
        readiness = ReadinessStrategy(**value.get("readiness", {}))
    except TypeError as error:
        raise UsageError(f"upstream {name}: readiness: {error}") from error
    confined = value.get("confined")
    return ServerSpec(
        name=name,
        command=tuple(command),
        languages=languages,
        markers=tuple(value.get("markers", [])),
        settings=value.get("settings", {}),
        defaults=value.get("defaults", {}),
        initialization_options=value.get("initialization_options"),
        readiness=readiness,
        install=InstallMethod(
            pypi=tuple(install.get("pypi", [])),
            npm=tuple(install.get("npm", [])),
            hint=install.get("hint", ""),
        ),
        probe=tuple(value.get("probe", ["--version"])),
        timeouts=value.get("timeouts", {}),
        memory_limit=byte_count(value.get("memory_limit")),
        env=value.get("env", {}),
        reopen_created=bool(value.get("reopen_created", False)),
        uncancellable=tuple(value.get("uncancellable", [])),
        confined=None if confined is None else Confined(**confined),
        schemes=tuple(value.get("schemes", [])),
    )


def in_snake_case(table: Mapping[str, Any]) -> dict[str, Any]:
    """A table of the user's with the names that this module reads: editors write camelCase."""
    found = {
        re.sub(r"(?<=[a-z])[A-Z]", lambda m: "_" + m[0].lower(), k): v for k, v in table.items()
    }
    if isinstance(readiness := found.get("readiness"), Mapping):
        found["readiness"] = in_snake_case(readiness)
    return found


def byte_count(value: Any) -> int:
    """A size in bytes; 0 for what is none."""
    return value if isinstance(value, int) and value > 0 else 0


def with_user(registry: Registry, upstream: Mapping[str, Mapping[str, Any]]) -> Registry:
    """The registry with the user's `[upstream.<language>]` tables applied.

    `server` names the one to use; `command` (with `name`, `settings`, `readiness` …) adds one, for
    a new language too when `extensions` says which files; `settings`, `initialization_options`,
    `memory_limit` and `timeouts` alone change those of the language's servers; `enabled = false`
    turns the language off.
    """
    languages, servers = dict(registry.languages), dict(registry.servers)
    for language, table in upstream.items():
        wanted = in_snake_case(table)
        spec = languages.get(language) or LanguageSpec(language, (language,), (), ())
        spec = replace(
            spec,
            ids=tuple(wanted.get("ids") or spec.ids),
            extensions=tuple(wanted.get("extensions") or spec.extensions),
        )
        if wanted.get("enabled", True) is False:
            languages[language] = replace(spec, servers=())
            continue
        changes = {
            key: value
            for key in ("settings", "initialization_options", "timeouts", "env")
            if (value := wanted.get(key)) not in (None, {})
        }
        if limit := byte_count(wanted.get("memory_limit")):
            changes["memory_limit"] = limit
        if wanted.get("command"):
            name = wanted.get("server") or wanted.get("name") or f"{language}-custom"
            given = {k: v for k, v in wanted.items() if v is not None}
            servers[name] = _of_user(
                server_spec(name, {"probe": [], **given}, (language,)), registry.servers
            )
            spec = replace(spec, servers=(name,))
        elif name := wanted.get("server"):
            if name not in servers:
                known = ", ".join(spec.servers) or ", ".join(sorted(servers))
                raise UsageError(
                    f"upstream.{language}: no server is called {name!r}",
                    f"Use one of {known}, or give its command.",
                )
            spec = replace(spec, servers=(name,))
        for name in spec.servers:
            if changes and not wanted.get("command"):
                servers[name] = replace(servers[name], **changes)
        languages[language] = spec
    return Registry(languages, servers)


def _of_user(own: ServerSpec, known: Mapping[str, ServerSpec]) -> ServerSpec:
    """A server that the user has named by its command: started as the one of that program is, and
    one that is not known as the user says, in any folder."""
    program = PurePath(own.command[0]).stem
    same = (each.confined for each in known.values() if each.command[0] == program)
    return replace(own, confined=next(same, Confined()))
