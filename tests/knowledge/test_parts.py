"""Each part of knowledge without an engine."""

from __future__ import annotations

import os
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
import pytest_asyncio
from tests.knowledge.parts import Parts, assemble, register

from surveyor.errors import NotFoundError, SurveyorError, UsageError
from surveyor.knowledge import anchors
from surveyor.knowledge.anchors import AnchorFolder
from surveyor.knowledge.document_search import LibraryScope
from surveyor.knowledge.documents import DocumentFacts
from surveyor.knowledge.history.index import CommitFilter
from surveyor.knowledge.rules import Rule
from surveyor.store.state import Transaction, queue

DAY_S = 86400


@pytest_asyncio.fixture
async def parts(tmp_path: Path) -> AsyncIterator[Parts]:
    made = await assemble(
        tmp_path / "data", storage={"retention": 30 * DAY_S}, memory={"harvest": True}
    )
    yield made
    await made.close()


async def add(parts: Parts, rule: Rule, place: AnchorFolder | None = None) -> None:
    given = frozenset(("anchor",)) if rule.anchor else frozenset[str]()
    await parts.knowledge.memory.write("add", rule, place, given, 0)
    await parts.carry_out()


async def test_a_rule_is_queued_then_stored_found_and_removed(parts: Parts) -> None:
    memory = parts.knowledge.memory
    rule = Rule("use-tabs", "Indent with tabs.", tags=("style",))
    written = await memory.write("add", rule, None, frozenset(), 0)
    assert written.status == "queued"
    assert parts.woken
    assert await memory.listed(None, "all", None) == []

    await parts.carry_out()
    (listed,) = await memory.listed(None, "all", None)
    assert (listed.label, listed.tags, listed.scope) == ("use-tabs", ["style"], "global")
    found, _ = await memory.recall("tabs", None, "current", None, limit=5)
    assert [item.label for item, _ in found] == ["use-tabs"]

    await memory.write("remove", Rule("use-tabs", ""), None, frozenset(), 0)
    await parts.carry_out()
    assert await memory.recall("tabs", None, "current", None, limit=5) == ([], "")
    with pytest.raises(NotFoundError):
        await memory.write("remove", Rule("use-tabs", ""), None, frozenset(), 0)


async def test_a_rule_that_says_the_same_is_not_embedded_again(parts: Parts) -> None:
    rule = Rule("use-tabs", "Indent with tabs.")
    await add(parts, rule)
    await add(parts, rule)
    assert parts.embedded == ["Indent with tabs."]


async def index_symbol(
    tx: Transaction, place: AnchorFolder, path: str, name: str, lines: int
) -> None:
    """What the index would know of a file with one function."""
    document = await tx.insert(
        "INSERT INTO documents (project_id, path, content_hash, version, file_type, language)"
        " VALUES (?, ?, ?, 'v', 'code', 'python')",
        (place.project_id, path, path.encode()),
    )
    await tx.execute(
        "INSERT INTO files (checkout_id, path, size, mtime_ns, content_hash, doc_id, status)"
        " VALUES (?, ?, 1, 1, ?, ?, 'indexed')",
        (place.checkout_id, path, path.encode(), document),
    )
    await tx.execute(
        """INSERT INTO symbols (doc_id, ordinal, name, name_lower, kind, container, start_line,
             end_line, line, "column", end_column) VALUES (?, 0, ?, ?, 'function', '', 1, ?, 1, 4,
             9)""",
        (document, name, name.lower(), lines),
    )


async def test_a_name_means_what_is_defined_and_not_where_it_is_declared(
    parts: Parts, tmp_path: Path
) -> None:
    place = await register(parts, tmp_path)
    async with parts.state.transaction() as tx:
        await index_symbol(tx, place, "sea.c", "ferry", 9)
        await index_symbol(tx, place, "sea.h", "ferry", 1)
        await index_symbol(tx, place, "only.h", "port", 1)
    assert (await anchors.resolve(parts.state, place, "ferry")).path == "sea.c"
    assert (await anchors.resolve(parts.state, place, "port")).path == "only.h"
    async with parts.state.transaction() as tx:
        await index_symbol(tx, place, "other.c", "ferry", 2)
    with pytest.raises(UsageError, match=r"other\.c#ferry, sea\.c#ferry"):
        await anchors.resolve(parts.state, place, "ferry")


