"""Damaged shards: the state answers meanwhile, and they are made again by themselves."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.product import Product, until, write_tree


def truncated(folder: Path) -> None:
    for file in folder.rglob("*"):
        if file.suffix in (".dat", ".mmap") and file.stat().st_size > 4096:
            file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def emptied(folder: Path) -> None:
    for file in folder.rglob("*"):
        if file.is_file() and "segments" in file.parts:
            file.write_bytes(b"")


def removed(folder: Path) -> None:
    for each in folder.rglob("payload_storage"):
        shutil.rmtree(each)


def flipped(folder: Path) -> None:
    for file in folder.rglob("*.json"):
        file.write_bytes(bytes(byte ^ 0x55 for byte in file.read_bytes()))


def log_gone(folder: Path) -> None:
    for each in list(folder.rglob("wal")):
        shutil.rmtree(each)


def rubbish_in_the_log(folder: Path) -> None:
    for each in folder.rglob("wal/*"):
        each.write_bytes(b"\xa5" * 8192)


@pytest.mark.parametrize(
    ("harm", "killed"),
    [
        (truncated, True),
        (flipped, False),
        (log_gone, True),
        pytest.param(truncated, False, marks=pytest.mark.slow),
        pytest.param(emptied, True, marks=pytest.mark.slow),
        pytest.param(removed, False, marks=pytest.mark.slow),
        pytest.param(rubbish_in_the_log, False, marks=pytest.mark.slow),
    ],
)
def test_names_and_words_are_answered_while_a_shard_is_made_again(
    surveyor: Product, tmp_path: Path, harm: Any, killed: bool
) -> None:
    shop = write_tree(tmp_path / "shop")
    surveyor.index(shop)
    if killed:
        surveyor.kill_engine()
    else:
        surveyor.run("engine", "stop")
    harm(surveyor.data / "vectors" / "projects")
    engines = set()
    said = set()

    def complete() -> bool:
        answer = surveyor.search("total_price", shop)
        engines.add(surveyor.engine_pid())
        said.add((answer["status"], answer.get("reason")))
        assert [each["path"] for each in answer["results"]][:1] == ["shop/cart.py"]
        words = surveyor.search("customer wants to buy", shop, "--mode", "keyword")
        assert words["results"][0]["path"] == "shop/cart.py"
        return bool(words["status"] == "healthy")

    until(complete)
    assert len(engines) == 1, "the engine survives"
    project = surveyor.settle(shop)
    assert project["status"] == "healthy"
    assert surveyor.run("doctor", "--no-measure", check=False).returncode == 0
