"""The one place where git is started.

Git works in a folder made for the call (`view`), with an environment made for it, in a process
group of its own. It is killed with all its children at its deadline, when it stands still, when
what it answers grows beyond bounds, and when nobody wants the answer any more.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import IO

from surveyor.git import leftovers, watchdog
from surveyor.git.errors import GitError
from surveyor.git.locate import Repository, find
from surveyor.git.view import view
from surveyor.git.watchdog import WatchedChild
from surveyor.platform.processes import apart

__all__ = ["ask", "ask_async", "entries", "lines", "names", "stop_all"]

stop_all = watchdog.stop_all

SHORT_S = 20.0
"""Longest that one question to git may take, where the caller says nothing else."""
LONG_S = 120.0
"""For what grows with the repository: its files, its commits."""
MAX_ANSWER_BYTES = 64 << 20
MAX_ENTRY_BYTES = 16 << 20
"""Longest part between two NUL bytes: a commit's message, a name."""
MAX_LINE_BYTES = 1 << 20
"""Longer lines (of minified code in a diff, say) are cut."""
MAX_SAID_BYTES = 64 << 10
"""Of what git complains about, the rest is read and dropped."""
STUCK_S = 60.0
"""For how long a repository in which git stood still is not asked about again."""
_READ_BYTES = 1 << 16

_INHERITED = (
    "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH", "TMPDIR", "TMP", "TEMP",
    "SYSTEMROOT", "SystemRoot", "WINDIR", "PATHEXT", "PROGRAMDATA",
)  # fmt: skip
_FIXED = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_LITERAL_PATHSPECS": "1",  # a path that is asked about is a path, whatever is in its name
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",  # since 2.44; before, there is no remote that could be asked
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_PROTOCOL_FROM_USER": "0",
    "LC_ALL": "C",
}
_SETTINGS = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.quotePath": "false",
    "diff.ignoreSubmodules": "all",  # looking into one starts git in there, with its settings
    "diff.mnemonicPrefix": "false",
    "diff.noprefix": "false",
    "gc.auto": "0",
    "i18n.logOutputEncoding": "UTF-8",
    "log.mailmap": "false",
    "log.showSignature": "false",
    "maintenance.auto": "false",
    "protocol.allow": "never",
    "submodule.recurse": "false",
}
"""What also holds if a git should find a configuration that this module knows nothing of."""

_stuck: dict[Path, float] = {}


@cache
def git_program() -> str | None:
    """Where git is; None when it is not installed. Never a file of the current folder."""
    return shutil.which("git", path=_search_path())


def _search_path() -> str:
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(folder for folder in folders if Path(folder).is_absolute())


def environment(made: dict[str, str]) -> dict[str, str]:
    """The whole environment of git: what it needs of this process's, and what `view` made."""
    kept = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    return {**kept, "PATH": _search_path(), **_FIXED, **made}


@dataclass(slots=True)
class GitCancellation:
    """Ends a question from another thread."""

    _child: WatchedChild | None = None
    _is_cancelled: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def follow(self, child: WatchedChild) -> None:
        """Have this child killed, now if it was cancelled before."""
        with self._lock:
            self._child = child
            if self._is_cancelled:
                child.kill("it was cancelled")

    def now(self) -> None:
        """Nobody wants the answer any more."""
        with self._lock:
            self._is_cancelled = True
            if self._child is not None:
                self._child.kill("it was cancelled")


def ask(
    root: Path,
    *arguments: str,
    timeout: float = SHORT_S,
    given: bytes = b"",
    max_bytes: int = MAX_ANSWER_BYTES,
    cancel: GitCancellation | None = None,
) -> bytes:
    """All that a git command prints in `root`; `given` is what it reads.

    Raises `GitError` when git is missing, takes longer than `timeout` seconds, answers more than
    `max_bytes`, or fails; its `output` is what was printed before.
    """
    parts: list[bytes] = []
    size = 0
    try:
        for block in _blocks(root, arguments, timeout, given, cancel=cancel):
            parts.append(block)
            size += len(block)
            if size > max_bytes:
                raise GitError(
                    f"git {arguments[0]} answered more than {max_bytes:,} bytes in {root}",
                    "ask for a smaller range or fewer commits",
                )
    except GitError as error:
        error.output = b"".join(parts)
        raise
    return b"".join(parts)


async def ask_async(
    root: Path, *arguments: str, timeout: float = SHORT_S, given: bytes = b""
) -> bytes:
    """As `ask`, in a thread; git ends when the task is cancelled."""
    cancel = GitCancellation()
    asking = partial(ask, root, *arguments, timeout=timeout, given=given, cancel=cancel)
    try:
        return await asyncio.to_thread(asking)
    except asyncio.CancelledError:
        cancel.now()
        raise


