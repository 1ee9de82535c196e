"""A file's text as it is kept for searches of exact text, with its n-grams."""

from __future__ import annotations

from collections.abc import Sequence

from surveyor.embedding.ngrams import signature
from surveyor.parsing.source import MAX_TEXT_BYTES, SourceText
from surveyor.parsing.types import Chunk, StoredText
from surveyor.store.text_compression import compressed

__all__ = ["STORED_TEXT_VERSION", "normal_text", "stored_text"]

STORED_TEXT_VERSION = 4
"""Rises with any change of what is stored of a text, or noted."""


def normal_text(data: bytes) -> bytes:
    """A file's text as searches read it: valid UTF-8 without a mark, lines that end at `\\n`."""
    return SourceText.of(data[:MAX_TEXT_BYTES]).data.replace(b"\r\n", b"\n")


def stored_text(data: bytes, chunks: Sequence[Chunk] = ()) -> StoredText:
    """What to store of a file's bytes, which are masked, and which of its chunks are not in it."""
    text = normal_text(data)
    lines = text.decode().split("\n") if chunks else []
    apart = tuple(
        number
        for number, chunk in enumerate(chunks)
        if chunk.text != "\n".join(lines[chunk.start_line - 1 : chunk.end_line])
    )
    return StoredText(compressed(text), signature(text), apart)
