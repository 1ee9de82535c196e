"""`surveyor check --hook`: what a change leaves behind that an agent's session was not told yet.

It is run after each edit, and whoever waits for it does not work: the framework of the command line
takes half of its processor time, and is not loaded where nothing else is asked.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from surveyor.cli.agent_hooks import note_written, read_event, session_of, within_time
from surveyor.errors import SurveyorError
from surveyor.protocol.check import CheckFinding, CheckRequest, CheckResponse
from surveyor.terminal_text import written_out

if TYPE_CHECKING:
    from surveyor.client.blocking import Client

__all__ = ["LIMIT", "ask_in_time", "run", "said_of"]

LIMIT = 100
"""Most places that are said."""
FRESH_MS = 800
SHOWN_TESTS = 10


def run() -> int:
    """Ask a running engine, say what is wrong, and return the exit code."""
    answer = ask_in_time(
        CheckRequest(diff="working", diagnostics=False, cwd=str(Path.cwd()), limit=LIMIT)
    )
    if answer is None or not answer.results:
        return 0
    lines, notes = said_of(answer)
    sys.stdout.write("".join(f"{written_out(line)}\n" for line in lines))
    sys.stdout.flush()
    sys.stderr.write(
        "".join(f"{written_out(line)}\n" for note in notes for line in note.split("\n"))
    )
    return 1


def ask_in_time(request: CheckRequest) -> CheckResponse | None:
    """The answer, where a running engine has it in the time that a hook has.

    What the hook says that its agent has written is told to the engine first.
    """
    event = read_event()
    request.told_to = session_of(event)
    request.wait_until_fresh_ms = FRESH_MS

    def ask(client: Client) -> CheckResponse:
        note_written(client, event)
        return client.call(request)

    try:
        return within_time(ask)
    except (SurveyorError, TimeoutError):
        return None


def said_of(answer: CheckResponse) -> tuple[list[str], list[str]]:
    """What is wrong, a line a place, and beside it what there is to do."""
    notes = []
    if answer.status != "healthy":
        notes.append(f"[{answer.status}] {answer.message or answer.reason or ''}".rstrip())
    if answer.omitted:
        notes.append(f"{answer.omitted} more; --limit shows more.")
    notes += [f"rule {rule.label}: {rule.content}" for rule in answer.rules]
    if answer.tests:
        left = len(answer.tests) - SHOWN_TESTS
        more = f" and {left} more" if left > 0 else ""
        notes.append(f"tests: {' '.join(answer.tests[:SHOWN_TESTS])}{more}")
    if answer.unasked:
        notes.append(f"Diagnostics: {'; '.join(answer.unasked)}.")
    if answer.notice:
        notes.append(f"Not complete: {answer.notice}.")
    return [_line(finding) for finding in answer.results], notes


def _line(finding: CheckFinding) -> str:
    sure = "" if finding.certainty == "certain" else " [likely]"
    version = finding.unsaved_version
    unsaved = f" [unsaved, version {version}]" if version is not None else ""
    about = f" ({finding.about})" if finding.about else ""
    where = f"{finding.path}:{finding.line}:{finding.column + 1}"
    return f"{where} {finding.message}{about}{sure}{unsaved}"
