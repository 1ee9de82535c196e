"""Batches of changes: what events hint at while one is collected, and what is handed over."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from watchdog.events import FileCreatedEvent, FileMovedEvent, FileSystemEvent

from surveyor.config import PROJECT_FILES
from surveyor.parsing.ignore import RULE_FILES

Reason = Literal["", "overflow", "rules", "limit", "returned"]


@dataclass(slots=True)
class ChangeBatch:
    """What happened in one root since the last batch. Paths are relative to the root."""

    root: Path
    modified: set[str] = field(default_factory=set)
    """Files that are there now and were created or written."""
    deleted: set[str] = field(default_factory=set)
    """Files and folders that are gone; a folder stands for everything below it."""
    renamed: list[tuple[str, str]] = field(default_factory=list)
    """Files: (old path, which is gone; new path, which is there)."""
    settings_changed: bool = False
    """A file of the project that holds settings was written or is gone, whatever they leave out."""
    git_changed: bool = False
    """HEAD, a branch, the index or the configuration of the repository was written."""
    overflow: bool = False
    """The folder has to be scanned; `reason` says why."""
    missing: bool = False
    """The root is not there any more."""
    reason: Reason = ""
    message: str = ""

    def __bool__(self) -> bool:
        return bool(
            self.modified
            or self.deleted
            or self.renamed
            or self.settings_changed
            or self.git_changed
            or self.overflow
            or self.missing
        )


@dataclass(slots=True)
class PendingEvents:
    """Events of one batch, by path; order within a batch does not matter, the disk decides."""

    touched: dict[str, None] = field(default_factory=dict)
    created: set[str] = field(default_factory=set)
    renamed: dict[str, str] = field(default_factory=dict)
    folders_gone: set[str] = field(default_factory=set)
    git_changed: bool = False
    touches_rules: bool = False
    touches_settings: bool = False
    reason: Reason = ""

    def file(self, event: FileSystemEvent, old: str | None, new: str | None) -> None:
        """Note an event of a file; a path is None when it is outside the root."""
        for path in (old, new):
            if path is not None and path.rpartition("/")[2] in RULE_FILES:
                self.touches_rules = True
            if path in PROJECT_FILES:
                self.touches_settings = True
        if isinstance(event, FileMovedEvent) and old is not None and new is not None:
            self._move(old, new)
            return
        for path in (old, new):
            if path is not None:
                self.touched[path] = None
                if isinstance(event, FileCreatedEvent):
                    self.created.add(path)

    def _move(self, old: str, new: str) -> None:
        """An editor's `write a temporary file, rename it over` is a change, not a rename."""
        if old in self.created:
            self.created.discard(old)
            self.created.add(new)
            self.touched[old] = None
            self.touched[new] = None
            return
        origin = next((first for first, last in self.renamed.items() if last == old), old)
        self.renamed[origin] = new
        if old in self.touched:
            # Written and renamed at once: it is both gone there and new here.
            self.touched[new] = None
            self.renamed.pop(origin, None)
            self.touched[origin] = None

    def folder_gone(self, path: str) -> None:
        """Note that a folder was removed, or moved away."""
        self.folders_gone.add(path)

    def git(self) -> None:
        """Note that the repository's state was written."""
        self.git_changed = True

    def rescan(self, reason: Reason) -> None:
        """Note that only a scan will tell; lost events outweigh changed rules."""
        if self.reason != "overflow":
            self.reason = reason


MESSAGES: dict[str, str] = {
    "overflow": "Too many files changed at once to follow; the folder is being scanned again.",
    "rules": "Ignore rules changed; the folder is being scanned again.",
    "returned": "The folder is back; it is being scanned again.",
}
"""What is said with an overflow, by reason."""
