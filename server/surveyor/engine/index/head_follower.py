"""Queues the reading of histories whose head has moved, once their code is indexed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path

from surveyor.engine.projects.checkouts import Checkout
from surveyor.errors import SurveyorError
from surveyor.git.project import describe
from surveyor.knowledge.anchors import AnchorFolder
from surveyor.knowledge.history.index import History

log = logging.getLogger(__name__)

LOOK_S = 10.0
"""How often the heads of registered repositories are compared with what has been read."""


class HeadFollower:
    """Compares the heads of the registered repositories with what has been read of them."""

    def __init__(
        self,
        history: History,
        checkouts: Callable[[], Awaitable[list[Checkout]]],
        is_busy: Callable[[str], bool],
        is_wanted: Callable[[], bool],
    ) -> None:
        """`is_busy` says of a checkout's id whether its code is being indexed; `is_wanted` whether
        histories are read at all now."""
        self._history = history
        self._checkouts = checkouts
        self._is_busy = is_busy
        self._is_wanted = is_wanted

    async def run(self) -> None:
        """Look now and then; never returns."""
        while True:
            await asyncio.sleep(LOOK_S)
            if not self._is_wanted():
                continue
            for checkout in await self._checkouts():
                try:
                    await self._look(checkout)
                except SurveyorError as error:
                    log.warning("history of %s: %s", checkout.root, error.message)
                except Exception:
                    log.exception("the history of %s could not be looked at", checkout.root)

    async def _look(self, checkout: Checkout) -> None:
        if self._is_busy(checkout.checkout_id) or checkout.missing_since:
            return
        info = await asyncio.to_thread(describe, Path(checkout.root))
        place = AnchorFolder(checkout.checkout_id, checkout.project_id, checkout.root)
        if not await self._history.is_current(place, info.head):
            await self._history.request(place, 0)
