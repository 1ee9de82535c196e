"""Structural search in an index worker, as messages: the question and its answer.

Imported wherever jobs are sent or read: nothing that takes time to import belongs here.
"""

from __future__ import annotations

from typing import Any

import msgspec

from surveyor.structural.grammars import Grammar

__all__ = ["FileMatches", "PatternJob", "PatternSource"]


class PatternSource(msgspec.Struct, frozen=True):
    """What is looked for: a pattern, or the parts of an ast-grep rule."""

    pattern: str = ""
    rule: dict[str, Any] = {}
    """`rule`, `constraints` and `utils` as ast-grep takes them; empty for a pattern."""
    rule_text: str = ""
    """The rule as it was written, so that what is wrong with it can be said with its line."""
    rewrite: str | None = None
    """What a match becomes; `$NAME` and `$$$NAME` stand for what they matched."""


class PatternJob(msgspec.Struct, frozen=True, tag="pattern"):
    """Match texts of one language; without any, only see whether the source can be read."""

    source: PatternSource
    grammar: Grammar
    doc_ids: list[int] = []
    """Documents whose stored texts are matched."""
    texts: list[bytes] = []
    """Texts that are matched after those: unsaved ones, and those that are not stored whole."""
    most: int = 0
    """Matches after which a text is left."""
    markup: str = ""
    """Language of texts that hold scripts and styles; empty where all of a text is `grammar`."""
    parts: tuple[Grammar, ...] = ()
    """Languages of a markup's scripts and styles that are matched; where `grammar` is none of them,
    all of the text is matched in that, too."""


class FileMatches(msgspec.Struct, array_like=True):
    """The matches of one text, in its order."""

    spans: list[tuple[int, int]] = []
    """Where each begins and ends, in bytes."""
    captures: list[dict[str, str]] = []
    """Of each, by name, what the holes matched."""
    rewritten: bytes | None = None
    """The text with its matches rewritten, where that is asked for and changes it."""
    is_damaged: bool = False
    """The stored text cannot be read."""
