"""The data folder under a running engine: an engine that has lost it ends, and says so."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from collections.abc import Callable
from pathlib import Path

import psutil

from surveyor.engine_lock import EngineLock
from surveyor.errors import SurveyorError

log = logging.getLogger(__name__)

LOOK_S = 1.0
"""How often it is looked at. A new engine may start at the old place as soon as it is free."""
EXIT_CODE = 5


class DataFolderHold:
    """Checks that the data folder, its lock and the engine's socket are still where they were."""

    def __init__(self, data: Path, lock: EngineLock, sockets: Path) -> None:
        self._data = data
        self._lock = lock
        self._sockets = sockets

    async def monitor(self, stop: Callable[[str], None]) -> None:
        """Check the folder every `LOOK_S` seconds: end the engine when it is gone, and call `stop`
        with the reason when its lock or its socket is."""
        while True:
            await asyncio.sleep(LOOK_S)
            if await asyncio.to_thread(self._lock.is_moved):
                self.give_up()
            if await asyncio.to_thread(self._is_cut_off):
                stop(f"its lock or its socket in {self._sockets} has been removed")
                return

    def check(self) -> SurveyorError | None:
        """What to say where an answer failed because the folder is gone; the engine ends then."""
        if not self._lock.is_moved():
            return None
        asyncio.get_running_loop().call_later(0.2, self.give_up)
        said = SurveyorError(
            f"the data folder {self._data} was deleted, moved or replaced while the engine ran",
            "Run the command again: a new engine starts with what is there now.",
        )
        said.code = "data_folder_gone"
        return said

    def give_up(self) -> None:
        """End at once, children included. Closing would remove files by their names, and those at
        the old place may be another engine's by now; what is committed is in the moved folder."""
        log.error(
            "%s was deleted, moved or replaced while the engine ran: this engine ends. The next"
            " command starts another one with what is there now.",
            self._data,
        )
        for child in psutil.Process().children(recursive=True):
            with contextlib.suppress(psutil.Error):
                child.kill()
        os._exit(EXIT_CODE)

    def _is_cut_off(self) -> bool:
        listening = self._sockets / "session.sock"
        if not listening.exists():
            return True
        return self._lock.is_lost()
