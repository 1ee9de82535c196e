"""Linux: watchdog's recursive watch without the folders that are ignored.

watchdog adds a watch for every folder below a root and has no way to leave some out; a
`node_modules` of 50,000 folders would cost 50 MB of kernel memory and the user's watch limit. The
two classes here override its (private) bookkeeping for that, to count what could not be watched,
to be told of overflows, and to watch a repository's git folder sparingly. They fit watchdog 7.1,
which `pyproject.toml` pins.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from watchdog.observers.api import EventQueue, ObservedWatch
from watchdog.observers.inotify import InotifyEmitter, InotifyObserver, InotifyWatchGroup
from watchdog.observers.inotify_c import (
    InotifyConstants,
    InotifyEvent,
    Mask,
    WatchDescriptor,
)
from watchdog.observers.inotify_move_event_grouper import InotifyMoveEventGrouper

MOVE_PATIENCE_S = 0.05
"""How long half of a rename waits for its other half; both come from one system call."""


class WatchPolicy(Protocol):
    """What the watcher of one root decides."""

    def wants_folder(self, path: bytes) -> bool:
        """Whether to watch a folder (an absolute path)."""

    def extra_folders(self) -> Iterable[bytes]:
        """Folders outside the tree that are watched too, without what is below them."""

    def on_overflow(self) -> None:
        """Events were lost."""

    def on_limit(self, error: OSError) -> None:
        """A folder could not be watched because a limit of the system is reached."""


class _QuickGrouper(InotifyMoveEventGrouper):
    delay = MOVE_PATIENCE_S


@dataclass
class PrunedWatchGroup(InotifyWatchGroup):
    """The watches of one root."""

    policy: WatchPolicy | None = None

    def __post_init__(self) -> None:
        self._move_event_grouper = _QuickGrouper()
        self._limited = False
        super().__post_init__()

    def _add_all_callbacks(self, path: bytes) -> None:
        policy = self.policy
        assert policy is not None
        if path != self.path and not policy.wants_folder(path):
            return
        self._add_callback(path)
        waiting = [path]
        while waiting and not self._limited:
            folder = waiting.pop()
            for name, is_folder in _entries(folder):
                full = folder + b"/" + name
                if is_folder and policy.wants_folder(full):
                    self._add_callback(full)
                    waiting.append(full)
        if path == self.path:
            for extra in policy.extra_folders():
                self._add_callback(extra)

    def _add_callback(self, path: bytes) -> None:
        assert self.policy is not None
        try:
            wd = self._register(path)
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EMFILE, errno.ENOMEM):
                self._limited = True
                self.policy.on_limit(error)
            elif path == self.path:
                raise
            return
        if wd is None:
            return
        self._active_callbacks_by_path[path] = wd
        self._active_callbacks_by_watch[wd] = path

    def _register(self, path: bytes) -> WatchDescriptor | None:
        """As `add_callback`, but a folder met twice (in its own event and in its parent's) is no
        reason for a warning; None without the permission to read the folder."""
        descriptor = self._inotify_fd
        with descriptor._lock:
            watch = descriptor._get_or_create_watch(path, self.event_mask)
            if watch.wd == -1:
                descriptor._watch_for_wd.pop(watch.wd, None)
                return None
            watch.callbacks[self._id] = self._callback
            return watch.wd

    def _recursive_simulate(self, src_path: bytes) -> list[InotifyEvent]:
        """What a new folder already holds: it was filled before its watch was there."""
        events = []
        waiting = [src_path]
        while waiting:
            folder = waiting.pop()
            wd = self._active_callbacks_by_path.get(folder)
            if wd is None:
                continue
            for name, is_folder in _entries(folder):
                mask = InotifyConstants.IN_CREATE
                if is_folder:
                    mask = Mask(mask | InotifyConstants.IN_ISDIR)
                    waiting.append(folder + b"/" + name)
                events.append(InotifyEvent(wd, mask, 0, name))
        return events

    def on_queue_overflow(self) -> None:
        """The kernel dropped events: watches are made anew, and the owner rescans."""
        self._limited = False
        super().on_queue_overflow()
        assert self.policy is not None
        self.policy.on_overflow()

    def forget_below(self, path: bytes) -> None:
        """Stop watching a folder that was moved out of the root, and all below it.

        A folder that was deleted has lost its watch by itself.
        """
        with self._lock:
            if path not in self._active_callbacks_by_path:
                return
            prefix = path + b"/"
            self._remove_callbacks(
                [
                    wd
                    for wd, known in self._active_callbacks_by_watch.items()
                    if known == path or known.startswith(prefix)
                ]
            )

    @property
    def watched(self) -> int:
        """Number of folders that are watched."""
        return len(self._active_callbacks_by_watch)


def _entries(folder: bytes) -> list[tuple[bytes, bool]]:
    """Names in a folder and whether they are folders themselves; links are not."""
    try:
        with os.scandir(folder) as entries:
            return [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
    except OSError:
        return []


class PrunedEmitter(InotifyEmitter):
    """Reports the events of one root; finds the root's policy by its path."""

    def __init__(
        self,
        event_queue: EventQueue,
        watch: ObservedWatch,
        *,
        policies: dict[str, WatchPolicy],
        **options: Any,
    ) -> None:
        super().__init__(event_queue, watch, **options)
        self._policy = policies[watch.path]

    def on_thread_start(self) -> None:
        """Add the watches; runs on the emitter's own thread start, in the caller."""
        self._inotify = PrunedWatchGroup(
            self._inotify_fd,
            os.fsencode(self.watch.path),
            is_recursive=True,
            event_mask=self.get_event_mask_from_filter(),
            policy=self._policy,
        )

    @property
    def group(self) -> PrunedWatchGroup | None:
        """The watches; None once stopped."""
        return self._inotify if isinstance(self._inotify, PrunedWatchGroup) else None


class PrunedObserver(InotifyObserver):
    """An observer whose roots are watched under a policy each."""

    def __init__(self, policies: dict[str, WatchPolicy]) -> None:
        super().__init__()
        self._emitter_class = PrunedEmitter
        self._emitter_kwargs["policies"] = policies

    def group_of(self, watch: ObservedWatch) -> PrunedWatchGroup | None:
        """The watches of a scheduled root."""
        emitter = self._emitter_for_watch.get(watch)
        return emitter.group if isinstance(emitter, PrunedEmitter) else None
