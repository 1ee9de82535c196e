"""Registered folders: which project a path belongs to, what it holds, and when it changed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from surveyor.config import PROJECT_FILES
from surveyor.engine.identity import rewrite_identity
from surveyor.errors import NotFoundError, UsageError
from surveyor.indexing import catalog
from surveyor.indexing.ignore import Ignore
from surveyor.indexing.pipeline import EXCLUDED, Committed, file_item
from surveyor.indexing.runs import Run, RunMode
from surveyor.indexing.worker import Outcome
from surveyor.models import Freshness
from surveyor.project import ProjectInfo, describe, find_root
from surveyor.store.state import queue

if TYPE_CHECKING:
    import sqlite3

    from surveyor.engine.core import Engine
    from surveyor.indexing.watch import Changes

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Checkout:
    """A registered folder."""

    checkout_id: str
    project_id: str
    root: str
    name: str
    branch: str | None
    parent_checkout_id: str | None
    watched: bool
    active: bool
    paused: bool
    revision: int
    last_scan: str | None
    missing_since: str | None

    @classmethod
    def of(cls, row: sqlite3.Row) -> Checkout:
        """From a row of `SELECT_CHECKOUT`."""
        return cls(
            checkout_id=row["checkout_id"],
            project_id=row["project_id"],
            root=row["root"],
            name=row["name"],
            branch=row["branch"],
            parent_checkout_id=row["parent_checkout_id"],
            watched=bool(row["watched"]),
            active=bool(row["active"]),
            paused=bool(row["paused"]),
            revision=row["revision"],
            last_scan=row["last_scan"],
            missing_since=row["missing_since"],
        )


SELECT_CHECKOUT = "SELECT c.*, p.name FROM checkouts c JOIN projects p USING (project_id)"


class Projects:
    """The registry and what keeps it true."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._known: dict[str, Checkout] | None = None
        self._registering = asyncio.Lock()
        self._uncertain: dict[str, tuple[str, str]] = {}
        self._scans: dict[str, asyncio.Lock] = {}
        self._stale: dict[str, int] = {}

    # --- looking up -----------------------------------------------------------------------

    async def all(self) -> list[Checkout]:
        """Every registered folder, by root."""
        if self._known is None:
            rows = await self._engine.state.read(f"{SELECT_CHECKOUT} ORDER BY root")
            self._known = {row["checkout_id"]: Checkout.of(row) for row in rows}
        return list(self._known.values())

    async def get(self, checkout_id: str) -> Checkout:
        """A checkout by id. Raises `NotFoundError`."""
        for checkout in await self.all():
            if checkout.checkout_id == checkout_id:
                return checkout
        raise NotFoundError(f"no registered folder has the id {checkout_id}")

    async def resolve(self, cwd: str | None = None, project: str | None = None) -> Checkout:
        """The checkout that a caller means. Raises `NotFoundError` naming the known ones."""
        known = await self.all()
        if project:
            path = str(Path(project).expanduser().resolve()) if "/" in project else project
            for checkout in known:
                if project in (checkout.checkout_id, checkout.project_id) or path == checkout.root:
                    return checkout
            named = [c for c in known if c.name == project]
            if len(named) == 1:
                return named[0]
            if named:
                raise UsageError(
                    f"{project!r} is the name of several projects: "
                    + ", ".join(c.root for c in named),
                    "Name one by its folder.",
                )
            if "/" not in project and not Path(project).exists():
                raise _unknown(f"no project is called {project!r}", known)
            cwd = str(Path(project).expanduser())
        if cwd is None:
            raise UsageError("no folder and no project given", "Name one.")
        real = Path(cwd).expanduser().resolve()
        nearest = find_nearest(real, known)
        if nearest is None:
            raise _unknown(f"{real} is in no indexed project", known)
        return nearest

    async def freshness(self, checkout: Checkout) -> Freshness:
        """How far answers from this checkout can be trusted now."""
        pipeline = self._engine.pipeline
        behind = pipeline.files_behind(checkout.checkout_id)
        current = await self.get(checkout.checkout_id)
        answer = Freshness(files_behind=behind, revision=current.revision)
        revision = await self._engine.state.value(
            "SELECT revision FROM checkouts WHERE checkout_id = ?", (checkout.checkout_id,)
        )
        answer.revision = int(revision or 0)
        run = pipeline.runs.get(checkout.checkout_id)
        if self._engine.starting:
            answer.status, answer.reason = "indexing", "starting"
            answer.message = "The engine has just started and is opening the index."
        elif current.missing_since is not None:
            answer.status, answer.reason = "uncertain", "missing_root"
            answer.message = f"{current.root} cannot be reached; this is its last known state."
        elif pipeline.stopped_reason == "disk_full":
            answer.status, answer.reason = "uncertain", "disk_full"
            answer.message = "The disk is nearly full: nothing is indexed until space is free."
        elif self._engine.access.problem:
            answer.status, answer.reason = "uncertain", "store_unreachable"
            answer.message = f"{self._engine.access.problem}; only names are found meanwhile."
        elif checkout.checkout_id in self._uncertain:
            answer.status = "uncertain"
            answer.reason, answer.message = self._uncertain[checkout.checkout_id]
        elif (
            self._stale.get(checkout.project_id)
            or self._engine.reembedding(checkout.project_id) is not None
        ):
            answer.status, answer.reason = "stale", "rebuilding"
            answer.message = "Indexed by another grammar, chunker or model; a rebuild is under way."
        elif current.last_scan is None and run is None and not behind:
            answer.status, answer.reason = "uncertain", "not_indexed"
            answer.message = f"{current.root} is not indexed: run `surveyor index` there."
        elif behind or (run is not None and run.phase != "done"):
            answer.status, answer.reason = "indexing", "queued"
            answer.message = f"{behind} files are waiting to be indexed."
            if pipeline.paused:
                answer.reason = "paused"
                answer.message += " Indexing is paused; `surveyor engine resume` goes on."
            elif current.paused:
                answer.reason = "paused"
                answer.message += " Indexing of this folder is paused."
        elif not (current.watched and self._engine.settings.watching.enabled):
            answer.status, answer.reason = "uncertain", "not_watched"
            answer.message = f"{current.root} is not followed; this is its state when last indexed."
        return answer

    # --- registering ----------------------------------------------------------------------

    async def register(self, path: str, *, explicit: bool, force: bool = False) -> Checkout:
        """The checkout for a folder, new or known. Raises for what cannot be a project."""
        async with self._registering:
            known = await self.all()
            target = Path(path).expanduser()
            if not target.exists():
                raise NotFoundError(f"there is no folder {target}", "Check the path.")
            if not target.is_dir():
                raise UsageError(f"{target} is a file", "Give the folder that holds it.")
            root = find_root(target, [Path(c.root) for c in known], explicit, force)
            try:
                next(root.iterdir(), None)
            except PermissionError as error:
                raise UsageError(
                    f"{root} cannot be read: {error.strerror}",
                    "Give your user read access to the folder.",
                ) from error
            for checkout in known:
                if checkout.root == str(root):
                    await self._refresh_identity(checkout)
                    return await self.resolve(cwd=str(root))
            info = await asyncio.to_thread(describe, root)
            await self._insert(info, known)
            return await self.resolve(cwd=str(root))

    async def _insert(self, info: ProjectInfo, known: list[Checkout]) -> None:
        root = str(info.root)
        inode = _inode(info.root)
        for checkout in known:
            gone = not Path(checkout.root).exists()
            row = await self._engine.state.one(
                "SELECT root_inode FROM checkouts WHERE checkout_id = ?", (checkout.checkout_id,)
            )
            same_folder = row is not None and row["root_inode"] == inode
            if gone and (same_folder or checkout.project_id == info.project_id):
                log.info("%s has moved to %s", checkout.root, root)
                await self._engine.unwatch(checkout)
                await rewrite_identity(self._engine, checkout, info)
                self._forget()
                return
        parent = None
        if info.superproject is not None:
            parent = next((c for c in known if c.root == str(info.superproject)), None)
        async with self._engine.state.transaction() as tx:
            await tx.execute(
                "INSERT INTO projects (project_id, name, remote) VALUES (?, ?, ?)"
                " ON CONFLICT (project_id) DO NOTHING",
                (info.project_id, info.name, info.remote),
            )
            await tx.execute(
                """INSERT INTO checkouts (checkout_id, project_id, root, branch, head, root_inode,
                     parent_checkout_id, submodule_path) VALUES (?, ?, ?, ?, ?, ?, ?, ?)""",
                (
                    info.checkout_id,
                    info.project_id,
                    root,
                    info.branch,
                    info.head,
                    inode,
                    parent.checkout_id if parent else None,
                    info.submodule_path,
                ),
            )
        self._forget()

    async def _refresh_identity(self, checkout: Checkout) -> None:
        """A project that gained or lost a remote changes its id; nothing is embedded again."""
        info = await asyncio.to_thread(describe, Path(checkout.root))
        if info.project_id != checkout.project_id:
            await self._engine.unwatch(checkout)
            await rewrite_identity(self._engine, checkout, info)
            self._forget()
            await self._engine.watch(await self.get(info.checkout_id))

    async def remove(self, checkout: Checkout) -> None:
        """Forget a folder and everything derived from it."""
        await self._engine.unwatch(checkout)
        async with self._engine.state.transaction() as tx:
            rows = await tx.read(
                "DELETE FROM files WHERE checkout_id = ? RETURNING doc_id", (checkout.checkout_id,)
            )
            await tx.execute(
                "DELETE FROM unified_queue WHERE checkout_id = ?", (checkout.checkout_id,)
            )
            await tx.execute("DELETE FROM checkouts WHERE checkout_id = ?", (checkout.checkout_id,))
            left = await tx.read(
                "SELECT 1 FROM checkouts WHERE project_id = ?", (checkout.project_id,)
            )
            branches: list[sqlite3.Row] = []
            if not left:
                branches = await tx.read(
                    "DELETE FROM branch_files WHERE project_id = ? RETURNING doc_id",
                    (checkout.project_id,),
                )
            await catalog.drop_unused(
                tx, [r["doc_id"] for r in [*rows, *branches] if r["doc_id"] is not None]
            )
        self._engine.pipeline.forget_checkout(checkout.checkout_id)
        self._engine.pipeline.runs.pop(checkout.checkout_id, None)
        self._forget()
        await self._engine.pipeline.sweep_dead_points(checkout.project_id)
        if not left:
            await self._engine.drop_project_points(checkout.project_id)

    async def set_flags(self, checkout: Checkout, **flags: bool) -> None:
        """Change `watched`, `active` or `paused`."""
        async with self._engine.state.transaction() as tx:
            for name, value in flags.items():
                assert name in ("watched", "active", "paused")
                await tx.execute(
                    f"UPDATE checkouts SET {name} = ? WHERE checkout_id = ?",
                    (value, checkout.checkout_id),
                )
        self._forget()
        self._engine.pipeline.wake()

    async def set_active(self, checkout: Checkout, active: bool) -> None:
        """Mark a checkout with its parent and submodules as in use or not (seed 000)."""
        family = checkout.parent_checkout_id or checkout.checkout_id
        async with self._engine.state.transaction() as tx:
            await tx.execute(
                """UPDATE checkouts SET active = ?,
                     last_activity_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
                   WHERE checkout_id = ? OR parent_checkout_id = ?""",
                (active, family, family),
            )
        self._forget()

    def _forget(self) -> None:
        self._known = None

    # --- scanning -------------------------------------------------------------------------

    async def scan(self, checkout: Checkout, *, clean: bool = False) -> Run:
        """Compare the folder with the catalog and queue what differs; returns the run."""
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
        self._engine.spawn(self._scan(checkout, run, lock, clean))
        return run

    async def _scan(self, checkout: Checkout, run: Run, lock: asyncio.Lock, clean: bool) -> None:
        async with lock:
            run.phase = "scanning"
            if run.mode != "incremental":  # the workers start while the folder is looked through
                self._engine.spawn(self._engine.pool.warm())
            await run.notify()
            # Whoever asked for it: attached editors show every run.
            await self._engine.notify("progress", {"root": checkout.root, "run": run.number})
            try:
                if not Path(checkout.root).is_dir():
                    await self.mark_missing(checkout)
                    run.error(f"{checkout.root} cannot be reached")
                    return
                await self._found_again(checkout)
                await self.follow_git(checkout)
                # Watched first: what changes during the comparison is seen by one or the other.
                await self._engine.watch(checkout)
                if clean:
                    await self.clear(checkout)
                await self._compare(checkout, run)
                self._uncertain.pop(checkout.checkout_id, None)
            except Exception as error:
                log.exception("scanning %s failed", checkout.root)
                run.error(f"{type(error).__name__}: {error}")
            finally:
                run.phase = "indexing"
                self._engine.pipeline.wake()
                await self._engine.pipeline.refresh_behind([checkout.checkout_id])
                self._forget()

    async def _compare(self, checkout: Checkout, run: Run) -> None:
        from surveyor.indexing.walk import Nested, Skipped, WalkedFile, walk

        state = self._engine.state
        found = await asyncio.to_thread(
            lambda: list(walk(Path(checkout.root), self._engine.preferences.walk(checkout.root)))
        )
        rows = await state.read(
            """SELECT f.path, f.size, f.mtime_ns, f.status, f.reason, d.version FROM files f
               LEFT JOIN documents d USING (doc_id) WHERE f.checkout_id = ?""",
            (checkout.checkout_id,),
        )
        known = {row["path"]: row for row in rows}
        items = []
        skipped: list[Skipped] = []
        nested: list[Nested] = []
        seen: set[str] = set()
        unchanged = left_out = 0
        for entry in found:
            if isinstance(entry, WalkedFile):
                seen.add(entry.path)
                row = known.get(entry.path)
                if (
                    row is not None
                    and row["size"] == entry.size
                    and row["mtime_ns"] == entry.mtime_ns
                    and row["status"] != "failed"
                    and row["version"] in (None, self._engine.version)
                ):
                    unchanged += 1
                else:
                    items.append(self._item(checkout, entry.path, "ingest"))
            elif isinstance(entry, Skipped):
                seen.add(entry.path)
                row = known.get(entry.path)
                if row is None or row["reason"] != entry.reason:
                    skipped.append(entry)
                left_out += 1
            else:
                nested.append(entry)
        gone = known.keys() - seen
        excluded = await asyncio.to_thread(self._excluded, checkout, gone) if gone else set()
        items += [self._item(checkout, path, "delete", path in excluded) for path in gone]
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
        await self._register_nested(checkout, nested)

    async def _register_nested(self, checkout: Checkout, nested: Iterable[object]) -> None:
        """Submodules are projects of their own, linked to this one and indexed with it."""
        info = await asyncio.to_thread(describe, Path(checkout.root))
        known = {c.root for c in await self.all()}
        for submodule in info.submodules:
            if str(submodule.root) not in known:
                child = await self.register(str(submodule.root), explicit=True)
                await self.scan(child)

    def _item(self, checkout: Checkout, path: str, op: str, excluded: bool = False) -> queue.Item:
        item = file_item(checkout.checkout_id, checkout.project_id, checkout.root, path, op)
        return replace(item, payload={**item.payload, EXCLUDED: True}) if excluded else item

    def _excluded(self, checkout: Checkout, paths: Iterable[str]) -> set[str]:
        """Those of some files that are there, but that the rules leave out by now."""
        root = Path(checkout.root)
        rules = Ignore(root, self._engine.preferences.walk(checkout.root))
        return {path for path in rules.matches(paths) if (root / path).exists()}

    async def clear(self, checkout: Checkout) -> None:
        """Drop what is derived from a checkout's files, vectors included."""
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
        await self.clear(checkout)
        async with self._engine.state.transaction() as tx:
            await tx.execute(
                "UPDATE checkouts SET last_scan = NULL WHERE checkout_id = ?",
                (checkout.checkout_id,),
            )
        self._engine.pipeline.runs.pop(checkout.checkout_id, None)
        await self._engine.pipeline.refresh_behind([checkout.checkout_id])
        await self.count_stale()
        self._forget()

    async def count_stale(self) -> None:
        """Find projects with files indexed by another version."""
        rows = await self._engine.state.read(
            """SELECT d.project_id, count(*) FROM documents d JOIN files f USING (doc_id)
               WHERE d.version <> ? GROUP BY d.project_id""",
            (self._engine.version,),
        )
        self._stale = {str(row[0]): int(row[1]) for row in rows}

    async def on_commit(self, committed: Committed) -> None:
        """A rebuild may have come to its end."""
        if committed.project_id in self._stale:
            await self.count_stale()

    # --- following ------------------------------------------------------------------------

    async def on_changes(self, changes: Changes) -> None:
        """What the watcher saw in one root."""
        checkout = next((c for c in await self.all() if c.root == str(changes.root)), None)
        if checkout is None:
            return
        self._engine.touch()
        if changes.missing:
            await self.mark_missing(checkout)
            return
        if changes.overflow:
            said = changes.message or "The folder is being scanned again."
            self._uncertain[checkout.checkout_id] = (f"watch_{changes.reason}", said)
            await self.scan(checkout)
            return
        if changes.git_changed:
            await self._refresh_identity(checkout)
            checkout = await self.resolve(cwd=checkout.root)
            await self.follow_git(checkout)
        if not {*changes.modified, *changes.deleted}.isdisjoint(PROJECT_FILES):
            await self._engine.follow_preferences(checkout)
        items = [self._item(checkout, path, "ingest") for path in sorted(changes.modified)]
        gone = set(changes.deleted) | {old for old, _ in changes.renamed}
        items += [self._item(checkout, new, "ingest") for _, new in changes.renamed]
        items += [
            self._item(checkout, path, "delete") for path in await self._files(checkout, gone)
        ]
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
        self._forget()
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
        self._forget()

    async def _found_again(self, checkout: Checkout) -> None:
        if checkout.missing_since is None:
            return
        async with self._engine.state.transaction() as tx:
            await tx.execute(
                "UPDATE checkouts SET missing_since = NULL WHERE checkout_id = ?",
                (checkout.checkout_id,),
            )
        self._forget()

    async def purge_missing(self, grace_s: float) -> None:
        """Look for roots that came back, and forget those gone for longer than the grace."""
        for checkout in await self.all():
            if Path(checkout.root).is_dir():
                if checkout.missing_since is not None:
                    await self.scan(checkout)
                continue
            if checkout.missing_since is None:
                await self.mark_missing(checkout)
                continue
            age = await self._engine.state.value(
                "SELECT unixepoch('now') - unixepoch(missing_since) FROM checkouts"
                " WHERE checkout_id = ?",
                (checkout.checkout_id,),
            )
            if age is not None and age > grace_s:
                log.warning("%s has been gone for %.0f days: forgotten", checkout.root, age / 86400)
                await self.remove(checkout)


