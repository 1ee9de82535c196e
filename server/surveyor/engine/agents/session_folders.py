"""The folders that a session may have: where they come from, and which are never one's."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from surveyor.errors import UsageError
from surveyor.files import contained_paths
from surveyor.files.forbidden import is_in_temporary, refusal_of
from surveyor.git.locate import git_root_of

Origin = Literal["named", "implied", "address", "guessed"]
"""Where a folder comes from: somebody named it; the client was started in it; it stands in an
address, for which nothing is registered; or it is one that the client is about to confirm."""


@dataclass(frozen=True, slots=True)
class SessionFolder:
    """A folder of a session."""

    path: str
    """Its real path."""
    is_open: bool
    """Whether it lies in a project."""


def acceptable(root: str) -> Path:
    """A folder as its real path. Raises `UsageError` for one that is never a session's."""
    folder = contained_paths.real(root)
    if folder.is_file():
        folder = folder.parent
    refusal = refusal_of(folder)
    if refusal is not None and refusal.is_final:
        raise UsageError(refusal.message, refusal.hint)
    return folder


def may_become_one(folder: Path, origin: Origin) -> bool:
    """Whether a session's folder that is no project may be made one when the agent asks."""
    said = origin in ("named", "address") or (origin == "implied" and not is_nobodys(folder))
    return said and folder.is_dir() and refusal_of(folder) is None


def is_nobodys(folder: Path) -> bool:
    """Whether a folder looks like what something was merely started in.

    One that cannot be written to, that lies among temporary files, or that is hidden or among
    applications' data in the home folder; a repository never is.
    """
    repository = git_root_of(folder)
    if repository is not None and refusal_of(repository) is None:
        return False
    if not os.access(folder, os.W_OK):
        return True
    with contextlib.suppress(ValueError, RuntimeError):
        parts = folder.relative_to(Path.home().resolve()).parts
        return any(part.startswith(".") or part in ("Library", "AppData") for part in parts)
    return is_in_temporary(folder)
