"""Keeps the resolved edges of each checkout up to date with its files.

After every committed batch the pipeline tells `GraphUpdater`; per checkout one task then works
off the difference between `files` and `graph_files`:

1. extract: the graphs of documents that were stored without.
2. outline: what the changed files define now. Names that look different from outside than before
   decide which other files must be resolved again: those that use one of them.
3. resolve: the edges of every file marked so, each file in its own replacement of rows.
4. rank, when things have calmed down.

The difference lives in the tables, so an update that was interrupted goes on where it was. All
thinking happens in the index worker; rows are written by `rows.py`.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import zip_longest
from typing import TypeVar

import msgspec

from surveyor.errors import SurveyorError
from surveyor.graph.jobs import ExtractedGraph, GraphJob, GraphRanks, OutlinedFile, ResolvedFile
from surveyor.graph.languages.readers import PROJECT
from surveyor.graph.update.backlog import OutlineChanges, mark_dependants
from surveyor.graph.update.bounded import all_done, batched
from surveyor.graph.update.rows import decode_outline, store_documents, write_edges, write_outlines
from surveyor.store.state import State
from surveyor.store.state.graph import documents, files
from surveyor.store.state.graph.nodes import count_files
from surveyor.store.state.graph.ranks import write_file_ranks, write_node_ranks

__all__ = ["GraphUpdater"]

log = logging.getLogger(__name__)

EXTRACT_FILES = 12
"""Files per job of extraction, some 100 ms of the worker: an edit may have to wait for one."""
CHUNK_FILES = 40
"""Files per job and transaction: some 100 ms of the worker, some 50 ms of the writer."""
ROUND_FILES = 400
"""Files that are asked for at once when many are to be resolved."""
EXTRACTING = 2
"""Jobs of extraction at a time: as many as there are workers at most."""
WRITTEN_MEANWHILE = 2
"""Jobs in progress at a time, of which one is at a worker (another worker is there for edits) and
the other is being written."""
BULK_FILES = 60
"""More files waiting than this is an index run: the graph waits until the queue has drained."""
BULK_POLL_S = 0.2
RANK_DELAY_S = 2.0
"""Quiet time before ranks are computed again."""
RANK_EVERY_S = 30.0
"""At most so often, unless many files changed."""
RANK_TOLERANCE = 0.02
"""Ranks that moved less than this share are not rewritten."""

RunJob = Callable[[GraphJob], Awaitable[bytes]]
ReaderOf = Callable[[str, str], int]
"""Which worker has read a file, by its root and path: files of one go into one job."""

T = TypeVar("T")

_DRAWN = msgspec.msgpack.Decoder(list[ExtractedGraph])
_OUTLINED = msgspec.msgpack.Decoder(list[OutlinedFile])
_RESOLVED = msgspec.msgpack.Decoder(list[ResolvedFile])
_RANKED = msgspec.msgpack.Decoder(GraphRanks)


@dataclass(slots=True)
class _Checkout:
    root: str
    dirty: asyncio.Event = field(default_factory=asyncio.Event)
    edited: asyncio.Event = field(default_factory=asyncio.Event)
    """Set while the edges that start in changed files are there."""
    idle: asyncio.Event = field(default_factory=asyncio.Event)
    """Set while all edges are there, those of other files into changed ones too."""
    at_work: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while a worker outlines or resolves."""
    task: asyncio.Task[None] | None = None
    generation: int = 0
    absent: set[str] = field(default_factory=set)
    """Files without a graph for now, that others may have been resolved without."""
    changed_since_rank: int = 0
    ranked_at: float = 0.0
    problem: str = ""
    """What ended the last update before its end."""
    given_up: set[str] = field(default_factory=set)
    """Files that a worker failed at alone when their uses were to be worked out."""
    tried_again: set[str] = field(default_factory=set)
    """Those of them that it failed at twice."""


