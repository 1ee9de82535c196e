"""The words that mean the object or the class around them, by language.

Everywhere else `parent`, `base` or `self` is a variable like any other.
"""

from __future__ import annotations

__all__ = ["self_words", "super_words"]

_SELF = {
    "python": frozenset({"self", "cls"}),
    "ruby": frozenset({"self"}),
    "rust": frozenset({"self", "Self"}),
    "php": frozenset({"this", "self", "static"}),
    "go": frozenset[str](),
}
_THIS = frozenset({"this"})
_SUPER = {
    "php": frozenset({"parent"}),
    "csharp": frozenset({"base"}),
    "c": frozenset[str](),
    "cpp": frozenset[str](),
    "go": frozenset[str](),
    "rust": frozenset[str](),  # `super` is a module
}
_PLAIN_SUPER = frozenset({"super"})


def self_words(language: str) -> frozenset[str]:
    """What an object or its class is called inside of it."""
    return _SELF.get(language, _THIS)


def super_words(language: str) -> frozenset[str]:
    """What an object's base is called inside of it."""
    return _SUPER.get(language, _PLAIN_SUPER)
