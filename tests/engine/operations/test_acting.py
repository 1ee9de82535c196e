"""Groups that do something, or put together what others find: with fakes for their neighbours."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from surveyor.clones.jobs import Fingerprint
from surveyor.embedding.embedded import Embedded
from surveyor.engine.index.runs import IndexRun
from surveyor.engine.operations import Caller, Operations, operation
from surveyor.engine.operations.checkout_finder import CheckoutFinder
from surveyor.engine.operations.doctor import DoctorOperations
from surveyor.engine.operations.engine_callables import CorpusAnswer, CorpusFinder
from surveyor.engine.operations.enrichment import EnrichmentOperations
from surveyor.engine.operations.graph import GraphOperations
from surveyor.engine.operations.history import HistoryOperations
from surveyor.engine.operations.index import IndexOperations
from surveyor.engine.operations.knowledge import KnowledgeOperations, RuleOperations
from surveyor.engine.operations.libraries import LibraryOperations
from surveyor.engine.operations.overlay import OverlayOperations
from surveyor.engine.operations.search import SearchOperations
from surveyor.engine.operations.search_scope import ScopeFinder
from surveyor.engine.operations.sessions import SessionOperations
from surveyor.engine.operations.similar import SimilarOperations
from surveyor.engine.operations.status import EngineOperations
from surveyor.engine.operations.symbols import SymbolOperations
from surveyor.engine.operations.texts import IndexedTexts
from surveyor.engine.projects.checkouts import Checkout
from surveyor.errors import NotFoundError, SurveyorError, UsageError
from surveyor.parsing.ignore import WalkSettings
from surveyor.protocol.base import Freshness
from surveyor.protocol.engine import DoctorRequest, StatusRequest, StatusResponse, StopRequest
from surveyor.protocol.enumerations import Corpus
from surveyor.protocol.graph import HierarchyRequest, MapRequest
from surveyor.protocol.history import (
    HistorySearchRequest,
    HistorySymbolRequest,
    LastChangeRequest,
)
from surveyor.protocol.knowledge import (
    KnowledgeUsage,
    LibraryIngestRequest,
    MemoryListRequest,
    RulesAtRequest,
    WriteWaitRequest,
)
from surveyor.protocol.projects import ControlRequest, IndexProgressRequest, ProjectsRequest
from surveyor.protocol.search import (
    Scores,
    SearchRequest,
    SearchResult,
    SimilarRequest,
    SymbolsRequest,
)
from surveyor.protocol.sessions import OverlayRequest, RootsRequest
from surveyor.search.pipeline import ShownResults
from surveyor.store.state import State
from tests.engine.operations.conftest import (
    Background,
    Buffers,
    Folders,
    checkout_at,
    space_of,
)
from tests.product import git

CALL = Caller()
UNUSED: Any = None


def result(path: str, source: Corpus = "code", confidence: float = 0.9) -> SearchResult:
    return SearchResult(
        path=path,
        start_line=1,
        end_line=2,
        language=None,
        kind="function",
        symbol=None,
        score=1.0,
        confidence=confidence,
        scores=Scores(),
        snippet="",
        project="shop",
        branch=None,
        id=path,
        source=source,
    )


# --- the table --------------------------------------------------------------------------------


def test_the_table_has_the_methods_of_the_groups_by_the_names_of_their_requests() -> None:
    table = Operations([SessionOperations(UNUSED), EngineOperations(*[UNUSED] * 5)])
    assert list(table) == ["roots", "status", "stop"]
    assert table["stop"].request is StopRequest and "search" not in table


def test_two_groups_do_not_answer_one_request() -> None:
    class Again:
        @operation(StopRequest)
        async def end(self, request: StopRequest, call: Caller) -> None:
            """Answers nothing."""

    with pytest.raises(ValueError, match="stop"):
        Operations([EngineOperations(*[UNUSED] * 5), Again()])


# --- searching --------------------------------------------------------------------------------


class Code:
    """A corpus of code that finds one file in each checkout."""

    problem: str | None = None

    async def find(self, request: SearchRequest, scope: Any) -> ShownResults:
        return ShownResults([result(f"{prefix}pay.py") for _, prefix in scope.folders])


@pytest.fixture
def searching(state: State, folders: Folders) -> SearchOperations:
    async def rules(request: SearchRequest, _: Sequence[Checkout]) -> CorpusAnswer:
        return CorpusAnswer([result("plain", "rules", 0.2), result("sure", "rules", 0.8)])

    async def at_once(checkouts: Sequence[Checkout], timeout_s: float) -> None:
        """All is fresh."""

    code: Any = Code()
    corpora: dict[str, CorpusFinder] = {"rules": rules}
    scopes = ScopeFinder(folders.resolve, folders.all)
    text: Any = None
    return SearchOperations(state, scopes, folders.freshness, at_once, code, text, corpora)


async def test_corpora_are_put_together_and_guesses_of_knowledge_left_out(
    searching: SearchOperations, folders: Folders, root: Path
) -> None:
    folders.fresh = Freshness(status="stale", revision=4)
    request = SearchRequest(query="pay", cwd=str(root / "net"), corpora=["code", "rules"])
    answer = await searching.search(request, CALL)
    assert [each.path for each in answer.results] == ["net/pay.py", "sure"]
    assert (answer.status, answer.revision, answer.branch) == ("stale", 4, "main")


async def test_filters_that_nothing_can_match_are_refused(
    searching: SearchOperations, root: Path
) -> None:
    refused: list[tuple[dict[str, Any], type[SurveyorError]]] = [
        ({"limit": 0}, UsageError),
        ({"types": ["poem"]}, UsageError),
        ({"kinds": ["x"]}, UsageError),
        ({"branch": "gone"}, NotFoundError),
    ]
    for wrong, error in refused:
        request = SearchRequest(query="pay", cwd=str(root), **wrong)
        with pytest.raises(error):
            await searching.search(request, CALL)
    request = SearchRequest(query="pay", cwd=str(root), branch="topic")
    assert (await searching.search(request, CALL)).results


async def test_several_projects_are_searched_and_those_unknown_are_named(
    folders: Folders, tmp_path: Path, root: Path
) -> None:
    folders.known.append(checkout_at(tmp_path / "other", "c2"))
    resolved: list[str | None] = []

    async def resolve(cwd: str | None = None, project: str | None = None) -> Checkout:
        resolved.append(project)
        return await folders.resolve(cwd, project)

    scopes = ScopeFinder(resolve, folders.all)
    names = ["shop", "other", "gone"]
    scope = await scopes.of(SearchRequest(query="x", projects=names * 100))
    assert [each.name for each in scope.checkouts] == ["shop", "other"]
    assert (scope.unknown, resolved) == (("gone",), names)
    with pytest.raises(SurveyorError):
        await scopes.of(SearchRequest(query="x", projects=["gone"]))


async def test_symbols_of_all_projects_come_best_first(folders: Folders) -> None:
    class Index:
        async def find(self, checkout: Checkout, query: str, *more: Any) -> list[Any]:
            return []

    index: Any = Index()
    scopes = ScopeFinder(folders.resolve, folders.all)
    group = SymbolOperations(folders.resolve, folders.freshness, folders.all, index, scopes, UNUSED)
    answer = await group.symbols(SymbolsRequest(query="pay", scope="all"), CALL)
    assert answer.results == [] and answer.revision == 1
    with pytest.raises(UsageError):
        await group.symbols(SymbolsRequest(query="pay", kinds=["poem"]), CALL)


async def test_what_no_grammar_reads_is_compared_by_the_vector_of_its_lines(
    state: State, folders: Folders, root: Path
) -> None:
    embedded: list[Any] = []
    nothing = Embedded(text_hash=b"", dense=b"", indices=b"", values=b"")

    async def run(jobs: Sequence[Any]) -> list[Any]:
        embedded.extend(jobs)
        return [SimpleNamespace(status="embedded", vectors=[nothing])]

    class Searcher:
        async def nearest(
            self, vector: Any, place: Any, conditions: Any, **how: Any
        ) -> list[SearchResult]:
            assert how["without"] == ("pay.py", 1, 1)
            return [result("net/retry.py")]

    searcher: Any = Searcher()
    buffers: Any = Buffers()

    class Clones:
        async def fingerprints(self, sought: Any) -> list[Fingerprint]:
            return [Fingerprint() for _ in sought]  # no grammar reads it

    clones: Any = Clones()
    group = SimilarOperations(
        state,
        folders.resolve,
        folders.freshness,
        IndexedTexts(state, buffers, folders.freshness),
        buffers,
        searcher,
        clones,
        space_of,
        run,
    )
    request = SimilarRequest(cwd=str(root), path="pay.py", start_line=1, end_line=1)
    answer = await group.similar(request, CALL)
    assert [each.path for each in answer.results] == ["net/retry.py"]
    assert embedded[0].texts == ["def pay(amount):"]


# --- what is kept beside the code -------------------------------------------------------------


@pytest.fixture
def places(folders: Folders) -> CheckoutFinder:
    async def no_copy(cwd: str) -> None:
        return None

    return CheckoutFinder(folders.resolve, no_copy, folders.register)


async def test_a_place_is_known_or_registered_and_outside_there_is_none(
    places: CheckoutFinder, folders: Folders, root: Path, tmp_path: Path
) -> None:
    assert (await places.of(str(root), None)).root == str(root)
    assert await places.known(str(tmp_path), None) is None
    with pytest.raises(NotFoundError):
        await places.known(None, "gone")
    assert (await places.registered(str(tmp_path / "new"), None)).root == str(tmp_path / "new")
    assert len(folders.known) == 2


async def test_rules_are_listed_for_where_the_caller_is(
    places: CheckoutFinder, folders: Folders, root: Path, tmp_path: Path
) -> None:
    class Memory:
        async def listed(self, project_id: str | None, scope: str, place: Any) -> list[Any]:
            assert (project_id is None) == (place is None)
            return []

    memory: Any = Memory()
    group = RuleOperations(memory, places, folders.get)
    assert not (await group.memory_list(MemoryListRequest(cwd=str(root)), CALL)).rules
    assert not (await group.memory_list(MemoryListRequest(cwd=str(tmp_path)), CALL)).rules
    nowhere = RulesAtRequest(path=str(tmp_path / "x.py"), line=1)
    assert not (await group.rules_at(nowhere, CALL)).rules


async def test_queued_writes_are_waited_for() -> None:
    class Writes:
        async def wait(self, ids: list[str], timeout_s: float) -> bool:
            return timeout_s == 0.5

    knowledge: Any = SimpleNamespace(writes=Writes())
    group = KnowledgeOperations(knowledge)
    answer = await group.write_wait(WriteWaitRequest(queue_ids=["q"], wait_ms=500), CALL)
    assert (answer.status, answer.queue_id) == ("done", "q")


async def test_a_file_that_holds_secrets_becomes_no_document(
    places: CheckoutFinder, folders: Folders, root: Path
) -> None:
    group = LibraryOperations(UNUSED, places, folders.all)
    with pytest.raises(UsageError, match="secrets"):
        await group.library_ingest(LibraryIngestRequest(name="book", path=str(root / ".env")), CALL)
    with pytest.raises(UsageError):
        await group.library_ingest(LibraryIngestRequest(name="book"), CALL)


async def test_history_of_lines_that_are_not_there_is_refused(
    state: State, places: CheckoutFinder, folders: Folders, root: Path, tmp_path: Path
) -> None:
    group = HistoryOperations(state, UNUSED, UNUSED, places, folders.freshness, folders.get, UNUSED)
    request = HistorySymbolRequest(cwd=str(root), path="pay.py", start_line=90)
    with pytest.raises(UsageError, match="3 lines"):
        await group.history_symbol(request, CALL)
    outside = LastChangeRequest(path=str(tmp_path / "x.py"), start_line=1, end_line=1)
    assert not (await group.last_change(outside, CALL)).known


@pytest.mark.parametrize("in_time", [True, False])
async def test_history_that_is_still_being_read_is_said_to_lack_commits(
    state: State, places: CheckoutFinder, folders: Folders, root: Path, *, in_time: bool
) -> None:
    class Read:
        async def is_current(self, place: Any, head: str) -> bool:
            return False

        async def request(self, place: Any, wait_ms: int) -> bool:
            return in_time

        async def counts(self, project_id: str) -> tuple[int, int | None, bool]:
            return 0, None, False

        async def oldest(self, project_id: str) -> None:
            return None

        async def find(self, *what: Any, **how: Any) -> tuple[list[Any], str]:
            return [], ""

    history: Any = Read()
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "Pay")
    group = HistoryOperations(
        state, history, UNUSED, places, folders.freshness, folders.get, UNUSED
    )
    answer = await group.history_search(HistorySearchRequest(cwd=str(root), query="pay"), CALL)
    assert ("still being read" in (answer.notice or "")) is not in_time


# --- the graph --------------------------------------------------------------------------------


async def test_questions_about_the_graph_are_checked_before_they_are_asked() -> None:
    group = GraphOperations(UNUSED, UNUSED, UNUSED, UNUSED)
    with pytest.raises(UsageError):
        await group.hierarchy(HierarchyRequest(name="A", depth=0), CALL)
    with pytest.raises(UsageError):
        await group.map_(MapRequest(tokens=1), CALL)
    assert list(Operations([EnrichmentOperations(UNUSED)])) == ["enrichment"]


# --- projects and the engine ------------------------------------------------------------------


def indexing(folders: Folders, **parts: Any) -> IndexOperations:
    given = dict.fromkeys(
        ("scanner", "begin", "runs", "pause", "unwatch", "project_status", "spawn", "wait_edges"),
        UNUSED,
    )
    registry: Any = folders
    return IndexOperations(
        folders.resolve,
        folders.freshness,
        registry,
        registry,
        **{
            "require_writable": lambda: None,
            "shortage_of": lambda _: "",
            "why_empty": lambda _: "",
            **given,
            **parts,
        },
    )


async def test_indexing_is_paused_for_all_or_for_one(folders: Folders) -> None:
    paused: list[bool] = []

    async def pause(on: bool) -> None:
        paused.append(on)

    group = indexing(folders, pause=pause)
    await group.control(ControlRequest(action="pause"), CALL)
    assert paused == [True]
    with pytest.raises(NotFoundError):
        await group.control(ControlRequest(action="watch"), CALL)


async def test_nothing_is_removed_where_nothing_can_be_stored(folders: Folders) -> None:
    def refuse() -> None:
        raise SurveyorError("read-only")

    group = indexing(folders, require_writable=refuse)
    with pytest.raises(SurveyorError, match="read-only"):
        await group.control(ControlRequest(action="pause"), CALL)
    folders.known = []
    assert not (await group.projects(ProjectsRequest(), CALL)).projects


async def test_an_open_buffer_is_shown_and_hidden_and_a_secret_is_not(
    state: State, folders: Folders, root: Path
) -> None:
    expected: list[str] = []

    async def expect(path: str) -> None:
        expected.append(path)

    async def prepare(_: Checkout) -> None:
        expected.append("its graph")

    buffers: Any = Buffers()
    beside = Background()
    group = OverlayOperations(
        state, folders.resolve, buffers, lambda _: WalkSettings(), expect, beside, prepare
    )

    async def say(name: str, text: str | None) -> str:
        request = OverlayRequest(path=str(root / name), version=1, text=text)
        return (await group.overlay(request, CALL)).message

    assert await say("pay.py", "typed") == "shown"
    assert await say(".env", "KEY=2") == "left out of the index"
    assert await say("pay.py", None) == "hidden"
    await beside.done()
    assert expected == ["its graph", str(root / "pay.py")] and not buffers.shown


async def test_edges_are_waited_for_once_a_run_has_ended(folders: Folders, root: Path) -> None:
    waited: list[tuple[str, float]] = []

    async def wait_edges(checkout_id: str, timeout_s: float) -> bool:
        waited.append((checkout_id, timeout_s))
        return len(waited) == 2

    checkout = await folders.resolve(cwd=str(root))
    run = IndexRun(str(root), "full")
    group = indexing(folders, runs={checkout.checkout_id: run}, wait_edges=wait_edges)
    request = IndexProgressRequest(root=str(root), edges=True, wait_ms=10)
    assert (await group.progress(request, CALL)).edges_pending and not waited  # it has not ended
    run.phase = "done"
    assert (await group.progress(request, CALL)).edges_pending
    assert not (await group.progress(request, CALL)).edges_pending
    assert waited == [(checkout.checkout_id, 0.01)] * 2


async def test_only_a_session_has_folders() -> None:
    with pytest.raises(UsageError):
        await SessionOperations(UNUSED).roots(RootsRequest(roots=[]), CALL)


async def test_the_engine_says_which_servers_run() -> None:
    async def engine_status(path: str | None, skipped: bool) -> StatusResponse:
        return StatusResponse(
            engine_version="1",
            pid=1,
            uptime_s=0.0,
            data_dir="",
            store="embedded",
            model="m",
            projects=[],
            queue={},
            sessions=0,
            memory_bytes=0,
            anonymous_bytes=0,
            worker_bytes=0,
            disk_free_bytes=0,
            limits={},
            skipped=[],
            knowledge={},
        )

    group = EngineOperations(engine_status, lambda: [{"id": "ty"}], [], os.getpid(), UNUSED)
    answer = await group.status(StatusRequest(), CALL)
    assert answer.upstreams == [{"id": "ty", "for": "agents"}]


async def test_the_doctor_finds_what_is_wrong(
    state: State, folders: Folders, tmp_path: Path
) -> None:
    class Rebuilder:
        async def compare(self, project_id: str) -> tuple[int, int]:
            return 2, 0

    class Vectors:
        def spaces(self) -> list[Any]:
            return []

    async def on_store(work: Any, *given: Any) -> Any:
        return work(*given)

    async def look_for_store() -> None:
        """It answers."""

    async def usage() -> KnowledgeUsage:
        return KnowledgeUsage(total_bytes=0, kinds={}, projects=[], limits={})

    async def given_up(_: str) -> list[str]:
        return ["a.py", "b.py", "c.py", "d.py"]

    vectors: Any = Vectors()
    vector_rebuilder: Any = Rebuilder()
    group = DoctorOperations(
        state,
        vectors,
        on_store,
        look_for_store,
        folders.all,
        vector_rebuilder,
        reembedding=lambda _: None,
        watch_problem=lambda _: "too many folders",
        data_dir=tmp_path,
        least_free=lambda: 0,
        warnings=lambda: ["search.k1: no number"],
        warnings_of=lambda _: [],
        usage=usage,
        web=lambda: None,
        given_up=given_up,
    )
    answer = await group.doctor(DoctorRequest(), CALL)
    wrong = {each.check: each.message for each in answer.findings if not each.ok}
    assert set(wrong) == {"points", "watch", "graph", "settings"}
    assert wrong["graph"].endswith("could not be worked out: a.py, b.py, c.py and 1 more")
    assert wrong["points"] == "shop: 2 points are missing, 0 are superfluous"
