"""Quoted and pasted texts are found word for word."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.search.phrases import (
    LEAST_RUN,
    LEAST_SHARE,
    longest_run,
    share_said,
    wanted_phrases,
)
from surveyor.search.query import understand


@pytest.mark.parametrize(
    ("query", "phrases"),
    [
        ('"Cannot index %s"', [("cannot", "index", "s")]),
        ('where is "no such file" raised', [("no", "such", "file")]),
        ("TypeError: Reply was sent", [("typeerror", "reply", "was", "sent")]),
        ("for (i = 0; i < n; i++) {", [("for", "i", "0", "i", "n", "i")]),
        ("how are cookies signed", []),
        ("sign_cookie", []),
        ('"word"', []),
    ],
)
def test_what_is_looked_for_word_for_word(query: str, phrases: list[tuple[str, ...]]) -> None:
    assert list(wanted_phrases(understand(query))) == phrases


def test_a_message_with_its_values_filled_in_is_said_in_part() -> None:
    wanted = wanted_phrases(understand("Error: Cannot iterate over null"))
    assert share_said(wanted, 'fail("Cannot iterate over %s", kind)') == pytest.approx(3 / 5)
    assert share_said(wanted, "cannot be null over there") == 0.0
    assert share_said([("two", "words")], "said: two words") == 1.0
    assert share_said([("two", "words", "more")], "said: two words") == 0.0


WORDS = st.lists(st.sampled_from("abcd"), max_size=12)


@given(WORDS, WORDS)
def test_the_longest_run_is_that_of_every_pair_of_beginnings(
    phrase: list[str], words: list[str]
) -> None:
    expected = 0
    for i in range(len(phrase)):
        for j in range(len(words)):
            n = 0
            while i + n < len(phrase) and j + n < len(words) and phrase[i + n] == words[j + n]:
                n += 1
            expected = max(expected, n)
    assert longest_run(phrase, words) == expected


@given(WORDS.filter(bool), WORDS)
def test_a_share_is_that_of_the_longest_run_unless_that_is_coincidence(
    phrase: list[str], words: list[str]
) -> None:
    run = longest_run(phrase, words)
    share = run / len(phrase)
    counts = share == 1.0 or (run >= LEAST_RUN and share >= LEAST_SHARE)
    assert share_said([phrase], " ".join(words)) == (share if counts else 0.0)
