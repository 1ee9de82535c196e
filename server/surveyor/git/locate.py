"""Which repository a folder belongs to, and where its parts lie. Starts nothing."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from surveyor.files.safe_read import read_text
from surveyor.git.config_file import Config, read_config
from surveyor.paths import is_file, is_folder, is_there, real_path

_PARTS = (
    "HEAD", "config", "index", "packed-refs", "refs", "refs/heads", "refs/remotes", "refs/tags",
    "reftable", "objects", "objects/pack", "objects/info", "logs",
)  # fmt: skip
"""What would show another repository's content when it is a link into that."""


@dataclass(frozen=True)
class Repository:
    """The folders of one working tree's repository."""

    root: Path
    """Top of the working tree."""
    git_dir: Path
    """This worktree's own git folder: HEAD and index."""
    common_dir: Path
    """The repository's: configuration, branches and objects."""

    @cached_property
    def config(self) -> Config:
        """What the repository's configuration says, without what it includes."""
        return read_config(self.common_dir / "config")

    @cached_property
    def is_partial(self) -> bool:
        """Whether objects were left on the server when this was cloned."""
        for (section, _), values in self.config.items():
            if section == "extensions" and values.get("partialclone"):
                return True
            if section == "remote" and values.get("promisor", "false").lower() not in (
                "false", "no", "off", "0",
            ):  # fmt: skip
                return True
        with contextlib.suppress(OSError):
            return next((self.common_dir / "objects" / "pack").glob("*.promisor"), None) is not None
        return False

    @cached_property
    def is_shallow(self) -> bool:
        """Whether commits before some were left on the server when this was cloned."""
        with contextlib.suppress(OSError):
            return (self.common_dir / "shallow").stat().st_size > 0
        return False

    @cached_property
    def is_sparse(self) -> bool:
        """Whether this working tree leaves out some of the files that git has."""
        own = read_config(self.git_dir / "config.worktree")
        for config in (own, self.config):
            if said := config.get(("core", ""), {}).get("sparsecheckout"):
                return said.lower() in ("true", "yes", "on", "1")
        return False


def find(path: Path) -> Repository | None:
    """The repository whose working tree holds a folder; None when it is in none."""
    root = git_root_of(real_path(path))
    git_dir = git_dir_of(root) if root is not None else None
    if root is None or git_dir is None:
        return None
    return Repository(root, git_dir, common_dir_of(git_dir))


def git_root_of(path: Path) -> Path | None:
    """The nearest folder at or above `path` that is the top of a git working tree."""
    for folder in (path, *path.parents):
        if git_dir_of(folder) is not None:
            return folder
    return None


def git_dir_of(folder: Path) -> Path | None:
    """The git folder of a working tree whose top is `folder`, also through a `.git` file.

    None where `.git` leads to the repository of another working tree: who opens this folder is not
    shown what that one holds.
    """
    dot_git = folder / ".git"
    try:
        if is_folder(dot_git):
            git_dir = dot_git
        elif is_file(dot_git):
            text = read_text(dot_git, errors="surrogateescape")
            if not text.startswith("gitdir:"):
                return None
            git_dir = real_path(folder / text[len("gitdir:") :].strip())
        else:
            return None
        if not is_there(git_dir / "HEAD") or _is_of_another(git_dir, folder):
            return None
    except (OSError, ValueError, RuntimeError):
        return None
    return git_dir


def _is_of_another(git_dir: Path, folder: Path) -> bool:
    """Whether a git folder is plainly that of another working tree, which is there."""
    real, here = real_path(git_dir), real_path(folder)
    if any(_leads_to_another(real / part, real, here) for part in _PARTS):
        return True
    if real.is_relative_to(here):
        return False
    if real.name == ".git":
        return True
    if is_file(real / "gitdir"):  # a linked worktree: it names the `.git` that belongs to it
        other = real_path(real / read_text(real / "gitdir", errors="surrogateescape").strip())
        return other != real_path(here / ".git") and other.parent != here and is_there(other)
    named = read_config(real / "config").get(("core", ""), {}).get("worktree")
    if named:  # a submodule
        other = real_path(real / named)
        return other != here and is_there(other / ".git")
    return False


def _leads_to_another(part: Path, git_dir: Path, folder: Path) -> bool:
    if not part.is_symlink():
        return False
    target = real_path(part)
    return ".git" in target.parts and not (
        target.is_relative_to(git_dir) or target.is_relative_to(folder)
    )


def common_dir_of(git_dir: Path) -> Path:
    """The folder that all worktrees of a repository share."""
    with contextlib.suppress(OSError, ValueError, RuntimeError):
        named = read_text(git_dir / "commondir", errors="surrogateescape").strip()
        common = real_path(git_dir / named)
        # Only a linked worktree has one, and lies in the folder that it names.
        if real_path(git_dir).is_relative_to(common):
            return common
    return git_dir
