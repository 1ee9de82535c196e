"""What the vector store lacks of a project while its points are made again, and who knows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

__all__ = ["LackingPoints", "WhoKnowsPoints"]


@dataclass(frozen=True, slots=True)
class LackingPoints:
    """Points that a project should have and its space has not, or cannot say."""

    missing: int
    total: int
    """How many it should have."""
    why: str
    """In words, as they follow a colon."""
    documents: frozenset[int] | None = None
    """The documents that they are of; None where that is not known: any."""

    @property
    def is_all(self) -> bool:
        """Whether there is nothing to ask the store for."""
        return self.missing >= self.total

    @property
    def said(self) -> str:
        """What answers may lack, in one line."""
        some = f"{self.missing} of {self.total}" if self.total else "Some"
        return f"{some} chunks are found by words and names alone, not by meaning: {self.why}."


class WhoKnowsPoints(Protocol):
    """Interface: which projects' points are not all there."""

    def is_whole(self, project_id: str) -> bool:
        """Whether all points of a project are known to be there."""

    async def lacking(self, project_id: str) -> LackingPoints | None:
        """What is not there, looked up where nobody knows yet; None where all is."""
