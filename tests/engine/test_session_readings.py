"""What sessions have read, without an engine."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import Any, cast

import pytest

from surveyor.engine import seen_files, session_readings
from surveyor.engine.edits.file_text import changed_spans
from surveyor.engine.index.unsaved_buffers import EditorBuffers
from surveyor.engine.projects.checkouts import Checkout
from surveyor.engine.session_readings import SessionReadings
from surveyor.errors import NotFoundError
from tests.engine.operations.conftest import checkout_at

UNUSED = cast("Any", None)


async def test_each_file_of_an_answer_is_read_once_and_what_cannot_be_read_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text("one = 1\ntwo = 2\nthree = 3\n")
    root = str(tmp_path)
    checkout = checkout_at(tmp_path)

    async def resolve(*, cwd: str | None = None, **_: object) -> Checkout:
        if cwd != root:
            raise NotFoundError("no such project", "")
        return checkout

    asked: Counter[str] = Counter()
    masked = session_readings._masked_text

    def counted(root: Path, path: str) -> str:
        asked[path] += 1
        return masked(root, path)

    monkeypatch.setattr(session_readings, "_masked_text", counted)
    readings = SessionReadings(cast("Any", resolve), EditorBuffers(UNUSED, UNUSED))
    places = [(root, "a.py", 1, 1), (root, "b.py", 2, 2), (root, "a.py", 3, 3)]
    await readings.saw("s", [*places, (root, "gone.py", 1, 1), ("/elsewhere", "a.py", 1, 1)])
    assert asked == {"a.py": 1, "b.py": 1, "gone.py": 1}
    assert await readings.stale("s") == []
    (tmp_path / "a.py").write_text("one = 1\ntwo = 2\nthree = 4\n")
    (tmp_path / "b.py").write_text("one = 9\ntwo = 2\nthree = 3\n")
    for name in ("a.py", "b.py"):
        os.utime(tmp_path / name, (1, 1))
    assert [each.path for each in await readings.stale("s")] == ["a.py"], "b's was not shown"


def test_a_text_is_compared_once_however_many_parts_of_it_are_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compared: list[int] = []

    def counted(old: list[str], new: list[str]) -> list[tuple[int, int, int, int]]:
        compared.append(len(old))
        return changed_spans(old, new)

    monkeypatch.setattr("surveyor.engine.seen_files.changed_spans", counted)
    before = [f"line {number}" for number in range(40)]
    now = [line if number % 2 else f"{line}!" for number, line in enumerate(before)]
    files, key = seen_files.SeenFiles(), ("/r", "a.py")
    files.saw(key, before, 1, 40, None)
    compared.clear()
    for first in range(1, 20, 4):
        files.saw(key, list(now), first, first + 1, None)
    assert len(compared) == 1
    change = files.show(key, list(now))
    assert len(compared) == 1
    assert change is not None and "-line 2" in change.diff and "-line 0" not in change.diff


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "latin-1"])
async def test_what_a_session_wrote_is_no_news_to_it_in_any_encoding(
    tmp_path: Path, encoding: str
) -> None:
    root = str(tmp_path)
    checkout = checkout_at(tmp_path)

    async def resolve(*, cwd: str | None = None, **_: object) -> Checkout:
        return checkout

    (tmp_path / "a.py").write_bytes("name = 'é'\nother = 1\n".encode(encoding))
    readings = SessionReadings(cast("Any", resolve), EditorBuffers(UNUSED, UNUSED))
    await readings.saw("s", [(root, "a.py", 1, 2)])
    written = "name = 'èé'\nother = 2\n"
    (tmp_path / "a.py").write_bytes(written.encode(encoding))
    readings.wrote("s", root, "a.py", written, [(1, 2)])
    assert await readings.stale("s") == []
    (tmp_path / "a.py").write_bytes(written.replace("2", "3").encode(encoding))
    os.utime(tmp_path / "a.py", (1, 1))
    assert [(each.path, each.by) for each in await readings.stale("s")] == [("a.py", "disk")]
