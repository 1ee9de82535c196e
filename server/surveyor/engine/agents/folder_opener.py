"""Makes folders those of a session: finds their projects, or registers them where that may be."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Protocol

from surveyor.engine.agents.session_folders import (
    Origin,
    SessionFolder,
    acceptable,
    is_nobodys,
    may_become_one,
)
from surveyor.engine.operations.engine_callables import ResolveCheckout, ScanCheckout, SpawnTask
from surveyor.engine.process.sessions import Session
from surveyor.engine.projects import boundary
from surveyor.engine.projects.checkouts import Checkout
from surveyor.errors import NotFoundError, SurveyorError
from surveyor.files import contained_paths
from surveyor.git.locate import git_root_of

log = logging.getLogger(__name__)


class NoteActivity(Protocol):
    """Notes that a session works in a checkout."""

    async def __call__(self, session: Session | None, checkout: Checkout) -> None:
        """From now on."""


class FolderOpener:
    """Opens folders for sessions."""

    def __init__(
        self,
        registered: ResolveCheckout,
        register: Callable[[str], Awaitable[Checkout]],
        scan: ScanCheckout,
        begin: NoteActivity,
        may_register: Callable[[], bool],
        spawn: SpawnTask,
    ) -> None:
        """`registered` finds what is registered as it is: a folder that was moved is not."""
        self._registered = registered
        self._register = register
        self._scan = scan
        self._begin = begin
        self._may_register = may_register
        self._spawn = spawn

    async def open(
        self, session: Session | None, roots: list[str], origin: Origin
    ) -> tuple[list[SessionFolder], list[str]]:
        """Those of some folders that may be the session's, and why the others may not."""
        taken: list[SessionFolder] = []
        refused: list[str] = []
        for root in roots:
            try:
                folder = await asyncio.to_thread(acceptable, root)
            except SurveyorError as error:
                refused.append(error.message)
                log.info(
                    "an agent's folder %s is refused: %s",
                    contained_paths.shown(root),
                    error.message,
                )
                continue
            try:
                await self._open(session, folder, origin)
                taken.append(SessionFolder(str(folder), is_open=True))
            except SurveyorError as error:
                refused.append(error.message)
                log.info("an agent's folder %s is no project: %s", folder, error.message)
                if await asyncio.to_thread(may_become_one, folder, origin):
                    taken.append(SessionFolder(str(folder), is_open=False))
        return taken, refused

    async def _open(self, session: Session | None, folder: Path, origin: Origin) -> None:
        with boundary.answering(boundary.Reach(tuple)):  # not what is never read for an agent
            try:
                checkout = await self._registered(cwd=str(folder))
                if await _is_other_repository(str(folder), checkout.root):
                    raise NotFoundError(f"{folder} is a repository of its own")
                found = True
            except NotFoundError:
                if origin in ("address", "guessed") or not self._may_register():
                    raise
                if origin == "implied" and await asyncio.to_thread(is_nobodys, folder):
                    said = f"{folder} is where this was started, and no project"
                    raise NotFoundError(said) from None
                found = False
        if not found:
            checkout = await self._register(str(folder))
            await self._scan(checkout)
        # Beside the handshake: it writes to the disk.
        self._spawn(self._begin(session, checkout))


async def _is_other_repository(folder: str, root: str) -> bool:
    """Whether a repository lies between a folder and the registered root above it."""
    inner = await asyncio.to_thread(git_root_of, Path(folder))
    return inner is not None and str(inner) != root and inner.is_relative_to(root)
