"""The service over a checkout in a real state.db: no engine, and servers that are made up."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from surveyor.engine.operations import Caller
from surveyor.engine.operations.graph import GraphOperations
from surveyor.graph.exact.merge import merge_exact
from surveyor.graph.exact.servers import ExactReply
from surveyor.graph.extract.file_graph import parse_with_graph
from surveyor.graph.queries import questions, repository_map
from surveyor.graph.queries.diff import read_diff
from surveyor.graph.queries.items import LineReader
from surveyor.graph.queries.lookup import Node, StoredGraph
from surveyor.graph.queries.names import NameMeaning
from surveyor.graph.queries.query_context import QueryContext
from surveyor.graph.queries.removed import removed_by
from surveyor.graph.queries.repository_map import draw_map
from surveyor.graph.resolve.certainty import MAX_CANDIDATES
from surveyor.graph.service import OTHERS_WAIT_S, PENDING_WAIT_S, GraphService
from surveyor.parsing.parse import parse_file
from surveyor.parsing.types import ParsedFile
from surveyor.protocol.graph import GraphResponse, ReferencesRequest
from surveyor.store.state.projects import Checkout as Registered
from surveyor.store.text_compression import compressed
from tests.gitrepo import repository
from tests.graph.service_support import CODE, Servers, references, uses
from tests.graph.support import CHECKOUT, Checkout, NoBuffers
from tests.graph.test_exact import Batch


@pytest.fixture
async def checkout(tmp_path: Path) -> AsyncIterator[Checkout]:
    made = await Checkout.open(tmp_path)
    await made.write(CODE)
    yield made
    await made.close()


async def begin(service: GraphService) -> tuple[QueryContext, NameMeaning]:
    context = await service.query_context(None, None)
    return context, await context.meant(references())


async def test_an_answer_is_cut_to_its_limit_and_says_so(checkout: Checkout) -> None:
    service = checkout.service(Servers())
    whole = await service.ask(references(), uses)
    assert [(i.path, i.line) for i in whole.results] == [("b.py", 1), ("b.py", 5)]
    assert whole.complete and whole.symbol is not None and whole.symbol.path == "a.py"
    cut = await service.ask(references(limit=1), uses)
    assert len(cut.results) == 1 and cut.omitted == 1 and not cut.complete
    assert cut.limited and not whole.limited, "for the limit alone"


async def test_of_many_uses_only_those_that_are_shown_are_read(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    users = {f"u{n}.py": f"from a import target\n\ntarget()  # {n}\n" for n in range(9)}
    await checkout.write(users)
    read: list[str] = []
    real = LineReader._read

    def noted(self: LineReader, path: str) -> list[str]:
        read.append(path)
        return real(self, path)

    monkeypatch.setattr(LineReader, "_read", noted)
    asked = GraphOperations(
        checkout.service(Servers()), search=unasked, removed_by=unasked, read_calls=unasked
    )
    whole = await asked.references(references(), Caller())
    assert len(whole.results) == 20 and (whole.omitted, whole.complete) == (0, True)
    read.clear()
    cut = await asked.references(references(limit=4), Caller())
    assert cut.results == whole.results[:4] and cut.symbol == whole.symbol
    assert [item.text for item in cut.results[:2]] == ["from a import target", "target()"]
    assert (cut.omitted, cut.complete, cut.precision) == (16, False, "syntax")
    assert sorted(read) == ["a.py", "b.py", "u0.py"]


async def test_changed_files_are_waited_for_where_they_may_matter(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = checkout.service(Servers())
    monkeypatch.setattr(service.updater, "pending", lambda _: True)
    waited: list[float] = []

    async def wait(_: str, timeout_s: float, others_s: float = 0.0) -> bool:
        waited.append(timeout_s)
        return False

    monkeypatch.setattr(service.updater, "wait", wait)
    text = compressed(b"import a\n\na.target()\n")
    async with checkout.state.transaction() as tx:  # as of a save that the graph has not followed
        await tx.execute("UPDATE graph_files SET doc_id = NULL WHERE path = 'c.py'")
        await tx.execute(
            "INSERT INTO document_texts (doc_id, checksum, text)"
            " SELECT doc_id, ?, ? FROM files WHERE path = 'c.py'",
            (zlib.crc32(text), text),
        )
    for about in ("Some.target", "c.py", "other", "b.py", ""):
        await service.query_context(None, None, about=about)
    for is_ranked in (False, True):

        async def has_ranks(*_: object, known: bool = is_ranked) -> bool:
            return known

        monkeypatch.setattr("surveyor.graph.service.has_ranks", has_ranks)
        await service.query_context(None, None, only_ranks=True)
    long, short = PENDING_WAIT_S, OTHERS_WAIT_S
    assert waited == [long, long, short, short, long, long, short]


async def test_a_map_of_fewer_candidates_is_the_same(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    await checkout.write(
        {
            f"m{file}.py": "".join(f"def f{file}{n}():\n    pass\n\n\n" for n in range(6))
            for file in range(6)
        }
    )
    stored = StoredGraph(checkout.state, CHECKOUT)
    sizes = range(60, 70)  # the last line of some ends where their room does
    whole = [await draw_map(stored, size) for size in sizes]
    monkeypatch.setattr(repository_map, "SIGNATURES_AT_LEAST", 15)
    asked: list[int] = []
    real = StoredGraph.important

    async def noted(self: StoredGraph, below: str, limit: int, ranks: None = None) -> list[Node]:
        asked.append(limit)
        return await real(self, below, limit, ranks)

    monkeypatch.setattr(StoredGraph, "important", noted)
    assert [await draw_map(stored, size) for size in sizes] == whole
    assert 0 < asked.count(repository_map.CANDIDATES) < len(sizes) < len(asked)


async def unasked(*_: object) -> Any:
    raise AssertionError("nothing is searched for")


async def answered_by(checkout: Checkout, answer: ExactReply) -> GraphResponse:
    """What is said of `target` when a server answers so."""
    service = checkout.service(Servers(answer))
    context, meant = await begin(service)
    ours = await service.respond(context, meant, await uses(context, meant), 10)
    return await merge_exact(context, ours, answer)


async def test_a_servers_answer_is_exact_where_the_graph_is_certain_of_no_more(
    checkout: Checkout,
) -> None:
    # `b.use` and `use` overlap: a place that both name is one place.
    places = [("b.py", 1, 14, 20), ("b.py", 5, 4, 10), ("c.py", 3, 0, 5)]
    merged = await answered_by(checkout, ExactReply(places, complete=True, server="fake"))
    assert [(i.path, i.line, i.kind) for i in merged.results] == [
        ("b.py", 1, "import"), ("b.py", 5, "call"), ("c.py", 3, "read"),
    ]  # fmt: skip
    assert (merged.precision, merged.complete, merged.server) == ("exact", True, "fake")


async def test_what_a_server_does_not_name_is_given_and_said(checkout: Checkout) -> None:
    answer = ExactReply([("b.py", 5, 2, 10)], complete=True, server="fake")
    merged = await answered_by(checkout, answer)
    # A place that has more than the name is used as the name is.
    assert [(i.path, i.line, i.kind, i.precision) for i in merged.results] == [
        ("b.py", 1, "import", "syntax"), ("b.py", 5, "call", "exact"),
    ]  # fmt: skip
    assert merged.precision == "partial"
    assert merged.notice == "fake does not name 1 of these 2: b.py:1 (import)"


async def test_a_server_that_names_tests_alone_may_not_know_the_receivers_in_code(
    checkout: Checkout,
) -> None:
    await checkout.write(
        {
            "m.py": "".join(f"class C{n}:\n    def packed(self): ...\n" for n in range(9)),
            "views.py": "import m\ndef show(flips):\n    return [f.packed() for f in flips]\n",
            "tests/test_m.py": "import m\nm.C1().packed()\n",
        }
    )
    service = checkout.service(Servers())
    context = await service.query_context(None, None)
    meant = await context.meant(references("C1.packed"))

    async def said(*places: tuple[str, int, int, int]) -> GraphResponse:
        found = await uses(context, meant)
        ours = await service.respond(context, meant, found, 10)
        answer = ExactReply([*places], complete=True, server="fake")
        merged = await merge_exact(context, ours, answer)
        return await service.say_unfollowed(context, meant, found, merged)

    partial = await said(("tests/test_m.py", 2, 7, 13))
    assert (partial.precision, partial.complete) == ("partial", False)
    assert "9 members are called packed" in (partial.notice or "")
    whole = await said(("tests/test_m.py", 2, 7, 13), ("views.py", 3, 14, 20))
    assert (whole.precision, whole.complete, whole.notice) == ("exact", True, None)


async def test_an_answer_of_a_server_is_kept(checkout: Checkout) -> None:
    servers = Servers(ExactReply([("c.py", 3, 2, 5)], complete=True, server="fake"))
    service = checkout.service(servers)
    context, meant = await begin(service)
    await service.exactly(context, meant, "references", "auto")
    await service.exactly(context, meant, "references", "auto")
    assert len(servers.asked) == 1  # the second time it was known


async def test_what_a_server_says_too_early_stands_beside_ours(checkout: Checkout) -> None:
    servers = Servers(ExactReply([("c.py", 3, 2, 5)], complete=False, server="fake"))
    service = checkout.service(servers)
    context, meant = await begin(service)
    ours = await service.respond(context, meant, await uses(context, meant), 10)
    answered = await service.exactly(context, meant, "references", "auto")
    assert answered is not None
    merged = await merge_exact(context, ours, answered)
    assert {i.path for i in merged.results} == {"b.py", "c.py"}
    assert merged.precision == "partial" and not merged.complete


async def test_nobody_is_asked_against_the_callers_wish(checkout: Checkout) -> None:
    servers = Servers()
    service = checkout.service(servers)
    context, meant = await begin(service)
    assert await service.exactly(context, meant, "references", "never") is None
    assert not servers.asked
    await service.exactly(context, meant, "references", "always")
    assert servers.asked[0][1] > 10  # seconds that it waits for readiness


CALLS = """import json
import xml.sax as reader
from a import target


