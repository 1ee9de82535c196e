"""Two versions of Surveyor on one data folder, each a real copy of the package."""

import shutil
from pathlib import Path

from tests.product import SERVER, Product, product, until, write_tree


def version(folder: Path, name: str, protocols: tuple[int, int], home: Path) -> Product:
    """Another version: a copy of the package that speaks other protocols."""
    package = folder / name / "surveyor"
    shutil.copytree(SERVER / "surveyor", package, ignore=shutil.ignore_patterns("__pycache__"))
    (package / "__init__.py").write_text(f'__version__ = "{name}"\n')
    base = package / "protocol" / "base.py"
    text = base.read_text()
    for bound, number in zip(("MIN", "MAX"), protocols, strict=True):
        changed = text.replace(f"PROTOCOL_{bound} = 1\n", f"PROTOCOL_{bound} = {number}\n")
        assert changed != text or number == 1
        text = changed
    base.write_text(text)
    return Product(home, {"PYTHONPATH": str(package.parent)})


def engine(surveyor: Product) -> tuple[int, str]:
    said = surveyor.json("engine", "status")
    return said["pid"], said["version"]


def test_versions_that_understand_each_other_share_an_engine_whoever_started_it(
    tmp_path: Path,
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    shop = write_tree(tmp_path / "shop")
    newer = version(tmp_path, "9.9", (1, 2), home)
    with product(home) as current:
        for first, second in ((current, newer), (newer, current)):
            first.index(shop)
            started = engine(first)
            for _ in range(2):
                assert second.paths("total_price", shop)[0] == "shop/cart.py"
                assert first.paths("total_price", shop)[0] == "shop/cart.py"
            assert engine(second) == engine(first) == started
            first.run("engine", "stop")


def test_an_engine_gives_way_to_a_newer_client_alone_and_no_work_is_lost(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    shop = write_tree(tmp_path / "shop")
    newer = version(tmp_path, "9.9", (2, 2), home)
    with product(home) as current:
        current.run("engine", "start")
        current.run("engine", "pause")
        current.run("index", str(shop), "--no-wait")
        until(lambda: current.json("queue", "stats")["pending"] == 6)
        replaced, _ = engine(current)

        newer.run("engine", "resume")  # its first call ends the engine that it cannot speak to
        newer.settle(shop)
        pid, name = engine(newer)
        assert name == "9.9" and pid != replaced
        assert newer.paths("total_price", shop)[0] == "shop/cart.py"

        for _ in range(2):
            refused = current.run("search", "total_price", "--project", str(shop), check=False)
            assert refused.returncode == 4
            assert "9.9" in refused.stderr and "Update this Surveyor" in refused.stderr
            assert engine(newer) == (pid, "9.9")
        newer.run("engine", "stop")
