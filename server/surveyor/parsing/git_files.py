"""The few files of a git folder that say what is checked out, and nothing of the rest.

A git folder changes thousands of times during a fetch; HEAD, the branches, the index and the
configuration are what an index has to know. A worktree's or a submodule's lies elsewhere.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from surveyor.git.project import describe
from surveyor.paths import is_folder

_STATE_FILES = frozenset(
    {"HEAD", "index", "config", "config.worktree", "packed-refs", "ORIG_HEAD", "commondir"}
)


class GitFiles:
    """The git folders of one checkout: its own and, for a worktree, the shared one."""

    def __init__(self, root: Path) -> None:
        info = describe(root)
        own = [] if info.git_dir is None else [info.git_dir]
        if info.common_dir is not None and info.common_dir not in own:
            own.append(info.common_dir)
        self._git_dirs = [str(path) for path in own]
        self._shared = str(info.common_dir) if info.common_dir is not None else ""
        dot_git = str(root / ".git")
        self._owned = [*self._git_dirs, dot_git]
        self._root = root

    def owns(self, path: str) -> bool:
        """Whether a path is, or lies in, one of the git folders (or is the `.git` entry)."""
        return any(path == git or path.startswith(f"{git}/") for git in self._owned)

    def wants_folder(self, path: str) -> bool:
        """Whether a folder of a git folder is worth watching."""
        heads = f"{self._shared}/refs/heads"
        return path in self._git_dirs or path in self._fixed() or path.startswith(f"{heads}/")

    def _fixed(self) -> tuple[str, ...]:
        shared = self._shared
        return (f"{shared}/refs", f"{shared}/refs/heads", f"{shared}/info", f"{shared}/reftable")

    def folders(self) -> Iterable[Path]:
        """Folders to watch, each without what is below it."""
        folders = [Path(each) for each in (*self._git_dirs, *self._fixed()) if self._shared]
        for folder in list(folders):
            if folder.name == "heads":
                for parent, names, _ in os.walk(folder):
                    folders += [Path(parent, name) for name in names]
        return [folder for folder in folders if is_folder(folder)]

    def outside_folders(self) -> Iterable[Path]:
        """Those of `folders` that do not lie in the root."""
        return [folder for folder in self.folders() if not folder.is_relative_to(self._root)]

    def matters(self, path: str) -> bool:
        """Whether a file of a git folder says what is checked out."""
        for git in self._git_dirs:
            relative = path.removeprefix(f"{git}/")
            if relative != path and relative in _STATE_FILES:
                return True
        shared = self._shared
        inside = path.startswith((f"{shared}/refs/heads/", f"{shared}/reftable/"))
        return (bool(shared) and inside and not path.endswith(".lock")) or (
            path == f"{self._root}/.git"
        )

    def holds_rules(self, path: str) -> bool:
        """Whether a file of a git folder holds ignore rules."""
        return bool(self._shared) and path == f"{self._shared}/info/exclude"