class One:
    def send(self): ...


class Other:
    def send(self): ...


def follows(one: One):
    target()
    one.send()
    json.send()
    reader.send()
    len([])
    "".join([])


def loses(*all, make=None):
    all[0].send()
    for each in make():
        each.send()
    target()
"""


@pytest.mark.parametrize(
    ("name", "lost", "unsaved"),
    [
        ("follows", 0, False),
        ("loses", 2, False),
        ("target", 0, False),
        ("outer", 2, False),
        ("follows", 0, True),
        ("loses", 2, True),
    ],
)
async def test_callees_say_how_many_calls_are_not_resolved(
    checkout: Checkout, name: str, lost: int, unsaved: bool
) -> None:
    more = "".join(f"class More{n}:\n    def send(self): ...\n\n\n" for n in range(MAX_CANDIDATES))
    await checkout.write({"calls.py": "x = 1\n" if unsaved else CALLS, "more.py": more})
    await checkout.write({"outer.py": "from calls import loses\n\n\ndef outer():\n    loses()\n"})
    service = checkout.service(Servers(), Buffers(calls=CALLS) if unsaved else None)
    context = await service.query_context(None, None)
    meant = await context.meant(ReferencesRequest(name=name))
    depth = 2 if name == "outer" else 1
    found = await questions.callees(context.stored, meant, depth)
    response = await service.respond(context, meant, found, 10)
    said = await service.say_unresolved_calls(context, found, response)
    assert said.complete == (not lost)
    assert (said.notice == f"{lost} calls in it were not resolved") == bool(lost), said.notice


class Buffers(NoBuffers):
    """An editor that has changed some files and saved none of them."""

    def __init__(self, **texts: str) -> None:
        self.texts = {f"{name}.py": text for name, text in texts.items()}

    def parsed(self, checkout_id: str) -> Mapping[str, tuple[int, ParsedFile]]:
        return {p: (7, parse_with_graph(p, text.encode())) for p, text in self.texts.items()}


async def test_unsaved_text_is_in_the_graph_in_place_of_what_is_stored(checkout: Checkout) -> None:
    texts = {"b": "from a import target\n\n\ndef newer():\n    target()\n    target()\n"}
    service = checkout.service(Servers(), Buffers(**texts))
    found = await service.ask(references(), uses)
    assert [(i.path, i.line, i.symbol, i.unsaved_version) for i in found.results] == [
        ("b.py", 1, "", 7), ("b.py", 5, "newer", 7), ("b.py", 6, "newer", 7),
    ]  # fmt: skip
    assert found.unsaved_version is None  # the definition itself is as it is saved
    new = await service.query_context(None, None)
    (node,) = (await new.meant(ReferencesRequest(name="newer"))).nodes
    assert (node.path, node.line) == ("b.py", 4)
    calls = await questions.callees(new.stored, NameMeaning([node]), 1)
    assert [(i.path, i.symbol) for i in calls.items] == [("a.py", "target")]
    outline = await questions.outline(new.stored, "b.py", new.lines)
    assert [i.symbol for i in outline.items] == ["newer"]
    saved = await service.ask(references(saved=True), uses)
    assert [(i.path, i.line) for i in saved.results] == [("b.py", 1), ("b.py", 5)]


async def test_what_is_kept_of_stored_files_for_unsaved_ones_is_as_they_are(
    checkout: Checkout,
) -> None:
    buffers = Buffers(b="from a import target, later\nimport new\n\n\ndef use():\n    later()\n")
    service = checkout.service(Servers(), buffers)
    await service.ask(references(), uses)  # reads, and keeps what it read

    async def found(name: str) -> list[tuple[str, int]]:
        return [(i.path, i.line) for i in (await service.ask(references(name), uses)).results]

    buffers.texts["new.py"] = "def later():\n    pass\n\n\nlater()\n"
    assert await found("later") == [("new.py", 5)]
    await checkout.store({"a.py": CODE["a.py"] + "\n\ndef later():\n    pass\n"})
    service.updater.touch(CHECKOUT, str(checkout.root))
    assert await service.updater.wait(CHECKOUT, 60)
    del buffers.texts["new.py"]
    assert await found("later") == [("b.py", 1), ("b.py", 6)]
    await service.close()


async def test_a_map_has_unsaved_definitions_that_it_is_asked_about(checkout: Checkout) -> None:
    many = "".join(f"def use_{n}():\n    target()\n\n\n" for n in range(20))
    await checkout.write({"many.py": "from a import target\n\n\n" + many})
    service = checkout.service(Servers(), Buffers(c="def brand_new():\n    pass\n"))
    stored = (await service.query_context(None, None)).stored
    (node,) = await stored.named("brand_new")
    ranks = await service.personal_ranks(checkout.row, {node.node_id: 1.0}, "", 100)
    assert ranks is not None
    assert ranks.pop(node.node_id) == 1.0, "all else comes after what was asked about"
    assert "brand_new" in (await draw_map(stored, 50, ranks | {node.node_id: 1.0})).text


async def test_a_map_asks_no_more_often_for_more_files(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = checkout.service(Servers(), Buffers())
    asked = []
    read = checkout.state.read

    async def counted(sql: str, parameters: Sequence[object] = ()) -> list[sqlite3.Row]:
        asked.append(sql)
        return await read(sql, parameters)

    monkeypatch.setattr(checkout.state, "read", counted)

    async def reads() -> tuple[int, int]:
        stored = (await service.query_context(None, None)).stored
        asked.clear()
        return len((await draw_map(stored, 1000)).files), len(asked)

    files, before = await reads()
    await checkout.write({f"m{n}.py": f"def of_{n}(one):\n    pass\n" for n in range(9)})
    more, after = await reads()
    assert (more, after) == (files + 9, before)
    await service.close()


async def test_the_old_name_of_an_unsaved_rename_answers_with_what_it_breaks(
    checkout: Checkout,
) -> None:
    servers = Servers(ExactReply([("a.py", 1, 4, 9)], complete=True, server="fake"))
    renamed = Buffers(a="def fresh():\n    pass\n\n\ndef again():\n    fresh()\n")
    service = checkout.service(servers, renamed)
    found = await service.ask(references(), uses)
    assert [(i.path, i.line) for i in found.results] == [("b.py", 1), ("b.py", 5)]
    assert found.notice is not None and "target is not defined in a.py any more" in found.notice
    context, meant = await begin(service)
    assert await service.exactly(context, meant, "references", "auto") is None
    assert not servers.asked  # it would be asked about the name that is there now
    box = (
        "class Box:\n    def shut(self):\n        pass\n\n    def use(self):\n        self.shut()\n"
    )
    await checkout.write({"a.py": box})
    service = checkout.service(servers, Buffers(a=box.replace("def shut", "\n    def close")))
    found = await service.ask(references("shut"), uses)
    assert [(i.path, i.line, i.kind) for i in found.results] == [("a.py", 7, "call")]


@pytest.mark.parametrize("runs", [True, False])
async def test_servers_hear_of_a_commit_if_there_are_any(checkout: Checkout, runs: bool) -> None:
    servers = Servers(runs=runs)
    service = checkout.service(servers)
    await service.on_commit(Batch(CHECKOUT, str(checkout.root), ("a.py", "new.py"), ("b.py",)))
    changes = {"a.py": "changed", "new.py": "created", "b.py": "deleted"}
    assert servers.told == ([changes] if runs else [])
    await service.close()
    assert not servers.open


async def test_ranks_begin_where_they_are_told_to(checkout: Checkout) -> None:
    service = checkout.service(Servers())
    context = await service.query_context(None, None)
    file = await context.file("c.py")
    ranks = await service.personal_ranks(checkout.row, {-file.file_id: 1.0}, "", 100)
    assert ranks is not None
    by_name = {
        name: ranks[node.node_id]
        for name in ("use", "target", "other")
        for node in await context.stored.named(name)
    }
    assert min(by_name["use"], by_name["target"]) > by_name["other"]
    assert await service.personal_ranks(checkout.row, {}, "", 100) is None
    (best,) = await service.personal_ranks(checkout.row, {-file.file_id: 1.0}, "a", 1) or {}
    assert (await context.stored.by_id([best]))[best].path == "a.py"


async def test_ranks_are_of_what_is_stored_when_they_are_asked(checkout: Checkout) -> None:
    service = checkout.service(Servers())
    (target,) = await (await service.query_context(None, None)).stored.named("target")
    before = await service.personal_ranks(checkout.row, {target.node_id: 1.0}, "", 100)
    await checkout.write({"late.py": "def late():\n    pass\n"})
    (late,) = await (await service.query_context(None, None)).stored.named("late")
    after = await service.personal_ranks(checkout.row, {target.node_id: 1.0}, "", 100)
    assert before is not None and after is not None
    assert set(after) - set(before) == {late.node_id}


async def test_a_diff_names_its_files_what_uses_them_and_what_it_takes_away(
    checkout: Checkout,
) -> None:
    repository(checkout.root, CODE)
    await checkout.write({"a.py": "def target():\n    return 1\n"})
    service = checkout.service(Servers())
    assert await service.diff_files(checkout.row, "working") == (
        frozenset({"a.py"}),
        frozenset({"b.py"}),
    )
    context = await service.query_context(None, None)

    async def parsed(_: Registered, path: str, data: bytes) -> ParsedFile:
        return parse_file(path, data)

    diff = await read_diff(checkout.root, "working")
    taken = await removed_by(parsed, checkout.row, context.stored, diff)
    assert [each.key for each in taken.definitions] == ["a.py::other"]


PACKAGE = {"name": "shop", "version": "1.0.0", "main": "old.js", "dependencies": {"left": "^1"}}
MANIFESTS: list[tuple[str, str, str, str]] = [
    (
        "package.json",
        json.dumps(PACKAGE),
        json.dumps(PACKAGE | {"version": "1.1.0", "dependencies": {"left": "^2"}}),
        json.dumps(PACKAGE | {"main": "new.js"}),
    ),
    (
        "web/tsconfig.json",
        '{"compilerOptions": {"paths": {"@/*": ["src/*"]}, "strict": false}}',
        '{"compilerOptions": {"paths": {"@/*": ["src/*"]}, "strict": true}} // strict',
        '{"compilerOptions": {"paths": {"@/*": ["lib/*"]}, "strict": true}}',
    ),
    (
        "Cargo.toml",
        '[package]\nname = "shop"\nversion = "1.0.0"\n',
        '[package]\nname = "shop"\nversion = "1.1.0"\n[dependencies]\nserde = "1"\n',
        '[package]\nname = "shop"\n[lib]\npath = "src/other.rs"\n',
    ),
    (
        "go.mod",
        "module example.org/shop\n\ngo 1.22\n",
        "module example.org/shop\n\ngo 1.23\nrequire example.org/left v1.0.0\n",
        "module example.org/store\n\ngo 1.22\n",
    ),
    ("remappings.txt", "a/=lib/a/\n", "a/=lib/a/\n", "a/=lib/b/\n"),
]


@pytest.mark.parametrize(
    ("path", "before", "same", "other"), MANIFESTS, ids=[each[0] for each in MANIFESTS]
)
async def test_all_imports_are_worked_out_anew_where_a_manifest_says_something_else_of_them(
    checkout: Checkout, path: str, before: str, same: str, other: str
) -> None:
    service = checkout.service(Servers())
    await checkout.write({path: before})
    await service.declarations.learn(CHECKOUT, str(checkout.root))

    async def resolved_after(text: str | None) -> set[str]:
        checkout.jobs.clear()
        if text is None:
            await checkout.remove(path)
        else:
            await checkout.store({path: text})
        gone = text is None
        changed, removed = (() if gone else (path,)), ((path,) if gone else ())
        await service.on_commit(Batch(CHECKOUT, str(checkout.root), changed, removed))
        assert await service.updater.wait(CHECKOUT, 60)
        return {each for job in checkout.jobs if job.kind == "resolve" for each in job.paths}

    assert not await resolved_after(same) & CODE.keys()
    assert await resolved_after(other) >= CODE.keys()
    assert not await resolved_after(other) & CODE.keys()
    assert await resolved_after(None) >= CODE.keys()
    assert await resolved_after(other) >= CODE.keys()
    await service.close()
