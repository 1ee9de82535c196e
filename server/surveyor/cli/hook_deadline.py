"""The end of a hook's time: an agent that waits for one does not work.

It counts from the start of the process, for on a busy machine the interpreter and what a command
imports may take as long as the answer. Only the standard library is imported here: what else a
command needs is loaded within the time.
"""

from __future__ import annotations

import os
import threading
import time

from surveyor.platform.processes import age_s

__all__ = ["HookDeadline", "hook_deadline", "is_hook"]

HOOK_S = 1.7
"""Of the 2 s that a hook may take; the rest is for the shell around it, and for its end."""


def is_hook(arguments: list[str]) -> bool:
    """Whether a command line is one that agents' hooks run."""
    if "--hook" in arguments:
        return arguments[:1] == ["check"] or arguments[:2] == ["memory", "inject"]
    return arguments[:1] == ["hint"]


class HookDeadline:
    """Ends this process, silently and with exit code 0, when the time of a hook is over."""

    def __init__(self, limit_s: float = HOOK_S) -> None:
        """Count from the start of the process."""
        left = max(0.0, limit_s - age_s())
        self._until = time.monotonic() + left
        self._timer = threading.Timer(left, os._exit, (0,))
        self._timer.daemon = True

    def start(self) -> None:
        """End the process from now on, once its time is over."""
        global _of_process
        _of_process = self
        self._timer.start()

    def left_s(self) -> float:
        """Seconds until then."""
        return max(0.0, self._until - time.monotonic())

    def met(self) -> None:
        """The answer is there, and is said as a whole: the process ends by itself."""
        self._timer.cancel()


_of_process: HookDeadline | None = None


def hook_deadline() -> HookDeadline:
    """That of this process; where none was started, one that ends nothing."""
    return _of_process or HookDeadline()
