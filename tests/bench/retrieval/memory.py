"""The product's own functions without its processes: walk, parse, vectors and ranking in memory.

Dense search is exact and IDF is computed as Qdrant does, so that what is measured here is the
method; `product` measures the same through the engine.
"""

from __future__ import annotations

import hashlib
import pickle
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import log
from pathlib import Path
from time import process_time

import msgspec
import numpy as np
from numpy.typing import NDArray

from surveyor.embedding.chunk_text import (
    PATH_WEIGHT,
    chunk_text,
    embed_text,
    header_words,
    path_text,
)
from surveyor.embedding.contract import Embedder
from surveyor.embedding.sparse import (
    K1,
    B,
    document_vectors,
    document_words,
    query_vector,
    token_id,
)
from surveyor.embedding.tokens import raw_words
from surveyor.files.file_class import labels_of
from surveyor.graph.extract.file_graph import parse_with_graph
from surveyor.parsing.languages import CHUNKER_VERSION
from surveyor.parsing.types import Chunk
from surveyor.parsing.walk import WalkedFile, walk
from surveyor.search.expand import joined
from surveyor.search.query import Query
from surveyor.search.rank import Candidate
from surveyor.search.scope import CANDIDATES, OTHERS

BATCH = 256


@dataclass(slots=True)
class Cost:
    """CPU seconds of this process, by what they were spent on."""

    parsing: float = 0.0
    dense: float = 0.0
    sparse: float = 0.0


@dataclass(slots=True)
class MemoryIndex:
    """Chunks of a folder with their vectors."""

    candidates: list[Candidate]
    chunks: list[Chunk]
    dense: NDArray[np.float32]
    postings: dict[int, tuple[NDArray[np.int32], NDArray[np.float32]]]
    names: dict[str, list[int]] = field(default_factory=dict)
    """Lower-case name -> chunks that define it."""
    cost: Cost = field(default_factory=Cost)

    def text(self, row: str) -> str:
        return self.chunks[int(row)].text

    def says(self, word: str) -> bool:
        """Whether a stemmed word stands in any chunk."""
        return token_id(word) in self.postings

    def candidates_for(
        self,
        query: Query,
        vector: NDArray[np.float32],
        mode: str,
        pooled: bool = True,
        added: dict[str, float] | None = None,
    ) -> list[Candidate]:
        """What the sides find, and the chunks that define names of the query.

        `vector` is the query's; `pooled` as the product does: code and the rest apart; `added` are
        terms of query expansion.
        """
        rows = np.arange(len(self.candidates))
        code = np.array([c.file_type == "code" for c in self.candidates], dtype=bool)
        if not pooled or query.wants & {"tests", "docs", "config"}:
            code[:] = True
        sides: list[dict[int, tuple[int, float]]] = [{}, {}]
        if mode != "keyword" and len(rows):
            sides[0] = _hits(self.dense @ vector, rows, code)
        if mode != "semantic" and len(rows):
            found = _hits(self._sparse(query, added or {}), rows, code)
            sides[1] = {row: hit for row, hit in found.items() if hit[1] > 0}
        kept = dict.fromkeys([*sides[0], *sides[1]])
        for symbol in query.symbols:
            kept.update(dict.fromkeys(self.names.get(symbol.name.lower(), ())))
        for path, line in [(each.path, each.line) for each in query.places]:
            kept.update(dict.fromkeys(self._at(path, line)))
        return [self._candidate(row, sides[0].get(row), sides[1].get(row)) for row in kept]

    def _candidate(
        self, row: int, dense: tuple[int, float] | None, sparse: tuple[int, float] | None
    ) -> Candidate:
        return msgspec.structs.replace(
            self.candidates[row],
            dense_rank=dense[0] if dense else 0,
            sparse_rank=sparse[0] if sparse else 0,
            dense=dense[1] if dense else None,
            sparse=sparse[1] if sparse else None,
        )

    def _at(self, path: str, line: int) -> list[int]:
        """Chunks of the file that the query names, on its line if it names one."""
        name = path.rsplit("/", 1)[-1]
        return [
            row
            for row, each in enumerate(self.candidates)
            if each.path.rsplit("/", 1)[-1] == name
            and (not line or each.start_line <= line <= each.end_line)
        ]

    def _sparse(self, query: Query, added: dict[str, float]) -> NDArray[np.float32]:
        count = len(self.candidates)
        scores = np.zeros(count, dtype=np.float32)
        vector = joined(query_vector(query.keywords), added)
        for token, weight in zip(vector.indices, vector.values, strict=True):
            if token in self.postings:
                rows, values = self.postings[token]
                idf = log((count - len(rows) + 0.5) / (len(rows) + 0.5) + 1)
                scores[rows] += weight * idf * values
        return scores


