"""A half-remembered name finds the one that is meant."""

from __future__ import annotations

import pytest

from surveyor.config.rank_settings import RankSettings
from surveyor.search.near_names import near_names
from surveyor.search.query import understand
from surveyor.search.rank import Candidate, RankContext, rank

NAMES = ("print_cart_total", "cart_line", "total_of_prices", "CartTotals", "render")
CHUNKS = [
    Candidate(id=name, path=f"{number}.py", symbol_name=name, symbols=(name,), sparse_rank=1)
    for number, name in enumerate(NAMES)
]


@pytest.mark.parametrize(
    ("remembered", "name"),
    [
        ("print_total_cart", "print_cart_total"),
        ("printCartTotals", "print_cart_total"),
        ("print_total", "print_cart_total"),
        ("cart_lines", "cart_line"),
        ("total_prices", "total_of_prices"),
    ],
)
def test_the_name_that_shares_most_words_comes_first(remembered: str, name: str) -> None:
    ranked = rank(understand(remembered), CHUNKS, RankSettings(), RankContext())
    assert ranked[0].candidate.id == name
    assert "near name" in {part.name for part in ranked[0].parts}


def test_a_name_that_is_defined_has_no_near_ones() -> None:
    ranked = rank(understand("cart_line"), CHUNKS, RankSettings(), RankContext())
    assert ranked[0].candidate.id == "cart_line"
    assert all("near name" not in {part.name for part in each.parts} for each in ranked)


def test_one_word_is_near_to_nothing() -> None:
    assert near_names("cart", CHUNKS) == {}
    assert near_names("ship_parcel", CHUNKS) == {}
