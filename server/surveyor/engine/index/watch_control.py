"""Which folders the watcher follows, and by which rules."""

from __future__ import annotations

import asyncio
from pathlib import Path

from surveyor.engine.index.watch import Watcher
from surveyor.engine.process.live_settings import LiveSettings
from surveyor.engine.projects.checkouts import Checkout
from surveyor.parsing.ignore import Ignore, WalkSettings


class WatchControl:
    """Has the watcher follow checkouts as the settings of now want it."""

    def __init__(self, watcher: Watcher, live_settings: LiveSettings) -> None:
        self._watcher = watcher
        self._live_settings = live_settings
        self._rules: dict[str, WalkSettings] = {}
        """By root that is followed."""

    async def watch(self, checkout: Checkout) -> None:
        """Follow changes, if that is wanted, by the rules of now."""
        if not (checkout.watched and self._live_settings.settings.watching.enabled):
            return
        wanted = self._live_settings.walk(checkout.root)
        if self._rules.get(checkout.root) != wanted:
            self._rules[checkout.root] = wanted
            await asyncio.to_thread(self._add, Path(checkout.root), wanted)

    def _add(self, root: Path, wanted: WalkSettings) -> None:
        """Blocks: the rules of a large repository are read with git, for a second or more."""
        self._watcher.add(root, Ignore(root, wanted))

    async def unwatch(self, checkout: Checkout) -> None:
        """Follow changes no more."""
        if checkout.root in self._rules:
            del self._rules[checkout.root]
            await asyncio.to_thread(self._watcher.remove, Path(checkout.root))

    def has_other_rules(self, checkout: Checkout) -> bool:
        """Whether a folder is followed by rules that are not those of now."""
        return self._rules.get(checkout.root) not in (
            None,
            self._live_settings.walk(checkout.root),
        )
