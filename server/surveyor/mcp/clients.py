"""The agents that Surveyor attaches to: where their configuration lies and what goes into it."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from surveyor.errors import UsageError
from surveyor.mcp import jsonc
from surveyor.writing import replace_text

NAME = "surveyor"
"""Of our entry in every configuration."""

Scope = Literal["user", "project"]
Entry = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Command:
    """How an agent starts the relay."""

    program: str
    arguments: tuple[str, ...]
    environment: dict[str, str]

    def entry(self, **more: Any) -> Entry:
        """As most agents write it."""
        entry: Entry = {**more, "command": self.program, "args": list(self.arguments)}
        if self.environment:
            entry["env"] = self.environment
        return entry


@dataclass(frozen=True, slots=True)
class Client:
    """An agent: its files by scope, and its way to write the entry."""

    name: str
    title: str
    files: Callable[[Scope, Path], Path | None]
    path: tuple[str, ...]
    """Names of the objects that lead to our entry."""
    entry: Callable[[Command, Scope], Entry]
    workspace: str = ""
    """What stands for the open folder in its configuration, where it has such a thing."""


def _home() -> Path:
    return Path.home()


def _config() -> Path:
    return Path(os.environ.get("XDG_CONFIG_HOME") or _home() / ".config")


def _application(name: str) -> Path:
    """Where a desktop application keeps its files."""
    if sys.platform == "darwin":
        return _home() / "Library" / "Application Support" / name
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA") or _home() / "AppData" / "Roaming") / name
    return _config() / name


def _files(
    user: Callable[[], Path], project: str | None = None
) -> Callable[[Scope, Path], Path | None]:
    def find(scope: Scope, root: Path) -> Path | None:
        if scope == "user":
            return user()
        return root / project if project else None

    return find


def _plain(command: Command, scope: Scope) -> Entry:
    return command.entry()


CLIENTS: dict[str, Client] = {
    client.name: client
    for client in (
        Client(
            "claude-code",
            "Claude Code",
            _files(lambda: _home() / ".claude.json", ".mcp.json"),
            ("mcpServers",),
            lambda command, scope: command.entry(type="stdio"),
        ),
        Client(
            "claude-desktop",
            "Claude Desktop",
            _files(lambda: _application("Claude") / "claude_desktop_config.json"),
            ("mcpServers",),
            _plain,
        ),
        Client(
            "cursor",
            "Cursor",
            _files(lambda: _home() / ".cursor" / "mcp.json", ".cursor/mcp.json"),
            ("mcpServers",),
            _plain,
            workspace="${workspaceFolder}",
        ),
        Client(
            "vscode",
            "VS Code",
            _files(lambda: _application("Code") / "User" / "mcp.json", ".vscode/mcp.json"),
            ("servers",),
            lambda command, scope: command.entry(type="stdio"),
        ),
        Client(
            "zed",
            "Zed",
            _files(
                lambda: (
                    (_application("Zed") if sys.platform == "win32" else _config() / "zed")
                    / "settings.json"
                ),
                ".zed/settings.json",
            ),
            ("context_servers",),
            lambda command, scope: command.entry(source="custom"),
        ),
        Client(
            "windsurf",
            "Windsurf",
            _files(lambda: _home() / ".codeium" / "windsurf" / "mcp_config.json"),
            ("mcpServers",),
            _plain,
        ),
        Client(
            "opencode",
            "OpenCode",
            _files(lambda: _config() / "opencode" / "opencode.json", "opencode.json"),
            ("mcp",),
            lambda command, scope: {
                "type": "local",
                "command": [command.program, *command.arguments],
                "enabled": True,
                **({"environment": command.environment} if command.environment else {}),
            },
        ),
        Client(
            "codex",
            "Codex CLI",
            _files(
                lambda: Path(os.environ.get("CODEX_HOME") or _home() / ".codex") / "config.toml",
                ".codex/config.toml",
            ),
            ("mcp_servers",),
            _plain,
        ),
    )
}


@dataclass(frozen=True, slots=True)
class Change:
    """A file as it is and as it is to be; `after` of None: it goes away."""

    file: Path
    before: str | None
    after: str | None

    @property
    def is_needed(self) -> bool:
        """Whether anything differs."""
        return self.before != self.after

    def apply(self) -> None:
        """Write the file in one step, with the permissions it has."""
        target = self.file.resolve()
        if self.after is None:
            target.unlink(missing_ok=True)
            return
        try:
            replace_text(target, self.after)
        except OSError as error:
            raise UsageError(
                f"{self.file} cannot be written: {error.strerror}", "Check its permissions."
            ) from error


def client_of(name: str) -> Client:
    """The client of a name. Raises `UsageError` with the known ones."""
    client = CLIENTS.get(name.lower().replace(" ", "-").replace("_", "-"))
    if client is None:
        raise UsageError(f"no client is called {name!r}", f"Known: {', '.join(CLIENTS)}.")
    return client


def relay_command(client: Client, scope: Scope, root: Path) -> Command:
    """How this installation is started.

    By its full path for the user's own files, since applications started from a desktop have a
    short PATH; by its name in a project's, which others share.
    """
    found = shutil.which("surveyor")
    own = Path(sys.executable).with_name("surveyor")
    arguments: tuple[str, ...] = ("mcp",)
    if scope == "project" and found:
        program = "surveyor"
    elif own.exists():
        program = str(own)
    elif found:
        program = found
    else:
        program, arguments = sys.executable, ("-P", "-m", "surveyor", "mcp")
    if client.workspace:
        arguments += ("--project", client.workspace)
    environment = {
        name: os.environ[name]
        for name in ("SURVEYOR_DATA_DIR", "SURVEYOR_CONFIG")
        if scope == "user" and os.environ.get(name)
    }
    return Command(program, arguments, environment)


def file_of(client: Client, scope: Scope, root: Path) -> Path:
    """The configuration file. Raises `UsageError` where the client has none of that scope."""
    file = client.files(scope, root)
    if file is None:
        raise UsageError(
            f"{client.title} has no configuration for one project", "Use --user instead."
        )
    return file


def attach(client: Client, scope: Scope, root: Path) -> Change:
    """What attaches Surveyor to a client; everything else in its file stays."""
    file = file_of(client, scope, root)
    before = _read(file)
    entry = client.entry(relay_command(client, scope, root), scope)
    return Change(file, before, _edited(file, before or "", [*client.path, NAME], entry))


def detach(client: Client, scope: Scope, root: Path) -> Change:
    """What takes Surveyor out of a client's configuration again."""
    file = file_of(client, scope, root)
    before = _read(file)
    if before is None:
        return Change(file, None, None)
    after = _edited(file, before, [*client.path, NAME], None)
    return Change(file, before, None if after.strip() in ("", "{}") else after)


