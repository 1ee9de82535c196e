"""After `kill -9` of the engine, agents are answered at once, rightly, and told what is not sure.

Three kills with two agents in CI; `SURVEYOR_KILLS=84 SURVEYOR_AGENTS=8 pytest -s` on this file is
the long form, and prints how long the first right answers took.
"""

from __future__ import annotations

import os
import random
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.faults.agents import Agent, kill
from tests.product import Product, product, until, write_tree

KILLS = int(os.environ.get("SURVEYOR_KILLS", "3"))
AGENTS = int(os.environ.get("SURVEYOR_AGENTS", "2"))
FILES = int(os.environ.get("SURVEYOR_FILES", "150"))
SEED = int(os.environ.get("SURVEYOR_SEED", "7"))


def module(number: int, version: int = 0) -> str:
    return f'"""Module {number}."""\n\n\n' + "\n\n".join(
        f"def task_{number}_{i}(value):\n"
        f'    """Task {i} of module {number}."""\n'
        f"    return helper_{(number + i) % 10}(value) * {i} + {version}\n"
        for i in range(6)
    )


def write_modules(folder: Path, count: int) -> Path:
    return write_tree(folder, {f"pkg_{n % 20}/module_{n}.py": module(n) for n in range(count)})


def is_answered(agent: Agent, right: str, since: float) -> bool:
    """Whether an agent has found a file with a question that it asked since then."""
    return any(each.asked >= since and right in each.paths for each in agent.said)


@pytest.mark.timeout(300 + 60 * KILLS)
def test_agents_are_answered_from_what_was_indexed(surveyor: Product, tmp_path: Path) -> None:
    folder = write_modules(tmp_path / "work", FILES)
    surveyor.index(folder)
    surveyor.settle(folder)
    chance = random.Random(SEED)
    wanted = [chance.randrange(FILES) for _ in range(AGENTS)]
    agents = [Agent(surveyor, folder, f"task_{number}_3") for number in wanted]
    took: list[float] = []
    empty = 0
    try:
        for agent in agents:
            assert agent.search().paths
            agent.start()
        moments: list[Callable[[], object]] = [
            lambda: None,
            lambda: [
                (folder / f"pkg_{n % 20}" / f"module_{n}.py").write_text(module(n, 1))
                for n in range(0, FILES, 3)
            ],
            lambda: surveyor.run("reindex", str(folder), "--no-wait"),
        ]
        for number in range(KILLS):
            moments[number % len(moments)]()
            time.sleep(chance.uniform(0, 1.5))
            killed = kill(surveyor)
            for agent, sought in zip(agents, wanted, strict=True):
                right = f"pkg_{sought % 20}/module_{sought}.py"
                until(partial(is_answered, agent, right, killed))
                after = [each for each in list(agent.said) if each.asked >= killed]
                first = next(each for each in after if right in each.paths)
                took.append(first.answered - killed)
                empty += sum(1 for each in after if not each.paths and not each.error)
                for each in after:
                    assert each.paths or each.status != "healthy", each
            time.sleep(1.2)
    finally:
        for agent in agents:
            agent.close()
    errors = {each.error for agent in agents for each in agent.said if each.error}
    sys.stderr.write(
        f"\n{KILLS} kills, {AGENTS} agents, {FILES} files: right after"
        f" {statistics.median(took):.1f} s in the middle, {max(took):.1f} s at most;"
        f" {empty} empty answers; errors: {sorted(errors)[:5]}\n"
    )
    assert not empty
    assert all("call again" in error for error in errors), errors
    surveyor.settle(folder)


@pytest.mark.timeout(1800)
def test_an_engine_that_lives_for_seconds_only_finishes_an_index(tmp_path: Path) -> None:
    """Each life brings it on: what one has read is not read again by the next."""
    life_s, count = float(os.environ.get("SURVEYOR_LIFE_S", "4")), 2 * FILES
    with product(tmp_path / "home", SURVEYOR_ENGINE__WORKERS="1") as surveyor:
        folder = write_modules(tmp_path / "work", count)
        surveyor.run("index", str(folder), "--no-wait")
        done: list[int] = []
        for _ in range(60):
            time.sleep(life_s)
            kill(surveyor)
            project = surveyor.json("status", str(folder))["projects"][0]
            done.append(project["files"])
            if project["files"] == count:
                break
            assert project["status"] != "healthy", project
        sys.stderr.write(f"\n{count} files, {life_s:g} s a life: {done}\n")
        assert done[-1] == count and done == sorted(done), done
        assert surveyor.settle(folder)["files"] == count
