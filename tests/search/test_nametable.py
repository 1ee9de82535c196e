"""The table answers as the rule does that it makes fast."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.search.name_table import GOOD, NameTable
from surveyor.search.symbols import match

WORDS = st.lists(
    st.sampled_from(
        ["get", "User", "user", "U", "By", "id", "pa", "Parser", "_", "x", "HTTP", "2", " "]
    ),
    min_size=1,
    max_size=4,
).map("".join)
NAMES = st.lists(WORDS | st.text(min_size=1, max_size=6), max_size=40, unique=True)


@given(NAMES, WORDS | st.text(min_size=1, max_size=6))
def test_the_best_names_are_those_that_every_name_being_asked_would_give(
    names: list[str], query: str
) -> None:
    names = [name for name in names if "\n" not in name]
    expected = sorted(
        ((match(query, name), name) for name in names if match(query, name)),
        key=lambda pair: (-pair[0], len(pair[1]), pair[1]),
    )
    found = NameTable(names).best(query, len(names) + 1)
    if expected and expected[0][0] >= GOOD:
        # Typing errors are not looked for then: what is missing is worse than all that is there.
        assert found == [pair for pair in expected if pair in found]
        assert all(score < 0.5 for score, name in expected if (score, name) not in found)
    else:
        assert found == expected


@given(NAMES, WORDS | st.text(min_size=1, max_size=6), st.sampled_from([0.35, 0.45, 0.6]))
def test_only_what_is_worse_than_enough_may_be_missing(
    names: list[str], query: str, enough: float
) -> None:
    table = NameTable(names)
    everything = table.best(query, len(names) + 1)
    found = table.best(query, len(names) + 1, enough)
    assert found == [pair for pair in everything if pair in found]
    if everything and everything[0][0] >= enough:
        assert all(score < enough for score, name in everything if (score, name) not in found)
    else:
        assert found == everything


@given(NAMES, NAMES, WORDS)
def test_names_that_are_added_are_found_like_the_first(
    first: list[str], second: list[str], query: str
) -> None:
    grown = NameTable(first)
    grown.add(second)
    at_once = NameTable([*first, *second])
    assert len(grown) == len(at_once)
    assert grown.best(query, 100) == at_once.best(query, 100)


def test_a_limit_keeps_the_best() -> None:
    table = NameTable([f"parse_{n}" for n in range(500)] + ["parse", "reparse", "p_a_r_s_e"])
    assert [name for _, name in table.best("parse", 3)] == ["parse", "p_a_r_s_e", "parse_0"]


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("MAd", "MapAdapter"),
        ("getById", "getUserById"),
        ("getById", "get_user_by_id"),
        ("HTTPReq", "HTTPServerRequest"),
        ("gUBI", "getUserById"),
        ("pOpt", "_parse_options"),
    ],
)
def test_capitals_begin_the_words_of_a_name(query: str, best: str) -> None:
    table = NameTable(["make_d", "together_by_idea", "https_requirement", best, "stop_options"])
    assert table.best(query, 5)[0][1] == best
