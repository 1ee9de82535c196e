"""A half-remembered name finds the one that is meant."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.config.rank_settings import RankSettings
from surveyor.search.near_names import name_words, near_names
from surveyor.search.query import understand
from surveyor.search.rank import Candidate, RankContext, rank
from surveyor.search.said_words import may_say

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


SPOKEN = st.lists(
    st.one_of(
        st.text("aeginrstuEGHR_9é\n", max_size=12),
        st.sampled_from(["getHTTPResponse", "running_total", "Queries", "naïveUser", "user_id"]),
    ),
    max_size=8,
)


@given(SPOKEN, st.lists(st.sampled_from(["run", "http", "queri", "naive", "user", "ag", "9", "é"])))
def test_names_that_say_a_word_are_among_those_that_may(names: list[str], words: list[str]) -> None:
    saying = {at for at, name in enumerate(names) if name_words(name) & set(words)}
    assert saying <= set(may_say(words, names)) <= set(range(len(names)))


def test_a_later_part_of_a_class_comes_behind_the_one_that_has_its_name() -> None:
    head = Candidate(path="cart.py", start_line=1, symbol_name="CartLine", symbols=("CartLine",))
    part = Candidate(path="cart.py", start_line=9, symbol_name="CartLine", is_fragment=1)
    found = near_names("CartLines", [part, head])
    assert 0 < found[0] < found[1]
