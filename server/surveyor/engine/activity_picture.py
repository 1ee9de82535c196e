"""A session's path through the code as a picture: files in the order in which it came to them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from surveyor.protocol.activity import ActivityCall

__all__ = ["activity_picture"]

MAX_FILES = 60
_DOT = {"\\": "\\\\", '"': '\\"', "&": "&amp;"}
_ENTITIES = {"#": "#35;", '"': "#quot;", "<": "#lt;", ">": "#gt;", "&": "#amp;", "`": "#96;"}


@dataclass(slots=True)
class _Step:
    """A file on the way."""

    path: str
    reads: int = 0
    edits: int = 0
    lines: set[tuple[int, int]] = field(default_factory=set)

    def label(self) -> list[str]:
        """Its name, and what was done there."""
        done = [f"read {self.reads} times" if self.reads > 1 else "read"] if self.reads else []
        done += [f"edited {self.edits} times" if self.edits > 1 else "edited"] if self.edits else []
        spans = ", ".join(f"{a}-{b}" if b > a else f"{a}" for a, b in sorted(self.lines)[:4])
        return [_printable(self.path), f"{', '.join(done)}: {spans}{' …' * (len(self.lines) > 4)}"]


def activity_picture(kind: Literal["dot", "mermaid"], calls: Sequence[ActivityCall]) -> str:
    """The path as DOT or Mermaid; what was edited is marked."""
    steps, ways = _path(calls)
    names = {path: f"n{number}" for number, path in enumerate(steps)}
    return _dot(steps, names, ways) if kind == "dot" else _mermaid(steps, names, ways)


def _path(
    calls: Iterable[ActivityCall],
) -> tuple[dict[str, _Step], dict[tuple[str, str], str]]:
    """Files in the order of their first use, and by which call each is come to."""
    steps: dict[str, _Step] = {}
    ways: dict[tuple[str, str], str] = {}
    before: str | None = None
    for call in calls:
        for place in call.places:
            if place.path not in steps and len(steps) >= MAX_FILES:
                continue
            step = steps.setdefault(place.path, _Step(place.path))
            step.reads += place.kind == "read"
            step.edits += place.kind == "edited"
            step.lines.add((place.first, place.last))
            if before is not None and before != place.path:
                ways.setdefault((before, place.path), call.tool)
            before = place.path
    return steps, ways


def _dot(steps: dict[str, _Step], names: dict[str, str], ways: dict[tuple[str, str], str]) -> str:
    lines = ["digraph session {", "  rankdir=LR;", "  node [shape=box, fontname=sans];"]
    for path, step in steps.items():
        label = "\\n".join(_escaped(part, _DOT) for part in step.label())
        marked = ", style=filled, fillcolor=lightgoldenrod" if step.edits else ""
        lines.append(f'  {names[path]} [label="{label}"{marked}];')
    lines += [
        f'  {names[a]} -> {names[b]} [label="{_escaped(tool, _DOT)}"];'
        for (a, b), tool in ways.items()
    ]
    return "\n".join([*lines, "}"]) + "\n"


def _mermaid(
    steps: dict[str, _Step], names: dict[str, str], ways: dict[tuple[str, str], str]
) -> str:
    lines = ["flowchart LR"]
    for path, step in steps.items():
        label = "<br/>".join(_escaped(part, _ENTITIES) for part in step.label())
        lines.append(f'  {names[path]}["{label}"]')
    lines += [
        f"  {names[a]} -- {_escaped(tool, _ENTITIES)} --> {names[b]}"
        for (a, b), tool in ways.items()
    ]
    edited = [names[path] for path, step in steps.items() if step.edits]
    if edited:
        lines += [
            "  classDef edited fill:#ffe9a8,stroke:#a07000",
            f"  class {','.join(edited)} edited",
        ]
    return "\n".join(lines) + "\n"


def _escaped(text: str, table: dict[str, str]) -> str:
    return "".join(table.get(character, character) for character in text)


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
