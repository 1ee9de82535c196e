"""The holes of ast-grep's patterns: `$NAME` for one node, `$$$NAME` for any number of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

from surveyor.structural.jobs import PatternSource

__all__ = ["HOLE", "holes_of", "patterns_of", "required_patterns", "required_words"]

HOLE = re.compile(r"\$\$\$(?:[A-Z_][A-Z0-9_]*)?|\$\$?[A-Z_][A-Z0-9_]*")
_WORD = re.compile(r"[^\W_]\w*|_\w+")
LEAST_WORD = 3
"""Characters of a word that tells texts apart."""
_ALL_OF = ("pattern", "all", "has", "inside", "precedes", "follows")
"""Parts of a rule whose words a text with a match has. Not `any`, `not`, `matches`, `regex`."""


def holes_of(source: PatternSource) -> list[str]:
    """Names of the holes, in their order: `$A` and `$$$B`; those that are only skipped are not."""
    texts = [source.pattern, *(text for text, _ in _patterns(source.rule))]
    found = [hole[0] for text in texts for hole in HOLE.finditer(text)]
    return [each for each in dict.fromkeys(found) if not each.lstrip("$").startswith("_")
            and each.lstrip("$")]  # fmt: skip


def required_patterns(source: PatternSource) -> list[str]:
    """Patterns that every text with a match has; fewer than there are where that is not sure."""
    return [source.pattern] if source.pattern else list(_required(source.rule.get("rule", {})))


def required_words(source: PatternSource) -> list[str]:
    """Words that every text with a match has."""
    return list(dict.fromkeys(word for text in required_patterns(source) for word in _words(text)))


def _words(pattern: str) -> Iterator[str]:
    """The words of a pattern outside of its holes, each between two of them."""
    ends = [0, *(end for hole in HOLE.finditer(pattern) for end in hole.span()), len(pattern)]
    for start, stop in list(pairwise(ends))[::2]:
        for word in _WORD.findall(pattern[start:stop]):
            if len(word) >= LEAST_WORD:
                yield word


def patterns_of(rule: Any) -> Iterator[str]:
    """The patterns in a rule that stand for themselves, without a context of their own."""
    return (text for text, has_context in _patterns(rule) if not has_context)


def _patterns(value: Any) -> Iterator[tuple[str, bool]]:
    """All patterns in a rule, and whether they are the context of what is looked for."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if key == "pattern" and isinstance(inner, Mapping):
                yield str(inner.get("context", "")), True
            elif key == "pattern" and isinstance(inner, str):
                yield inner, False
            else:
                yield from _patterns(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _patterns(inner)


def _required(rule: Any) -> Iterator[str]:
    if isinstance(rule, str):
        yield rule
    elif isinstance(rule, list):
        for each in rule:
            yield from _required(each)
    elif isinstance(rule, Mapping):
        for key, value in _positive(rule):
            # Of a pattern with a context only a part is looked for.
            if key != "pattern" or isinstance(value, str):
                yield from _required(value)


def _positive(rule: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    return ((key, rule[key]) for key in _ALL_OF if key in rule)
