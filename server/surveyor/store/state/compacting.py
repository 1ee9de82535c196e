"""Writing `state.db` anew at rest, so that the room of what was deleted is given back.

After an upgrade much of the file may be free pages, and after a first index pages of random keys
are three quarters full. Whoever wants to write meanwhile ends it, and it is tried again later;
readers are not held up. It wants the size of what stays twice: beside the database and where SQLite
has its temporary files.
"""

from __future__ import annotations

import logging
import shutil
from dataclasses import dataclass
from pathlib import Path

from surveyor.platform.temporary_files import temporary_folder_of_sqlite
from surveyor.store.state import settings
from surveyor.store.state.database import State

__all__ = ["CompactingPlan", "compact_at_rest", "plan"]

log = logging.getLogger(__name__)

LEAST_BYTES = 8 << 20
MOST_BYTES = 1 << 30
"""What stays of a larger one is not copied: its free pages are used by what comes."""
FREE_SHARE = 0.1
"""From this share of free pages on."""
GROWTH = 1.3
"""Or when it has so many times the size that it had when it was written last."""


@dataclass(frozen=True, slots=True)
class CompactingPlan:
    """What writing the database anew would take."""

    bytes: int
    """That stay."""
    lacking: tuple[Path, ...]
    """Folders whose disks have too little room for it."""


async def plan(state: State, least_free: int) -> CompactingPlan | None:
    """What is to be done, if anything: `least_free` bytes of each disk are to stay free."""
    ((pages,),) = await state.read("PRAGMA page_count")
    ((free,),) = await state.read("PRAGMA freelist_count")
    ((size,),) = await state.read("PRAGMA page_size")
    before = int(await settings.value_of(state, settings.COMPACTED) or 0)
    stays = (pages - free) * size
    if pages * size < LEAST_BYTES or stays > MOST_BYTES:
        return None
    if free < pages * FREE_SHARE and stays < before * GROWTH:
        return None
    wanted: dict[int, list[Path]] = {}
    for folder in (state.path.parent, temporary_folder_of_sqlite()):
        wanted.setdefault(folder.stat().st_dev, []).append(folder)
    lacking = [
        folders[0]
        for folders in wanted.values()
        if shutil.disk_usage(folders[0]).free < len(folders) * stays + least_free
    ]
    return CompactingPlan(stays, tuple(lacking))


async def compact_at_rest(state: State) -> bool:
    """Write the database anew unless somebody writes, or wants to; whether it was done.

    Raises `StateFullError`.
    """
    if not await state.vacuum():
        return False
    ((pages,),) = await state.read("PRAGMA page_count")
    ((size,),) = await state.read("PRAGMA page_size")
    async with state.transaction() as tx:
        await settings.remember(tx, settings.COMPACTED, str(pages * size))
    return True
