"""Which commits the branches and tags of a repository still reach."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from surveyor.files.safe_read import read_text
from surveyor.git import locate, runner
from surveyor.git.errors import GitError
from surveyor.git.locate import Repository
from surveyor.git.objects import missing
from surveyor.knowledge.history.gitlog import COMMIT_ID, git

MAX_REFERENCES = 20_000
"""Files of references that are looked at to see whether one has changed."""


@dataclass(frozen=True, slots=True)
class UnreachedCommits:
    """What deleted and rewritten branches have left behind."""

    gone: frozenset[str] = frozenset()
    """Commits that no reference reaches any more."""
    edge: tuple[str, ...] = ()
    """Those that are still reached and that the others were made on."""
    is_unclear: bool = False
    """Whether all commits have to be compared to know."""


def signature(root: Path) -> str:
    """Another text when a reference of the repository may have changed; empty without one."""
    repository = locate.find(root)
    if repository is None:
        return ""
    common = repository.common_dir
    digest = hashlib.sha256()
    for name in ("HEAD", "packed-refs", "reftable/tables.list"):
        _add(digest, common / name)
    count = 0
    for folder, _, names in os.walk(common / "refs"):
        for name in sorted(names):
            _add(digest, Path(folder, name))
            count += 1
        if count > MAX_REFERENCES:
            break
    for head in _other_heads(repository):
        digest.update(head.encode())
    return digest.hexdigest()


def _add(digest: hashlib._Hash, path: Path) -> None:
    with contextlib.suppress(OSError):
        status = path.stat()
        digest.update(os.fsencode(path) + b"\0")
        digest.update(f"{status.st_mtime_ns} {status.st_size}\0".encode())


def _other_heads(repository: Repository) -> Iterator[str]:
    """Commits that other worktrees have checked out without a branch."""
    common = repository.common_dir
    places = [common / "HEAD"]
    with contextlib.suppress(OSError):
        places += [each / "HEAD" for each in (common / "worktrees").iterdir()]
    for place in places:
        with contextlib.suppress(OSError):
            text = read_text(place, errors="replace").strip()
            if COMMIT_ID.fullmatch(text):
                yield text


def left_by(root: Path, tips: Sequence[str]) -> UnreachedCommits:
    """What of the history of these commits is not reached any more.

    Only what is not reached is walked. Raises `GitError`.
    """
    repository = locate.find(root)
    heads = list(_other_heads(repository)) if repository is not None else []
    gone, edge = set[str](), set[str]()
    for line in runner.lines(
        root, "rev-list", "--boundary", "--ignore-missing", *tips, "--not", "--all", *heads, "--"
    ):
        commit = line.decode("ascii", "replace")
        if commit.startswith("-"):
            edge.add(commit[1:])
        else:
            gone.add(commit)
    return UnreachedCommits(frozenset(gone), tuple(sorted(edge)))


def reached(root: Path) -> set[str]:
    """Every commit that a reference reaches. Raises `GitError`."""
    repository = locate.find(root)
    heads = list(_other_heads(repository)) if repository is not None else []
    shown = runner.lines(root, "rev-list", "--ignore-missing", "--all", *heads, "--")
    return {line.decode("ascii", "replace") for line in shown}


def left(
    roots: Sequence[Path], tips: Sequence[str], known: frozenset[str] | None
) -> UnreachedCommits:
    """What no clone of a project reaches any more.

    `known` are all commits that have been read; without them, it is unclear what a clone reaches
    that does not have all the tips.
    """
    gone: frozenset[str] | None = None
    edges: set[str] = set()
    for root in roots:
        try:
            if known is not None:
                here = UnreachedCommits(known - reached(root))
            elif len(present(root, tips)) == len(tips):
                here = left_by(root, tips)
            else:
                return UnreachedCommits(is_unclear=True)
        except GitError:
            return UnreachedCommits()  # what cannot be told counts as reached
        gone = here.gone if gone is None else gone & here.gone
        edges.update(here.edge)
        if not gone:
            return UnreachedCommits()
    gone = gone or frozenset()
    return UnreachedCommits(gone, tuple(sorted(edges - gone)))


def present(root: Path, tips: Sequence[str]) -> list[str]:
    """Those of the commits that the repository has. Raises `GitError`."""
    gone = missing(root, tips)
    return [tip for tip in tips if tip not in gone]


def independent(root: Path, tips: Sequence[str]) -> list[str]:
    """Those of the commits that no other of them reaches, in the same order. Raises `GitError`."""
    if len(tips) < 2:
        return list(tips)
    kept = set(git(root, "merge-base", "--independent", *tips).split())
    return [tip for tip in tips if tip in kept]


def count(root: Path, tips: Sequence[str]) -> int:
    """Number of commits that are reached from these, as far as they are there."""
    return int(git(root, "rev-list", "--count", "--ignore-missing", *tips, "--").strip() or 0)


def clones(roots: Sequence[Path]) -> list[Path]:
    """One root of each repository."""
    found: dict[Path, Path] = {}
    for root in roots:
        repository = locate.find(root) if root.is_dir() else None
        if repository is not None:
            found.setdefault(repository.common_dir, root)
    return list(found.values())
