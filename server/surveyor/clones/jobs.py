"""Taking fingerprints in an index worker, as messages: the question and its answer.

Imported wherever jobs are sent or read: nothing that takes time to import belongs here.
"""

from __future__ import annotations

import msgspec

__all__ = ["CodeRange", "Fingerprint", "FingerprintJob"]


class CodeRange(msgspec.Struct, array_like=True, frozen=True):
    """Lines of a text, 1-based, and the name of what they define ('' for none)."""

    start_line: int
    end_line: int
    name: str = ""


class FingerprintJob(msgspec.Struct, frozen=True, tag="fingerprints"):
    """Take the fingerprints of ranges of one text."""

    path: str
    """From the root: decides the language."""
    data: bytes
    ranges: list[CodeRange]
    is_part: bool = False
    """The text is a piece of a file: what it needs around it to be read is put there."""


class Fingerprint(msgspec.Struct, array_like=True):
    """What a piece of code does, told by what renaming and reordering leave as it is."""

    tokens: int = 0
    """Names, literals and operators; no brackets, no comments."""
    names: dict[str, int] = {}
    """What it names that it does not itself bind (calls, members, types, constants), and how
    often."""
    calls: list[str] = []
    """Those of the names that are called, each once."""
    literals: dict[str, int] = {}
    shape: dict[int, int] = {}
    """Hashes of steps down the syntax tree, without the words in it."""
    words: dict[str, int] = {}
    """Parts of all its identifiers, those that it binds among them."""
    parameters: int = -1
    """How many it takes; -1 where no list of them was seen."""
    title: list[str] = []
    """Parts of its own name."""
    names_itself: bool = False
    """It calls something of its own name: itself, or an overload that does the work."""
