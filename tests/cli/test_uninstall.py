"""`surveyor uninstall` shows what it would remove, then removes it and nothing else."""

import json
from pathlib import Path

from tests.product import Product, until, write_tree


def test_everything_of_ours_goes_and_nothing_else(surveyor: Product, tmp_path: Path) -> None:
    shop = write_tree(tmp_path / "shop")
    surveyor.index(shop)
    settings = surveyor.home / ".claude.json"
    settings.write_text('{"theme": "dark"}')
    surveyor.run("setup", "claude-code")
    assert "surveyor" in settings.read_text()
    for made in ("environments/editor/bin", "servers/basedpyright"):
        (surveyor.data / made).mkdir(parents=True)
        (surveyor.data / made / "python").write_text("#!/bin/sh\n")
    shown = surveyor.run("uninstall", "--dry-run").stdout
    assert str(surveyor.data) in shown and str(settings) in shown
    assert "environments that an editor has made" in shown
    assert "installed language servers" in shown
    assert surveyor.data.exists()
    surveyor.run("uninstall", "--yes")
    assert not surveyor.data.exists()
    assert json.loads(settings.read_text())["theme"] == "dark"
    assert "surveyor" not in settings.read_text()
    assert (shop / "shop" / "cart.py").exists()
    until(lambda: not surveyor.processes())  # a worker may still be on its way out
