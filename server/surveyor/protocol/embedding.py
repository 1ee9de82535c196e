"""Texts as the vectors that the index and its searches use."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from surveyor.protocol.base import Model, Request

__all__ = ["EmbedRequest", "EmbedResponse", "EmbeddedText", "SparseVector"]


class SparseVector(Model, kw_only=True):
    """Weights of terms, without inverse document frequency: the store multiplies by that."""

    indices: list[int]
    """Ids of terms, ascending."""
    values: list[float]
    """Their weights, in the same order."""


class EmbeddedText(Model, kw_only=True):
    """What one text is compared by."""

    dense: list[float]
    """Of length 1; all zeros where the model knows no word of the text."""
    sparse: SparseVector


class EmbedResponse(Model, kw_only=True):
    """Vectors in the order of the texts."""

    model: str
    fingerprint: str
    """Changes with anything that changes the vectors: those of another are not comparable."""
    dimension: int
    """Length of a dense vector."""
    vectors: list[EmbeddedText]
    """One of each text."""


class EmbedRequest(Request[EmbedResponse], kw_only=True):
    """Embed texts with the model in use, as the index does."""

    operation: ClassVar[str] = "embed"
    answer: ClassVar[type[Any]] = EmbedResponse

    texts: list[str]
    """At most 256, of at most 100,000 characters each."""
    side: Literal["query", "document"] = "document"
    """Weights of terms differ: a document's grow with how often it has one."""
