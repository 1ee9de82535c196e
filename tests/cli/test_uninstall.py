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


def test_what_is_not_ours_stays_in_a_shared_folder_and_so_does_what_links_point_to(
    surveyor: Product, tmp_path: Path
) -> None:
    surveyor.data.mkdir(parents=True)
    (surveyor.data / "thesis.tex").write_text("mine")
    (surveyor.data / "photos").mkdir()
    (surveyor.data / "photos" / "cat.png").write_text("mine")
    kept = tmp_path / "notes"
    kept.mkdir()
    (kept / "today.md").write_text("mine")
    (surveyor.data / "notes").symlink_to(kept)
    empty = surveyor.home / ".claude.json"
    empty.write_text('{"mcpServers": {}}')
    settings = tmp_path / "dotfiles.json"
    settings.write_text("{}\r\n")
    (surveyor.home / ".cursor").mkdir()
    (surveyor.home / ".cursor" / "mcp.json").symlink_to(settings)
    surveyor.index(write_tree(tmp_path / "shop"))
    for client in ("claude-code", "cursor"):
        surveyor.run("setup", client)
    assert f"{surveyor.data / 'thesis.tex'}  (not Surveyor's: it stays)" in (
        surveyor.run("uninstall", "--dry-run").stdout
    )
    surveyor.run("uninstall", "--yes")
    assert sorted(one.name for one in surveyor.data.iterdir()) == ["photos", "thesis.tex"]
    assert (surveyor.data / "photos" / "cat.png").exists()
    assert (kept / "today.md").read_text() == "mine"
    assert empty.read_text() == '{"mcpServers": {}}'
    assert (surveyor.home / ".cursor" / "mcp.json").is_symlink()
    assert settings.read_bytes() == b"{}\r\n"
    until(lambda: not surveyor.processes())
