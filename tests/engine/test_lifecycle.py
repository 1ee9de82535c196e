"""One engine per user and data folder: started, found, ended, killed."""

import os
import shutil
import signal
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from surveyor.cli.engine_end import end_engine
from surveyor.client.blocking import Client
from surveyor.engine_lock import is_held
from surveyor.errors import EngineUnavailableError
from surveyor.protocol.base import Request
from tests.product import DEADLINE_S, Product, product, until, write_tree


def test_two_starting_at_once_share_one_engine(surveyor: Product) -> None:
    starting = [surveyor.start("engine", "start") for _ in range(4)]
    said = [process.communicate(timeout=DEADLINE_S)[0] for process in starting]
    assert [process.returncode for process in starting] == [0] * 4
    assert len({text.rpartition("pid ")[2] for text in said}) == 1
    # One that lost the race may still be on its way out.
    until(lambda: len(surveyor.engines()) == 1)
    assert surveyor.engine_pid() is not None


def test_an_engine_runs_none_of_the_code_where_it_is_started(
    surveyor: Product, tmp_path: Path
) -> None:
    shop = write_tree(tmp_path / "shop", {"uvicorn.py": "raise RuntimeError('a project ran')\n"})
    assert surveyor.run("engine", "start", cwd=shop).returncode == 0
    assert surveyor.run("index", str(shop), cwd=shop).returncode == 0


def test_the_sockets_are_private(surveyor: Product) -> None:
    surveyor.run("engine", "start")
    folder = surveyor.runtime
    assert stat.S_IMODE(surveyor.data.stat().st_mode) == 0o700
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    for name in ("engine.sock", "session.sock"):
        assert stat.S_IMODE((folder / name).stat().st_mode) == 0o600


def test_sigterm_leaves_nothing_behind(surveyor: Product, tmp_path: Path) -> None:
    surveyor.index(write_tree(tmp_path / "shop"))
    pid = surveyor.engine_pid()
    assert pid is not None
    engine = psutil.Process(pid)
    os.kill(pid, signal.SIGTERM)
    engine.wait(DEADLINE_S)
    until(lambda: not surveyor.processes())
    assert not surveyor.runtime.exists() or not list(surveyor.runtime.iterdir())


def test_after_a_kill_a_new_engine_answers_the_same(surveyor: Product, tmp_path: Path) -> None:
    shop = write_tree(tmp_path / "shop")
    surveyor.index(shop)
    before = surveyor.paths("total price", shop)
    surveyor.kill_engine()
    assert surveyor.paths("total price", shop) == before
    surveyor.settle(shop)
    until(lambda: len(surveyor.engines()) == 1)


def test_an_idle_engine_ends_by_itself(tmp_path: Path) -> None:
    with product(tmp_path, SURVEYOR_ENGINE__IDLE_TIMEOUT="1s") as surveyor:
        surveyor.run("engine", "start")
        until(lambda: not surveyor.processes())


BROKEN = """
from surveyor.engine import app
from surveyor.engine.process import main

def broken(*parts):
    raise RuntimeError("a module that cannot be imported")

app.build_operations = broken
main.run()
"""


def test_an_engine_that_cannot_open_ends(tmp_path: Path) -> None:
    """Clients would start one after the other beside it."""
    made = Product(tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", BROKEN],
        env=made.environment,
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )
    assert done.returncode == 1
    assert "a module that cannot be imported" in done.stderr


def test_a_long_data_path_gets_a_short_socket(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 60) / ("e" * 60)
    with product(deep) as surveyor:
        shop = write_tree(tmp_path / "shop")
        surveyor.index(shop)
        assert surveyor.paths("total_price", shop)[0] == "shop/cart.py"
        folder = surveyor.runtime
        assert folder.parent != surveyor.data and (folder / "engine.sock").is_socket()
        surveyor.run("engine", "stop")
        until(lambda: not folder.exists())
        assert "serves" in surveyor.run("engine", "logs").stdout


