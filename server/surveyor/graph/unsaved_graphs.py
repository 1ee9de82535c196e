"""What editors hold unsaved, as graphs: made when a buffer changes, kept until it does again."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping

import msgspec

from surveyor.errors import SurveyorError
from surveyor.graph.jobs import GraphJob, PreviewedFile
from surveyor.graph.queries.lookup import StoredGraph
from surveyor.graph.queries.query_context import UnsavedBuffers
from surveyor.graph.queries.unsaved import UnsavedFile, unsaved_file
from surveyor.store.state import State
from surveyor.store.state.projects import Checkout

__all__ = ["UnsavedGraphs"]

log = logging.getLogger(__name__)

_PREVIEWED = msgspec.msgpack.Decoder(list[PreviewedFile])
_Key = tuple[int, frozenset[tuple[str, int, int]]]
"""How often the stored graph changed, and path, version and identity of each buffer's text."""
_Files = dict[str, UnsavedFile]


class UnsavedGraphs:
    """The buffers of all checkouts, resolved against what is stored."""

    def __init__(
        self,
        state: State,
        buffers: UnsavedBuffers,
        run_job: Callable[[GraphJob], Awaitable[bytes]],
        *,
        traces: bool,
    ) -> None:
        self._state = state
        self._buffers = buffers
        self._run_job = run_job
        self._traces = traces
        self._changes: dict[str, int] = {}
        self._made: dict[str, tuple[_Key, asyncio.Task[_Files]]] = {}

    def stored_changed(self, checkout_id: str) -> None:
        """The graph that buffers were resolved against is another one."""
        self._changes[checkout_id] = self._changes.get(checkout_id, 0) + 1

    def generation(self, checkout_id: str) -> int:
        """How often the stored graph changed: what a worker keeps of it is of one of these."""
        return self._changes.get(checkout_id, 0)

    async def of(self, checkout: Checkout) -> Mapping[str, UnsavedFile]:
        """The unsaved files of a checkout by path, as they are now."""
        checkout_id = checkout.checkout_id
        parsed = self._buffers.parsed(checkout_id)
        if not parsed:
            self._made.pop(checkout_id, None)
            return {}
        key = (
            self.generation(checkout_id),
            frozenset((path, version, id(file)) for path, (version, file) in parsed.items()),
        )
        made = self._made.get(checkout_id)
        if made is None or made[0] != key:
            task = asyncio.create_task(self._make(checkout), name=f"unsaved {checkout_id}")
            made = self._made[checkout_id] = (key, task)
        return await asyncio.shield(made[1])

    async def _make(self, checkout: Checkout) -> _Files:
        parsed = {
            path: each
            for path, each in self._buffers.parsed(checkout.checkout_id).items()
            if each[1].graph
        }
        if not parsed:
            return {}
        job = GraphJob(
            kind="preview",
            checkout_id=checkout.checkout_id,
            root=checkout.root,
            generation=self.generation(checkout.checkout_id),
            traces=self._traces,
            buffers={path: file.graph for path, (_, file) in parsed.items()},
        )
        try:
            found = _PREVIEWED.decode(await self._run_job(job))
        except SurveyorError as error:
            log.warning("unsaved text of %s has no graph: %s", checkout.root, error)
            return {}
        stored = StoredGraph(self._state, checkout.checkout_id)
        return {
            each.outlined.path: await unsaved_file(stored, *parsed[each.outlined.path], each)
            for each in found
        }
