"""The agents that Surveyor attaches to: where their configuration lies and what goes into it."""

from __future__ import annotations

import contextlib
import difflib
import errno
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from surveyor.errors import SurveyorError, UsageError, reason_of
from surveyor.files.writing import BOM, ChangedMeanwhileError, followed, read_text, replace_text
from surveyor.mcp import json_file, setup_records, toml_file
from surveyor.mcp.entry_merge import RemoteEntryError, merged
from surveyor.paths import config_file, data_dir
from surveyor.platform.installed_programs import application_folder, xdg_folder

NAME = "surveyor"
"""Of our entry in every configuration."""

Scope = Literal["user", "project"]
Entry = dict[str, Any]


@dataclass(frozen=True, slots=True)
class RelayCommand:
    """The command line by which an agent starts the relay."""

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
class McpClient:
    """An agent: its files by scope, and its way to write the entry."""

    name: str
    title: str
    files: Callable[[Scope, Path], Path | None]
    path: tuple[str, ...]
    """Names of the objects that lead to our entry."""
    entry: Callable[[RelayCommand, Scope], Entry]
    workspace: str = ""
    """What stands for the open folder in its configuration, where it has such a thing."""


def _home() -> Path:
    return Path.home()


def _config() -> Path:
    return Path(os.environ.get("XDG_CONFIG_HOME") or _home() / ".config")


def _application(name: str) -> Path:
    """Where a desktop application keeps its files."""
    return application_folder(name, _config())


def _files(
    user: Callable[[], Path], project: str | None = None
) -> Callable[[Scope, Path], Path | None]:
    def find(scope: Scope, root: Path) -> Path | None:
        if scope == "user":
            return user()
        return root / project if project else None

    return find


def _with_comments(file: Path) -> Path:
    """A JSON file, or the one with comments that is there in its place."""
    other = file.with_suffix(".jsonc")
    return other if other.exists() and not file.exists() else file


def _plain(command: RelayCommand, scope: Scope) -> Entry:
    return command.entry()


