"""A scan that cannot see something says so, and takes nothing from the index that is not gone."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.product import SERVER, SHOP, Product, git, product, until, write_tree

FAILING = """
import errno, os
listed = os.environ.get("FAILING_PLACES", "")

def failing(call, prefix=""):
    def instead(path=".", *args, **kwargs):
        try:
            with open(listed) as file:
                places = dict(line.rstrip("\\n").split("=") for line in file)
        except (OSError, ValueError):
            places = {}
        named = prefix + os.fspath(path) if isinstance(path, (str, os.PathLike)) else ""
        if named in places:
            number = getattr(errno, places[named])
            raise OSError(number, os.strerror(number), os.fspath(path))
        return call(path, *args, **kwargs)
    return instead

os.scandir, os.lstat = failing(failing(os.scandir), "list:"), failing(os.lstat)
"""
"""A disk that fails: what is named in a file cannot be looked at. (Tests may run as root, which no
permission stops.)"""


@pytest.fixture
def failing(tmp_path: Path) -> Iterator[tuple[Product, Path]]:
    """A product, and the file that says which places fail, as `path=EIO` a line."""
    (tmp_path / "patch").mkdir()
    (tmp_path / "patch" / "sitecustomize.py").write_text(FAILING)
    listed = tmp_path / "failing"
    with product(
        tmp_path / "home",
        PYTHONPATH=f"{SERVER}{os.pathsep}{tmp_path / 'patch'}",
        FAILING_PLACES=str(listed),
    ) as made:
        yield made, listed


def status(surveyor: Product, folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = surveyor.json("status", str(folder))["projects"][0]
    return found


def skipped(surveyor: Product, folder: Path) -> dict[str, str]:
    answer = surveyor.json("status", str(folder), "--skipped")
    return {each["path"]: each["reason"] for each in answer["skipped"]}


@pytest.mark.parametrize("with_git", [False, True])
def test_links_in_circles_are_skipped_and_the_rest_is_indexed(
    surveyor: Product, tmp_path: Path, with_git: bool
) -> None:
    folder = write_tree(tmp_path / "work")
    if with_git:
        git(folder, "init", "-q")
    (folder / "b1").symlink_to("b2")
    (folder / "b2").symlink_to("b1")
    (folder / "self").symlink_to("self")
    (folder / "up").symlink_to("..")
    (folder / "here").symlink_to(".")
    (folder / "nothing").symlink_to("nowhere")
    for number in range(1200):
        (folder / f"c{number:04}").symlink_to(f"c{number + 1:04}")
    report = surveyor.index(folder)
    assert report["files_indexed"] == len(SHOP)
    assert report["failure"] is None
    assert surveyor.paths("total price of a cart", folder)[0] == "shop/cart.py"
    assert surveyor.settle(folder)["files"] == len(SHOP)
    left_out = skipped(surveyor, folder)
    assert {left_out[name] for name in ("b1", "b2", "self", "up", "here", "nothing")} == {"symlink"}
    again = json.loads(surveyor.run("reindex", str(folder), "--clean", "--json").stdout)
    assert again["files_indexed"] == len(SHOP)


def test_names_and_depths_that_no_path_can_hold_are_skipped(
    surveyor: Product, tmp_path: Path
) -> None:
    folder = write_tree(tmp_path / "work")
    (folder / ("n" * 251 + ".py")).write_text("def long_named():\n    return 1\n")
    (folder / "two\nlines.py").write_text("def on_two_lines():\n    return 1\n")
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff\xfe.py")).write_text("x = 1\n")
    at = os.open(folder, os.O_RDONLY)
    try:
        for _ in range(5000):
            os.mkdir("d", dir_fd=at)
            below = os.open("d", os.O_RDONLY, dir_fd=at)
            os.close(at)
            at = below
    finally:
        os.close(at)
    try:
        report = surveyor.index(folder)
        assert report["files_indexed"] == len(SHOP) + 2
        assert surveyor.paths("long_named", folder)[0].startswith("nnn")
        reasons = skipped(surveyor, folder)
        assert "file_name" in reasons.values()
        assert any(p.startswith("d/d/d") and why == "unreadable" for p, why in reasons.items())
        assert surveyor.settle(folder)["files"] == len(SHOP) + 2
    finally:
        subprocess.run(["rm", "-rf", str(folder)], check=False)  # `rmtree` recurses


@pytest.mark.parametrize(
    "error",
    [
        "EIO",
        "EACCES",
        "ENAMETOOLONG",
        pytest.param("ESTALE", marks=pytest.mark.slow),
        pytest.param("ELOOP", marks=pytest.mark.slow),
    ],
)
def test_a_folder_that_cannot_be_read_keeps_what_was_indexed_in_it(
    failing: tuple[Product, Path], tmp_path: Path, error: str
) -> None:
    surveyor, listed = failing
    folder = write_tree(tmp_path / "work")
    surveyor.index(folder)
    surveyor.settle(folder)
    listed.write_text(f"{folder}/shop={error}\n")
    (folder / "README.md").unlink()
    report = json.loads(surveyor.run("reindex", str(folder), "--json").stdout)
    assert report["failure"] is None
    assert any("shop" in said and "could not be read" in said for said in report["errors"])
    now = status(surveyor, folder)
    assert (now["status"], now["reason"]) == ("uncertain", "unreadable")
    assert "shop" in now["message"]
    assert surveyor.paths("total price of a cart", folder)[0] == "shop/cart.py"
    assert "README.md" not in surveyor.paths("cards and invoices", folder)
    assert skipped(surveyor, folder)["shop"] == "unreadable"
    listed.unlink()
    (folder / "shop" / "retry.py").unlink()
    surveyor.run("reindex", str(folder))
    surveyor.settle(folder)
    assert "shop/retry.py" not in surveyor.paths("call_with_backoff", folder)
    assert "shop" not in skipped(surveyor, folder)


def test_a_file_that_cannot_be_looked_at_stays_indexed(
    failing: tuple[Product, Path], tmp_path: Path
) -> None:
    surveyor, listed = failing
    folder = write_tree(tmp_path / "work")
    surveyor.index(folder)
    surveyor.settle(folder)
    listed.write_text(f"{folder}/shop/cart.py=EIO\n")
    surveyor.run("reindex", str(folder))
    assert status(surveyor, folder)["status"] == "uncertain"
    assert surveyor.paths("total price of a cart", folder)[0] == "shop/cart.py"


@pytest.mark.parametrize("options", [(), ("--clean",)])
def test_a_scan_that_fails_keeps_the_index_and_says_so(
    failing: tuple[Product, Path], tmp_path: Path, options: tuple[str, ...]
) -> None:
    surveyor, listed = failing
    folder = write_tree(tmp_path / "work")
    surveyor.index(folder)
    surveyor.settle(folder)
    listed.write_text(f"list:{folder}=EIO\n")
    done = surveyor.run("reindex", str(folder), *options, check=False)
    assert done.returncode == 1
    assert "could not be looked through" in done.stderr
    assert "input/output error" in done.stderr
    now = status(surveyor, folder)
    assert (now["status"], now["reason"]) == ("uncertain", "scan_failed")
    assert now["files"] == len(SHOP)
    found = surveyor.search("total price of a cart", folder)
    assert found["results"][0]["path"] == "shop/cart.py"
    assert found["status"] == "uncertain"
    surveyor.kill_engine()
    found = surveyor.search("total price of a cart", folder)
    assert found["results"][0]["path"] == "shop/cart.py"
    assert found["status"] != "healthy"
    assert until(lambda: status(surveyor, folder)["reason"] == "scan_failed")
    listed.unlink()
    surveyor.run("reindex", str(folder))
    assert surveyor.settle(folder)["files"] == len(SHOP)


@pytest.mark.parametrize(
    "text", ['tool = "x"', "a = " + "[" * 50_000, ".".join("a" * 60_000) + " = 1", "tool = [[1]]"]
)
def test_a_settings_file_of_any_shape_empties_no_project(
    surveyor: Product, tmp_path: Path, text: str
) -> None:
    folder = write_tree(tmp_path / "work")
    surveyor.index(folder)
    for name in ("pyproject.toml", "surveyor.toml"):
        (folder / name).write_text(text)
    (folder / "package.json").write_text("[" * 50_000)
    (folder / "tsconfig.json").write_text('{"extends": "./tsconfig.json", "compilerOptions": []}')
    (folder / "Cargo.toml").write_text('package = "x"\nlib = 3')
    report = json.loads(surveyor.run("reindex", str(folder), "--clean", "--json").stdout)
    assert report["failure"] is None
    assert report["files_indexed"] >= len(SHOP)
    assert surveyor.paths("total price of a cart", folder)[0] == "shop/cart.py"
    surveyor.settle(folder)


def test_an_empty_folder_says_that_there_is_nothing_to_index(
    surveyor: Product, tmp_path: Path
) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    surveyor.index(folder)
    now = surveyor.settle(folder)
    assert now["reason"] == "nothing_to_index"
    assert "Nothing to index" in now["message"]
    (folder / "picture.png").write_bytes(b"\x89PNG\0")
    report = json.loads(surveyor.run("reindex", str(folder), "--json").stdout)
    assert "1 file is in" in report["nothing_indexed"]
    assert "left out: binary (1)" in report["nothing_indexed"]
    (folder / "code.py").write_text("def now_there():\n    return 1\n")
    surveyor.run("reindex", str(folder))
    assert surveyor.settle(folder)["reason"] is None


def test_a_folder_of_which_a_rule_leaves_out_everything_names_the_rule(
    surveyor: Product, tmp_path: Path
) -> None:
    folder = write_tree(tmp_path / "work")
    git(folder, "init", "-q")
    (folder / ".gitignore").write_text("# nothing of it\n*\n!.gitignore\n")
    rule = f"The rule `*` ({folder}/.gitignore:2) leaves out"
    assert rule in surveyor.run("index", str(folder)).stderr
    for asked in (
        ("search", "total price of a cart"),
        ("match", "def $F($$$A): $$$B"),
        ("def", "Cart"),
        ("map",),
    ):
        assert rule in surveyor.run(*asked, "-C", str(folder), check=False).stderr, asked
    (folder / ".gitignore").unlink()
    surveyor.run("reindex", str(folder))
    assert surveyor.settle(folder)["reason"] is None


def test_an_engine_is_not_healthy_before_it_has_looked(surveyor: Product, tmp_path: Path) -> None:
    folder = write_tree(tmp_path / "work")
    surveyor.index(folder)
    surveyor.settle(folder)
    for number in range(5):
        surveyor.kill_engine()
        name = f"made_while_it_was_away_{number}"
        (folder / "shop" / f"new_{number}.py").write_text(f"def {name}():\n    return 1\n")
        found = surveyor.search(name, folder)
        if f"shop/new_{number}.py" not in [each["path"] for each in found["results"]]:
            assert found["status"] != "healthy", found
        surveyor.settle(folder)
        assert surveyor.paths(name, folder)[0] == f"shop/new_{number}.py"