def _hits(
    scores: NDArray[np.float32], rows: NDArray[np.int64], code: NDArray[np.bool_]
) -> dict[int, tuple[int, float]]:
    """Row -> (rank, score): code ranked among code, the rest among everything."""
    order = rows[np.argsort(-scores, kind="stable")]
    main = order[code[order]][:CANDIDATES]
    found = {int(row): (rank, float(scores[row])) for rank, row in enumerate(main, 1)}
    for position, row in enumerate(order[~code[order]][:OTHERS], 1):
        above = int(np.sum(scores[main] > scores[row]))
        found[int(row)] = (position + above, float(scores[row]))
    return found


def build(
    root: Path,
    embedder: Embedder,
    k1: float = K1,
    b: float = B,
    *,
    path_weight: float = PATH_WEIGHT,
    cache: Path | None = None,
) -> MemoryIndex:
    """Index a folder as the product would.

    With a `cache` folder the index is read from there, if one was made of the same folder with the
    same chunker, model and constants; files that changed since are not noticed.
    """
    made_of = (str(root), CHUNKER_VERSION, embedder.fingerprint, k1, b, path_weight)
    digest = hashlib.blake2b(repr(made_of).encode(), digest_size=8).hexdigest()
    stored = cache / f"{root.name}-{digest}.pickle" if cache else None
    if stored is not None and stored.is_file():
        index: MemoryIndex = pickle.loads(stored.read_bytes())
        return index
    index = _build(root, embedder, k1, b, path_weight)
    if stored is not None:
        stored.parent.mkdir(parents=True, exist_ok=True)
        stored.write_bytes(pickle.dumps(index))
    return index


def _build(root: Path, embedder: Embedder, k1: float, b: float, path_weight: float) -> MemoryIndex:
    started = process_time()
    candidates: list[Candidate] = []
    chunks: list[Chunk] = []
    for found in walk(root):
        if isinstance(found, WalkedFile):
            parsed = parse_with_graph(found.path, (root / found.path).read_bytes())
            kind = parsed.file_type
            for chunk in parsed.chunks:
                row = len(chunks)
                chunks.append(chunk)
                candidates.append(_base(str(row), found.path, kind, chunk, parsed.is_reexport))
    index = MemoryIndex(candidates, chunks, np.zeros((0, 0), np.float32), {})
    parsed_at = process_time()
    _embed(index, embedder, path_weight)
    embedded_at = process_time()
    _invert(index, k1, b)
    index.cost = Cost(parsed_at - started, embedded_at - parsed_at, process_time() - embedded_at)
    for row, candidate in enumerate(candidates):
        for name in {candidate.symbol_name, *candidate.symbols}:
            index.names.setdefault(name.lower(), []).append(row)
    index.names.pop("", None)
    return index


def _base(row: str, path: str, file_type: str, chunk: Chunk, is_reexport: bool) -> Candidate:
    return Candidate(
        id=row,
        path=path,
        start_line=chunk.start_line,
        end_line=chunk.end_line,
        kind=chunk.kind,
        file_type=file_type,
        symbol_name=chunk.symbol_name,
        symbol_kind=chunk.symbol_kind,
        parent_symbol=chunk.parent_symbol,
        symbols=chunk.symbols,
        is_fragment=chunk.is_fragment,
        is_reexport=is_reexport,
        labels=labels_of(path, file_type),
    )


def _embed(index: MemoryIndex, embedder: Embedder, path_weight: float) -> None:
    """Vectors of bodies, with those of their paths mixed in."""
    paths = sorted({candidate.path for candidate in index.candidates})
    parts = [
        chunk_text(candidate.path, chunk)
        for candidate, chunk in zip(index.candidates, index.chunks, strict=True)
    ]
    texts = [embed_text(part, header_words(part)) for part in parts]
    bodies = _vectors(texts, embedder)
    of_path = dict(zip(paths, _vectors([path_text(path) for path in paths], embedder), strict=True))
    if texts:
        mixed = bodies + path_weight * np.stack([of_path[c.path] for c in index.candidates])
        norms = np.linalg.norm(mixed, axis=1, keepdims=True)
        index.dense = np.asarray(mixed / np.maximum(norms, 1e-9), dtype=np.float32)


def _vectors(texts: Sequence[str], embedder: Embedder) -> NDArray[np.float32]:
    parts = [
        embedder.embed_documents(list(texts[i : i + BATCH])) for i in range(0, len(texts), BATCH)
    ]
    return np.concatenate(parts) if parts else np.zeros((0, embedder.dimension), np.float32)


def _invert(index: MemoryIndex, k1: float, b: float) -> None:
    rows: dict[int, list[int]] = {}
    weights: dict[int, list[float]] = {}
    for row, (candidate, chunk) in enumerate(zip(index.candidates, index.chunks, strict=True)):
        text = chunk_text(candidate.path, chunk)
        words = document_words(text, raw_words(text.code))
        ((tokens, values),) = document_vectors([words], k1, b)
        for token, value in zip(array("I", tokens), array("f", values), strict=True):
            rows.setdefault(token, []).append(row)
            weights.setdefault(token, []).append(value)
    index.postings = {
        token: (np.asarray(rows[token], np.int32), np.asarray(weights[token], np.float32))
        for token in rows
    }
