"""A test runner's processes: a group of their own, a limit, and an end in every case."""

from __future__ import annotations

import asyncio
import contextlib
import re
import subprocess
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from surveyor import paths
from surveyor.platform.processes import apart, end_group, terminate_group
from surveyor.servers.process import TERM_GRACE_S, guard
from surveyor.test_runner.leftovers import MARK, end_marked

__all__ = ["MAX_OUTPUT_BYTES", "Ended", "ends_well", "run_command", "without_colours"]

_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
LOOK_S = 0.3
"""How often it is looked what a runner prints."""
TELL_S = 3.0
"""How often it is told that a runner is at work that prints nothing: some do so at the end only."""
MAX_OUTPUT_BYTES = 64 << 20
"""A runner that prints more is ended."""
KEPT_BYTES = 8 << 20
"""How much of what it printed is read: the end of it."""

Tell = Callable[[str], Awaitable[None]]
"""Hears the last line that a runner has printed."""

How = Literal["ended", "timeout", "flood", "absent"]


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command came to its end: by itself with `code`, or made to."""

    how: How
    code: int
    text: str


async def run_command(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    output: Path,
    timeout_s: float,
    tell: Tell,
) -> Ended:
    """Run a command to its end; what it prints goes into the file `output`.

    Whatever ends this, a cancellation too, ends the command with all processes of its group, and
    those that have left it: they are known by the folder of `output` in their environment.
    """
    with output.open("wb") as out:
        try:
            process = await asyncio.create_subprocess_exec(
                *argv,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=out,
                stderr=asyncio.subprocess.STDOUT,
                cwd=cwd,
                env={**env, MARK: str(output.parent)},
                **apart(),
                umask=paths.user_umask,
            )
        except OSError as error:
            return Ended("absent", 127, f"{argv[0]} cannot be started: {error.strerror}")
    guard.add(process.pid)
    try:
        how = await _watch(process, output, time.monotonic() + timeout_s, tell)
    finally:
        # Shielded: the one who cancels may do so again while the group is being ended.
        await asyncio.shield(asyncio.ensure_future(_end(process, output.parent)))
    code = process.returncode if process.returncode is not None else 1
    return Ended(how, code, await asyncio.to_thread(_tail, output))


async def _watch(
    process: asyncio.subprocess.Process, output: Path, until: float, tell: Tell
) -> How:
    said, told, began = "", 0.0, time.monotonic()
    while True:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), LOOK_S)
            return "ended"
        now = time.monotonic()
        if now > until:
            return "timeout"
        if output.stat().st_size > MAX_OUTPUT_BYTES:
            return "flood"
        line = await asyncio.to_thread(_last_line, output)
        if line != said or now - told > TELL_S:
            said, told = line, now
            await tell(f"{line} ({now - began:.0f} s)".lstrip())


async def _end(process: asyncio.subprocess.Process, run: Path) -> None:
    """End what is left of a run: also the children of a runner that has ended."""
    if process.returncode is None:
        terminate_group(process.pid)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), TERM_GRACE_S)
    end_group(process.pid)
    await process.wait()
    await asyncio.to_thread(end_marked, run)
    guard.remove(process.pid)


def _tail(file: Path) -> str:
    with file.open("rb") as opened:
        opened.seek(max(0, file.stat().st_size - KEPT_BYTES))
        return opened.read().decode("utf-8", "replace")


def without_colours(text: str) -> str:
    """What a runner printed, without its commands to a terminal."""
    return _COLOURS.sub("", text)


def _last_line(file: Path) -> str:
    with file.open("rb") as opened:
        opened.seek(max(0, file.stat().st_size - 1000))
        lines = re.split("[\r\n]", without_colours(opened.read().decode("utf-8", "replace")))
    return next((line.strip() for line in reversed(lines) if line.strip()), "")[:200]


def ends_well(
    argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], timeout_s: float
) -> str | None:
    """What a short command prints; None where it fails or takes too long."""
    try:
        process = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=cwd,
            env=dict(env),
            **apart(),
        )
    except OSError:
        return None
    try:
        said, _ = process.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        end_group(process.pid)
        process.communicate()
        return None
    return said.decode("utf-8", "replace") if process.returncode == 0 else None
