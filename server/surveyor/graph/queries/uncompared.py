"""What of a change `git diff` says nothing of: submodules, conflicts, what is not checked out."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from surveyor.git import locate
from surveyor.git.errors import GitError
from surveyor.git.runner import ask_async
from surveyor.paths import is_there
from surveyor.units import counted

__all__ = ["uncompared"]

NAMED = 3
"""Paths that are named."""
_SUBMODULE = "160000"


async def uncompared(root: Path, arguments: Sequence[str], *, changed: bool) -> list[str]:
    """What is said of the change that `git diff` has with these arguments; nothing outside of a
    repository.

    `changed`: whether it has anything.
    """
    repository = await asyncio.to_thread(locate.find, root)
    if repository is None:
        return []
    said = []
    # What lies on disk is compared in conflicts as well.
    conflicts = await _conflicts(root) if "--cached" in arguments else []
    if conflicts:
        were = counted(len(conflicts), "file is", "files are")
        said.append(f"{were} in conflict and not compared ({_some(conflicts)})")
    has_submodules = await asyncio.to_thread(is_there, repository.root / ".gitmodules")
    submodules = await _submodules(root, arguments) if has_submodules else []
    if submodules:
        said.append(f"submodules are looked at from inside of them ({_some(submodules)})")
    if changed and await asyncio.to_thread(lambda: repository.is_sparse):
        said.append("files that this sparse checkout leaves out were not looked at")
    return said


def _some(paths: Sequence[str]) -> str:
    return ", ".join(paths[:NAMED]) + (", …" if len(paths) > NAMED else "")


async def _conflicts(root: Path) -> list[str]:
    listed = await _listed(root, "ls-files", "--unmerged", "-z")
    return list(dict.fromkeys(entry.partition("\t")[2] for entry in listed))


async def _submodules(root: Path, arguments: Sequence[str]) -> list[str]:
    """Those whose commit changed, or in which files that git knows did."""
    listed = await _listed(
        root, "diff", "--raw", "-z", "--no-renames", "--relative",
        "--ignore-submodules=untracked", *arguments, "--",
    )  # fmt: skip
    changes = zip(listed[::2], listed[1::2], strict=False)
    return [path for change, path in changes if _SUBMODULE in change.lstrip(":").split(" ")[:2]]


async def _listed(root: Path, *command: str) -> list[str]:
    """What a command lists with a zero byte behind each; nothing where it fails, as what the diff
    itself needs says why."""
    try:
        answer = await ask_async(root, *command)
    except GitError:
        return []
    return answer.decode("utf-8", "replace").split("\0")[:-1]
