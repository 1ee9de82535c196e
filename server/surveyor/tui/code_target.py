"""A place in a file that a list of the UI leads to."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class CodeTarget:
    """Lines of a file: shown beside the list, opened in an editor, asked about for its impact."""

    root: str
    path: str
    """Relative to the root, or absolute."""
    line: int
    """1-based; the one to jump to."""
    column: int | None = None
    """0-based."""
    first_line: int = 0
    last_line: int = 0
    """What is meant around `line`; 0 where it is that line alone."""
    branch: str | None = None
    """That the text is of, where it may not be what is checked out."""
    language: str | None = None
    name: str = ""
    """What is defined there, as a question about the graph names it; empty where nothing is."""

    @property
    def file(self) -> Path:
        """The file on disk."""
        return Path(self.root) / self.path

    @property
    def question(self) -> str:
        """How the graph is asked about it."""
        return f"{self.path}:{self.name}" if self.name else self.path
