"""A killed engine goes on with exact references where it was."""

from __future__ import annotations

import json
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

import psutil

from surveyor.graph.exact.enricher import BATCH
from tests.product import Product, until, write_tree
from tests.servers.support import make_fake

AT = {"line": 0, "character": 4}
NAMES = [f"task_{number}" for number in range(BATCH + 5)]


def asked(data: Path) -> dict[str, float]:
    """Definitions whose references a server has said, and when."""
    connection = sqlite3.connect(f"file:{data / 'state.db'}?mode=ro", uri=True)
    try:
        return dict(
            connection.execute(
                "SELECT n.name, x.asked_at FROM graph_exact x JOIN graph_nodes n USING (node_id)"
            ).fetchall()
        )
    finally:
        connection.close()


def agent(surveyor: Product, folder: Path) -> subprocess.Popen[str]:
    """An agent's session, which makes its folder active for as long as it lasts."""
    process = surveyor.start("mcp", cwd=folder, stdin=subprocess.PIPE)
    assert process.stdin is not None and process.stdout is not None
    hello: dict[str, Any] = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    for message in (
        {"id": 1, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
    ):
        process.stdin.write(json.dumps({"jsonrpc": "2.0"} | message) + "\n")
    process.stdin.flush()
    assert process.stdout.readline()
    return process


def test_a_killed_engine_asks_only_about_what_was_left(tmp_path: Path, surveyor: Product) -> None:
    folder = write_tree(
        tmp_path / "repo", {"tasks.py": "\n\n".join(f"def {n}():\n    pass" for n in NAMES)}
    )
    use = {"uri": (folder / "tasks.py").as_uri(), "range": {"start": AT, "end": AT}}
    fake = make_fake(
        tmp_path / "fake", {"answers": {"textDocument/references": [{"result": [use]}]}}
    )
    settings = Path(surveyor.run("config", "path").stdout.strip().splitlines()[0])
    settings.parent.mkdir(parents=True, exist_ok=True)
    command = ", ".join(json.dumps(part) for part in fake.spec.command)
    settings.write_text(
        f'[graph]\nenrich_share = 1.0\n[upstream.python]\nserver = "fake"\ncommand = [{command}]\n'
        'readiness = { kind = "immediate" }\n'
    )
    surveyor.index(folder)
    pid = surveyor.engine_pid()
    assert pid is not None
    engine = psutil.Process(pid)
    session = agent(surveyor, folder)
    until(lambda: asked(surveyor.data))
    session.kill()  # or it would have another one started
    session.wait()
    engine.kill()
    engine.wait()
    before = asked(surveyor.data)
    session = agent(surveyor, folder)
    try:
        until(lambda: len(asked(surveyor.data)) == len(NAMES))
    finally:
        session.kill()
        session.wait()
    after = asked(surveyor.data)
    assert after.keys() == set(NAMES)
    assert {name: after[name] for name in before} == before
