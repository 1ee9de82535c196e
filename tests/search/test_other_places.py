"""Further places of a file are named beside its first result, where the query asks in words."""

from __future__ import annotations

import pytest
from tests.search.test_rank import a_chunk

from surveyor.config.rank_settings import RankSettings
from surveyor.search.other_places import MOST_PLACES, other_places
from surveyor.search.query import understand
from surveyor.search.rank import RankContext, RankedCandidate, rank

ASKED = "when is a parcel handed to the courier"


def ranked_of(query: str, lines: tuple[int, ...], limit: int) -> list[RankedCandidate]:
    """A file's chunks from the best found to the worst, and one chunk of another file."""
    chunks = [
        a_chunk("a.py", line, sparse_rank=2 + n, sparse=5.0 - n / 10, symbol_name=f"f{line}")
        for n, line in enumerate(lines)
    ]
    other = a_chunk("b.py", 1, sparse_rank=1, sparse=5.1, symbol_name="g")
    return rank(understand(query), [*chunks, other], RankSettings(), RankContext(), limit)


@pytest.mark.parametrize("query", [ASKED, "parcels handed over late"])
def test_the_next_chunks_of_the_file_are_named_by_line(query: str) -> None:
    ranked = ranked_of(query, (300, 200, 100, 400), 2)
    assert {each.candidate.path for each in ranked} == {"a.py", "b.py"}
    places = other_places(understand(query), ranked)
    (said,) = places.values()
    shown = next(each.candidate for each in ranked if each.candidate.path == "a.py")
    assert list(places) == [shown.id]
    assert len(said) == MOST_PLACES
    assert [each.start_line for each in said] == sorted(each.start_line for each in said)
    assert all(each.symbol == f"f{each.start_line}" for each in said)
    assert shown.start_line not in {each.start_line for each in said}


def test_what_is_a_result_itself_is_not_named_again() -> None:
    ranked = ranked_of(ASKED, (300, 200, 100), 10)
    assert len(ranked) == 4
    assert other_places(understand(ASKED), ranked) == {}


@pytest.mark.parametrize("query", ["hand_over", '"handed to the courier"', "a.py:12"])
def test_a_name_a_text_and_a_place_lead_where_they_stand(query: str) -> None:
    assert other_places(understand(query), ranked_of(query, (300, 200, 100), 1)) == {}


def test_what_fits_much_worse_is_not_named() -> None:
    near = a_chunk("a.py", 1, dense_rank=1, dense=0.9, sparse_rank=1, sparse=9.0)
    far = a_chunk("a.py", 50, dense_rank=50, dense=0.1, sparse_rank=0, sparse=None)
    (first, *_) = rank(understand(ASKED), [near, far], RankSettings(), RankContext(), 1)
    assert first.candidate.id == near.id
    assert first.others == ()
