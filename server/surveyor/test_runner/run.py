"""Runs what was planned, one command after the other, within one limit of time."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from surveyor.protocol.enumerations import RunState
from surveyor.test_runner.leftovers import scratch_folder
from surveyor.test_runner.process import MAX_OUTPUT_BYTES, Ended, run_command, without_colours
from surveyor.test_runner.types import (
    CommandOutput,
    RunnerCommand,
    RunnerReport,
    RunTarget,
    Unrunnable,
)
from surveyor.test_runner.workspace import Workspace

__all__ = ["CommandRun", "RunProgress", "TestsRun", "progress_line", "run_tests"]

_NOTHING_RAN = (0, 5)
"""pytest and unittest end with 5 where there was no test."""
NONE_RAN = "no test of this name ran: there is none, or it is skipped"
_FETCHING = {
    "maven": "mvn test",
    "gradle": "gradle test",
    "cargo": "cargo test",
    "nextest": "cargo test",
    "go": "go mod download",
    "dotnet": "dotnet restore",
    "mix": "mix deps.get",
}
"""What fetches what a runner needs."""
_NOT_FETCHED = re.compile(
    r"offline mode|--offline was specified|without the offline flag|disabled by GOPROXY=off"
    r"|NETSDK1004|Unchecked dependencies"
)
NOT_FETCHED = "Something that it needs is not on this machine, and nothing is fetched here"
_GO_EVENT = re.compile(
    r'\{"(?:Time|Action)":.*?"Package":"(?P<package>[^"]*)"(?:,"Test":"(?P<test>[^"]*)")?'
)
"""The beginning of one, which may be cut."""
TAIL_LINES = 30
"""Of a runner's output, where it was not understood or had nothing else to say."""
TAIL_LINE_CHARS = 400
"""Of each: what floods may do so in one line."""


@dataclass(frozen=True, slots=True)
class RunProgress:
    """How far a run is."""

    done: int
    total: int
    runner: str
    line: str
    """The last that the runner printed."""


@dataclass(frozen=True, slots=True)
class CommandRun:
    """What became of one command."""

    command: RunnerCommand
    state: RunState
    report: RunnerReport
    tail: str
    took_ms: float


@dataclass(frozen=True, slots=True)
class TestsRun:
    """What became of all."""

    __test__ = False  # it is no test class to whoever collects some

    runs: Sequence[CommandRun]
    unrunnable: Sequence[Unrunnable]


async def run_tests(
    root: Path,
    targets: Sequence[RunTarget],
    env: Mapping[str, str],
    timeout_s: float,
    tell: Callable[[RunProgress], Awaitable[None]],
) -> TestsRun:
    """Run tests of a project with the environment of whoever asked.

    Cancelling it ends what runs, with all of its children.
    """
    # Not with the engine's start: no answer but this one needs the runners.
    from surveyor.test_runner.runners.table import plan_runs

    with scratch_folder() as scratch:
        workspace = Workspace(root, env, scratch)
        plan = await asyncio.to_thread(plan_runs, workspace, targets)
        until = time.monotonic() + timeout_s
        runs: list[CommandRun] = []
        unrunnable = list(plan.unrunnable)
        for number, command in enumerate(plan.commands):
            left = until - time.monotonic()
            if left <= 0:
                unrunnable += [Unrunnable(each, "the time was over") for each in command.targets]
                continue

            async def say(line: str, number: int = number, of: str = command.runner) -> None:
                await tell(RunProgress(number, len(plan.commands), of, progress_line(line)))

            await say("")
            runs.append(await _run(workspace, command, left, say))
            if runs[-1].state == "empty":
                unrunnable += [Unrunnable(each, NONE_RAN) for each in command.targets if each.name]
        return TestsRun(runs, unrunnable)


def progress_line(line: str) -> str:
    """What a runner printed last; of an event of `go test -json` what it is about."""
    event, apart, rest = line.rpartition(" (")
    about = _GO_EVENT.match(event)
    if about is None:
        return line
    package = about["package"].rpartition("/")[2]
    return f"{package} {about['test'] or ''}".strip() + apart + rest


async def _run(
    workspace: Workspace,
    command: RunnerCommand,
    timeout_s: float,
    tell: Callable[[str], Awaitable[None]],
) -> CommandRun:
    started, since = time.time(), time.monotonic()
    env = {**workspace.env, **command.env}
    ended = Ended("ended", 0, "")
    for argv in (*command.before, command.argv):
        ended = await run_command(
            argv,
            cwd=command.cwd,
            env=env,
            output=workspace.report_path(".log"),
            timeout_s=timeout_s - (time.monotonic() - since),
            tell=tell,
        )
        if ended.how != "ended" or ended.code:
            break
    output = CommandOutput(
        ended.code, ended.text, workspace.root, command.cwd, command.report, started
    )
    report = await asyncio.to_thread(command.read, output)
    state = _state(ended, report, skips_others=command.skips_others)
    tail = _tail(ended) if state in ("broken", "timeout") or not report.is_read else ""
    fetching = _FETCHING.get(command.runner)
    if tail and fetching is not None and _NOT_FETCHED.search(ended.text):
        tail = f"{NOT_FETCHED}: {fetching}, once, by hand.\n{tail}"
    return CommandRun(command, state, report, tail, 1000 * (time.monotonic() - since))


def _state(ended: Ended, report: RunnerReport, *, skips_others: bool) -> RunState:
    if ended.how == "timeout":
        return "timeout"
    if report.failures:
        return "failed"
    if ended.how != "ended":
        return "broken"
    left_out = skips_others or not report.skipped
    if report.is_read and not report.passed and left_out and ended.code in _NOTHING_RAN:
        return "empty"
    return "broken" if ended.code else "passed"


def _tail(ended: Ended) -> str:
    plain = without_colours(ended.text)
    lines = [line.rstrip() for line in plain.splitlines() if line.strip()][-TAIL_LINES:]
    if ended.how == "flood":
        lines.append(f"(it was ended: it printed more than {MAX_OUTPUT_BYTES >> 20} MB)")
    return "\n".join(
        line if len(line) <= TAIL_LINE_CHARS else f"{line[:TAIL_LINE_CHARS]}…" for line in lines
    )
