"""What a path alone says about a file: its words, and whether it is named as those that pass on.

Computed once per path and remembered, because ranking asks for every candidate of every query.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from surveyor.embedding.chunk_text import path_words
from surveyor.embedding.tokens import join_words, stem

__all__ = ["PathFacts", "path_facts"]

CACHED_PATHS = 50_000

_REEXPORT = re.compile(r"^(?:__init__\.pyi?|package-info\.java|module-info\.java|index\.d\.ts)$")


@dataclass(frozen=True, slots=True)
class PathFacts:
    """What ranking reads from a path."""

    reexport_name: bool
    """Named as files are that only pass on what others define."""
    stem: str
    """The file's stem (its folder's for `index` and `__init__`), joined and lower case."""
    says_more: bool
    """Whether its name has parts beside the stem and the ending: `SqlMapper.Async.cs`."""
    stem_words: frozenset[str]
    """Stemmed words of the stem."""
    folder_words: frozenset[str]
    """Stemmed words of the two folders nearest to the file."""
    words: frozenset[str]
    """Both."""


@lru_cache(maxsize=CACHED_PATHS)
def path_facts(path: str) -> PathFacts:
    """Facts about a path relative to its root, with forward slashes."""
    folder, _, name = path.rpartition("/")
    in_folders = _folder_words(folder)
    _, stem_words = path_words(path)
    in_stem = frozenset(map(stem, stem_words))
    return PathFacts(
        reexport_name=bool(_REEXPORT.match(name)),
        stem=join_words("".join(stem_words)),
        says_more=name.strip(".").count(".") > 1,
        stem_words=in_stem,
        folder_words=in_folders,
        words=in_stem | in_folders,
    )


@lru_cache(maxsize=CACHED_PATHS)
def _folder_words(folder: str) -> frozenset[str]:
    """The stemmed words of its last two names."""
    near = "/".join(folder.split("/")[-2:])
    words, _ = path_words(near + "/_") if near else ((), ())
    return frozenset(map(stem, words))
