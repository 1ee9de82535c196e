"""Registered folders: which project a path belongs to, and how fresh its index is."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from surveyor.engine.index import catalog
from surveyor.engine.index.pipeline import Committed
from surveyor.engine.projects import boundary
from surveyor.engine.projects.checkouts import SELECT_CHECKOUT, Checkout, find_nearest
from surveyor.engine.projects.identity import rewrite_identity
from surveyor.engine.projects.relocation import inode_of, same_files
from surveyor.errors import NotFoundError, UsageError
from surveyor.files import inside
from surveyor.files.forbidden import is_never_read
from surveyor.git.project import ProjectInfo, describe, find_root
from surveyor.paths import is_there
from surveyor.protocol.base import Freshness

if TYPE_CHECKING:
    import sqlite3

    from surveyor.engine.app import Engine

log = logging.getLogger(__name__)

FAILED = "None of the"
"""How it begins what is said of a folder whose files could not be indexed."""


class Projects:
    """The registry and what keeps it true."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._known: dict[str, Checkout] | None = None
        self._hidden: frozenset[str] = frozenset()
        """Ids of what was registered once and is never for agents."""
        self._forgotten = 0
        self._registering = asyncio.Lock()
        self._naming = asyncio.Lock()
        self.uncertain: dict[str, tuple[str, str]] = {}
        """Reason and message, by checkout, where events were lost, or files could not be seen, and
        no scan has ended well since."""
        self._confirmed: set[str] = set()
        """Checkouts that this engine has compared with their folders, all of them."""
        self._empty: dict[str, tuple[int, str]] = {}
        """By checkout: a version of the catalog, and what to say where it has nothing indexed."""
        self._stale: dict[str, int] = {}

    # --- looking up -----------------------------------------------------------------------

    async def all(self) -> list[Checkout]:
        """Every registered folder, by root; once ids that are just being changed have been.

        An agent does not see what is never read for one.
        """
        async with self._naming:
            while self._known is None:
                as_of = self._forgotten
                rows = await self._engine.state.read(f"{SELECT_CHECKOUT} ORDER BY root")
                if as_of == self._forgotten:  # nothing was written while they were read
                    self._known = {row["checkout_id"]: Checkout.of(row) for row in rows}
                    self._hidden = frozenset(
                        key for key, each in self._known.items() if is_never_read(Path(each.root))
                    )
            hidden = self._hidden if boundary.reach() is not None else ()
            return [each for key, each in self._known.items() if key not in hidden]

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
            path = str(inside.real(project)) if "/" in project else inside.checked(project)
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
            if "/" not in project and (boundary.reach() is not None or not is_there(project)):
                raise _unknown(f"no project is called {inside.shown(project)!r}", known)
            cwd = project
        if cwd is None:
            raise UsageError("no folder and no project given", "Name one.")
        for checkout in known:
            if cwd == checkout.root:  # as most callers have it; no folder need be looked at
                return checkout
        real = inside.real(cwd)
        nearest = find_nearest(real, known)
        if nearest is None:
            # Where a link leads is not said to an agent.
            said = real if boundary.reach() is None else inside.shown(cwd)
            raise _unknown(f"{said} is in no indexed project", known)
        return nearest

    async def current(self, checkout: Checkout) -> Checkout | None:
        """The folder as it is known now: a gained remote may have changed its ids meanwhile."""
        known = await self.all()
        same = [each for each in known if each.checkout_id == checkout.checkout_id]
        same += [each for each in known if each.root == checkout.root]
        return same[0] if same else None

    async def freshness(self, checkout: Checkout) -> Freshness:
        """How far answers from this checkout can be trusted now."""
        pipeline = self._engine.pipeline
        now = await self.current(checkout)
        if now is None:
            return Freshness(
                status="uncertain",
                reason="not_indexed",
                message=f"{checkout.root} is not indexed any more.",
            )
        asked, checkout = checkout, now
        behind = pipeline.files_behind(checkout.checkout_id)
        answer = Freshness(files_behind=behind)
        revision = self._engine.state.glance(
            "SELECT revision FROM checkouts WHERE checkout_id = ?", (checkout.checkout_id,)
        )
        answer.revision = int(revision[0][0]) if revision else 0
        run = pipeline.runs.get(checkout.checkout_id)
        if self._engine.starting:
            answer.status, answer.reason = "indexing", "starting"
            answer.message = "The engine has just started and is opening the index."
        elif asked.checkout_id != checkout.checkout_id:
            answer.status, answer.reason = "indexing", "renamed"
            answer.message = (
                f"{checkout.root} became another project (its remote changed) while this was"
                " answered: ask again."
            )
        elif checkout.missing_since is not None:
            answer.status, answer.reason = "uncertain", "missing_root"
            answer.message = f"{checkout.root} cannot be reached; this is its last known state."
        elif self._engine.refusal is not None:
            answer.status, answer.reason = "uncertain", "read_only"
            answer.message = self._engine.refusal.sentence
        elif pipeline.stopped_reason == "disk_full":
            answer.status, answer.reason = "uncertain", "disk_full"
            answer.message = "The disk is nearly full: nothing is indexed until space is free."
        elif self._engine.access.problem:
            answer.status, answer.reason = "uncertain", "store_unreachable"
            answer.message = f"{self._engine.access.problem}; only names are found meanwhile."
        elif self._engine.mending.problem:
            answer.status, answer.reason = "uncertain", "index_damaged"
            answer.message = (
                f"An index is damaged ({self._engine.mending.problem}): it is being made again;"
                " names, words and the graph are answered meanwhile."
            )
        elif checkout.checkout_id in self.uncertain:
            answer.status = "uncertain"
            answer.reason, answer.message = self.uncertain[checkout.checkout_id]
        elif (
            self._stale.get(checkout.project_id)
            or self._engine.reembedding(checkout.project_id) is not None
        ):
            answer.status, answer.reason = "stale", "rebuilding"
            answer.message = "Indexed by another grammar, chunker or model; a rebuild is under way."
        elif failed := self._engine.remaker.failed.get(checkout.project_id):
            answer.status, answer.reason = "stale", "embedding_failed"
            answer.message = (
                f"{failed.points} chunks could not be embedded ({failed.why}): they are found by"
                " their names, and by an earlier model's vectors where there are some."
                " `surveyor doctor --repair` tries again."
            )
        elif checkout.last_scan is None and run is None and not behind and self._engine.begun:
            answer.status, answer.reason = "uncertain", "not_indexed"
            answer.message = f"{checkout.root} is not indexed: run `surveyor index` there."
        elif behind or (run is not None and run.phase != "done"):
            answer.status, answer.reason = "indexing", "queued"
            answer.message = (
                f"{behind} file{'s are' if behind > 1 else ' is'} waiting to be indexed."
                if behind
                else f"{checkout.root} is being looked through for changes."
            )
            if pipeline.paused:
                answer.reason = "paused"
                answer.message += " Indexing is paused; `surveyor engine resume` goes on."
            elif checkout.paused:
                answer.reason = "paused"
                answer.message += " Indexing of this folder is paused."
        elif checkout.watched and checkout.checkout_id not in self._confirmed:
            if run is None:
                answer.status, answer.reason = "indexing", "starting"
                answer.message = (
                    f"{checkout.root} has not been compared with the index since the engine"
                    " started: this is what was known."
                )
            else:
                answer.status, answer.reason = "uncertain", "scan_failed"
                answer.message = f"The last scan of {checkout.root} did not come to its end."
        elif not (checkout.watched and self._engine.settings.watching.enabled):
            answer.status, answer.reason = "uncertain", "not_watched"
            answer.message = (
                f"{checkout.root} is not followed; this is its state when last indexed."
            )
        elif why_empty := self._why_empty(checkout):
            answer.reason, answer.message = "nothing_to_index", why_empty
            if why_empty.startswith(FAILED):
                answer.status, answer.reason = "uncertain", "all_failed"
        return answer

    def confirm(self, checkout_id: str) -> None:
        """A scan has compared all of a checkout's folder with the index."""
        self._confirmed.add(checkout_id)
        self.uncertain.pop(checkout_id, None)

    def unconfirm(self, checkout_id: str) -> None:
        """A scan begins: until it has ended well, nothing is known for sure."""
        self._confirmed.discard(checkout_id)

    def rename(self, old: str, new: str) -> None:
        """A checkout has another id."""
        if old in self._confirmed:
            self._confirmed.remove(old)
            self._confirmed.add(new)
        if old in self.uncertain:
            self.uncertain[new] = self.uncertain.pop(old)

    def _why_empty(self, checkout: Checkout) -> str:
        """Why nothing at all is indexed of a checkout, if so."""
        revision = self._engine.state.catalog_version
        known = self._empty.get(checkout.checkout_id)
        if known is None or known[0] != revision:
            known = self._empty[checkout.checkout_id] = (revision, self._count_empty(checkout))
        return known[1]

    def _count_empty(self, checkout: Checkout) -> str:
        glance, of = self._engine.state.glance, (checkout.checkout_id,)
        if glance("SELECT 1 FROM files WHERE checkout_id = ? AND status = 'indexed' LIMIT 1", of):
            return ""
        found = glance("SELECT status, count(*) FROM files WHERE checkout_id = ? GROUP BY 1", of)
        counts = {str(row[0]): int(row[1]) for row in found}
        if failed := counts.get("failed"):
            return f"{FAILED} {failed} files of {checkout.root} could be indexed: see the queue."
        if skipped := counts.get("skipped"):
            return (
                f"Nothing to index: all {skipped} files found in {checkout.root} are left out;"
                " `surveyor status --skipped` says why."
            )
        return f"Nothing to index: {checkout.root} holds no file that the rules do not leave out."

    # --- registering ----------------------------------------------------------------------

    async def register(self, path: str, *, explicit: bool, force: bool = False) -> Checkout:
        """The checkout for a folder, new or known. Raises for what cannot be a project.

        While an agent is answered, the folder has to be one that it may have registered.
        """
        agent = boundary.reach()
        if agent is not None:
            path = str(await boundary.admit(agent, path, [c.root for c in await self.all()]))
            force = False
        async with self._registering:
            with boundary.answering(None):
                known = await self.all()
            root = target = Path(inside.checked(path)).expanduser()
            if agent is not None and target.resolve() != target:
                raise UsageError(f"{target} has just become another folder", "Ask again.")
            try:
                if not target.exists():
                    raise NotFoundError(f"there is no folder {target}", "Check the path.")
                if not target.is_dir():
                    raise UsageError(f"{target} is a file", "Give the folder that holds it.")
                root = find_root(target, [Path(c.root) for c in known], explicit, force)
                next(root.iterdir(), None)
                inode = inode_of(root)
            except PermissionError as error:
                raise UsageError(
                    f"{root} cannot be read: {error.strerror}",
                    "Give your user read access to the folder.",
                ) from error
            except OSError as error:
                raise NotFoundError(f"{root}: {error.strerror}", "Check the path.") from error
            for checkout in known:
                if checkout.root == str(root):
                    await self._refresh_identity(checkout)
                    return await self.resolve(cwd=str(root))
            info = await asyncio.to_thread(describe, root)
            await self._insert(info, inode, known)
            return await self.resolve(cwd=str(root))

    async def _insert(self, info: ProjectInfo, inode: str | None, known: list[Checkout]) -> None:
        root = str(info.root)
        for checkout in known:
            gone = not is_there(checkout.root)
            row = await self._engine.state.one(
                "SELECT root_inode FROM checkouts WHERE checkout_id = ?", (checkout.checkout_id,)
            )
            same_folder = gone and row is not None and row["root_inode"] == inode
            if same_folder:
                same_folder = await same_files(self._engine, checkout.checkout_id, info.root)
            if gone and (same_folder or checkout.project_id == info.project_id):
                log.info("%s has moved to %s", checkout.root, root)
                await self._engine.unwatch(checkout)
                await rewrite_identity(self._engine, checkout, info)
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
        self.forget()

    async def refresh_identity(self, checkout: Checkout) -> bool:
        """A project that gained or lost a remote changes its id; nothing is embedded again.

        True when it did: whoever asks scans it then, since what waited in the queue is dropped.
        """
        async with self._registering:
            now = await self.current(checkout)
            return now is not None and await self._refresh_identity(now)

    async def _refresh_identity(self, checkout: Checkout) -> bool:
        root = Path(checkout.root)
        info = await asyncio.to_thread(describe, root)
        if info.project_id == checkout.project_id or not root.is_dir():  # it may be going away
            return False
        await self._engine.unwatch(checkout)
        await rewrite_identity(self._engine, checkout, info)
        await self._engine.watch(await self.get(info.checkout_id))
        return True

    @asynccontextmanager
    async def naming(self) -> AsyncIterator[None]:
        """While ids change or go, nobody is told of them. `all` is not to be called meanwhile."""
        async with self._naming:
            try:
                yield
            finally:
                self.forget()

    async def remove(self, checkout: Checkout) -> None:
        """Forget a folder and everything derived from it."""
        await self._engine.unwatch(checkout)
        async with self._engine.writing():
            await self._remove(checkout)

    async def _remove(self, checkout: Checkout) -> None:
        async with self.naming(), self._engine.state.transaction() as tx:
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
        await self._engine.pipeline.sweep_dead_points(checkout.project_id)
        if not left:
            await self._engine.access.drop_project(checkout.project_id)

    async def set_flags(self, checkout: Checkout, **flags: bool) -> None:
        """Change `watched`, `active` or `paused`."""
        async with self._engine.state.transaction() as tx:
            for name, value in flags.items():
                assert name in ("watched", "active", "paused")
                await tx.execute(
                    f"UPDATE checkouts SET {name} = ? WHERE checkout_id = ?",
                    (value, checkout.checkout_id),
                )
        self.forget()
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
        self.forget()

    def forget(self) -> None:
        """The rows have changed: read them again."""
        self._known = None
        self._forgotten += 1

    # --- rebuilds -------------------------------------------------------------------------

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


def _unknown(message: str, known: list[Checkout]) -> NotFoundError:
    roots = ", ".join(c.root for c in known[:10])
    hint = "Index it with `surveyor index PATH`."
    return NotFoundError(message, hint + (f" Known: {roots}" if roots else ""))


__all__ = ["Checkout", "Projects"]
