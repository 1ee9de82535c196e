"""Makes the groups of operations from the parts of the engine, and hangs them on its hooks.

The one place of this package that reads the engine's parts; nothing but the engine imports it.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from surveyor.config.web_summary import web_said
from surveyor.engine.agent_log import AgentLog
from surveyor.engine.agents.folder_opener import FolderOpener
from surveyor.engine.agents.service import AgentService
from surveyor.engine.agents.services import AgentServices, SessionHooks
from surveyor.engine.clone_finder import CloneFinder
from surveyor.engine.edits.attached_editors import AttachedEditors
from surveyor.engine.edits.editing import Editing
from surveyor.engine.edits.journal import EditJournal
from surveyor.engine.exact_servers import AttachedServers
from surveyor.engine.file_versions import ReadCalls
from surveyor.engine.index.change_handler import ChangeHandler
from surveyor.engine.index.commit import CommittedBatch, Committer
from surveyor.engine.index.head_follower import HeadFollower
from surveyor.engine.index.model_in_use import ModelInUse
from surveyor.engine.index.pipeline import Pipeline
from surveyor.engine.index.recent_edits import RecentEdits
from surveyor.engine.index.remasking import Remasking
from surveyor.engine.index.scanner import Scanner
from surveyor.engine.index.symbol_index import SymbolIndex
from surveyor.engine.index.unsaved_buffers import EditorBuffers
from surveyor.engine.index.vector_rebuild import VectorRebuilder
from surveyor.engine.index.watch import Watcher
from surveyor.engine.index.watch_control import WatchControl
from surveyor.engine.operations import Caller, Operations
from surveyor.engine.operations.activity import ActivityOperations
from surveyor.engine.operations.agent_hooks import AgentHookOperations
from surveyor.engine.operations.ask import AskOperations, QuestionState
from surveyor.engine.operations.check import CheckOperations
from surveyor.engine.operations.checkout_finder import CheckoutFinder
from surveyor.engine.operations.chunks import ChunkOperations
from surveyor.engine.operations.code_actions import CodeActionOperations
from surveyor.engine.operations.code_search import CodeSearch
from surveyor.engine.operations.commit_priors import CommitPriors
from surveyor.engine.operations.doctor import DoctorOperations
from surveyor.engine.operations.edits import EditOperations
from surveyor.engine.operations.embed import EmbedOperations
from surveyor.engine.operations.engine_callables import CorpusFinder, Search, SymbolsIn
from surveyor.engine.operations.enrichment import EnrichmentOperations
from surveyor.engine.operations.graph import GraphOperations, RemovedBy
from surveyor.engine.operations.history import HistoryOperations
from surveyor.engine.operations.index import IndexOperations
from surveyor.engine.operations.knowledge import KnowledgeOperations, RuleOperations
from surveyor.engine.operations.languages import LanguageOperations
from surveyor.engine.operations.libraries import LibraryOperations
from surveyor.engine.operations.overlay import OverlayOperations
from surveyor.engine.operations.passages import PassageOperations
from surveyor.engine.operations.queue import QueueOperations
from surveyor.engine.operations.rename import RenameOperations
from surveyor.engine.operations.search import SearchOperations
from surveyor.engine.operations.search_scope import ScopeFinder
from surveyor.engine.operations.secrets import SecretOperations
from surveyor.engine.operations.sessions import SessionOperations
from surveyor.engine.operations.similar import SimilarOperations
from surveyor.engine.operations.status import EngineOperations
from surveyor.engine.operations.symbols import SymbolOperations
from surveyor.engine.operations.test_runs import RunTestsOperations
from surveyor.engine.operations.text_search import TextSearch
from surveyor.engine.operations.texts import IndexedTexts, TextOperations
from surveyor.engine.operations.web import WebOperations
from surveyor.engine.process.activity import Activity
from surveyor.engine.process.background import BackgroundTasks
from surveyor.engine.process.lifetime import Lifetime
from surveyor.engine.process.live_settings import LiveSettings
from surveyor.engine.process.sessions import Relay, Session, Sessions
from surveyor.engine.process.status import StatusReport
from surveyor.engine.process.store_executor import StoreExecutor
from surveyor.engine.projects.freshness import IndexFreshness
from surveyor.engine.projects.registration import Registration
from surveyor.engine.projects.registry import ProjectRegistry
from surveyor.engine.projects.relocation import Relocation
from surveyor.engine.question_log import QuestionLog
from surveyor.engine.session_readings import SessionReadings
from surveyor.errors import NotFoundError, SurveyorError
from surveyor.graph.exact.enricher import Enricher
from surveyor.graph.service import GraphService
from surveyor.knowledge.anchors import AnchorFolder
from surveyor.knowledge.service import Knowledge
from surveyor.knowledge.web_passages import WebPassages
from surveyor.protocol.search import SearchRequest
from surveyor.protocol.sessions import Hello
from surveyor.search.pipeline import Searcher
from surveyor.search.rank import RankContext
from surveyor.search.text_search import TextSearcher
from surveyor.store.state import State
from surveyor.store.state.projects import Checkout
from surveyor.store.vectors.contract import Space, VectorStore
from surveyor.worker.messages import WorkerSetup
from surveyor.worker.pool import WorkerPool


class EngineParts(Protocol):
    """What the engine has, as far as operations and agents are made from it."""

    data_dir: Path
    state: State
    vectors: VectorStore
    store_executor: StoreExecutor
    pool: WorkerPool
    model: ModelInUse
    live_settings: LiveSettings
    lifetime: Lifetime
    tasks: BackgroundTasks
    sessions: Sessions
    activity: Activity
    refusal: SurveyorError | None
    edit_journal: EditJournal
    exact_servers: AttachedServers
    projects: ProjectRegistry
    registration: Registration
    relocation: Relocation
    index_freshness: IndexFreshness
    committer: Committer
    pipeline: Pipeline
    scanner: Scanner
    watcher: Watcher
    watching: WatchControl
    change_handler: ChangeHandler
    recent_edits: RecentEdits
    commit_priors: CommitPriors
    vector_rebuilder: VectorRebuilder
    remasking: Remasking
    editor_buffers: EditorBuffers
    symbol_index: SymbolIndex
    searcher: Searcher
    text_searcher: TextSearcher
    status: StatusReport
    knowledge: Knowledge
    graph: GraphService
    operations: Operations
    """Set to what `build_operations` returns."""
    relays: dict[str, Relay]
    housekeepers: list[Callable[[], Awaitable[None]]]
    closers: list[Callable[[], Coroutine[Any, Any, None]]]

    async def answer(self, name: str, params: bytes, call: Caller) -> Any:
        """Serve an operation of the table."""

    def worker_setup(self) -> WorkerSetup:
        """What workers are told when they start."""

    def require_writable(self) -> None:
        """Raise where nothing can be stored."""


def build_operations(
    engine: EngineParts,
    enricher: Enricher,
    removed_by: RemovedBy,
    read_calls: ReadCalls,
    symbols_in: SymbolsIn,
) -> Operations:
    """The table of an engine that is open, with what works beside it started."""
    knowledge, graph, state = engine.knowledge, engine.graph, engine.state
    everywhere, resolve = engine.projects.all, engine.relocation.resolve
    freshness = engine.index_freshness.of

    scopes = ScopeFinder(resolve, everywhere)
    texts = IndexedTexts(state, engine.editor_buffers, freshness)
    places = CheckoutFinder(
        resolve,
        engine.relocation.copy_at,
        partial(engine.registration.register, explicit=False),
    )
    rules = RuleOperations(knowledge.memory, places, engine.projects.get)
    libraries = LibraryOperations(knowledge, places, everywhere)
    history = HistoryOperations(
        state,
        knowledge.history,
        knowledge.changes,
        places,
        freshness,
        engine.projects.get,
        engine.graph.defined,
    )

    def spaces_of(project_id: str) -> list[Space]:
        return [
            engine.committer.space(project_id),
            *engine.vector_rebuilder.old_spaces(project_id),
        ]

    code = CodeSearch(
        engine.searcher,
        spaces_of,
        engine.model.of,
        engine.editor_buffers,
        engine.recent_edits,
        engine.commit_priors,
        engine.live_settings,
        context_providers=[partial(_search_context, graph, engine.live_settings)],
        annotators=[rules.name_rules],
    )
    corpora: dict[str, CorpusFinder] = {
        "rules": rules.find,
        "libraries": libraries.find_libraries,
        "notes": libraries.find_notes,
        "history": history.find,
    }
    searching = SearchOperations(
        state,
        scopes,
        freshness,
        engine.index_freshness.wait,
        code,
        TextSearch(state, spaces_of, engine.text_searcher, engine.pool.run),
        corpora,
    )
    knowledge_operations = KnowledgeOperations(knowledge)
    clones = CloneFinder(state, engine.searcher, engine.editor_buffers, engine.pool.run)
    readings = SessionReadings(resolve, engine.editor_buffers)
    engine.activity.closed_hooks.append(readings.drop)
    agent_log = _agent_log(engine)
    ask = _ask_operations(engine, searching.search, agent_log)
    checks = CheckOperations(
        resolve,
        engine.change_handler.notice,
        graph,
        removed_by,
        read_calls,
        rules.rules_at,
        engine.exact_servers,
        clones,
        engine.committer.space,
    )
    editing = Editing(
        engine.edit_journal, AttachedEditors(lambda: engine.sessions), engine.live_settings.walk
    )
    edits = EditOperations(
        resolve,
        graph,
        editing,
        readings,
        symbols_in,
        checks.receipt,
        engine.require_writable,
        texts.near,
    )

    _hang_knowledge(engine)
    _hang_graph(engine)
    engine.tasks.spawn(enricher.run())
    _serve_agents(engine, readings, agent_log, ask)
    engine.tasks.spawn(knowledge_operations.maintain(lambda: engine.lifetime.starting))
    engine.tasks.spawn(engine.remasking.run())

    return Operations(
        [
            searching,
            SimilarOperations(
                state,
                resolve,
                freshness,
                texts,
                engine.editor_buffers,
                engine.searcher,
                clones,
                engine.committer.space,
                engine.pool.run,
            ),
            SymbolOperations(
                resolve,
                freshness,
                everywhere,
                engine.symbol_index,
                scopes,
                searching.search,
            ),
            ChunkOperations(state, resolve, freshness, engine.committer.space),
            TextOperations(
                state,
                resolve,
                freshness,
                engine.projects,
                engine.editor_buffers,
                texts,
            ),
            PassageOperations(state, resolve, freshness),
            GraphOperations(graph, searching.search, removed_by, read_calls),
            checks,
            RunTestsOperations(graph, checks.check),
            LanguageOperations(),
            EmbedOperations(engine.model.embedder),
            ask,
            edits,
            ActivityOperations(state, resolve, agent_log, lambda: engine.sessions),
            RenameOperations(
                resolve, graph, editing, edits, engine.exact_servers.rename, searching.search
            ),
            CodeActionOperations(resolve, graph, editing, edits, engine.exact_servers.code_actions),
            AgentHookOperations(
                resolve,
                graph,
                readings,
                lambda: engine.sessions,
                lambda: engine.live_settings.settings.mcp.search_hints,
            ),
            EnrichmentOperations(graph),
            history,
            rules,
            knowledge_operations,
            libraries,
            WebOperations(
                state,
                knowledge.library_queue.read,
                knowledge.writes,
                knowledge.library_store,
                lambda: engine.live_settings.web,
                engine.tasks.spawn,
            ),
            IndexOperations(
                resolve,
                freshness,
                engine.projects,
                engine.registration,
                engine.scanner,
                engine.activity.begin,
                engine.pipeline.runs,
                engine.pipeline.shortage_of,
                engine.pipeline.pause,
                engine.watching.unwatch,
                engine.status.of_project,
                engine.require_writable,
                engine.tasks.spawn,
                engine.graph.updater.wait,
                engine.index_freshness.why_empty,
            ),
            OverlayOperations(
                state,
                resolve,
                engine.editor_buffers,
                engine.live_settings.walk,
                engine.pool.expect,
                engine.tasks.spawn,
                engine.graph.prepare_unsaved,
            ),
            SessionOperations(engine.activity.changed),
            QueueOperations(state, engine.pipeline.wake),
            SecretOperations(
                state,
                engine.data_dir,
                resolve,
                everywhere,
                engine.index_freshness.count_stale,
                engine.scanner.scan,
                lambda: engine.committer.committing,
                lambda: engine.pool.change(engine.worker_setup()),
                engine.remasking.wipe_when_settled,
                engine.tasks.spawn,
            ),
            DoctorOperations(
                state,
                engine.vectors,
                engine.store_executor.run,
                engine.store_executor.check,
                everywhere,
                engine.vector_rebuilder,
                engine.vector_rebuilder.reembedding,
                engine.watcher.problem,
                engine.data_dir,
                lambda: engine.pipeline.disk_room.min_free,
                lambda: engine.status.warnings,
                engine.live_settings.warnings_of,
                knowledge.retention.usage,
                lambda: web_said(engine.live_settings.web),
                graph.files_given_up,
            ),
            EngineOperations(
                engine.status.of_engine,
                graph.servers.status,
                engine.sessions,
                engine.lifetime.pid,
                engine.lifetime.stop,
            ),
        ]
    )


def _ask_operations(engine: EngineParts, search: Search, agent_log: AgentLog) -> AskOperations:
    """Answering questions, each of which is written down."""
    question_log = QuestionLog(engine.relocation.resolve, agent_log.add)

    def answered(asking: QuestionState) -> None:
        engine.tasks.spawn(question_log.add(asking))

    async def on_the_web(question: str) -> WebPassages:
        if not engine.live_settings.web.enabled:
            return WebPassages(note="left out: it is off")
        from surveyor.knowledge.web_answers import WebAnswers  # by whoever has the web on

        knowledge = engine.knowledge
        answers = WebAnswers(
            knowledge.library_queue.read, knowledge.points, lambda: engine.live_settings.web
        )
        return await answers.find(question)

    return AskOperations(search, lambda: engine.live_settings.ask, on_the_web, answered)


def _hang_knowledge(engine: EngineParts) -> None:
    """Carry out what is queued, follow commits, and read histories in the background."""
    knowledge = engine.knowledge
    engine.pipeline.handlers["memory"] = knowledge.memory.handle
    engine.pipeline.handlers["library"] = knowledge.library_queue.handle
    engine.pipeline.handlers["history"] = knowledge.history.handle

    async def follow_anchors(batch: CommittedBatch) -> None:
        place = AnchorFolder(batch.checkout_id, batch.project_id, batch.root)
        await knowledge.memory.code_changed(place, frozenset((*batch.changed, *batch.removed)))

    engine.committer.commit_hooks.append(follow_anchors)

    follower = HeadFollower(
        knowledge.history,
        engine.projects.all,
        engine.pipeline.is_busy,
        lambda: engine.live_settings.settings.history.enabled and not engine.lifetime.starting,
    )
    engine.tasks.spawn(follower.run())


def _hang_graph(engine: EngineParts) -> None:
    """Follow commits, tell editors of new edges, and ask language servers in the background."""
    graph = engine.graph
    engine.committer.document_hooks.append(graph.on_documents)
    engine.committer.commit_hooks.append(graph.on_commit)
    engine.closers.append(graph.close)
    engine.housekeepers.append(_idle_servers(engine))
    graph.updater.on_updated(partial(_tell_editors, engine))
    engine.tasks.spawn(graph.updater.resume())


async def _search_context(
    graph: GraphService,
    live_settings: LiveSettings,
    request: SearchRequest,
    checkouts: Sequence[Checkout],
    context: RankContext,
) -> RankContext:
    """Importance of files where it counts; with a diff, what it changes and what depends on that
    directly."""
    if len(checkouts) != 1:
        return context
    checkout = checkouts[0]
    if live_settings.ranking([checkout.root]).graph:
        context = replace(context, graph_prior=await graph.prior(checkout.checkout_id))
    if request.diff:
        changed, dependants = await graph.diff_files(checkout, request.diff)
        context = replace(context, changed_files=changed, dependants=dependants)
    return context


def _agent_log(engine: EngineParts) -> AgentLog:
    """The log of agents' calls, which is cut now and then."""

    async def retention_s() -> float | None:
        if not engine.live_settings.are_whole:
            return None
        wanted = {"storage.retention": engine.live_settings.settings.storage.retention}
        return (await engine.knowledge.guard.in_force(wanted))["storage.retention"]

    made = AgentLog(
        engine.state,
        engine.sessions.notify,
        lambda: engine.live_settings.settings.storage.agent_log and engine.refusal is None,
        retention_s,
    )
    engine.housekeepers.append(made.prune)
    return made


