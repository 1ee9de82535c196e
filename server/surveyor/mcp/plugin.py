"""Surveyor as a plugin of Claude Code: its files made for this installation, put in by `claude`.

The files lie in `clients/agents`. Claude Code keeps a copy of what it installs; what it copies from
is in the data folder, with the full path of this program, which is on no PATH of a desktop.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from surveyor import paths
from surveyor.errors import SurveyorError, UsageError, reason_of
from surveyor.mcp.clients import NAME, shell_command

__all__ = ["install", "is_installed", "is_outdated", "plugin_files", "steps", "uninstall"]

FOLDER = "agent-plugins"
"""In the data folder."""
TIMEOUT_S = 120
_HOOKS = "claude-code/hooks/hooks.json"
_FILES = (
    ".claude-plugin/marketplace.json",
    "claude-code/.claude-plugin/plugin.json",
    "claude-code/.mcp.json",
    "claude-code/.lsp.json",
    _HOOKS,
    "claude-code/skills/surveyor/SKILL.md",
)


def plugin_files() -> Path:
    """Where the files are, in a wheel or in a checkout. Raises `UsageError`."""
    package = Path(__file__).parents[1]
    for folder in (package / "agent_plugins", package.parents[1] / "clients" / "agents"):
        if (folder / _FILES[0]).is_file():
            return folder
    raise UsageError("the plugin's files are not in this installation", "Install it again.")


def steps(*, remove: bool) -> list[list[str]]:
    """The commands of `claude` that put the plugin in, or take it out."""
    if remove:
        return [
            ["claude", "plugin", "uninstall", f"{NAME}@{NAME}"],
            ["claude", "plugin", "marketplace", "remove", NAME],
        ]
    return [
        ["claude", "plugin", "marketplace", "add", str(_target())],
        ["claude", "plugin", "install", f"{NAME}@{NAME}"],
    ]


def install(program: Sequence[str], environment: Mapping[str, str]) -> None:
    """Write the files for a program, and have them put in. Raises `SurveyorError`."""
    source, target = plugin_files(), _target()
    paths.make_folders(paths.data_dir())
    shutil.rmtree(target, ignore_errors=True)
    for name in _FILES:
        text = (source / name).read_text("utf-8")
        file = target / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(
            _for_program(text, program, environment) if name.endswith(".json") else text, "utf-8"
        )
    for step in steps(remove=False):
        _run(step)


def is_installed() -> bool:
    """Whether `install` was here, and `uninstall` not since."""
    return _target().exists()


def is_outdated() -> bool:
    """Whether what is installed calls hooks as an earlier version did."""
    try:
        made = (_target() / _HOOKS).read_text("utf-8")
        own = json.loads((plugin_files() / _HOOKS).read_text("utf-8"))
    except (OSError, ValueError, SurveyorError):
        return False
    calls = [command.removeprefix(NAME) for command in _commands(own)]
    there = _commands(json.loads(made))
    return any(not any(each.endswith(call) for each in there) for call in calls)


def _commands(value: Any) -> list[str]:
    if isinstance(value, list):
        return [each for inner in value for each in _commands(inner)]
    if not isinstance(value, dict):
        return []
    command = value.get("command")
    own = [command] if isinstance(command, str) else []
    return own + [each for inner in value.values() for each in _commands(inner)]


def uninstall() -> None:
    """Take the plugin out, and its files away. Raises `SurveyorError`."""
    for step in steps(remove=True):
        _run(step)
    shutil.rmtree(_target(), ignore_errors=True)


def _target() -> Path:
    return paths.data_dir() / FOLDER


def _for_program(text: str, program: Sequence[str], environment: Mapping[str, str]) -> str:
    """Configuration that starts `surveyor`, with what starts it here."""

    def made_for(value: Any) -> Any:
        if isinstance(value, list):
            return [made_for(each) for each in value]
        if not isinstance(value, dict):
            return value
        return _started({key: made_for(each) for key, each in value.items()}, program, environment)

    return json.dumps(made_for(json.loads(text)), indent=2) + "\n"


def _started(
    made: dict[str, Any], program: Sequence[str], environment: Mapping[str, str]
) -> dict[str, Any]:
    """An object of a configuration, with this program if it starts `surveyor`."""
    command = made.get("command")
    if command == NAME:
        made["command"] = program[0]
        made["args"] = [*program[1:], *made.get("args", [])]
        if environment:
            made["env"] = dict(environment)
    elif isinstance(command, str) and command.startswith(f"{NAME} "):
        made["command"] = shell_command(program, environment) + command.removeprefix(NAME)
    return made


def _run(command: list[str]) -> None:
    if shutil.which(command[0]) is None:
        raise UsageError(
            "`claude` is not on the PATH",
            f"Install Claude Code, or run where it is: {' '.join(command)}",
        )
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=TIMEOUT_S, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SurveyorError(f"{' '.join(command)}: {reason_of(error)}") from error
    if done.returncode:
        said = (done.stderr or done.stdout).strip()
        raise SurveyorError(f"{' '.join(command)}: {said}", "Nothing else was changed.")
