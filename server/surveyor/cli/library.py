"""`surveyor library`: reference documents, and what installed packages say of themselves."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from surveyor.cli import output
from surveyor.cli.library_fetch import fetch, is_whole, refresh_from_web
from surveyor.cli.project_option import (
    EVERY,
    AnyProjectOption,
    ProjectFields,
    ProjectOption,
    project_fields,
    project_folder,
)
from surveyor.cli.write_results import WaitOption, carried_out, say_written
from surveyor.errors import NotFoundError
from surveyor.paths import is_folder, named_path
from surveyor.protocol.enumerations import LibraryMode
from surveyor.units import counted, format_size

if TYPE_CHECKING:
    from surveyor.protocol.knowledge import DependenciesResponse, DocumentHit, LibraryItem

app = output.group("Reference documents, also of installed packages.")

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
NameArgument = Annotated[str, typer.Argument(help="A library, or a dotted name below one.")]

SNIPPET_LINES = 8
FOLLOW_S = 0.5
"""How often a followed library's progress is looked at."""


@app.command()
def add(
    folder: Annotated[Path, typer.Argument(help="A folder of documents.")],
    name: Annotated[str, typer.Option("--name", help="What the library is called.")],
    mode: Annotated[
        LibraryMode, typer.Option(help="sync mirrors deletions, incremental ignores them.")
    ] = "sync",
    wait: WaitOption = 60.0,
    json: JsonOption = False,
) -> None:
    """Read a folder of documents and follow it; again: bring it up to date."""
    from surveyor.client.blocking import call
    from surveyor.protocol.knowledge import LibraryAddRequest

    with output.friendly_errors():
        written = call(LibraryAddRequest(folder=str(named_path(folder)), name=name, mode=mode))
        written = carried_out(written, wait)
        if written.status == "done" and wait:
            _follow(name, wait)
    say_written(written, json)
    if not json:
        _summary(name)


def _follow(name: str, wait_s: float) -> None:
    """Until all documents of a library are read, or time is up."""
    deadline = time.monotonic() + wait_s
    while (item := _library(name)) is not None and item.queued and time.monotonic() < deadline:
        time.sleep(FOLLOW_S)


def _library(name: str) -> LibraryItem | None:
    from surveyor.client.blocking import call
    from surveyor.protocol.knowledge import LibraryListRequest

    answer = call(LibraryListRequest(packages=True, include_deleted=True))
    return next((one for one in answer.libraries if one.name == name), None)


def _summary(name: str) -> None:
    with output.friendly_errors():
        item = _library(name)
    if item is None:
        return
    waiting = f", {item.queued} waiting" if item.queued else ""
    output.say(f"{counted(item.documents, 'document')}, {counted(item.pieces, 'piece')}{waiting}")
    for problem in item.failed:
        output.note(f"  not read: {problem}")


@app.command()
def ingest(
    file: Annotated[Path, typer.Argument(help="A document; `-` reads text from stdin.")],
    name: Annotated[
        str, typer.Option("--name", help="A library, or a dotted place: rust-book.ch1.intro.")
    ] = "global",
    title: Annotated[str | None, typer.Option(help="Its title; found in it without.")] = None,
    url: Annotated[str | None, typer.Option(help="Where it comes from.")] = None,
    topic: Annotated[list[str], typer.Option("--topic", help="Keywords; repeat it.")] = [],  # noqa: B006
    project: Annotated[
        str | None,
        typer.Option(
            "--project",
            "-C",
            metavar="PATH",
            help="Keep it with this project: a folder, a name or an id.",
        ),
    ] = None,
    wait: WaitOption = 60.0,
    json: JsonOption = False,
) -> None:
    """Store one document: a file, a saved page, or a text."""
    from surveyor.client.blocking import call
    from surveyor.protocol.knowledge import LibraryIngestRequest

    stdin = str(file) == "-"
    with output.friendly_errors():
        written = call(
            LibraryIngestRequest(
                name=name,
                path=None if stdin else str(named_path(file)),
                content=sys.stdin.read() if stdin else None,
                title=title,
                url=url,
                topics=topic,
                source="web" if url else None,
                project=str(project_folder(project)) if project else None,
            )
        )
        say_written(carried_out(written, wait), json)


