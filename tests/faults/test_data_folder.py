"""A data folder that goes away beneath its engine, and who may read what is in it."""

import os
import shutil
import stat
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from tests.product import DEADLINE_S, Product, until, write_tree


def engine_of(surveyor: Product) -> psutil.Process:
    pid = surveyor.engine_pid()
    assert pid is not None
    return psutil.Process(pid)


@pytest.mark.parametrize(
    "how", ["deleted", "moved", pytest.param("replaced", marks=pytest.mark.slow)]
)
def test_an_engine_that_has_lost_its_folder_ends_and_says_so(
    surveyor: Product, tmp_path: Path, how: str
) -> None:
    shop = write_tree(tmp_path / "shop")
    surveyor.index(shop)
    engine = engine_of(surveyor)
    log = (surveyor.data / "logs" / "engine.log").open()
    moved = tmp_path / "moved"
    if how == "deleted":
        shutil.rmtree(surveyor.data)
    else:
        surveyor.data.rename(moved)
    if how == "replaced":
        surveyor.data.mkdir()
    engine.wait(DEADLINE_S)
    assert "deleted, moved or replaced" in log.read()
    log.close()
    surveyor.index(shop)
    assert surveyor.paths("total_price", shop)[0] == "shop/cart.py"
    until(lambda: len(surveyor.engines()) == 1)
    assert surveyor.run("doctor", "--no-measure", check=False).returncode == 0
    if how != "deleted":
        surveyor.run("engine", "stop")
        shutil.rmtree(surveyor.data)
        moved.rename(surveyor.data)
        assert surveyor.paths("total_price", shop)[0] == "shop/cart.py"


@pytest.mark.parametrize("name", ["engine.lock", "session.sock"])
def test_two_engines_never_share_a_folder(surveyor: Product, tmp_path: Path, name: str) -> None:
    surveyor.run("engine", "start")
    first = engine_of(surveyor)
    first.suspend()  # it cannot notice
    (surveyor.runtime / name).unlink()
    (surveyor.runtime / "session.sock").unlink(missing_ok=True)
    second = surveyor.run("engine", "run", check=False)
    assert "another engine" in second.stderr or second.returncode != 0 or not second.stdout
    assert [each.pid for each in surveyor.engines()] == [first.pid]
    first.resume()
    surveyor.run("engine", "start")
    until(lambda: len(surveyor.engines()) == 1)


def test_nobody_else_may_read_the_data_folder(surveyor: Product, tmp_path: Path) -> None:
    shop = write_tree(tmp_path / "shop")
    before = os.umask(0)
    try:
        (surveyor.data / "logs").mkdir(parents=True)
        (surveyor.data / "logs" / "engine.log").touch()
        (surveyor.data / "notes").mkdir()
        (surveyor.data / "notes" / "one.md").write_text("# One\n\nA note.\n")
        surveyor.index(shop)
        surveyor.run("memory", "add", "--label", "kept", "--content", "Use uv", "--global")
        surveyor.run("engine", "restart")
        assert surveyor.paths("total_price", shop)[0] == "shop/cart.py"
    finally:
        os.umask(before)
    wrong = {}
    for path in [surveyor.data, *surveyor.data.rglob("*")]:
        with suppress(FileNotFoundError):  # the engine is at work
            if stat.S_IMODE(mode := path.lstat().st_mode) & 0o077:
                wrong[str(path)] = oct(mode)
    assert not wrong
