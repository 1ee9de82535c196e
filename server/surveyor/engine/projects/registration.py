"""Registering folders, following their identity, and forgetting them."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from surveyor.engine.index.pipeline import Pipeline
from surveyor.engine.index.watch_control import WatchControl
from surveyor.engine.process.store_executor import StoreExecutor
from surveyor.engine.projects import boundary
from surveyor.engine.projects.checkouts import Checkout
from surveyor.engine.projects.folder_looks import FolderLooks
from surveyor.engine.projects.identity import IdentityChange
from surveyor.engine.projects.registry import ProjectRegistry
from surveyor.errors import FolderStalledError, NotFoundError, UsageError
from surveyor.files import contained_paths
from surveyor.git.project import ProjectInfo, describe, find_root
from surveyor.paths import is_folder, is_there, real_path
from surveyor.store.state import State, documents, files, queue
from surveyor.store.state import projects as rows

log = logging.getLogger(__name__)

FILES_LOOKED_FOR = 50
"""Of a folder that is gone, in the one that may be it."""


class Registration:
    """Adds folders to the registry, and takes them out of it."""

    def __init__(
        self,
        state: State,
        projects: ProjectRegistry,
        identity: IdentityChange,
        pipeline: Pipeline,
        watching: WatchControl,
        store_executor: StoreExecutor,
    ) -> None:
        self._state = state
        self._projects = projects
        self._identity = identity
        self._pipeline = pipeline
        self._watching = watching
        self._store_executor = store_executor
        self._registering = asyncio.Lock()

    async def register(self, path: str, *, explicit: bool, force: bool = False) -> Checkout:
        """The checkout for a folder, new or known. Raises for what cannot be a project.

        While an agent is answered, the folder has to be one that it may have registered.
        """
        agent = boundary.reach()
        if agent is not None:
            path = str(
                await boundary.admit(agent, path, [c.root for c in await self._projects.all()])
            )
            force = False
        async with self._registering:
            with boundary.answering(None):
                known = await self._projects.all()
            target = Path(os.path.expanduser(contained_paths.checked(path)))  # noqa: PTH111 - no such user
            looks = self._projects.looks
            roots = [Path(c.root) for c in known if not looks.is_stalled(c.root)]

            def check() -> tuple[Path, str | None]:
                if agent is not None and real_path(target) != target:
                    raise UsageError(f"{target} has just become another folder", "Ask again.")
                return _root_at(target, roots, explicit=explicit, force=force)

            root, inode = await self._projects.ask(str(target), check)
            for checkout in known:
                if checkout.root == str(root):
                    await self._refresh_identity(checkout)
                    return await self._projects.resolve(cwd=str(root))
            info = await asyncio.to_thread(describe, root)
            await self._insert(info, inode, known)
            return await self._projects.resolve(cwd=str(root))

    async def _insert(self, info: ProjectInfo, inode: str | None, known: list[Checkout]) -> None:
        root = str(info.root)
        inodes = await rows.root_inodes(self._state)
        for checkout in known:
            gone = await is_gone(self._projects.looks, checkout.root)
            same_folder = gone and inodes.get(checkout.checkout_id) == inode
            if same_folder:
                same_folder = await same_files(self._state, checkout.checkout_id, info.root)
            if gone and (same_folder or checkout.project_id == info.project_id):
                log.info("%s has moved to %s", checkout.root, root)
                await self._watching.unwatch(checkout)
                await self._identity.apply(checkout, info)
                return
        parent = None
        if info.superproject is not None:
            parent = next((c for c in known if c.root == str(info.superproject)), None)
        async with self._state.transaction() as tx:
            await rows.insert_checkout(
                tx,
                rows.NewCheckout(
                    checkout_id=info.checkout_id,
                    project_id=info.project_id,
                    name=info.name,
                    remote=info.remote,
                    root=root,
                    branch=info.branch,
                    head=info.head,
                    root_inode=inode,
                    parent_checkout_id=parent.checkout_id if parent else None,
                    submodule_path=info.submodule_path,
                ),
            )
        self._projects.forget()

    async def refresh_identity(self, checkout: Checkout) -> bool:
        """A project that gained or lost a remote changes its id; nothing is embedded again.

        True when it did: whoever asks scans it then, since what waited in the queue is dropped.
        """
        async with self._registering:
            now = await self._projects.current(checkout)
            return now is not None and await self._refresh_identity(now)

    async def _refresh_identity(self, checkout: Checkout) -> bool:
        root = Path(checkout.root)
        info = await asyncio.to_thread(describe, root)
        if info.project_id == checkout.project_id or not is_folder(root):  # it may be going away
            return False
        await self._watching.unwatch(checkout)
        await self._identity.apply(checkout, info)
        await self._watching.watch(await self._projects.get(info.checkout_id))
        return True

    async def remove(self, checkout: Checkout) -> None:
        """Forget a folder and everything derived from it."""
        await self._watching.unwatch(checkout)
        async with self._pipeline.committer.committing:
            await self._remove(checkout)

    async def _remove(self, checkout: Checkout) -> None:
        async with self._projects.naming(), self._state.transaction() as tx:
            unused = await files.delete_files(tx, checkout.checkout_id)
            await queue.delete_of_checkout(tx, checkout.checkout_id)
            left = await rows.delete_checkout(tx, checkout.checkout_id, checkout.project_id)
            if not left:
                unused += await files.delete_branches(tx, checkout.project_id)
            await documents.drop_unused(tx, unused)
        self._pipeline.forget_checkout(checkout.checkout_id)
        self._pipeline.runs.pop(checkout.checkout_id, None)
        await self._pipeline.committer.sweep_dead_points(checkout.project_id)
        if not left:
            await self._store_executor.drop_project(checkout.project_id)


def _root_at(
    target: Path, known: Sequence[Path], *, explicit: bool, force: bool
) -> tuple[Path, str | None]:
    """The root that a folder is registered by, and what it keeps when it is moved. Blocks."""
    root = target
    try:
        if not target.exists():
            raise NotFoundError(f"there is no folder {target}", "Check the path.")
        if not target.is_dir():
            raise UsageError(f"{target} is a file", "Give the folder that holds it.")
        root = find_root(target, known, explicit, force)
        _look_into(root, is_known=root in known)
        return root, inode_of(root)
    except PermissionError as error:
        raise UsageError(
            f"{root} cannot be read: {error.strerror}",
            "Give your user read access to the folder.",
        ) from error
    except OSError as error:
        raise NotFoundError(f"{root}: {error.strerror}", "Check the path.") from error


def _look_into(root: Path, *, is_known: bool) -> None:
    """Raise `OSError` for a folder that cannot be listed. Of one that is known, a failing disk is
    for its scan to tell, which keeps what is indexed."""
    try:
        with os.scandir(root) as entries:  # `iterdir` reads a million names before the first
            next(entries, None)
    except PermissionError:
        raise
    except OSError:
        if not is_known:
            raise


async def is_gone(looks: FolderLooks, root: str) -> bool:
    """Whether a registered folder is not where it was; one that does not answer may be there."""
    try:
        return not await looks.ask(root, partial(is_there, root))
    except FolderStalledError:
        return False


async def same_files(state: State, checkout_id: str, root: Path) -> bool:
    """Whether a folder has files of a checkout: the number of one that is gone is given again."""
    paths = await files.some_paths(state, checkout_id, FILES_LOOKED_FOR)
    return not paths or await asyncio.to_thread(
        lambda: any((root / path).is_file() for path in paths)
    )


def inode_of(root: Path) -> str | None:
    """What a folder keeps when it is moved within its file system; None where there is none."""
    try:
        stat = root.stat()
    except OSError:
        return None
    return f"{stat.st_dev}:{stat.st_ino}"
