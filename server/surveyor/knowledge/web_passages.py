"""What a search of the web brings back."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["WebPassage", "WebPassages"]


@dataclass(frozen=True, slots=True)
class WebPassage:
    """A part of a page, or what the search service says of it."""

    url: str
    title: str
    text: str
    confidence: float = 0.0


@dataclass(frozen=True, slots=True)
class WebPassages:
    """What was found, and how."""

    passages: list[WebPassage] = field(default_factory=list)
    note: str = ""
    asked: str = ""
    """Where the question was sent; empty where it was not."""
