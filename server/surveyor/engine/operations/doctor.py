"""Checks of what the running engine holds."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import textwrap
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path

from surveyor.engine.index.vector_rebuild import VectorRebuilder
from surveyor.engine.operations import Caller, operation
from surveyor.engine.operations.engine_callables import AllCheckouts, OnStore
from surveyor.protocol.engine import DoctorRequest, DoctorResponse, Finding
from surveyor.protocol.knowledge import KnowledgeUsage
from surveyor.store.state import State, queue
from surveyor.store.state.checks import projects_with_folders, quick_check
from surveyor.store.state.content_digests import find_damage
from surveyor.store.vectors.contract import StoreError, StoreUnreachableError, VectorStore
from surveyor.store.vectors.edge import EdgeStore
from surveyor.units import counted, format_size

BRIEF_CHARS = 200


class DoctorOperations:
    """The checks of `surveyor doctor` that need the running engine."""

    def __init__(
        self,
        state: State,
        vectors: VectorStore,
        on_store: OnStore,
        look_for_store: Callable[[], Awaitable[None]],
        checkouts: AllCheckouts,
        vector_rebuilder: VectorRebuilder,
        reembedding: Callable[[str], float | None],
        watch_problem: Callable[[Path], str],
        data_dir: Path,
        least_free: Callable[[], int],
        warnings: Callable[[], Iterable[str]],
        warnings_of: Callable[[str], Iterable[str]],
        usage: Callable[[], Awaitable[KnowledgeUsage]],
        web: Callable[[], str | None],
        given_up: Callable[[str], Awaitable[list[str]]],
    ) -> None:
        self._state = state
        self._vectors = vectors
        self._on_store = on_store
        self._look_for_store = look_for_store
        self._checkouts = checkouts
        self._vector_rebuilder = vector_rebuilder
        self._reembedding = reembedding
        self._watch_problem = watch_problem
        self._data_dir = data_dir
        self._least_free = least_free
        self._warnings = warnings
        self._warnings_of = warnings_of
        self._usage = usage
        self._web = web
        self._given_up = given_up

    @operation(DoctorRequest)
    async def doctor(self, request: DoctorRequest, _: Caller) -> DoctorResponse:
        """State, store, points, queue, watches, disk and settings, one finding each."""
        state, readable = await self._check_state()
        if not readable or (request.repair and not state.ok):
            # What else is asked of it fails, or would spread what is wrong in it.
            own = [_setting_finding(warning) for warning in self._warnings()]
            return DoctorResponse(findings=[state, self._check_disk(), *own])
        await self._look_for_store()
        try:
            points = [
                *await self._check_shards(request.repair),
                *await self._check_points(request.repair),
            ]
        except StoreUnreachableError as error:
            points = [Finding(check="store", ok=False, message=error.message, hint=error.hint)]
        findings = [
            state,
            await self._check_copy(request.repair),
            *points,
            await self._check_queue(),
            *await self._check_watches(),
            *await self._check_graph(),
            self._check_disk(),
            *await self._check_settings(),
            *await self._check_limits(),
            self._check_web(),
        ]
        return DoctorResponse(findings=findings)

    async def _check_state(self) -> tuple[Finding, bool]:
        """The database, and whether it can be asked: rows that were altered can be read."""
        try:
            problems = await quick_check(self._state)
        except sqlite3.DatabaseError as error:
            problems = [str(error)]
        readable = problems == ["ok"]
        if readable:
            try:
                damage = await asyncio.to_thread(find_damage, self._state.path)
                problems = [f"not what was written: {damage.said()}"] if damage else []
            except sqlite3.Error as error:
                problems, readable = [str(error)], False
        if not problems:
            sound = f"{self._state.path} is sound, and holds what was written"
            return Finding(check="state", ok=True, message=sound), readable
        damaged = Finding(
            check="state",
            ok=False,
            message=f"{self._state.path} is damaged: {_brief(problems[0])}",
            hint="`surveyor doctor --repair` makes what is derived again from your files.",
        )
        return damaged, readable

    async def _check_copy(self, repair: bool) -> Finding:
        """The second copy of what nothing can make again."""
        second_copy_writer = self._state.second_copy_writer
        problem = await second_copy_writer.problem()
        if problem and repair:
            await self._state.make_spare_anew()
        return Finding(
            check="copy",
            ok=not problem,
            message=f"{second_copy_writer.path} is damaged: {_brief(problem)}"
            if problem
            else f"{second_copy_writer.path} holds what you stored a second time",
            hint="`surveyor doctor --repair` makes it again." if problem and not repair else "",
            repaired=bool(problem) and repair,
        )

    async def _server_said(self) -> str:
        from surveyor.store.vectors.server import ServerStore, weighs_by_tenant  # is loaded by now

        store, count = self._vectors, len(await self._on_store(self._vectors.spaces))
        if not isinstance(store, ServerStore):
            return f"the store answers; {counted(count, 'space')}"
        version = await self._on_store(store.version)
        said = f"Qdrant {version} answers; {counted(count, 'space')}"
        if weighs_by_tenant(version):
            return said
        return f"{said}; words are weighed over all its projects (from 1.19 on by project)"

    async def _check_shards(self, repair: bool) -> list[Finding]:
        store = self._vectors
        if not isinstance(store, EdgeStore):
            return [Finding(check="store", ok=True, message=await self._server_said())]
        damaged = await self._on_store(lambda: store.damaged(probe=True))
        if not damaged:
            return [Finding(check="store", ok=True, message="every shard opens")]
        findings = []
        for each in damaged:
            moved = await self._on_store(store.quarantine, each) if repair else None
            findings.append(
                Finding(
                    check="store",
                    ok=False,
                    message=f"shard {each.folder.parent.name}: {_brief(each.reason)}",
                    hint=f"moved to {moved}; its points are made again"
                    if moved
                    else "`surveyor doctor --repair` makes its points again from the index.",
                    repaired=moved is not None,
                )
            )
        return findings

    async def _check_points(self, repair: bool) -> list[Finding]:
        """Whether every project has exactly the points of its chunks."""
        findings = []
        for project_id, name in await projects_with_folders(self._state):
            share = self._reembedding(project_id)
            if share is not None and not repair:  # under way: nothing that anybody has to put right
                findings.append(
                    Finding(
                        check="points",
                        ok=True,
                        message=f"{name}: points are being made anew, {share:.0%} so far",
                    )
                )
                continue
            try:
                if repair:
                    missing, superfluous = await self._vector_rebuilder.reconcile(project_id)
                else:
                    missing, superfluous = await self._vector_rebuilder.compare(project_id)
            except StoreUnreachableError:
                raise
            except StoreError:  # its shard is damaged, as has been said
                continue
            ok = not (missing or superfluous)
            what = (
                f"{counted(missing, 'point is', 'points are')} missing, {superfluous} are"
                " superfluous"
            )
            findings.append(
                Finding(
                    check="points",
                    ok=ok,
                    message=f"{name}: {'complete' if ok else what}",
                    hint="" if ok or repair else "`surveyor doctor --repair` puts it right.",
                    repaired=repair and not ok,
                )
            )
        return findings

    async def _check_queue(self) -> Finding:
        counts = await queue.counts(self._state)
        unread = await queue.count_failed(self._state, "library")
        if unread and unread == counts["failed"]:
            # Their senders were told, and nothing here is broken: the documents are.
            return Finding(
                check="queue",
                ok=True,
                message=(
                    f"{counted(counts['pending'], 'item waits', 'items wait')};"
                    f" {counted(unread, 'document')} could not be read"
                ),
                hint="`surveyor queue list --failed` says why.",
            )
        if counts["failed"]:
            return Finding(
                check="queue",
                ok=False,
                message=f"{counted(counts['failed'], 'item')} failed for good",
                hint="`surveyor queue list --failed` says why; `surveyor queue retry` tries again.",
            )
        return Finding(
            check="queue",
            ok=True,
            message=f"{counted(counts['pending'], 'item waits', 'items wait')}, none failed",
        )

    async def _check_watches(self) -> list[Finding]:
        findings = []
        for checkout in await self._checkouts():
            problem = self._watch_problem(Path(checkout.root)) if checkout.watched else ""
            if problem or checkout.missing_since:
                findings.append(
                    Finding(
                        check="watch",
                        ok=False,
                        message=f"{checkout.root}: {problem or 'cannot be reached'}",
                        hint="`surveyor reindex` brings it up to date meanwhile.",
                    )
                )
        return findings or [
            Finding(check="watch", ok=True, message="every followed folder is seen")
        ]

    async def _check_graph(self) -> list[Finding]:
        """Files of which it is not known what they use."""
        findings = []
        for checkout in await self._checkouts():
            if paths := await self._given_up(checkout.checkout_id):
                more = f" and {len(paths) - 3} more" if len(paths) > 3 else ""
                said = f"{', '.join(paths[:3])}{more}"
                findings.append(
                    Finding(
                        check="graph",
                        ok=False,
                        message=f"{checkout.root}: what these use could not be worked out: {said}",
                        hint="Answers say so where it counts. `surveyor reindex` tries them again.",
                    )
                )
        return findings or [
            Finding(check="graph", ok=True, message="what every indexed file uses is known")
        ]

    def _check_disk(self) -> Finding:
        free = shutil.disk_usage(self._data_dir).free
        store = self._vectors
        wanted = max(store.room_wanted.values(), default=0) if isinstance(store, EdgeStore) else 0
        if wanted > free:
            return Finding(
                check="disk",
                ok=False,
                message=f"{format_size(free)} free in {self._data_dir}; making an index compact"
                f" takes {format_size(wanted)} for a while",
                hint="Free some space: it is made compact by itself then, and answers meanwhile.",
            )
        return Finding(
            check="disk",
            ok=free >= self._least_free(),
            message=f"{format_size(free)} free in {self._data_dir}",
            hint="" if free >= self._least_free() else "Free some space to go on indexing.",
        )

    async def _check_settings(self) -> list[Finding]:
        warnings = list(self._warnings())
        for checkout in await self._checkouts():
            warnings += await asyncio.to_thread(self._warnings_of, checkout.root)
        return [_setting_finding(warning) for warning in warnings] or [
            Finding(check="settings", ok=True, message="every setting is understood")
        ]

    async def _check_limits(self) -> list[Finding]:
        """What comes near its limit, what a setting is about to delete, and what has gone."""
        usage = await self._usage()
        findings = [
            Finding(
                check="limits",
                ok=False,
                message=one,
                hint="Set it back with `surveyor config set` if that was not meant.",
            )
            for one in usage.pending
        ]
        findings += [
            Finding(
                check="limits",
                ok=False,
                message=one,
                hint="Limits are settings of [storage]: `surveyor config set`.",
            )
            for one in usage.warnings
        ]
        gone = ", ".join(f"{count} {kind}" for kind, count in usage.evicted.items())
        if gone:
            message = f"let go of: {gone}; `surveyor library evicted` lists them"
            findings.append(Finding(check="limits", ok=True, message=message))
        return findings or [Finding(check="limits", ok=True, message="nothing is near its limit")]

    def _check_web(self) -> Finding:
        """Whether anything leaves this machine for pages, and where it goes."""
        said = self._web()
        return Finding(check="web", ok=True, message=f"on: {said}" if said else "off")


def _setting_finding(warning: str) -> Finding:
    return Finding(check="settings", ok=False, message=warning, hint="See `surveyor config show`.")


def _brief(reason: str) -> str:
    """What a library says of damage, without its own account of how it came there."""
    lines = [line for line in reason.splitlines() if not line.startswith("***")]
    return textwrap.shorten(lines[0] if lines else reason, BRIEF_CHARS, placeholder=" …")
