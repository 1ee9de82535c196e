"""The commands of docs/benchmarks.md, docs/retrieval.md and docs/graph.md start."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
BENCH = REPOSITORY / "tests" / "bench"
COMMANDS = sorted(
    ".".join(path.relative_to(REPOSITORY).with_suffix("").parts).removesuffix(".__main__")
    for path in BENCH.rglob("*.py")
    if path.name != "test_commands.py"
    and 'if __name__ == "__main__"' in path.read_text(encoding="utf-8")
)


def test_there_are_commands() -> None:
    assert {"tests.bench.questions", "tests.bench.retrieval", "tests.bench.scale"} <= {*COMMANDS}


@pytest.mark.parametrize("module", COMMANDS)
def test_a_command_says_what_it_takes(module: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", module, "--help"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "usage" in done.stdout.lower()
