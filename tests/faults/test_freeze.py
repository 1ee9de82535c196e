"""Whatever a repository, a user or a library does, the engine goes on answering, and ends."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.product import SERVER, Product, git, product, until, write_tree

LONG_NAME = "a" * 200 + "b.py"
STARS = "*a" * 25
"""Matched by backtracking, this against `LONG_NAME` takes longer than anybody lives."""
SOURCE = 'def pay_invoice(amount):\n    """Pay an invoice."""\n    return amount\n'

HANG = """
import asyncio, ctypes, os, re, subprocess, sys, time

def hang():
    from surveyor.engine.operations import operation
    from surveyor.engine.operations.index import IndexOperations
    from surveyor.protocol.projects import ProjectsRequest

    old = IndexOperations.projects

    async def projects(self, request, call):
        how = os.environ["TEST_HANG"]
        if how == "short":
            time.sleep(1.0)
        elif how == "native":
            ctypes.PyDLL(None).sleep(1)  # with the interpreter's lock
        elif how == "loop":
            time.sleep(3600)
        elif how == "thread":
            await asyncio.to_thread(time.sleep, 3600)
        elif how == "lock":
            re.match("(a*)*b", "a" * 60)
        elif how == "child":
            # As git does in the worst of cases: a group of its own, and deaf.
            command = "trap '' TERM HUP INT; echo $$ > $0; while :; do sleep 1; done"
            await asyncio.to_thread(
                subprocess.run,
                ["sh", "-c", command, os.environ["TEST_PID_FILE"]],
                start_new_session=True,
            )
        return await old(self, request, call)

    IndexOperations.projects = operation(ProjectsRequest)(projects)

if "run" in sys.argv and "engine" in sys.argv:
    hang()
"""


@pytest.fixture
def hanging(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Product]:
    """An engine that hangs when it is asked for its projects, in the way that a test says."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(HANG)
    with product(
        tmp_path / "home",
        PYTHONPATH=os.pathsep.join((str(tmp_path / "site"), str(SERVER))),
        TEST_HANG=request.param,
        TEST_PID_FILE=str(tmp_path / "pid"),
        SURVEYOR_ENGINE__REQUEST_TIMEOUT="2",
    ) as made:
        made.run("engine", "start")
        yield made


