"""How likely a result is what was asked for, and what it says of a query's words."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from surveyor.embedding.tokens import raw_words, terms
from surveyor.search.confidence import SAID, SEEN, Evidence, confidence, coverage, observed
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
    unsaid=0.0,
    defines=1.0,
    is_name=True,
)


@given(st.floats(0, 1), st.floats(0, 1))
def test_what_is_said_rises_with_the_model_and_stays_below_what_was_seen(
    a: float, b: float
) -> None:
    low, high = sorted((a, b))
    assert observed(low, SAID, SEEN) <= observed(high, SAID, SEEN) <= max(SEEN)


def test_a_name_that_nothing_is_called_and_one_that_many_are_are_less_certain() -> None:
    assert confidence(NEAR) > 0.8
    assert confidence(replace(NEAR, defines=0.0)) < confidence(NEAR) - 0.2
    assert confidence(replace(NEAR, defines=0.0, margin=0.0, coverage=0.5)) < 0.3
    assert confidence(replace(NEAR, defines=0.0, unsaid=1.0, coverage=0.0)) < 0.05
    assert confidence(replace(NEAR, defines=0.5)) < confidence(replace(NEAR, defines=0.8))
    assert confidence(replace(NEAR, rivals=6)) < confidence(NEAR)
    assert confidence(replace(NEAR, position=1, margin=0.0)) < confidence(NEAR)