@app.command("list")
def list_(
    packages: Annotated[
        bool, typer.Option("--packages", help="Also the packages of the project here.")
    ] = False,
    deleted: Annotated[bool, typer.Option("--deleted", help="Also removed ones.")] = False,
    project: ProjectOption = None,
    json: JsonOption = False,
) -> None:
    """List libraries."""
    from surveyor.client.blocking import call
    from surveyor.protocol.knowledge import LibraryListRequest

    with output.friendly_errors():
        answer = call(
            LibraryListRequest(
                **project_fields(project), packages=packages, include_deleted=deleted
            )
        )
    if json:
        output.print_json(answer)
        return
    for item in answer.libraries:
        facts = [
            f"{counted(item.documents, 'document')}",
            f"{counted(item.pieces, 'piece')}",
            format_size(item.bytes),
            item.mode or "",
            "removed" if item.deleted else "",
            f"{item.queued} waiting" if item.queued else "",
            f"{item.evicted} let go of" if item.evicted else "",
            f"{len(item.failed)} not read" if item.failed else "",
        ]
        kind = "web" if item.web else item.kind
        output.say(f"{item.name}  [{kind}] {', '.join(one for one in facts if one)}")
        if item.source:
            output.say(f"    {item.source}")
        for problem in item.failed:
            output.say(f"    not read: {problem}")
    if not answer.libraries:
        output.note("No libraries yet: `surveyor library add FOLDER --name NAME`.")


@app.command()
def remove(
    name: NameArgument,
    purge: Annotated[
        bool, typer.Option("--purge", help="For good; `restore` cannot bring it back.")
    ] = False,
    wait: WaitOption = 10.0,
    json: JsonOption = False,
) -> None:
    """Take a library, or what is below a dotted name, out of searches."""
    from surveyor.client.blocking import call
    from surveyor.protocol.knowledge import LibraryRemoveRequest

    with output.friendly_errors():
        written = call(LibraryRemoveRequest(name=name, purge=purge))
        say_written(carried_out(written, wait), json)


@app.command()
def restore(name: NameArgument, wait: WaitOption = 10.0, json: JsonOption = False) -> None:
    """Bring back what `remove` took out."""
    from surveyor.client.blocking import call
    from surveyor.protocol.knowledge import LibraryRestoreRequest

    with output.friendly_errors():
        written = call(LibraryRestoreRequest(name=name))
        say_written(carried_out(written, wait), json)


@app.command()
def search(
    query: Annotated[str, typer.Argument(help="What to look for.")],
    name: Annotated[
        str | None, typer.Option("--name", help="Only this library, or below this dotted name.")
    ] = None,
    project: AnyProjectOption = None,
    all_: Annotated[bool, typer.Option("--all", help="Of every project.")] = False,
    notes: Annotated[bool, typer.Option("--notes", help="In notes and sessions.")] = False,
    deleted: Annotated[bool, typer.Option("--deleted", help="Also in removed ones.")] = False,
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, max=1000, help="Most documents.")
    ] = 10,
    json: JsonOption = False,
) -> None:
    """Search documents by meaning."""
    from surveyor.client.blocking import call
    from surveyor.protocol.knowledge import LibrarySearchRequest

    every = all_ or project == EVERY
    with output.friendly_errors():
        answer = call(
            LibrarySearchRequest(
                query=query,
                library=name,
                **(ProjectFields(cwd=None, project=EVERY) if every else project_fields(project)),
                notes=notes,
                include_deleted=deleted,
                limit=limit,
            )
        )
    if json:
        output.print_json(answer)
    else:
        for hit in answer.results:
            _show(hit)
    if answer.notice:
        output.note(answer.notice)
    if not answer.results:
        output.note("Nothing found.")
        raise typer.Exit(1)


def _show(hit: DocumentHit) -> None:
    where = hit.path or hit.url or hit.source
    if hit.start_line:
        where += f":{hit.start_line}"
    if hit.page_number:
        where += f" p. {hit.page_number}"
    titles = [hit.title, *(each for each in hit.headings if each != hit.title)]
    output.say(f"{hit.tenant}  {' > '.join(titles)}  [{hit.confidence:.2f}]")
    output.say(f"    {where}" + ("  (removed)" if hit.deleted else ""))
    lines = hit.snippet.split("\n")
    for line in lines[:SNIPPET_LINES]:
        output.say(f"    | {line}")
    if len(lines) > SNIPPET_LINES:
        output.say("    | …")
    output.say()


