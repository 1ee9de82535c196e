"""Types that share a full name: parts of one (C#), which are one thing to whoever asks, types that
are opened again (Ruby), and those that the number of their type parameters tells apart (C#)."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Sequence

from surveyor.graph.expressions.keys import without_arity
from surveyor.graph.languages import traits_of
from surveyor.graph.languages.csharp.projects import PROJECT
from surveyor.graph.queries.lookup import Node, StoredGraph, language_of_path
from surveyor.graph.resolve.values import TYPE_KINDS

__all__ = ["all_parts", "name_at", "other_parts", "with_arity"]

_PARTIAL = re.compile(r"\bpartial\b")
_MEMBERS = frozenset({"method", "property"})
"""What one part of a type may declare and another one define: `partial void Open();`."""


async def other_parts(stored: StoredGraph, node: Node, named: Sequence[Node]) -> list[Node]:
    """The other parts of a type or member, among definitions of its name: of the same full name,
    number of type parameters and project, and each called `partial`."""
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


async def all_parts(stored: StoredGraph, node: Node) -> list[Node]:
    """A type and, wherever they are, its other parts: whoever extends it extends one of them."""
    named = await stored.named(node.name)
    parts = [node, *await other_parts(stored, node, named)]
    language = language_of_path(node.path)
    if traits_of(language or "").global_constants:
        parts += [
            other
            for other in named
            if other.qualname == node.qualname
            and other.node_id != node.node_id
            and other.kind == node.kind
            and language_of_path(other.path) == language
        ]
    return parts


async def with_arity(stored: StoredGraph, found: Sequence[Node], name: str) -> list[Node]:
    """Of definitions those that are, or belong to, a type with as many type parameters as a name
    gives it: `Result<T>.Ok` is no member of `Result`. All, where it gives none."""
    given = _GIVEN.search(name)
    if given is None or not all(_is_by_arity(node) for node in found):
        return [*found]
    count = int(given["count"]) if given["count"] else given["types"].count(",") + 1
    types: dict[int, Node] = {}
    for node in found:
        around = [node] if node.name == given["name"] and node.kind in TYPE_KINDS else [
            owner
            for owner in await stored.qualified(node.path, node.qualname.rpartition(".")[0])
            if owner.name == given["name"]
        ]  # fmt: skip
        if around:
            types[node.node_id] = around[0]
    signatures = await stored.signatures([*types.values()])
    written = {
        each.node_id: signatures.get((each.path, each.line, each.column), "")
        for each in types.values()
    }
    return [
        node
        for node in found
        if node.node_id in types and _arity(types[node.node_id], written) == count
    ]


async def name_at(stored: StoredGraph, path: str, qualname: str, line: int) -> str:
    """The qualified name that the graph has for what is defined in a line, of one without numbers
    of type parameters."""
    if traits_of(language_of_path(path) or "").types_by_arity:
        for node in await stored.inside(path):
            if node.line == line and without_arity(node.qualname) == qualname:
                return node.qualname
    return qualname


_GIVEN = re.compile(
    r"(?<!\w)(?P<name>\w+)(?:<(?P<types>[^<>]*)>|`(?P<count>\d+))(?=$|\.\w+(?:\(|$))"
)
"""The last type of a name with type arguments, before a member or the end."""


def _is_by_arity(node: Node) -> bool:
    return traits_of(language_of_path(node.path) or "").types_by_arity


async def _of_full_name(
    stored: StoredGraph, node: Node, named: Sequence[Node]
) -> tuple[list[Node], dict[int, str]]:
    """The other types of a type's full name in its project, and how each is written, by id; none
    where a full name is one type."""
    language = language_of_path(node.path)
    rule = traits_of(language or "").members_elsewhere
    kinds = TYPE_KINDS if node.kind in TYPE_KINDS else _MEMBERS & {node.kind}
    if rule is None or not rule.partial or not kinds:
        return [], {}
    alike = [
        other
        for other in named
        if other.node_id != node.node_id
        and other.name == node.name
        and other.kind in kinds
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
    qualname = without_arity(node.qualname)
    if not said or any(qualname.startswith(f"{each}.") for each in said):
        return qualname
    return f"{said[0]}.{qualname}"


def _nearest(path: str, folders: Iterable[str]) -> str:
    """The folder of the project that a file is in, as far as its path says."""
    around = [folder for folder in folders if not folder or path.startswith(f"{folder}/")]
    return max(around, key=len, default="")
