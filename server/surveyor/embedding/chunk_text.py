"""What a chunk says to the two halves of the search: words of its path, scope, symbols, and code.

Owns the texts, not their vectors. The path stays out of the text that is embedded, so that moving
a file embeds nothing again; it enters the sparse vector, and the dense one by late fusion
(the worker adds `PATH_WEIGHT` times the vector of `path_text`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from surveyor.embedding.tokens import split_words, words_of

__all__ = [
    "PATH_WEIGHT",
    "ChunkText",
    "chunk_text",
    "embed_text",
    "header_words",
    "path_text",
    "path_words",
]

PATH_WEIGHT = 0.5
"""Share of the path's vector in a chunk's dense vector, relative to the body's."""

SYMBOLS_IN_HEADER = 12
"""Names a header lists; a chunk of many small definitions says the rest in its code."""

_UNTELLING = """
src lib libs main java python kotlin scala packages package pkg internal index init mod
"""

UNTELLING = frozenset(_UNTELLING.split())
"""Folder and file names that say nothing about what is in them."""


class SymbolText(Protocol):
    """What is read of a chunk: its code, and the names in and around it."""

    @property
    def symbol_name(self) -> str:
        """The definition that it is, or is a part of; empty for none."""

    @property
    def symbols(self) -> Sequence[str]:
        """Names that it defines."""

    @property
    def parent_symbol(self) -> str:
        """Names around it, joined with dots."""

    @property
    def text(self) -> str:
        """Its code."""


@dataclass(frozen=True, slots=True)
class ChunkText:
    """The parts of a chunk that are searched, each as text."""

    path_words: tuple[str, ...]
    """Words of the folders and of the file's stem, lower case, the stem's last."""
    stem_words: tuple[str, ...]
    """Words of the file's stem alone (the folder's where the stem is `index` or `__init__`)."""
    scope_words: tuple[str, ...]
    """Words of the enclosing symbols' names."""
    symbols: tuple[str, ...]
    """Names that the chunk defines or is a fragment of, as written."""
    code: str


@lru_cache(maxsize=20_000)
def path_words(path: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Words of a path relative to its root: those of folders and stem, and the stem's alone."""
    *inside, name = path.split("/")
    stem = name.split(".", 1)[0] or name
    folders = [part for part in inside if part not in UNTELLING]
    if stem.strip("_").lower() in UNTELLING and folders:
        stem = folders[-1]
    stem_words = split_words(stem)
    words = [word for folder in folders[-4:] for word in words_of(folder)]
    return (*words, *stem_words), stem_words


def chunk_text(path: str, chunk: SymbolText) -> ChunkText:
    """The searched parts of a chunk of the file at `path` (relative, forward slashes)."""
    words, stem_words = path_words(path)
    names = dict.fromkeys(name for name in (chunk.symbol_name, *chunk.symbols) if name)
    return ChunkText(
        path_words=words,
        stem_words=stem_words,
        scope_words=tuple(words_of(chunk.parent_symbol)),
        symbols=tuple(names)[:SYMBOLS_IN_HEADER],
        code=chunk.text,
    )


def titled_text(title: str, text: str) -> ChunkText:
    """The searched parts of a text that is no chunk of a file, under its title."""
    return ChunkText(
        path_words=(), stem_words=(), scope_words=tuple(words_of(title)), symbols=(), code=text
    )


def header_words(text: ChunkText) -> list[str]:
    """Scope and symbol names as words."""
    return [*text.scope_words, *(word for name in text.symbols for word in split_words(name))]


def embed_text(text: ChunkText, header: Sequence[str]) -> str:
    """The text that is embedded: the words of its header, then the code; never the path."""
    return " ".join(header) + "\n" + text.code if header else text.code


def path_text(path: str) -> str:
    """The words of a path as the text that is embedded once per file."""
    words, stem_words = path_words(path)
    return " ".join((*words, *stem_words))
