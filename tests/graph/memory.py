"""A small project given as text, and what the graph says of it in memory."""

from __future__ import annotations

from textwrap import dedent

from surveyor.graph.library import MemoryGraph, build


def graph(files: dict[str, str]) -> MemoryGraph:
    """Of files by path; their texts may be indented."""
    return build({path: dedent(text).encode() for path, text in files.items()})


def edges(made: MemoryGraph, score: float = 0.5) -> set[tuple[str, str, str]]:
    """(path of the use, definition around it, `path::definition` used)."""
    return {
        (path, edge.source, f"{edge.target.path}::{edge.target.qualname}")
        for path, resolution in made.resolutions.items()
        for edge in resolution.edges
        if edge.score >= score
    }


def imports(made: MemoryGraph, path: str) -> list[tuple[str, str, str]]:
    """(module, file that is meant, why none is) of a file's imports."""
    return [(i.module, i.target, i.reason) for i in made.resolutions[path].imports]


def uses(made: MemoryGraph, path: str) -> set[tuple[int, str]]:
    """(line of the use, qualified name used) of all sure edges of a file."""
    return {
        (edge.line, edge.target.qualname)
        for edge in made.resolutions[path].edges
        if edge.score >= 0.5
    }


def names(made: MemoryGraph, path: str) -> list[str]:
    """Qualified names of a file's definitions, in their order."""
    return [name.qualname for name in made.facts[path].names]
