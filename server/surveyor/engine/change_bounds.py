"""Which files of a change are looked at: those that are asked about, and so many of them."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from pathlib import Path, PurePosixPath

from surveyor.engine.file_versions import is_read
from surveyor.graph.queries.diff import FileDiff
from surveyor.graph.queries.removed import TakenAway
from surveyor.parsing.ignore import Ignore

__all__ = ["NAMED", "is_asked", "looked_at", "without_ignored"]

MAX_FILES = 500
"""Changed files that are looked at: a few seconds of work."""
NAMED = 3
"""Files that are named of those that were not looked at."""


def is_asked(path: str, wanted: Sequence[str], root: Path) -> bool:
    """Whether a file is among the files and folders (absolute, or from the root) asked about."""
    own = f"{root.as_posix().rstrip('/')}/"
    folders = [each.removeprefix(own).rstrip("/") for each in wanted]
    return not folders or any(
        each in ("", ".", own.rstrip("/")) or path == each or path.startswith(f"{each}/")
        for each in folders
    )


def looked_at(
    diff: Sequence[FileDiff], wanted: Sequence[str], root: Path
) -> tuple[list[FileDiff], list[str]]:
    """The files of a change that are looked at, and what is said of the others.

    Where there are too many, those whose calls are compared come first, and of these the ones
    that others may use already.
    """
    asked = [file for file in diff if is_asked(file.path, wanted, root)]
    if len(asked) <= MAX_FILES:
        return asked, []
    ordered = sorted(asked, key=lambda file: (not is_read(file.path), file.whole))
    left = [file.path for file in ordered[MAX_FILES:]]
    names = ", ".join(left[:NAMED]) + (", …" if len(left) > NAMED else "")
    lack = f"{len(left)} of {len(asked)} changed files were not looked at ({names})"
    return ordered[:MAX_FILES], [f"{lack}: name folders for these"]


async def without_ignored(root: Path, taken: TakenAway) -> TakenAway:
    """What a change takes away, but for deleted files that git ignores now: a build makes them."""
    deleted = {file.path for file in taken.files if not file.moved_to}
    if not deleted:
        return taken
    ignored = await asyncio.to_thread(_ignored, root, deleted)
    return taken._replace(
        definitions=[each for each in taken.definitions if each.path not in ignored],
        files=[each for each in taken.files if each.path not in ignored],
    )


def _ignored(root: Path, paths: Collection[str]) -> set[str]:
    """Those of some files that git would not take in, whether it has had them or not."""
    rules = Ignore(root)
    return {
        path
        for path in paths
        if rules.which_rule(path, is_folder=False) is not None
        or any(
            rules.which_rule(str(folder), is_folder=True) is not None
            for folder in PurePosixPath(path).parents[:-1]
        )
    }
