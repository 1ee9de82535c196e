"""BM25 weights of chunks and queries."""

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.embedding.chunk_text import ChunkText
from surveyor.embedding.sparse import (
    AVERAGE_LENGTH,
    K1,
    B,
    document_vectors,
    document_words,
    query_vector,
    token_id,
)
from surveyor.embedding.tokens import raw_words, tokenize


def a_text(code: str, **parts: tuple[str, ...]) -> ChunkText:
    empty: dict[str, tuple[str, ...]] = dict.fromkeys(
        ("path_words", "stem_words", "scope_words", "symbols"), ()
    )
    return ChunkText(**(empty | parts), code=code)


def vectors(*texts: ChunkText, k1: float = K1, b: float = B) -> list[tuple[list[int], list[float]]]:
    words = [document_words(text, raw_words(text.code)) for text in texts]
    return [
        (array("I", indices).tolist(), array("f", values).tolist())
        for indices, values in document_vectors(words, k1, b)
    ]


def weight(text: ChunkText, word: str, k1: float = K1, b: float = B) -> float:
    ((indices, values),) = vectors(text, k1=k1, b=b)
    return dict(zip(indices, values, strict=True)).get(token_id(word), 0.0)


def test_token_ids_are_the_same_everywhere() -> None:
    assert token_id("session") == 3_494_172_116


def test_weights_follow_the_formula() -> None:
    text = a_text("alpha alpha beta gamma")
    length_norm = K1 * (1 - B + B * 4 / AVERAGE_LENGTH)
    assert weight(text, "alpha") == pytest.approx(2 * (K1 + 1) / (2 + length_norm))
    assert weight(text, "beta") == pytest.approx((K1 + 1) / (1 + length_norm))


def test_k1_and_b_are_settings() -> None:
    text = a_text("alpha " * 5)
    assert weight(text, "alpha", k1=1.2) < weight(text, "alpha", k1=1.5)
    assert weight(text, "alpha", b=0.0) < weight(text, "alpha", b=0.75)


def test_a_files_stem_and_its_symbols_count_more_than_other_words() -> None:
    plain = a_text("alpha")
    assert weight(a_text("alpha", symbols=("alpha",)), "alpha") > weight(plain, "alpha")
    in_stem = a_text("x y", path_words=("alpha",), stem_words=("alpha",))
    in_folder = a_text("x y", path_words=("alpha",))
    assert weight(in_stem, "alpha") > weight(in_folder, "alpha") > 0


def test_query_words_that_say_nothing_are_left_out() -> None:
    assert query_vector("how are the sessions") == query_vector("sessions")


def test_a_query_of_stop_words_alone_still_asks() -> None:
    assert query_vector("how is it").indices


def test_two_words_find_the_compound() -> None:
    assert token_id("websocket") in query_vector("web sockets").indices


@given(st.text(max_size=2000))
def test_any_text_gives_a_valid_vector(text: str) -> None:
    asked = query_vector(text)
    for indices, values in [(list(asked.indices), list(asked.values)), *vectors(a_text(text))]:
        assert indices == sorted(set(indices))
        assert len(indices) == len(values)
        assert all(0 <= index < 2**32 for index in indices)
        assert all(value > 0 for value in values)


@given(st.lists(st.text(alphabet="ab AB_1 é東京", max_size=60), max_size=6))
def test_chunks_of_a_file_have_the_vectors_that_they_have_alone(codes: list[str]) -> None:
    texts = [a_text(code, stem_words=("b",)) for code in codes]
    assert vectors(*texts) == [vectors(text)[0] for text in texts]


@given(st.text(alphabet="abcs AB_1 é東京", max_size=200))
def test_a_chunk_has_the_terms_of_its_words(code: str) -> None:
    ((indices, _),) = vectors(a_text(code))
    assert set(indices) == {token_id(term) for term in tokenize(code)}
