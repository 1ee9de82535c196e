"""`surveyor library fetch`, and the part of `refresh` that goes to the web."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from surveyor.cli import output
from surveyor.units import counted, format_size, parse_duration, parse_size

if TYPE_CHECKING:
    from surveyor.protocol.web import FetchProgress, LibraryFetchRequest

Number = TypeVar("Number", int, float)

__all__ = ["fetch", "refresh_from_web"]

POLL_MS = 500
SAID_EVERY_S = 2.0
"""Between lines on how far it is."""


def fetch(
    urls: Annotated[
        list[str], typer.Argument(help="Pages; with --crawl where to begin.", show_default=False)
    ],
    name: Annotated[
        str | None, typer.Option("--name", help="The library; else called after the host.")
    ] = None,
    crawl: Annotated[
        bool, typer.Option("--crawl", help="Follow links to what lies below.")
    ] = False,
    below: Annotated[
        str | None,
        typer.Option("--below", help="What all pages begin with; else the first one's folder."),
    ] = None,
    pages: Annotated[int | None, typer.Option("--pages", min=1, help="Most pages.")] = None,
    depth: Annotated[
        int | None, typer.Option("--depth", min=0, max=1000, help="Most links away.")
    ] = None,
    size: Annotated[str | None, typer.Option("--size", help="Most bytes, such as 50MB.")] = None,
    time_: Annotated[str | None, typer.Option("--time", help="Longest time, such as 10m.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Read pages of the web, or a site below a path, into a library.

    Only from hosts that you have allowed (`web.enabled`, `web.hosts`). Ctrl-C keeps what is read;
    the same command goes on there. Exit codes: 0 all was read, 1 not all, 2 a bad argument or a
    host that is not allowed.
    """
    from surveyor.protocol.web import LibraryFetchRequest

    with output.friendly_errors():
        request = LibraryFetchRequest(
            urls=urls,
            name=name,
            crawl=crawl or below is not None,
            below=below,
            pages=pages,
            depth=depth,
            max_bytes=None if size is None else _parsed(parse_size, size),
            max_time=None if time_ is None else _parsed(parse_duration, time_),
        )
        last = follow(request, quiet=json)
    if json:
        output.print_json(last)
    else:
        say_ended(last)
    if not is_whole(last) or not (last.states.get("stored") or last.states.get("same")):
        raise typer.Exit(1)


def _parsed(parse: Callable[[str], Number], text: str) -> Number:
    from surveyor.errors import UsageError

    try:
        return parse(text)
    except ValueError as error:
        raise UsageError(str(error)) from None


def follow(request: LibraryFetchRequest, *, quiet: bool) -> FetchProgress:
    """Begin to read, and say how far it is until it has ended; Ctrl-C ends it."""
    from surveyor.client.blocking import call
    from surveyor.protocol.web import LibraryFetchStopRequest

    now = call(request)
    try:
        return _followed(now, quiet=quiet)
    except KeyboardInterrupt:
        output.note("Stopping after this page …")
        return call(LibraryFetchStopRequest(name=now.library))


def _followed(now: FetchProgress, *, quiet: bool) -> FetchProgress:
    from surveyor.client.blocking import call
    from surveyor.protocol.web import LibraryFetchProgressRequest

    said_at = time.monotonic()
    while not now.reason:
        now = call(LibraryFetchProgressRequest(name=now.library, wait_ms=POLL_MS))
        if not quiet and not now.reason and time.monotonic() - said_at >= SAID_EVERY_S:
            said_at = time.monotonic()
            output.note(f"{now.pages} asked for, {now.waiting} waiting: {now.current}")
    return now


def is_whole(last: FetchProgress) -> bool:
    """Whether a reading came to its end and no page of it failed."""
    return last.reason == "done" and not last.states.get("failed")


def say_ended(last: FetchProgress) -> None:
    """What was read, what was not, and how to go on."""
    kept = [f"{last.stored} new or changed", f"{last.unchanged} as before"]
    names = {
        "same": "the same as another",
        "left_out": "left out",
        "moved": "moved",
        "gone": "not there",
        "failed": "failed",
        "removed": "removed by you",
    }
    kept += [f"{last.states[key]} {said}" for key, said in names.items() if last.states.get(key)]
    output.say(f"{last.library}: {', '.join(kept)}; {format_size(last.bytes)}")
    for problem in last.problems:
        output.note(f"  not read: {problem}")
    ended = {
        "done": "",
        "pages": "its number of pages is reached (--pages, `web.pages`)",
        "bytes": "its size is reached (--size, `web.max_size`)",
        "time": "its time is over (--time, `web.max_time`)",
        "stopped": "it was stopped",
        "asked_to_wait": "the server asks for patience",
        "no_answer": "nobody answers",
        "failed": "it failed",
    }[last.reason or "stopped"]
    if not ended and last.said:
        output.note(f"Not followed below its path: {last.said}.")
    if ended:
        more = f": {last.said}" if last.said else ""
        output.note(f"Not at its end, for {ended}{more}.")
        output.note(
            f"{counted(last.waiting, 'page waits', 'pages wait')}. `surveyor library"
            f" refresh {last.library}` goes on."
        )


def refresh_from_web(names: list[str], *, quiet: bool) -> list[FetchProgress]:
    """Ask for the pages of libraries again, those only that have changed."""
    from surveyor.protocol.web import LibraryFetchRequest

    ended = []
    for name in names:
        last = follow(LibraryFetchRequest(name=name), quiet=quiet)
        ended.append(last)
        if not quiet:
            say_ended(last)
        if last.reason == "stopped":
            break
    return ended
