"""Candidates against a real state and a real store: what is looked for, and how often."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from surveyor.embedding.ngrams import signature
from surveyor.parsing.hashing import digest
from surveyor.search.candidates import CandidateFinder
from surveyor.search.exact_text import CandidateNgrams
from surveyor.search.query import understand
from surveyor.search.scope import (
    CANDIDATES,
    OTHERS,
    Conditions,
    GatheredCandidates,
    SearchInput,
    SearchTarget,
)
from surveyor.store.state import State
from surveyor.store.state.searched_chunks import with_signatures, with_texts
from surveyor.store.vectors.contract import Filter, Hit, Point, Space, Sparse
from surveyor.store.vectors.edge import EdgeStore

SPACE = Space("projects", "p", "m", 4)
PLACE = SearchTarget("c", "p", "/r", "r", None, SPACE)


class Counting(EdgeStore):
    """A store that says which looks were made."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.looks: list[Filter | None] = []

    def sparse(
        self, space: Space, vector: Sparse, limit: int, where: Filter | None = None
    ) -> list[Hit]:
        """Remember the filter."""
        self.looks.append(where)
        return super().sparse(space, vector, limit, where)


@pytest.fixture
async def state(tmp_path: Path) -> AsyncIterator[State]:
    opened = await State.open(tmp_path / "state.db")
    async with opened.transaction() as tx:
        await tx.execute("INSERT INTO projects (project_id, name) VALUES ('p', 'r')")
        await tx.execute("INSERT INTO checkouts (checkout_id, project_id, root) VALUES (?, ?, ?)",
                         ("c", "p", "/r"))  # fmt: skip
    yield opened
    await opened.close()


@pytest.fixture
def store(tmp_path: Path) -> Counting:
    return Counting(tmp_path / "vectors")


async def fill(state: State, store: EdgeStore, types: list[str], near: list[str]) -> None:
    """Documents of one chunk each; those in `near` first in both similarities."""
    points = []
    async with state.transaction() as tx:
        for number, kind in enumerate(near + types):
            point_id = f"00000000-0000-0000-0000-{number:012d}"
            path = f"{kind}/{number}.py"
            doc_id = await tx.insert(
                "INSERT INTO documents (project_id, path, content_hash, language, file_type,"
                " version) VALUES ('p', ?, ?, 'python', ?, 'v')",
                (path, digest(path.encode()), kind),
            )
            await tx.execute(
                "INSERT INTO files (checkout_id, path, size, mtime_ns, doc_id, status)"
                " VALUES ('c', ?, 1, 1, ?, 'indexed')",
                (path, doc_id),
            )
            await tx.execute(
                "INSERT INTO chunks (doc_id, ordinal, point_id, text_hash, kind, start_line,"
                " end_line, symbols) VALUES (?, 0, ?, ?, 'function', 1, 2, ?)",
                (doc_id, point_id, digest(path.encode()), f'["s{number}"]'),
            )
            weight = 1000.0 - number
            dense = np.array([1, number / 1000, 0, 0], np.float32)
            payload: dict[str, Any] = {
                "file_type": kind, "language": "python", "file_path": path,
            }  # fmt: skip
            points.append(Point(point_id, dense, Sparse((7,), (weight,)), payload))
        await tx.execute("UPDATE checkouts SET revision = revision + 1")
    store.upsert(SPACE, points)


async def gather(
    state: State,
    store: EdgeStore,
    finder: CandidateFinder | None = None,
    paths: tuple[str, ...] = (),
    text: str = "some words",
) -> GatheredCandidates:
    async def on_store(work: Callable[..., Any], *arguments: Any) -> Any:
        return work(*arguments)

    into = GatheredCandidates()
    sought = SearchInput(
        understand(text), np.array([1, 0, 0, 0], np.float32), Sparse((7,), (1.0,)),
        Conditions(paths=paths),
    )  # fmt: skip
    await (finder or CandidateFinder(state, store, on_store)).gather(PLACE, sought, (), into)
    return into


def kinds(into: GatheredCandidates) -> tuple[int, int]:
    """Hits of the sparse side: code, and the rest."""
    return len(into.sides["sparse", "main"]), len(into.sides["sparse", "other"])


async def test_one_look_where_most_is_code(state: State, store: Counting) -> None:
    await fill(state, store, ["code"] * 100 + ["test"] * 30, ["code", "test"] * 5)
    assert kinds(await gather(state, store)) == (CANDIDATES, 5)
    assert len(store.looks) == 1


async def test_two_looks_where_most_is_not_code(state: State, store: Counting) -> None:
    await fill(state, store, ["code"] * 60 + ["test"] * 100, [])
    assert kinds(await gather(state, store)) == (CANDIDATES, OTHERS)
    assert len(store.looks) == 2


