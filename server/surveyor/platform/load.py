"""How much slower than on an idle machine things go here, as the load says."""

from __future__ import annotations

import os

__all__ = ["MAX_SLOWNESS", "slowness"]

MAX_SLOWNESS = 3.0
"""What takes longer than this many times its time does not only wait for a processor."""


def slowness() -> float:
    """Processes that want a processor, for each that there is: 1 where none has to wait, and on
    systems that do not say."""
    try:
        load = os.getloadavg()[0]
    except (AttributeError, OSError):
        return 1.0
    return min(MAX_SLOWNESS, max(1.0, load / (os.cpu_count() or 1)))
