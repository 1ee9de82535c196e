"""Folders that nobody registered and that are known all the same.

A registered folder that was moved, and another clone or worktree of a registered repository.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from surveyor.errors import SurveyorError
from surveyor.git.project import describe, find_root
from surveyor.paths import is_there, real_path

if TYPE_CHECKING:
    from surveyor.engine.app import Engine
    from surveyor.engine.projects.registry import Checkout

__all__ = ["copy_at", "inode_of", "moved_to", "same_files"]

FILES_LOOKED_FOR = 50
"""Of a folder that is gone, in the one that may be it."""


async def moved_to(engine: Engine, folder: str) -> Checkout | None:
    """The registered folder that is at or above `folder` now, and gone from where it was."""
    known = await engine.projects.all()
    gone = {each.checkout_id for each in known if not is_there(each.root)}
    if not gone:
        return None
    rows = await engine.state.read(
        "SELECT checkout_id, root_inode FROM checkouts WHERE root_inode IS NOT NULL"
    )
    inodes = {row["root_inode"]: row["checkout_id"] for row in rows if row["checkout_id"] in gone}
    real = real_path(Path(folder).expanduser())
    for root in (real, *real.parents):
        checkout_id = inodes.get(inode_of(root) or "")
        if checkout_id is not None and await same_files(engine, checkout_id, root):
            try:
                return await engine.projects.register(str(root), explicit=True)
            except SurveyorError:
                return None
    return None


async def copy_at(engine: Engine, folder: str) -> Checkout | None:
    """The clone or worktree of a registered repository that `folder` is in, registered now.

    What belongs to the repository is its own, too; its files are indexed once somebody asks.
    """
    known = {each.project_id for each in await engine.projects.all()}
    try:
        info = await asyncio.to_thread(lambda: describe(find_root(Path(folder))))
        if info.project_id not in known:
            return None
        return await engine.projects.register(str(info.root), explicit=False)
    except SurveyorError:
        return None


async def same_files(engine: Engine, checkout_id: str, root: Path) -> bool:
    """Whether a folder has files of a checkout: the number of one that is gone is given again."""
    rows = await engine.state.read(
        "SELECT path FROM files WHERE checkout_id = ? LIMIT ?", (checkout_id, FILES_LOOKED_FOR)
    )
    return not rows or await asyncio.to_thread(
        lambda: any((root / row["path"]).is_file() for row in rows)
    )


def inode_of(root: Path) -> str | None:
    """What a folder keeps when it is moved within its file system; None where there is none."""
    try:
        stat = root.stat()
    except OSError:
        return None
    return f"{stat.st_dev}:{stat.st_ino}"
