"""What a result says of a query's words."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from surveyor.embedding.tokens import raw_words, terms
from surveyor.search.confidence import coverage
from surveyor.search.pipeline import _said

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
    said = frozenset(_said(words, text))
    assert said <= every
    assert coverage(tuple(words), said) == coverage(tuple(words), every)
