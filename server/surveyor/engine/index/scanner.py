"""Comparing folders with the catalog: what differs is queued, what is not wanted any more goes."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from surveyor.engine.index import catalog
from surveyor.engine.index.pipeline import AGAIN, BULK_FILES, EXCLUDED, RECHECK_SECONDS, file_item
from surveyor.engine.index.runs import Run
from surveyor.engine.projects.checkouts import Checkout
from surveyor.errors import DiskFullError, SurveyorError
from surveyor.git.project import describe
from surveyor.parsing.file_types import turn_of
from surveyor.parsing.ignore import Ignore
from surveyor.paths import is_folder, is_there
from surveyor.protocol.enumerations import RunMode
from surveyor.store.state import queue
from surveyor.worker.messages import Outcome

if TYPE_CHECKING:
    from surveyor.engine.app import Engine
    from surveyor.parsing.walk import Skipped, WalkedFile

log = logging.getLogger(__name__)

EARLY_FILES = 400
"""Files of a new project that are queued before it is watched and looked through as a whole: work
for the workers for some three seconds, and answers meanwhile."""
EARLY_LOOKED = 4000
"""Files among which they are looked for, code first: 0.1 s."""
RETRY_S = (30.0, 60.0, 120.0, 300.0, 600.0)
"""Pauses before a folder is looked through again that could not be seen, or not all of it."""
SCAN_FAILED, UNSEEN = "scan_failed", "unreadable"
"""Reasons of `uncertain` that another scan may do away with."""


class Scanner:
    """Scans of checkouts, one at a time for each."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._scans: dict[str, asyncio.Lock] = {}
        self._retries: dict[str, tuple[float, int]] = {}
        """By checkout that could not be seen: when to try again, and how often it was tried."""

    async def scan(self, checkout: Checkout, *, clean: bool = False) -> Run:
        """Compare the folder with the catalog and queue what differs; returns the run.

        `clean` queues every file, to be made anew. Each takes the place of what is there of it
        when it is ready: the old index answers meanwhile, and a run that is given up changes
        nothing.
        """
        pipeline = self._engine.pipeline
        lock = self._scans.setdefault(checkout.checkout_id, asyncio.Lock())
        running = pipeline.runs.get(checkout.checkout_id)
        if lock.locked() and running is not None and not clean:
            return running
        if running is not None and running.phase != "done" and not clean:
            run = running  # looked at once more, and told as one
        else:
            first = checkout.last_scan is None
            mode: RunMode = "clean" if clean else "full" if first else "incremental"
            run = Run(checkout.root, mode)
        pipeline.runs[checkout.checkout_id] = run
        self._engine.projects.unconfirm(checkout.checkout_id)
        self._engine.spawn(self._scan(checkout, run, lock, clean))
        return run

    async def _scan(self, checkout: Checkout, run: Run, lock: asyncio.Lock, clean: bool) -> None:
        again: Checkout | None = None
        async with lock:
            run.phase = "scanning"
            if run.mode != "incremental":  # a worker starts while the folder is looked through
                self._engine.spawn(self._engine.pool.warm())
            await run.notify()
            # Whoever asked for it: attached editors show every run.
            await self._engine.notify("progress", {"root": checkout.root, "run": run.number})
            try:
                while not await self._look(checkout, run, clean):
                    while self._engine.pipeline.stopped_reason:
                        await asyncio.sleep(RECHECK_SECONDS)
            except Exception as error:
                now = await self._now(checkout)
                if now is not None and now.checkout_id != checkout.checkout_id:
                    log.info("%s has other ids by now: it is looked through again", now.root)
                    again = now
                else:
                    self._failed(checkout, run, error)
            finally:
                # Under other ids by now, it is another scan's to say how far the run is.
                if self._engine.pipeline.runs.get(checkout.checkout_id) is run:
                    run.phase = "indexing"
                self._engine.pipeline.wake()
                await self._engine.pipeline.refresh_behind([checkout.checkout_id])
                self._engine.projects.forget()
        if again is not None:
            await self.scan(again)

    async def _look(self, checkout: Checkout, run: Run, clean: bool) -> bool:
        """Look a folder through; False when the disk had no room for what was found."""
        try:
            if not is_folder(checkout.root):
                await self._engine.following.mark_missing(checkout)
                run.error(f"{checkout.root} cannot be reached")
                return True
            await self._engine.following.found_again(checkout)
            await self._engine.following.follow_git(checkout)
            if clean:
                await self._forget_failures(checkout)
            begun = await self._begin(checkout, run) if run.mode == "full" else {}
            # Watched first: what changes during the comparison is seen by one or the other.
            await self._engine.watch(checkout)
            unseen = await self._compare(checkout, run, begun)
        except DiskFullError as error:
            log.warning("%s is looked through when there is room: %s", checkout.root, error)
            return False
        if unseen:
            self._tell_unseen(checkout, run, unseen)
        else:
            self._retries.pop(checkout.checkout_id, None)
            self._engine.projects.confirm(checkout.checkout_id)
        return True

    def _failed(self, checkout: Checkout, run: Run, error: Exception) -> None:
        """A scan came to nothing: the index is what it was, and nobody is told otherwise."""
        if isinstance(error, SurveyorError):
            log.warning("%s could not be looked through: %s", checkout.root, error.message)
            said = error.message
        else:
            log.error("scanning %s failed", checkout.root, exc_info=error)
            said = f"{type(error).__name__}: {error}"
        run.failure = said
        run.error(said)
        self._doubt(checkout, SCAN_FAILED, f"The last scan failed ({said}); this is what was known")

    def _tell_unseen(self, checkout: Checkout, run: Run, unseen: list[Skipped]) -> None:
        first = unseen[0]
        more = f" and {len(unseen) - 1} more" if len(unseen) > 1 else ""
        said = f"{first.path} ({first.detail}){more} could not be read"
        run.error(f"{said}: what was indexed there is kept")
        self._doubt(checkout, UNSEEN, f"{said}; what was indexed there is its last known state")

    def unread(self, checkout_id: str, files: Mapping[str, str]) -> None:
        """Files turned out to be unreadable after a scan had found them."""
        path, detail = next(iter(files.items()))
        self._doubt_id(
            checkout_id,
            UNSEEN,
            f"{path} could not be read ({detail}); what was indexed of it is its last known state",
        )

    def _doubt(self, checkout: Checkout, reason: str, message: str) -> None:
        self._doubt_id(checkout.checkout_id, reason, message)

    def _doubt_id(self, checkout_id: str, reason: str, message: str) -> None:
        _, tries = self._retries.get(checkout_id, (0.0, 0))
        pause = RETRY_S[min(tries, len(RETRY_S) - 1)]
        self._retries[checkout_id] = (time.monotonic() + pause, tries + 1)
        self._engine.projects.uncertain[checkout_id] = (
            reason,
            f"{message}. It is tried again in {pause:.0f} s.",
        )

    async def retry(self) -> None:
        """Look again through folders that could not be seen, when it is time."""
        for checkout in await self._engine.projects.all():
            due, tries = self._retries.get(checkout.checkout_id, (0.0, 0))
            if tries and checkout.watched and time.monotonic() >= due:
                self._retries[checkout.checkout_id] = (time.monotonic() + RETRY_S[-1], tries)
                await self.scan(checkout)

    async def _now(self, checkout: Checkout) -> Checkout | None:
        """The folder as it is registered now: a gained remote changes its ids."""
        self._engine.projects.forget()
        known = await self._engine.projects.all()
        return next((each for each in known if each.root == checkout.root), None)

    async def _begin(self, checkout: Checkout, run: Run) -> dict[str, WalkedFile]:
        """Queue the first files of an index that is empty, and say how they were found."""
        from surveyor.parsing.walk import WalkedFile, walk

        def look() -> dict[str, WalkedFile]:
            chosen = self._engine.preferences.walk(checkout.root)
            with closing(walk(Path(checkout.root), chosen)) as found:
                files = (entry for entry in found if isinstance(entry, WalkedFile))
                first = sorted(islice(files, EARLY_LOOKED), key=lambda file: turn_of(file.path))
                return {entry.path: entry for entry in first[:EARLY_FILES]}

        begun = await asyncio.to_thread(look)
        run.want(begun)
        await self._engine.pipeline.enqueue([item_of(checkout, path, "ingest") for path in begun])
        return begun

    async def _compare(
        self, checkout: Checkout, run: Run, begun: dict[str, WalkedFile]
    ) -> list[Skipped]:
        """Queue what differs; returns what could not be seen, where something was known."""
        from surveyor.parsing.walk import Skipped, Unseen, WalkedFile, walk

        state = self._engine.state
        found = await asyncio.to_thread(
            lambda: list(walk(Path(checkout.root), self._engine.preferences.walk(checkout.root)))
        )
        if run.mode != "incremental" and len(found) > BULK_FILES:
            self._engine.spawn(self._engine.pool.warm(2))
        rows = await state.read(
            """SELECT f.path, f.size, f.mtime_ns, f.status, f.reason, d.version FROM files f
               LEFT JOIN documents d USING (doc_id) WHERE f.checkout_id = ?""",
            (checkout.checkout_id,),
        )
        known = {row["path"]: row for row in rows}
        changed: list[str] = []
        skipped: list[Skipped] = []
        dropped: list[Skipped] = []
        unseen: dict[str, Skipped] = {}
        seen: set[str] = set()
        unchanged = left_out = 0
        for entry in found:
            if isinstance(entry, WalkedFile):
                seen.add(entry.path)
                row = known.get(entry.path)
                if begun.get(entry.path) == entry:
                    continue  # queued; should it change from now on, the watcher sees it
                if (
                    run.mode != "clean"
                    and row is not None
                    and row["size"] == entry.size
                    and row["mtime_ns"] == entry.mtime_ns
                    and row["status"] != "failed"
                    and row["version"] in (None, self._engine.version)
                ):
                    unchanged += 1
                else:
                    changed.append(entry.path)
            elif isinstance(entry, Skipped):
                seen.add(entry.path)
                row = known.get(entry.path)
                if isinstance(entry, Unseen):
                    unseen[entry.path] = entry
                    if row is not None and row["status"] == "indexed":
                        continue
                if entry.reason == EXCLUDED and row is not None and row["status"] == "indexed":
                    dropped.append(entry)
                    continue
                if row is None or row["reason"] != entry.reason:
                    skipped.append(entry)
                left_out += 1
        if len(changed) > EARLY_FILES:
            changed = await asyncio.to_thread(sorted, changed, key=turn_of)
        if run.abandoned:
            run.scanned((), unchanged, left_out)
            return []
        items = [item_of(checkout, path, "ingest", again=run.mode == "clean") for path in changed]
        missed = {
            path: hidden
            for path in known.keys() - (seen - unseen.keys())
            if known[path]["status"] == "indexed" and (hidden := _hidden_by(path, unseen))
        }
        gone = known.keys() - seen - missed.keys()
        excluded = await asyncio.to_thread(self._excluded, checkout, gone) if gone else set()
        items += [item_of(checkout, path, "delete", excluded=path in excluded) for path in gone]
        items += [item_of(checkout, one.path, "delete", excluded=one.detail) for one in dropped]
        paths = [str(item.payload["relative_path"]) for item in items]
        run.scanned(paths, unchanged, left_out)
        async with state.transaction() as tx:
            before = await catalog.set_files(
                tx,
                checkout.checkout_id,
                [
                    (each.path, Outcome("skipped", reason=each.reason, detail=each.detail), None)
                    for each in skipped
                ],
            )
            await catalog.drop_unused(tx, [old for old in before if old is not None])
            await queue.enqueue(tx, items)
            await tx.execute(
                "UPDATE checkouts SET last_scan = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')"
                " WHERE checkout_id = ?",
                (checkout.checkout_id,),
            )
        await self.register_submodules(checkout)
        return list({each.path: each for each in missed.values()}.values())

    async def register_submodules(self, checkout: Checkout) -> None:
        """Submodules are projects of their own, linked to this one and indexed with it."""
        info = await asyncio.to_thread(describe, Path(checkout.root))
        known = {c.root for c in await self._engine.projects.all()}
        for submodule in info.submodules:
            if str(submodule.root) not in known:
                child = await self._engine.projects.register(str(submodule.root), explicit=True)
                await self.scan(child)

    def _excluded(self, checkout: Checkout, paths: Iterable[str]) -> set[str]:
        """Those of some files that are there, but that the rules leave out by now."""
        root = Path(checkout.root)
        rules = Ignore(root, self._engine.preferences.walk(checkout.root))
        return {path for path in rules.matches(paths) if is_there(root / path)}

    async def abandon(self, checkout: Checkout) -> bool:
        """Give up a reindexing that is under way; whether there was one.

        What waits to be made anew stays as it is, and what is being made is as good as before.
        """
        run = self._engine.pipeline.runs.get(checkout.checkout_id)
        if run is None or run.mode != "clean" or run.phase == "done":
            return False
        run.abandoned = True
        async with self._engine.state.transaction() as tx:
            await tx.execute(
                "DELETE FROM unified_queue WHERE checkout_id = ? AND item_type = 'file'"
                " AND status = 'pending' AND json_extract(payload_json, '$.' || ?)",
                (checkout.checkout_id, AGAIN),
            )
        await self._engine.pipeline.refresh_behind([checkout.checkout_id])
        return True

    async def _forget_failures(self, checkout: Checkout) -> None:
        """What failed is tried again with all the rest."""
        async with self._engine.state.transaction() as tx:
            await tx.execute(
                "DELETE FROM unified_queue WHERE checkout_id = ? AND item_type = 'file'"
                " AND status = 'failed'",
                (checkout.checkout_id,),
            )

    async def _clear(self, checkout: Checkout) -> None:
        async with self._engine.state.transaction() as tx:
            await tx.execute(
                "DELETE FROM unified_queue WHERE checkout_id = ? AND item_type = 'file'",
                (checkout.checkout_id,),
            )
            await tx.execute(
                """DELETE FROM vectors WHERE text_hash IN (
                     SELECT c.text_hash FROM chunks c JOIN files f USING (doc_id)
                     WHERE f.checkout_id = ?)""",
                (checkout.checkout_id,),
            )
            rows = await tx.read(
                "DELETE FROM files WHERE checkout_id = ? RETURNING doc_id", (checkout.checkout_id,)
            )
            await catalog.drop_unused(tx, [r["doc_id"] for r in rows if r["doc_id"] is not None])
        await self._engine.pipeline.sweep_dead_points(checkout.project_id)

    async def purge(self, checkout: Checkout) -> None:
        """Drop the index of a checkout that stays registered."""
        async with self._engine.writing():
            await self._clear(checkout)
            async with self._engine.state.transaction() as tx:
                await tx.execute(
                    "UPDATE checkouts SET last_scan = NULL WHERE checkout_id = ?",
                    (checkout.checkout_id,),
                )
                used = await tx.read(
                    "SELECT 1 FROM documents WHERE project_id = ? LIMIT 1", (checkout.project_id,)
                )
            if not used:
                await self._engine.access.drop_project(checkout.project_id)
        self._engine.graph.updater.touch(checkout.checkout_id, checkout.root)
        self._engine.pipeline.runs.pop(checkout.checkout_id, None)
        await self._engine.pipeline.refresh_behind([checkout.checkout_id])
        await self._engine.projects.count_stale()
        self._engine.projects.forget()


def _hidden_by(path: str, unseen: dict[str, Skipped]) -> Skipped | None:
    """What could not be looked at of a file and the folders above it, the root included."""
    while unseen:
        if path in unseen:
            return unseen[path]
        if not path:
            break
        path = path.rpartition("/")[0]
    return None


def item_of(
    checkout: Checkout, path: str, op: str, *, excluded: bool | str = False, again: bool = False
) -> queue.Item:
    """A queue item for one file of a checkout; `excluded`: that it is left out, or by what."""
    item = file_item(checkout.checkout_id, checkout.project_id, checkout.root, path, op)
    marks: dict[str, Any] = {EXCLUDED: excluded} if excluded else {AGAIN: True} if again else {}
    return replace(item, payload={**item.payload, **marks}) if marks else item
