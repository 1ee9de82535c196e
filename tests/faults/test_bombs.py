"""Files that cost a parser everything cost one worker, once, and nobody else anything.

Twelve in CI; `pytest -m slow tests/faults/test_bombs.py` is the long form.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.faults.bombs import DOCUMENTS, LONG, SHORT
from tests.product import Product, product, until, write_tree

LIMIT_BYTES = 512 << 20
SLACK_BYTES = 256 << 20
"""What may be filled between two looks at a worker, and what it has before it begins."""
SOURCE = 'def pay_invoice_{0}(amount):\n    """Pay an invoice."""\n    return amount + {0}\n'


class Watch:
    """The most memory that a worker of a product had."""

    def __init__(self, made: Product) -> None:
        self.most = 0
        self._made = made
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self) -> None:
        while not self._ended.wait(0.05):
            for process in self._made.processes():
                try:
                    if "surveyor.worker.main" in process.cmdline():
                        self.most = max(self.most, process.memory_info().rss)
                except psutil.Error:
                    continue

    def end(self) -> int:
        self._ended.set()
        self._thread.join()
        return self.most


def settled(made: Product, folder: Path, waits_s: float) -> dict[str, Any]:
    """The project once nothing is queued; asked again and again, the engine answers meanwhile."""

    def calm() -> dict[str, Any] | None:
        project: dict[str, Any] = made.json("status", str(folder))["projects"][0]
        return project if project["status"] == "healthy" else None

    project: dict[str, Any] = until(calm, waits_s)
    return project


def replaced(made: Product) -> int:
    log = "".join(path.read_text(errors="replace") for path in made.data.rglob("*.log"))
    return log.count("an index worker is replaced")


def explode(tmp_path: Path, bombs: dict[str, bytes], waits_s: float) -> None:
    folder = write_tree(tmp_path / "work", {f"m{n}.py": SOURCE.format(n) for n in range(20)})
    for name, data in bombs.items():
        (folder / name).write_bytes(data)
    with product(
        tmp_path / "home",
        SURVEYOR_ENGINE__WORKER_MEMORY=str(LIMIT_BYTES),
        SURVEYOR_INDEXING__FILE_TIMEOUT="10",
        SURVEYOR_INDEXING__MAX_FILE_SIZE="16MB",
    ) as made:
        watch = Watch(made)
        made.run("index", str(folder), "--no-wait")
        project = settled(made, folder, waits_s)
        assert watch.end() < LIMIT_BYTES + SLACK_BYTES
        assert project["failed"] == 0, "what breaks a worker is set aside, not tried again"
        listed = made.json("status", str(folder), "--skipped")["skipped"]
        aside = {each["path"]: each["detail"] for each in listed if each["reason"] == "worker"}
        assert set(aside) <= set(bombs)
        assert replaced(made) <= len(aside) + 2, "each costs one worker, or its graph one more"
        for number in (0, 19):
            assert f"m{number}.py" in made.paths(f"pay_invoice_{number}", folder)
        # The next engine knows what the last one has learnt.
        before = replaced(made)
        made.run("engine", "restart")
        made.run("reindex", str(folder))
        settled(made, folder, waits_s)
        assert replaced(made) == before
        still = made.json("status", str(folder), "--skipped")["skipped"]
        assert {each["path"] for each in still if each["reason"] == "worker"} == set(aside)
        if aside:  # and looks again at what has changed
            name = next(iter(aside))
            (folder / name).write_text("x\n")
            made.run("reindex", str(folder))
            settled(made, folder, waits_s)
            listed = made.json("status", str(folder), "--skipped")["skipped"]
            assert name not in {each["path"] for each in listed if each["reason"] == "worker"}


@pytest.mark.timeout(900)
def test_twelve_bombs_cost_a_worker_each_at_most(tmp_path: Path) -> None:
    explode(tmp_path, {name: make() for name, make in SHORT.items()}, 600)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_sixty_bombs_cost_a_worker_each_at_most(tmp_path: Path) -> None:
    assert len(LONG) >= 60
    explode(tmp_path, {name: make() for name, make in LONG.items()}, 3000)


def drop(tmp_path: Path, names: list[str]) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "good.md").write_text("# Refunds\n\nA refund is paid within ten days.\n")
    for name in names:
        (folder / name).write_bytes(DOCUMENTS[name]())
    with product(
        tmp_path / "home",
        SURVEYOR_ENGINE__WORKER_MEMORY=str(LIMIT_BYTES),
        SURVEYOR_INDEXING__FILE_TIMEOUT="10",
    ) as made:
        watch = Watch(made)
        made.run("library", "add", str(folder), "--name", "handbook", "--wait", "0")

        def done() -> bool:
            found = "ten days" in str(made.json("library", "search", "refund"))
            waiting = made.json("status")["queue"]
            return found and not (waiting["pending"] or waiting["in_progress"])

        until(done, 600)
        assert watch.end() < LIMIT_BYTES + SLACK_BYTES
        assert replaced(made) <= len(names)


@pytest.mark.timeout(900)
def test_documents_that_unpack_without_end_cost_a_worker_each_at_most(tmp_path: Path) -> None:
    drop(tmp_path, ["bomb.docx", "laughs.xhtml"])


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_all_documents_that_unpack_without_end_cost_a_worker_each_at_most(tmp_path: Path) -> None:
    drop(tmp_path, list(DOCUMENTS))
