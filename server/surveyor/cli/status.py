"""`surveyor status`, `projects`, `watch` and `queue`."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from surveyor.cli import output
from surveyor.cli.completion import project_names
from surveyor.paths import is_folder, named_path
from surveyor.units import counted, files_left, format_size

if TYPE_CHECKING:
    from surveyor.protocol.engine import QueueItem
    from surveyor.protocol.projects import ControlRequest, ProjectStatus

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
ProjectArgument = Annotated[
    str, typer.Argument(help="Folder, name or id.", autocompletion=project_names)
]

projects = output.group("Registered folders.")
watch = output.group("Which folders are followed.")
queue = output.group("Work that waits, and what failed.")


def status(
    path: Annotated[Path | None, typer.Argument(help="A project's folder; all without.")] = None,
    skipped: Annotated[bool, typer.Option("--skipped", help="List skipped files.")] = False,
    json: JsonOption = False,
) -> None:
    """What is indexed, how fresh it is, and what the engine uses."""
    from surveyor.client.blocking import call
    from surveyor.protocol.engine import StatusRequest

    with output.friendly_errors():
        if skipped and path is None:
            path = Path()
        answer = call(StatusRequest(path=str(named_path(path)) if path else None, skipped=skipped))
    if json:
        output.print_json(answer)
        return
    output.say(
        f"engine {answer.engine_version}  pid {answer.pid}  up {answer.uptime_s:.0f} s"
        f"  memory {format_size(answer.anonymous_bytes)}"
        f"  workers {format_size(answer.worker_bytes)}  sessions {answer.sessions}"
    )
    output.say(f"data {answer.data_dir}  store {answer.store}  model {answer.model}")
    if answer.asks:
        output.say(f"`ask` sends questions and pieces of code to {answer.asks}")
    if answer.web:
        output.say(f"the web is on: {answer.web}")
    waiting = answer.queue
    output.say(
        f"queue: {waiting['pending']} waiting, {waiting['in_progress']} in progress,"
        f" {waiting['failed']} failed"
    )
    limits = answer.limits
    output.say(
        f"limits: files up to {format_size(limits['max_file_size'])},"
        f" at most the vectors of {counted(limits['open_shards'], 'project')} open at once"
    )
    for project in answer.projects:
        _show_project(project)
    if not answer.projects:
        output.say("No folder is indexed yet: `surveyor index PATH`.")
    _show_knowledge(answer.knowledge)
    for item in answer.skipped:
        because = f" ({item.detail})" if item.detail else ""
        output.say(f"  {item.path}: {item.reason}{because}")


def _kinds(kinds: dict[str, dict[str, int]]) -> str:
    return ", ".join(
        f"{name} {kind['entries']} ({format_size(kind['bytes'])})" for name, kind in kinds.items()
    )


def _show_knowledge(usage: dict[str, Any]) -> None:
    """What is kept beside the code, and within which limits."""
    if not usage:
        return
    limits = usage["limits"]
    output.say()
    output.say(f"knowledge: {_kinds(usage['kinds'])}")
    output.say(
        f"stored: {format_size(usage['total_bytes'])}; packages up to"
        f" {format_size(limits['max_packages'])}, sessions up to"
        f" {format_size(limits['max_sessions'])} and for {limits['retention'] / 86400:g} days,"
        f" history up to {format_size(limits['max_history'])};"
        f" {format_size(limits['min_free_disk'])} of disk stay free"
    )
    if usage["evicted"]:
        gone = ", ".join(f"{name} {count}" for name, count in usage["evicted"].items())
        output.say(f"let go of: {gone} (`surveyor library evicted`)")
    for waiting in usage["pending"]:
        output.note(f"pending: {waiting}")
    for warning in usage["warnings"]:
        output.note(f"warning: {warning}")
    for project in usage["projects"]:
        output.say(f"  {project['name']}: {_kinds(project['kinds'])}")


def _show_project(project: ProjectStatus) -> None:
    branch = f" on {project.branch}" if project.branch else ""
    output.say()
    output.say(f"{project.name}  {project.root}{branch}  [{project.status}]")
    if project.message:
        output.say(f"  {project.message}")
    output.say(
        f"  {counted(project.files, 'file')}, {counted(project.chunks, 'chunk')},"
        f" {counted(project.symbols, 'symbol')},"
        f" {project.skipped:,} skipped, {project.failed:,} failed, {project.files_behind:,} behind;"
        f" vectors {format_size(project.disk_bytes)}"
    )
    left = [
        files_left(project.files_behind, project.left_s),
        f"edges of {counted(project.edges_behind, 'file')}" if project.edges_behind else "",
        "compaction" if project.compacting else "",
    ]
    if any(left):
        output.say(f"  left to do: {', '.join(filter(None, left))}")
    if project.learned:
        output.say(f"  learned from commits: {project.learned}")
    if unread := project.unread_uses:
        more = f" and {len(unread) - 3} more" if len(unread) > 3 else ""
        output.say(f"  what these use could not be worked out: {', '.join(unread[:3])}{more}")
    if project.languages:
        shown = ", ".join(f"{name} {count}" for name, count in list(project.languages.items())[:8])
        output.say(f"  {shown}")


@projects.command("list")
def list_projects(json: JsonOption = False) -> None:
    """List the registered folders."""
    from surveyor.client.blocking import call
    from surveyor.protocol.projects import ProjectsRequest

    with output.friendly_errors():
        answer = call(ProjectsRequest())
    if json:
        output.print_json(answer)
        return
    for each in answer.projects:
        output.say(
            f"{each.project_id}  {each.status:<9} {counted(each.files, 'file'):>14}  {each.root}"
        )


@projects.command("remove")
def remove_project(
    project: ProjectArgument,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Forget a folder and its index. Its files are not touched."""
    from surveyor.client.blocking import call
    from surveyor.protocol.projects import ProjectsRequest, RemoveProjectRequest

    wanted = absolute(project)
    if not yes:
        with output.friendly_errors():
            known = call(ProjectsRequest()).projects
        names = [{p.root, p.name, p.project_id, p.checkout_id} for p in known]
        is_known = any(wanted in each for each in names)  # else it is said without a question
        if is_known and not typer.confirm(f"Drop the index of {project}?", default=False):
            raise typer.Exit(1)
    with output.friendly_errors():
        output.say(call(RemoveProjectRequest(project=wanted)).message)


