"""Reads commits out of a repository: one `git log` process, streamed, no diff content.

Owns the command line and its parsing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from surveyor.git import locate
from surveyor.git.errors import GitError
from surveyor.git.runner import SHORT_S, ask, entries
from surveyor.secrets import mask_text

LOG_FORMAT = "%H%x00%P%x00%an%x00%ae%x00%at%x00%ct%x00%B"
LOG_FIELDS = 7

COMMIT_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
"""SHA-1, or SHA-256 where the repository uses it."""

PARTIAL_CLONE = (
    "This is a partial clone: what was left on the server is not looked at, and nothing is fetched."
)

SHALLOW_CLONE = "This is a shallow clone: what was before its oldest commits is not known."


@dataclass(frozen=True, slots=True)
class CommitFileChange:
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
    files: tuple[CommitFileChange, ...] = ()

    @property
    def subject(self) -> str:
        """First line of the message."""
        return self.message.partition("\n")[0]

    @property
    def body(self) -> str:
        """The message after its first line."""
        return self.message.partition("\n")[2].strip()


def git(root: Path, *arguments: str, timeout: float = SHORT_S) -> str:
    """Output of a git command in `root`.

    Raises `GitError` when git is missing, takes longer than `timeout` seconds, or fails.
    """
    return ask(root, *arguments, timeout=timeout).decode("utf-8", "replace")


def is_partial(root: Path) -> bool:
    """Whether the repository has left objects on the server."""
    repository = locate.find(root)
    return repository is not None and repository.is_partial


def is_shallow(root: Path) -> bool:
    """Whether the repository ends with commits that others were before."""
    repository = locate.find(root)
    return repository is not None and repository.is_shallow


def head(root: Path) -> str | None:
    """The commit that is checked out; None before the first one.

    Raises `GitError` when `root` is in no repository.
    """
    try:
        return git(root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}").strip() or None
    except GitError:
        git(root, "rev-parse", "--git-dir")
        return None


def is_inside(root: Path) -> bool:
    """Whether `root` is a folder within a repository and not its top."""
    return bool(git(root, "rev-parse", "--show-prefix").strip())


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
        "log", "-z", f"--format={LOG_FORMAT}", "-M100%",
        "--no-ext-diff", "--no-textconv", "--no-color",
    ]  # fmt: skip
    if relative:
        command.append("--relative")
    rest = [*revisions, "--", *paths]
    read = 0
    try:
        for commit in _read(root, [*command, "--raw", "--no-abbrev"], rest, limit, skip):
            yield commit
            read += 1
    except GitError:
        if not is_partial(root):
            raise
        # A clone without trees: messages are there, which files were touched is not.
        left = None if limit is None else limit - read
        yield from _read(root, command, rest, left, skip + read)


def _read(
    root: Path, command: Sequence[str], rest: Sequence[str], limit: int | None, skip: int
) -> Iterator[Commit]:
    bounds = [f"--skip={skip}"] if skip else []
    if limit is not None:
        bounds.append(f"--max-count={limit}")
    return _commits(entries(root, *command, *bounds, *rest))


def _commits(tokens: Iterator[bytes]) -> Iterator[Commit]:
    fields: list[str] = []
    files: list[CommitFileChange] = []
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


def _file_change(entry: bytes, tokens: Iterator[bytes]) -> CommitFileChange:
    """`:100644 100644 <old> <new> R100` is followed by one path, or by two for R and C."""
    status = chr(entry.rsplit(b" ", 1)[-1][0])
    path = next(tokens, b"").decode("utf-8", "replace")
    if status in "RC":
        return CommitFileChange(next(tokens, b"").decode("utf-8", "replace"), status, path)
    return CommitFileChange(path, status)


def commit_of(fields: Sequence[str], files: Sequence[CommitFileChange]) -> Commit:
    """A commit from the fields of `LOG_FORMAT` and what it changed."""
    identity, parents, author, email, authored, committed, message = fields
    return Commit(
        id=identity.strip(),
        parents=tuple(parents.split()),
        author=author,
        email=email,
        authored=int(authored or 0),
        committed=int(committed or 0),
        message=mask_text(message.strip()),
        files=tuple(files),
    )
