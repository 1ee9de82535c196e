"""`index`: what is indexed, and having it done, redone or undone."""

from __future__ import annotations

import asyncio

from surveyor.engine.agents.text import fenced, inline
from surveyor.engine.agents.tools.base import (
    ALL,
    NOTICE_CHARS,
    Built,
    Several,
    Tool,
    ToolAnswer,
    ToolContext,
    Values,
    freshness,
    freshness_lines,
    joined,
)
from surveyor.errors import NotFoundError, UsageError
from surveyor.protocol import tools
from surveyor.protocol.projects import EDGES_MS
from surveyor.units import counted, files_left

PROGRESS_S = 0.2
"""How often a waiting call looks how far indexing is."""


async def index(asker: ToolContext, values: Values) -> ToolAnswer:
    """Status of one project or all; indexing; clearing when confirmed."""
    action = values["action"]
    if action == "status":
        return await _status(asker, values)
    folder = await _folder(asker, values)
    if action == "clear":
        if not values["confirm"]:
            raise UsageError(
                "clear drops the whole index of a project; its files stay",
                "Ask the user, then call again with confirm=true.",
            )
        done = await asker.ask("remove_project", project=folder)
        return ToolAnswer(joined("Done.", fenced([inline(done["message"], NOTICE_CHARS)])))
    started = await asker.ask(
        "index", path=folder, clean=action == "reindex", explicit=bool(values["path"])
    )
    report, fresh = started.get("report"), started
    if values["wait"] and report is None:
        try:
            report = await _follow(asker, started)
        except asyncio.CancelledError:
            if action == "reindex":
                asker.afterwards("control", action="cancel", project=started["root"])
            raise
        root = started["root"]
        await asker.ask("index_progress", root=root, edges=True, wait_ms=EDGES_MS)
        fresh = (await asker.ask("status", path=root))["projects"][0]
    if report is None:
        text = "Indexing has started. Searches answer from what is there meanwhile."
        return ToolAnswer(text, freshness(fresh))
    chunks = f", {counted(report['chunks_created'], 'chunk')}" if report["files_indexed"] else ""
    text = (
        f"Indexed {counted(report['files_indexed'], 'file')} ({report['files_unchanged']}"
        " unchanged,"
        f" {report['files_removed']} removed, {report['files_skipped']} skipped,"
        f" {report['files_failed']} failed){chunks}, {report['duration_ms'] / 1000:.1f} s."
    )
    lines = [*freshness_lines(fresh), *report["errors"]]
    if report.get("failure"):
        text = (
            "The folder could not be looked through."
            " What was indexed of it before is kept, and it is tried again by itself."
        )
        lines.insert(0, inline(report["failure"], NOTICE_CHARS))
    return ToolAnswer(joined(text, fenced(lines)), freshness(fresh))


def _several(values: Values) -> Several:
    """Status covers all by itself; bringing up to date is for each, dropping for one."""
    if values["action"] == "status" or values["path"]:
        return "own"
    return "one" if values["action"] == "clear" else "each"


async def _folder(asker: ToolContext, values: Values) -> str:
    if values["path"]:
        return str(values["path"])
    try:
        return await asker.root_of(values["project"])
    except NotFoundError:
        folder = asker.where(values["project"])["cwd"]
        if folder is None:
            raise
        return folder  # of this session; not indexed, or no longer


async def _follow(asker: ToolContext, started: Built) -> Built | None:
    last: tuple[str, int] | None = None
    while True:
        run = await asker.ask("index_progress", root=started["root"], run=started["run"])
        now = (run["phase"], run["files_done"])
        if now != last:
            last = now
            await asker.progress(run["files_done"], run["files_total"] or None, run["phase"])
        if run["phase"] == "done":
            report: Built | None = run.get("report")
            return report
        await asyncio.sleep(PROGRESS_S)


async def status_of_projects(asker: ToolContext, values: Values) -> Built:
    """What the engine says of itself and of one project, those open in the session, or all."""
    answer = await asker.ask("status", path=await _path(asker, values))
    if values["project"] is None and values["path"] is None:
        for _, root in (await asker.open_projects())[1:]:
            answer["projects"] += (await asker.ask("status", path=root))["projects"]
    return answer


async def _status(asker: ToolContext, values: Values) -> ToolAnswer:
    answer = await status_of_projects(asker, values)
    projects = answer["projects"]
    lines = []
    for each in projects:
        lines.append(
            f"{inline(each['name'])} ({inline(each['root'])}): {counted(each['files'], 'file')},"
            f" {counted(each['chunks'], 'chunk')}, {counted(each['symbols'], 'symbol')},"
            f" {each['skipped']} skipped,"
            f" {each['disk_bytes'] / 1e6:.1f} MB, branch {inline(each['branch'] or '-')},"
            f" {each['status']}"
        )
        if left := _left(each):
            lines.append(f"    left to do: {left}")
        if unread := each["unread_uses"]:
            more = f" and {len(unread) - 3} more" if len(unread) > 3 else ""
            shown = ", ".join(inline(path) for path in unread[:3])
            lines.append(f"    what these use could not be worked out: {shown}{more}")
        shares = sorted(each["languages"].items(), key=lambda item: -item[1])
        lines.append("    " + ", ".join(f"{inline(name)} {count}" for name, count in shares))
    one = projects[0] if len(projects) == 1 else answer
    text = joined("" if lines else "Nothing is indexed.", fenced([*freshness_lines(one), *lines]))
    return ToolAnswer(text, freshness(one))


def _left(each: Built) -> str:
    """What is not done yet of a project."""
    parts = [
        files_left(each["files_behind"], each["left_s"]),
        f"edges of {counted(each['edges_behind'], 'file')}" if each["edges_behind"] else "",
        "compaction" if each["compacting"] else "",
    ]
    return ", ".join(filter(None, parts))


async def _path(asker: ToolContext, values: Values) -> str | None:
    """Whose status is meant; None for all."""
    if values["path"] is not None or values["project"] == ALL:
        path: str | None = values["path"]
        return path
    return await asker.root_of(values["project"])


INDEX = Tool(tools.INDEX, index, _several)
