"""The graph inside the engine: follows commits, answers questions, hands features to search."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Protocol

import msgspec

from surveyor.graph.exact.answers import fingerprint, keep_answer, known_answer
from surveyor.graph.exact.doubts import AskServer, doubted
from surveyor.graph.exact.merge import OF_BASES
from surveyor.graph.exact.servers import (
    ACTIVE_WAIT_S,
    ALWAYS_WAIT_S,
    DiskChange,
    ExactQuestion,
    ExactReply,
    ExactServers,
)
from surveyor.graph.import_declarations import ImportDeclarations
from surveyor.graph.jobs import NEW_IDS, GraphJob, GraphRanks
from surveyor.graph.languages import described
from surveyor.graph.queries.diff import changed_nodes, read_diff
from surveyor.graph.queries.former_uses import FormerUses, find_former_uses
from surveyor.graph.queries.gone_files import GoneFile, GoneImports, find_gone_imports
from surveyor.graph.queries.items import definition_item, with_details
from surveyor.graph.queries.left_places import EXTENDS, left_places
from surveyor.graph.queries.lookup import Node, StoredGraph, language_of_path
from surveyor.graph.queries.lost_bases import InheritedUses, LostBases, find_inherited_uses
from surveyor.graph.queries.names import NameMeaning
from surveyor.graph.queries.query_context import (
    FindWord,
    QueryContext,
    UnsavedBuffers,
    nowhere,
)
from surveyor.graph.queries.questions import MatchedItems
from surveyor.graph.queries.removed import RemovedDefinition, former_definitions
from surveyor.graph.queries.run_elsewhere import run_as_another
from surveyor.graph.queries.traverse import WALK_CUT
from surveyor.graph.queries.unfollowed import (
    NOT_UNDERSTOOD,
    LeftOut,
    files_naming,
    guesses_among,
    left_out_by_language,
    may_extend_unparsed,
    run_unnamed,
    unfollowed,
    unresolved_calls,
)
from surveyor.graph.queries.unread_languages import TEMPLATES
from surveyor.graph.queries.unresolved_files import may_concern
from surveyor.graph.resolve.values import TYPE_KINDS
from surveyor.graph.unsaved_graphs import UnsavedGraphs
from surveyor.graph.update.rows import store_documents
from surveyor.graph.update.updater import GraphUpdater, ReaderOf, RunJob
from surveyor.parsing.types import ParsedFile
from surveyor.protocol.base import Freshness
from surveyor.protocol.enumerations import Precision
from surveyor.protocol.graph import DefinitionRequest, GraphItem, GraphRequest, GraphResponse
from surveyor.store.state import State, Transaction
from surveyor.store.state.files import left_out
from surveyor.store.state.graph.files import code_of_no_language, files_without_graph
from surveyor.store.state.graph.ranks import has_ranks, top_files
from surveyor.store.state.projects import Checkout
from surveyor.store.state.question_threads import aside
from surveyor.units import counted

__all__ = ["ChangedFiles", "Checkouts", "GraphService"]

Answer = Callable[[QueryContext, NameMeaning], Awaitable[MatchedItems]]

PENDING_WAIT_S = 5.0
"""How long a question waits for edges that are being resolved; then it says that they are not."""
OTHERS_WAIT_S = 0.3
"""How much of it is for the edges of files that did not change, and only use what did."""
PRIOR_FILES = 500
"""Files whose importance is handed to a search; the rest count as 0."""


class ChangedFiles(Protocol):
    """What a committed batch changed in one checkout; paths are relative to the root."""

    @property
    def checkout_id(self) -> str:
        """The checkout."""
        ...

    @property
    def root(self) -> str:
        """Its folder."""
        ...

    @property
    def changed(self) -> Sequence[str]:
        """Files that are new or not what they were."""
        ...

    @property
    def removed(self) -> Sequence[str]:
        """Files that are not there any more."""
        ...


class Checkouts(Protocol):
    """The registered folders."""

    async def resolve(self, cwd: str | None = None, project: str | None = None) -> Checkout:
        """The checkout that a caller means. Raises `NotFoundError`."""
        ...

    async def wait_fresh(self, checkouts: Sequence[Checkout], timeout_s: float) -> None:
        """Until checkouts are scanned and nothing is queued for them, or time is up."""
        ...

    async def freshness(self, checkout: Checkout) -> Freshness:
        """How far answers from a checkout can be trusted."""
        ...


class GraphService:
    """Keeps the graphs of all checkouts up to date, and answers from them.

    `run_job` works in the index worker. `files_behind` is the number of a checkout's files that
    wait to be indexed, by its id. `find_word` says where a word stands in code. `traces`: whether
    recorded imports count.
    """

    def __init__(
        self,
        state: State,
        checkouts: Checkouts,
        servers: ExactServers,
        buffers: UnsavedBuffers,
        *,
        run_job: RunJob,
        files_behind: Callable[[str], int],
        reader_of: ReaderOf = lambda _root, _path: 0,
        find_word: FindWord = nowhere,
        traces: bool,
    ) -> None:
        self._state = state
        self._checkouts = checkouts
        self.servers = servers
        self._buffers = buffers
        self._run_job = run_job
        self.updater = GraphUpdater(
            state, run_job, files_behind, reader_of=reader_of, traces=traces
        )
        self.declarations = ImportDeclarations(state)
        self._priors: dict[str, dict[str, float]] = {}
        self._left_out: dict[str, tuple[int, LeftOut]] = {}
        """By checkout: a version of the catalog, and what it leaves out that could hold uses."""
        self._unread: dict[str, tuple[int, list[str]]] = {}
        """By checkout: a version of the catalog, and its code in languages that are not read."""
        self.updater.on_updated(self._updated)
        self._find_word = find_word
        self._traces = traces
        self._unsaved = UnsavedGraphs(state, buffers, run_job, traces=traces)

    async def on_documents(
        self, tx: Transaction, project_id: str, documents: Sequence[tuple[int, str, ParsedFile]]
    ) -> None:
        """Store documents' graphs with the documents."""
        await store_documents(
            tx,
            {doc_id: parsed.graph for doc_id, _, parsed in documents},
            {doc_id for doc_id, _, parsed in documents if parsed.graph_pending},
        )

    async def on_commit(self, committed: ChangedFiles) -> None:
        """Files of a checkout changed."""
        await self._tell_servers(committed)
        paths = (*committed.changed, *committed.removed)
        if await self.declarations.have_changed(committed.checkout_id, committed.root, paths):
            await self.updater.reconsider(committed.checkout_id, committed.root)
        else:
            self.updater.touch(committed.checkout_id, committed.root)

    def rename(self, old: str, new: str, root: str) -> None:
        """A checkout's id changed, and its rows with it."""
        self.declarations.forget(old)
        self.updater.rename(old, new, root)

    async def _tell_servers(self, committed: ChangedFiles) -> None:
        """Tell the engine's own servers what changed on disk: nobody else does.

        What they answered before they knew would be called exact of files that are not so any more.
        """
        if not self.servers.works_on(committed.root):
            return
        known = await StoredGraph(self._state, committed.checkout_id).known(committed.changed)
        changes: dict[str, DiskChange] = {
            path: "changed" if path in known else "created" for path in committed.changed
        }
        changes |= dict.fromkeys(committed.removed, "deleted")
        self.servers.files_changed(committed.root, changes)

    async def close(self) -> None:
        """Stop updates and servers."""
        await self.updater.close()
        await self.servers.close()

    async def prepare_unsaved(self, checkout: Checkout) -> None:
        """Make the graph of buffers that have changed, before anybody asks."""
        await self._unsaved.of(checkout)

    async def _updated(self, checkout_id: str) -> None:
        self._unsaved.stored_changed(checkout_id)
        self._priors.pop(checkout_id, None)

    # --- questions --------------------------------------------------------------------------

    async def query_context(
        self,
        cwd: str | None,
        project: str | None,
        wait_until_fresh_ms: int = 0,
        *,
        saved: bool = False,
        others_s: float | None = None,
        about: str = "",
        only_ranks: bool = False,
    ) -> QueryContext:
        """Begin to answer: the checkout, once its edges are there or time is up.

        With what editors hold unsaved, unless only what is `saved` counts. `others_s`: how long
        the edges of files that did not change may take of it. `about` is the name or path that is
        asked about: changed files that do not have it are waited for no longer than those. Neither
        is any for `only_ranks`, which follow edges by half a minute; but for the first ranks.
        """
        checkout = await self._checkouts.resolve(cwd, project)
        if wait_until_fresh_ms:
            await self._checkouts.wait_fresh([checkout], wait_until_fresh_ms / 1000)
        wait = max(wait_until_fresh_ms / 1000, PENDING_WAIT_S)
        others = wait_until_fresh_ms / 1000 or OTHERS_WAIT_S
        if others_s is not None:
            others = others_s
        if not wait_until_fresh_ms and not await self._may_matter(
            checkout.checkout_id, about, only_ranks=only_ranks
        ):
            wait = others
        done = await self.updater.wait(checkout.checkout_id, wait, others)
        return await self._query_context(checkout, pending=not done, saved=saved)

    async def _may_matter(self, checkout_id: str, about: str, *, only_ranks: bool) -> bool:
        """Whether edges that are missing may change an answer."""
        if not self.updater.pending(checkout_id):
            return False
        if only_ranks:
            return not await has_ranks(self._state, checkout_id)
        if not about:
            return True
        return await self._state.in_one_thread(may_concern(self._state, checkout_id, about))

    async def query_context_at_once(
        self, cwd: str | None, project: str | None, *, saved: bool = False
    ) -> QueryContext:
        """Begin to answer from what there is: for questions that nobody waits for."""
        checkout = await self._checkouts.resolve(cwd, project)
        pending = self.updater.pending(checkout.checkout_id)
        return await self._query_context(checkout, pending=pending, saved=saved)

    async def defined(self, cwd: str, name: str) -> str:
        """The definition that a name means in a folder, as `path#name`. Raises `NotFoundError`."""
        context = await self.query_context_at_once(cwd, None)
        node = (await context.meant(DefinitionRequest(name=name))).nodes[0]
        return f"{node.path}#{node.qualname}"

    async def _query_context(
        self, checkout: Checkout, *, pending: bool, saved: bool
    ) -> QueryContext:
        unsaved = {} if saved else await self._unsaved.of(checkout)
        freshness = self._checkouts.freshness
        return QueryContext(
            self._state,
            checkout,
            self._buffers,
            freshness,
            pending=pending,
            left_out=partial(self._files_left_out, checkout.checkout_id),
            find_word=self._find_word,
            unsaved=unsaved,
        )

    async def respond(
        self,
        context: QueryContext,
        meant: NameMeaning | None,
        found: MatchedItems,
        limit: int,
        min_score: float = 0.0,
    ) -> GraphResponse:
        """A stored answer as it goes over the wire."""
        likely = [item for item in found.items if item.score >= min_score]
        items = likely[:limit]
        others = found.others
        omitted = len(likely) - len(items) + others.likely
        lacks = context.pending or found.cut or found.incomplete
        lacks = lacks or (meant is not None and meant.is_doubtful)
        fresh = await context.freshen(
            GraphResponse(
                results=items,
                precision="syntax" if others.certain else _weakest(items),
                complete=not lacks and not omitted,
                limited=omitted > 0 and not lacks,
                omitted=omitted,
                unlikely=len(found.items) - len(likely) + others.unlikely,
                root=context.checkout.root,
            )
        )
        if fresh.files_behind or fresh.status in ("stale", "uncertain"):
            fresh.complete = fresh.limited = False
        if meant is not None:
            cut = WALK_CUT if found.cut else None
            notices = (context.said_gone(meant.nodes), meant.notice, found.notice, cut)
            fresh.notice = "; ".join(filter(None, notices)) or None
            await context.lines.load(node.path for node in (meant.nodes[0], *meant.candidates))
            fresh.symbol = definition_item(meant.nodes[0], context.lines)
            fresh.candidates = [definition_item(n, context.lines) for n in meant.candidates]
            await with_details(context.stored, [fresh.symbol], meant.nodes[:1])
        context.mark_unsaved(fresh)
        fresh.took_ms = context.took_ms()
        return fresh

    async def former_uses(
        self, context: QueryContext, removed: Sequence[RemovedDefinition]
    ) -> FormerUses:
        """Who used definitions that are gone, as the graph would follow them if they were there."""
        gone = former_definitions(removed)
        return await find_former_uses(
            context.stored, gone, self._former_job(context), self._run_job
        )

    async def inherited_uses(
        self, context: QueryContext, lost: Sequence[LostBases]
    ) -> InheritedUses:
        """What is used of types that they had from what they extend no more."""
        if not lost:
            return InheritedUses()
        return await find_inherited_uses(
            context.stored, lost, self._former_job(context), self._run_job
        )

    async def gone_imports(self, context: QueryContext, gone: Sequence[GoneFile]) -> GoneImports:
        """Who imports files that are gone, as the graph would follow that if they were there."""
        if not gone:
            return GoneImports()
        job = self._former_job(context)
        return await find_gone_imports(context.stored, gone, job, self._run_job)

    def _former_job(self, context: QueryContext) -> GraphJob:
        checkout = context.checkout
        return GraphJob(
            kind="former",
            checkout_id=checkout.checkout_id,
            root=checkout.root,
            generation=self._unsaved.generation(checkout.checkout_id),
            traces=self._traces,
        )

    async def say_unfollowed(
        self,
        context: QueryContext,
        meant: NameMeaning,
        found: MatchedItems,
        response: GraphResponse,
    ) -> GraphResponse:
        """Say of an answer about uses why it may lack some, if so.

        What a server that was ready and the graph agree on lacks none that are named; it is asked
        about places that the graph cannot tell and it does not name. Where it names no use outside
        of tests it may not know receivers that come from a package which is not installed, and what
        the graph doubts is said.
        """
        is_exact = response.precision == "exact"
        if is_exact and not all(item.is_test for item in response.results):
            reasons = await context.in_one_thread(
                self._run_unnamed(context, meant, OF_BASES in (response.notice or ""))
            )
            asking = self._asking(context, meant.nodes[0])
            doubts = await doubted(context, meant.nodes, found.items, response, asking)
            if doubts:
                response.precision = "partial"
            return _lacking(response, [*reasons, *doubts])
        guesses = guesses_among(found.items) + found.others.guesses
        any_found = bool(found.items) or guesses > 0 or response.omitted > 0
        reasons = await self.unfollowed(context, meant.nodes, guesses, found=any_found)
        if found.untold:
            reasons.append(found.untold)
        if is_exact and reasons:
            response.precision = "partial"
        return _lacking(response, reasons)

    async def _run_unnamed(
        self, context: QueryContext, meant: NameMeaning, bases_said: bool
    ) -> list[str]:
        """Why what names no use may run a definition; `bases_said`: as what of its bases it may run
        has been said."""
        reasons = await run_unnamed(context.stored, meant.nodes[0])
        if reasons or bases_said:
            return reasons
        return await run_as_another(context.stored, meant.nodes, found=True, lines=context.lines)

    def _asking(self, context: QueryContext, node: Node) -> AskServer | None:
        """How the server that answers about a definition's file is asked what stands at a place;
        None where none does that runs."""
        root = context.checkout.root
        editor = self.servers.editor_for(root, "definition")
        if editor is None and (context.unsaved or not self.servers.runs_for(root, node.path)):
            return None

        async def ask(asked: ExactQuestion) -> ExactReply | None:
            return await self.servers.ask(asked, editor, wait_s=0.0)

        return ask

    async def say_left_out(
        self, context: QueryContext, meant: NameMeaning, response: GraphResponse
    ) -> GraphResponse:
        """Say of an answer about types and their members which files and places may have more of
        them."""
        node = meant.nodes[0]
        left_out = await self._files_left_out(context.checkout.checkout_id)
        reasons = await files_naming(context.checkout.root, left_out, node)
        if node.kind in TYPE_KINDS:
            reasons += await may_extend_unparsed(context.stored, node)
            places = await left_places(context.stored, node, EXTENDS)
            reasons += [places] if places else []
        return _lacking(response, reasons)

    async def say_unresolved_calls(
        self, context: QueryContext, found: MatchedItems, response: GraphResponse
    ) -> GraphResponse:
        """Say of an answer about calls how many of them may mean something that it lacks."""
        count = await unresolved_calls(context.stored, found.nodes)
        if count:
            calls = counted(count, "call in it was", "calls in it were")
            response.complete = response.limited = False
            response.notice = "; ".join(filter(None, (response.notice, f"{calls} not resolved")))
        return response

    async def unfollowed(
        self, context: QueryContext, nodes: Sequence[Node], guesses: int, *, found: bool = True
    ) -> list[str]:
        """Why there may be more uses of definitions than those found, of which so many share the
        name only."""
        left_out = await self._files_left_out(context.checkout.checkout_id)
        root = context.checkout.root
        unread = await self._code_unread(context.checkout.checkout_id)
        return await unfollowed(
            context.stored, nodes, guesses, left_out, root, found=found, unread=unread
        )

    async def _code_unread(self, checkout_id: str) -> Sequence[str]:
        """Files of code whose language is not read."""
        version = self._state.data_version
        known = self._unread.get(checkout_id)
        if known is None or known[0] != version:
            paths = await code_of_no_language(self._state, checkout_id, TEMPLATES)
            known = self._unread[checkout_id] = (version, paths)
        return known[1]

    async def files_given_up(self, checkout_id: str) -> list[str]:
        """Indexed files of which it is not known what they use: a worker failed at each alone."""
        without = await files_without_graph(self._state, checkout_id)
        given_up = self.updater.given_up(checkout_id)

        def found() -> list[str]:  # in a large folder that is being indexed that is most of it
            with_uses = (path for path in without if language_of_path(path) in described())
            return sorted({*with_uses, *given_up})

        return await aside(found)

    async def _files_left_out(self, checkout_id: str) -> LeftOut:
        version = self._state.data_version
        known = self._left_out.get(checkout_id)
        if known is None or known[0] != version:
            by_language = await self._state.in_one_thread(self._read_left_out(checkout_id))
            known = self._left_out[checkout_id] = (version, by_language)
        return known[1]

    async def _read_left_out(self, checkout_id: str) -> LeftOut:
        files = [(each.path, each.reason) for each in await left_out(self._state, checkout_id)]
        files += [(path, NOT_UNDERSTOOD) for path in await self.files_given_up(checkout_id)]
        return left_out_by_language(files)

    async def ask(
        self, request: GraphRequest, answer: Answer, *, uses: bool = False
    ) -> GraphResponse:
        """A question about one symbol, from the stored graph; about who `uses` it or not."""
        context = await self.query_context(
            request.cwd, request.project, request.wait_until_fresh_ms, saved=request.saved
        )
        meant = await context.meant(request)
        found = await answer(context, meant)
        response = await self.respond(context, meant, found, request.limit, request.min_score)
        if uses:
            await self.say_unfollowed(context, meant, found, response)
        return response

    # --- exact ------------------------------------------------------------------------------

    async def exactly(
        self, context: QueryContext, meant: NameMeaning, question: str, mode: str
    ) -> ExactReply | None:
        """What a language server says: stored and still true, or asked now."""
        if mode == "never" or not meant.nodes[0].qualname or meant.nodes[0].gone:
            return None
        node, place = meant.nodes[0], meant.place
        if question == "definition" and place is None and mode != "always":
            return None  # the index has the place itself
        at = (place.path, place.line, place.column) if question == "definition" and place else (
            node.path, node.line, node.column,
        )  # fmt: skip
        keeps = question != "definition" and not context.unsaved
        if keeps:
            known = await known_answer(context.stored, node, question)
            if known is not None and known[1]:
                return known[0]
            context.outdated = known[0].server if known is not None else ""
        checkout = context.checkout
        editor = self.servers.editor_for(checkout.root, question)
        if editor is None and context.unsaved:
            return None  # the engine's own servers know what is saved
        wait_s = ACTIVE_WAIT_S if checkout.active and editor is None else 0.0
        if mode == "always":
            wait_s = ALWAYS_WAIT_S
        if editor is None and not wait_s and not self.servers.runs_for(checkout.root, node.path):
            return None  # nobody to ask, so nothing to compare with afterwards either
        before = await fingerprint(context.stored, node) if keeps else b""
        answered = await self.servers.ask(
            ExactQuestion(question, checkout.root, *at), editor, wait_s=wait_s
        )
        if answered is None:
            context.held_back = self.servers.held_back(checkout.root, node.path)
        elif keeps:
            await keep_answer(context.stored, node, question, answered, before)
        return answered

    # --- features for search ------------------------------------------------------------------

    async def prior(self, checkout_id: str) -> dict[str, float]:
        """Importance of a checkout's files in its graph, 0 to 1."""
        if checkout_id not in self._priors:
            ranks = await top_files(self._state, checkout_id, PRIOR_FILES)
            top = math.log1p(ranks[0][1]) if ranks else 1.0
            self._priors[checkout_id] = {
                path: round(math.log1p(rank) / top, 4) for path, rank in ranks
            }
        return self._priors[checkout_id]

    async def diff_files(
        self, checkout: Checkout, what: str
    ) -> tuple[frozenset[str], frozenset[str]]:
        """Files that a diff changes, and files that use a changed definition directly."""
        stored = StoredGraph(self._state, checkout.checkout_id)
        diff = await read_diff(Path(checkout.root), what)
        nodes = await changed_nodes(stored, diff)
        edges = await stored.uses([node.node_id for node in nodes])
        changed = frozenset(file.path for file in diff)
        dependants = {edge.path for edge in edges if edge.score >= 0.5}
        rows = await stored.files({node.file_id for node in nodes if not node.qualname})
        for file_id in rows:
            users = await stored.files(await stored.importing(file_id))
            dependants |= {node.path for node in users.values()}
        return changed, frozenset(dependants - changed)

    async def personal_ranks(
        self, checkout: Checkout, start: dict[int, float], below: str, limit: int
    ) -> dict[int, float] | None:
        """The best ranks of definitions in files whose path begins with `below`, seen from some
        nodes and files (negative ids), whose ranks are told too; None when there is no start."""
        if not start:
            return None
        job = GraphJob(
            kind="rank",
            checkout_id=checkout.checkout_id,
            root=checkout.root,
            generation=0,
            start=start,
            below=below,
            limit=limit,
        )
        ranks = dict(msgspec.msgpack.decode(await self._run_job(job), type=GraphRanks).nodes)
        # What is not saved has no rank: it is as important as the most that was asked about.
        highest = max((ranks[key] for key in start if key in ranks), default=1.0)
        return ranks | {
            key: highest * min(share, 1.0) for key, share in start.items() if key >= NEW_IDS
        }


def _lacking(response: GraphResponse, reasons: Sequence[str]) -> GraphResponse:
    """An answer that may lack something, for these reasons; the answer as it is without any."""
    if reasons:
        response.complete = response.limited = False
        response.notice = "; ".join(filter(None, (response.notice, *reasons)))
    return response


_ORDER: dict[Precision, int] = {"exact": 0, "partial": 1, "syntax": 2, "text": 3}


def _weakest(items: Sequence[GraphItem]) -> Precision:
    """An answer is as sure as most of it: `text` only when nothing in it is surer."""
    if not items:
        return "syntax"
    best = min(items, key=lambda item: _ORDER[item.precision]).precision
    return "syntax" if best in ("exact", "partial", "syntax") else "text"
