"""What a client says when it asks the host for a server, and what makes two servers one."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from surveyor.servers.readiness import ReadinessStrategy

PROTOCOL = (1, 1)
"""The oldest and the newest protocol between a client and the host that this version speaks."""

ATTACH, STATUS, STOP = "surveyor/attach", "surveyor/status", "surveyor/stop"
"""What a connection to the host may begin with."""

HOST_PREFIX = "$/surveyor/"

READY, ENDED, MOVED = "$/surveyor/ready", "$/surveyor/ended", "$/surveyor/moved"
RENEW = "$/surveyor/renew"
"""Notifications between a client and the host, beside the language server's own messages.

`READY`: answers are complete, either way. `ENDED`: the server's process is gone, and its last
words. `RENEW`, from a client: its process is to end, also for others who use it.
"""

APPLICATION_ERROR = -32000
"""The error where the host cannot start what was asked for."""

PROTOCOL_ERROR = -32001
"""The error where client and host have no protocol in common."""

REPLACED = -32002
"""The same, where the host ends to make room for one that the client can speak to."""

COUNTS = (
    "VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONPATH", "PYTHONHOME", "PYENV_VERSION", "UV_PYTHON",
    "NODE_PATH", "NODE_OPTIONS", "NODE_ENV", "NPM_CONFIG_PREFIX", "NPM_CONFIG_USERCONFIG",
    "GOPATH", "GOROOT", "GOFLAGS", "GOOS", "GOARCH", "GOPROXY", "GOPRIVATE", "GOTOOLCHAIN",
    "GOWORK", "CGO_ENABLED",
    "CARGO_HOME", "CARGO_TARGET_DIR", "CARGO_BUILD_TARGET", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN",
    "RUSTFLAGS", "RUSTC_WRAPPER",
    "JAVA_HOME", "JDK_HOME", "JAVA_TOOL_OPTIONS", "GRADLE_USER_HOME", "MAVEN_OPTS",
    "CC", "CXX", "CPATH", "CPLUS_INCLUDE_PATH", "C_INCLUDE_PATH", "CPPFLAGS", "CFLAGS", "CXXFLAGS",
    "SDKROOT", "PKG_CONFIG_PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH",
    "DOTNET_ROOT", "GEM_HOME", "GEM_PATH", "BUNDLE_GEMFILE", "RBENV_VERSION", "PHPRC", "LUA_PATH",
    "HOME", "USERPROFILE", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "TMPDIR",
    "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
    "LD_PRELOAD", "LANG", "LC_ALL", "LC_CTYPE",
)  # fmt: skip
"""Variables by which language servers, and the tools that they start, answer otherwise.

A terminal, a desktop and an editor give each process dozens of others.
"""

TOOLS = (
    "python", "python3", "node", "npm", "tsc", "go", "cargo", "rustc", "rustup", "java", "javac",
    "gradle", "mvn", "gcc", "g++", "clang", "clang++", "cc", "dotnet", "ruby", "bundle", "php",
    "composer", "lua", "git",
)  # fmt: skip
"""What servers look for on PATH: two search paths that find the same are the same."""


class Unconfined(msgspec.Struct, rename="camel", kw_only=True):
    """How a server is started that a client wishes for confined, where its folder is trusted."""

    env: dict[str, str | None] = {}
    """Of the variables that are set for it; None: not set elsewhere."""
    chosen_env: tuple[str, ...] = ()
    settings: Any = None
    initialization_options: Any = None


class Attach(msgspec.Struct, rename="camel", kw_only=True):
    """A client's wish for a server; `env` is the whole environment that it would start it with."""

    version: str
    protocol: tuple[int, int] = PROTOCOL
    pid: int = 0
    client: str = ""
    """Who it is, for people: `lsp`, `engine`."""
    umask: int = -1
    """Of the user, for the files that the server writes; -1: the host's."""
    grace_s: float = 60.0
    """How long it shall be kept for clients that come again."""
    attached: bool = False
    """Whether an editor is behind it, who can be asked things."""
    name: str
    language: str
    command: tuple[str, ...]
    root: str
    env: dict[str, str]
    chosen_env: tuple[str, ...] = ()
    """Variables that the server's configuration sets."""
    settings: Any = None
    initialization_options: Any = None
    profile: dict[str, Any] = {}
    """What the client can beyond the usual (`lsp_client.extra_capabilities`)."""
    readiness: ReadinessStrategy = msgspec.field(default_factory=ReadinessStrategy)
    memory_limit: int = 0
    """Bytes above which the server is ended; of the client that has it started."""
    unconfined: Unconfined | None = None
    """Of a wish for a confined server. One that somebody else has started unconfined has run what
    the folder says already: it serves this client as well, and a second one would not be safer."""


class Attached(msgspec.Struct, rename="camel", kw_only=True):
    """The host's answer to `Attach`."""

    version: str
    pid: int
    """Of the server's process."""
    host: int
    """Process id of the host."""


def key_of(wish: Attach) -> str:
    """Equal for wishes that one server can serve, if it was told of what the client can."""
    program = Path(shutil.which(wish.command[0], path=wish.env.get("PATH")) or wish.command[0])
    try:
        real = program.resolve()
        stat = real.stat()
        build = [str(real), stat.st_mtime_ns, stat.st_size]
    except OSError:
        build = [str(program)]
    parts = [
        wish.name,
        wish.language,
        wish.command,
        build,
        wish.root,
        environment_of(wish),
        wish.settings,
        wish.initialization_options,
    ]
    return hashlib.sha256(msgspec.json.encode(parts, order="deterministic")).hexdigest()[:16]


def as_unconfined(wish: Attach) -> Attach | None:
    """The wish of a client that trusts the folder; None of one that is not confined."""
    other = wish.unconfined
    if other is None:
        return None
    changed = {**wish.env, **other.env}
    return msgspec.structs.replace(
        wish,
        env={name: value for name, value in changed.items() if value is not None},
        chosen_env=other.chosen_env,
        settings=other.settings,
        initialization_options=other.initialization_options,
        unconfined=None,
    )


def profile_key(wish: Attach) -> str:
    """Equal for clients of which a server is told the same; empty for those of the usual kind."""
    if not wish.profile:
        return ""
    return hashlib.sha256(msgspec.json.encode(wish.profile, order="deterministic")).hexdigest()[:8]


def environment_of(wish: Attach) -> Mapping[str, Any]:
    """What of an environment tells servers apart."""
    names = {*COUNTS, *wish.chosen_env} - {"PATH"}
    found: dict[str, Any] = {name: wish.env[name] for name in sorted(names & wish.env.keys())}
    path = wish.env.get("PATH", os.defpath)
    found["PATH"] = {tool: place for tool in TOOLS if (place := shutil.which(tool, path=path))}
    return found
