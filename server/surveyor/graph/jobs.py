"""The graph's work in an index worker, as messages: what a job asks for, and what it answers.

Imported wherever jobs are sent or read, also by a worker that has no graph to make yet: nothing
that takes time to import belongs here.
"""

from __future__ import annotations

from typing import Literal

import msgspec

__all__ = [
    "MAX_MANIFEST_BYTES",
    "NEW_IDS",
    "EdgeRow",
    "ExtractedGraph",
    "FormerUse",
    "GraphJob",
    "GraphRanks",
    "NodeRow",
    "OutlinedFile",
    "PreviewedFile",
    "ResolvedFile",
]

MAX_MANIFEST_BYTES = 1 << 20
"""Larger manifests, import maps and traces are not read."""
NEW_IDS = 1 << 60
"""Ids from here on are of what is not stored: no row of a table has one."""


MEMBERS_APART = frozenset({"java", "kotlin", "php", "rust", "ruby"})
"""Languages in which a field and a method of one type may have one name."""
FIELD_KINDS = frozenset({"field", "property", "variable", "constant", "member"})


class GraphJob(msgspec.Struct, frozen=True, tag="graph"):
    """Work for a checkout's graph. `generation` changes whenever its files may have."""

    kind: Literal["extract", "outline", "resolve", "rank", "preview", "former", "importers"]
    checkout_id: str
    root: str
    generation: int
    paths: list[str] = []
    traces: bool = True
    start: dict[int, float] = {}
    """For `rank`: nodes, and files by negative id, to begin from. Empty: all, and all are told."""
    below: str = ""
    """For `rank` with a start: how the paths begin whose definitions are wanted."""
    limit: int = 0
    """For `rank` with a start: how many are wanted."""
    buffers: dict[str, bytes] = {}
    """For `preview`: the graphs of unsaved files, encoded, by path. For `former`: those of files as
    they were. For `importers`: those of files that are gone."""
    gone: dict[str, list[str]] = {}
    """For `former`: qualified names, by path, of what is sought: what the buffers define and the
    files do not now, or what types of `rebased` had from others."""
    rebased: dict[str, list[str]] = {}
    """For `former`: qualified names, by path, of types that extend what they did in the buffers."""


class ExtractedGraph(msgspec.Struct, array_like=True):
    """A document's graph, extracted after the document was stored."""

    doc_id: int
    graph: bytes


class NodeRow(msgspec.Struct, array_like=True):
    """A definition as it is stored."""

    qualname: str
    name: str
    kind: str
    start_line: int
    end_line: int
    line: int
    column: int
    end_column: int
    places: list[tuple[int, int, int, int, int]] = []
    """Start line, end line, line, column and end column of other definitions of this name."""


class OutlinedFile(msgspec.Struct, array_like=True):
    """What a file defines, and a hash by name of all that other files can see of it."""

    path: str
    doc_id: int
    package: str
    is_test: bool
    outline: dict[str, int]
    nodes: list[NodeRow]


class EdgeRow(msgspec.Struct, array_like=True):
    """A use of a node."""

    line: int
    column: int
    target: int
    kind: int
    end_column: int
    source: int
    score: float


class ResolvedFile(msgspec.Struct, array_like=True):
    """What a file uses; imports are (line, module, kind, target file id or 0, reason)."""

    path: str
    doc_id: int
    edges: list[EdgeRow]
    imports: list[tuple[int, str, str, int, str]]
    left: bytes = b""
    """Uses that are not followed (`left_uses`)."""


class PreviewedFile(msgspec.Struct, array_like=True):
    """What an unsaved file defines and uses, in place of what is stored of it."""

    file_id: int
    outlined: OutlinedFile
    node_ids: list[int]
    """Of the nodes of `outlined`: that of the stored one of the same name, else a new one."""
    resolved: ResolvedFile


class FormerUse(msgspec.Struct, array_like=True, frozen=True):
    """A use of what is gone: where it stands, and what it meant while that was there."""

    path: str
    line: int
    column: int
    gone_path: str
    qualname: str
    score: float


class FormerImport(msgspec.Struct, array_like=True, frozen=True):
    """An import of a file that is gone."""

    path: str
    line: int
    module: str
    """As it is written."""
    kind: str
    gone_path: str


class GraphRanks(msgspec.Struct, array_like=True):
    """Importance of nodes and files, 1 on average; no files for a rank with a start."""

    nodes: list[tuple[int, float]]
    files: list[tuple[int, float]]
