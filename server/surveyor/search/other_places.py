"""Further places in the files of results: what fits a question in words nearly as well.

A question in words finds the file more often than the place in it, and a file is listed once where
others are found: its next chunks are named beside the one that is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from surveyor.protocol.search import OtherPlace
from surveyor.search.query import Query
from surveyor.search.rank import Candidate, RankedCandidate
from surveyor.search.symbol_narrowing import members_meant

__all__ = ["other_places"]

MOST_PLACES = 2
"""Of a file."""


def other_places(query: Query, ranked: Sequence[RankedCandidate]) -> dict[str, list[OtherPlace]]:
    """By the id of each file's first result: where else in the file to look, for a query that
    asks."""
    listed = {each.candidate.id for each in ranked}
    found: dict[str, list[Candidate]] = {}
    seen: set[tuple[str, str]] = set()
    for each in ranked:
        file = each.candidate.root, each.candidate.path
        if file not in seen:
            seen.add(file)
            others = [other for other in each.others if other.id not in listed]
            found[each.candidate.id] = others[:MOST_PLACES]
    meant = members_meant((other for others in found.values() for other in others), query)
    return {id_: _places(others, meant) for id_, others in found.items() if others}


def _places(others: Iterable[Candidate], meant: dict[str, str]) -> list[OtherPlace]:
    """They, by line."""
    places = [
        OtherPlace(
            start_line=other.start_line,
            end_line=other.end_line,
            symbol=meant.get(other.id) or other.symbol_name or None,
        )
        for other in others
    ]
    return sorted(places, key=lambda place: place.start_line)
