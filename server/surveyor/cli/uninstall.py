"""`surveyor uninstall`: undo everything that Surveyor put on this machine, after showing it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from surveyor.cli import output
from surveyor.paths import disk_bytes

if TYPE_CHECKING:
    from surveyor.mcp.clients import Change


PARTS = {
    "environments": "environments that an editor has made",
    "servers": "installed language servers",
    "state.db": "files, symbols, rules, notes and history",
    "state.spare.db": "a copy of the folders, rules and notes, should state.db be damaged",
    "vectors": "the index",
    "run": "the engine's sockets",
    "logs": "logs of the engine and of the editors' servers",
}
"""What is in the data folder, for people."""


def uninstall(
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show it; remove nothing.")] = False,
) -> None:
    """Remove agents' set-ups, language servers, environments, settings, index, rules and notes.

    Your code is not touched. The package itself goes with the tool that installed it.
    """
    from surveyor import paths
    from surveyor.units import format_size

    changes = _setups()
    folders = _existing(paths.data_dir(), paths.runtime_dir(paths.data_dir()))
    settings = _existing(paths.config_file())
    for change in changes:
        output.say(f"our entry in {change.file}")
    for folder in folders:
        output.say(f"{folder}  ({format_size(disk_bytes(folder))})")
        for part in sorted(folder.iterdir()):
            about = f", {PARTS[part.name]}" if part.name in PARTS else ""
            output.say(f"    {part.name}  ({format_size(disk_bytes(part))}{about})")
    for file in settings:
        output.say(f"{file}  (settings)")
    if not (changes or folders or settings):
        output.say("There is nothing of Surveyor's on this machine.")
        return
    if folders:
        output.say("Rules and notes are among it: `surveyor memory export` keeps them.")
    if dry_run:
        return
    if not yes and not typer.confirm("Remove all of this?", default=False):
        raise typer.Exit(1)
    from surveyor.cli.engine import end_engine

    end_engine()
    for change in changes:
        change.apply()
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
    for file in settings:
        file.unlink(missing_ok=True)
    output.say("Removed.")


def _setups() -> list[Change]:
    """What `surveyor setup` wrote for the user, in every client."""
    from surveyor.errors import SurveyorError
    from surveyor.mcp import clients

    found = []
    for client in clients.CLIENTS.values():
        try:
            changes = [clients.detach(client, "user", Path.cwd())]
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
