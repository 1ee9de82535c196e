"""Settings whose change deletes something come into force a day later, so that it can be undone.

Kept in `state.db`: a restart, another shell's variables or a file that was broken for an hour
change nothing of what is being waited for.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass

from surveyor.store.state import State
from surveyor.store.state import settings as setting_values

WAIT_S = 86400.0
"""How long a smaller limit waits."""
PREFIX = "in_force:"
"""Of the keys in `settings`."""


@dataclass(frozen=True, slots=True)
class WaitingLimit:
    """A limit that was made smaller and does not count yet."""

    name: str
    """Section and key."""
    in_force: float
    wanted: float
    due: float
    """In seconds since 1970."""


@dataclass(frozen=True, slots=True)
class _Known:
    value: float
    wanted: float
    since: float


@dataclass(slots=True)
class LimitGuard:
    """Limits below which something goes: a larger one counts at once, a smaller one in a day."""

    state: State

    async def in_force(self, wanted: Mapping[str, float]) -> dict[str, float]:
        """What counts now for each of some limits, given what the settings say.

        Only to be asked while the settings could be read.
        """
        known, at = await self._known(), time.time()
        found = {name: _next(known.get(name), value, at) for name, value in wanted.items()}
        changed = {name: one for name, one in found.items() if known.get(name) != one}
        if changed:
            async with self.state.transaction() as tx:
                for name, one in changed.items():
                    value = json.dumps([one.value, one.wanted, one.since])
                    await setting_values.remember(tx, PREFIX + name, value)
        return {name: one.value for name, one in found.items()}

    async def waiting(self) -> list[WaitingLimit]:
        """The limits that have not come into force yet."""
        return [
            WaitingLimit(name, one.value, one.wanted, one.since + WAIT_S)
            for name, one in sorted((await self._known()).items())
            if one.wanted < one.value
        ]

    async def _known(self) -> dict[str, _Known]:
        found = await setting_values.values_with(self.state, PREFIX)
        return {name: _Known(*json.loads(value)) for name, value in found.items()}


def _next(known: _Known | None, wanted: float, at: float) -> _Known:
    """What is known of a limit once the settings say `wanted`."""
    if known is None or wanted >= known.value:
        same = known is not None and (known.value, known.wanted) == (wanted, wanted)
        return known if known is not None and same else _Known(wanted, wanted, at)
    if wanted != known.wanted or at < known.since:  # another one, or the clock was put back
        return _Known(known.value, wanted, at)
    return _Known(wanted, wanted, at) if at - known.since >= WAIT_S else known
