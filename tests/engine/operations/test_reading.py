"""Groups that read what is stored: each with a real state, and no engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from surveyor.engine.operations import Caller
from surveyor.engine.operations.chunks import ChunkOperations
from surveyor.engine.operations.passages import PassageOperations
from surveyor.engine.operations.queue import QueueOperations
from surveyor.engine.operations.secrets import SecretOperations
from surveyor.engine.operations.texts import IndexedTexts, TextOperations
from surveyor.errors import NotFoundError, UsageError
from surveyor.protocol.base import Freshness
from surveyor.protocol.engine import QueueRequest
from surveyor.protocol.passages import ChunksRequest, PassageRequest, PassagesRequest
from surveyor.protocol.search import RetrieveRequest
from surveyor.protocol.secrets import SecretsRequest
from surveyor.secrets import allowed
from surveyor.store.state import State, files, projects
from tests.engine.operations.conftest import (
    SOURCE,
    Background,
    Buffers,
    Folders,
    space_of,
)

CALL = Caller()


@pytest.fixture
def buffers() -> Any:
    return Buffers()


@pytest.fixture
def texts(state: State, folders: Folders, buffers: Any) -> TextOperations:
    registry: Any = folders
    return TextOperations(
        state,
        folders.resolve,
        folders.freshness,
        registry,
        buffers,
        IndexedTexts(state, buffers, folders.freshness),
    )


async def test_a_file_is_read_as_it_is_in_the_editor_else_on_disk(
    texts: TextOperations, buffers: Any, root: Path
) -> None:
    request = RetrieveRequest(path="pay.py", cwd=str(root), start_line=1)
    assert (await texts.retrieve(request, CALL)).text == SOURCE.rstrip("\n")
    buffers.shown["pay.py"] = ("typed", 3)
    answer = await texts.retrieve(request, CALL)
    assert (answer.text, answer.unsaved_version) == ("typed", 3)


async def test_a_chunk_is_read_by_its_id(texts: TextOperations) -> None:
    answer = await texts.retrieve(RetrieveRequest(id="chunk2"), CALL)
    assert (answer.path, answer.start_line, answer.end_line) == ("net/retry.py", 1, 2)
    with pytest.raises(NotFoundError):
        await texts.retrieve(RetrieveRequest(id="gone"), CALL)


@pytest.mark.parametrize(("path", "near"), [(".env", []), ("retry.py", ["net/retry.py"])])
async def test_what_is_not_indexed_is_not_read_and_what_is_near_is_named(
    texts: TextOperations, folders: Folders, root: Path, path: str, near: list[str]
) -> None:
    with pytest.raises(NotFoundError) as caught:
        await texts.retrieve(RetrieveRequest(path=path, cwd=str(root)), CALL)
    assert caught.value.details["near"] == near
    assert "--skipped" in caught.value.hint
    folders.fresh = Freshness(status="indexing")
    with pytest.raises(NotFoundError, match="so far" if near else "secret"):
        await texts.retrieve(RetrieveRequest(path=path, cwd=str(root)), CALL)


async def test_chunks_are_listed_by_what_is_stored_of_them(
    state: State, folders: Folders, root: Path
) -> None:
    group = ChunkOperations(state, folders.resolve, folders.freshness, space_of)

    async def paths(**filters: Any) -> list[str]:
        answer = await group.chunks(ChunksRequest(cwd=str(root), **filters), CALL)
        return [each.path for each in answer.results]

    assert await paths() == ["net/retry.py", "pay.py"]
    assert await paths(paths=["net/**"]) == ["net/retry.py"]
    assert await paths(languages=["py"], kinds=["function"], types=["code"], limit=1) == [
        "net/retry.py"
    ]
    assert await paths(kinds=["class"]) == []
    assert await paths(branch="topic") == ["pay.py"]


async def test_rules_documents_and_commits_are_read_by_metadata_and_id(
    state: State, folders: Folders, root: Path
) -> None:
    async with state.transaction() as tx:
        await tx.execute(
            """INSERT INTO rules (rule_id, label, content, tags, created_at, updated_at)
               VALUES ('r1', 'prefer-uv', 'Use uv.', '["python"]', '', '')"""
        )
        await tx.execute(
            """INSERT INTO library_documents (document_id, library, name, title, source, format,
               dated, created_at, updated_at) VALUES (1, 'book', 'book.one', 'One', 'web', 'md',
               0, '', '')"""
        )
        await tx.execute(
            """INSERT INTO library_pieces (document_id, point_id, ordinal, text)
               VALUES (1, 'd1', 0, 'first'), (1, 'd2', 1, 'second')"""
        )
    group = PassageOperations(state, folders.resolve, folders.freshness)
    where: dict[str, Any] = {"cwd": str(root)}
    rules = await group.list_passages(PassagesRequest(tags=["python"], **where), CALL)
    assert [each.path for each in rules.results] == ["rules/global/prefer-uv"]
    pieces = await group.list_passages(PassagesRequest(libraries=["book"], **where), CALL)
    assert [each.id for each in pieces.results] == ["d1", "d2"]
    with pytest.raises(UsageError):
        await group.list_passages(PassagesRequest(**where), CALL)
    assert (await group.passage(PassageRequest(id="r1"), CALL)).text == "Use uv."
    whole = await group.passage(PassageRequest(path="book.one", **where), CALL)
    assert whole.text == "first\nsecond"
    with pytest.raises(NotFoundError):
        await group.passage(PassageRequest(id="gone"), CALL)


async def test_failed_items_are_shown_tried_again_and_dropped(state: State) -> None:
    async with state.transaction() as tx:
        for key in ("ab1", "ab2", "cd"):
            await tx.execute(
                """INSERT INTO unified_queue (queue_id, idempotency_key, item_type, op, tenant_id,
                   collection, status) VALUES (?, ?, 'file', 'update', 'p1', 'projects', 'failed')
                """,
                (key, key),
            )
    woken: list[bool] = []
    group = QueueOperations(state, lambda: woken.append(True))
    shown = await group.queue(QueueRequest(action="show", queue_id="ab1"), CALL)
    assert [each.queue_id for each in shown.items] == ["ab1"]
    after = await group.queue(QueueRequest(action="retry", queue_id="ab"), CALL)
    assert after.counts == {"pending": 2, "in_progress": 0, "failed": 1} and woken
    after = await group.queue(QueueRequest(action="clean", failed=True), CALL)
    assert after.counts["failed"] == 0 and not after.items
    with pytest.raises(NotFoundError):
        await group.queue(QueueRequest(action="retry", queue_id="cd"), CALL)


async def test_masked_values_are_listed_without_being_said(
    state: State, folders: Folders, root: Path, tmp_path: Path
) -> None:
    value = "ghp_" + "a1B2" * 9
    (root / "pay.py").write_text(f'token = "{value}"\n')
    allowed.use(allowed.salted(tmp_path))
    unused: Any = None
    group = SecretOperations(
        state,
        tmp_path,
        folders.resolve,
        folders.all,
        count_stale=unused,
        scan=unused,
        writing=unused,
        mask_anew=unused,
        wipe_when_settled=unused,
        spawn=Background(),
    )
    answer = await group.secrets(SecretsRequest(cwd=str(root)), CALL)
    assert [(each.path, each.line) for each in answer.secrets] == [("pay.py", 1)]
    assert value not in str(answer)


async def test_the_files_of_a_checkout_as_they_are_stored(state: State, root: Path) -> None:
    assert await files.file_state(state, "c1", ".env") == ("skipped", "secret")
    assert await files.file_state(state, "c1", "gone") is None
    assert await files.files_by_language(state, "c1") == [("python", 2)]
    assert await files.paths_containing(state, str(root), "RETRY", 5) == ["net/retry.py"]
    assert await projects.revision_at(state, str(root)) == 7
    assert await files.kept_branches(state, ["p1"]) == {"topic"}
    async with state.transaction() as tx:
        await files.mark_outdated(tx, "c1", ["pay.py"])
    rows = await state.read("SELECT path FROM documents WHERE version = ''")
    assert [row[0] for row in rows] == ["pay.py"]
