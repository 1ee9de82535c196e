"""What an engine loads before its first answer: after a crash every client waits for it."""

from __future__ import annotations

import subprocess
import sys

from starlette.applications import Starlette

from surveyor.engine.process.http import server_of
from surveyor.engine_lock import pause_after

NEEDED_LATER = (
    "surveyor.engine.agents.server",  # the SDK for agents, once the first agent is greeted
    "surveyor.engine.process.http",  # when somebody asks over HTTP
    "surveyor.graph.extract.extract",  # runs in workers
    "surveyor.graph.extract.file_bindings",
    "surveyor.graph.resolve.evaluate",
    "surveyor.graph.resolve.resolver",
    "surveyor.parsing.parse",
    "surveyor.servers.host",
    "surveyor.test_runner.runners.table",  # when tests are run or languages listed
    "pydantic_settings",  # with argparse and more: the SDK for agents has it
    "tree_sitter",
    "yaml",  # for a rule of ast-grep
)


def test_an_engine_starts_without_what_its_first_answers_do_not_need() -> None:
    code = "import sys, surveyor.engine.process.server; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "surveyor.engine.app" in loaded
    assert loaded.isdisjoint(NEEDED_LATER), sorted(loaded.intersection(NEEDED_LATER))


def test_what_serves_http_is_imported_beside_the_event_loop() -> None:
    """`serve` imports it on the loop, where each start held all others up for half a second."""
    assert server_of(Starlette()).config.loaded


def test_clients_look_less_often_for_an_engine_that_takes_long() -> None:
    pauses = [pause_after(waited) for waited in (0.0, 0.3, 1.0, 2.0, 30.0)]
    assert pauses == sorted(pauses) and pauses[0] == 0.02 and pauses[2] <= 0.05
    assert pauses[-1] == 0.15