async def test_an_anchored_rule_follows_its_code_to_another_file(
    parts: Parts, tmp_path: Path
) -> None:
    root = tmp_path / "project"
    root.mkdir()
    code = "def ferry():\n    return 1\n"
    (root / "a.py").write_text(code)
    place = await register(parts, root)
    async with parts.state.transaction() as tx:
        await index_symbol(tx, place, "a.py", "ferry", 2)
    await add(parts, Rule("no-boats", "No boats.", scope="project", anchor="a.py#ferry"), place)
    memory = parts.knowledge.memory
    assert await memory.anchored(place)
    assert [one.label for one in await memory.at(place, "a.py", 2)] == ["no-boats"]
    assert await memory.at(place, "a.py", 9) == []

    (root / "a.py").unlink()
    (root / "b.py").write_text(code)
    async with parts.state.transaction() as tx:
        await tx.execute("DELETE FROM files")
        await tx.execute("DELETE FROM documents")
        await index_symbol(tx, place, "b.py", "ferry", 2)
    assert await memory.code_changed(place, frozenset(("a.py", "b.py")))
    (rule,) = await memory.at(place, "b.py", 1)
    assert rule.place is not None
    assert (rule.place.path, rule.place.state, rule.needs_review) == ("b.py", "ok", False)

    (root / "b.py").unlink()
    async with parts.state.transaction() as tx:
        await tx.execute("DELETE FROM files")
        await tx.execute("DELETE FROM documents")
    await memory.code_changed(place, frozenset(("b.py",)))
    (lost,) = await memory.listed(place.project_id, "project", place)
    assert lost.place is not None
    assert lost.place.state == "lost"


async def found(parts: Parts, query: str, scope: LibraryScope | None = None) -> list[str]:
    hits, _ = await parts.knowledge.document_search.find(
        query, scope or LibraryScope(None), limit=9
    )
    return [hit.tenant for hit, _ in hits]


async def test_a_folder_is_read_found_marked_restored_and_purged(
    parts: Parts, tmp_path: Path
) -> None:
    folder = tmp_path / "book"
    folder.mkdir()
    (folder / "one.md").write_text("# One\n\nThe walrus sings.\n")
    (folder / "two.md").write_text("# Two\n\nThe heron waits.\n")
    libraries = parts.knowledge.libraries
    await libraries.add(str(folder), "book", "sync", 0)
    await parts.carry_out()
    assert await found(parts, "walrus") == ["book.one"]
    (listed,) = await libraries.listed(None, packages=False, include_deleted=False)
    assert (listed.documents, listed.pieces, listed.mode) == (2, 2, "sync")

    (folder / "two.md").unlink()
    assert await parts.knowledge.scan() == 1
    await parts.carry_out()
    assert await found(parts, "heron") == []
    assert await parts.knowledge.scan() == 0

    await libraries.mark("book", deleted=True, purge=False, wait_ms=0)
    await parts.carry_out()
    assert await found(parts, "walrus") == []
    await libraries.mark("book", deleted=False, purge=False, wait_ms=0)
    await parts.carry_out()
    assert await found(parts, "walrus") == ["book.one"]
    await libraries.mark("book", deleted=True, purge=True, wait_ms=0)
    await parts.carry_out()
    assert await libraries.listed(None, packages=True, include_deleted=True) == []
    with pytest.raises(NotFoundError):
        await found(parts, "walrus", LibraryScope(None, library="book"))


async def test_a_document_of_a_project_is_seen_there_only(parts: Parts) -> None:
    facts = DocumentFacts("memo", "memo.tides", project_id="p1", content="The spring tide is high.")
    await parts.knowledge.libraries.ingest(facts, None, 0)
    await parts.carry_out()
    assert await found(parts, "tide", LibraryScope("p1")) == ["p1.memo.tides"]
    assert await found(parts, "tide", LibraryScope("p2")) == []
    assert await found(parts, "tide", LibraryScope(None, every=True)) == ["p1.memo.tides"]
    libraries = parts.knowledge.libraries
    same = {"path": None, "url": None, "content": "The spring tide is high."}
    assert await libraries.free_name("memo.tides", "p1", **same) == "memo.tides"
    other = {**same, "content": "The neap tide is low."}
    assert await libraries.free_name("memo.tides", "p1", **other) == "memo.tides-2"
    with pytest.raises(UsageError):
        await libraries.ingest(DocumentFacts("notes", "notes.x", content="x"), None, 0)


