"""Moving all points to another store, while no engine runs.

Who moves holds the engine's lock: nothing is written meanwhile, so that what is compared at the end
is what there was. Nothing is removed from the old store.
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec import structs

from surveyor import paths
from surveyor.config import Settings
from surveyor.engine.index.points import payload_of
from surveyor.engine.process.store_executor import open_vectors
from surveyor.engine_lock import EngineLock, data_unusable
from surveyor.errors import SurveyorError
from surveyor.parsing.types import Chunk
from surveyor.store.state import State, documents
from surveyor.store.vectors.contract import Space, StoreFullError, VectorStore
from surveyor.store.vectors.edge import EdgeStore
from surveyor.store.vectors.move import StoreMove, embedded_bytes
from surveyor.store.vectors.server import ServerStore
from surveyor.units import counted, format_size

LOCK_TRIES = 50
LOCK_PAUSE_S = 0.1
"""Faces that have lost their engine start another one: it may have the lock for a moment."""

OnProgress = Callable[[str, int, int], None]
"""Told of a phase (`copying`, `verifying`), and of how many points of how many are done."""


@dataclass(frozen=True, slots=True)
class StoreMoveReport:
    """What a move has come to."""

    spaces: int
    points: int
    copied: int
    """Of these, in this run; the others were there."""
    elapsed_s: float


@contextlib.contextmanager
def engine_kept_away(data: Path, end_engine: Callable[[], object]) -> Iterator[None]:
    """Hold the engine's lock; `end_engine` is called for as long as another one has it."""
    try:
        lock = EngineLock(paths.make_folders(data) / "engine.lock", data)
        tries = 0
        while not lock.acquire():
            if tries == LOCK_TRIES:
                raise SurveyorError(
                    "an engine is started again and again", "Close editors and agents meanwhile."
                )
            tries += 1
            end_engine()
            time.sleep(LOCK_PAUSE_S)
    except OSError as error:
        raise data_unusable(data, error) from error
    try:
        yield
    finally:
        lock.release()
        paths.leave(data)


def with_store(settings: Settings, url: str | None) -> Settings:
    """The same settings with the store at `url`, or embedded without one."""
    return settings.model_copy(update={"qdrant": settings.qdrant.model_copy(update={"url": url})})


def check_server(data: Path, settings: Settings) -> str:
    """The version of the server that settings name. Raises `StoreError` where it is away, refuses
    the key or is too old."""
    with contextlib.ExitStack() as leaving:
        store = _opened(data, settings, leaving)
        return store.version() if isinstance(store, ServerStore) else ""


def move_points(
    data: Path, old: Settings, new: Settings, told: OnProgress, *, anew: bool = False
) -> StoreMoveReport:
    """Copy the points of the store that `old` names to that of `new`, and verify them.

    Goes on where an earlier move was interrupted; `anew` copies every point. Raises `StoreError`.
    """
    began = time.monotonic()
    with contextlib.ExitStack() as leaving:
        source, target = _opened(data, old, leaving), _opened(data, new, leaving)
        whole = None
        if target.payload_fields is None and (data / "state.db").exists():
            runner = leaving.enter_context(asyncio.Runner())
            state = runner.run(State.open(data / "state.db"))
            leaving.callback(lambda: runner.run(state.close()))

            def whole(space: Space, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
                return runner.run(_payloads(state, space, ids))

        _refuse_damage(source)
        move = StoreMove(source, target, whole)
        if anew:
            for space in source.spaces():
                move.discard(space)
        plan = move.plan()
        total = sum(each.points for each in plan)
        present = sum(each.present for each in plan)
        if isinstance(target, EdgeStore):
            _require_room(data, total - present, embedded_bytes(plan), new.storage.least_free)
        done = present
        told("copying", done, total)
        for each in plan:
            for copied in move.copy(each.space):
                done += copied
                told("copying", done, total)
        verified = 0
        for each in plan:
            move.verify(each.space)
            verified += each.points
            told("verifying", verified, total)
        return StoreMoveReport(len(plan), total, total - present, time.monotonic() - began)


def clear_points(data: Path, settings: Settings) -> int:
    """Remove this data folder's points from the store that settings name; how many there were."""
    with contextlib.ExitStack() as leaving:
        store = _opened(data, settings, leaving)
        spaces = store.spaces()
        points = sum(store.count(space) for space in spaces)
        for space in spaces:
            store.drop(space)
        return points


def _opened(data: Path, settings: Settings, leaving: contextlib.ExitStack) -> VectorStore:
    store = open_vectors(data, settings).vectors
    leaving.callback(store.close)
    return store


def _refuse_damage(source: VectorStore) -> None:
    damaged = source.damaged() if isinstance(source, EdgeStore) else []
    if damaged:
        raise SurveyorError(
            f"the index in {damaged[0].folder} cannot be read: {damaged[0].reason}",
            "`surveyor doctor --repair` makes it again; then move.",
        )


def _require_room(data: Path, points: int, needed: int, least_free: int) -> None:
    free = shutil.disk_usage(data).free
    if free < needed + least_free:
        raise StoreFullError(
            f"{counted(points, 'point')}: about {format_size(needed)}, and"
            f" {format_size(free)} are free in"
            f" {data}, of which {format_size(least_free)} are to stay free",
            "Free some space, or set SURVEYOR_DATA_DIR to a folder on another disk.",
        )


async def _payloads(state: State, space: Space, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
    """What is known of a project's points beyond what an embedded store keeps."""
    if space.collection != "projects":
        return {}
    wanted = set(ids)
    doc_ids = {doc for _, doc in await documents.points_among(state, space.tenant, ids)}
    rows = await documents.stored_chunks(state, sorted(doc_ids))
    return {
        row.point_id: payload_of(
            row.project_id,
            row.project_name,
            row.path,
            row.file_type,
            row.language,
            Chunk(text=row.text, **structs.asdict(row.record)),
        )
        for row in rows
        if row.point_id in wanted
    }