def test_an_engine_that_ends_before_it_has_answered_is_waited_for_and_said_to_have_ended(
    surveyor: Product, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    surveyor.run("engine", "start")
    pid = surveyor.engine_pid()
    for name, value in surveyor.environment.items():
        monkeypatch.setenv(name, value)
    asked = Client.call

    def gone(client: Client, request: Request[Any]) -> Any:
        asked(client, request)
        raise EngineUnavailableError("the engine went away while it was asked")

    monkeypatch.setattr(Client, "call", gone)
    assert end_engine()
    assert f"The engine ({pid}) has ended" in capsys.readouterr().out
    assert not is_held(surveyor.runtime / "engine.lock")
    assert not end_engine()


def test_a_newer_schema_is_refused_with_a_hint(surveyor: Product, tmp_path: Path) -> None:
    import sqlite3

    surveyor.run("engine", "start")
    surveyor.run("engine", "stop")
    with sqlite3.connect(surveyor.data / "state.db") as connection:
        connection.execute("INSERT INTO schema_version (version) VALUES (9999)")
    done = surveyor.run("status", check=False)
    assert done.returncode == 4
    assert "newer Surveyor" in done.stderr and "Update" in done.stderr


@pytest.mark.parametrize(
    "left", [b"this is no database" * 1000, pytest.param(b"", marks=pytest.mark.slow), None]
)
def test_a_damaged_state_is_said_and_repaired_and_nothing_is_lost(
    surveyor: Product, tmp_path: Path, left: bytes | None
) -> None:
    shop = write_tree(tmp_path / "shop")
    surveyor.index(shop)
    surveyor.run("memory", "add", "--label", "kept", "--content", "Use uv", "--global")
    surveyor.run("engine", "stop")
    for suffix in ("", "-wal", "-shm"):
        (surveyor.data / f"state.db{suffix}").unlink(missing_ok=True)
    if left is not None:
        (surveyor.data / "state.db").write_bytes(left)
    done = surveyor.run("status", check=False)
    assert done.returncode == 4
    assert "doctor --repair" in done.stderr
    surveyor.run("doctor", "--no-measure", "--repair")
    surveyor.settle(shop)
    assert surveyor.paths("total_price", shop)[0] == "shop/cart.py"
    assert "Use uv" in surveyor.run("memory", "list").stdout
    assert surveyor.run("doctor", "--no-measure", check=False).returncode == 0


def test_damage_met_while_the_engine_runs_is_repaired_with_one_command(
    surveyor: Product, tmp_path: Path
) -> None:
    shop = write_tree(tmp_path / "shop")
    surveyor.index(shop)
    surveyor.run("engine", "stop")
    state = surveyor.data / "state.db"
    content = state.read_bytes()
    whole, page = len(content) // 4096, 4096
    # The tables can be found, and what they hold cannot be read.
    state.write_bytes(content[: 2 * page] + b"\xa5" * page * (whole - 2))
    surveyor.run("engine", "start", check=False)
    done = surveyor.run("status", check=False)
    assert done.returncode != 0 and "doctor --repair" in done.stderr
    assert "Traceback" not in done.stderr + surveyor.run("engine", "status", check=False).stderr
    surveyor.run("doctor", "--no-measure", "--repair")
    surveyor.settle(shop)
    assert surveyor.paths("total_price", shop)[0] == "shop/cart.py"


def test_lost_points_are_never_called_healthy(surveyor: Product, tmp_path: Path) -> None:
    shop = write_tree(tmp_path / "shop")
    surveyor.index(shop)
    surveyor.run("engine", "stop")
    shutil.rmtree(surveyor.data / "vectors" / "projects")

    def complete() -> bool:
        answer = surveyor.search("total price of the cart", shop)
        found = bool(answer["results"])
        assert found or answer["status"] != "healthy"
        return found

    until(complete)


def test_a_damaged_shard_is_made_again(surveyor: Product, tmp_path: Path) -> None:
    shop = write_tree(tmp_path / "shop")
    surveyor.index(shop)
    surveyor.run("engine", "stop")
    for file in (surveyor.data / "vectors").rglob("*"):
        if file.is_file() and "segments" in file.parts:
            file.write_bytes(b"rubbish")
    surveyor.run("doctor", "--no-measure", "--repair", check=False)
    assert surveyor.run("doctor", "--no-measure", check=False).returncode == 0
    assert surveyor.paths("total price of the cart", shop)[0] == "shop/cart.py"


def test_queued_work_survives_a_restart(surveyor: Product, tmp_path: Path) -> None:
    shop = write_tree(tmp_path / "shop")
    surveyor.run("engine", "start")
    surveyor.run("engine", "pause")
    surveyor.run("index", str(shop), "--no-wait")
    until(lambda: surveyor.json("queue", "stats")["pending"] == 6)
    surveyor.kill_engine()
    until(lambda: surveyor.json("status", str(shop))["projects"][0]["reason"] == "paused")
    assert surveyor.json("queue", "stats")["pending"] == 6, "a pause lasts until it is ended"
    surveyor.run("engine", "resume")
    surveyor.settle(shop)
    assert surveyor.paths("total_price", shop)[0] == "shop/cart.py"


def test_an_index_of_another_version_is_stale_until_it_is_rebuilt(
    surveyor: Product, tmp_path: Path
) -> None:
    import sqlite3

    shop = write_tree(tmp_path / "shop")
    surveyor.index(shop)
    surveyor.run("engine", "stop")
    with sqlite3.connect(surveyor.data / "state.db") as connection:
        connection.execute("UPDATE documents SET version = 'older'")
    surveyor.run("engine", "start")
    surveyor.run("engine", "pause")
    first = surveyor.search("total_price", shop)
    assert first["results"][0]["path"] == "shop/cart.py"
    surveyor.run("engine", "resume")
    surveyor.settle(shop)
    with sqlite3.connect(surveyor.data / "state.db") as connection:
        assert connection.execute(
            "SELECT count(*) FROM documents WHERE version = 'older'"
        ).fetchone() == (0,)


@pytest.mark.parametrize("restarted", [False, True])
def test_a_change_of_the_weights_reaches_points_whose_text_is_the_same(
    surveyor: Product, tmp_path: Path, restarted: bool
) -> None:
    shop = write_tree(tmp_path / "shop")
    surveyor.index(shop)

    def weight() -> float:
        found = surveyor.search("backoff", shop, "--mode", "keyword")["results"]
        return float(next(r["scores"]["sparse"] for r in found if r["path"] == "shop/retry.py"))

    before = weight()
    surveyor.run("config", "set", "search.b", "0")
    if restarted:
        surveyor.run("engine", "restart")
    until(lambda: weight() != pytest.approx(before))
    surveyor.settle(shop)
    assert surveyor.json("status", str(shop))["projects"][0]["status"] == "healthy"


def test_what_counts_from_the_next_start_is_said_to(surveyor: Product) -> None:
    assert "engine restart" in surveyor.run("config", "set", "engine.workers", "1").stdout
    assert "engine restart" not in surveyor.run("config", "set", "search.k1", "1.2").stdout


@pytest.mark.parametrize("forbidden", [True, False])
def test_an_engine_keeps_its_bytecode_where_python_may_write_none_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forbidden: bool
) -> None:
    from surveyor.engine.process import main

    monkeypatch.setattr(sys, "dont_write_bytecode", forbidden)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    main._keep_bytecode(tmp_path)
    assert sys.pycache_prefix == (str(tmp_path / "bytecode") if forbidden else None)
    assert not sys.dont_write_bytecode
