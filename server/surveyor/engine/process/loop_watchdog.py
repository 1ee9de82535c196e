"""Says in the log what held the event loop: while it is held, nobody is answered.

The loop's selector knows when the loop begins to work and when it waits again. A thread looks at
the stack of a loop that has worked for too long; where native code keeps the interpreter's lock the
thread cannot look either, and how long that took is said afterwards.
"""

from __future__ import annotations

import asyncio
import logging
import selectors
import sys
import threading
import time
import traceback
from collections import Counter
from typing import Any

from surveyor.platform.event_loop import has_selector
from surveyor.units import counted

log = logging.getLogger(__name__)

HELD_S = 0.25
"""A loop that works for so long without looking for what has come is held."""
LOOK_S = 0.1
"""How often the thread looks while the loop works."""
STILL_S = 5.0
"""A loop that is held for so long is reported before it is free."""
REPORT_EVERY_S = 10.0
"""At most one report of a task in so long; the next says how many there were."""
FRAMES = 12


class WatchedSelector(selectors.DefaultSelector):
    """The system's selector, which notes when it is asked and when it has answered."""

    def __init__(self) -> None:
        super().__init__()
        self.busy_since: float | None = None
        """By `time.monotonic`; None while the loop waits."""
        self.watchdog: Watchdog | None = None

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """What is ready; the loop has nothing to do meanwhile."""
        since, self.busy_since = self.busy_since, None
        watchdog = self.watchdog
        if watchdog is not None and since is not None and time.monotonic() - since > HELD_S:
            watchdog.freed(since)
        try:
            return super().select(timeout)
        finally:
            self.busy_since = time.monotonic()
            if watchdog is not None and watchdog.rests:
                watchdog.wake()


class Watchdog:
    """A thread that logs where the event loop is blocked."""

    def __init__(self, loop: asyncio.AbstractEventLoop, selector: WatchedSelector) -> None:
        """To be made in the loop's thread."""
        self._loop = loop
        self._selector = selector
        self._thread_id = threading.get_ident()
        self._awake = threading.Event()
        self.rests = False
        self._seen: tuple[float, str] | None = None
        """When the loop began what it is held by, and what that was."""
        self._said_still = 0.0
        self._reported: dict[str, float] = {}
        """When which task was reported."""
        self._unsaid: Counter[str] = Counter()
        selector.watchdog = self
        threading.Thread(target=self._watch, name="watchdog", daemon=True).start()

    def wake(self) -> None:
        """The loop works again."""
        self._awake.set()

    def freed(self, since: float) -> None:
        """The loop is free again, having worked since then."""
        seen, self._seen = self._seen, None
        what = (
            seen[1]
            if seen is not None and seen[0] == since
            else "native code that kept the interpreter's lock: no stack could be read meanwhile"
        )
        self._report(f"the event loop was held for {time.monotonic() - since:.2f} s", what)

    def _watch(self) -> None:
        while True:
            since = self._selector.busy_since
            if since is None:
                self._rest()
                continue
            held = time.monotonic() - since
            if held > HELD_S and (self._seen is None or self._seen[0] != since):
                self._seen = (since, self._stack())
            if held > STILL_S and self._said_still != since:
                self._said_still = since
                log.warning(
                    "the event loop has been held for %.0f s so far by %s", held, self._stack()
                )
            time.sleep(LOOK_S)

    def _rest(self) -> None:
        self._awake.clear()
        self.rests = True
        if self._selector.busy_since is None:
            self._awake.wait()
        self.rests = False

    def _stack(self) -> str:
        """What the loop does now: the task's name and the innermost calls."""
        frame = sys._current_frames().get(self._thread_id)
        if frame is None:
            return "a thread that has ended"
        calls = traceback.extract_stack(frame)[-FRAMES:]
        lines = [f"  {call.filename}:{call.lineno} {call.name}" for call in calls]
        return "\n".join([f"{self._task()}:", *lines])

    def _task(self) -> str:
        try:
            task: asyncio.Task[Any] | None = asyncio.current_task(self._loop)
        except RuntimeError:
            task = None
        if task is None:
            return "a callback"
        name = task.get_name()
        if name.startswith("Task-"):  # nobody has named it
            name = getattr(task.get_coro(), "__qualname__", name)
        return name

    def _report(self, how_long: str, what: str) -> None:
        now = time.monotonic()
        task = what.partition("\n")[0]
        if now - self._reported.get(task, float("-inf")) < REPORT_EVERY_S:
            self._unsaid[task] += 1
            return
        unsaid = self._unsaid.pop(task, 0)
        more = f" ({counted(unsaid, 'more time')} since the last report)" if unsaid else ""
        self._reported[task] = now
        log.warning("%s%s by %s", how_long, more, what)


def watched_loop() -> asyncio.AbstractEventLoop:
    """A new event loop that says what holds it, once `watch` has been called in it."""
    if not has_selector():
        return asyncio.new_event_loop()
    return asyncio.SelectorEventLoop(WatchedSelector())


def watch() -> None:
    """Watch the running loop, if it is one of `watched_loop`."""
    loop = asyncio.get_running_loop()
    selector = getattr(loop, "_selector", None)
    if isinstance(selector, WatchedSelector):
        Watchdog(loop, selector)
