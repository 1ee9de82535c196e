"""The graph of a folder in memory, without an engine: for scripts, tests and measurements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from surveyor.graph.extract.file_graph import parse_with_graph
from surveyor.graph.facts import FileFacts, Row, decode_blobs, decode_facts, decode_references
from surveyor.graph.resolve.hints import IMPORT_MAP, IMPORT_TRACES, Hints
from surveyor.graph.resolve.model import MemorySource
from surveyor.graph.resolve.resolver import Resolution, Resolver

__all__ = ["MemoryGraph", "build"]


@dataclass(frozen=True, slots=True)
class MemoryGraph:
    """All files with their facts, references and what those mean."""

    facts: dict[str, FileFacts]
    references: dict[str, list[Row]]
    resolutions: dict[str, Resolution]


def build(files: Mapping[str, bytes]) -> MemoryGraph:
    """Parse and resolve files, given by their paths relative to a root.

    Manifests (tsconfig.json, go.mod …), the import map and traces count when they are among them.
    """
    facts: dict[str, FileFacts] = {}
    references: dict[str, list[Row]] = {}
    for path, data in files.items():
        parsed = parse_with_graph(path, data)
        if parsed.graph:
            blobs = decode_blobs(parsed.graph)
            facts[path] = decode_facts(blobs.facts)
            references[path] = decode_references(blobs.references)
    texts = {path: data.decode("utf-8", "replace") for path, data in files.items()}
    source = MemorySource(facts, texts)
    hints = Hints.read(texts.get(IMPORT_MAP), texts.get(IMPORT_TRACES), files)
    resolver = Resolver(source, hints)
    resolutions = {path: resolver.resolve(path, rows) for path, rows in references.items()}
    return MemoryGraph(facts, references, resolutions)
