"""A full disk, a data folder that cannot be written: said, nothing lost, and it goes on after."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.product import Product, product, until, write_tree

MORE_THAN_THERE_IS = str(1 << 60)


def test_writing_stops_before_the_disk_is_full_and_goes_on_after(
    surveyor: Product, tmp_path: Path
) -> None:
    shop = write_tree(tmp_path / "shop")
    surveyor.index(shop)
    surveyor.run("config", "set", "storage.min_free_disk", MORE_THAN_THERE_IS)
    surveyor.run("engine", "restart")
    (shop / "quokka.py").write_text("def quokka_smile():\n    return 1\n")
    waiting = surveyor.start("reindex", str(shop))
    assert waiting.stderr is not None
    assert any("disk is nearly full" in line for line in waiting.stderr)

    def project() -> dict[str, object]:
        found: dict[str, object] = surveyor.json("status", str(shop))["projects"][0]
        return found

    until(lambda: project()["reason"] == "disk_full" and project()["files_behind"] == 1)
    assert project()["status"] == "uncertain"
    assert surveyor.run("doctor", "--no-measure", check=False).returncode == 1
    assert surveyor.paths("total_price", shop)[0] == "shop/cart.py"
    surveyor.run("config", "set", "storage.min_free_disk", "0")
    assert waiting.wait(120) in (0, 5), "there is room within ten seconds, or it says why not"
    until(lambda: project()["files_behind"] == 0)
    assert surveyor.paths("quokka_smile", shop)[0] == "quokka.py"


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(command, capture_output=True).returncode:
        pytest.skip("only root may mount a small disk")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=False)


def fill(disk: Path) -> Path:
    """Take all that is free."""
    rest = disk / "rest"
    with rest.open("wb", buffering=0) as file, suppress(OSError):
        for size in (1 << 20, 1 << 12, 1):
            with suppress(OSError):
                while file.write(bytes(size)) == size:
                    pass
    return rest


def test_no_space_at_all_is_said(tmp_path: Path) -> None:
    shop = write_tree(tmp_path / "shop")
    with small_disk(tmp_path / "disk", "64k") as disk:
        fill(disk)
        with product(tmp_path, SURVEYOR_DATA_DIR=str(disk / "data")) as surveyor:
            done = surveyor.run("index", str(shop), check=False)
            assert done.returncode == 4
            assert "No space left" in done.stderr and "Free some space" in done.stderr
            said = json.loads(surveyor.run("doctor", "--no-measure", "--json", check=False).stdout)[
                "findings"
            ]
            assert not next(f for f in said if f["check"] == "data")["ok"]


def test_settings_that_have_no_room_are_said_by_name_and_are_what_they_were(tmp_path: Path) -> None:
    """Not as an answer that cannot be written: that one has room."""
    kept, other = tmp_path / "kept", tmp_path / "other"
    kept.mkdir()
    other.mkdir()
    with (
        small_disk(tmp_path / "disk", "64k") as disk,
        product(tmp_path, SURVEYOR_DATA_DIR=str(disk / "data")) as surveyor,
    ):
        surveyor.run("trust", str(kept))
        surveyor.run("config", "set", "engine.workers", "1")
        fill(disk)
        for name, arguments in {
            "trusted.json": ("trust", str(other)),
            "surveyor.toml": ("config", "set", "engine.workers", "2"),
        }.items():
            done = surveyor.run(*arguments, check=False)
            assert done.returncode != 0 and "Traceback" not in done.stderr
            assert f"{name} cannot be written: No space left" in done.stderr
        assert surveyor.run("trust", "--list").stdout.split() == [str(kept)]
        assert surveyor.json("config", "show")["settings"]["engine"]["workers"] == 1


def test_a_disk_that_others_fill_ends_nothing_and_nothing_is_lost(tmp_path: Path) -> None:
    shop = write_tree(tmp_path / "shop")
    with (
        small_disk(tmp_path / "disk", "240m") as disk,
        product(tmp_path, SURVEYOR_DATA_DIR=str(disk / "data")) as surveyor,
    ):
        (disk / "data").mkdir()
        surveyor.run("config", "set", "storage.min_free_disk", "0")
        surveyor.index(shop)
        engine = surveyor.engine_pid()
        rest = fill(disk)
        (shop / "quokka.py").write_text("def quokka_smile():\n    return 1\n")

        def reason() -> object:
            return surveyor.json("status", str(shop))["projects"][0]["reason"]

        until(lambda: reason() == "disk_full")
        assert surveyor.paths("total_price", shop)[0] == "shop/cart.py"
        assert surveyor.engine_pid() == engine
        surveyor.run("engine", "restart")
        until(lambda: reason() == "disk_full")
        assert surveyor.paths("total_price", shop)[0] == "shop/cart.py"
        (shop / "shop" / "retry.py").unlink()
        rest.unlink()
        until(lambda: "quokka.py" in surveyor.paths("quokka_smile", shop))
        until(lambda: "shop/retry.py" not in surveyor.paths("call_with_backoff", shop))
        surveyor.settle(shop)
        assert surveyor.run("doctor", "--no-measure", check=False).returncode == 0


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_data_folder_that_cannot_be_written_is_said(surveyor: Product, tmp_path: Path) -> None:
    shop = write_tree(tmp_path / "shop")
    surveyor.data.mkdir()
    surveyor.data.chmod(0o500)
    try:
        done = surveyor.run("index", str(shop), check=False)
        assert done.returncode == 4
        assert "cannot be written" in done.stderr and "SURVEYOR_DATA_DIR" in done.stderr
    finally:
        surveyor.data.chmod(0o700)


def test_what_cannot_be_written_is_searched_all_the_same(tmp_path: Path) -> None:
    shop = write_tree(tmp_path / "shop")
    with (
        small_disk(tmp_path / "disk", "240m") as disk,
        product(tmp_path, SURVEYOR_DATA_DIR=str(disk / "data")) as surveyor,
    ):
        (disk / "data").mkdir()
        surveyor.index(shop)
        surveyor.run("engine", "stop")
        command = ["mount", "-o", "remount,ro", str(disk)]
        if subprocess.run(command, capture_output=True).returncode:
            pytest.skip("the disk cannot be made read-only")
        answer = surveyor.search("total_price", shop)
        assert answer["results"][0]["path"] == "shop/cart.py"
        assert (answer["status"], answer["reason"]) == ("uncertain", "read_only")
        for arguments in (
            ("index", str(shop)),
            ("reindex", str(shop)),
            ("memory", "add", "--label", "l", "--content", "c", "--global"),
        ):
            done = surveyor.run(*arguments, check=False)
            assert done.returncode == 5, arguments
            assert "cannot be written" in done.stderr and "SURVEYOR_DATA_DIR" in done.stderr
        done = surveyor.run("trust", str(shop), check=False)  # asks no engine
        assert done.returncode == 1 and "cannot be written: Read-only" in done.stderr
        assert "Traceback" not in done.stderr
        surveyor.run("engine", "stop")


def test_waiting_for_a_pause_ends_with_the_reason(surveyor: Product, tmp_path: Path) -> None:
    shop = write_tree(tmp_path / "shop")
    surveyor.run("engine", "start")
    surveyor.run("engine", "pause")
    done = surveyor.run("index", str(shop), check=False)
    assert done.returncode == 5 and "paused" in done.stderr
    surveyor.run("engine", "resume")
    surveyor.settle(shop)


def test_an_index_is_opened_on_a_full_disk_or_said_not_to_be(tmp_path: Path) -> None:
    """Holes in mapped files cannot be filled then: whoever touches one is ended (SIGBUS)."""
    shop = write_tree(tmp_path / "shop")
    with (
        small_disk(tmp_path / "disk", "240m") as disk,
        product(tmp_path, SURVEYOR_DATA_DIR=str(disk / "data")) as surveyor,
    ):
        (disk / "data").mkdir()
        surveyor.run("config", "set", "storage.min_free_disk", "0")
        surveyor.index(shop)
        surveyor.kill_engine()
        (disk / "data" / "reserve").unlink(missing_ok=True)
        rest = fill(disk)
        engines = set()
        for _ in range(5):
            answer = surveyor.search("total_price", shop)
            assert answer["status"] != "healthy" or answer["results"]
            engines.add(surveyor.engine_pid())
        assert len(engines) == 1, "the engine survives"
        rest.unlink()
        until(lambda: surveyor.paths("total_price", shop)[:1] == ["shop/cart.py"])
