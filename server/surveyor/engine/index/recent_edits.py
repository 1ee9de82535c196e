"""Files that somebody is working on, by what was written to them lately."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection

__all__ = ["RecentEdits"]

MOST_AT_ONCE = 10
"""Files of one batch of changes: of more, a program wrote them (a checkout, a formatter)."""
KEPT = 20
"""Files that are remembered of a checkout, the latest."""
FADES_S = 3600.0
"""After so long a file that was edited counts for nothing; until then, less and less."""


class RecentEdits:
    """The last edits by checkout, in memory: they are gone with the engine."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._edited: dict[str, dict[str, float]] = {}
        """By checkout: path -> when, the latest last."""

    def add(self, checkout_id: str, paths: Collection[str]) -> None:
        """Files that were just written."""
        if not paths or len(paths) > MOST_AT_ONCE:
            return
        edited = self._edited.setdefault(checkout_id, {})
        now = self._clock()
        for path in sorted(paths):
            edited.pop(path, None)
            edited[path] = now
        for path in list(edited)[:-KEPT]:
            del edited[path]

    def weights(self, checkout_id: str) -> dict[str, float]:
        """Path -> 1 for a file that was written just now, falling to 0."""
        now = self._clock()
        edited = self._edited.get(checkout_id, {})
        aged = {path: 1.0 - (now - at) / FADES_S for path, at in edited.items()}
        return {path: weight for path, weight in aged.items() if weight > 0.0}
