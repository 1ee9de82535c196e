"""SIGKILL at random points while indexing, editing and deleting: afterwards all is as from nothing.

Six kills in CI; `SURVEYOR_KILLS=200 pytest tests/faults` is the long form.
"""

from __future__ import annotations

import os
import random
import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest

from surveyor.store.state.chunk_texts import CHUNK_TEXT, LINES_OF, DocumentLines
from tests.product import Product, until, write_tree

KILLS = int(os.environ.get("SURVEYOR_KILLS", "6"))
FILES = 120
SEED = int(os.environ.get("SURVEYOR_SEED", "7"))


def module(number: int, version: int) -> str:
    functions = [
        f"def task_{number}_{i}_v{version}(value):\n"
        f'    """Task {i} of module {number}."""\n'
        f"    return value * {i} + {version}\n"
        for i in range(8)
    ]
    return f'"""Module {number}."""\nimport os\n\n\n' + "\n\n".join(functions)


def catalog(data: Path) -> tuple[dict[str, list[tuple[Any, ...]]], dict[str, int]]:
    """Chunks by path, and what must never be there."""
    connection = sqlite3.connect(f"file:{data / 'state.db'}?mode=ro", uri=True)
    connection.create_function(LINES_OF, 5, DocumentLines())
    try:
        rows = connection.execute(
            """SELECT f.path, c.ordinal, c.kind, c.start_line, c.end_line, c.symbol_name,
                 hex(c.text_hash), hex(t.text), hex(n.bits)
               FROM files f JOIN chunks c USING (doc_id)
               LEFT JOIN document_texts t USING (doc_id) LEFT JOIN document_ngrams n USING (doc_id)
               ORDER BY f.path, c.ordinal"""
        ).fetchall()
        wrong = {
            name: int(connection.execute(query).fetchone()[0])
            for name, query in {
                "documents nobody needs": """SELECT count(*) FROM documents d WHERE NOT EXISTS
                    (SELECT 1 FROM files f WHERE f.doc_id = d.doc_id) AND NOT EXISTS
                    (SELECT 1 FROM branch_files b WHERE b.doc_id = d.doc_id)""",
                "chunks without a document": """SELECT count(*) FROM chunks WHERE doc_id NOT IN
                    (SELECT doc_id FROM documents)""",
                "chunks without text": f"""SELECT count(*) FROM chunks c
                    WHERE {CHUNK_TEXT} IS NULL""",
                "documents without their whole text": """SELECT count(*) FROM documents WHERE doc_id
                    NOT IN (SELECT doc_id FROM document_texts JOIN document_ngrams USING (doc_id))
                    """,
                "whole texts without a document": """SELECT count(*) FROM document_texts
                    WHERE doc_id NOT IN (SELECT doc_id FROM documents)""",
                "doubled chunks": """SELECT count(*) FROM (SELECT doc_id, ordinal FROM chunks
                    GROUP BY doc_id, ordinal HAVING count(*) > 1)""",
                "queue items": "SELECT count(*) FROM unified_queue",
            }.items()
        }
    finally:
        connection.close()
    by_path: dict[str, list[tuple[Any, ...]]] = {}
    for path, *rest in rows:
        by_path.setdefault(path, []).append(tuple(rest))
    return by_path, wrong


@pytest.mark.timeout(1200 + 30 * KILLS)
def test_killed_at_random_points_the_index_equals_a_clean_build(
    surveyor: Product, tmp_path: Path
) -> None:
    chance = random.Random(SEED)
    folder = write_tree(
        tmp_path / "work", {f"pkg/module_{n}.py": module(n, 0) for n in range(FILES)}
    )
    surveyor.run("index", str(folder), "--no-wait")
    for kill in range(1, KILLS + 1):
        stop = threading.Event()
        editor = threading.Thread(target=_edit, args=(folder, kill, chance.random(), stop))
        editor.start()
        stop.wait(chance.uniform(0.05, 0.6))
        _kill_now(surveyor)
        editor.join()
        surveyor.run("reindex", str(folder), "--no-wait")
    surveyor.json("reindex", str(folder))
    surveyor.settle(folder)
    after, wrong = catalog(surveyor.data)
    assert not any(wrong.values()), wrong
    assert until(lambda: surveyor.run("doctor", "--no-measure", check=False).returncode == 0)
    surveyor.json("reindex", str(folder), "--clean")
    surveyor.settle(folder)
    clean, _ = catalog(surveyor.data)
    assert after == clean
    on_disk = {str(path.relative_to(folder)) for path in folder.rglob("*.py")}
    assert set(after) == on_disk


def _edit(folder: Path, version: int, seed: float, stop: threading.Event) -> None:
    chance = random.Random(seed)
    for number in chance.sample(range(FILES), 25):
        path = folder / "pkg" / f"module_{number}.py"
        if chance.random() < 0.15:
            path.unlink(missing_ok=True)
        else:
            path.write_text(module(number, version))
        stop.wait(0.005)


def _kill_now(surveyor: Product) -> None:
    """The engine and its workers, as the system would do it: without a word."""
    import psutil

    for process in surveyor.processes():
        try:
            if "run" in process.cmdline() or "surveyor.worker.main" in process.cmdline():
                process.kill()
                process.wait(10)
        except psutil.Error:
            continue
