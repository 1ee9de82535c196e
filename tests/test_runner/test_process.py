"""A runner's processes are ended with their children, however a run ends."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from surveyor.engine_lock import FileLock
from surveyor.test_runner.leftovers import LOCK, MARK, PREFIX, sweep
from surveyor.test_runner.process import Ended, _last_line, run_command
from surveyor.test_runner.run import (
    NOT_FETCHED,
    TAIL_LINE_CHARS,
    TAIL_LINES,
    RunProgress,
    _tail,
    progress_line,
    run_tests,
)
from surveyor.test_runner.stack_traces import within
from surveyor.test_runner.types import RunTarget

CHILDREN = "sleep 300 & echo $! > child; echo started; "


async def command(folder: Path, script: str, timeout_s: float, told: list[str]) -> Ended:
    async def tell(line: str) -> None:
        told.append(line)

    return await run_command(
        ("/bin/sh", "-c", script),
        cwd=folder,
        env=dict(os.environ),
        output=folder / "output",
        timeout_s=timeout_s,
        tell=tell,
    )


async def is_gone(folder: Path) -> bool:
    pid = int((folder / "child").read_text())
    for _ in range(100):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        await asyncio.sleep(0.02)
    return False


async def test_children_that_a_runner_leaves_are_ended(tmp_path: Path) -> None:
    ended = await command(tmp_path, CHILDREN + "exit 3", 30, [])
    assert (ended.how, ended.code, ended.text) == ("ended", 3, "started\n")
    assert await is_gone(tmp_path)


async def test_children_that_have_left_for_a_session_of_their_own_are_ended(tmp_path: Path) -> None:
    away = (
        "import os, time; os.setsid(); open('child', 'w').write(str(os.getpid())); time.sleep(300)"
    )
    waits = "while [ ! -s child ]; do sleep 0.02; done"
    script = f'( "{sys.executable}" -c "{away}" & ) ; {waits}'
    assert (await command(tmp_path, script, 30, [])).how == "ended"
    assert await is_gone(tmp_path)


def test_what_a_killed_engine_left_is_swept_and_nothing_else(tmp_path: Path) -> None:
    left, held, young, linked = (tmp_path / f"{PREFIX}{name}" for name in "abcd")
    for folder in (left, held, young):
        folder.mkdir()
        (folder / "report.xml").write_text("")
    linked.symlink_to(held)
    for folder in (left, held):
        os.utime(folder, (1, 1))
    lock = FileLock(held / LOCK)
    assert lock.acquire()
    os.utime(held, (1, 1))
    kept = subprocess.Popen(["sleep", "300"], env={MARK: str(held)})
    lost = subprocess.Popen(["sleep", "300"], env={MARK: str(left)})
    try:
        sweep(tmp_path)
        assert lost.wait(30) != 0
        assert kept.poll() is None
        assert sorted(tmp_path.iterdir()) == [held, young, linked]
    finally:
        kept.kill()
        kept.wait()
        lock.release()


async def test_a_runner_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    told: list[str] = []
    ended = await command(tmp_path, CHILDREN + "wait", 0.1, told)
    assert ended.how == "timeout"
    assert ended.text == "started\n"
    assert await is_gone(tmp_path)


async def test_cancelling_ends_a_runner(tmp_path: Path) -> None:
    told: list[str] = []
    task = asyncio.create_task(command(tmp_path, CHILDREN + "wait", 300, told))
    while not told:
        await asyncio.sleep(0.02)
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()
    assert told[0].startswith("started")
    assert await is_gone(tmp_path)


async def test_a_program_that_is_not_there_is_said(tmp_path: Path) -> None:
    async def tell(line: str) -> None:
        raise AssertionError(line)

    ended = await run_command(
        ("/nowhere/runner",), cwd=tmp_path, env={}, output=tmp_path / "o", timeout_s=1, tell=tell
    )
    assert ended.how == "absent"


def test_what_is_shown_of_a_flood_is_short_and_says_so() -> None:
    shown = _tail(Ended("flood", 1, f"{'y' * 1_000_000}\n" * 50))
    assert len(shown) < (TAIL_LINES + 1) * (TAIL_LINE_CHARS + 2)
    assert "was ended" in shown


async def test_what_would_have_to_be_fetched_is_said_with_the_command(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / "go.mod").write_text("module a")
    (root / "a_test.go").write_text("func TestA(t *T) {}")
    program = tmp_path / "bin" / "go"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho 'a.go:1: module lookup disabled by GOPROXY=off'; exit 1\n")
    program.chmod(0o755)

    async def tell(progress: RunProgress) -> None:
        pass

    env = {"PATH": f"{program.parent}:{os.environ['PATH']}"}
    (run,) = (await run_tests(root, [RunTarget("a_test.go")], env, 60, tell)).runs
    assert run.state == "broken"
    assert run.tail.startswith(f"{NOT_FETCHED}: go mod download, once, by hand.\n")


def test_a_file_that_a_compiler_names_from_the_top_of_a_workspace(tmp_path: Path) -> None:
    file = tmp_path / "rust" / "one" / "src" / "lib.rs"
    file.parent.mkdir(parents=True)
    file.touch()
    cwd = tmp_path / "rust" / "one"
    for said in ("src/lib.rs", "one/src/lib.rs", "rust/one/src/lib.rs"):
        assert within(said, tmp_path, cwd) == "rust/one/src/lib.rs"
    assert within("two/src/lib.rs", tmp_path, cwd) == ""


@pytest.mark.parametrize(
    ("printed", "said"),
    [
        (
            '{"Time":"2026-01-01T00:00:00Z","Action":"output","Package":"example.com/a/cmp",'
            '"Test":"TestDiff/Cyclic","Output":"    --- PA (9 s)',
            "cmp TestDiff/Cyclic (9 s)",
        ),
        ('{"Time":"2026-01-01T00:00:00Z","Action":"start","Package":"cmp"} (1 s)', "cmp (1 s)"),
        ("Compiling clap v4.6.9 (2 s)", "Compiling clap v4.6.9 (2 s)"),
        ("(3 s)", "(3 s)"),
        ("", ""),
    ],
)
def test_an_event_of_go_is_told_by_what_it_is_about(printed: str, said: str) -> None:
    assert progress_line(printed) == said


def test_what_a_runner_printed_last_is_without_its_commands_to_a_terminal(tmp_path: Path) -> None:
    printed = tmp_path / "output"
    printed.write_bytes(b"building\n 10 %\r\x1b[32m 20 %\x1b[0m\r\n\x1b[0m\x1b[0m")
    assert _last_line(printed) == "20 %"