def is_gone(pid: int) -> bool:
    """Whether a process has ended, be it that nobody has asked how."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def log_of(made: Product) -> str:
    return "".join(path.read_text(errors="replace") for path in made.data.rglob("*.log"))


# --- globs --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".surveyorignore", STARS),
        (".surveyorignore", "/" + "**/*a" * 12),
        (".surveyorignore", "[ab]" + "*[!c]" * 25 + "x"),
        (".gitignore", STARS),
        ("surveyor.toml", f'[watching]\nignore_patterns = ["{STARS}"]\n'),
        ("surveyor.toml", f'[watching]\npatterns = ["*.py", "{STARS}"]\n'),
        (
            "surveyor.import_map.json",
            json.dumps({"targets": {STARS: "x.py"}, "expand": {STARS: [STARS]}}),
        ),
    ],
)  # fmt: skip
def test_a_repository_s_patterns_hang_nothing(
    surveyor: Product, tmp_path: Path, name: str, text: str
) -> None:
    folder = write_tree(
        tmp_path / "work",
        {name: text + "\n", LONG_NAME: SOURCE, "b.py": f"import {'a' * 180}\n{SOURCE}"},
    )
    surveyor.index(folder)
    assert "b.py" in surveyor.paths("pay invoice", folder)
    # The watcher matches by the same rules, in a thread of the engine.
    (folder / ("a" * 190 + "c.py")).write_text(SOURCE.replace("pay_invoice", "send_reminder"))
    assert until(lambda: "c.py" in "".join(surveyor.paths("send_reminder", folder)))


def test_what_a_user_asks_for_hangs_nothing(surveyor: Product, tmp_path: Path) -> None:
    folder = write_tree(tmp_path / "work", {LONG_NAME: SOURCE, "b.py": SOURCE})
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "Pay invoices")
    surveyor.index(folder)
    for glob in (STARS, "!" + STARS, "**/*a" * 12 + "x"):
        found = surveyor.search("pay invoice", folder, "--path", glob)
        assert "results" in found
    done = surveyor.run(
        "history", "search", "pay", "--path", STARS, "--project", str(folder), check=False
    )
    assert "No commit found" in done.stderr
    assert surveyor.paths("pay invoice", folder)


def test_patterns_without_end_are_refused_with_what_to_do(
    surveyor: Product, tmp_path: Path
) -> None:
    folder = write_tree(
        tmp_path / "work",
        {
            ".surveyorignore": f"left.py\n{'a' * 5000}\n{'*a' * 100}\n[z-a]\n",
            "left.py": SOURCE,
            "b.py": SOURCE,
        },
    )
    surveyor.index(folder)
    found = surveyor.paths("pay invoice", folder)
    assert "b.py" in found and "left.py" not in found
    skipped = {
        each["path"]: each["detail"]
        for each in surveyor.json("status", str(folder), "--skipped")["skipped"]
        if each["reason"] == "pattern"
    }
    assert set(skipped) == {".surveyorignore:2", ".surveyorignore:3", ".surveyorignore:4"}
    assert "longer than" in skipped[".surveyorignore:2"]
    done = surveyor.run(
        "search", "pay", "--project", str(folder), "--path", "*a" * 600, check=False
    )
    assert done.returncode == 2 and "longer than" in done.stderr


# --- deadlines, and what holds the loop ---------------------------------------------------


@pytest.mark.parametrize("hanging", ["thread"], indirect=True)
def test_a_request_ends_at_its_deadline_and_others_are_answered(hanging: Product) -> None:
    done = hanging.run("projects", "list", check=False)
    assert done.returncode == 1 and "not answered within 2 s" in done.stderr
    assert hanging.run("engine", "status").returncode == 0


@pytest.mark.parametrize("hanging", ["short"], indirect=True)
def test_the_log_says_what_held_the_event_loop(hanging: Product) -> None:
    hanging.run("projects", "list")
    said = until(lambda: [x for x in [log_of(hanging)] if "the event loop was held for" in x])[0]
    assert "by projects:" in said and "sitecustomize.py" in said


@pytest.mark.parametrize("hanging", ["native"], indirect=True)
def test_the_log_says_late_what_held_the_interpreter(hanging: Product) -> None:
    hanging.run("projects", "list")
    said = until(lambda: [x for x in [log_of(hanging)] if "the event loop was held for" in x])[0]
    assert "by projects:" in said or "kept the interpreter's lock" in said


@pytest.mark.parametrize("hanging", ["lock"], indirect=True)
def test_an_engine_whose_interpreter_is_held_is_named_and_ended(hanging: Product) -> None:
    _check_frozen(hanging)


@pytest.mark.parametrize("hanging", ["loop"], indirect=True)
def test_an_engine_whose_loop_is_held_is_named_and_ended(hanging: Product) -> None:
    _check_frozen(hanging)
    said = log_of(hanging)
    assert "the event loop has been held for" in said and "by projects:" in said


def _check_frozen(made: Product) -> None:
    pid = made.engine_pid()
    assert pid is not None
    asking = made.start("projects", "list")
    until(lambda: made.json("engine", "status").get("problem"))
    commands = (("engine", "status"), ("status",), ("engine", "start"), ("doctor", "--no-measure"))
    for command, asked in [(each, made.start(*each)) for each in commands]:
        text = "".join(asked.communicate(timeout=60))
        assert asked.returncode == 4, command
        assert f"process {pid}" in text and "engine run" in text and "since 20" in text, text
    said = made.run("engine", "stop")
    assert f"process {pid}" in said.stdout and "it was killed" in said.stdout
    until(lambda: is_gone(pid))
    asking.communicate(timeout=60)
    assert made.run("engine", "status", check=False).returncode == 3


# --- ending -------------------------------------------------------------------------------


@pytest.mark.parametrize("hanging", ["thread"], indirect=True)
def test_an_engine_ends_though_a_thread_hangs(hanging: Product) -> None:
    _ends(hanging)


@pytest.mark.parametrize("hanging", ["child"], indirect=True)
def test_an_engine_ends_with_what_it_started(hanging: Product, tmp_path: Path) -> None:
    asking = hanging.start("projects", "list")
    child = int(until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text()))
    said = _ends(hanging)
    assert f"sh ({child})" in said and "has ended, with" in said and "Still running" not in said
    until(lambda: is_gone(child))
    asking.communicate(timeout=60)


@pytest.mark.parametrize("hanging", ["thread"], indirect=True)
def test_an_engine_ends_by_a_signal_though_a_thread_hangs(hanging: Product) -> None:
    engine = psutil.Process(hanging.engine_pid())
    hanging.run("projects", "list", check=False)
    engine.send_signal(signal.SIGTERM)
    engine.wait(60)
    assert hanging.run("engine", "status", check=False).returncode == 3


def test_a_stopped_engine_is_ended(surveyor: Product) -> None:
    surveyor.run("engine", "start")
    pid = surveyor.engine_pid()
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    assert "it was killed" in surveyor.run("engine", "stop").stdout
    until(lambda: is_gone(pid))


def test_a_stopped_engine_keeps_no_hook_of_an_agent(surveyor: Product, tmp_path: Path) -> None:
    folder = write_tree(tmp_path / "work", {"pay.py": SOURCE})
    git(folder, "init", "-q")
    surveyor.index(folder)
    hooks = (("check", "--hook"), ("hint",), ("memory", "inject", "--hook"))
    event = {"tool_name": "Grep", "tool_input": {"pattern": "pay_invoice"}, "cwd": str(folder)}
    surveyor.run("memory", "add", "--global", "--label", "house", "--content", "Pay in time.")
    said = {hook: surveyor.run(*hook, cwd=folder, input=json.dumps(event)).stdout for hook in hooks}
    assert "Pay in time." in said[hooks[2]]
    pid = surveyor.engine_pid()
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    for hook in hooks:
        done = surveyor.run(*hook, cwd=folder, input=json.dumps(event))
        assert (done.stdout, done.stderr) == ("", ""), hook
    os.kill(pid, signal.SIGCONT)


def test_an_engine_ends_while_it_indexes_and_names_its_workers(
    surveyor: Product, tmp_path: Path
) -> None:
    folder = write_tree(tmp_path / "work", {f"m{n}.py": SOURCE * 50 for n in range(300)})
    surveyor.run("index", str(folder), "--no-wait")
    until(lambda: len(surveyor.processes()) > 1)
    _ends(surveyor)
    until(lambda: not surveyor.processes())


def _ends(made: Product) -> str:
    pid = made.engine_pid()
    assert pid is not None
    said = made.run("engine", "stop").stdout
    until(lambda: is_gone(pid))
    return said


def test_a_pipe_in_place_of_a_rule_file_is_no_rule_file(surveyor: Product, tmp_path: Path) -> None:
    folder = write_tree(tmp_path / "work", {"b.py": SOURCE, "in/c.py": SOURCE})
    os.mkfifo(folder / "in" / ".surveyorignore")  # nobody ever writes into it
    surveyor.index(folder)
    assert set(surveyor.paths("pay invoice", folder)) == {"b.py", "in/c.py"}


def test_stopping_says_that_nothing_runs(surveyor: Product) -> None:
    assert "No engine is running" in surveyor.run("engine", "stop").stdout


ENDLESS_COMPACTION = """
import sys, time