def _read(file: Path) -> str | None:
    try:
        with file.open(encoding="utf-8", newline="") as opened:
            return opened.read()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} cannot be read: {error}", "It is left as it is.") from error


def _edited(file: Path, text: str, path: list[str], entry: Entry | None) -> str:
    try:
        if file.suffix == ".toml":
            return _edited_toml(text, path, entry)
        return jsonc.remove(text, path) if entry is None else jsonc.put(text, path, entry)
    except ValueError as error:
        raise UsageError(
            f"{file} is not understood ({error})", "It is left as it is; repair it first."
        ) from error


def _edited_toml(text: str, path: list[str], entry: Entry | None) -> str:
    """Our table at the end of the file, or in the place of the one that is there."""
    tomllib.loads(text)
    header = re.escape(".".join(path))
    ours = re.compile(rf"^\[{header}(?:\.[^\]]+)?\][^\n]*\n(?:(?!\[)[^\n]*\n?)*", re.MULTILINE)
    rest = ours.sub("", text)
    if entry is None:
        if rest == text:
            return text
        rest = rest.rstrip("\n")
        after = rest + "\n" if rest else ""
    else:
        lines = [f"[{'.'.join(path)}]"]
        for name, value in entry.items():
            if isinstance(value, dict):
                inner = ", ".join(f"{key} = {json.dumps(each)}" for key, each in value.items())
                lines.append(f"{name} = {{ {inner} }}")
            else:
                lines.append(f"{name} = {json.dumps(value)}")
        rest = rest.rstrip("\n")
        after = "\n".join([*([rest, ""] if rest else []), *lines, ""])
    tomllib.loads(after)
    return after


# --- Claude Code's hook ---------------------------------------------------------------------


def hook_change(scope: Scope, root: Path, *, remove: bool) -> Change:
    """Adds or removes the hook that prints the memory rules at the start of a session."""
    folder = _home() if scope == "user" else root
    file = folder / ".claude" / "settings.json"
    before = _read(file)
    command = relay_command(CLIENTS["claude-code"], scope, root)
    program = " ".join([_quoted(command.program), *command.arguments[:-1]])
    ours = {"type": "command", "command": f"{program} memory inject"}
    try:
        value = jsonc.load(before) if before and before.strip() else {}
        hooks = value.get("hooks", {}) if isinstance(value, dict) else {}
        groups = hooks.get("SessionStart", []) if isinstance(hooks, dict) else []
        kept = [
            group
            for group in groups
            if not any("memory inject" in h.get("command", "") for h in group.get("hooks", []))
        ]
        text = before or ""
        if remove:
            if len(kept) == len(groups):
                return Change(file, before, before)
            path = ["hooks", "SessionStart"]
            after = jsonc.put(text, path, kept) if kept else jsonc.remove(text, path)
            return Change(file, before, None if after.strip() in ("", "{}") else after)
        after = jsonc.put(text, ["hooks", "SessionStart"], [*kept, {"hooks": [ours]}])
    except (ValueError, AttributeError) as error:
        raise UsageError(
            f"{file} is not understood ({error})", "It is left as it is; repair it first."
        ) from error
    return Change(file, before, after)


def _quoted(program: str) -> str:
    return f'"{program}"' if " " in program else program
