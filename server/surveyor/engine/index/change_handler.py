"""What the watcher and git say of registered folders: files, branches, folders that are gone."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from surveyor.engine.index.branches import Branches
from surveyor.engine.index.change_batches import ChangeBatch
from surveyor.engine.index.pipeline import Pipeline
from surveyor.engine.index.recent_edits import RecentEdits
from surveyor.engine.index.scanner import Scanner, item_of
from surveyor.engine.process.lifetime import Lifetime
from surveyor.engine.process.live_settings import LiveSettings
from surveyor.engine.projects.checkouts import Checkout
from surveyor.engine.projects.freshness import IndexFreshness
from surveyor.engine.projects.registration import Registration
from surveyor.engine.projects.registry import ProjectRegistry
from surveyor.errors import FolderStalledError
from surveyor.knowledge.settings_guard import LimitGuard
from surveyor.paths import is_folder
from surveyor.store.state import State, files
from surveyor.store.state.projects import missing_s

log = logging.getLogger(__name__)

LATE_MOUNT_S = 3600.0
"""How long an engine itself looks for a missing folder before it forgets it."""
EDIT_PRIORITY = 7
"""Of what was just saved: it does not wait for the rest of a project that is being looked through,
and whoever saved it may search for it now."""
MOST_EDITED = 50
"""Files of one change that somebody may have saved; more come from a tool, and wait their turn."""


def _changed_since(root: Path, known: Mapping[str, files.KnownFile]) -> ChangeBatch:
    """Which of the files that are indexed are not what they were."""
    changes = ChangeBatch(root)
    for path, was in known.items():
        try:
            now = (root / path).lstat()
        except OSError:
            changes.deleted.add(path)
            continue
        if was.status == "indexed" and (now.st_size, now.st_mtime_ns) != (was.size, was.mtime_ns):
            changes.modified.add(path)
    return changes


class ChangeHandler:
    """Keeps the catalog true to what happens in the folders."""

    def __init__(
        self,
        state: State,
        projects: ProjectRegistry,
        registration: Registration,
        freshness: IndexFreshness,
        branches: Branches,
        scanner: Scanner,
        pipeline: Pipeline,
        live_settings: LiveSettings,
        guard: LimitGuard,
        lifetime: Lifetime,
        recent_edits: RecentEdits,
    ) -> None:
        self._state = state
        self._projects = projects
        self._registration = registration
        self._freshness = freshness
        self._branches = branches
        self._scanner = scanner
        self._pipeline = pipeline
        self._live_settings = live_settings
        self._guard = guard
        self._lifetime = lifetime
        self._recent_edits = recent_edits
        self._missed: dict[str, float] = {}
        """Since when this engine has seen a folder missing, on the monotonic clock."""

    async def on_changes(self, changes: ChangeBatch) -> None:
        """What the watcher saw in one root."""
        checkout = next(
            (c for c in await self._projects.all() if c.root == str(changes.root)), None
        )
        if checkout is None:
            return
        self._lifetime.touch()
        if changes.missing:
            await self._projects.mark_missing(checkout)
            return
        if changes.overflow:
            said = changes.message or "The folder is being scanned again."
            self._freshness.doubt(checkout.checkout_id, f"watch_{changes.reason}", said)
            await self._scanner.scan(checkout)
            return
        if changes.git_changed:
            renamed = await self._registration.refresh_identity(checkout)
            now = await self._projects.current(checkout)
            if now is None:
                return
            checkout = now
            if renamed:
                await self._scanner.scan(checkout)
            else:
                await self._branches.follow(checkout)
                # One that was just added had its own `.git` before its folder was watched.
                await self._scanner.register_submodules(checkout)
        if changes.settings_changed:
            await self._scanner.follow_settings(checkout)
        if not changes.git_changed:
            self._recent_edits.add(checkout.checkout_id, changes.modified)
        items = [item_of(checkout, path, "ingest") for path in sorted(changes.modified)]
        gone = set(changes.deleted) | {old for old, _ in changes.renamed}
        items += [item_of(checkout, new, "ingest") for _, new in changes.renamed]
        known = await files.paths_at_or_below(self._state, checkout.checkout_id, gone)
        items += [item_of(checkout, path, "delete") for path in sorted(known)]
        run = self._pipeline.runs.get(checkout.checkout_id)
        if run is not None and run.phase != "done":
            run.want(str(item.payload["relative_path"]) for item in items)
        if len(items) <= MOST_EDITED and not changes.git_changed:
            items = [replace(item, priority=EDIT_PRIORITY) for item in items]
        await self._pipeline.enqueue(items)

    async def notice(self, checkout: Checkout, paths: Sequence[str]) -> None:
        """Take up what changed in indexed files before the watcher tells of it, which takes a
        moment: for who asks about a change that was just made."""
        known = await files.known_files(self._state, checkout.checkout_id)
        indexed = {path: known[path] for path in paths if path in known}
        changes = await asyncio.to_thread(_changed_since, Path(checkout.root), indexed)
        if changes:
            await self.on_changes(changes)

    async def purge_missing(self, grace_s: float) -> None:
        """Look for roots that came back, and forget those gone for longer than the grace.

        A shorter grace waits a day, and nothing is forgotten while a setting cannot be read, nor
        by an engine that has just started: a drive may be mounted late.
        """
        grace_s = await self._grace_in_force(grace_s)
        for checkout in await self._projects.all():
            try:
                there = await self._projects.looks.ask(
                    checkout.root, partial(is_folder, checkout.root)
                )
            except FolderStalledError:  # that it is gone is not known
                continue
            if there:
                self._missed.pop(checkout.checkout_id, None)
                if checkout.missing_since is not None:
                    await self._scanner.scan(checkout)
                continue
            seen_s = time.monotonic() - self._missed.setdefault(
                checkout.checkout_id, time.monotonic()
            )
            if checkout.missing_since is None:
                await self._projects.mark_missing(checkout)
                continue
            age = await missing_s(self._state, checkout.checkout_id)
            if age is not None and age > grace_s and seen_s >= min(grace_s, LATE_MOUNT_S):
                log.warning("%s has been gone for %.0f days: forgotten", checkout.root, age / 86400)
                await self._registration.remove(checkout)

    async def _grace_in_force(self, grace_s: float) -> float:
        if not self._live_settings.are_whole:
            return math.inf
        name = "watching.missing_grace"
        return (await self._guard.in_force({name: grace_s}))[name]
