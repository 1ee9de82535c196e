"""How far something is, where no line can change: on a pipe."""

from __future__ import annotations

import pytest

from surveyor.cli import progress


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