CLIENTS: dict[str, McpClient] = {
    client.name: client
    for client in (
        McpClient(
            "claude-code",
            "Claude Code",
            _files(lambda: _home() / ".claude.json", ".mcp.json"),
            ("mcpServers",),
            lambda command, scope: command.entry(type="stdio"),
        ),
        McpClient(
            "claude-desktop",
            "Claude Desktop",
            _files(lambda: _application("Claude") / "claude_desktop_config.json"),
            ("mcpServers",),
            _plain,
        ),
        McpClient(
            "cursor",
            "Cursor",
            _files(lambda: _home() / ".cursor" / "mcp.json", ".cursor/mcp.json"),
            ("mcpServers",),
            _plain,
            workspace="${workspaceFolder}",
        ),
        McpClient(
            "vscode",
            "VS Code",
            _files(lambda: _application("Code") / "User" / "mcp.json", ".vscode/mcp.json"),
            ("servers",),
            lambda command, scope: command.entry(type="stdio"),
        ),
        McpClient(
            "zed",
            "Zed",
            _files(
                lambda: xdg_folder("zed", _config()) / "settings.json",
                ".zed/settings.json",
            ),
            ("context_servers",),
            lambda command, scope: command.entry(source="custom"),
        ),
        McpClient(
            "windsurf",
            "Windsurf",
            _files(lambda: _home() / ".codeium" / "windsurf" / "mcp_config.json"),
            ("mcpServers",),
            _plain,
        ),
        McpClient(
            "gemini",
            "Gemini CLI",
            _files(lambda: _home() / ".gemini" / "settings.json", ".gemini/settings.json"),
            ("mcpServers",),
            _plain,
        ),
        McpClient(
            "opencode",
            "OpenCode",
            lambda scope, root: _with_comments(
                (_config() / "opencode" if scope == "user" else root) / "opencode.json"
            ),
            ("mcp",),
            lambda command, scope: {
                "type": "local",
                "command": [command.program, *command.arguments],
                "enabled": True,
                **({"environment": command.environment} if command.environment else {}),
            },
        ),
        McpClient(
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
class FileEdit:
    """A file as it is and as it is to be; `after` of None: it goes away, for it is our own."""

    file: Path
    before: str | None
    after: str | None
    act: Literal["attach", "detach"]

    @property
    def is_needed(self) -> bool:
        """Whether anything differs."""
        return self.before != self.after

    def apply(self) -> None:
        """Write the file in one step, with the permissions it has, and note what was done.

        Raises `UsageError`, and leaves the file as it is, where it cannot be written or somebody
        has written it meanwhile.
        """
        try:
            target = followed(self.file)
            if read_config(self.file) != self.before:
                raise ChangedMeanwhileError(errno.EBUSY, "it has been changed meanwhile")
            if self.after is None:
                target.unlink(missing_ok=True)
                for folder in setup_records.forget(target):
                    with contextlib.suppress(OSError):  # somebody else has put something there
                        Path(folder).rmdir()
                return
            folders = setup_records.missing_folders(target)
            replace_text(target, self.after, expected=self.before)
            if self.act == "attach":
                setup_records.note(target, self.before, self.after, folders)
            else:
                setup_records.forget(target)
        except ChangedMeanwhileError as error:
            raise UsageError(
                f"{self.file} was changed by somebody else just now", "Run the command again."
            ) from error
        except OSError as error:
            raise UsageError(
                f"{self.file} cannot be written: {error.strerror}",
                "It is left as it is. Check its permissions and the disk.",
            ) from error


def client_of(name: str) -> McpClient:
    """The client of a name. Raises `UsageError` with the known ones."""
    client = CLIENTS.get(name.lower().replace(" ", "-").replace("_", "-"))
    if client is None:
        near = difflib.get_close_matches(name.lower(), CLIENTS)
        meant = f"Did you mean {' or '.join(near)}? " if near else ""
        raise UsageError(f"no client is called {name!r}", f"{meant}Known: {', '.join(CLIENTS)}.")
    return client


def relay_command(client: McpClient, scope: Scope, root: Path) -> RelayCommand:
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
    environment = _own_environment() if scope == "user" else {}
    return RelayCommand(program, arguments, environment)


def shell_command(program: Sequence[str], environment: Mapping[str, str]) -> str:
    """How a shell of POSIX starts a program: agents have one run their hooks, on Windows too.

    The hook has the agent's environment, and one that a desktop has started knows nothing of what
    the user's shell sets.
    """
    given = [f"{name}={shlex.quote(value)}" for name, value in environment.items()]
    return " ".join([*given, shlex.join(program)])


def _own_environment() -> dict[str, str]:
    """Variables that say where data and settings are, for programs that another environment is
    given: full paths, for they may start in any folder."""
    found = {
        name: str(where())
        for name, where in (
            ("SURVEYOR_DATA_DIR", data_dir),
            ("SURVEYOR_CONFIG", config_file),
        )
        if os.environ.get(name)
    }
    if "SURVEYOR_DATA_DIR" not in found:
        names = ("XDG_DATA_HOME", "XDG_CONFIG_HOME")
        found |= {name: os.environ[name] for name in names if os.environ.get(name)}
    return found


def file_of(client: McpClient, scope: Scope, root: Path) -> Path:
    """The configuration file. Raises `UsageError` where the client has none of that scope."""
    file = client.files(scope, root)
    if file is None:
        raise UsageError(
            f"{client.title} has no configuration for one project", "Use --user instead."
        )
    return file


def attach(client: McpClient, scope: Scope, root: Path) -> FileEdit:
    """What attaches Surveyor to a client; everything else in its file stays."""
    file = file_of(client, scope, root)
    before = read_config(file)
    entry = client.entry(relay_command(client, scope, root), scope)
    return FileEdit(
        file, before, _edited(file, before or "", [*client.path, NAME], entry), "attach"
    )


def detach(client: McpClient, scope: Scope, root: Path) -> FileEdit:
    """What takes Surveyor out of a client's configuration again."""
    file = file_of(client, scope, root)
    before = read_config(file)
    if before is None:
        return FileEdit(file, None, None, "detach")
    return taken_out(file, before, lambda text: _edited(file, text, [*client.path, NAME], None))


def taken_out(file: Path, before: str, edit: Callable[[str], str]) -> FileEdit:
    """A file as it was before `setup`, where nobody has changed it since, else without our entry.

    One that `setup` made goes if nothing else is in it; any other stays, however empty.
    """
    done = setup_records.of(file)
    original = done.undone(before) if done is not None else None
    if done is not None and original is None:
        original = _without_added(done, before, edit)
    after = edit(before if original is None else original)
    empty = after.strip() == "" if original is not None else after.strip() in ("", "{}")
    goes = done is not None and done.made and empty
    return FileEdit(file, before, None if goes and before.strip() else after, "detach")


def _without_added(
    done: setup_records.SetupRecord, text: str, edit: Callable[[str], str]
) -> str | None:
    """A text that was changed since, without what `setup` had added, if nothing of ours is left."""
    left = done.without_added(text)
    try:
        return left if left is not None and edit(left) == left else None
    except UsageError:
        return None


def read_config(file: Path) -> str | None:
    """A file's text; None where there is none. Raises `UsageError`."""
    try:
        return read_text(file)
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{file} is not in UTF-8 (byte {error.start + 1})",
            "It is left as it is; save it in UTF-8 first.",
        ) from error
    except OSError as error:
        raise UsageError(
            f"{file} cannot be read: {reason_of(error)}", "It is left as it is."
        ) from error


def _edited(file: Path, text: str, path: list[str], entry: Entry | None) -> str:
    """The text with our entry, or without it, and with everything else that it says."""
    is_toml = file.suffix == ".toml"
    load: Callable[[str], Any] = toml_file.load if is_toml else json_file.load
    try:
        if entry is None:
            after = (toml_file.remove if is_toml else json_file.remove)(text, path)
        else:
            ours = merged(_at(load, text, path), entry)
            after = (toml_file.put if is_toml else json_file.put)(text, path, ours)
        others, kept = _others(load, text, path), _others(load, after, path)
        if others != kept and repr(others) != repr(kept):  # `nan` is not equal to itself
            raise ValueError("it holds the entry in a way that cannot be changed safely")
    except RemoteEntryError as error:
        raise UsageError(
            f"{file} has an entry for Surveyor already: {error}",
            "It is left as it is; `--remove` takes it out.",
        ) from error
    except ValueError as error:
        raise UsageError(
            f"{file} is not understood ({error})", "It is left as it is; repair it first."
        ) from error
    return after


def _at(load: Callable[[str], Any], text: str, path: list[str]) -> Any:
    """What a file has at a path; None where it has nothing there."""
    value = load(text) if text.removeprefix(BOM).strip() else {}
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _others(load: Callable[[str], Any], text: str, path: list[str]) -> Any:
    """What a file says beside one entry, and the objects that hold only that."""
    value = load(text) if text.removeprefix(BOM).strip() else {}
    holders = [value] if isinstance(value, dict) else []
    for name in path[:-1] if holders else ():
        inner = holders[-1].get(name)
        if not isinstance(inner, dict):
            break
        holders.append(inner)
    if len(holders) == len(path):
        holders[-1].pop(path[-1], None)
    for name, holder in reversed(list(zip(path, holders, strict=False))):
        if holder.get(name) == {}:
            del holder[name]
    return value


# --- Claude Code's hook ---------------------------------------------------------------------


def hook_change(scope: Scope, root: Path, *, remove: bool) -> FileEdit:
    """Adds or removes the hook that prints the memory rules at the start of a session."""
    folder = _home() if scope == "user" else root
    file = folder / ".claude" / "settings.json"
    before = read_config(file)
    command = relay_command(CLIENTS["claude-code"], scope, root)
    program = shell_command([command.program, *command.arguments[:-1]], command.environment)
    try:
        if remove:
            if before is None:
                return FileEdit(file, None, None, "detach")
            return taken_out(file, before, _without_hooks)
        after = _with_hook(before or "", f"{program} memory inject --hook")
    except (ValueError, AttributeError, TypeError) as error:
        raise UsageError(
            f"{file} is not understood ({error})", "It is left as it is; repair it first."
        ) from error
    return FileEdit(file, before, after, "attach")


def outdated_hook(scope: Scope, root: Path) -> Path | None:
    """The settings in which a hook of ours is as an earlier version put it in: it may hold a
    session up for as long as an engine hangs. What cannot be read is no such file."""
    file = (_home() if scope == "user" else root) / ".claude" / "settings.json"
    try:
        groups = _groups(read_config(file) or "")
        commands = [hook["command"] for g in groups for hook in g["hooks"] if _is_ours(hook)]
    except (SurveyorError, OSError, ValueError, AttributeError, TypeError, KeyError):
        return None
    return file if any(not command.endswith("--hook") for command in commands) else None


def _with_hook(text: str, command: str) -> str:
    """The text with our hook; one that is there keeps all but the command, as its time limit."""
    path = ["hooks", "SessionStart"]
    ours = [each for paths in _our_hooks(text) for each in paths]
    if not ours:
        return json_file.append(text, path, {"hooks": [{"type": "command", "command": command}]})
    for each in ours:
        text = json_file.put(text, each, {"command": command})
    return text


def _without_hooks(text: str) -> str:
    """The text without our hooks; other hooks of the same group stay."""
    for paths in reversed(_our_hooks(text)):
        group = paths[0][:3]
        hooks = _groups(text)[int(group[-1])]["hooks"]
        for path in [group] if len(hooks) == len(paths) else reversed(paths):
            text = json_file.remove(text, path)
    return text


def _our_hooks(text: str) -> list[list[json_file.Path]]:
    """Where our hooks are, for each group that has any."""
    found: list[list[json_file.Path]] = []
    for number, group in enumerate(_groups(text)):
        hooks = enumerate(group.get("hooks", []))
        at = [number_in for number_in, hook in hooks if _is_ours(hook)]
        if at:
            found.append([("hooks", "SessionStart", number, "hooks", each) for each in at])
    return found


def _groups(text: str) -> list[Any]:
    value = json_file.load(text) if text.removeprefix(BOM).strip() else {}
    hooks = value.get("hooks", {}) if isinstance(value, dict) else {}
    groups: list[Any] = hooks.get("SessionStart", []) if isinstance(hooks, dict) else []
    return groups


def _is_ours(hook: dict[str, Any]) -> bool:
    command = str(hook.get("command", ""))
    ends = ("memory inject --hook", "memory inject")
    return "surveyor" in command.lower() and command.endswith(ends)
