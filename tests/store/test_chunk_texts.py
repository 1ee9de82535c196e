"""A chunk's text is read from its document's lines, or from what is stored apart."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.embedding.embedded import Embedded, packed, unpacked
from surveyor.engine.index import catalog
from surveyor.engine.index.catalog import NewDocument
from surveyor.parsing.hashing import digest
from surveyor.parsing.stored_text import stored_text
from surveyor.parsing.types import Chunk, ParsedFile
from surveyor.store.state import State, chunk_rows, document_texts, documents
from surveyor.store.state.chunk_texts import DocumentLines
from surveyor.store.text_compression import compressed
from surveyor.worker.messages import Outcome

SAID = "def a():\r\n    return 'é'\r\n\r\ndef b(): ...\r\n"
LINES = [(1, 2, "def a():\n    return 'é'"), (4, 4, "def b(): ...")]


@pytest.fixture
async def state(tmp_path: Path) -> AsyncIterator[State]:
    opened = await State.open(tmp_path / "state.db")
    async with opened.transaction() as tx:
        await tx.execute("INSERT INTO projects (project_id, name) VALUES ('p', 'p')")
    yield opened
    await opened.close()


def document(chunks: Sequence[tuple[int, int, str]], *, stores: bool = True) -> NewDocument:
    """A file with these chunks (first line, last line, text)."""
    made = tuple(
        Chunk(kind="block", start_line=first, end_line=last, text=text)
        for first, last, text in chunks
    )
    outcome = Outcome("parsed", content_hash=b"h", model="m")
    outcome.parsed = ParsedFile("python", "code", made)
    outcome.text = stored_text(SAID.encode(), made) if stores else None
    outcome.vectors = [Embedded(digest(each.text.encode()), b"", b"", b"") for each in made]
    ids = catalog.point_ids("p", "a.py", outcome.vectors)
    return NewDocument("p", "a.py", outcome, ids)


async def stored(state: State, new: NewDocument) -> int:
    async with state.transaction() as tx:
        (doc_id,) = await catalog.insert_documents(tx, [new], "m", "v")
    return doc_id


async def apart(state: State) -> list[str]:
    return [row[0] for row in await state.read("SELECT text FROM texts ORDER BY text")]


async def texts(state: State, doc_id: int) -> list[str]:
    return [each.text for each in await documents.stored_chunks(state, [doc_id])]


async def test_lines_of_a_document_are_stored_once_and_what_is_none_of_them_apart(
    state: State,
) -> None:
    doc_id = await stored(state, document([*LINES, (4, 4, "b(): ...")]))
    assert await apart(state) == ["b(): ..."]
    assert await texts(state, doc_id) == [LINES[0][2], LINES[1][2], "b(): ..."]


async def test_chunks_of_a_document_whose_text_is_not_stored_keep_theirs(state: State) -> None:
    doc_id = await stored(state, document(LINES, stores=False))
    assert await texts(state, doc_id) == [text for *_, text in LINES]
    assert len(await apart(state)) == len(LINES)
    await stored(state, document(LINES))  # read again
    assert await apart(state) == []
    assert await texts(state, doc_id) == [text for *_, text in LINES]
    assert (await chunk_rows.document_text(state, doc_id)).startswith(
        "def a():\n    return 'é'\n\n"
    )


@given(st.text("a\né", max_size=30), st.integers(1, 12), st.integers(0, 12))
def test_lines_are_those_between_the_ends_of_lines(text: str, first: int, more: int) -> None:
    stored = compressed(text.encode())
    read = DocumentLines()
    said = [read(1, zlib.crc32(stored), first, first + more, stored) for _ in range(2)]
    assert said == ["\n".join(text.split("\n")[first - 1 : first + more])] * 2


def test_texts_are_kept_up_to_their_size_and_the_last_one_always() -> None:
    said = [bytes([65 + n]) * 60 for n in range(3)]
    stored = [compressed(each) for each in said]
    read = DocumentLines(kept_bytes=130)

    def is_kept(n: int) -> bool:
        return read(n, zlib.crc32(stored[n]), 1, 1, b"") is not None

    for n in range(3):
        assert read(n, zlib.crc32(stored[n]), 1, 1, stored[n]) == said[n].decode()
    assert [is_kept(n) for n in range(3)] == [False, True, True]
    large = compressed(b"x" * 500)
    read(9, zlib.crc32(large), 1, 1, large)
    assert read(9, zlib.crc32(large), 1, 1, b"") == "x" * 500
    assert not is_kept(2)


async def test_a_damaged_document_says_nothing(state: State) -> None:
    doc_id = await stored(state, document(LINES))
    async with state.transaction() as tx:
        await tx.execute("UPDATE document_texts SET text = x'00' || text")
    assert await texts(state, doc_id) == []
    async with state.transaction() as tx:
        await document_texts.delete_texts(tx, [doc_id])
    assert await texts(state, doc_id) == []


def test_a_remembered_vector_is_what_was_made_within_a_hundredth() -> None:
    rows = np.random.default_rng(1).normal(size=(20, 256)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    rows[3] = 0
    for row, remembered in zip(rows, packed(rows), strict=True):
        again = unpacked(remembered, 256)
        assert len(remembered) == 258
        assert np.abs(again - row).max() < 0.01 * max(np.abs(row).max(), 1e-9) or not row.any()
        assert packed(again[None])[0] == remembered, "made again of itself, it is the same"
        half = row.astype(np.float16)
        assert np.array_equal(unpacked(half.tobytes(), 256), half.astype(np.float32))
