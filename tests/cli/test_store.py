"""`surveyor store`, as far as it comes without a server."""

import os
import tomllib
from pathlib import Path

import pytest

from tests.faults.test_server_away import nobody_listens
from tests.product import Product, product, write_tree


@pytest.fixture
def user(tmp_path: Path) -> Product:
    """Somebody without an engine."""
    return Product(tmp_path / "home")


def test_what_cannot_be_moved_is_said_before_anything_ends(user: Product) -> None:
    user.home.mkdir()
    assert user.json("store", "move", "embedded") == {"moved": False, "store": "the embedded store"}
    for arguments, code, said in (
        (["move", "ftp://host"], 2, "is no address"),
        (["move", nobody_listens()], 5, "does not answer"),
        (["clear", "embedded"], 2, "is in use"),
    ):
        done = user.run("store", *arguments, check=False)
        assert (done.returncode, said in done.stderr) == (code, True), done.stderr
    user.extra["QDRANT_URL"] = "http://elsewhere:6333"
    done = user.run("store", "move", "embedded", check=False)
    assert done.returncode == 2
    assert "QDRANT_URL is set" in done.stderr
    assert not user.engines()


@pytest.mark.skipif("QDRANT_URL" not in os.environ, reason="QDRANT_URL names no server")
def test_to_a_server_and_back(tmp_path: Path) -> None:
    url = os.environ["QDRANT_URL"]
    shop = write_tree(tmp_path / "shop")
    with product(tmp_path) as user:
        if "QDRANT_API_KEY" in os.environ:
            user.extra["QDRANT_API_KEY"] = os.environ["QDRANT_API_KEY"]
        user.index(shop)
        user.settle(shop)
        embedded = user.paths("total price of the cart", shop)
        moved = user.json("store", "move", url)
        assert moved["moved"]
        assert moved["copied"] == moved["points"] == 6
        settings = tomllib.loads(Path(user.run("config", "path").stdout.strip()).read_text())
        assert settings["qdrant"]["url"] == url
        assert user.paths("total price of the cart", shop) == embedded
        assert user.json("store", "move", url)["moved"] is False
        assert user.json("store", "clear", "embedded")["removed"] == moved["points"]
        (shop / "quokka.py").write_text("def quokka_smile():\n    return 1\n")
        assert user.paths("quokka_smile", shop, "--wait", "50")[0] == "quokka.py"
        back = user.json("store", "move", "embedded")
        assert back["copied"] == back["points"] > moved["points"]
        assert user.paths("quokka_smile", shop)[0] == "quokka.py"
        assert user.json("store", "clear", url)["removed"] == back["points"]
