"""asyncio's loop: how it is told that the process shall end, and what kind it is."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from collections.abc import Callable
from types import FrameType

__all__ = ["has_selector", "on_end_signals"]


def has_selector() -> bool:
    """Whether the loop waits with a selector, which can be watched. That of Windows has none."""
    return sys.platform != "win32"


def on_end_signals(
    loop: asyncio.AbstractEventLoop, end: Callable[[str], object], *, hangup: bool = False
) -> None:
    """Call `end` on the loop, with the signal's name, when the process is told to end.

    `hangup` counts the end of the terminal too. Nothing outside the main thread, which alone hears
    of signals. Windows sends none; Ctrl+C and Ctrl+Break of its console come as signals.
    """
    names = ["SIGTERM", "SIGINT", *(["SIGHUP"] if hangup else []), "SIGBREAK"]
    for name in names:
        number: signal.Signals | None = getattr(signal, name, None)
        if number is None:
            continue
        with contextlib.suppress(ValueError, RuntimeError):
            if sys.platform == "win32":
                signal.signal(number, _handler(loop, end, name))
            else:
                loop.add_signal_handler(number, end, name)


def _handler(
    loop: asyncio.AbstractEventLoop, end: Callable[[str], object], name: str
) -> Callable[[int, FrameType | None], None]:
    def on_signal(number: int, frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(end, name)

    return on_signal
