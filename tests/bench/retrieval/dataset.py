"""The benchmark's data: repositories, questions and the files that answer them.

The format is that of `repos.json` and `annotations/NAME.json` (MinishLab/semble, MIT). A checkout
is a folder with the repository's files at the pinned revision; how it got there does not matter.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Target:
    """A file, or lines of it, that answers a question. Paths are relative to the repository."""

    path: str
    start_line: int = 0
    end_line: int = 0


@dataclass(frozen=True, slots=True)
class Question:
    repository: str
    text: str
    category: str
    targets: tuple[Target, ...]


@dataclass(frozen=True, slots=True)
class Repository:
    name: str
    language: str
    revision: str
    benchmark_root: str
    """The subtree that published figures index; empty for all of it."""
    questions: tuple[Question, ...]


def load(folder: Path) -> list[Repository]:
    """All repositories of a benchmark folder, in the order of `repos.json`."""
    found = []
    for entry in json.loads((folder / "repos.json").read_text(encoding="utf-8")):
        name = entry["name"]
        notes = json.loads((folder / "annotations" / f"{name}.json").read_text(encoding="utf-8"))
        found.append(
            Repository(
                name=name,
                language=entry["language"],
                revision=entry["revision"],
                benchmark_root=entry.get("benchmark_root") or "",
                questions=tuple(_question(name, note) for note in notes),
            )
        )
    return found


def _question(repository: str, note: dict[str, Any]) -> Question:
    targets = [_target(item) for key in ("relevant", "secondary") for item in note.get(key, [])]
    return Question(repository, note["query"], note["category"], tuple(targets))


def _target(item: str | dict[str, Any]) -> Target:
    if isinstance(item, str):
        return Target(item)
    return Target(item["path"], item.get("start_line", 0), item.get("end_line", 0))
