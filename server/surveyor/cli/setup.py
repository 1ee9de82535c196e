"""`surveyor setup CLIENT`: attach a coding agent, and detach it again."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from surveyor.errors import SurveyorError, UsageError

if TYPE_CHECKING:
    from surveyor.mcp.clients import RelayCommand


def _clients(incomplete: str) -> list[str]:
    """Clients whose name begins so."""
    from surveyor.mcp import clients

    return [name for name in clients.CLIENTS if name.startswith(incomplete)]


def setup(
    client: Annotated[
        str | None,
        typer.Argument(
            autocompletion=_clients,
            help="claude-code, claude-desktop, cursor, vscode, zed, windsurf, gemini, opencode or"
            " codex.",
        ),
    ] = None,
    project: Annotated[
        bool, typer.Option("--project", help="Only for the project in this folder.")
    ] = False,
    user: Annotated[bool, typer.Option("--user", help="For all your projects (default).")] = False,
    hooks: Annotated[
        bool,
        typer.Option("--hooks", help="Claude Code: also print the rules when a session starts."),
    ] = False,
    plugin: Annotated[
        bool,
        typer.Option(
            "--plugin",
            help="With all that it offers: Claude Code as a plugin, with hooks and a skill; rules"
            " for Codex, OpenCode and (with --project) Cursor.",
        ),
    ] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Take it out again.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would change; change nothing.")
    ] = False,
) -> None:
    """Write the configuration that lets an agent use Surveyor; what is there is kept."""
    from surveyor.mcp import clients
    from surveyor.mcp.agent_rules import RULES, rules_change

    try:
        if project and user:
            raise UsageError("--project and --user exclude each other", "Choose one.")
        if client is None:
            raise UsageError("no agent is named", f"There are: {', '.join(clients.CLIENTS)}.")
        chosen = clients.client_of(client)
        scope: clients.Scope = "project" if project else "user"
        root = Path.cwd()
        if hooks and chosen.name != "claude-code":
            raise UsageError(f"setup has no hooks for {chosen.title}", "Leave --hooks out.")
        if plugin and chosen.name not in ("claude-code", *RULES):
            raise UsageError(f"{chosen.title} has nothing of that kind", "Leave --plugin out.")
        is_plugin = plugin and chosen.name == "claude-code"
        if is_plugin:
            if project or hooks:
                raise UsageError("--plugin of claude-code is for all projects, by itself")
            _plugin(clients.relay_command(chosen, scope, root), remove=remove, dry_run=dry_run)
        act = clients.detach if remove or is_plugin else clients.attach
        changes = [act(chosen, scope, root)]
        is_old = chosen.name == "claude-code" and clients.outdated_hook(scope, root) is not None
        if hooks or is_old or ((remove or is_plugin) and chosen.name == "claude-code"):
            changes.append(clients.hook_change(scope, root, remove=remove or is_plugin))
        if remove or plugin:
            rules = rules_change(chosen, scope, root, remove=remove)
            changes += [rules] if rules is not None else []
        # What was made last goes first: folders go with the last thing in them.
        for change in reversed(changes) if remove else changes:
            if change.is_needed and not dry_run:
                change.apply()
            _show(change, dry_run=dry_run)
    except SurveyorError as error:
        typer.echo(f"surveyor: {error.message}\n{error.hint}".rstrip(), err=True)
        raise typer.Exit(error.exit_code) from error
    if plugin and not remove and chosen.name == "cursor" and not project:
        typer.echo("Cursor has the user's rules in its settings: --project puts ours into a file.")
    if not dry_run and not remove:
        typer.echo(f"Restart {chosen.title}, then ask it to search this project.")


def _plugin(command: RelayCommand, *, remove: bool, dry_run: bool) -> None:
    """Put the plugin in, or take it out; its entry and hooks take the place of those in files."""
    from surveyor.mcp import plugin

    for step in plugin.steps(remove=remove):
        typer.echo(" ".join(step))
    if not dry_run and remove:
        plugin.uninstall()
    elif not dry_run:
        plugin.install([command.program, *command.arguments[:-1]], command.environment)


def _show(change: object, *, dry_run: bool) -> None:
    from surveyor.mcp.clients import FileEdit

    assert isinstance(change, FileEdit)
    if not change.is_needed:
        typer.echo(f"{change.file}: nothing to change")
        return
    if not dry_run:
        verb = "removed" if change.after is None else "written"
        typer.echo(f"{change.file}: {verb}")
        return
    lines = difflib.unified_diff(
        (change.before or "").splitlines(),
        (change.after or "").splitlines(),
        str(change.file),
        str(change.file),
        lineterm="",
        n=2,
    )
    typer.echo("\n".join(lines))