def find_nearest(path: Path, known: Iterable[Checkout]) -> Checkout | None:
    """The innermost checkout that a path lies in."""
    holding = [c for c in known if path == Path(c.root) or Path(c.root) in path.parents]
    return max(holding, key=lambda c: len(c.root), default=None)


def branch_names(common_dir: Path | None) -> set[str]:
    """Local branches of a repository, loose and packed."""
    if common_dir is None:
        return set()
    heads = common_dir / "refs" / "heads"
    names = {str(p.relative_to(heads)) for p in heads.rglob("*") if p.is_file()}
    try:
        packed = (common_dir / "packed-refs").read_text(errors="replace")
    except OSError:
        return names
    prefix = "refs/heads/"
    for line in packed.splitlines():
        _, _, ref = line.partition(" ")
        if ref.startswith(prefix):
            names.add(ref[len(prefix) :])
    return names


def _inode(root: Path) -> str:
    stat = root.stat()
    return f"{stat.st_dev}:{stat.st_ino}"


def _unknown(message: str, known: list[Checkout]) -> NotFoundError:
    roots = ", ".join(c.root for c in known[:10])
    hint = "Index it with `surveyor index PATH`."
    return NotFoundError(message, hint + (f" Known: {roots}" if roots else ""))


__all__ = ["Checkout", "Projects", "branch_names", "find_nearest"]
