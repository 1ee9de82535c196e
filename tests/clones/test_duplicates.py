"""When a function is said to repeat the one that it is most like."""

from __future__ import annotations

from surveyor.clones.duplicates import FAR, repeats
from surveyor.clones.likeness import Likeness
from surveyor.engine.duplicate_review import CERTAINTY


def like(certainty: float, shared: float) -> Likeness:
    return Likeness(certainty, (), {}, shared)


def test_half_of_what_is_said_is_enough_where_nothing_else_says_it() -> None:
    half = like(0.2, 12.0)
    assert repeats(half, FAR, are_siblings=False) > CERTAINTY
    assert repeats(half, like(0.15, 0.0).odds, are_siblings=False) < CERTAINTY


def test_what_is_alike_by_little_that_is_telling_is_not_said() -> None:
    assert repeats(like(0.3, 1.0), like(0.05, 0.0).odds, are_siblings=False) < CERTAINTY
    assert repeats(like(0.3, 20.0), like(0.05, 0.0).odds, are_siblings=False) > CERTAINTY


def test_methods_of_one_type_are_alike_for_other_reasons() -> None:
    close = like(0.7, 12.0)
    beside = like(0.1, 0.0).odds
    assert repeats(close, beside, are_siblings=False) > CERTAINTY
    assert repeats(close, beside, are_siblings=True) < CERTAINTY


def test_the_likest_of_several_that_are_as_like_is_no_more_than_one_of_them() -> None:
    family = like(0.95, 8.0)
    assert repeats(family, family.odds, are_siblings=True) < CERTAINTY
    assert repeats(family, family.odds, are_siblings=False) < repeats(
        family, FAR, are_siblings=False
    )
