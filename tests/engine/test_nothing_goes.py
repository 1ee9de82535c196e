"""What the user stored outlives projects, drives and kills; only the user's command ends it."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.product import Product, git, until, write_tree

DAY_S = 86_400


def stored(surveyor: Product, shop: Path) -> None:
    """A rule with an anchor, a document and a note of a project, and a library."""
    surveyor.run(
        "memory", "add", "--label", "cart-rule", "--content", "Carts are immutable", "--anchor",
        "Cart", "--project", str(shop),
    )  # fmt: skip
    surveyor.run("memory", "add", "--label", "any-rule", "--content", "Be kind", "--global")
    surveyor.run(
        "library", "ingest", "-", "--name", "specs.wire", "--project", str(shop),
        input="# Wire\n\nFrames begin with a magic byte.\n",
    )  # fmt: skip
    (surveyor.data / "notes").mkdir(exist_ok=True)
    (surveyor.data / "notes" / "day.md").write_text("# Day\n\nThe aardvark came by.\n")
    surveyor.run("library", "refresh")


def all_there(surveyor: Product, shop: Path) -> bool:
    rules = surveyor.json("memory", "list", "--project", str(shop))["rules"]
    rules += surveyor.json("memory", "list", "--global")["rules"]
    cart = next((one for one in rules if one["label"] == "cart-rule"), None)
    wire = surveyor.json("library", "search", "magic byte", "--project", str(shop))["results"]
    note = surveyor.json("library", "search", "aardvark", "--notes", "--all")["results"]
    return bool(
        cart
        and (cart.get("place") or {}).get("path") == "shop/cart.py"
        and any(one["label"] == "any-rule" for one in rules)
        and any(one["tenant"].endswith("specs.wire") for one in wire)
        and any(one["path"].endswith("day.md") for one in note)
    )


def _remove(surveyor: Product, shop: Path) -> None:
    surveyor.run("projects", "remove", str(shop), "--yes")
    surveyor.index(shop)


def _purge(surveyor: Product, shop: Path) -> None:
    surveyor.run("watch", "disable", str(shop), "--purge")
    surveyor.run("watch", "enable", str(shop))


def _reindex(surveyor: Product, shop: Path) -> None:
    surveyor.run("reindex", str(shop), "--clean")


def _move(surveyor: Product, shop: Path) -> None:
    away = shop.with_name("elsewhere")
    shop.rename(away)
    surveyor.run("status", check=False)
    away.rename(shop)
    surveyor.run("reindex", str(shop))


def _forgotten(surveyor: Product, shop: Path) -> None:
    """Gone for longer than the grace, then back."""
    surveyor.run("config", "set", "watching.missing_grace", "0")
    surveyor.run("engine", "restart")
    away = shop.with_name("drive")
    shop.rename(away)
    until(lambda: any("cannot be reached" in f["message"] for f in doctor(surveyor)))
    away.rename(shop)
    surveyor.index(shop)


def doctor(surveyor: Product) -> list[dict[str, str]]:
    findings: list[dict[str, str]] = surveyor.json("doctor", "--no-measure")["findings"]
    return findings


@pytest.mark.parametrize(
    "happens",
    [
        _remove,
        _purge,
        _forgotten,
        pytest.param(_reindex, marks=pytest.mark.slow),
        pytest.param(_move, marks=pytest.mark.slow),
    ],
)
def test_what_was_stored_is_there_whatever_becomes_of_the_index(
    surveyor: Product, tmp_path: Path, happens: Callable[[Product, Path], None]
) -> None:
    shop = write_tree(tmp_path / "shop")
    git(shop, "init", "-q")
    surveyor.index(shop)
    stored(surveyor, shop)
    assert all_there(surveyor, shop)
    happens(surveyor, shop)
    until(lambda: all_there(surveyor, shop))


def test_a_shorter_grace_waits_and_a_broken_file_forgets_no_folder(
    surveyor: Product, tmp_path: Path
) -> None:
    surveyor.extra["SURVEYOR_ENGINE__IDLE_TIMEOUT"] = "8"  # maintenance comes every two seconds
    shop, other = write_tree(tmp_path / "shop"), write_tree(tmp_path / "other")
    surveyor.data.mkdir(parents=True)
    settings = surveyor.data / "surveyor.toml"
    settings.write_text('[watching]\nmissing_grace = "7d"\n')
    surveyor.index(shop)
    surveyor.index(other)
    until(lambda: in_force(surveyor).get("watching.missing_grace"))
    shop.rename(tmp_path / "away")
    until(lambda: any("cannot be reached" in one["message"] for one in doctor(surveyor)))
    with closing(sqlite3.connect(surveyor.data / "state.db", timeout=30)) as state, state:
        state.execute("UPDATE checkouts SET missing_since = '2020-01-01T00:00:00Z'"
                      " WHERE missing_since IS NOT NULL")  # fmt: skip
    for text in ('[watching]\nmissing_grace = "0"\n', "[watching]\nmissing_grace = "):
        settings.write_text(text)
        surveyor.run("engine", "restart")
        until(lambda: any(not one["ok"] and one["check"] in ("limits", "settings")
                          for one in doctor(surveyor)))  # fmt: skip
        for _ in range(4):
            surveyor.run("status")
        roots = {one["root"] for one in surveyor.json("projects", "list")["projects"]}
        assert str(shop) in roots


def in_force(surveyor: Product) -> dict[str, list[float]]:
    with closing(sqlite3.connect(surveyor.data / "state.db", timeout=30)) as state:
        rows = state.execute("SELECT key, value FROM settings WHERE key LIKE 'in_force:%'")
        return {key.removeprefix("in_force:"): json.loads(value) for key, value in rows}


def test_a_variable_of_one_shell_deletes_nothing(surveyor: Product, tmp_path: Path) -> None:
    minutes = tmp_path / "minutes"
    minutes.mkdir()
    (minutes / "old.md").write_text("# Old\n\nWe talked about quokkas.\n")
    old = (minutes / "old.md").stat().st_mtime - 40 * DAY_S
    os.utime(minutes / "old.md", (old, old))
    surveyor.data.mkdir(parents=True)
    (surveyor.data / "surveyor.toml").write_text(
        f'[memory]\nharvest = true\ntranscripts = ["{minutes}"]\n'
    )
    surveyor.run("library", "refresh")

    def found() -> bool:
        hits = surveyor.json("library", "search", "quokkas", "--notes", "--all")["results"]
        return any("quokkas" in one["snippet"] for one in hits)

    assert found()
    surveyor.run("engine", "stop")
    surveyor.extra["SURVEYOR_STORAGE__RETENTION"] = "1d"
    surveyor.extra["SURVEYOR_STORAGE__MAX_SIZE"] = "1"
    surveyor.run("library", "refresh")
    assert found()
    shown = surveyor.run("status")
    assert "pending: storage.retention goes from 90 days to 1 days" in shown.stderr
    assert "deletes 1 session " in shown.stderr
    surveyor.run("engine", "stop")
    surveyor.extra["SURVEYOR_STORAGE__RETENTION"] = "nonsense"
    surveyor.run("library", "refresh")
    assert found()
    surveyor.run("engine", "stop")
    surveyor.extra.clear()
    surveyor.run("library", "refresh")
    assert found() and "pending" not in surveyor.run("status").stderr
