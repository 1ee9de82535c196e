"""Folders that nobody registered and that are known all the same.

A registered folder that was moved, and another clone or worktree of a registered repository.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from surveyor.engine.index.scanner import Scanner
from surveyor.engine.index.watch_control import WatchControl
from surveyor.engine.projects.checkouts import Checkout
from surveyor.engine.projects.registration import Registration, inode_of, is_gone, same_files
from surveyor.engine.projects.registry import ProjectRegistry
from surveyor.errors import NotFoundError, SurveyorError
from surveyor.git.project import describe, find_root
from surveyor.paths import real_path
from surveyor.store.state import State
from surveyor.store.state.projects import root_inodes


class Relocation:
    """Finds the checkout that a caller means, also where its folder is not the registered one."""

    def __init__(
        self,
        state: State,
        projects: ProjectRegistry,
        registration: Registration,
        watching: WatchControl,
        scanner: Scanner,
    ) -> None:
        self._state = state
        self._projects = projects
        self._registration = registration
        self._watching = watching
        self._scanner = scanner

    async def resolve(self, cwd: str | None = None, project: str | None = None) -> Checkout:
        """The checkout that a caller means: a folder that was moved is what it was.

        Raises `NotFoundError` naming the known ones.
        """
        try:
            return await self._projects.resolve(cwd, project)
        except NotFoundError:
            folder = cwd if project is None else project if "/" in project else None
            moved = await self._moved_to(folder) if folder is not None else None
            if moved is None:
                raise
            await self._watching.watch(moved)
            await self._scanner.scan(moved)  # it may have changed meanwhile
            return await self._projects.resolve(cwd, project)

    async def _moved_to(self, folder: str) -> Checkout | None:
        """The registered folder that is at or above `folder` now, and gone from where it was."""
        known = await self._projects.all()
        gone = {
            each.checkout_id for each in known if await is_gone(self._projects.looks, each.root)
        }
        if not gone:
            return None
        registered = await root_inodes(self._state)
        inodes = {inode: key for key, inode in registered.items() if key in gone}

        def check() -> list[tuple[Path, str | None]]:
            real = real_path(Path(os.path.expanduser(folder)))  # noqa: PTH111 - no such user
            return [(root, inode_of(root)) for root in (real, *real.parents)]

        for root, inode in await self._projects.ask(folder, check):
            checkout_id = inodes.get(inode or "")
            if checkout_id is not None and await same_files(self._state, checkout_id, root):
                try:
                    return await self._registration.register(str(root), explicit=True)
                except SurveyorError:
                    return None
        return None

    async def copy_at(self, folder: str) -> Checkout | None:
        """The clone or worktree of a registered repository that `folder` is in, registered now.

        What belongs to the repository is its own, too; its files are indexed once somebody asks.
        """
        known = {each.project_id for each in await self._projects.all()}
        try:
            info = await asyncio.to_thread(lambda: describe(find_root(Path(folder))))
            if info.project_id not in known:
                return None
            return await self._registration.register(str(info.root), explicit=False)
        except SurveyorError:
            return None
