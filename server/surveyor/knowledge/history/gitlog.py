"""Reads commits out of a repository: one `git log` process, streamed, no diff content.

Owns the command line and its parsing. Nothing of the repository's configuration that starts a
program (external diffs, text conversion, signature checks, fsmonitor) is honoured.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from surveyor.errors import SurveyorError

GIT = (
    "git",
    "--no-pager",
    "-c", "core.fsmonitor=false",
    "-c", "log.showSignature=false",
    "-c", "i18n.logOutputEncoding=UTF-8",
    "-c", "core.quotePath=false",
    "-c", "diff.noprefix=false",
    "-c", "diff.mnemonicPrefix=false",
)  # fmt: skip
"""Every call: no pager, no hooks into other programs, UTF-8 messages, paths as they are."""

LOG_FORMAT = "%H%x00%P%x00%an%x00%ae%x00%at%x00%ct%x00%B"
LOG_FIELDS = 7

READ_SIZE_BYTES = 1 << 16
GIT_TIMEOUT_S = 20.0
"""Longest that one short question to git may take."""


class GitError(SurveyorError):
    """Git is not there, the folder is no repository, or git refused."""

    code = "git_failed"


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file that a commit touched. `status` is git's letter: A, M, D, R, C or T."""

    path: str
    status: str
    old_path: str = ""


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit. Times are seconds since 1970, UTC."""

    id: str
    parents: tuple[str, ...]
    author: str
    email: str
    authored: int
    committed: int
    message: str
    files: tuple[FileChange, ...] = ()

    @property
    def subject(self) -> str:
        """First line of the message."""
        return self.message.partition("\n")[0]

    @property
    def body(self) -> str:
        """The message after its first line."""
        return self.message.partition("\n")[2].strip()


def environment() -> dict[str, str]:
    """The caller's environment without what would change git's output or take its locks."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_EXTERNAL_DIFF")
    }
    return kept | {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C.UTF-8"}


def git(root: Path, *arguments: str, timeout: float = GIT_TIMEOUT_S) -> str:
    """Output of a git command in `root`.

    Raises `GitError` when git is missing, takes longer than `timeout` seconds, or fails.
    """
    try:
        done = subprocess.run(
            [*GIT, *arguments],
            cwd=root,
            env=environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise GitError(
            f"git {arguments[0]} took longer than {timeout:g} s in {root}",
            "ask for a smaller range or fewer commits",
        ) from error
    except OSError as error:
        raise GitError(f"git could not be started: {error}", "install git") from error
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").strip()
        if "not a git repository" in said:
            raise GitError(
                f"{root} is in no git repository, so it has no history",
                "Name another project with --project.",
            )
        raise GitError(f"git {arguments[0]} failed in {root}: {said or done.returncode}")
    return done.stdout.decode("utf-8", "replace")


def head(root: Path) -> str | None:
    """The commit that is checked out; None before the first one.

    Raises `GitError` when `root` is in no repository.
    """
    try:
        return git(root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}").strip() or None
    except GitError:
        git(root, "rev-parse", "--git-dir")
        return None


def knows(root: Path, commit: str) -> bool:
    """Whether the repository still has a commit."""
    try:
        git(root, "cat-file", "-e", f"{commit}^{{commit}}")
    except GitError:
        return False
    return True


def is_inside(root: Path) -> bool:
    """Whether `root` is a folder within a repository and not its top."""
    return bool(git(root, "rev-parse", "--show-prefix").strip())


def count(root: Path, *revisions: str) -> int:
    """Number of commits reachable from the revisions."""
    return int(git(root, "rev-list", "--count", *revisions, "--").strip() or 0)


def read_log(
    root: Path,
    revisions: Sequence[str] = ("HEAD",),
    *,
    limit: int | None = None,
    skip: int = 0,
    paths: Sequence[str] = (),
    relative: bool = False,
) -> Iterator[Commit]:
    """Commits, newest first, with the files that each touched but without diffs.

    With `relative`, paths are relative to `root`, and files outside it are left out.

    Exact renames are paired (`R`); finding inexact ones would read file contents. Merges name
    no files, as in git's own log. Raises `GitError` when git fails.
    """
    command = [
        *GIT, "log", "-z", f"--format={LOG_FORMAT}", "--raw", "--no-abbrev", "-M100%",
        "--no-ext-diff", "--no-textconv", "--no-color",
    ]  # fmt: skip
    if limit is not None:
        command.append(f"--max-count={limit}")
    if skip:
        command.append(f"--skip={skip}")
    if relative:
        command.append("--relative")
    command += [*revisions, "--", *paths]
    yield from _commits(_tokens(root, command))


def _tokens(root: Path, command: Sequence[str]) -> Iterator[bytes]:
    """The parts of git's output between NUL bytes."""
    try:
        process = subprocess.Popen(
            command,
            cwd=root,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    except OSError as error:
        raise GitError(f"git could not be started: {error}", "install git") from error
    assert process.stdout is not None
    assert process.stderr is not None
    rest = b""
    try:
        while block := process.stdout.read(READ_SIZE_BYTES):
            *whole, rest = (rest + block).split(b"\0")
            yield from whole
        if rest:
            yield rest
        said = process.stderr.read().decode("utf-8", "replace").strip()
        if process.wait() != 0:
            raise GitError(f"git log failed in {root}: {said}")
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        process.stdout.close()
        process.stderr.close()


def _commits(tokens: Iterator[bytes]) -> Iterator[Commit]:
    fields: list[str] = []
    files: list[FileChange] = []
    for token in tokens:
        entry = token.lstrip(b"\n")
        if len(fields) == LOG_FIELDS and entry.startswith(b":"):
            files.append(_file_change(entry, tokens))
            continue
        if len(fields) == LOG_FIELDS:
            yield commit_of(fields, files)
            fields, files = [], []
        fields.append(token.decode("utf-8", "replace"))
    if len(fields) == LOG_FIELDS:
        yield commit_of(fields, files)


def _file_change(entry: bytes, tokens: Iterator[bytes]) -> FileChange:
    """`:100644 100644 <old> <new> R100` is followed by one path, or by two for R and C."""
    status = chr(entry.rsplit(b" ", 1)[-1][0])
    path = next(tokens, b"").decode("utf-8", "replace")
    if status in "RC":
        return FileChange(next(tokens, b"").decode("utf-8", "replace"), status, path)
    return FileChange(path, status)


def commit_of(fields: Sequence[str], files: Sequence[FileChange]) -> Commit:
    """A commit from the fields of `LOG_FORMAT` and what it changed."""
    identity, parents, author, email, authored, committed, message = fields
    return Commit(
        id=identity.strip(),
        parents=tuple(parents.split()),
        author=author,
        email=email,
        authored=int(authored or 0),
        committed=int(committed or 0),
        message=message.strip(),
        files=tuple(files),
    )
