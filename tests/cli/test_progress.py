"""How far something is, where no line can change: on a pipe."""

from __future__ import annotations

from typing import Any, cast

import pytest

from surveyor.cli import progress
from surveyor.protocol.projects import IndexProgress


def test_a_pipe_hears_how_far_it_is_and_not_too_often(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = [100.0]
    monkeypatch.setattr("surveyor.cli.progress.time.monotonic", lambda: now[0])
    with progress.changing_line("looking") as say:
        for second in range(20):
            now[0] = 100.0 + second
            say(f"go 1/1  compiling ({second} s)\x1b[31m")
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.splitlines() == [
        f"go 1/1  compiling ({second} s)\\x1b[31m" for second in (2, 7, 12, 17)
    ]


def test_what_is_soon_over_says_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = [5.0]
    monkeypatch.setattr("surveyor.cli.progress.time.monotonic", lambda: now[0])
    with progress.changing_line("looking") as say:
        now[0] = 6.9
        say("pytest 1/1")
    assert capsys.readouterr().err == ""


def test_what_is_foreseen_is_said_once_and_stops_no_waiting(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its figures change with every file, and a slow machine needs long for the first."""
    now = [100.0]
    monkeypatch.setattr("surveyor.cli.progress.time.monotonic", lambda: now[0])

    class Engine:
        def call(self, _: object) -> IndexProgress:
            now[0] += 2 * progress.STANDSTILL_S
            seen = round(now[0])
            return IndexProgress(
                root="/r",
                run=1,
                phase="done" if seen > 160 else "indexing",
                files_total=9,
                files_done=0,
                chunks_done=0,
                embeddings_generated=0,
                elapsed_s=now[0],
                foreseen=f"needs {seen} MB",
            )

    assert len(list(progress._changes(cast(Any, Engine()), "/r", 1000.0))) == 4
    assert capsys.readouterr().err == "needs 120 MB\n"
