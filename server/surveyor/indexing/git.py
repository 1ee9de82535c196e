"""Asking git which files there are, without running anything that a repository could configure."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

GIT_TIMEOUT_S = 120.0

_SAFE = (
    "-c",
    "core.fsmonitor=false",  # would start a program that the repository names
    "-c",
    "safe.directory=*",  # reading a list of names is safe whoever owns the folder
    "-c",
    "core.quotePath=false",
)
_READ_BYTES = 1 << 16


@cache
def git_program() -> str | None:
    """Where git is; None when it is not installed."""
    return shutil.which("git")


def environment() -> dict[str, str]:
    """The environment for git: without the variables that point it to another repository."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    for name in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"):
        if name in os.environ:
            kept[name] = os.environ[name]
    return {**kept, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"}


class GitError(Exception):
    """Git could not answer; the caller reads the folder itself."""


def list_names(root: Path, *arguments: str, complaints: list[str] | None = None) -> Iterator[str]:
    """Run a git command that prints names ended by NUL, and yield them as they come.

    What git warns of is added to `complaints` at the end, line by line. Names are decoded as the
    file system's (surrogateescape). Raises `GitError` when git is not there or fails, possibly
    after some names.
    """
    program = git_program()
    if program is None:
        raise GitError("git is not installed")
    # A file, not a pipe: nobody reads it before the end.
    said = tempfile.TemporaryFile() if complaints is not None else None  # noqa: SIM115
    try:
        process = subprocess.Popen(
            [program, *_SAFE, "-C", str(root), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=said or subprocess.DEVNULL,
            env=environment(),
        )
    except OSError as error:
        if said is not None:
            said.close()
        raise GitError(str(error)) from error
    assert process.stdout is not None
    try:
        rest = b""
        while block := process.stdout.read1(_READ_BYTES):  # type: ignore[attr-defined]
            *names, rest = (rest + block).split(b"\0")
            for name in names:
                yield os.fsdecode(name)
        if process.wait(GIT_TIMEOUT_S) != 0:
            raise GitError(f"git {arguments[0]} failed with {process.returncode}")
    finally:
        if process.poll() is None:
            process.kill()
        process.stdout.close()
        process.wait()
        if said is not None and complaints is not None:
            with said:
                said.seek(0)
                complaints += os.fsdecode(said.read()).splitlines()
