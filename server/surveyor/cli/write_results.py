"""What commands that write say: queued or done, and never lost when the engine goes away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from surveyor.cli import output
from surveyor.cli.project_option import MOST_WAIT_S
from surveyor.errors import EngineUnavailableError

if TYPE_CHECKING:
    from surveyor.protocol.knowledge import Written

WaitOption = Annotated[
    float,
    typer.Option("--wait", min=0, max=MOST_WAIT_S, help="Seconds to wait until it is carried out."),
]


def carried_out(written: Written, wait_s: float, ids: Sequence[str] = ()) -> Written:
    """Wait for a write that is in the queue already; it stays there if the engine goes away."""
    from surveyor.client.blocking import call
    from surveyor.protocol.knowledge import WriteWaitRequest

    waited = [*ids] or ([written.queue_id] if written.queue_id else [])
    if written.status == "done" or not waited or not wait_s:
        return written
    try:
        answer = call(WriteWaitRequest(queue_ids=waited, wait_ms=int(wait_s * 1000)), start=False)
    except EngineUnavailableError:
        return written
    written.status = answer.status
    return written


def say_written(written: Written, json: bool) -> None:
    """Print what became of a write."""
    if json:
        output.print_json(written)
        return
    for warning in written.warnings:
        output.note(f"warning: {warning}")
    where = f" as {written.queue_id}" if written.status == "queued" and written.queue_id else ""
    output.say(f"{written.status}{where}: {written.message}".rstrip(": "))
