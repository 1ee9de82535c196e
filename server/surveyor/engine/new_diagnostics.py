"""What is asked about a change's diagnostics, and what is answered: no server is needed for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

__all__ = ["ChangedDocument", "DiagnosesChanges", "NewDiagnostic", "NewDiagnostics"]


@dataclass(frozen=True, slots=True)
class ChangedDocument:
    """A changed file, or one that depends on one."""

    path: str
    before: str | None = None
    """Its text before the change, empty where it is new; None for one that did not change."""
    after: str | None = None
    """Its text now; None for what is on disk."""
    old_path: str = ""
    """Where it was, if that is another path."""


@dataclass(frozen=True, slots=True)
class NewDiagnostic:
    """An error or a warning that was not there before."""

    path: str
    line: int
    """1-based."""
    column: int
    """0-based UTF-16."""
    message: str
    server: str
    is_error: bool
    is_compared: bool
    """Whether the server was asked about the texts before the change as well."""
    text: str = ""
    """The line that it stands in."""
    code: str = ""
    """What the server calls this kind of thing."""


@dataclass(slots=True)
class NewDiagnostics:
    """What servers say of a change."""

    found: list[NewDiagnostic] = field(default_factory=list)
    lacks: list[str] = field(default_factory=list)
    """What was not looked at, each in a few words."""
    before: list[NewDiagnostic] = field(default_factory=list)
    """What they had found in the texts from before the change, where they were shown them."""
    gone: list[NewDiagnostic] = field(default_factory=list)
    """Of that, what they do not find any more."""


class DiagnosesChanges(Protocol):
    """Asks language servers about a change."""

    async def new_diagnostics(
        self, root: str, documents: Sequence[ChangedDocument]
    ) -> NewDiagnostics:
        """What they find in changed documents and those that depend on them, and did not before."""
