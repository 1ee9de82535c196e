"""Following an index run: a live bar in a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Iterator

from surveyor.cli import output
from surveyor.client.blocking import Client
from surveyor.errors import SurveyorError
from surveyor.protocol.projects import IndexProgress, IndexProgressRequest, IndexReport

POLL_MS = 1000
STANDSTILL_S = 10.0
"""How long a run may be kept from going on (a full disk, a pause, a store that is away) before
whoever waits for it is told to go."""
PLAIN_INTERVAL_S = 2.0
"""Between lines where no bar can be drawn."""


class StandstillError(SurveyorError):
    """An index run does not go on for the time being."""

    code = "standstill"
    exit_code = 5


def follow(client: Client, root: str, *, quiet: bool = False) -> IndexReport:
    """Show a run until it ends; Ctrl-C stops the waiting, not the run."""
    drawing = _silently if quiet else _bar if output.is_terminal() else _lines
    *_, last = drawing(_changes(client, root))
    assert last.report is not None
    return last.report


def _changes(client: Client, root: str) -> Iterator[IndexProgress]:
    seen = -1
    said = None
    moved: tuple[object, ...] = ()
    since = time.monotonic()
    while True:
        now = client.call(IndexProgressRequest(root=root, seen=seen, wait_ms=POLL_MS))
        seen = now.changes
        if now.notice and now.notice != said:
            output.note(now.notice)
        said = now.notice
        yield now
        if now.phase == "done":
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
            output.note(
                f"{now.phase}: {now.files_done} of {now.files_total} files,"
                f" {now.chunks_done} chunks, {now.elapsed_s:.1f} s"
            )
        yield now


def _bar(changes: Iterator[IndexProgress]) -> Iterator[IndexProgress]:
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    with Bar(
        TextColumn("{task.description:<9}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("files  {task.fields[chunks]} chunks  {task.fields[rate]:.0f} files/s"),
        TimeRemainingColumn(),
        console=output.console(),
        transient=True,
    ) as bar:
        task = bar.add_task("scanning", total=None, chunks=0, rate=0.0)
        for now in changes:
            bar.update(
                task,
                description=now.phase,
                total=now.files_total or None,
                completed=now.files_done,
                chunks=now.chunks_done,
                rate=now.files_done / now.elapsed_s if now.elapsed_s else 0.0,
            )
            yield now
