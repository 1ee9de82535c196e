"""Whether the disk has room for what is to be written, and since when not."""

from __future__ import annotations

import logging
import shutil
import time
from collections.abc import Callable
from pathlib import Path

from surveyor.engine.index.room_estimate import shortage
from surveyor.units import format_size

log = logging.getLogger(__name__)

DISK_RESERVE_BYTES = 100 << 20
"""Writing stops before less than this is free (`storage.min_free_disk` overrides)."""
FULL_SECONDS = 5.0
"""How long nothing is tried after the disk had no room, however much is said to be free: a quota
may be what is used up."""


class DiskRoom:
    """What state, store and pipeline ask before they write, and tell when they could not."""

    def __init__(
        self,
        folder: Path,
        *,
        min_free: int = DISK_RESERVE_BYTES,
        read_only: bool = False,
        on_refused: Callable[[], None] = lambda: None,
    ) -> None:
        """`on_refused` is called when something could not be written."""
        self.min_free = min_free
        """Bytes that stay free."""
        self.stopped_reason: str | None = None
        """Why nothing is written at the moment (`disk_full`, `read_only`), if so."""
        self._folder = folder
        self._read_only = read_only
        """Nothing that is written would last."""
        self._on_refused = on_refused
        self._full_until = 0.0
        self._missed = False

    def shortage(self, needed: int) -> str:
        """What to say where less room is left than is needed; empty where there is enough."""
        free = self._free()
        return "" if free is None else shortage(needed, free, self.min_free, str(self._folder))

    def said(self) -> str:
        """Why nothing is written, where the disk has no room."""
        free = self._free()
        room = "" if free is None else f", {format_size(free)} of it are free"
        return (
            f"The disk is nearly full: nothing is written in {self._folder} while less than"
            f" {format_size(self.min_free)} would stay free{room}. Nothing is lost: indexing goes"
            " on by itself when there is room."
        )

    def refused(self) -> None:
        """The disk had no room for something: nothing is written for a while."""
        self._missed = True
        self._full_until = time.monotonic() + FULL_SECONDS
        self.stopped_reason = "disk_full"
        self._on_refused()

    def take_missed(self) -> bool:
        """Whether something could not be written since this was last asked, be it that a file has
        changed."""
        missed, self._missed = self._missed, False
        return missed

    def has_room(self) -> bool:
        """Whether there is room for more; says so in `stopped_reason`."""
        if self._read_only:
            self.stopped_reason = "read_only"
            return False
        if time.monotonic() < self._full_until:
            return False
        free = self._free()
        if free is not None and free < self.min_free:
            self.stopped_reason = "disk_full"
            return False
        self.stopped_reason = None
        return True

    def _free(self) -> int | None:
        try:
            return shutil.disk_usage(self._folder).free
        except OSError as error:
            log.warning("free space of %s is unknown: %s", self._folder, error)
            return None
