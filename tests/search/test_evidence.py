"""What is known of ranked results, from which their confidence is said."""

from __future__ import annotations

from surveyor.search.confidence import EVIDENCE_DEPTH
from surveyor.search.evidence import (
    Surroundings,
    evidence_of,
    unsaid_words,
    words_said,
)
from surveyor.search.query import understand
from surveyor.search.rank import Candidate, RankedCandidate


def _ranked(number: int, path: str, similarity: float = 0.5) -> RankedCandidate:
    candidate = Candidate(
        id=str(number),
        path=path,
        start_line=number * 10,
        end_line=number * 10 + 9,
        kind="function",
        file_type="code",
        dense=similarity,
        dense_rank=number + 1,
    )
    return RankedCandidate(candidate, 1.0 / (number + 1), ())


def test_words_that_no_result_says_are_known() -> None:
    query = understand("sign the cookies of a glacier")
    ranked = [_ranked(0, "a.py"), _ranked(1, "b.py"), _ranked(2, "a.py")]
    said = words_said(query, ranked, ["def sign(): ...", "cookies = {}", "pass"])
    assert unsaid_words(query, said) == ["glacier"]
    found = evidence_of(query, ranked, said)
    assert [round(each.coverage, 3) for each in found] == [0.333, 0.333, 0.0]


def test_more_results_do_not_change_what_is_known_of_the_first() -> None:
    query = understand("sign the cookies of a glacier")
    ranked = [_ranked(number, f"{number}.py") for number in range(EVIDENCE_DEPTH + 5)]
    said = words_said(query, ranked, ["def sign(): ..."] * EVIDENCE_DEPTH + ["glacier"] * 5)
    first = evidence_of(query, ranked[:EVIDENCE_DEPTH], said[:EVIDENCE_DEPTH])
    assert evidence_of(query, ranked, said)[:EVIDENCE_DEPTH] == first


def test_the_chunk_at_a_place_that_is_asked_for_is_sure() -> None:
    ranked = [_ranked(2, "a.py"), _ranked(5, "a.py")]
    found = evidence_of(understand("a.py:25"), ranked, [frozenset(), frozenset()])
    assert [each.defines for each in found] == [1.0, 0.0]


def test_a_word_that_stands_nowhere_is_told_from_one_that_no_result_says() -> None:
    query = understand("sign the cookies of a glacier")
    said = words_said(query, [_ranked(0, "a.py")], ["def sign(): ..."])
    around = Surroundings(chunks=900, nowhere=frozenset({"glacier"}))
    (found,) = evidence_of(query, [_ranked(0, "a.py")], said, around)
    assert round(found.nowhere, 3) == 0.333
    assert found.chunks == 900