if "surveyor.store.vectors.compact" in sys.orig_argv:
    time.sleep(3600)
if "run" in sys.argv and "engine" in sys.argv:
    from surveyor.engine.index import post_index
    from surveyor.store.vectors import optimizing

    post_index.QUIET_S = 0.1
    optimizing.UNOPTIMIZED_POINTS = optimizing.UNOPTIMIZED_SHARE = 0
"""


def test_an_engine_ends_while_a_shard_is_made_compact_and_goes_on_with_it(tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(ENDLESS_COMPACTION)
    home = tmp_path / "home"
    home.mkdir()
    shop = write_tree(tmp_path / "shop")
    path = f"{SERVER}{os.pathsep}{site}"
    with product(home, PYTHONPATH=path) as surveyor:
        surveyor.index(shop)
        until(lambda: len(list(surveyor.data.glob("vectors/*/*/*/g-*"))) > 1)
        said = surveyor.run("engine", "stop").stdout
        assert "killed" not in said, "it has ended by itself, within what it is given"
        assert not surveyor.processes()
        (site / "sitecustomize.py").write_text(ENDLESS_COMPACTION.replace("3600", "0"))
        assert surveyor.paths("total_price", shop)[0] == "shop/cart.py"
        surveyor.index(shop)
        (counters,) = surveyor.data.glob("vectors/*/*/*/counters.json")
        until(lambda: json.loads(counters.read_text())["optimized_points"] > 0)
        until(lambda: len(list(surveyor.data.glob("vectors/*/*/*/g-*"))) == 1)
