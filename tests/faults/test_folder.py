"""A folder that goes away while it is indexed: said, and what is known of it is kept."""

import json
import shutil
from pathlib import Path

import pytest

from tests.product import Product, until, write_tree


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_an_index_of_a_folder_that_vanishes_says_so_and_fails(
    surveyor: Product, tmp_path: Path, options: list[str]
) -> None:
    shop = write_tree(tmp_path / "shop")
    surveyor.run("engine", "start")
    surveyor.run("engine", "pause")
    waiting = surveyor.start("index", str(shop), *options)
    until(lambda: surveyor.json("queue", "stats")["pending"] == 6)
    shutil.rmtree(shop)
    surveyor.run("engine", "resume")
    printed, said = waiting.communicate(timeout=120)
    assert waiting.returncode == 3
    if options:
        assert json.loads(printed)["errors"] == [f"{shop} cannot be reached"]
    else:
        assert f"{shop} is gone" in said
