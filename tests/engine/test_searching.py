"""`[search]` while the engine runs: switches, a project's own file, expansion, a reranker."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from surveyor.config.rank_settings import RankSettings
from surveyor.embedding.dense import SHIPPED_FOLDER
from surveyor.search.pipeline import WEAK_RESULTS
from surveyor.search.rank import RRF_K
from tests.product import Product, until

Indexed = tuple[Product, Path]

QUERY = "total price of the cart"


@pytest.fixture
def alone(indexed: Indexed) -> Iterator[Indexed]:
    """The product without settings, before and after."""
    surveyor, shop = indexed
    yield indexed
    (surveyor.data / "surveyor.toml").write_text("# nothing\n")
    (shop / "surveyor.toml").unlink(missing_ok=True)
    until(lambda: "coherence" in parts(surveyor, shop) and "reranker" not in parts(surveyor, shop))


def results(surveyor: Product, shop: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = surveyor.search(QUERY, shop, "--explain")["results"]
    return found


def parts(surveyor: Product, shop: Path) -> set[str]:
    return {part["name"] for result in results(surveyor, shop) for part in result["explain"]}


def test_with_all_parts_off_in_the_projects_file_the_score_is_rank_fusion(alone: Indexed) -> None:
    surveyor, shop = alone
    before = parts(surveyor, shop)
    assert "coherence" in before
    off = "\n".join(f"{part} = false" for part in RankSettings.parts())
    (shop / "surveyor.toml").write_text(f"[search]\n{off}\n")
    assert parts(surveyor, shop) == {"dense", "sparse"}
    by_rank = {round(1 / (RRF_K + rank), 6) for rank in range(1, 60)}
    for result in results(surveyor, shop):
        assert all(round(part["value"], 6) in by_rank for part in result["explain"])
        total = sum(part["value"] for part in result["explain"])
        assert result["score"] == pytest.approx(total, abs=1e-6)


def test_a_weight_is_live(alone: Indexed) -> None:
    surveyor, shop = alone
    first = results(surveyor, shop)[0]["score"]
    surveyor.run("config", "set", "search.coherence_weight", "5")
    until(lambda: results(surveyor, shop)[0]["score"] > 2 * first)


def test_a_reranker_adds_its_part_and_may_be_missing(alone: Indexed) -> None:
    surveyor, shop = alone
    surveyor.run("config", "set", "search.reranker", str(SHIPPED_FOLDER))
    until(lambda: "reranker" in parts(surveyor, shop))
    for result in results(surveyor, shop):
        score = 0.0
        for part in result["explain"]:
            score = score + part["value"] if part["operation"] == "add" else score * part["value"]
        assert score == pytest.approx(result["score"], abs=1e-5)
    surveyor.run("config", "set", "search.reranker", "/nowhere/at/all")
    until(lambda: "reranker" not in parts(surveyor, shop))
    assert results(surveyor, shop)[0]["path"] == "shop/cart.py"


@pytest.mark.parametrize(
    ("way", "query", "path"),
    [
        ("synonyms", "run it after an exception", "shop/retry.py"),  # says ConnectionError
        ("feedback", "what the cart is", "shop/cart.py"),  # shares total_price with its test
    ],
)
def test_expansion_finds_more_words(alone: Indexed, way: str, query: str, path: str) -> None:
    surveyor, shop = alone

    def matched() -> float:
        found = surveyor.search(query, shop, "--mode", "keyword")["results"]
        return max((r["scores"]["sparse"] or 0.0 for r in found if r["path"] == path), default=0.0)

    before = matched()
    (shop / "surveyor.toml").write_text(f'[search]\nexpansion = "{way}"\n')
    assert matched() > before


def test_a_language_may_be_named_by_its_files(indexed: Indexed) -> None:
    surveyor, shop = indexed
    found = {
        name: [r["id"] for r in surveyor.search(QUERY, shop, "--language", name)["results"]]
        for name in ("python", "py", "Python", "markdown")
    }
    assert found["python"] and found["py"] == found["Python"] == found["python"]
    assert found["markdown"] != found["python"]


def test_a_definition_comes_before_a_heading_of_the_same_name(alone: Indexed) -> None:
    surveyor, shop = alone
    (shop / "a.md").write_text("# Cart\n\nWhat a customer wants to buy.\n")

    def cart() -> list[str]:
        items = surveyor.json("symbols", "Cart", "--project", str(shop))["results"]
        return [item["kind"] for item in items if item["name"] == "Cart"]

    try:
        until(lambda: "section" in cart())
        assert cart()[0] == "class"
    finally:
        (shop / "a.md").unlink()
    until(lambda: "section" not in cart())


BILLING = """
def fitted_price_length(prices, gaps):
    return sum(len(str(price)) for price in prices) + gaps


def show_prices(prices, gaps):
    narrow = fitted_price_length(prices, gaps)
    wide = fitted_price_length(prices, 2 * gaps)
    middle = fitted_price_length(prices, 1)
    return min(narrow, wide, middle, fitted_price_length([], gaps))


def look_after(child):
    status = child.wait()
    if status < 0:
        raise ChildProcessError(f"The till process received an unhandled signal {status}")


def apply_options(parser, options):
    return parser.seconds("shop.tillStore.openEvery", options)
"""


@pytest.mark.parametrize(
    ("query", "symbol"),
    [
        ("shop.tillStore.openEvery", "apply_options"),
        ("The till process received an unhandled signal pid 4711 SIGKILL (9)", "look_after"),
        ("price_len", "fitted_price_length"),
    ],
)
def test_what_a_text_says_of_a_place_is_found_there(
    alone: Indexed, query: str, symbol: str
) -> None:
    surveyor, shop = alone
    said = "The till process received an unhandled signal pid 4711"
    (shop / "tests" / "test_till.py").write_text(f"def test_it():\n    assert '{said}' in run()\n")
    (shop / "till.py").write_text("class TillOptions:\n    openEvery = 5\n")
    (shop / "billing.py").write_text(BILLING)

    def shown() -> list[str]:
        found = surveyor.search(query, shop)["results"]
        first = found[0] if found else {"path": "", "container": None, "symbol": None}
        return [first["path"], *filter(None, (first["container"], first["symbol"]))]

    try:
        until(lambda: shown()[0] == "billing.py")
        assert symbol in shown()
    finally:
        (shop / "billing.py").unlink()
        (shop / "till.py").unlink()
        (shop / "tests" / "test_till.py").unlink()


def test_a_message_that_nothing_says_is_answered_with_the_nearest(indexed: Indexed) -> None:
    surveyor, shop = indexed
    answer = surveyor.search("gearbox of the spaceship overheated at 4711 degrees", shop)
    assert len(answer["results"]) <= WEAK_RESULTS and "nearest" in answer["notice"]