async def test_notes_are_read_as_they_change_and_go_with_their_files(parts: Parts) -> None:
    note = parts.knowledge.notes.folder() / "day.md"
    note.parent.mkdir(parents=True)
    note.write_text("# Day\n\nThe otter slept.\n")
    assert await parts.knowledge.scan() == 1
    await parts.carry_out()
    assert await found(parts, "otter", LibraryScope(None, notes=True)) == ["notes.day"]
    note.unlink()
    assert await parts.knowledge.scan() == 1
    assert await found(parts, "otter", LibraryScope(None, notes=True)) == []


async def test_sessions_past_retention_go_and_are_listed(parts: Parts, tmp_path: Path) -> None:
    transcripts = tmp_path / "transcripts"
    transcripts.mkdir()
    parts.settings.memory.transcripts.append(str(transcripts))
    for name, days in (("new", 1), ("old", 60)):
        path = transcripts / f"{name}.md"
        path.write_text(f"# {name}\n\nWe spoke of {name} puffins.\n")
        then = time.time() - days * DAY_S
        os.utime(path, (then, then))
    await parts.knowledge.scan()
    await parts.carry_out()
    sessions = LibraryScope(None, every=True, notes=True)
    assert len(await found(parts, "puffins", sessions)) == 2

    assert await parts.knowledge.maintain() == 1
    assert len(await found(parts, "puffins", sessions)) == 1
    (gone,) = await parts.knowledge.retention.evicting.evicted()
    assert (gone.kind, gone.reason, gone.returns) == ("sessions", "retention", True)
    usage = await parts.knowledge.retention.usage()
    assert usage.evicted == {"sessions": 1}
    assert usage.kinds["sessions"]["entries"] == 2
    assert [one.name for one in usage.projects] != []


async def test_commits_are_read_found_by_path_and_former_name_and_let_go(
    parts: Parts, repository: Path, commit: Callable[..., str], git: Callable[..., str]
) -> None:
    commit("Build the harbour", {"a.py": "one = 1\ntwo = 2\nthree = 3\n"})
    git("mv", "a.py", "b.py")
    renamed = commit("Rename the pier", {})
    newest = commit("Paint the lighthouse", {"c.py": "x = 1\n"})
    place = await register(parts, repository)
    history = parts.knowledge.history
    await history.request(place, 0)
    await parts.carry_out()
    assert await history.counts(place.project_id) == (3, 3, True)
    assert await history.is_current(place, newest)

    items, _ = await history.find(place.project_id, "lighthouse", CommitFilter(), limit=5)
    assert items[0][0].commit == newest
    of_file, _ = await history.find(place.project_id, "", CommitFilter(path="b.py"), limit=5)
    assert [item.subject for item, _ in of_file] == ["Rename the pier", "Build the harbour"]
    of_glob, _ = await history.find(place.project_id, "pier", CommitFilter(path="b*"), limit=5)
    assert [item.commit for item, _ in of_glob] == [renamed]
    nobody = CommitFilter(author="nobody")
    assert await history.find(place.project_id, "", nobody, limit=5) == ([], "")

    evicting = parts.knowledge.retention.evicting
    older = next(one for one in await evicting.kept() if one.id.startswith("history:"))
    from surveyor.knowledge.limits import Eviction

    await evicting.evict(Eviction(older.id, older.size, "size"))
    assert (await history.counts(place.project_id))[0] == 1
    (gone,) = await evicting.evicted()
    assert (gone.kind, gone.project_id) == ("history", place.project_id)


async def test_points_that_were_lost_are_made_again_and_those_of_nothing_dropped(
    parts: Parts,
) -> None:
    await add(parts, Rule("use-tabs", "Indent with tabs."))
    space = parts.knowledge.points.space("memory", "global")
    parts.vectors.drop(space)
    assert await parts.knowledge.reconcile() == 1
    assert parts.vectors.count(space) == 1
    async with parts.state.transaction() as tx:
        await tx.execute("DELETE FROM rules")
    assert await parts.knowledge.reconcile() == 0
    assert space not in parts.vectors.spaces()


async def test_a_write_that_failed_for_good_says_why_to_who_waits(parts: Parts) -> None:
    written = await parts.knowledge.memory.write(
        "add", Rule("use-tabs", "Indent with tabs."), None, frozenset(), 0
    )
    assert written.queue_id is not None
    leased = await queue.lease(parts.state, "test", 1, 0)
    async with parts.state.transaction() as tx:
        await queue.fail(tx, [(leased[0], "SurveyorError: no room")], retries=0)
    with pytest.raises(SurveyorError, match=r"^no room$"):
        await parts.knowledge.writes.wait([written.queue_id], 1.0)