async def test_a_look_in_vain_has_the_rest_at_least(state: State, store: Counting) -> None:
    """Most is code, but what is nearest is not: only code is looked for again."""
    await fill(state, store, ["code"] * 200, ["test"] * 60)
    assert kinds(await gather(state, store)) == (CANDIDATES, OTHERS)
    assert len(store.looks) == 2
    assert store.looks[1] == Filter(must={"file_type": ("code",)})


async def test_rows_come_as_they_were_written(state: State, store: Counting) -> None:
    await fill(state, store, ["code"], [])
    name = 'naïve "quoted" \\ \u2028'
    async with state.transaction() as tx:
        await tx.execute("UPDATE chunks SET symbol_name = ?", (name,))
        await tx.execute(
            """INSERT INTO symbols (doc_id, ordinal, name, name_lower, kind, container, start_line,
                 end_line, line, "column", end_column, signature)
               SELECT doc_id, 0, ?1, ?1, '', '', 1, 2, 1, 0, 1, ?2 FROM chunks""",
            (name, "a\tb\n"),
        )
        await tx.execute(
            "INSERT INTO texts (text_hash, text) SELECT text_hash, 'a text' FROM chunks"
        )
    (found,) = (await gather(state, store)).found.values()
    assert (found.row.symbol_name, found.row.text) == (name, None)
    (shown,) = with_signatures(state, with_texts(state, [found.row]))
    assert (shown.symbol_name, shown.signature, shown.text) == (name, "a\tb\n", "a text")
    (candidate,) = (await gather(state, store)).candidates()
    assert candidate.symbols == ("s0",)
    assert candidate.path == "code/0.py"


async def test_a_glob_is_matched_again_when_files_have_changed(
    state: State, store: Counting
) -> None:
    async def on_store(work: Callable[..., Any], *arguments: Any) -> Any:
        return work(*arguments)

    finder = CandidateFinder(state, store, on_store)
    await fill(state, store, ["code", "test"], [])
    for _ in range(2):
        found = (await gather(state, store, finder, ("code/",))).found.values()
        assert [each.row.path for each in found] == ["code/0.py"]
    async with state.transaction() as tx:
        await tx.execute("DELETE FROM files WHERE path = 'code/0.py'")
        await tx.execute("UPDATE files SET path = 'code/1.py' WHERE path = 'test/1.py'")
        await tx.execute("UPDATE documents SET path = 'code/1.py' WHERE path = 'test/1.py'")
    store.set_payload(SPACE, ["00000000-0000-0000-0000-000000000001"], {"file_path": "code/1.py"})
    found = (await gather(state, store, finder, ("code/",))).found.values()
    assert [each.row.path for each in found] == ["code/1.py"]


@pytest.mark.parametrize("defined", [False, True])
async def test_a_file_of_the_name_joins_where_nothing_defines_it(
    state: State, store: Counting, defined: bool
) -> None:
    last = CANDIDATES + OTHERS + 10
    await fill(state, store, ["code"] * last, [])
    async with state.transaction() as tx:
        for table in ("files", "documents"):
            await tx.execute(
                f"UPDATE {table} SET path = 'lib/s_0.py' WHERE path = ?", (f"code/{last - 1}.py",)
            )
        if defined:
            await tx.execute(
                "INSERT INTO symbols (doc_id, ordinal, name, name_lower, kind, container,"
                " start_line, end_line, line, column, end_column)"
                " SELECT doc_id, 0, 's0', 's0', 'function', '', 1, 2, 1, 0, 2 FROM documents"
                " WHERE path = 'code/0.py'"
            )
    found = (await gather(state, store, text="s0")).found.values()
    assert ("lib/s_0.py" in {each.row.path for each in found}) is not defined


async def test_texts_are_read_only_of_chunks_that_may_say_what_is_wanted(
    state: State, store: Counting
) -> None:
    await fill(state, store, ["says", "does-not", "unknown", "of-its-own"], [])
    async with state.transaction() as tx:
        said = {"says/0.py": "MAX_RETRIES", "does-not/1.py": "a", "of-its-own/3.py": "a"}
        for path, word in said.items():
            await tx.execute(
                "INSERT INTO document_ngrams (doc_id, bits)"
                " SELECT doc_id, ? FROM documents WHERE path = ?",
                (signature(f"{word} and other words".encode()), path),
            )
        await tx.execute(
            "INSERT INTO texts (text_hash, text) SELECT c.text_hash, 'a cell' FROM chunks c"
            " JOIN documents d USING (doc_id) WHERE d.path = 'of-its-own/3.py'"
        )
    rows = sorted(
        (each.row for each in (await gather(state, store)).found.values()), key=lambda r: r.doc_id
    )
    ngrams = CandidateNgrams(state)
    assert ngrams.may_say("max_retries", rows) == [True, False, True, True]
    assert ngrams.may_say("other words", rows) == [True] * 4
    assert ngrams.may_say("máx_retries", rows) == [True] * 4, "letters fold differently"
    (read,) = with_texts(state, rows[1:2])
    assert ngrams.may_say("max_retries", [read]) == [True], "its text is there"
