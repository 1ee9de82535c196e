"""Terms of identifiers, prose and other scripts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.embedding.tokens import split_words, stem, terms, tokenize


@pytest.mark.parametrize(
    ("identifier", "words"),
    [
        ("getHTTPResponse", ("get", "http", "response")),
        ("utf8_decode", ("utf", "8", "decode")),
        ("XMLParser", ("xml", "parser")),
        ("__init__", ("init",)),
        ("SCREAMING_SNAKE", ("screaming", "snake")),
        ("naïveBayes", ("naive", "bayes")),
        ("страница", ("страница",)),
    ],
)
def test_identifiers_split_at_humps_underscores_and_digits(
    identifier: str, words: tuple[str, ...]
) -> None:
    assert split_words(identifier) == words


def test_an_identifier_is_found_whole_whatever_its_style() -> None:
    assert terms("user_id")[0] == terms("userId")[0] == terms("UserID")[0] == "userid"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("session", "sessions"),
        ("parse", "parsing"),
        ("query", "queries"),
        ("cookie", "cookies"),
        ("cache", "cached"),
        ("class", "classes"),
        ("stop", "stopped"),
    ],
)
def test_forms_of_a_word_share_a_stem(one: str, other: str) -> None:
    assert stem(one) == stem(other)


@pytest.mark.parametrize("word", ["string", "need", "status", "bus", "address", "this", "red"])
def test_words_that_only_look_inflected_keep_their_end(word: str) -> None:
    assert stem(word) == word


def test_scripts_without_spaces_give_pairs() -> None:
    assert tokenize("会话管理cookie") == ["会话", "话管", "管理", "cooki"]


@given(st.text(max_size=400))
def test_any_text_gives_non_empty_lower_case_terms(text: str) -> None:
    for term in tokenize(text):
        assert term
        assert term.casefold() == term.lower().casefold()


@given(st.text(alphabet=st.characters(codec="ascii"), max_size=400))
def test_ascii_terms_are_single_words(text: str) -> None:
    assert all(term.isalnum() and term == term.lower() for term in tokenize(text))
