"""What is compared in `graph.py`: files of a language, samples, members that belong together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path
from typing import Any

from surveyor.graph.facts import KIND_CODES, DefinedName, FileFacts
from surveyor.graph.library import MemoryGraph
from surveyor.graph.resolve.certainty import CERTAIN
from surveyor.graph.resolve.values import TYPE_KINDS, DefinitionKey
from surveyor.parsing.languages import language_of

MANIFESTS = (
    "tsconfig.json",
    "package.json",
    "go.mod",
    "Cargo.toml",
    "jsconfig.json",
    "pubspec.yaml",
    "foundry.toml",
    "remappings.txt",
)
SKIPPED_FOLDERS = frozenset({"node_modules", ".git", ".venv", "dist", "build", "target"})
MAX_BYTES = 300_000
"""Larger files are generated or bundled."""

FAMILIES = {
    "python": {"python"},
    "typescript": {"typescript", "javascript"},
    "cpp": {"c", "cpp"},
    "go": {"go"},
    "rust": {"rust"},
    "java": {"java"},
    "php": {"php"},
    **{
        name: {name}
        for name in (
            "bash",
            "csharp",
            "dart",
            "elixir",
            "haskell",
            "julia",
            "kotlin",
            "lua",
            "ruby",
            "scala",
            "solidity",
            "swift",
            "zig",
        )
    },
}


def read(root: Path, language: str, skip: frozenset[str] = frozenset()) -> dict[str, bytes]:
    """The files of a language under a folder, and the manifests beside them."""
    files: dict[str, bytes] = {}
    for path in sorted(root.rglob("*")):
        relative = path.relative_to(root)
        hidden = any(part.startswith(".") for part in relative.parts)
        skipped = (SKIPPED_FOLDERS | skip).intersection(relative.parts)
        if hidden or skipped or not path.is_file():
            continue
        if path.stat().st_size > MAX_BYTES:
            continue
        found = language_of(relative.as_posix())
        manifest = path.name in MANIFESTS or path.match("tsconfig*.json")
        if manifest or (found is not None and found.family in FAMILIES[language]):
            files[relative.as_posix()] = path.read_bytes()
    return files


def is_of_literal(facts: FileFacts, name: DefinedName) -> bool:
    """Whether a method is written in an object literal.

    TypeScript's server answers for it with the uses of the interface's member that it stands for.
    """
    if name.kind != "method" or facts.language not in ("typescript", "tsx", "javascript"):
        return False
    return not any(
        other.qualname == name.container and other.kind in TYPE_KINDS for other in facts.names
    )


def is_import(facts: FileFacts, name: DefinedName) -> bool:
    """Whether a variable is what an import binds: `const { a } = require("./a")`."""
    return any(
        link.line == name.line and name.name in (link.alias, *(local for _, local in link.names))
        for link in facts.imports
    )


def families_of(graph: MemoryGraph) -> dict[DefinitionKey, set[DefinitionKey]]:
    """Members with all that stand for one another through inheritance."""
    bases: dict[DefinitionKey, set[DefinitionKey]] = defaultdict(set)
    for path, resolution in graph.resolutions.items():
        for edge in resolution.edges:
            if edge.kind == KIND_CODES["inheritance"] and edge.score >= CERTAIN:
                bases[DefinitionKey(path, edge.source)].add(edge.target)
    members: dict[DefinitionKey, set[str]] = defaultdict(set)
    for path, facts in graph.facts.items():
        for name in facts.names:
            if name.container and name.kind not in ("constructor", "enum_member"):
                members[DefinitionKey(path, name.container)].add(name.name)
    families: dict[DefinitionKey, set[DefinitionKey]] = {}
    for owner in bases:
        above, stack = set(), list(bases[owner])
        while stack:
            base = stack.pop()
            if base not in above:
                above.add(base)
                stack += bases.get(base, ())
        for base in above:
            for shared in members[owner] & members[base]:
                mine, other = (
                    DefinitionKey(o.path, f"{o.qualname}.{shared}") for o in (owner, base)
                )
                joined = families.get(mine, {mine}) | families.get(other, {other})
                families.update(dict.fromkeys(joined, joined))
    return families


def sample(items: Iterable[Any], count: int) -> list[Any]:
    """`count` items by the hash of their places: arbitrary, and the same every run."""
    key = lambda item: blake2b(repr(item[:3]).encode(), digest_size=8).digest()  # noqa: E731
    return sorted(items, key=key)[:count]
