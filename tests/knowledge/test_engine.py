"""Rules and documents through a real engine process, which is killed right after each write."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from surveyor.client.blocking import call
from surveyor.paths import runtime_dir
from surveyor.protocol.engine import StopRequest
from surveyor.protocol.knowledge import (
    LibraryIngestRequest,
    LibrarySearchRequest,
    MemoryListRequest,
    MemoryRecallRequest,
    MemoryWriteRequest,
    WriteWaitRequest,
)
from surveyor.protocol.projects import IndexRequest

KILLS = int(os.environ.get("SURVEYOR_KILLS", "10"))
"""Each costs one start of the engine."""
WAIT_MS = 300_000


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("SURVEYOR_DATA_DIR", str(tmp_path / "data"))
    yield tmp_path / "data"
    call(StopRequest())


@pytest.mark.timeout(600)
def test_rules_survive_kills_right_after_they_were_queued(data: Path) -> None:
    ids = []
    for number in range(KILLS):
        rule = MemoryWriteRequest(action="add", label=f"rule-{number:02}", content=f"Rule {number}")
        written = call(rule)
        pid = json.loads((runtime_dir(data) / "engine.json").read_text())["pid"]
        engine = psutil.Process(pid)
        engine.kill()
        assert written.status == "queued"
        ids.append(str(written.queue_id))
        engine.wait(WAIT_MS / 1000)
    assert call(WriteWaitRequest(queue_ids=ids, wait_ms=WAIT_MS)).status == "done"
    again = call(
        MemoryWriteRequest(action="add", label="rule-00", content="Rule 0", wait_ms=WAIT_MS)
    )
    assert again.status == "done"
    labels = [one.label for one in call(MemoryListRequest()).rules]
    assert labels == [f"rule-{number:02}" for number in range(KILLS)]
    found = call(MemoryRecallRequest(query="Rule 7", limit=2 * KILLS)).rules
    assert len({rule.label for rule in found}) == len(found) <= KILLS


def test_an_anchored_rule_follows_a_move_and_is_flagged_by_a_change(
    data: Path, tmp_path: Path
) -> None:
    root = tmp_path / "project"
    root.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    body = "def total(items):\n    result = 0\n    for item in items:\n        result += item\n"
    body += "    return result\n"
    (root / "a.py").write_text(body)
    call(IndexRequest(path=str(root), wait=True))
    add = MemoryWriteRequest(
        action="add", label="sum-rule", content="Totals never round", scope="project",
        cwd=str(root), anchor="total", wait_ms=WAIT_MS,
    )  # fmt: skip
    assert call(add).status == "done"

    (root / "a.py").unlink()
    (root / "b.py").write_text("X = 1\n\n\n" + body.replace("total", "add_up"))
    call(IndexRequest(path=str(root), wait=True))
    (rule,) = call(MemoryListRequest(cwd=str(root), scope="project")).rules
    assert rule.place is not None
    assert (rule.place.path, rule.place.symbol) == ("b.py", "add_up")
    assert not rule.needs_review

    (root / "b.py").write_text(body.replace("total", "add_up").replace("+= item", "-= item"))
    call(IndexRequest(path=str(root), wait=True))
    (rule,) = call(MemoryListRequest(cwd=str(root), scope="project")).rules
    assert rule.needs_review


def test_what_is_stored_is_found_by_meaning_with_its_place(data: Path) -> None:
    text = "# Caches\n\nThe cache forgets entries after ten minutes.\n"
    stored = call(LibraryIngestRequest(name="book.ch1.caches", content=text, wait_ms=WAIT_MS))
    assert stored.status == "done"
    (hit, *_) = call(
        LibrarySearchRequest(query="when are cache entries dropped", library="book")
    ).results
    assert (hit.tenant, hit.headings, hit.source) == ("book.ch1.caches", ["Caches"], "user_input")
    assert call(MemoryRecallRequest(query="anything")).rules == []
