"""What hears of changes to files: inotify, FSEvents, ReadDirectoryChangesW.

On Linux each folder has a watch of its own, so that ignored ones need none (`inotify`); elsewhere
one watch has all that is below a folder.
"""

from __future__ import annotations

import errno
import sys
from typing import Any

from watchdog.observers.api import BaseObserver

__all__ = ["follows_policies", "is_limit", "make_observer"]

_LIMITS = frozenset({errno.ENOSPC, errno.EMFILE, errno.ENFILE})
"""What inotify says when there are no more watches or instances to be had."""


def make_observer(policies: dict[str, Any]) -> BaseObserver:
    """The system's; on Linux it asks the roots in `policies`, by path, which folders to watch."""
    if sys.platform == "linux":
        # It loads inotify's functions, which no other system has.
        from surveyor.engine.index.inotify import PrunedObserver

        return PrunedObserver(policies)
    # What it is depends on the system, and is chosen when it is imported.
    from watchdog.observers import Observer

    return Observer()


def follows_policies() -> bool:
    """Whether the observer asks the roots which folders it should watch, also outside of them."""
    return sys.platform == "linux"


def is_limit(error: OSError) -> bool:
    """Whether there was no room for another watch, which the user can make."""
    return sys.platform == "linux" and error.errno in _LIMITS
