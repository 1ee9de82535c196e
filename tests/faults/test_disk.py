"""A full disk, a data folder that cannot be written: said, nothing lost, and it goes on after."""

import json
import os
import shutil
import subprocess
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
    assert surveyor.run("doctor", check=False).returncode == 1
    assert surveyor.paths("total_price", shop)[0] == "shop/cart.py"
    surveyor.run("config", "set", "storage.min_free_disk", "0")
    assert waiting.wait(120) == 0
    assert surveyor.paths("quokka_smile", shop)[0] == "quokka.py"


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Path:
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(command, capture_output=True).returncode:
        pytest.skip("only root may mount a small disk")
    return folder


def test_no_space_at_all_is_said(tiny_disk: Path, tmp_path: Path) -> None:
    shop = write_tree(tmp_path / "shop")
    try:
        (tiny_disk / "rest").write_bytes(bytes(60 << 10))
        with product(tmp_path, SURVEYOR_DATA_DIR=str(tiny_disk / "data")) as surveyor:
            done = surveyor.run("index", str(shop), check=False)
            assert done.returncode == 4
            assert "No space left" in done.stderr and "Free some space" in done.stderr
            said = json.loads(surveyor.run("doctor", "--json", check=False).stdout)["findings"]
            assert not next(f for f in said if f["check"] == "data")["ok"]
    finally:
        subprocess.run(["umount", "--lazy", str(tiny_disk)], check=False)


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
