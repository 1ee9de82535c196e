"""A project's settings can be changed again, whatever they leave out of the index."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from surveyor.engine.process.live_settings import LiveSettings
from tests.product import Product, git, until, write_tree


def indexed_paths(surveyor: Product, shop: Path) -> set[str]:
    return set(surveyor.paths("total price of a cart", shop))


def skipped(surveyor: Product, shop: Path) -> dict[str, str]:
    listed = surveyor.json("status", str(shop), "--skipped")["skipped"]
    return {one["path"]: f"{one['reason']}: {one['detail']}" for one in listed}


HIDING: dict[str, Callable[[Path], None]] = {
    "patterns": lambda shop: _set(shop, 'patterns = ["*.md"]'),
    "ignore_patterns": lambda shop: _set(shop, 'ignore_patterns = ["*.py", "*.toml", ".*"]'),
    "everything": lambda shop: _set(shop, 'ignore_patterns = ["*"]'),
    "small": lambda shop: _set(shop, "", '[indexing]\nmax_file_size = "1"\n'),
}


def _set(shop: Path, line: str, more: str = "") -> None:
    (shop / "surveyor.toml").write_text(f"[watching]\n{line}\n{more}")


@pytest.mark.parametrize(
    ("hide", "undo"),
    [
        ("patterns", "rewritten"),
        ("patterns", "replaced"),
        ("ignore_patterns", "deleted"),
        ("everything", "rewritten"),
        ("small", "rewritten"),
    ],
)
def test_what_hides_its_own_file_can_be_undone(
    surveyor: Product, tmp_path: Path, hide: str, undo: str
) -> None:
    shop = write_tree(tmp_path / "shop")
    surveyor.index(shop)
    assert "shop/cart.py" in indexed_paths(surveyor, shop)
    HIDING[hide](shop)
    until(lambda: "shop/cart.py" not in indexed_paths(surveyor, shop))
    until(lambda: any(path in skipped(surveyor, shop) for path in ("shop/cart.py", "shop")))
    if undo == "rewritten":
        (shop / "surveyor.toml").write_text("")
    elif undo == "replaced":
        (shop / "new").write_text("# nothing\n")
        (shop / "new").replace(shop / "surveyor.toml")
    else:
        (shop / "surveyor.toml").unlink()
    until(lambda: "shop/cart.py" in indexed_paths(surveyor, shop))
    until(lambda: "shop/cart.py" not in skipped(surveyor, shop))


def test_what_patterns_leave_out_is_listed_with_the_pattern(
    surveyor: Product, tmp_path: Path
) -> None:
    shop = write_tree(tmp_path / "shop")
    (shop / ".surveyorignore").write_text("config.toml\n")
    (shop / "surveyor.toml").write_text(
        '[watching]\npatterns = ["*.py", "*.ts", "*.toml"]\nignore_patterns = ["tests/"]\n'
    )
    surveyor.index(shop)
    said = skipped(surveyor, shop)
    assert said["README.md"] == "excluded: watching.patterns does not name it"
    assert said["tests"] == "excluded: watching.ignore_patterns names it"
    assert said["config.toml"] == "excluded: `config.toml` (.surveyorignore:1) names it"
    assert "shop/cart.py" not in said
    (shop / "README.md").unlink()
    until(lambda: "README.md" not in skipped(surveyor, shop))


def test_rules_and_settings_that_git_or_they_themselves_leave_out_are_followed(
    surveyor: Product, tmp_path: Path
) -> None:
    shop = write_tree(tmp_path / "shop")
    git(shop, "init", "-q")
    (shop / ".gitignore").write_text("surveyor.toml\n.surveyorignore\n")
    surveyor.index(shop)
    (shop / ".surveyorignore").write_text("*.py\n.surveyorignore\n.gitignore\nsurveyor.toml\n")
    until(lambda: "shop/cart.py" not in indexed_paths(surveyor, shop))
    (shop / ".surveyorignore").write_text("\n")
    until(lambda: "shop/cart.py" in indexed_paths(surveyor, shop))
    _set(shop, 'ignore_patterns = ["*.py"]')
    until(lambda: "shop/cart.py" not in indexed_paths(surveyor, shop))
    (shop / "surveyor.toml").unlink()
    until(lambda: "shop/cart.py" in indexed_paths(surveyor, shop))


def test_a_link_to_settings_elsewhere_is_followed(surveyor: Product, tmp_path: Path) -> None:
    shop = write_tree(tmp_path / "shop")
    kept = tmp_path / "dotfiles.toml"
    kept.write_text('[watching]\nignore_patterns = ["*.py"]\n')
    (shop / "surveyor.toml").symlink_to(kept)
    surveyor.index(shop)
    assert "shop/cart.py" not in indexed_paths(surveyor, shop)
    kept.write_text("[watching]\n")
    until(lambda: "shop/cart.py" in indexed_paths(surveyor, shop))


def test_a_projects_broken_file_changes_nothing_and_is_named(
    surveyor: Product, tmp_path: Path
) -> None:
    shop = write_tree(tmp_path / "shop")
    good = '[watching]\nignore_patterns = ["tests/"]\n[indexing]\nmax_file_size = "2MB"\n'
    (shop / "surveyor.toml").write_text(good)
    surveyor.index(shop)
    for broken in (good + "[[[", good.replace('"2MB"', '"huge"'), good.replace("tests/", "te\ns")):
        (shop / "surveyor.toml").write_text(broken)
        status = until(lambda: _named(surveyor))
        assert any("surveyor.toml" in one or "huge" in one for one in status)
        assert any(
            not one["ok"] and one["check"] == "settings"
            for one in surveyor.json("doctor", "--no-measure")["findings"]
        )
        shown = surveyor.run("config", "show", cwd=shop)
        assert "warning: " in shown.stderr
        surveyor.run("reindex", str(shop))
        assert "tests" in skipped(surveyor, shop)
        surveyor.run("engine", "stop")
        surveyor.run("reindex", str(shop))
        assert "tests" in skipped(surveyor, shop)
        (shop / "surveyor.toml").write_text(good)
        until(lambda: not _named(surveyor))


def _named(surveyor: Product) -> list[str]:
    warnings: list[str] = surveyor.json("status")["knowledge"]["warnings"]
    return [one for one in warnings if "surveyor.toml" in one or "max_file_size" in one]


def test_where_questions_are_sent_counts_for_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "surveyor.toml"
    monkeypatch.setenv("SURVEYOR_CONFIG", str(file))
    live = LiveSettings()
    live.reload()
    file.write_text('[ask]\nendpoint = "http://localhost:9/v1"\n')
    assert live.settings.ask.endpoint is None
    assert live.ask.endpoint == "http://localhost:9/v1"
