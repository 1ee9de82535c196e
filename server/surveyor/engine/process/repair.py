"""Repairing a `state.db` that the engine cannot open, while no engine runs.

The damaged file is kept beside the new one. What cannot be made again (which folders are
registered, rules, notes) is read out of it row by row as far as it can be read, and beyond that out
of its spare copy; the rest is made again from the files.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterable
from pathlib import Path

from surveyor import paths
from surveyor.engine_lock import EngineLock, data_unusable
from surveyor.errors import SurveyorError
from surveyor.protocol.engine import Finding
from surveyor.store.state import State, StateError, Transaction, documents, files
from surveyor.store.state.content_digests import Damage, find_damage
from surveyor.store.state.kept_rows import KEPT, Key
from surveyor.store.state.salvage import accept_lost, is_sound, restore, rows_of_copy, salvaged
from surveyor.store.state.second_copy import KeyChange, described, files_of, set_aside, spare_of

NAMED = 5
"""So many lost rows are named."""


def repair_state(data: Path) -> list[Finding]:
    """Mend a damaged `state.db`, or set it aside and start a new one with what could be salvaged.

    Raises `SurveyorError` when an engine holds the data folder.
    """
    try:
        lock = EngineLock(paths.make_folders(data) / "engine.lock", data)
        acquired = lock.acquire()
    except OSError as error:
        raise data_unusable(data, error) from error
    if not acquired:
        raise SurveyorError("an engine is running", "End it first: `surveyor engine stop`.")
    try:
        return asyncio.run(_repair(data / "state.db"))
    finally:
        lock.release()
        paths.leave(data)


async def _repair(path: Path) -> list[Finding]:
    try:
        state = await State.open(path)
        sound = await is_sound(state)
        await state.close()
        if sound:
            damage = await asyncio.to_thread(find_damage, path)
            if not damage:
                return [Finding(check="state", ok=True, message=f"{path} is sound")]
            return [await _mend(path, damage)]
    except StateError as error:
        if "damaged" not in error.message:
            return [Finding(check="state", ok=False, message=error.message, hint=error.hint)]
    except (sqlite3.Error, UnicodeError):
        pass
    aside = set_aside(path)
    saved, lost = await asyncio.to_thread(salvaged, aside, spare_of(path))
    copy = spare_of(path)
    for file in files_of(copy):  # what it holds is written again; this one stays with the other
        if file.exists():
            file.rename(file.with_name(f"{file.name}{aside.name.removeprefix(path.name)}"))
    state = await State.open(path, anew=True)
    try:
        async with state.transaction() as tx:
            await restore(tx, saved)
    finally:
        await state.close()
    where = f"It is kept as {aside.name}. " if aside.exists() else ""
    return [
        Finding(
            check="state",
            ok=False,
            message=f"{path} was damaged; {_told(saved, lost)}",
            hint=f"{where}The index is made again.",
            repaired=True,
        )
    ]


def _told(saved: Iterable[KeyChange], lost: Iterable[Key]) -> str:
    brought = described(each.key[0] for each in saved if each.data is not None)
    text = f"brought back: {', '.join(brought) or 'nothing'}"
    names = [f"{KEPT[table].noun} {key}" for table, key in lost]
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"{text}; not brought back: {', '.join(names[:NAMED]) or 'nothing'}{more}"


async def _mend(path: Path, damage: Damage) -> Finding:
    """Rows whose pages can be read, but that are not what was written."""
    copies = await asyncio.to_thread(rows_of_copy, spare_of(path))
    state = await State.open(path)
    try:
        there = [copies[key] for key in damage.kept if key in copies]
        lost = [key for key in damage.kept if key not in copies]
        async with state.transaction() as tx:
            await restore(tx, there)
            await accept_lost(tx, lost)
            await _drop_derived(tx, damage)
    finally:
        await state.close()
    return Finding(
        check="state",
        ok=False,
        message=f"{path} was damaged ({damage.said()}); {_told(there, lost)}",
        hint="What is derived is made again from your files.",
        repaired=True,
    )


async def _drop_derived(tx: Transaction, damage: Damage) -> None:
    damaged = sorted(damage.documents)
    await files.delete_files_of_documents(tx, damaged)
    await documents.delete_damaged(tx, damage.texts, ())
    await documents.drop_unused(tx, damaged)
    await documents.delete_damaged(tx, (), damage.vectors)