@watch.command("list")
def list_watches(json: JsonOption = False) -> None:
    """List the registered folders and whether they are followed."""
    from surveyor.client.blocking import call
    from surveyor.protocol.projects import ProjectsRequest

    with output.friendly_errors():
        answer = call(ProjectsRequest())
    if json:
        rows = [
            {"root": p.root, "id": p.checkout_id, "watched": p.watched} for p in answer.projects
        ]
        output.print_json({"watches": rows})
        return
    for each in answer.projects:
        output.say(f"{each.checkout_id}  {'on ' if each.watched else 'off'}  {each.root}")


@watch.command("enable")
def enable_watch(project: ProjectArgument) -> None:
    """Follow a folder."""
    from surveyor.protocol.projects import ControlRequest

    _control(ControlRequest(action="watch", project=absolute(project)))


@watch.command("disable")
def disable_watch(
    project: ProjectArgument,
    purge: Annotated[bool, typer.Option("--purge", help="Drop its index too.")] = False,
) -> None:
    """Stop following a folder; its index stays as it is."""
    from surveyor.protocol.projects import ControlRequest

    _control(ControlRequest(action="unwatch", project=absolute(project), purge=purge))


def _control(request: ControlRequest) -> None:
    from surveyor.client.blocking import call

    with output.friendly_errors():
        output.say(call(request).message)


@queue.command("list")
def list_queue(
    failed: Annotated[bool, typer.Option("--failed", help="Only what failed for good.")] = False,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="Most items.")] = 50,
    json: JsonOption = False,
) -> None:
    """List waiting and failed items."""
    from surveyor.client.blocking import call
    from surveyor.protocol.engine import QueueRequest

    with output.friendly_errors():
        answer = call(QueueRequest(failed=failed, limit=limit))
    if json:
        output.print_json(answer)
        return
    for item in answer.items:
        _show_item(item, whole=failed)
    output.say(", ".join(f"{count} {name}" for name, count in answer.counts.items()))


@queue.command("show")
def show_item(
    queue_id: Annotated[str, typer.Argument(help="An item's id, or how it begins.")],
    json: JsonOption = False,
) -> None:
    """Show an item with all its errors."""
    from surveyor.client.blocking import call
    from surveyor.protocol.engine import QueueRequest

    with output.friendly_errors():
        answer = call(QueueRequest(action="show", queue_id=queue_id))
    if json:
        output.print_json(answer.items)
        return
    for item in answer.items:
        _show_item(item, whole=True)


@queue.command("retry")
def retry(
    queue_id: Annotated[str | None, typer.Argument(help="All failed without.")] = None,
) -> None:
    """Give failed items another chance."""
    from surveyor.client.blocking import call
    from surveyor.protocol.engine import QueueRequest

    with output.friendly_errors():
        counts = call(QueueRequest(action="retry", queue_id=queue_id)).counts
    waiting = counts["pending"] + counts["in_progress"]
    output.say(f"{waiting} waiting or in progress, {counts['failed']} failed")


@queue.command("clean")
def clean(
    queue_id: Annotated[str | None, typer.Argument(help="All failed without.")] = None,
) -> None:
    """Drop failed items."""
    from surveyor.client.blocking import call
    from surveyor.protocol.engine import QueueRequest

    with output.friendly_errors():
        counts = call(QueueRequest(action="clean", queue_id=queue_id)).counts
    output.say(f"{counted(counts['failed'], 'failed item')} left")


@queue.command("stats")
def stats(json: JsonOption = False) -> None:
    """Count the items by state."""
    from surveyor.client.blocking import call
    from surveyor.protocol.engine import QueueRequest

    with output.friendly_errors():
        counts = call(QueueRequest(limit=1)).counts
    if json:
        output.print_json(counts)
        return
    for name, count in counts.items():
        output.say(f"{name:<12} {count}")


def _show_item(item: QueueItem, *, whole: bool) -> None:
    what = item.payload.get("relative_path") or item.payload.get("label") or ""
    output.say(f"{item.queue_id[:12]}  {item.status:<11} {item.item_type} {item.op}  {what}")
    for error in item.errors if whole else []:
        at = datetime.fromtimestamp(error.get("at", 0)).astimezone()
        output.say(f"    {at:%Y-%m-%d %H:%M:%S}  {error.get('error', '')}")


def absolute(project: str) -> str:
    """A folder as its absolute path; a name or an id as it is."""
    if "/" in project or project in (".", "..") or is_folder(project):
        return str(named_path(project))
    return project
