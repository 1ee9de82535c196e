"""`embed`: texts as the vectors that the index and its searches use."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Literal

import numpy as np

from surveyor.embedding.contract import Embedder
from surveyor.embedding.sparse import document_vectors, query_vector
from surveyor.embedding.tokens import raw_words
from surveyor.engine.operations import Caller, operation
from surveyor.errors import UsageError
from surveyor.protocol.embedding import EmbeddedText, EmbedRequest, EmbedResponse, SparseVector

__all__ = ["EmbedOperations"]

MAX_TEXTS = 256
MAX_TEXT_CHARS = 100_000


class EmbedOperations:
    """Vectors of texts that are not in any index."""

    def __init__(self, embedder: Callable[[], Awaitable[Embedder]]) -> None:
        self._embedder = embedder

    @operation(EmbedRequest)
    async def embed(self, request: EmbedRequest, _: Caller) -> EmbedResponse:
        """Both vectors of each text. Raises `UsageError` for more or longer ones than fit."""
        if len(request.texts) > MAX_TEXTS:
            raise UsageError(f"at most {MAX_TEXTS} texts at once", "Send them in parts.")
        if any(len(text) > MAX_TEXT_CHARS for text in request.texts):
            raise UsageError(f"a text has more than {MAX_TEXT_CHARS:,} characters", "Cut it.")
        embedder = await self._embedder()
        vectors = await asyncio.to_thread(_vectors, embedder, request.texts, request.side)
        return EmbedResponse(
            model=embedder.name,
            fingerprint=embedder.fingerprint,
            dimension=embedder.dimension,
            vectors=vectors,
        )


def _vectors(
    embedder: Embedder, texts: Sequence[str], side: Literal["query", "document"]
) -> list[EmbeddedText]:
    if side == "query":
        dense = np.array([embedder.embed_query(text) for text in texts])
        sparse = [(one.indices, one.values) for one in map(query_vector, texts)]
    else:
        dense = embedder.embed_documents(texts)
        packed = document_vectors([raw_words(text) for text in texts])
        sparse = [
            (
                tuple(np.frombuffer(ids, dtype=np.uint32).tolist()),
                tuple(np.frombuffer(weights, dtype=np.float32).tolist()),
            )
            for ids, weights in packed
        ]
    return [
        EmbeddedText(
            dense=row.tolist(),
            sparse=SparseVector(indices=list(indices), values=list(values)),
        )
        for row, (indices, values) in zip(dense, sparse, strict=True)
    ]
