"""A name or a quoted text is found where exactly that text stands."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from surveyor.config.rank_settings import RankSettings
from surveyor.parsing.languages import is_file_name
from surveyor.search.exact_text import (
    OTHER_CASE,
    WHOLE,
    WITHIN,
    is_defined_among,
    is_more_than_name,
    line_saying,
    says,
    wanted_path,
    wanted_texts,
)
from surveyor.search.query import understand
from surveyor.search.rank import Candidate, RankContext, rank
from surveyor.store.chunk_row import Row


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("NO_COLOR", ["NO_COLOR"]),
        ("retry_with_backoff()", ["retry_with_backoff"]),
        ("os.environ;", ["os.environ"]),
        ("Shop::Cart.[]", ["Shop::Cart.[]"]),
        ('"connection was refused"', ["connection was refused"]),
        ("tls-client-policy", ["tls-client-policy"]),
        ("std::vector<int>", ["std::vector<int>"]),
        ('"=>"', ["=>"]),
        ("?.", ["?."]),
        ('"id"', ["id"]),
        ("`a[0] ?? b`", ["a[0] ?? b"]),
        ('"say \\"no\\" twice"', ['say \\"no\\" twice']),
        ("where is NO_COLOR read", []),
        ("how are cookies signed", []),
        ('where is "no price" raised', []),
        ("fix: handle an empty cart", []),
        ("cart: no price is shown", []),
        ("", []),
    ],
)
def test_names_and_quotations_are_wanted_exactly(query: str, wanted: list[str]) -> None:
    assert list(wanted_texts(understand(query))) == wanted


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        (
            'Item "%s" is not in the cart.',
            ['Item "%s" is not in the cart.', "is not in the cart."],
        ),
        (
            "There is no price for item 'x17' in this shop",
            [
                "There is no price for item 'x17' in this shop",
                "There is no price for item",
                "in this shop",
                "There is no price for",
            ],
        ),
        (
            "the cart of user 4711 is locked for 5m0s",
            ["the cart of user 4711 is locked for 5m0s", "the cart of user"],
        ),
        (
            "no such folder in the shop /srv/shop/carts",
            [
                "no such folder in the shop /srv/shop/carts",
                "no such folder in the shop",
                "no such folder in the",
            ],
        ),
        (
            "shop.MissingError: worker Foo.Bar returned no price for carts",
            [
                "worker Foo.Bar returned no price for carts",
                "returned no price for carts",
                "returned no price for",
            ],
        ),
        (
            "The route [/carts/:id] has not been mapped for Accept: [text/html]",
            [
                "The route [/carts/:id] has not been mapped for Accept: [text/html]",
                "] has not been mapped for Accept",
                "The route [",
                "] has not been mapped for",
            ],
        ),
        (
            "checkout: can't find command '/usr/bin/till'",
            ["checkout: can't find command '/usr/bin/till'", "can't find command"],
        ),
        ("read 5 files", []),
        ("how are 404 responses made by the router", []),
        (
            "ValueError: price of {} must be above 3 pounds",
            ["price of {} must be above 3 pounds", "must be above"],
        ),
    ],
)
def test_messages_are_wanted_whole_or_without_the_values_in_them(
    query: str, wanted: list[str]
) -> None:
    assert list(wanted_texts(understand(query))) == wanted


def test_the_line_that_says_a_text_is_known() -> None:
    text = "def check(item):\n    raise Missing(f'no price for {item} in the cart')"
    assert line_saying(wanted_texts(understand("no price for {item} in the cart")), text) == 2
    assert line_saying(wanted_texts(understand("where are prices checked")), text) == 0


def test_a_word_of_its_own_says_more_than_a_part_and_the_own_case_more_than_another() -> None:
    texts = ["use NO_COLOR here", "NO_COLORS", "no_color", "no_colors", "color"]
    assert says("NO_COLOR", texts) == [WHOLE, WITHIN, OTHER_CASE, OTHER_CASE * WITHIN, 0.0]
    assert says("$x.y(", ["a $x.y(1)"]) == [WHOLE]


def test_a_definition_in_code_makes_the_rest_needless() -> None:
    query = understand("NO_COLOR")
    assert is_defined_among(query, [Row(symbols=("NO_COLOR",))])
    assert not is_defined_among(query, [Row(symbols=("no_color",))])
    assert not is_defined_among(query, [Row(symbols=("NO_COLOR",), file_type="doc")])


def test_a_word_in_lower_case_may_be_the_name_of_a_class() -> None:
    linter = [Row(symbol_name="Linter", symbols=("Linter",))]
    assert is_defined_among(understand("linter"), linter)
    assert not is_defined_among(understand("LINTER"), linter)
    assert is_defined_among(understand("Linter"), [Row(symbols=("Shop.Linter",))])


def test_what_says_the_text_comes_before_all_else_and_a_part_switches_it_off() -> None:
    candidates = [
        Candidate(path="color.py", id="near", dense_rank=1, sparse_rank=1, symbol_name="color"),
        Candidate(path="tests/a.py", id="case", dense_rank=2, sparse_rank=2, labels="tests"),
        Candidate(path="docs/x.md", id="said", file_type="doc", labels="docs"),
    ]
    context = RankContext(exact={"said": WHOLE, "case": OTHER_CASE})
    query = understand("NO_COLOR")
    ranked = rank(query, candidates, RankSettings(), context)
    assert [each.candidate.id for each in ranked] == ["said", "case", "near"]
    assert "exact" in {step.name for step in ranked[0].parts}
    ranked = rank(query, candidates, RankSettings(exact=False), context)
    assert ranked[0].candidate.id == "near"


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("shop/gone.py", ("shop/gone.py",)),
        ("shop/cart.py", ()),
        ("cart.py", ()),
        ("shop/gone.py:12", ()),
        ("Cart.total", ()),
    ],
)
def test_a_path_that_no_file_has_is_looked_for_as_text(query: str, wanted: tuple[str, ...]) -> None:
    row = SimpleNamespace(path="shop/cart.py")
    assert wanted_path(understand(query, is_file_name), [cast(Row, row)]) == wanted


def test_a_sign_or_a_scope_asks_for_more_than_the_name() -> None:
    struct = [Row(symbol_name="items", symbols=("items",), path="src/list.rs")]
    inside = [Row(symbol_name="items", symbols=("items",), parent_symbol="Cart", path="a.rs")]
    assert is_more_than_name(understand("$items"), struct)
    assert is_more_than_name(understand("Cart::items"), struct)
    assert not is_more_than_name(understand("Cart::items"), inside)
    assert not is_more_than_name(understand("self::items"), struct)
    assert not is_more_than_name(understand("items"), struct)
    assert is_more_than_name(understand('"./shop/items"'), struct)
    assert not is_more_than_name(understand('"items"'), struct)
    assert not is_more_than_name(understand("Cart.items"), struct)
