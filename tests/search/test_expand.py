"""Query expansion adds words to what was typed and takes none away."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from surveyor.embedding.sparse import query_vector, token_id
from surveyor.search.expand import FEEDBACK_TERMS, feedback, joined, synonyms
from surveyor.search.query import understand


def test_abbreviations_and_words_meet() -> None:
    assert "auth" in synonyms(understand("how does authentication work"))
    assert "configur" in synonyms(understand("where is the config read"))
    assert not synonyms(understand("xylophone"))


def test_what_the_first_results_share_is_added() -> None:
    texts = [
        "def encode(token): return hmac(token, secret)",
        "def check(token): hmac(secret)",
        "hmac of the secret",
        "unrelated",
    ]
    added = feedback(understand("signed sessions"), texts)
    assert added["hmac"] > added["token"] > 0
    assert "encode" not in added  # said by one alone
    assert "unrelated" not in added


def test_typed_words_keep_their_weight() -> None:
    typed = query_vector("hmac secret")
    both = joined(typed, {"hmac": 0.1, "token": 0.2})
    weights = dict(zip(both.indices, both.values, strict=True))
    assert all(weights[i] == v for i, v in zip(typed.indices, typed.values, strict=True))
    assert weights[token_id("token")] == 0.2
    assert list(both.indices) == sorted(both.indices)


@given(st.text(max_size=80), st.lists(st.text(max_size=200), max_size=6))
def test_any_text_is_expanded_without_repeating_the_query(text: str, found: list[str]) -> None:
    query = understand(text)
    added = feedback(query, found) | synonyms(query)
    assert not added.keys() & set(query.words)
    assert len(feedback(query, found)) <= FEEDBACK_TERMS
    assert all(0 < weight < 1 for weight in added.values())
