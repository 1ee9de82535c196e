"""`surveyor uninstall`: undo everything that Surveyor put on this machine, after showing it."""

from __future__ import annotations

import contextlib
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from surveyor.cli import output
from surveyor.paths import disk_bytes

if TYPE_CHECKING:
    from surveyor.mcp.clients import FileEdit


PARTS = {
    "environments": "environments that an editor has made",
    "servers": "installed language servers",
    "state.db": "files, symbols, rules, notes and history",
    "state.spare.db": "a copy of folders, rules, notes and documents, should state.db be damaged",
    "vectors": "the index",
    "notes": "your notes",
    "models": "embedding models",
    "agent-plugins": "the plugin of Claude Code",
    "run": "the engine's sockets",
    "logs": "logs of the engine and of the editors' servers",
    "settings.json": "a copy of your settings, should the file be damaged",
    "allowed-secrets.json": "what you allowed of masked secrets",
    "setups.json": "what `surveyor setup` changed",
    "engine-task.xml": "the engine's task for Windows",
    "surveyor.toml": "settings",
}
"""What is in the data folder, for people."""
OTHERS = ("reserve", "trusted.json", "mcp-token", "mcp-address", "quarantine", ".writable")
BEGINNINGS = ("state.", ".surveyor-")
"""Names of what else is ours there. Whatever has another name is somebody else's, and stays: the
folder is any that `SURVEYOR_DATA_DIR` names."""


def uninstall(
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show it; remove nothing.")] = False,
) -> None:
    """Remove agents' set-ups, language servers, environments, settings, index, rules and notes.

    Your code is not touched. The package itself goes with the tool that installed it.
    """
    from surveyor import paths
    from surveyor.cli import service
    from surveyor.units import format_size

    changes = _setups()
    units = service.installed_files()
    folders = _existing(paths.data_dir(), paths.runtime_dir(paths.data_dir()))
    strange = [part for folder in folders for part in sorted(folder.iterdir()) if not _ours(part)]
    settings = _existing(paths.config_file())
    for change in changes:
        output.say(f"our entry in {change.file}")
    for unit in units:
        output.say(f"{unit}  (the engine as a service)")
    for folder in folders:
        output.say(f"{folder}  ({format_size(disk_bytes(folder))})")
        for part in sorted(folder.iterdir()):
            if part in strange:
                continue
            about = f", {PARTS[part.name]}" if part.name in PARTS else ""
            output.say(f"    {part.name}  ({format_size(disk_bytes(part))}{about})")
    for file in settings:
        output.say(f"{file}  (settings)")
    for part in strange:
        output.say(f"{part}  (not Surveyor's: it stays)")
    if not (changes or units or folders or settings):
        output.say("There is nothing of Surveyor's on this machine.")
        return
    if folders:
        output.say("Rules and notes are among it: `surveyor memory export` keeps them.")
    if dry_run:
        return
    if not yes and not typer.confirm("Remove all of this?", default=False):
        raise typer.Exit(1)
    from surveyor.cli.engine_end import end_engine
    from surveyor.cli.servers import end_host

    removed = service.undo()
    end_engine()
    end_host()
    failed = [removed.problem] if removed.problem else []
    failed += [problem for change in changes if (problem := _undo(change))]
    failed += _without_plugin()
    for folder in folders:
        failed += _remove(folder, [part for part in folder.iterdir() if part not in strange])
    for file in settings:
        failed += _remove_one(file)
    for problem in failed:
        output.note(f"not removed: {problem}")
    if failed:
        raise typer.Exit(1)
    output.say("Removed.")


def _ours(part: Path) -> bool:
    """Whether something in the data folder, or in the sockets' own, was put there by us."""
    from surveyor import paths

    if part.parent != paths.data_dir():
        return True
    return part.name in PARTS or part.name in OTHERS or part.name.startswith(BEGINNINGS)


def _undo(change: FileEdit) -> str:
    """Take our entry out of a file; what went wrong, else nothing."""
    from surveyor.errors import SurveyorError

    try:
        change.apply()
    except SurveyorError as error:
        return error.message
    return ""


def _without_plugin() -> list[str]:
    """Have Claude Code take the plugin out, if it was put in; what went wrong."""
    from surveyor.errors import SurveyorError
    from surveyor.mcp import plugin

    if not plugin.is_installed():
        return []
    try:
        plugin.uninstall()
    except SurveyorError as error:
        return [error.sentence]
    return []


def _remove(folder: Path, parts: list[Path]) -> list[str]:
    """Remove parts of a folder, and the folder once it is empty; what could not be removed."""
    failed = [problem for part in parts for problem in _remove_one(part)]
    with contextlib.suppress(OSError):  # something stays in it
        folder.rmdir()
    return failed


def _remove_one(path: Path) -> list[str]:
    """Remove a file, a link (never what it points to) or a folder; what went wrong."""
    try:
        if path.is_symlink() or not path.is_dir():
            path.unlink(missing_ok=True)
        else:
            shutil.rmtree(path)
    except FileNotFoundError:
        return []
    except OSError as error:
        return [f"{path}: {error.strerror}"]
    return []


def _setups() -> list[FileEdit]:
    """What `surveyor setup` wrote for the user, in every client."""
    from surveyor.errors import SurveyorError
    from surveyor.mcp import clients
    from surveyor.mcp.agent_rules import rules_change

    found = []
    for client in clients.CLIENTS.values():
        try:
            changes = [clients.detach(client, "user", Path.cwd())]
            rules = rules_change(client, "user", Path.cwd(), remove=True)
            changes += [rules] if rules is not None else []
            if client.name == "claude-code":
                changes.append(clients.hook_change("user", Path.cwd(), remove=True))
        except SurveyorError as error:
            output.note(f"{client.title}: {error.message}")
            continue
        found += [change for change in changes if change.before and change.is_needed]
    return found


def _existing(*candidates: Path) -> list[Path]:
    """Those that are there, without what lies inside another."""
    there = [path for path in candidates if path.exists()]
    return [p for p in there if not any(q != p and q in p.parents for q in there)]
