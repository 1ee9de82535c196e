"""What a file on disk is called in the last commit: a rename need not be committed yet."""

from __future__ import annotations

from collections import Counter
from pathlib import Path, PurePosixPath

from surveyor.files.safe_read import LARGE_FILE_BYTES, read_bytes
from surveyor.git.errors import GitError, NoCommitError
from surveyor.knowledge.history.gitlog import git

SAME_TEXT = 0.5
"""Least share of lines that a renamed file keeps; git's own for `-M`."""
MAX_CANDIDATES = 40
"""Most files that are gone which are compared with a new one: each is read from git."""


def committed_name(root: Path, path: str) -> str:
    """The name of a file in the last commit.

    Raises `GitError` when that has no such file, by this name or by the one before a rename, and
    `NoCommitError` when there is no commit.
    """
    try:
        if git(root, "ls-tree", "-z", "--name-only", "HEAD", "--", path):
            return path
    except GitError:
        branch = git(root, "branch", "--show-current").strip()
        if git(root, "for-each-ref", "--count=1", f"refs/heads/{branch}"):
            raise
        raise NoCommitError from None
    name = _staged(root, path) or _gone(root, path)
    if name is None:
        raise GitError(f"git knows no file {path}", "It may not be committed yet.")
    return name


def _staged(root: Path, path: str) -> str | None:
    """The old name of a rename in git's index (`git mv`)."""
    shown = git(
        root, "diff", "--cached", "--name-status", "-z", "-M", "--relative", "--no-ext-diff",
        "--no-textconv", "HEAD", "--",
    )  # fmt: skip
    fields = iter(shown.split("\0"))
    for status in fields:
        old = next(fields, "")
        if status[:1] in ("R", "C") and next(fields, "") == path:
            return old
    return None


def _gone(root: Path, path: str) -> str | None:
    """The file that is gone from the disk whose text a new file has most of.

    Compared here and not by `git diff`, which would run the repository's clean filters.
    """
    try:
        data = read_bytes(root / path, LARGE_FILE_BYTES)
    except OSError:
        return None
    new = Counter(data.decode("utf-8", "replace").splitlines())
    shown = git(root, "ls-files", "--deleted", "-z").split("\0")
    # Likely ones first: of the same name, then with the same ending.
    here = PurePosixPath(path)
    names = sorted(
        filter(None, shown),
        key=lambda name: (
            PurePosixPath(name).name != here.name,
            PurePosixPath(name).suffix != here.suffix,
        ),
    )
    best: tuple[float, str] = (0.0, "")
    for name in names[:MAX_CANDIDATES]:
        try:
            old = Counter(git(root, "show", "--no-textconv", f"HEAD:./{name}").splitlines())
        except GitError:
            continue  # was only ever added
        share = 2 * (old & new).total() / max(1, old.total() + new.total())
        best = max(best, (share, name))
    return best[1] if best[0] >= SAME_TEXT else None
