"""Exact references of active projects, collected in the background within a share of one core.

Works on one definition at a time, the most important first; a definition whose stored answer is
still true is passed over, so that the work goes on after a restart and after edits where it is
needed. Only a server that is ready is asked, and never while files are waiting to be indexed.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence

from surveyor.graph.exact.answers import fingerprint, keep_answer, known_answer
from surveyor.graph.exact.servers import ExactQuestion, ExactServers
from surveyor.graph.queries.lookup import Node, StoredGraph, node_of
from surveyor.store.state import State
from surveyor.store.state.graph import exact
from surveyor.store.state.projects import Checkout

__all__ = ["Enricher"]

log = logging.getLogger(__name__)

LOOK_EVERY_S = 5.0
"""Pause between two looks for work."""
BATCH = 20
"""Definitions per look and checkout."""
SLICE_S = 2.0
"""Most time that one look may keep servers busy."""
MAX_NODES = 2000
"""Most important definitions of a checkout that are kept exact."""
QUESTION = "references"
KINDS = ("function", "method", "class", "interface", "struct", "enum", "trait")


class Enricher:
    """Asks servers about one definition after the other.

    `checkouts` gives all there are; `files_behind` how many files of one wait to be indexed, and
    `graph_behind` whether its edges may be behind its files, by id. `share` is how much of the
    time servers may be kept busy, 0 for none of it.
    """

    def __init__(
        self,
        state: State,
        servers: ExactServers,
        *,
        checkouts: Callable[[], Awaitable[Sequence[Checkout]]],
        files_behind: Callable[[str], int],
        graph_behind: Callable[[str], bool],
        share: Callable[[], float],
    ) -> None:
        self._state, self._servers = state, servers
        self._checkouts = checkouts
        self._files_behind, self._graph_behind = files_behind, graph_behind
        self._share = share
        self._silent: dict[tuple[str, str], float] = {}
        """(root, suffix) -> when it was found that no server answers there."""
        self._cursor: dict[str, int] = {}

    async def run(self) -> None:
        """Work for as long as the engine lives."""
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            share = self._share()
            if not share:
                continue
            busy = 0.0
            try:
                for checkout in await self._checkouts():
                    if self._may_work(checkout):
                        busy += await self.enrich(checkout, SLICE_S)
            except Exception:
                log.exception("background enrichment failed; it goes on later")
            await asyncio.sleep(busy * (1.0 / share - 1.0))

    def _may_work(self, checkout: Checkout) -> bool:
        behind = self._files_behind(checkout.checkout_id)
        pending = self._graph_behind(checkout.checkout_id)
        return checkout.active and not checkout.paused and not behind and not pending

    async def enrich(self, checkout: Checkout, limit_s: float) -> float:
        """Ask about the next definitions; the seconds that took.

        That a server starts and loads the project comes once and counts as one slice at most:
        else the first answer would be followed by minutes without another one.
        """
        stored = StoredGraph(self._state, checkout.checkout_id)
        busy, begun = 0.0, time.monotonic()
        for node in await self.waiting(stored):
            if busy > limit_s or not self._may_work(checkout):
                break
            running = self._servers.runs_for(checkout.root, node.path) or (
                self._servers.editor_for(checkout.root, QUESTION) is not None
            )
            await self._ask(checkout, stored, node)
            took, begun = time.monotonic() - begun, time.monotonic()
            busy += took if running else min(took, limit_s)
        return busy

    async def waiting(self, stored: StoredGraph) -> list[Node]:
        """Important definitions without an answer, then those whose answer may be outdated."""
        state, checkout_id = stored.state, stored.checkout_id
        room = MAX_NODES - await exact.count_answered(state, checkout_id, QUESTION)
        top: list[Node] = []
        if room > 0:
            limit = min(BATCH, room)
            new = await exact.unanswered_nodes(state, checkout_id, QUESTION, KINDS, limit)
            top = [node_of(record) for record in new]
        if len(top) < BATCH:
            known = await exact.answered_nodes(state, checkout_id, QUESTION)
            # A few at a time, each look going on where the last one ended.
            begin = self._cursor.get(checkout_id, 0)
            begin = begin if begin < len(known) else 0
            self._cursor[checkout_id] = begin + BATCH
            for record in known[begin : begin + BATCH]:
                node = node_of(record)
                answer = await known_answer(stored, node, QUESTION)
                if answer is not None and not answer[1]:
                    top.append(node)
        return top

    async def _ask(self, checkout: Checkout, stored: StoredGraph, node: Node) -> bool:
        suffix = node.path.rpartition(".")[2]
        silent = self._silent.get((checkout.root, suffix))
        if silent is not None and time.monotonic() - silent < 60.0:
            return False
        editor = self._servers.editor_for(checkout.root, QUESTION)
        before = await fingerprint(stored, node)
        asked = ExactQuestion(QUESTION, checkout.root, node.path, node.line, node.column)
        # With no editor the engine starts a server of its own, and waits for it here only.
        wait_s = 0.0 if editor is not None else 30.0
        answered = await self._servers.ask(asked, editor, wait_s=wait_s)
        if answered is None or not answered.complete:
            self._silent[checkout.root, suffix] = time.monotonic()
            return False
        return await keep_answer(stored, node, QUESTION, answered, before)