def entries(
    root: Path,
    *arguments: str,
    timeout: float = LONG_S,
    given: bytes = b"",
    complaints: list[str] | None = None,
) -> Iterator[bytes]:
    """What a git command prints between NUL bytes, as it comes.

    What git warns of is added to `complaints` at the end, line by line. Raises `GitError` when git
    is not there or fails, possibly after some entries.
    """
    rest = b""
    for block in _blocks(root, arguments, timeout, given, complaints):
        *whole, rest = (rest + block).split(b"\0")
        yield from whole
        if len(rest) > MAX_ENTRY_BYTES:
            raise GitError(f"git {arguments[0]} answers without end in {root}")
    if rest:
        yield rest


def names(root: Path, *arguments: str, complaints: list[str] | None = None) -> Iterator[str]:
    """As `entries`, for names of files: decoded as the file system's (surrogateescape)."""
    for entry in entries(root, *arguments, complaints=complaints):
        yield os.fsdecode(entry)


def lines(
    root: Path, *arguments: str, timeout: float = LONG_S, given: bytes = b""
) -> Generator[bytes]:
    """The lines that a git command prints, as they come, cut at `MAX_LINE_BYTES`.

    Raises `GitError` when git is not there or fails, possibly after some lines.
    """
    rest = b""
    for block in _blocks(root, arguments, timeout, given):
        *whole, last = block.split(b"\n")
        for line in whole:
            yield (rest + line)[:MAX_LINE_BYTES]
            rest = b""
        if len(rest) < MAX_LINE_BYTES:
            rest += last
    if rest:
        yield rest


def _blocks(
    root: Path,
    arguments: tuple[str, ...],
    timeout: float,
    given: bytes = b"",
    complaints: list[str] | None = None,
    cancel: GitCancellation | None = None,
) -> Iterator[bytes]:
    repository = _repository(root)
    leftovers.clear()
    with view(repository) as made, _input(given) as stdin:
        mark = ("GIT_DIR", made["GIT_DIR"])

        def start() -> WatchedChild:
            return WatchedChild(_start(root, arguments, environment(made), stdin), timeout, mark)

        with watchdog.watched(start) as child:
            process = child.process
            said = _ErrorOutput(process.stderr)
            if cancel is not None:
                cancel.follow(child)
            assert process.stdout is not None
            try:
                while block := child.read(process.stdout, _READ_BYTES):
                    yield block
            finally:
                code = child.end()
                said.wait()
        if complaints is not None:
            complaints += said.text.splitlines()
        if child.killed_because:
            if child.stood_still:
                _stuck[repository.git_dir] = time.monotonic() + STUCK_S
            raise GitError(
                f"git {arguments[0]} was ended in {root}: {child.killed_because}",
                "ask for a smaller range or fewer commits" if child.is_late else "",
            )
        if code != 0:
            raise GitError(f"git {arguments[0]} failed in {root}: {said.text.strip() or code}")


def _repository(root: Path) -> Repository:
    repository = find(root)
    if repository is None:
        raise GitError(
            f"{root} is in no git repository, so it has no history",
            "Name another project with --project.",
        )
    if time.monotonic() < _stuck.get(repository.git_dir, 0.0):
        raise GitError(
            f"git stood still in {root} a moment ago",
            "A FIFO among its files, or a file system that does not answer, can be why.",
        )
    return repository


def _start(
    root: Path, arguments: tuple[str, ...], environ: dict[str, str], stdin: IO[bytes] | int
) -> subprocess.Popen[bytes]:
    program = git_program()
    if program is None:
        raise GitError("git is not installed", "install git")
    settings = [part for key, value in _SETTINGS.items() for part in ("-c", f"{key}={value}")]
    try:
        return subprocess.Popen(
            [program, "--no-pager", *settings, *arguments],
            cwd=root,
            env=environ,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **apart(),
        )
    except (OSError, ValueError) as error:
        raise GitError(f"git could not be started: {error}", "install git") from error


@contextmanager
def _input(given: bytes) -> Iterator[IO[bytes] | int]:
    """A file, not a pipe: nobody has to write while the answer is read."""
    if not given:
        yield subprocess.DEVNULL
        return
    with tempfile.TemporaryFile() as file:
        file.write(given)
        file.seek(0)
        yield file


class _ErrorOutput:
    """Reads what git complains about beside its answer, and keeps the beginning."""

    def __init__(self, stream: IO[bytes] | None) -> None:
        assert stream is not None
        self._kept = b""
        self._thread = threading.Thread(target=self._read, args=(stream,), daemon=True)
        self._thread.start()

    def _read(self, stream: IO[bytes]) -> None:
        with stream, contextlib.suppress(OSError, ValueError):
            while block := os.read(stream.fileno(), _READ_BYTES):
                self._kept += block[: max(0, MAX_SAID_BYTES - len(self._kept))]

    def wait(self) -> None:
        """Until git has ended and said all."""
        self._thread.join(1.0)

    @property
    def text(self) -> str:
        """What was said."""
        return os.fsdecode(self._kept)
