"""Makes the groups of operations from the parts of the engine, and hangs them on its hooks.

The one place of this package that knows the engine; nothing but the engine imports it.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, cast

from surveyor.engine.agents.folder_opener import FolderOpener
from surveyor.engine.agents.service import AgentService
from surveyor.engine.agents.services import AgentServices, Visitors
from surveyor.engine.app import Engine
from surveyor.engine.graph_work import GraphWork
from surveyor.engine.index.commit import Committed
from surveyor.engine.index.head_follower import HeadFollower
from surveyor.engine.index.remasking import Remasking
from surveyor.engine.operations import Operations
from surveyor.engine.operations.chunks import ChunkOperations
from surveyor.engine.operations.code_search import CodeSearch
from surveyor.engine.operations.doctor import DoctorOperations
from surveyor.engine.operations.enrichment import EnrichmentOperations
from surveyor.engine.operations.graph import GraphOperations
from surveyor.engine.operations.history import HistoryOperations
from surveyor.engine.operations.index import IndexOperations
from surveyor.engine.operations.knowledge import KnowledgeOperations, RuleOperations
from surveyor.engine.operations.libraries import LibraryOperations
from surveyor.engine.operations.overlay import OverlayOperations
from surveyor.engine.operations.parts import CorpusFinder
from surveyor.engine.operations.passages import PassageOperations
from surveyor.engine.operations.places import PlaceFinder
from surveyor.engine.operations.queue import QueueOperations
from surveyor.engine.operations.search import SearchOperations
from surveyor.engine.operations.search_scope import ScopeFinder
from surveyor.engine.operations.secrets import SecretOperations
from surveyor.engine.operations.sessions import SessionOperations
from surveyor.engine.operations.similar import SimilarOperations
from surveyor.engine.operations.status import EngineOperations
from surveyor.engine.operations.symbols import SymbolOperations
from surveyor.engine.operations.texts import IndexedTexts, TextOperations
from surveyor.engine.process.sessions import Session
from surveyor.engine.process.status import engine_status, project_status
from surveyor.engine.projects.relocation import copy_at
from surveyor.errors import NotFoundError
from surveyor.graph.exact.enricher import Enricher
from surveyor.graph.queries.removed import removed_by
from surveyor.graph.service import GraphService
from surveyor.knowledge.anchors import Place
from surveyor.protocol.search import SearchRequest
from surveyor.protocol.sessions import Hello
from surveyor.search.rank import RankContext
from surveyor.store.state.projects import Checkout

QUIET_S = 1.0
"""Without a question for so long, and nothing being indexed, the engine has time for loading."""


async def build_operations(engine: Engine) -> Operations:
    """The table of an engine that is open, with what works beside it started."""
    knowledge, graph, state = engine.knowledge, engine.graph, engine.state
    everywhere = engine.projects.all

    scopes = ScopeFinder(engine.resolve, everywhere)
    texts = IndexedTexts(state, engine.overlays)
    places = PlaceFinder(
        engine.resolve,
        partial(copy_at, engine),
        partial(engine.projects.register, explicit=False),
    )
    rules = RuleOperations(knowledge.memory, places, engine.projects.get)
    libraries = LibraryOperations(knowledge, places, everywhere)
    history = HistoryOperations(
        state,
        knowledge.history,
        knowledge.changes,
        places,
        engine.freshness,
        engine.projects.get,
    )
    code = CodeSearch(
        engine.searcher,
        engine.spaces_of,
        engine.model.of,
        engine.overlays,
        engine.preferences,
        context_providers=[partial(_search_context, graph)],
        annotators=[rules.name_rules],
    )
    corpora: dict[str, CorpusFinder] = {
        "rules": rules.find,
        "libraries": libraries.find_libraries,
        "notes": libraries.find_notes,
        "history": history.find,
    }
    searching = SearchOperations(state, scopes, engine.freshness, engine.wait_fresh, code, corpora)
    keeping = KnowledgeOperations(knowledge)
    remasking = Remasking(engine)

    _hang_knowledge(engine)
    _hang_graph(engine)
    _serve_agents(engine)
    engine.spawn(keeping.maintain(lambda: engine.starting))
    engine.spawn(remasking.run())

    return Operations(
        [
            searching,
            SimilarOperations(
                engine.resolve,
                engine.freshness,
                texts,
                engine.searcher,
                engine.pipeline.space,
                engine.pool.run,
            ),
            SymbolOperations(
                engine.resolve,
                engine.freshness,
                everywhere,
                engine.symbol_index,
                scopes,
                searching.search,
            ),
            ChunkOperations(state, engine.resolve, engine.freshness, engine.pipeline.space),
            TextOperations(
                state, engine.resolve, engine.freshness, engine.projects, engine.overlays, texts
            ),
            PassageOperations(state, engine.resolve, engine.freshness),
            GraphOperations(
                graph, searching.search, partial(removed_by, GraphWork(engine.pool).symbols_in)
            ),
            EnrichmentOperations(graph),
            history,
            rules,
            keeping,
            libraries,
            IndexOperations(
                engine.resolve,
                engine.freshness,
                engine.projects,
                engine.scanner,
                engine.activity.begin,
                engine.pipeline.runs,
                engine.pause,
                engine.unwatch,
                partial(project_status, engine),
                engine.require_writable,
                engine.spawn,
            ),
            OverlayOperations(
                state,
                engine.resolve,
                engine.overlays,
                engine.preferences.walk,
                engine.pool.expect,
                engine.spawn,
            ),
            SessionOperations(engine.activity.changed),
            QueueOperations(state, engine.pipeline.wake),
            SecretOperations(
                state,
                engine.data_dir,
                engine.resolve,
                engine.projects,
                engine.scanner.scan,
                engine.writing,
                lambda: engine.pool.change(engine.worker_setup()),
                remasking.wipe_when_settled,
                engine.spawn,
            ),
            DoctorOperations(
                state,
                engine.vectors,
                engine.on_store,
                everywhere,
                engine.remaker,
                engine.reembedding,
                engine.watcher.problem,
                engine.data_dir,
                lambda: engine.pipeline.min_free_disk,
                lambda: engine.warnings,
                engine.preferences.warnings_of,
                knowledge.keeper.usage,
            ),
            EngineOperations(
                partial(engine_status, engine),
                graph.servers.status,
                engine.sessions,
                engine.pid,
                engine.stop,
            ),
        ]
    )


def _hang_knowledge(engine: Engine) -> None:
    """Carry out what is queued, follow commits, and read histories in the background."""
    knowledge = engine.knowledge
    engine.pipeline.handlers["memory"] = knowledge.memory.handle
    engine.pipeline.handlers["library"] = knowledge.library_queue.handle
    engine.pipeline.handlers["history"] = knowledge.history.handle

    async def follow_anchors(batch: Committed) -> None:
        place = Place(batch.checkout_id, batch.project_id, batch.root)
        await knowledge.memory.code_changed(place, frozenset((*batch.changed, *batch.removed)))

    engine.pipeline.commit_hooks.append(follow_anchors)

    def is_busy(checkout_id: str) -> bool:
        run = engine.pipeline.runs.get(checkout_id)
        running = run is not None and run.phase != "done"
        return running or bool(engine.pipeline.files_behind(checkout_id))

    follower = HeadFollower(
        knowledge.history,
        engine.projects.all,
        is_busy,
        lambda: engine.settings.history.enabled and not engine.starting,
    )
    engine.spawn(follower.run())


def _hang_graph(engine: Engine) -> None:
    """Follow commits, tell editors of new edges, and ask language servers in the background."""
    graph = engine.graph
    engine.pipeline.document_hooks.append(graph.on_documents)
    engine.pipeline.commit_hooks.append(graph.on_commit)
    engine.closers.append(graph.close)
    engine.housekeepers.append(_idle_servers(engine))
    graph.updater.on_updated(partial(_tell_editors, engine))
    engine.spawn(graph.updater.resume())
    enricher = Enricher(
        engine.state,
        graph.servers,
        checkouts=engine.projects.all,
        files_behind=engine.pipeline.files_behind,
        graph_behind=graph.updater.pending,
        share=partial(_share, engine),
    )
    engine.spawn(enricher.run())


def _share(engine: Engine) -> float:
    """How much of the time servers may be kept busy in the background."""
    settings = engine.settings.graph
    return settings.enrich_share if settings.enrich else 0.0


async def _search_context(
    graph: GraphService,
    request: SearchRequest,
    checkouts: Sequence[Checkout],
    context: RankContext,
) -> RankContext:
    """Importance of files; with a diff, what it changes and what depends on that directly."""
    if len(checkouts) != 1:
        return context
    checkout = checkouts[0]
    context = replace(context, graph_prior=await graph.prior(checkout.checkout_id))
    if request.diff:
        changed, dependants = await graph.diff_files(checkout, request.diff)
        context = replace(context, changed_files=changed, dependants=dependants)
    return context


def _serve_agents(engine: Engine) -> None:
    """Over the session socket always, over HTTP where configured."""
    services = AgentServices(
        answer=engine.answer,
        has_operation=lambda name: name in engine.operations,
        state=engine.state,
        resolve=engine.resolve,
        checkouts=engine.projects.all,
        opener=FolderOpener(
            engine.projects.resolve,
            partial(engine.projects.register, explicit=False),
            engine.scanner.scan,
            engine.activity.begin,
            lambda: engine.settings.indexing.auto_index,
            engine.spawn,
        ),
        roots_changed=engine.activity.changed,
        request_timeout=lambda: engine.settings.engine.request_timeout,
        touch=engine.touch,
        spawn=engine.spawn,
    )

    def session_of(hello: Hello) -> Session:
        session = Session(
            engine, asyncio.StreamReader(), cast("asyncio.StreamWriter", NoConnection())
        )
        session.hello = hello
        return session

    def is_quiet() -> bool:
        busy = engine.pool.busy or engine.pipeline.running
        return not busy and engine.untouched_s > QUIET_S

    agents = AgentService(
        services,
        Visitors(
            session_of,
            engine.sessions.add,
            engine.sessions.discard,
            engine.activity.opened,
            engine.activity.closed,
        ),
        engine.settings.mcp,
        engine.data_dir,
        lambda: engine.starting,
        is_quiet,
    )
    engine.relays["mcp"] = agents.relay
    engine.closers.append(agents.close)
    agents.start()


class NoConnection:
    """The writer of a session over HTTP: the web server closes what is open."""

    def close(self) -> None:
        """Nothing to close."""


async def _tell_editors(engine: Engine, checkout_id: str) -> None:
    """Editors show what the graph says of a symbol: they hear when that may be something else."""
    with contextlib.suppress(NotFoundError):  # removed meanwhile
        checkout = await engine.projects.get(checkout_id)
        # Beside the graph: an editor that does not read must not hold it up.
        engine.spawn(engine.notify("index_changed", {"root": checkout.root}))


def _idle_servers(engine: Engine) -> Callable[[], Coroutine[Any, Any, None]]:
    async def stop() -> None:
        """Stop language servers of projects that are idle and have nothing left to index."""
        for checkout in await engine.projects.all():
            if not checkout.active and not engine.pipeline.files_behind(checkout.checkout_id):
                await engine.graph.servers.stop_root(checkout.root)

    return stop