class GraphUpdater:
    """Resolves files again whose own or imported definitions have changed; one per engine."""

    def __init__(
        self,
        state: State,
        run: RunJob,
        files_behind: Callable[[str], int],
        *,
        reader_of: ReaderOf = lambda _root, _path: 0,
        traces: bool = True,
    ) -> None:
        self._state = state
        self._run = run
        self._reader_of = reader_of
        self._files_behind = files_behind
        self._traces = traces
        self._checkouts: dict[str, _Checkout] = {}
        self._on_updated: list[Callable[[str], Awaitable[None]]] = []

    def on_updated(self, callback: Callable[[str], Awaitable[None]]) -> None:
        """Call back with the checkout's id whenever its edges are up to date again."""
        self._on_updated.append(callback)

    def touch(self, checkout_id: str, root: str) -> None:
        """Files of a checkout changed: update soon, in the background."""
        checkout = self._checkouts.setdefault(checkout_id, _Checkout(root))
        checkout.root = root
        checkout.edited.clear()
        checkout.idle.clear()
        checkout.dirty.set()
        if checkout.task is None or checkout.task.done():
            checkout.task = asyncio.create_task(
                self._follow(checkout_id, checkout), name=f"graph {checkout_id}"
            )

    def rename(self, old: str, new: str, root: str) -> None:
        """A checkout's id changed, and its rows with it: go on under the new one."""
        before = self._checkouts.pop(old, None)
        if before is not None:
            before.idle.set()  # whoever waits reads what is there
            if before.task is not None:
                before.task.cancel()
        self.touch(new, root)

    async def reconsider(self, checkout_id: str, root: str) -> None:
        """What imports mean may have changed: resolve all files of a checkout again."""
        async with self._state.transaction() as tx:
            await files.mark_all_unresolved(tx, checkout_id)
        self.touch(checkout_id, root)
        self._checkouts[checkout_id].generation += 1  # the worker reads manifests anew

    def pending(self, checkout_id: str) -> bool:
        """Whether edges may be behind the files."""
        checkout = self._checkouts.get(checkout_id)
        return checkout is not None and not (checkout.idle.is_set() and not checkout.problem)

    def problem(self, checkout_id: str) -> str:
        """What ended the last update before all edges were there; empty where nothing did."""
        checkout = self._checkouts.get(checkout_id)
        return checkout.problem if checkout is not None else ""

    def given_up(self, checkout_id: str) -> frozenset[str]:
        """Files whose uses could not be worked out since the engine was started."""
        checkout = self._checkouts.get(checkout_id)
        return frozenset(checkout.given_up) if checkout is not None else frozenset()

    async def wait(self, checkout_id: str, timeout_s: float, others_s: float = math.inf) -> bool:
        """Until edges are up to date; `False` when time is up first.

        What changed files use is waited for up to `timeout_s`, what other files use of them, which
        may be hundreds for a common name, for no more than `others_s` of it.
        """
        checkout = self._checkouts.get(checkout_id)
        if checkout is None:
            return True
        until = time.monotonic() + timeout_s
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(checkout.edited.wait(), timeout_s)
            left = min(others_s, until - time.monotonic())
            await asyncio.wait_for(checkout.idle.wait(), max(left, 0.0))
        return checkout.idle.is_set()

    async def close(self) -> None:
        """Stop all updates; what is left is done after the next start."""
        tasks = [c.task for c in self._checkouts.values() if c.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def resume(self) -> None:
        """After a start: go on with every checkout that has something left."""
        for checkout_id, root in await files.checkouts_behind(self._state):
            self.touch(checkout_id, root)

    # --- the task of one checkout -----------------------------------------------------------

    async def _follow(self, checkout_id: str, checkout: _Checkout) -> None:
        while True:
            checkout.dirty.clear()
            try:
                await self._update(checkout_id, checkout)
                checkout.problem = ""
            except asyncio.CancelledError:
                raise
            except Exception as error:
                log.exception("the graph of %s could not be updated", checkout.root)
                checkout.problem = f"{type(error).__name__}: {error}"
                await asyncio.sleep(1.0)
            if checkout.dirty.is_set():
                continue
            checkout.edited.set()
            checkout.idle.set()
            for callback in self._on_updated:
                await callback(checkout_id)
            if not await self._calm(checkout):
                continue
            try:
                await self._rank(checkout_id, checkout)
            except asyncio.CancelledError:
                raise
            except Exception:
                log.exception("the graph of %s could not be ranked", checkout.root)
            await checkout.dirty.wait()
            checkout.edited.clear()
            checkout.idle.clear()

    async def _calm(self, checkout: _Checkout) -> bool:
        """Whether nothing changed until it was time to rank."""
        delay = RANK_DELAY_S
        if checkout.changed_since_rank < CHUNK_FILES:
            delay = max(delay, RANK_EVERY_S - (time.monotonic() - checkout.ranked_at))
        if not checkout.ranked_at:
            delay = 0.0
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(checkout.dirty.wait(), delay)
        return not checkout.dirty.is_set()

    async def _update(self, checkout_id: str, checkout: _Checkout) -> None:
        while True:
            # Asked first, each time: a branch may have come meanwhile, and to read what waits of a
            # large folder over and over takes more than its files.
            if self._files_behind(checkout_id) > BULK_FILES:
                await asyncio.sleep(BULK_POLL_S)
                continue
            pending = await documents.pending_paths(self._state, checkout_id)
            waiting = await files.files_to_outline(self._state, checkout_id)
            many = len(pending) + len(waiting) > BULK_FILES
            if not many or not self._files_behind(checkout_id):
                break
            await asyncio.sleep(BULK_POLL_S)
        while not await self._round(checkout_id, checkout, pending) or await self._try_again(
            checkout_id, checkout
        ):
            pending = await documents.pending_paths(self._state, checkout_id)

    async def _try_again(self, checkout_id: str, checkout: _Checkout) -> bool:
        """Whether files that a worker failed at are to be resolved once more: one that takes too
        long on a machine with too much to do is no file at fault."""
        checkout.tried_again &= checkout.given_up
        again = checkout.given_up - checkout.tried_again
        checkout.tried_again |= again
        async with self._state.transaction() as tx:
            await files.mark_paths_unresolved(tx, checkout_id, again)
        return bool(again)

    async def _round(self, checkout_id: str, checkout: _Checkout, pending: list[str]) -> bool:
        """Extract, outline, resolve; False when graphs went missing before all was resolved.

        What is resolved while another file's graph is missing finds nothing in that file, and the
        graph may look the same as before when it comes: nobody would resolve it again.
        """
        if pending:
            await self._extract(checkout_id, checkout, pending)
        waiting = await files.files_to_outline(self._state, checkout_id)
        removed = await files.files_without_index(self._state, checkout_id)
        if waiting or removed:
            checkout.generation += 1
            await self._outline(checkout_id, checkout, waiting, removed)
        # A file that changed on disk since: it comes again, and then as one whose names are new.
        checkout.absent |= set(pending).intersection(
            await documents.pending_paths(self._state, checkout_id)
        )
        # What was edited first: a common name may bring hundreds of other files with it.
        resolve = partial(self._resolve, checkout_id, checkout)
        if not await all_done(resolve, batched(waiting, CHUNK_FILES), WRITTEN_MEANWHILE):
            return False
        if not checkout.dirty.is_set():
            checkout.edited.set()
        while paths := await files.files_to_resolve(self._state, checkout_id, ROUND_FILES):
            if not await all_done(resolve, batched(paths, CHUNK_FILES), WRITTEN_MEANWHILE):
                return False
        return True

    async def _job(
        self, kind: str, checkout_id: str, checkout: _Checkout, paths: Sequence[str] = ()
    ) -> bytes:
        return await self._run(
            GraphJob(
                kind=kind,  # type: ignore[arg-type]
                checkout_id=checkout_id,
                root=checkout.root,
                generation=checkout.generation,
                paths=list(paths),
                traces=self._traces,
            )
        )

    async def _results(
        self,
        decoder: msgspec.msgpack.Decoder[list[T]],
        kind: str,
        checkout_id: str,
        checkout: _Checkout,
        paths: list[str],
    ) -> tuple[list[T], list[str]]:
        """What a job says of files, and those that a worker fails at: it is given halves until
        they are found, so that nothing is lost of the others."""
        try:
            async with checkout.at_work:
                answer = await self._job(kind, checkout_id, checkout, paths)
            return decoder.decode(answer), []
        except SurveyorError as error:
            if len(paths) < 2:
                log.warning("the graph leaves out %s (%s): %s", " ".join(paths), kind, error)
                return [], paths
        middle = len(paths) // 2
        found, failed = await self._results(decoder, kind, checkout_id, checkout, paths[:middle])
        more, others = await self._results(decoder, kind, checkout_id, checkout, paths[middle:])
        return [*found, *more], [*failed, *others]

    # --- graphs -----------------------------------------------------------------------------

    async def _extract(self, checkout_id: str, checkout: _Checkout, paths: list[str]) -> None:
        extract = partial(self._extract_part, checkout_id, checkout)
        await all_done(extract, self._parts(checkout.root, paths), EXTRACTING)

    async def _extract_part(self, checkout_id: str, checkout: _Checkout, part: list[str]) -> bool:
        try:
            answer = await self._job("extract", checkout_id, checkout, part)
        except SurveyorError:
            for path in part:  # one of them is at fault: the others shall not pay for it
                await self._extract_alone(checkout_id, checkout, path)
        else:
            await self._store_graphs(answer)
        return True

    def _parts(self, root: str, paths: Sequence[str]) -> Iterator[list[str]]:
        """Files for a job each, of one reader: of each of the readers in turns."""
        by_reader: dict[int, list[str]] = {}
        for path in paths:
            by_reader.setdefault(self._reader_of(root, path), []).append(path)
        of_readers = (batched(read, EXTRACT_FILES) for read in by_reader.values())
        for parts in zip_longest(*of_readers):
            yield from (part for part in parts if part)

    async def _extract_alone(self, checkout_id: str, checkout: _Checkout, path: str) -> None:
        try:
            await self._store_graphs(await self._job("extract", checkout_id, checkout, [path]))
        except SurveyorError as error:
            log.warning("%s has no graph: %s", path, error)
            async with self._state.transaction() as tx:
                await documents.drop_pending_file(tx, checkout_id, path)

    async def _store_graphs(self, answer: bytes) -> None:
        drawn = _DRAWN.decode(answer)
        async with self._state.transaction() as tx:
            # Another checkout of the same document may have been faster, or it may be gone.
            left = await documents.pending_among(tx, [each.doc_id for each in drawn])
            graphs = {each.doc_id: each.graph for each in drawn if each.doc_id in left}
            await store_documents(tx, graphs)

    # --- outlines ---------------------------------------------------------------------------

    async def _outline(
        self,
        checkout_id: str,
        checkout: _Checkout,
        paths: list[str],
        removed: list[tuple[int, str]],
    ) -> None:
        changes = OutlineChanges()
        added: list[str] = []

        async def outline(part: list[str]) -> bool:
            found, _ = await self._results(_OUTLINED, "outline", checkout_id, checkout, part)
            async with self._state.transaction() as tx:
                known = await write_outlines(tx, checkout_id, found, changes)
            for item in found:
                if item.path in checkout.absent:
                    checkout.absent.discard(item.path)
                    changes.note(item.path, {}, item.outline, is_test=item.is_test)
                if item.path not in known:
                    added.append(item.path)
            return True

        await all_done(outline, batched(paths, CHUNK_FILES), WRITTEN_MEANWHILE)
        checkout.changed_since_rank += len(paths) + len(removed)
        for file_id, path in removed:
            stored = await files.outline_of(self._state, file_id)
            if stored is not None:
                old = decode_outline(stored.outline)
                changes.note(path, old, {}, is_test=bool(stored.is_test))
        total = await count_files(self._state, checkout_id)
        if len(paths) < total or removed:
            await mark_dependants(self._state, checkout_id, paths, changes, added, removed)
        if PROJECT in changes.anywhere:  # what any file of the checkout means by any name
            async with self._state.transaction() as tx:
                await files.mark_all_unresolved(tx, checkout_id)

    # --- edges ------------------------------------------------------------------------------

    async def _resolve(self, checkout_id: str, checkout: _Checkout, paths: list[str]) -> bool:
        """Store the edges of files; False, and nothing, when a graph is missing by now."""
        found, failed = await self._results(_RESOLVED, "resolve", checkout_id, checkout, paths)
        async with self._state.transaction() as tx:
            pending = await documents.pending_paths(tx, checkout_id)
            if any(path not in checkout.absent for path in pending):
                checkout.generation += 1
                return False
            await write_edges(tx, checkout_id, found)
            checkout.given_up = (checkout.given_up - set(paths)) | set(failed)
            await files.give_up(tx, checkout_id, failed)
            missing = set(paths) - {item.path for item in found} - set(failed)
            # A file that vanished meanwhile: the next round removes it.
            await files.mark_vanished(tx, checkout_id, missing)
        return True

    async def _rank(self, checkout_id: str, checkout: _Checkout) -> None:
        if not checkout.changed_since_rank and checkout.ranked_at:
            return
        checkout.changed_since_rank, checkout.ranked_at = 0, time.monotonic()
        ranked = _RANKED.decode(await self._job("rank", checkout_id, checkout))
        await write_node_ranks(self._state, ranked.nodes, RANK_TOLERANCE)
        await write_file_ranks(self._state, ranked.files, RANK_TOLERANCE)
