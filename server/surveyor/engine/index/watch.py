"""What changes in the registered folders, in batches that an index can follow.

Events are only hints: each batch says what is true on disk when it is handed over. A batch ends
when nothing has happened for 100 ms, or after 400 ms. What cannot be followed event by event
(events lost, ignore rules changed, the system's limit of watches reached) is said as `overflow`,
and whoever listens scans the folder again.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from watchdog.observers.api import BaseObserver

from surveyor.engine.index.change_batches import MESSAGES, ChangeBatch
from surveyor.engine.index.observer import make_observer
from surveyor.engine.index.watched_root import WatchedRoot, limit_message
from surveyor.errors import SurveyorError
from surveyor.parsing.ignore import Ignore

log = logging.getLogger(__name__)

ROOT_CHECK_S = 2.0
"""How often roots are looked at: no event tells that a drive is gone or a root was moved."""

OnChange = Callable[[ChangeBatch], Awaitable[None]]
OnFirst = Callable[[str], None]


class Watcher:
    """Follows any number of roots. To be made on the event loop that is to hear of changes.

    `add`, `remove` and `close` may block for a moment and may be called from any thread.
    """

    def __init__(self, on_change: OnChange, on_first: OnFirst = lambda _: None) -> None:
        self._on_change = on_change
        self.on_first = on_first
        """Called on the loop with the first file of a batch, long before the batch is complete."""
        self.loop = asyncio.get_running_loop()
        self._roots: dict[Path, WatchedRoot] = {}
        self._lock = threading.Lock()
        self.policies: dict[str, Any] = {}
        """Roots by path: the observer on Linux asks them which folders to watch."""
        self.observer, self.cannot_watch = self._make_observer()
        self._checker = self.loop.create_task(self._check_roots())
        self.deliveries: set[asyncio.Task[None]] = set()
        self._checks: dict[WatchedRoot, asyncio.Task[None]] = {}
        """Roots that are just being looked at."""
        self._closed = False

    def _make_observer(self) -> tuple[BaseObserver | None, str]:
        try:
            observer = make_observer(self.policies)
            observer.start()
        except OSError as error:
            log.warning("file events are not available: %s", error)
            return (None, limit_message(error))
        return (observer, "")

    def add(self, checkout_root: Path, ignore: Ignore) -> None:
        """Follow a root; adding it again replaces its rules."""
        self.remove(checkout_root)
        root = WatchedRoot(self, checkout_root, ignore)
        with self._lock:
            if self._closed:
                return
            self._roots[checkout_root] = root
        root.start()

    def remove(self, checkout_root: Path) -> None:
        """Stop following a root; unknown ones are ignored."""
        with self._lock:
            root = self._roots.pop(checkout_root, None)
        if root is not None:
            root.stop()

    def close(self) -> None:
        """Stop following everything."""
        with self._lock:
            self._closed = True
            roots = list(self._roots.values())
            self._roots.clear()
        self.call(self._checker.cancel)
        for root in roots:
            root.stop()
        if self.observer is not None:
            self.observer.stop()
            self.observer.join(5)

    def problem(self, checkout_root: Path) -> str:
        """Why a root is not followed event by event; empty when it is."""
        with self._lock:
            root = self._roots.get(checkout_root)
        return root.problem if root is not None else ""

    def watched_folders(self, checkout_root: Path) -> int:
        """Number of folders watched for a root (0 where the platform watches trees as one)."""
        with self._lock:
            root = self._roots.get(checkout_root)
        return root.watched_folders() if root is not None else 0

    # --- between threads --------------------------------------------------------------------

    def call(self, function: Callable[..., object], *arguments: object) -> None:
        """Call something on the loop, from any thread."""
        try:
            self.loop.call_soon_threadsafe(function, *arguments)
        except RuntimeError:  # the loop has ended
            log.debug("a change came after the end")

    def deliver(self, changes: ChangeBatch) -> None:
        """On the loop: hand a batch over without waiting for what is done with it."""

        async def hand_over() -> None:
            try:
                await self._on_change(changes)
            except SurveyorError as error:
                log.warning("changes in %s are not followed: %s", changes.root, error)
            except Exception:
                log.exception("following changes in %s failed", changes.root)
                if not changes.overflow:  # what they were is lost: a scan finds it
                    again = ChangeBatch(changes.root, overflow=True, reason="overflow")
                    again.message = MESSAGES[again.reason]
                    self.deliver(again)

        task = self.loop.create_task(hand_over())
        self.deliveries.add(task)
        task.add_done_callback(self.deliveries.discard)

    def _check(self, root: WatchedRoot) -> None:
        """Beside the others: one whose drive has stalled holds up none, and is asked once."""
        if root not in self._checks:
            task = self.loop.create_task(root.check())
            self._checks[root] = task
            task.add_done_callback(lambda _: self._checks.pop(root, None))

    async def _check_roots(self) -> None:
        while True:
            await asyncio.sleep(ROOT_CHECK_S)
            with self._lock:
                roots = list(self._roots.values())
            for root in roots:
                self._check(root)
