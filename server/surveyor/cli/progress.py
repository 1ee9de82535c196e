"""Following an index run: a live bar in a terminal, plain lines elsewhere."""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from surveyor.cli import output
from surveyor.client.blocking import Client
from surveyor.errors import SurveyorError
from surveyor.protocol.projects import IndexProgress, IndexProgressRequest, IndexReport
from surveyor.terminal_text import written_out
from surveyor.units import counted, format_wait

POLL_MS = 1000
STANDSTILL_S = 10.0
"""How long a run may be kept from going on (a full disk, a pause, a store that is away) before
whoever waits for it is told to go."""
PLAIN_INTERVAL_S = 2.0
"""Between lines where no bar can be drawn."""
CHANGING_INTERVAL_S = 5.0
"""Between lines where one that changes cannot be drawn, after the first."""
LINE_CHARS = 160


class StandstillError(SurveyorError):
    """An index run does not go on for the time being."""

    code = "standstill"
    exit_code = 5


class TimeUpError(SurveyorError):
    """An index run took longer than its caller wanted to wait for it; it goes on."""

    code = "time_up"
    exit_code = 124  # as timeout(1) has it

    def __init__(self, reached: IndexProgress, limit_s: float) -> None:
        scanning = "the folder is still being looked through"
        files = (
            f"{reached.files_done} of {counted(reached.files_total, 'file can', 'files can')}"
            " be searched"
        )
        super().__init__(
            f"stopped waiting after {limit_s:g} s: {files if reached.files_total else scanning}",
            "Indexing goes on in the background: `surveyor status` says how far it is.",
        )


@contextmanager
def changing_line(first: str) -> Iterator[Callable[[str], None]]:
    """What shows how far something is, on stderr.

    A line that changes where a person sees stderr. Elsewhere lines of their own, the first one
    after two seconds, for what takes no longer needs none.
    """
    if sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
        from rich.console import Console
        from rich.text import Text

        with Console(stderr=True, highlight=False).status(Text(first)) as shown:
            yield lambda said: shown.update(Text(written_out(said)[:LINE_CHARS]))
        return
    next_at = time.monotonic() + PLAIN_INTERVAL_S

    def told(said: str) -> None:
        nonlocal next_at
        if (now := time.monotonic()) >= next_at:
            next_at = now + CHANGING_INTERVAL_S
            output.note(said[:LINE_CHARS])

    yield told


def follow(
    client: Client, root: str, *, quiet: bool = False, limit_s: float = math.inf
) -> IndexReport:
    """Show a run until it ends; Ctrl-C stops the waiting, not the run.

    Raises:
        TimeUpError: `limit_s` seconds have passed. The run goes on.
        StandstillError: Something keeps the run from going on.
    """
    drawing = _silently if quiet else _bar if output.is_terminal() else _lines
    *_, last = drawing(_changes(client, root, limit_s))
    if last.report is None:
        raise TimeUpError(last, limit_s)
    return last.report


def _changes(client: Client, root: str, limit_s: float) -> Iterator[IndexProgress]:
    began = time.monotonic()
    seen = -1
    said = None
    is_warned = False
    moved: tuple[object, ...] = ()
    since = time.monotonic()
    while True:
        now = client.call(IndexProgressRequest(root=root, seen=seen, wait_ms=POLL_MS))
        seen = now.changes
        if now.notice and now.notice != said:
            output.note(now.notice)
        said = now.notice
        if now.foreseen and not is_warned:  # its figures change with every file
            is_warned = True
            output.note(now.foreseen)
        yield now
        if now.phase == "done" or time.monotonic() - began > limit_s:
            return
        if not now.notice or moved != (now.notice, now.files_done):
            moved, since = (now.notice, now.files_done), time.monotonic()
        elif time.monotonic() - since > STANDSTILL_S:
            raise StandstillError(now.notice, "It goes on by itself then; see `surveyor status`.")


def _silently(changes: Iterator[IndexProgress]) -> Iterator[IndexProgress]:
    yield from changes


def _lines(changes: Iterator[IndexProgress]) -> Iterator[IndexProgress]:
    shown = 0.0
    said: tuple[object, ...] = ()
    for now in changes:
        moved = (now.phase, now.files_done, now.files_total, now.chunks_done)
        due = time.monotonic() - shown >= PLAIN_INTERVAL_S
        if now.phase == "done" or (due and moved != said):
            shown, said = time.monotonic(), moved
            output.note(_line(now))
        yield now


def _line(now: IndexProgress) -> str:
    if not now.files_total and now.phase != "done":
        return f"{now.phase} …"
    left = "" if now.left_s is None else f", {format_wait(now.left_s)} left"
    return (
        f"{now.phase}: {now.files_done:,} of {counted(now.files_total, 'file')},"
        f" {counted(now.chunks_done, 'chunk')}, {now.elapsed_s:.1f} s{left}"
    )


def _bar(changes: Iterator[IndexProgress]) -> Iterator[IndexProgress]:
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
    from rich.progress import Progress as Bar

    with Bar(
        TextColumn("{task.description:<9}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("files  {task.fields[chunks]} chunks  {task.fields[rate]:.0f} files/s"),
        TextColumn("{task.fields[left]}"),
        console=output.console(),
        transient=True,
    ) as bar:
        task = bar.add_task("scanning", total=None, chunks=0, rate=0.0, left="")
        for now in changes:
            bar.update(
                task,
                description=now.phase,
                total=now.files_total or None,
                completed=now.files_done,
                chunks=now.chunks_done,
                left="" if now.left_s is None else f"{format_wait(now.left_s)} left",
                rate=now.files_done / now.elapsed_s if now.elapsed_s else 0.0,
            )
            yield now
