"""The graph inside the engine: follows commits, answers questions, hands features to search."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from surveyor.errors import SurveyorError
from surveyor.graph.exact.answers import (
    ACTIVE_WAIT_S,
    ALWAYS_WAIT_S,
    Answered,
    Asked,
    ExactAnswers,
    Place,
    fingerprint,
)
from surveyor.graph.facts import KIND_NAMES, decode_references
from surveyor.graph.queries.diff import changed_nodes, read_diff
from surveyor.graph.queries.items import definition_item, language_of_path, with_details
from surveyor.graph.queries.lookup import Stored
from surveyor.graph.queries.names import Meant
from surveyor.graph.queries.query_context import Asking, uses_unread
from surveyor.graph.queries.questions import Found
from surveyor.graph.resolve.hints import decides_imports
from surveyor.graph.update.rows import store_documents
from surveyor.graph.update.updater import GraphUpdater
from surveyor.protocol.enumerations import Precision
from surveyor.protocol.graph import GraphItem, GraphRequest, GraphResponse
from surveyor.protocol.search import SearchRequest
from surveyor.worker.graph_job import GraphJob

if TYPE_CHECKING:
    from surveyor.engine.app import Engine
    from surveyor.engine.index.pipeline import Committed
    from surveyor.engine.projects.registry import Checkout
    from surveyor.parsing.types import ParsedFile
    from surveyor.search.rank import RankContext
    from surveyor.store.state import Transaction

__all__ = ["GraphService"]

Answer = Callable[[Asking, Meant], Awaitable[Found]]

PENDING_WAIT_S = 5.0
"""How long a question waits for edges that are being resolved; then it says that they are not."""
OTHERS_WAIT_S = 0.3
"""How much of it is for the edges of files that did not change, and only use what did."""
PRIOR_FILES = 500
"""Files whose importance is handed to a search; the rest count as 0."""


class GraphService:
    """One per engine."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.updater = GraphUpdater(
            engine.state,
            self.run_job,
            engine.pipeline.files_behind,
            traces=engine.settings.graph.import_traces,
        )
        self.exact = ExactAnswers()
        self._priors: dict[str, dict[str, float]] = {}
        self.updater.on_updated(self._updated)

    async def run_job(self, job: GraphJob) -> bytes:
        """Run in the index worker."""
        (outcome,) = await self.engine.pool.run([job])
        if outcome.status != "graph":
            raise SurveyorError(f"the graph worker failed: {outcome.detail or outcome.reason}")
        return outcome.graph

    async def on_documents(
        self, tx: Transaction, project_id: str, documents: Sequence[tuple[int, str, ParsedFile]]
    ) -> None:
        """Store documents' graphs with the documents."""
        await store_documents(
            tx,
            {doc_id: parsed.graph for doc_id, _, parsed in documents},
            {doc_id for doc_id, _, parsed in documents if parsed.graph_pending},
        )

    async def on_commit(self, committed: Committed) -> None:
        """Files of a checkout changed."""
        stored = Stored(self.engine.state, committed.checkout_id)
        await self.exact.files_changed(stored, committed)
        if any(decides_imports(path) for path in (*committed.changed, *committed.removed)):
            await self.updater.reconsider(committed.checkout_id, committed.root)
        else:
            self.updater.touch(committed.checkout_id, committed.root)

    async def close(self) -> None:
        """Stop updates and servers."""
        await self.updater.close()
        await self.exact.close()

    async def _updated(self, checkout_id: str) -> None:
        self._priors.pop(checkout_id, None)

    # --- questions --------------------------------------------------------------------------

    async def asking(
        self, cwd: str | None, project: str | None, wait_until_fresh_ms: int = 0
    ) -> Asking:
        """Begin to answer: the checkout, once its edges are there or time is up."""
        checkout = await self.engine.resolve(cwd, project)
        if wait_until_fresh_ms:
            await self.engine.wait_fresh([checkout], wait_until_fresh_ms / 1000)
        wait = max(wait_until_fresh_ms / 1000, PENDING_WAIT_S)
        others = wait_until_fresh_ms / 1000 or OTHERS_WAIT_S
        done = await self.updater.wait(checkout.checkout_id, wait, others)
        return Asking(self, checkout, pending=not done)

    async def respond(
        self,
        asking: Asking,
        meant: Meant | None,
        found: Found,
        limit: int,
        min_score: float = 0.0,
    ) -> GraphResponse:
        """A stored answer as it goes over the wire."""
        likely = [item for item in found.items if item.score >= min_score]
        items = likely[:limit]
        fresh = await asking.freshen(
            GraphResponse(
                results=items,
                precision=_weakest(items),
                complete=not (asking.pending or found.cut or len(likely) > limit),
                omitted=len(likely) - len(items),
                unlikely=len(found.items) - len(likely),
                picture=found.picture,
                root=asking.checkout.root,
            )
        )
        if fresh.files_behind or fresh.status in ("stale", "uncertain"):
            fresh.complete = False
        if meant is not None:
            unread = None if found.items else uses_unread(meant.nodes[0].path)
            fresh.notice = "; ".join(filter(None, (meant.notice, found.notice, unread))) or None
            fresh.symbol = definition_item(meant.nodes[0], asking.lines)
            fresh.candidates = [definition_item(n, asking.lines) for n in meant.candidates]
            await with_details(asking.stored, [fresh.symbol], meant.nodes[:1])
        fresh.took_ms = asking.took_ms()
        return fresh

    async def ask(self, request: GraphRequest, answer: Answer) -> GraphResponse:
        """A question about one symbol, from the stored graph."""
        asking = await self.asking(request.cwd, request.project, request.wait_until_fresh_ms)
        meant = await asking.meant(request)
        found = await answer(asking, meant)
        return await self.respond(asking, meant, found, request.limit, request.min_score)

    # --- exact ------------------------------------------------------------------------------

    async def exactly(
        self, asking: Asking, meant: Meant, question: str, mode: str
    ) -> Answered | None:
        """What a language server says: stored and still true, or asked now."""
        if mode == "never" or not meant.nodes[0].qualname:
            return None
        node, place = meant.nodes[0], meant.place
        if question == "definition" and place is None and mode != "always":
            return None  # the index has the place itself
        at = (place.path, place.line, place.column) if question == "definition" and place else (
            node.path, node.line, node.column,
        )  # fmt: skip
        keeps = question != "definition"
        if keeps:
            known = await self.exact.stored(asking.stored, node, question)
            if known is not None and known[1]:
                return known[0]
            asking.outdated = known[0].server if known is not None else ""
        checkout = asking.checkout
        editor = self.engine.sessions.editor_for(checkout.root, f"editor/{question}")
        wait_s = ACTIVE_WAIT_S if checkout.active and editor is None else 0.0
        if mode == "always":
            wait_s = ALWAYS_WAIT_S
        if editor is None and not wait_s and not self.exact.runs_for(checkout.root, node.path):
            return None  # nobody to ask, so nothing to compare with afterwards either
        before = await fingerprint(asking.stored, node) if keeps else b""
        answered = await self.exact.ask(Asked(question, checkout.root, *at), editor, wait_s=wait_s)
        if answered is not None and keeps:
            await self.exact.keep(asking.stored, node, question, answered, before)
        return answered

    async def merge_exact(
        self, asking: Asking, response: GraphResponse, answered: Answered, *, definitions: bool
    ) -> GraphResponse:
        """A server's places in place of ours when it was ready, beside ours when it was not."""
        places = await self._place_items(asking, answered, definitions=definitions)
        response.server = answered.server
        response.unsaved_version = answered.unsaved_version
        if answered.complete:
            response.results = places
            response.precision, response.complete, response.omitted = "exact", True, 0
            return response
        known = {(item.path, item.line, item.column) for item in response.results}
        response.results += [p for p in places if (p.path, p.line, p.column) not in known]
        response.precision, response.complete = "partial", False
        response.notice = f"{answered.server} was not ready: its answer is partial"
        return response

    async def _place_items(
        self, asking: Asking, answered: Answered, *, definitions: bool
    ) -> list[GraphItem]:
        """Items for places, with kind and enclosing definition from the index."""
        precision: Precision = "exact" if answered.complete else "partial"
        by_path: dict[str, list[Place]] = {}
        for place in answered.places:
            by_path.setdefault(place[0], []).append(place)
        items: list[GraphItem] = []
        for path, places in by_path.items():
            kinds = await self._kinds(asking, path)
            inside = await asking.stored.inside(path)
            file = await asking.stored.file(path)
            for _, line, column, end_column in places:
                around = [n for n in inside if n.start_line <= line <= n.end_line]
                named = [n for n in inside if (n.line, n.column) == (line, column)]
                chosen = (named if definitions else []) or around[-1:]
                node = chosen[0] if chosen else None
                items.append(
                    GraphItem(
                        path=path,
                        line=line,
                        column=column,
                        end_column=end_column,
                        kind="definition" if definitions else kinds.get((line, column), "read"),
                        symbol=node.qualname if node else "",
                        symbol_kind=node.kind if node else "file",
                        start_line=node.start_line if node else 0,
                        end_line=node.end_line if node else 0,
                        precision=precision,
                        is_test=bool(file and file.is_test),
                        language=language_of_path(path),
                        text=asking.lines.get(path, line),
                    )
                )
        return items

    async def _kinds(self, asking: Asking, path: str) -> dict[tuple[int, int], str]:
        row = await asking.stored.state.one(
            """SELECT d.refs FROM files f JOIN graph_documents d ON d.doc_id = f.doc_id
               WHERE f.checkout_id = ? AND f.path = ?""",
            (asking.checkout.checkout_id, path),
        )
        if row is None:
            return {}
        kinds = {(r[2], r[3]): KIND_NAMES[r[1]] for r in decode_references(row[0])}
        # What is known of the target says more: a call of a class makes one.
        edges = await asking.stored.state.read(
            """SELECT e.line, e."column", e.kind FROM graph_edges e JOIN graph_files f
               ON f.file_id = e.file_id WHERE f.checkout_id = ? AND f.path = ? ORDER BY e.score""",
            (asking.checkout.checkout_id, path),
        )
        return kinds | {(edge[0], edge[1]): KIND_NAMES[edge[2]] for edge in edges}

    # --- features for search ------------------------------------------------------------------

    async def prior(self, checkout_id: str) -> dict[str, float]:
        """Importance of a checkout's files in its graph, 0 to 1."""
        if checkout_id not in self._priors:
            rows = await self.engine.state.read(
                "SELECT path, rank FROM graph_files WHERE checkout_id = ? AND rank > 0"
                " ORDER BY rank DESC LIMIT ?",
                (checkout_id, PRIOR_FILES),
            )
            top = math.log1p(float(rows[0]["rank"])) if rows else 1.0
            self._priors[checkout_id] = {
                row["path"]: round(math.log1p(row["rank"]) / top, 4) for row in rows
            }
        return self._priors[checkout_id]

    async def search_context(
        self, request: SearchRequest, checkouts: Sequence[Checkout], context: RankContext
    ) -> RankContext:
        """Importance of files; with a diff, what it changes and what depends on that directly."""
        if len(checkouts) != 1:
            return context
        checkout = checkouts[0]
        context = replace(context, graph_prior=await self.prior(checkout.checkout_id))
        if request.diff:
            changed, dependants = await self.diff_files(checkout, request.diff)
            context = replace(context, changed_files=changed, dependants=dependants)
        return context

    async def diff_files(
        self, checkout: Checkout, what: str
    ) -> tuple[frozenset[str], frozenset[str]]:
        """Files that a diff changes, and files that use a changed definition directly."""
        from pathlib import Path

        stored = Stored(self.engine.state, checkout.checkout_id)
        diff = await read_diff(Path(checkout.root), what)
        nodes = await changed_nodes(stored, diff)
        edges = await stored.uses([node.node_id for node in nodes])
        changed = frozenset(file.path for file in diff)
        dependants = {edge.path for edge in edges if edge.score >= 0.5}
        rows = await stored.files({node.file_id for node in nodes if not node.qualname})
        for file_id in rows:
            users = await stored.state.read(
                "SELECT file_id FROM graph_imports WHERE target = ?", (file_id,)
            )
            dependants |= {
                node.path for node in (await stored.files(int(u[0]) for u in users)).values()
            }
        return changed, frozenset(dependants - changed)

    async def personal_ranks(
        self, checkout: Checkout, start: dict[int, float]
    ) -> dict[int, float] | None:
        """Ranks that begin from some nodes and files (negative ids)."""
        if not start:
            return None
        from surveyor.worker.graph_jobs import Ranked

        job = GraphJob(
            kind="rank",
            checkout_id=checkout.checkout_id,
            root=checkout.root,
            generation=0,
            start=start,
        )
        ranked = msgspec.msgpack.decode(await self.run_job(job), type=Ranked)
        return dict(ranked.nodes)


_ORDER: dict[Precision, int] = {"exact": 0, "partial": 1, "syntax": 2, "text": 3}


def _weakest(items: Sequence[GraphItem]) -> Precision:
    """An answer is as sure as most of it: `text` only when nothing in it is surer."""
    if not items:
        return "syntax"
    best = min(items, key=lambda item: _ORDER[item.precision]).precision
    return "syntax" if best in ("exact", "partial", "syntax") else "text"
