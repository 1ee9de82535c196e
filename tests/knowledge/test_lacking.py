"""What has no points, or none that can be read, is found by its words, and that is said."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from tests.knowledge.parts import Parts, assemble, register

from surveyor.knowledge.anchors import AnchorFolder
from surveyor.knowledge.document_search import LibraryScope
from surveyor.knowledge.history.index import CommitFilter
from surveyor.knowledge.points import TextVectors
from surveyor.knowledge.rules import Rule


@pytest_asyncio.fixture
async def parts(tmp_path: Path, folder: Path) -> AsyncIterator[Parts]:
    made = await assemble(tmp_path / "data")
    try:
        await fill(made, folder)
        yield made
    finally:
        await made.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "harbour"
    made.mkdir()
    (made / "tide.md").write_text("# Tide\n\nThe ferry leaves at high tide.\n")
    (made / "crane.md").write_text("# Crane\n\nThe crane lifts twelve tons.\n")
    return made


async def fill(parts: Parts, folder: Path) -> None:
    for label, content in (("tabs", "Indent with tabs."), ("ferry", "Board the ferry early.")):
        await parts.knowledge.memory.write("add", Rule(label, content), None, frozenset(), 0)
    await parts.knowledge.libraries.add(str(folder), "harbour", "sync", 0)
    await parts.carry_out()


async def answers(parts: Parts) -> tuple[list[str], list[str], set[str]]:
    """Labels of rules, titles of documents, and what was said."""
    rules, of_rules = await parts.knowledge.memory.recall("ferry", None, "current", None, limit=5)
    documents, of_documents = await parts.knowledge.document_search.find(
        "ferry", LibraryScope(None), limit=5
    )
    found = [rule.label for rule, _ in rules], [hit.title for hit, _ in documents]
    return *found, {of_rules, of_documents}


async def test_what_has_no_points_is_found_by_its_words(parts: Parts) -> None:
    assert await answers(parts) == (["ferry"], ["Tide"], {""})
    for space in parts.vectors.spaces():
        parts.vectors.drop(space)
    rules, documents, said = await answers(parts)
    assert (rules, documents) == (["ferry"], ["Tide"])
    assert said == {
        "Found by words alone, not by meaning, until their points are made again: 2 pieces."
    }
    recall = parts.knowledge.memory.recall
    found = await recall("ferry", None, "current", None, limit=5, mode="semantic")
    assert found == ([], "Not found until their points are made again: 2 pieces.")
    assert await parts.knowledge.reconcile() == 4
    assert await answers(parts) == (["ferry"], ["Tide"], {""})


async def test_a_shard_that_cannot_be_read_hides_nothing(
    parts: Parts, tmp_path: Path, folder: Path
) -> None:
    await parts.close()
    for file in (tmp_path / "data" / "vectors").rglob("*"):
        if file.is_file() and "segments" in file.parts:
            file.write_bytes(b"")
    again = await assemble(tmp_path / "data")
    try:
        rules, documents, said = await answers(again)
        assert (rules, documents) == (["ferry"], ["Tide"])
        assert "" not in said
    finally:
        await again.close()


async def test_filters_hold_for_words_too(parts: Parts, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "ferry.md").write_text("# Other\n\nAnother ferry.\n")
    await parts.knowledge.libraries.add(str(other), "other", "sync", 0)
    await parts.carry_out()
    for space in parts.vectors.spaces():
        parts.vectors.drop(space)
    for library, title in (("harbour", "Tide"), ("other", "Other")):
        hits, said = await parts.knowledge.document_search.find(
            "ferry", LibraryScope(None, library=library), limit=5
        )
        assert [hit.title for hit, _ in hits] == [title]
        assert said


async def test_pieces_whose_points_are_being_made_are_found_meanwhile(parts: Parts) -> None:
    points = parts.knowledge.points
    for space in parts.vectors.spaces():
        parts.vectors.drop(space)
    made, go_on = points.embed_texts, asyncio.Event()
    begun = asyncio.Event()

    async def slowly(titles: Sequence[str], texts: Sequence[str]) -> list[TextVectors]:
        begun.set()
        await go_on.wait()
        return await made(titles, texts)

    points.embed_texts = slowly
    remaking = asyncio.create_task(parts.knowledge.reconcile())
    await begun.wait()
    rules, documents, said = await answers(parts)
    assert (rules, documents) == (["ferry"], ["Tide"])
    assert "" not in said
    go_on.set()
    await remaking
    assert await answers(parts) == (["ferry"], ["Tide"], {""})


async def test_commits_are_found_by_their_words(
    parts: Parts, repository: Path, commit: Callable[..., str]
) -> None:
    commit("Build the pier", {"a.py": "x = 1\n"})
    newest = commit("Paint the lighthouse", {"c.py": "x = 1\n"})
    place: AnchorFolder = await register(parts, repository)
    history = parts.knowledge.history
    await history.request(place, 0)
    await parts.carry_out()
    parts.vectors.drop(history.space(place.project_id))
    for asked in (CommitFilter(), CommitFilter(path="c.py")):
        found, said = await history.find(place.project_id, "lighthouse", asked, limit=5)
        assert [item.commit for item, _ in found] == [newest]
        assert said


def test_nothing_is_lacking_where_nothing_is_stored(tmp_path: Path) -> None:
    async def ask() -> Any:
        empty = await assemble(tmp_path / "data")
        try:
            return await answers(empty)
        finally:
            await empty.close()

    assert asyncio.run(ask()) == ([], [], {""})
