"""Types that share a full name (C#): parts of one, which are one thing to whoever asks, and types
that differ by the number of their type parameters."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Sequence

from surveyor.graph.languages import traits_of
from surveyor.graph.languages.csharp.projects import PROJECT
from surveyor.graph.queries.items import language_of_path
from surveyor.graph.queries.lookup import Node, StoredGraph
from surveyor.graph.resolve.values import TYPE_KINDS

__all__ = ["of_other_arity", "other_parts"]

_PARTIAL = re.compile(r"\bpartial\b")


async def other_parts(stored: StoredGraph, node: Node, named: Sequence[Node]) -> list[Node]:
    """The other parts of a type, among definitions of its name: of the same full name, number of
    type parameters and project, and each called `partial`."""
    alike, written = await _of_full_name(stored, node, named)
    if not alike or not _PARTIAL.search(written[node.node_id]):
        return []
    return [
        other
        for other in alike
        if other.kind == node.kind
        and _PARTIAL.search(written[other.node_id])
        and _arity(other, written) == _arity(node, written)
    ]


async def of_other_arity(stored: StoredGraph, node: Node, named: Sequence[Node]) -> list[Node]:
    """The types, among definitions of one's name, that have its full name and project and another
    number of type parameters: `Result` and `Result<T>` are two types."""
    alike, written = await _of_full_name(stored, node, named)
    return [other for other in alike if _arity(other, written) != _arity(node, written)]


async def _of_full_name(
    stored: StoredGraph, node: Node, named: Sequence[Node]
) -> tuple[list[Node], dict[int, str]]:
    """The other types of a type's full name in its project, and how each is written, by id; none
    where a full name is one type."""
    language = language_of_path(node.path)
    rule = traits_of(language or "").members_elsewhere
    if rule is None or not rule.partial or node.kind not in TYPE_KINDS:
        return [], {}
    alike = [
        other
        for other in named
        if other.node_id != node.node_id
        and other.name == node.name
        and other.kind in TYPE_KINDS
        and language_of_path(other.path) == language
    ]
    if not alike:
        return [], {}
    packages = await stored.packages([node.path, *(other.path for other in alike)])
    folders = [posixpath.dirname(path) for path in await stored.paths_with_ending(PROJECT)]
    whole = _full_name(node, packages)
    found = [
        other
        for other in alike
        if _full_name(other, packages) == whole
        and _nearest(other.path, folders) == _nearest(node.path, folders)
    ]
    signatures = await stored.signatures([node, *found])
    return found, {
        each.node_id: signatures.get((each.path, each.line, each.column), "")
        for each in (node, *found)
    }


def _arity(node: Node, written: dict[int, str]) -> int:
    """How many type parameters a type has."""
    given = re.search(rf"\b{re.escape(node.name)}\s*<([^<>]*)", written[node.node_id])
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
