"""Places that a query names, as paths and lines: which chunks are meant, and where in them."""

from __future__ import annotations

from surveyor.search.issue_text import IssuePlace
from surveyor.search.query import Query
from surveyor.search.rank_types import Candidate

__all__ = ["is_called", "place_share", "sure_place"]

SAME_FILE, FILE_SAID = 0.2, 0.5
"""What other chunks of a file count beside the one of the line, and those of a file without one."""


def is_called(wanted: str, path: str) -> bool:
    """Whether a path, as far as it was given, may be that of an indexed file."""
    return wanted == path or wanted.endswith("/" + path) or path.endswith("/" + wanted)


def place_share(place: IssuePlace, candidate: Candidate, *, alone: bool) -> float:
    """How much of the lift for a place a chunk of its file gets.

    A file that is named `alone`, as all of a query, is shown from its top.
    """
    if place.line:
        inside = candidate.start_line <= place.line <= candidate.end_line
        return 1.0 if inside else SAME_FILE
    return 1.0 if alone and candidate.start_line == 1 else FILE_SAID


def sure_place(query: Query, candidate: Candidate) -> int:
    """The line of a chunk that a query which is a place or a trace names; its first one where it
    is the top of a file named without a line; 0 for none."""
    if query.kind != "location":
        return 0
    for place in query.places:
        if is_called(place.path, candidate.path):
            if candidate.start_line <= place.line <= candidate.end_line:
                return place.line
            if not place.line and candidate.start_line == 1:
                return 1
    return 0