@app.command()
def deps(
    project: ProjectOption = None,
    transitive: Annotated[
        bool, typer.Option("--transitive", help="Also what the dependencies depend on.")
    ] = False,
    environment: Annotated[
        list[Path],
        typer.Option("--environment", help="A Python environment or site-packages folder."),
    ] = [],  # noqa: B006
    wait: WaitOption = 120.0,
    json: JsonOption = False,
) -> None:
    """Find the project's dependencies on disk and make their documentation searchable."""
    from surveyor.client.blocking import call
    from surveyor.protocol.knowledge import LibraryDepsRequest

    with output.friendly_errors():
        for folder in environment:
            if not is_folder(folder):
                raise NotFoundError(f"there is no folder {folder}", "Check the path.")
        answer = call(
            LibraryDepsRequest(
                **project_fields(project),
                transitive=transitive,
                environments=[str(named_path(one)) for one in environment],
                variables=dict(os.environ),
            )
        )
        if answer.status == "queued" and wait:
            _follow_packages(answer, project, wait)
    if json:
        output.print_json(answer)
        return
    for one in answer.packages:
        output.say(f"{one.library}  {one.state.replace('_', ' ')}  {one.root}".rstrip())
    output.say(f"{answer.status}: {answer.message}")


app.command("fetch")(fetch)


@app.command()
def refresh(
    name: Annotated[
        str | None, typer.Argument(help="A library that was read from the web; all without.")
    ] = None,
    wait: WaitOption = 60.0,
    json: JsonOption = False,
) -> None:
    """Look at folders, notes and sessions now, and bring back what was let go of and fits.

    Where the web is on, pages of libraries that were fetched are asked for again: those that have
    changed are read.
    """
    from surveyor.client.blocking import call
    from surveyor.protocol.engine import StatusRequest
    from surveyor.protocol.knowledge import LibraryListRequest, RefreshRequest

    with output.friendly_errors():
        if name is not None:
            ended = refresh_from_web([name], quiet=json)
            if json:
                output.print_json(ended)
            raise typer.Exit(int(not all(map(is_whole, ended))))
        answer = call(RefreshRequest(wait_ms=int(wait * 1000)))
        if not json:
            back = f", {answer.restored} brought back" if answer.restored else ""
            gone = f", {answer.evicted} let go" if answer.evicted else ""
            output.say(
                f"{answer.status}: {counted(answer.changed, 'file')} new, changed or"
                f" gone{back}{gone}"
            )
        from_web = [each.name for each in call(LibraryListRequest()).libraries if each.web]
        is_on = bool(from_web) and call(StatusRequest()).web is not None
        ended = refresh_from_web(from_web, quiet=json) if is_on else []
    if json:
        output.print_json(answer)
    elif from_web and not is_on:
        kept = counted(
            len(from_web),
            "library of the web is as it was",
            "libraries of the web are as they were",
        )
        output.note(f"{kept}: the web is off.")


@app.command()
def evicted(json: JsonOption = False) -> None:
    """List what was let go of by itself; `refresh` brings back what fits."""
    from surveyor.client.blocking import call
    from surveyor.protocol.knowledge import EvictedRequest

    with output.friendly_errors():
        answer = call(EvictedRequest())
    if json:
        output.print_json(answer)
        return
    for one in answer.evicted:
        back = "" if one.returns else "; what it was read from is gone"
        output.say(f"{one.at[:10]}  {one.kind:<9} {one.name}  ({format_size(one.bytes)})")
        output.say(f"            {one.reason}{back}  {one.path or ''}".rstrip())
    if not answer.evicted:
        output.note("Nothing has been let go of.")


def _follow_packages(answer: DependenciesResponse, project: str | None, wait_s: float) -> None:
    """Until all new packages are read, or time is up."""
    from surveyor.client.blocking import call
    from surveyor.protocol.knowledge import LibraryListRequest

    deadline = time.monotonic() + wait_s
    while answer.status == "queued" and time.monotonic() < deadline:
        time.sleep(FOLLOW_S)
        known = call(LibraryListRequest(**project_fields(project), packages=True)).libraries
        ready = {one.name for one in known if not one.queued}
        for one in answer.packages:
            if one.library in ready:
                one.state = "ready"
        if not any(one.state == "queued" for one in answer.packages):
            answer.status = "done"