def _serve_agents(
    engine: EngineParts, readings: SessionReadings, agent_log: AgentLog, ask: AskOperations
) -> None:
    """Over the session socket always, over HTTP where configured."""
    services = AgentServices(
        answer=engine.answer,
        has_operation=lambda name: name in engine.operations,
        state=engine.state,
        resolve=engine.relocation.resolve,
        checkouts=engine.projects.all,
        opener=FolderOpener(
            engine.projects.resolve,
            partial(engine.registration.register, explicit=False),
            engine.scanner.scan,
            engine.activity.begin,
            lambda: engine.live_settings.settings.indexing.auto_index,
            engine.tasks.spawn,
        ),
        roots_changed=engine.activity.changed,
        request_timeout=lambda: engine.live_settings.settings.engine.request_timeout,
        touch=engine.lifetime.touch,
        spawn=engine.tasks.spawn,
        ask=ask,
        readings=readings,
        log_call=agent_log.add,
    )

    def session_of(hello: Hello) -> Session:
        nothing: Any = None  # the web server answers: nothing is read or served here
        writer: Any = NullWriter()
        session = Session(nothing, asyncio.StreamReader(), writer)
        session.hello = hello
        return session

    agents = AgentService(
        services,
        SessionHooks(
            session_of,
            engine.sessions.add,
            engine.sessions.discard,
            engine.activity.opened,
            engine.activity.closed,
        ),
        engine.live_settings.settings.mcp,
        engine.data_dir,
    )
    engine.relays["mcp"] = agents.relay
    engine.closers.append(agents.close)
    agents.start()


class NullWriter:
    """The writer of a session over HTTP: the web server closes what is open."""

    def close(self) -> None:
        """Nothing to close."""


async def _tell_editors(engine: EngineParts, checkout_id: str) -> None:
    """Editors show what the graph says of a symbol: they hear when that may be something else."""
    with contextlib.suppress(NotFoundError):  # removed meanwhile
        checkout = await engine.projects.get(checkout_id)
        # Beside the graph: an editor that does not read must not hold it up.
        engine.tasks.spawn(engine.sessions.notify("index_changed", {"root": checkout.root}))


def _idle_servers(engine: EngineParts) -> Callable[[], Coroutine[Any, Any, None]]:
    async def stop() -> None:
        """Stop language servers of projects that are idle and have nothing left to index."""
        for checkout in await engine.projects.all():
            if not checkout.active and not engine.pipeline.files_behind(checkout.checkout_id):
                await engine.graph.servers.stop_root(checkout.root)

    return stop
