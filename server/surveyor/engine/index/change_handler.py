"""What the watcher and git say of registered folders: files, branches, folders that are gone."""

from __future__ import annotations

import asyncio
import logging
import math
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from surveyor.engine.index import catalog
from surveyor.engine.index.scanner import item_of
from surveyor.engine.projects.checkouts import Checkout
from surveyor.files.safe_read import LARGE_FILE_BYTES, read_text
from surveyor.git.project import describe
from surveyor.paths import is_folder

if TYPE_CHECKING:
    import sqlite3

    from surveyor.engine.app import Engine
    from surveyor.engine.index.change_batches import Changes

log = logging.getLogger(__name__)

LATE_MOUNT_S = 3600.0
"""How long an engine itself looks for a missing folder before it forgets it."""


class Following:
    """Keeps the catalog true to what happens in the folders."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._missed: dict[str, float] = {}
        """Since when this engine has seen a folder missing, on the monotonic clock."""

    async def on_changes(self, changes: Changes) -> None:
        """What the watcher saw in one root."""
        checkout = next(
            (c for c in await self._engine.projects.all() if c.root == str(changes.root)), None
        )
        if checkout is None:
            return
        self._engine.touch()
        if changes.missing:
            await self.mark_missing(checkout)
            return
        if changes.overflow:
            said = changes.message or "The folder is being scanned again."
            self._engine.projects.uncertain[checkout.checkout_id] = (
                f"watch_{changes.reason}",
                said,
            )
            await self._engine.scanner.scan(checkout)
            return
        if changes.git_changed:
            renamed = await self._engine.projects.refresh_identity(checkout)
            now = await self._engine.projects.current(checkout)
            if now is None:
                return
            checkout = now
            if renamed:
                await self._engine.scanner.scan(checkout)
            else:
                await self.follow_git(checkout)
                # One that was just added had its own `.git` before its folder was watched.
                await self._engine.scanner.register_submodules(checkout)
        if changes.settings_changed:
            await self._engine.follow_preferences(checkout)
        items = [item_of(checkout, path, "ingest") for path in sorted(changes.modified)]
        gone = set(changes.deleted) | {old for old, _ in changes.renamed}
        items += [item_of(checkout, new, "ingest") for _, new in changes.renamed]
        items += [item_of(checkout, path, "delete") for path in await self._files(checkout, gone)]
        run = self._engine.pipeline.runs.get(checkout.checkout_id)
        if run is not None and run.phase != "done":
            run.want(str(item.payload["relative_path"]) for item in items)
        await self._engine.pipeline.enqueue(items)

    async def _files(self, checkout: Checkout, gone: set[str]) -> list[str]:
        """Files that are gone, including all those below a folder that is."""
        found: set[str] = set()
        for path in gone:
            rows = await self._engine.state.read(
                "SELECT path FROM files WHERE checkout_id = ?1 AND"
                " (path = ?2 OR substr(path, 1, length(?2) + 1) = ?2 || '/')",
                (checkout.checkout_id, path),
            )
            found.update(str(row[0]) for row in rows)
        return sorted(found)

    async def follow_git(self, checkout: Checkout) -> None:
        """Remember what a branch held when it is left, and forget branches that are deleted."""
        info = await asyncio.to_thread(describe, Path(checkout.root))
        alive = await asyncio.to_thread(branch_names, info.common_dir)
        kept = await self._engine.state.read(
            "SELECT DISTINCT branch FROM branch_files WHERE project_id = ?", (checkout.project_id,)
        )
        gone = [str(row[0]) for row in kept if alive and row[0] not in alive]
        switched = info.branch != checkout.branch
        if not switched and not gone:
            return
        async with self._engine.state.transaction() as tx:
            outdated: list[sqlite3.Row] = []
            if switched and checkout.branch is not None:
                outdated = await tx.read(
                    "DELETE FROM branch_files WHERE project_id = ? AND branch = ? RETURNING doc_id",
                    (checkout.project_id, checkout.branch),
                )
                await tx.execute(
                    """INSERT INTO branch_files (project_id, branch, path, doc_id)
                       SELECT ?, ?, path, doc_id FROM files
                       WHERE checkout_id = ? AND doc_id IS NOT NULL""",
                    (checkout.project_id, checkout.branch, checkout.checkout_id),
                )
            await tx.execute(
                "UPDATE checkouts SET branch = ?, head = ? WHERE checkout_id = ?",
                (info.branch, info.head, checkout.checkout_id),
            )
            for branch in gone:
                outdated += await tx.read(
                    "DELETE FROM branch_files WHERE project_id = ? AND branch = ? RETURNING doc_id",
                    (checkout.project_id, branch),
                )
            await catalog.drop_unused(tx, [int(row["doc_id"]) for row in outdated])
        self._engine.projects.forget()
        await self._engine.pipeline.sweep_dead_points(checkout.project_id)

    async def mark_missing(self, checkout: Checkout) -> None:
        """The root cannot be reached: keep everything, say so, and wait."""
        async with self._engine.state.transaction() as tx:
            await tx.execute(
                "UPDATE checkouts SET missing_since ="
                " coalesce(missing_since, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))"
                " WHERE checkout_id = ?",
                (checkout.checkout_id,),
            )
        self._engine.projects.forget()

    async def found_again(self, checkout: Checkout) -> None:
        """A root that was missing can be reached."""
        if checkout.missing_since is None:
            return
        async with self._engine.state.transaction() as tx:
            await tx.execute(
                "UPDATE checkouts SET missing_since = NULL WHERE checkout_id = ?",
                (checkout.checkout_id,),
            )
        self._engine.projects.forget()

    async def purge_missing(self, grace_s: float) -> None:
        """Look for roots that came back, and forget those gone for longer than the grace.

        A shorter grace waits a day, and nothing is forgotten while a setting cannot be read, nor
        by an engine that has just started: a drive may be mounted late.
        """
        grace_s = await self._grace_in_force(grace_s)
        for checkout in await self._engine.projects.all():
            if is_folder(checkout.root):
                self._missed.pop(checkout.checkout_id, None)
                if checkout.missing_since is not None:
                    await self._engine.scanner.scan(checkout)
                continue
            seen_s = time.monotonic() - self._missed.setdefault(
                checkout.checkout_id, time.monotonic()
            )
            if checkout.missing_since is None:
                await self.mark_missing(checkout)
                continue
            age = await self._engine.state.value(
                "SELECT unixepoch('now') - unixepoch(missing_since) FROM checkouts"
                " WHERE checkout_id = ?",
                (checkout.checkout_id,),
            )
            if age is not None and age > grace_s and seen_s >= min(grace_s, LATE_MOUNT_S):
                log.warning("%s has been gone for %.0f days: forgotten", checkout.root, age / 86400)
                await self._engine.projects.remove(checkout)

    async def _grace_in_force(self, grace_s: float) -> float:
        if not self._engine.preferences.are_whole:
            return math.inf
        guard, name = self._engine.knowledge.guard, "watching.missing_grace"
        return (await guard.in_force({name: grace_s}))[name]


def branch_names(common_dir: Path | None) -> set[str]:
    """Local branches of a repository, loose and packed."""
    if common_dir is None:
        return set()
    heads = common_dir / "refs" / "heads"
    names = {
        Path(folder, name).relative_to(heads).as_posix()
        for folder, _, files in os.walk(heads)
        for name in files
    }
    try:
        packed = read_text(common_dir / "packed-refs", LARGE_FILE_BYTES, errors="replace")
    except OSError:
        return names
    prefix = "refs/heads/"
    for line in packed.splitlines():
        _, _, ref = line.partition(" ")
        if ref.startswith(prefix):
            names.add(ref[len(prefix) :])
    return names
