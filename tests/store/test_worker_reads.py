"""What an index worker reads: by keys that tell one file from another, however many there are."""

from __future__ import annotations

import sqlite3
from collections import Counter
from pathlib import Path

import pytest

from surveyor.store import worker_reads
from surveyor.store.state import State


@pytest.fixture
async def filled(tmp_path: Path) -> Path:
    path = tmp_path / "state.db"
    await (await State.open(path)).close()
    connection = sqlite3.connect(path)
    connection.execute("INSERT INTO projects (project_id, name) VALUES ('p', 'p')")
    for number in range(50):
        connection.execute(
            "INSERT INTO documents (doc_id, project_id, path, content_hash, file_type, version)"
            " VALUES (?, 'p', ?, x'01', 'code', 'v')",
            (number, f"{number}.py"),
        )
        connection.execute(
            "INSERT INTO chunks (doc_id, ordinal, point_id, text_hash, kind, start_line, end_line)"
            " VALUES (?, 0, ?, ?, 'function', 1, 2)",
            (number, f"{number:08}", bytes([number])),
        )
    connection.commit()
    connection.close()
    return path


async def test_a_file_is_found_by_its_path_and_not_by_what_all_have(filled: Path) -> None:
    connection = worker_reads.open_for_reading(str(filled))
    asked: list[str] = []
    connection.set_trace_callback(asked.append)
    assert worker_reads.points_at(connection, "p", "7.py", "v") == Counter({b"\7": 1})
    assert not worker_reads.points_at(connection, "p", "7.py", "w")
    assert worker_reads.has_document(connection, "p", "7.py", b"\1", "v")
    assert not worker_reads.has_document(connection, "p", "77.py", b"\1", "v")
    connection.set_trace_callback(None)
    for sql in asked:
        plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}")]
        assert any("project_id=? AND path=?" in each for each in plan), plan
    connection.close()
