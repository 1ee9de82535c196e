"""One root that is followed: its watches, and its events while a batch is collected."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Protocol

from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileAttribEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers.api import BaseObserver, ObservedWatch

from surveyor.engine.index.change_batches import MESSAGES, ChangeBatch, PendingEvents
from surveyor.engine.index.observer import follows_policies, is_limit
from surveyor.parsing.git_files import GitFiles
from surveyor.parsing.ignore import Ignore
from surveyor.parsing.walk import is_valid_name
from surveyor.paths import is_file

log = logging.getLogger(__name__)

QUIET_S = 0.1
"""A batch is handed over when nothing has happened for so long …"""

PATIENCE_S = 0.4
"""… or when its first event is so old."""

LIMITED_RESCAN_S = 60.0
"""How often a folder that cannot be watched whole is scanned instead."""

EVENTS: list[type[FileSystemEvent]] = [
    FileCreatedEvent,
    FileModifiedEvent,
    FileAttribEvent,
    FileClosedEvent,
    FileDeletedEvent,
    FileMovedEvent,
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
]
"""What is listened to. Without a filter, watchdog 7.1 reports the opens and closes of its own
reading and spins at 100 % CPU above some 3,000 folders."""


class RootOwner(Protocol):
    """What a root needs of the watcher that follows it."""

    loop: asyncio.AbstractEventLoop
    observer: BaseObserver | None
    cannot_watch: str
    """Why there is no observer, if so."""
    policies: dict[str, Any]
    """Roots by path: the observer on Linux asks them which folders to watch."""
    deliveries: set[asyncio.Task[None]]
    on_first: Callable[[str], None]
    """Called on the loop with the first file of a batch."""

    def call(self, function: Callable[..., object], *arguments: object) -> None:
        """Call something on the loop, from any thread."""

    def deliver(self, changes: ChangeBatch) -> None:
        """On the loop: hand a batch over without waiting for what is done with it."""


class WatchedRoot(FileSystemEventHandler):
    """One root: collects events (on watchdog's thread) and hands batches over (on the loop)."""

    def __init__(self, watcher: RootOwner, path: Path, ignore: Ignore) -> None:
        self._watcher = watcher
        self._path = path
        self._ignore = ignore
        self._prefix = f"{path}{os.sep}" if str(path) != path.anchor else str(path)
        self._git = GitFiles(path)
        self._lock = threading.Lock()
        self._pending = PendingEvents()
        self._timer: asyncio.TimerHandle | None = None
        self._armed = False
        self._announced = False
        """Whether the batch's first file has been said."""
        self._first_event = 0.0
        self._last_event = 0.0
        self._watches: list[ObservedWatch] = []
        self._stopped = False
        self._identity = identity_of(path)
        self._missing = False
        self._next_rescan = 0.0
        self.problem = ""

    # --- starting and stopping --------------------------------------------------------------

    def start(self) -> None:
        """Add the watches."""
        observer = self._watcher.observer
        if observer is None:
            self._set_problem(self._watcher.cannot_watch)
            return
        self._watcher.policies[str(self._path)] = self
        try:
            self._watches = [
                observer.schedule(self, str(self._path), recursive=True, event_filter=EVENTS)
            ]
            if not follows_policies():
                for folder in self._git.outside_folders():
                    self._watches.append(observer.schedule(self, str(folder), event_filter=EVENTS))
        except FileNotFoundError:  # it is just going away, or being replaced: `check` sees which
            self._identity = None
        except OSError as error:
            self._set_problem(limit_message(error))

    def stop(self) -> None:
        """Remove the watches; what is pending is dropped."""
        self._stopped = True
        self._unwatch()
        self._watcher.policies.pop(str(self._path), None)

    def _unwatch(self) -> None:
        observer = self._watcher.observer
        watches, self._watches = self._watches, []
        for watch in watches:
            try:
                assert observer is not None
                observer.unschedule(watch)
            except KeyError:
                pass  # its folder is gone, and so is its watch

    def _rewatch(self) -> None:
        self._unwatch()
        self._ignore.reload()
        self._git = GitFiles(self._path)
        if not self._stopped:
            self.problem = ""
            self.start()

    def watched_folders(self) -> int:
        """Number of folders that are watched."""
        group = self._group()
        return group.watched if group is not None else 0

    def _group(self) -> Any:
        find = getattr(self._watcher.observer, "group_of", None)
        return find(self._watches[0]) if find is not None and self._watches else None

    def _set_problem(self, problem: str) -> None:
        first = not self.problem
        self.problem = problem
        if first:
            log.warning("%s: %s", self._path, problem)
            self._next_rescan = 0.0

    # --- policy of the watches (Linux) ------------------------------------------------------

    def wants_folder(self, path: bytes) -> bool:
        """Whether to watch a folder."""
        text = os.fsdecode(path)
        if self._git.owns(text):
            return self._git.wants_folder(text)
        relative = self._relative(text)
        return relative is not None and not self._ignore.ignores_folder(relative)

    def extra_folders(self) -> Iterable[bytes]:
        """The parts of the repository's git folder that say what is checked out."""
        return [os.fsencode(folder) for folder in self._git.folders()]

    def on_overflow(self) -> None:
        """Events were lost."""
        log.warning("%s: too many changes at once; scanning again", self._path)
        self._note(lambda pending: pending.rescan("overflow"))

    def on_limit(self, error: OSError) -> None:
        """Not every folder could be watched."""
        self._set_problem(limit_message(error))

    # --- events -----------------------------------------------------------------------------

    def on_any_event(self, event: FileSystemEvent) -> None:
        """On watchdog's thread: note what an event hints at. An error must not end the thread."""
        try:
            self._on_event(event)
        except Exception:
            log.exception("following %s failed", event)

    def _on_event(self, event: FileSystemEvent) -> None:
        source, target = os.fsdecode(event.src_path), os.fsdecode(event.dest_path or b"")
        if self._git.owns(source) or (target and self._git.owns(target)):
            if self._git.matters(source) or (target and self._git.matters(target)):
                self._note(lambda pending: pending.git())
            if self._git.holds_rules(source) or (target and self._git.holds_rules(target)):
                self._note(lambda pending: pending.rescan("rules"))
            return
        old, new = self._relative(source), self._relative(target) if target else None
        if old == "":
            return  # the root itself: `check` sees whether it is gone
        if old is not None and old.endswith("/.git"):  # a repository begins or ends inside
            self._ignore.forget_folder(old.removesuffix("/.git"), below=True)
            self._note(lambda pending: pending.rescan("rules"))
            return
        if isinstance(event, DirMovedEvent | DirDeletedEvent | DirCreatedEvent):
            self._note_folder(event, source, old, new)
            return
        path = new or old
        if path is None:
            return
        if not self._announced and not self._ignored(path):
            self._announced = True
            self._watcher.call(self._watcher.on_first, path)
        self._note(lambda pending: pending.file(event, old, new))

    def _note_folder(
        self, event: FileSystemEvent, source: str, old: str | None, new: str | None
    ) -> None:
        moved = isinstance(event, DirMovedEvent)
        for path in (old, new):
            if path is not None:
                self._ignore.forget_folder(path, below=moved)
        if isinstance(event, DirDeletedEvent):
            group = self._group()
            if group is not None:
                group.forget_below(os.fsencode(source))
        if old is not None and (isinstance(event, DirDeletedEvent) or (moved and new is None)):
            gone = old
            self._note(lambda pending: pending.folder_gone(gone))

    def _relative(self, path: str) -> str | None:
        """A path below the root; None for one outside, or whose name cannot be stored."""
        if path.startswith(self._prefix):
            relative = path[len(self._prefix) :].replace(os.sep, "/")
            return relative if is_valid_name(relative) else None
        return "" if path == str(self._path) else None

    def _note(self, change: Callable[[PendingEvents], None]) -> None:
        if self._stopped:
            return
        with self._lock:
            change(self._pending)
            now = self._watcher.loop.time()
            self._last_event = now
            if self._armed:
                return
            self._armed = True
            self._first_event = now
        self._watcher.call(self._arm)

    def _arm(self) -> None:
        """On the loop: look again when the batch could be complete."""
        with self._lock:
            due = min(self._last_event + QUIET_S, self._first_event + PATIENCE_S)
        self._timer = self._watcher.loop.call_at(due, self._flush)

    def _flush(self) -> None:
        loop = self._watcher.loop
        now = loop.time()
        with self._lock:
            due = min(self._last_event + QUIET_S, self._first_event + PATIENCE_S)
            if now < due:
                self._timer = loop.call_at(due, self._flush)
                return
            pending, self._pending = self._pending, PendingEvents()
            self._armed = self._announced = False
        if not self._stopped:
            task = loop.create_task(self._hand_over(pending))
            self._watcher.deliveries.add(task)
            task.add_done_callback(self._watcher.deliveries.discard)

    async def _hand_over(self, pending: PendingEvents) -> None:
        changes = await asyncio.to_thread(self._resolve, pending)
        if changes and not self._stopped:
            self._watcher.deliver(changes)

    def _resolve(self, pending: PendingEvents) -> ChangeBatch:
        """What is true on disk now of what the events hinted at."""
        changes = ChangeBatch(
            self._path,
            git_changed=pending.git_changed,
            settings_changed=pending.touches_settings,
        )
        if identity_of(self._path) is None:  # what was below it went with it, and is no news
            changes.missing, changes.git_changed, self._missing = not self._missing, False, True
            return changes
        if pending.touches_rules:
            pending.rescan("rules")
        if pending.reason:
            if pending.reason == "rules":
                self._rewatch()
            changes.overflow = True
            changes.reason = pending.reason
            changes.message = MESSAGES[pending.reason]
            return changes
        if pending.git_changed:
            self._ignore.reload()  # what is tracked although ignored may be another set
        for old, new in pending.renamed.items():
            if self._is_file(new) and not self._is_there(old) and not self._ignored(old):
                if not self._ignored(new):
                    changes.renamed.append((old, new))
                    pending.touched.pop(new, None)
                    pending.touched.pop(old, None)
            else:
                pending.touched.setdefault(new, None)
                pending.touched.setdefault(old, None)
        for path in pending.touched:
            if self._ignored(path):
                if self._ignore.excludes(path) and not self._is_there(path):
                    changes.deleted.add(path)  # it is listed as left out
                continue
            if self._is_file(path):
                changes.modified.add(path)
            elif not self._is_there(path):
                changes.deleted.add(path)
        for folder in pending.folders_gone:
            if not self._is_there(folder) and not self._ignore.ignores_folder(folder):
                changes.deleted.add(folder)
        return changes

    def _ignored(self, path: str) -> bool:
        return self._ignore.ignores_file(path)

    def _is_file(self, path: str) -> bool:
        full = self._path / path
        return is_file(full) and not full.is_symlink()

    def _is_there(self, path: str) -> bool:
        return os.path.lexists(self._path / path)

    # --- the root itself --------------------------------------------------------------------

    async def check(self) -> None:
        """On the loop, now and then: is the root there, and is a scan due?"""
        identity = await asyncio.to_thread(identity_of, self._path)
        if self._stopped:
            return
        if identity is None:
            if not self._missing:
                self._missing = True
                self._watcher.deliver(ChangeBatch(self._path, missing=True))
            return
        if self._missing or identity != self._identity:
            self._missing, self._identity = False, identity
            await asyncio.to_thread(self._rewatch)
            self._watcher.deliver(
                ChangeBatch(
                    self._path, overflow=True, reason="returned", message=MESSAGES["returned"]
                )
            )
        elif self.problem and self._watcher.loop.time() >= self._next_rescan:
            self._next_rescan = self._watcher.loop.time() + LIMITED_RESCAN_S
            self._watcher.deliver(
                ChangeBatch(self._path, overflow=True, reason="limit", message=self.problem)
            )


def identity_of(path: Path) -> tuple[int, int] | None:
    """Device and inode of a folder; None when it is not there."""
    try:
        status = path.stat()
    except OSError:
        return None
    return (status.st_dev, status.st_ino)


def limit_message(error: OSError) -> str:
    """What is said where not everything can be watched."""
    if is_limit(error):
        return (
            "Not all folders can be watched"
            f" ({error.strerror or error}); it is scanned every {LIMITED_RESCAN_S:.0f} s instead."
            " Raise the limits: sysctl fs.inotify.max_user_watches=1048576"
            " fs.inotify.max_user_instances=1024"
        )
    return f"The folder cannot be watched ({error.strerror or error}); it is scanned instead"
