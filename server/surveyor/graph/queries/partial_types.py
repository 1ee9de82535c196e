"""Parts of one type in several files, which are one thing to whoever asks (C#)."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Sequence

from surveyor.graph.languages import traits_of
from surveyor.graph.languages.csharp.projects import PROJECT
from surveyor.graph.queries.items import language_of_path
from surveyor.graph.queries.lookup import Node, StoredGraph
from surveyor.graph.resolve.values import TYPE_KINDS

__all__ = ["other_parts"]

_PARTIAL = re.compile(r"\bpartial\b")


async def other_parts(stored: StoredGraph, node: Node, named: Sequence[Node]) -> list[Node]:
    """The other parts of a type, among definitions of its name: of the same full name, number of
    type parameters and project, and each called `partial`."""
    rule = traits_of(language_of_path(node.path) or "").members_elsewhere
    if rule is None or not rule.partial or node.kind not in TYPE_KINDS:
        return []
    alike = [
        other
        for other in named
        if other.node_id != node.node_id
        and other.name == node.name
        and other.kind == node.kind
        and language_of_path(other.path) == language_of_path(node.path)
    ]
    if not alike:
        return []
    shapes = await _shapes(stored, [node, *alike])
    own = shapes[node.node_id]
    if own is None:
        return []
    packages = await stored.packages([node.path, *(other.path for other in alike)])
    folders = [posixpath.dirname(path) for path in await stored.paths_with_ending(PROJECT)]
    whole = _full_name(node, packages)
    return [
        other
        for other in alike
        if _full_name(other, packages) == whole
        and _nearest(other.path, folders) == _nearest(node.path, folders)
        and shapes[other.node_id] == own
    ]


async def _shapes(stored: StoredGraph, nodes: Sequence[Node]) -> dict[int, int | None]:
    """The number of type parameters of parts of types, by id; None for what is no part."""
    signatures = await stored.signatures(nodes)
    return {
        node.node_id: _shape(node, signatures.get((node.path, node.line, node.column), ""))
        for node in nodes
    }


def _shape(node: Node, written: str) -> int | None:
    if not _PARTIAL.search(written):
        return None
    given = re.search(rf"\b{re.escape(node.name)}\s*<([^<>]*)", written)
    return given[1].count(",") + 1 if given else 0


def _full_name(node: Node, packages: dict[str, str]) -> str:
    """The name with its namespace, which stands around it or is said by the file."""
    said = [each for each in packages.get(node.path, "").split(";") if each]
    if not said or any(node.qualname.startswith(f"{each}.") for each in said):
        return node.qualname
    return f"{said[0]}.{node.qualname}"


def _nearest(path: str, folders: Iterable[str]) -> str:
    """The folder of the project that a file is in, as far as its path says."""
    around = [folder for folder in folders if not folder or path.startswith(f"{folder}/")]
    return max(around, key=len, default="")
