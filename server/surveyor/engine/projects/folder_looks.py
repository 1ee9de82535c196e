"""Whether the registered folders answer: what asks a network drive that has stalled waits for ever.

A folder is looked at in a thread of its own, one at a time, and nobody waits longer than two
seconds for it. Until that thread comes back the folder is stalled, and nothing else asks it. What
has to be asked of a folder beside that is asked in the same way: between a look that was answered
and the question a drive may stall.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

from surveyor.errors import FolderStalledError

__all__ = ["EVERY_S", "FolderLooks", "is_remote", "look_at"]

STALLED_S = 2.0
"""A folder that does not answer for so long is said to have stalled. A disk that has to start
turning takes some seconds, too, and is asked again."""
FRESH_S = 0.2
"""A look at a network drive is as good as a new one for so long. That a disk of this machine
answered once counts until one of the looks that are taken all the time says otherwise: each costs a
question a change of thread."""
REMOTE = frozenset(
    ("9p", "afs", "ceph", "cifs", "glusterfs", "lustre", "nfs", "nfs4", "smb3", "smbfs", "virtiofs")
)
"""File systems that another machine, or a program (`fuse`), answers for."""
MOUNTS = Path("/proc/self/mountinfo")
"""What is mounted where, on Linux. Elsewhere every disk counts as this machine's."""
EVERY_S = 2.0
"""How often all folders are looked at."""


T = TypeVar("T")


def does_not_answer(root: str) -> FolderStalledError:
    """What is said of a folder that has stalled."""
    return FolderStalledError(
        f"{root} does not answer; nothing is asked of it until it does",
        "If it is on a network drive, see to the connection; other projects are answered"
        " meanwhile.",
    )


def look_at(root: str) -> None:
    """Ask the file system of a folder, and not what is remembered of it, if it can be."""
    if hasattr(os, "statvfs"):
        os.statvfs(root)
    os.stat(root)  # noqa: PTH116


def is_remote(root: str, mounts: str) -> bool:
    """Whether a folder is on a network drive, as `mounts` (the lines of `MOUNTS`) say."""
    kind, longest = "", 0
    for line in mounts.splitlines():
        words = line.split(" ")
        if len(words) < 5 or "-" not in words:
            continue
        at = words[4].replace("\\040", " ").rstrip("/")
        if len(at) >= longest and (root == at or root.startswith(f"{at}/")):
            kind, longest = words[words.index("-") + 1], len(at)
    return kind in REMOTE or kind.startswith("fuse")


class _Look:
    def __init__(self) -> None:
        self.begun = time.monotonic()
        self.ended: float | None = None
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()


class FolderLooks:
    """Looks at folders; to be used on the event loop."""

    def __init__(self, look: Callable[[str], None] = look_at) -> None:
        """`look` asks a folder; what it raises is an answer."""
        self._look = look
        self._looks: dict[str, _Look] = {}
        self._local: set[str] = set()
        """Folders that have answered, and are on no network drive."""

    def is_stalled(self, root: str) -> bool:
        """Whether a folder has not answered for too long."""
        look = self._looks.get(root)
        if look is None or look.ended is not None:
            return False
        return time.monotonic() - look.begun >= STALLED_S

    async def answers(self, root: str) -> bool:
        """Whether a folder answers now; known within `STALLED_S`."""
        if root in self._local:
            return not self.is_stalled(root)
        return await self._answers_now(root)

    async def _answers_now(self, root: str) -> bool:
        look = self._looks.get(root)
        now = time.monotonic()
        if look is None or (look.ended is not None and now - look.ended > FRESH_S):
            look = _Look()
            work = (root, look, asyncio.get_running_loop())
            try:
                threading.Thread(target=self._ask, args=work, name="folder", daemon=True).start()
            except RuntimeError:  # there are as many threads as there may be: nothing is known
                return True
            self._looks[root] = look
        left = look.begun + STALLED_S - now
        await asyncio.wait([look.done], timeout=max(0.0, left))
        return look.done.done()

    async def stalled(self, roots: Iterable[str]) -> set[str]:
        """Those of some folders that do not answer."""
        wanted = list(dict.fromkeys(roots))
        answers = await asyncio.gather(*(self._answers_now(root) for root in wanted))
        return {root for root, answered in zip(wanted, answers, strict=True) if not answered}

    async def ask(self, root: str, question: Callable[[], T]) -> T:
        """What the file system says of a folder, or of what is in it.

        `question` blocks; what it raises is raised here. Raises `FolderStalledError` where there
        is no answer within `STALLED_S`; the question is left behind in its thread.
        """
        if root in self._local:
            return question()
        if self.is_stalled(root):
            raise does_not_answer(root)
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[T] = loop.create_future()

        def settle(setter: Callable[[Any], None], value: object) -> None:
            if not answer.done():  # nobody waits any more
                setter(value)

        def work() -> None:
            setter: Callable[[Any], None] = answer.set_result
            value: object
            try:
                value = question()
            except Exception as error:
                setter, value = answer.set_exception, error
            with contextlib.suppress(RuntimeError):  # the engine has ended meanwhile
                loop.call_soon_threadsafe(settle, setter, value)

        try:
            threading.Thread(target=work, name="folder", daemon=True).start()
        except RuntimeError:  # there are as many threads as there may be
            return question()
        try:
            return await asyncio.wait_for(answer, STALLED_S)
        except TimeoutError:
            if answer.done() and not answer.cancelled():
                raise  # the question's own
            raise does_not_answer(root) from None

    def _ask(self, root: str, look: _Look, loop: asyncio.AbstractEventLoop) -> None:
        with contextlib.suppress(OSError):  # that it is not there, or not ours, is an answer
            self._look(root)
        if root not in self._local:
            with contextlib.suppress(OSError):
                if not is_remote(root, MOUNTS.read_text() if MOUNTS.exists() else ""):
                    self._local.add(root)
        look.ended = time.monotonic()
        with contextlib.suppress(RuntimeError):  # the engine has ended meanwhile
            loop.call_soon_threadsafe(look.done.set_result, None)
