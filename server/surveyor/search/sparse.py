"""Sparse vectors: BM25 term weights of chunks and queries; the store multiplies in the IDF.

Document weight of a term t with frequency f in a chunk of length l (Robertson and Zaragoza, "The
Probabilistic Relevance Framework: BM25 and Beyond", 2009):

    f (k1 + 1) / (f + k1 (1 - b + b l / L))

with the average length L a constant, so that a chunk's vector depends on nothing but the chunk.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import chain, pairwise
from zlib import crc32

from surveyor.search.text import ChunkText
from surveyor.search.tokens import (
    CACHED_WORDS,
    STOP_WORDS,
    ascii_parts,
    join_words,
    raw_words,
    split_words,
    stem,
    terms,
)
from surveyor.store.vectors import Sparse

__all__ = ["AVERAGE_LENGTH", "K1", "B", "document_vector", "query_vector", "token_id"]

K1 = 1.5
"""Saturation of repeated terms; 1.5 beat 1.2 on the development split (docs/retrieval.md)."""

B = 0.75
"""Share of the length normalisation."""

AVERAGE_LENGTH = 100.0
"""Terms in an average chunk (header counted): mean over the development repositories' chunks."""

STEM_COUNT = 2
"""How often the words of the file's stem count."""

SYMBOL_COUNT = 2
"""How often the name of a defined symbol counts beyond its occurrence in the code."""

COMPOUND_WEIGHT = 0.5
"""Weight in a query of two adjacent words written as one (`web socket` finds `WebSocket`)."""

MAX_QUERY_TERMS = 256
"""Distinct terms of a query that count; a pasted file asks with its most frequent ones."""


@lru_cache(maxsize=CACHED_WORDS)
def token_id(term: str) -> int:
    """Stable 32-bit id of a term: CRC-32 of its UTF-8 bytes, the same on every machine."""
    return crc32(term.encode("utf-8", "surrogatepass"))


class _WordIds(dict[str, tuple[int, ...]]):
    """Ids of the terms of a word, looked up without a call: every word of every chunk is."""

    def __missing__(self, word: str) -> tuple[int, ...]:
        if len(self) >= CACHED_WORDS:
            self.clear()
        # Past the caches of `terms` and `split_words`: this one holds the same words.
        if not word.isascii():
            ids = tuple(token_id(term) for term in terms.__wrapped__(word))
        else:
            parts = ascii_parts(word)
            ids = tuple(chain.from_iterable(map(_PARTS.__getitem__, parts)))
            if len(parts) > 1:
                ids = (crc32(join_words(word).encode()), *ids)
        self[word] = ids
        return ids


class _PartIds(dict[str, tuple[int, ...]]):
    """The same of the parts of words, of which there are far fewer than words."""

    def __missing__(self, part: str) -> tuple[int, ...]:
        if len(self) >= CACHED_WORDS:
            self.clear()
        ids = self[part] = tuple(token_id(term) for term in terms.__wrapped__(part))
        return ids


_PARTS = _PartIds()


_IDS = _WordIds()


def document_vector(text: ChunkText, k1: float = K1, b: float = B) -> Sparse:
    """Term weights of a chunk, without IDF. Empty where the chunk has no word."""
    words = raw_words(text.code)
    words += text.path_words
    words += text.stem_words * (STEM_COUNT - 1)
    words += text.scope_words
    words += text.symbols * SYMBOL_COUNT
    counts = Counter(chain.from_iterable(map(_IDS.__getitem__, words)))
    if not counts:
        return Sparse((), ())
    norm = k1 * (1.0 - b + b * counts.total() / AVERAGE_LENGTH)
    gain = k1 + 1.0
    weights = {f: gain * f / (f + norm) for f in set(counts.values())}
    tokens = tuple(sorted(counts))
    return Sparse(tokens, tuple(map(weights.__getitem__, map(counts.__getitem__, tokens))))


def query_terms(text: str) -> dict[str, float]:
    """Terms of a query and their weights; stop words only where nothing else is there."""
    words = raw_words(text)
    telling = [word for word in words if word.lower() not in STOP_WORDS]
    weights: Counter[str] = Counter()
    for word in telling or words:
        weights.update(terms(word))
    found: dict[str, float] = dict(weights.most_common(MAX_QUERY_TERMS))
    for left, right in pairwise(words):
        if left.lower() in STOP_WORDS or right.lower() in STOP_WORDS:
            continue
        if len(split_words(left)) == len(split_words(right)) == 1 and len(found) < MAX_QUERY_TERMS:
            for joined in {join_words(left + right), join_words(left) + stem(join_words(right))}:
                found.setdefault(joined, COMPOUND_WEIGHT)
    return found


def query_vector(text: str) -> Sparse:
    """Term weights of a query. Empty where it has no word at all."""
    weights: dict[int, float] = {}
    for term, weight in query_terms(text).items():
        token = token_id(term)
        weights[token] = max(weight, weights.get(token, 0.0))
    tokens = sorted(weights)
    return Sparse(tuple(tokens), tuple(weights[token] for token in tokens))
