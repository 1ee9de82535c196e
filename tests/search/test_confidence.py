"""How likely a result is what was asked for, and what it says of a query's words."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from surveyor.embedding.tokens import raw_words, terms
from surveyor.search.confidence import (
    LEAST_ANSWERABLE,
    LOW,
    MOST_CHUNKS,
    SAID,
    SEEN,
    Evidence,
    answerable,
    confidences,
    coverage,
    is_surely_answerable,
    observed,
)
from surveyor.search.said_words import most_telling, said_by_lines, said_of

SPEECH = st.lists(
    st.sampled_from(
        ["cookies", "signCookie", "SIGN_COOKIES", "sess", "session_id", "query", "queries", "x",
         "a.b(c)", "naïve", "\n", "__init__", "HTTPServer2", "(", "re*"]
    )
).map(" ".join)  # fmt: skip
WORDS = st.lists(st.sampled_from(["cooki", "sign", "session", "queri", "x", "nav", "init"]))


@given(text=SPEECH, words=WORDS)
def test_a_chunk_says_the_words_that_its_terms_are(text: str, words: list[str]) -> None:
    every = frozenset(term for word in raw_words(text) for term in terms(word))
    said = frozenset(said_of(words, text))
    assert said <= every
    assert coverage(tuple(words), said) == coverage(tuple(words), every)


@given(text=SPEECH, words=WORDS)
def test_lines_say_the_words_that_their_terms_are(text: str, words: list[str]) -> None:
    lines = text.split("\n")
    every = [{term for word in raw_words(line) for term in terms(word)} for line in lines]
    said = [len(each.intersection(words)) for each in every]
    assert said_by_lines(words, lines) == said
    assert most_telling(words, lines) == said.index(max(said))


NEAR = Evidence(
    position=0,
    margin=0.5,
    similarity=0.6,
    coverage=1.0,
    defines=1.0,
    meaning_rank=1,
    words_rank=1,
    is_name=True,
)
ASKED = replace(NEAR, defines=0.0, is_name=False, similarity=0.5, margin=0.2)
"""A question in words whose first result both sides find first."""


def _of(evidence: Evidence) -> float:
    return confidences([evidence])[0]


@given(st.floats(0, 1), st.floats(0, 1))
def test_what_is_said_rises_with_the_model_and_stays_below_what_was_seen(
    a: float, b: float
) -> None:
    low, high = sorted((a, b))
    assert observed(low, SAID, SEEN) <= observed(high, SAID, SEEN) <= max(SEEN)


def test_a_name_that_nothing_is_called_and_one_that_many_are_are_less_certain() -> None:
    assert _of(NEAR) > 0.8
    assert _of(replace(NEAR, defines=0.0)) < _of(NEAR) - 0.2
    assert _of(replace(NEAR, defines=0.0, margin=0.0, coverage=0.5, similarity=0.4)) < 0.3
    assert _of(replace(NEAR, defines=0.0, nowhere=1.0, coverage=0.0, similarity=0.3)) < 0.05
    assert _of(replace(NEAR, defines=0.5)) < _of(replace(NEAR, defines=0.8))
    assert _of(replace(NEAR, rivals=6)) < _of(NEAR)
    assert _of(replace(NEAR, position=1, margin=0.0)) < _of(NEAR)


def test_what_both_sides_find_first_is_surer_than_what_one_of_them_does() -> None:
    assert _of(ASKED) > 0.7
    assert _of(replace(ASKED, words_rank=9)) < _of(ASKED)
    assert _of(replace(ASKED, meaning_rank=9)) < _of(ASKED)


def test_a_question_whose_words_stand_nowhere_is_below_the_threshold() -> None:
    foreign = replace(ASKED, similarity=0.3, coverage=0.2, nowhere=0.4, margin=0.6)
    assert answerable([foreign]) < LEAST_ANSWERABLE
    assert _of(foreign) < LOW
    assert _of(replace(foreign, nowhere=0.0)) > LOW


@given(st.floats(0.5, 1), st.floats(0.5, 1), st.floats(0, 1))
def test_where_an_answer_is_sure_anyway_words_that_stand_nowhere_change_nothing(
    similarity: float, coverage: float, nowhere: float
) -> None:
    asked = replace(ASKED, defines=1.0, similarity=similarity, coverage=coverage)
    least = [replace(asked, nowhere=0.5)]
    assert is_surely_answerable(least)
    assert confidences([replace(asked, nowhere=nowhere / 2)]) == confidences(least)
    assert not is_surely_answerable([replace(asked, defines=0.0, similarity=0.5, nowhere=0.5)])


def test_the_nearest_of_many_chunks_is_less_sure_than_that_of_few() -> None:
    few, many = replace(ASKED, chunks=300), replace(ASKED, chunks=9_000)
    assert answerable([many]) < answerable([few])
    assert _of(many) < _of(few)
    assert _of(replace(ASKED, chunks=MOST_CHUNKS)) == _of(replace(ASKED, chunks=9 * MOST_CHUNKS))


@given(
    st.lists(
        st.builds(
            Evidence,
            position=st.integers(0, 9),
            margin=st.floats(0, 1),
            similarity=st.floats(0, 1),
            coverage=st.floats(0, 1),
            nowhere=st.floats(0, 1),
            chunks=st.integers(0, 200_000),
            defines=st.floats(0, 1),
            meaning_rank=st.integers(0, 75),
            words_rank=st.integers(0, 75),
            is_name=st.booleans(),
        ),
        min_size=1,
        max_size=10,
    )
)
def test_the_best_result_is_below_the_threshold_exactly_where_there_is_likely_no_answer(
    evidence: list[Evidence],
) -> None:
    said = confidences(evidence)
    assert (max(said) < LOW) == (answerable(evidence) < LEAST_ANSWERABLE)
    assert all(0.0 <= each <= max(SEEN) for each in said)


def test_more_results_do_not_change_whether_there_is_an_answer() -> None:
    ten = [replace(ASKED, position=position, similarity=0.2) for position in range(10)]
    assert answerable([*ten, NEAR]) == answerable(ten)
    assert confidences([]) == []
