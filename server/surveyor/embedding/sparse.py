"""Sparse vectors: BM25 term weights of chunks and queries; the store multiplies in the IDF.

Document weight of a term t with frequency f in a chunk of length l (Robertson and Zaragoza, "The
Probabilistic Relevance Framework: BM25 and Beyond", 2009):

    f (k1 + 1) / (f + k1 (1 - b + b l / L))

with the average length L a constant, so that a chunk's vector depends on nothing but the chunk.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from zlib import crc32

import numpy as np

from surveyor.embedding.chunk_text import ChunkText
from surveyor.embedding.tokens import (
    CACHED_WORDS,
    STOP_WORDS,
    ascii_parts,
    join_words,
    raw_words,
    split_words,
    stem,
    terms,
)
from surveyor.store.vectors.contract import Sparse

__all__ = [
    "AVERAGE_LENGTH",
    "K1",
    "B",
    "document_vectors",
    "document_words",
    "query_vector",
    "token_id",
    "weights_of",
]

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


ID_BYTES = 4
"""Of a term's id, and of its weight."""

_OWNER_BITS = np.uint64(32)


def token_id(term: str) -> int:
    """Stable 32-bit id of a term: CRC-32 of its UTF-8 bytes, the same on every machine."""
    return crc32(term.encode("utf-8", "surrogatepass"))


class _WordIds(dict[str, bytes]):
    """Ids of the terms of a word (uint32, packed), looked up without a call: every word of every
    chunk is. Past the caches of `terms` and `split_words`: this one holds the same words."""

    def __missing__(self, word: str) -> bytes:
        if len(self) >= CACHED_WORDS:
            self.clear()
        if not word.isascii():
            ids = b"".join(map(_packed_id, terms.__wrapped__(word)))
        else:
            parts = ascii_parts(word)
            ids = b"".join(map(_PARTS.__getitem__, parts))
            if len(parts) > 1:
                ids = _packed_id(join_words.__wrapped__(word)) + ids
        self[word] = ids
        return ids


class _PartIds(dict[str, bytes]):
    """The same of the parts of ASCII words, of which there are far fewer than words."""

    def __missing__(self, part: str) -> bytes:
        if len(self) >= CACHED_WORDS:
            self.clear()
        term = stem.__wrapped__(part.lower())
        ids = self[part] = _packed_id(term) if len(term) > 1 else b""
        return ids


def _packed_id(term: str) -> bytes:
    return token_id(term).to_bytes(ID_BYTES, sys.byteorder)


_PARTS = _PartIds()

_IDS = _WordIds()


def document_words(text: ChunkText, code: Sequence[str]) -> list[str]:
    """The words of a chunk as they count, with repeats; `code` are those of its code."""
    return [
        *code,
        *text.path_words,
        *text.stem_words * (STEM_COUNT - 1),
        *text.scope_words,
        *text.symbols * SYMBOL_COUNT,
    ]


def document_vectors(
    documents: Iterable[Sequence[str]], k1: float = K1, b: float = B
) -> list[tuple[bytes, bytes]]:
    """Term weights of chunks, given as words, without IDF: ids (ascending uint32) and weights
    (float32) of each, packed. Empty where a chunk has no word.

    All chunks of a file at once: what numpy takes for a call is more than for a chunk's terms.
    """
    packed = [b"".join(map(_IDS.__getitem__, words)) for words in documents]
    lengths = np.array([len(each) // ID_BYTES for each in packed], dtype=np.intp)
    # One sort for all: the number of the chunk above the id of the term.
    keys = np.arange(len(packed), dtype=np.uint64).repeat(lengths) << _OWNER_BITS
    keys |= np.frombuffer(b"".join(packed), dtype=np.uint32)
    keys.sort()
    firsts = np.ones(len(keys), dtype=np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=firsts[1:])
    at = firsts.nonzero()[0]
    counts = np.empty(len(at))
    np.subtract(at[1:], at[:-1], out=counts[:-1])
    counts[-1:] = len(keys) - at[-1:]
    distinct = keys[at]
    tokens = distinct.astype(np.uint32).tobytes()
    owners = (distinct >> _OWNER_BITS).astype(np.intp)
    norms = k1 * (1.0 - b + b * lengths / AVERAGE_LENGTH)
    weights = ((k1 + 1.0) * counts / (counts + norms[owners])).astype(np.float32).tobytes()
    sizes = np.bincount(owners, minlength=len(packed)) * ID_BYTES
    ends = sizes.cumsum().tolist()
    return [(tokens[i:j], weights[i:j]) for i, j in zip([0, *ends], ends, strict=False)]


def weights_of(terms: Sequence[int], documents: Iterable[Sequence[str]]) -> np.ndarray:
    """Weights of some terms, given by ascending ids, in documents, given as words; without IDF.

    Shape (documents, terms); 0 where a document has not the term.
    """
    wanted = np.array(terms, dtype=np.uint32)
    vectors = document_vectors(documents)
    weights = np.zeros((len(vectors), len(wanted)))
    for row, (tokens, values) in enumerate(vectors):
        ids = np.frombuffer(tokens, dtype=np.uint32)
        if len(ids):
            at = np.minimum(np.searchsorted(ids, wanted), len(ids) - 1)
            weights[row] = np.frombuffer(values, dtype=np.float32)[at] * (ids[at] == wanted)
    return weights


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
