"""Variables that hold what a file imports: `const x = require("y")` defines nothing itself,
nor does `local open = require("box").open` of Lua."""

from __future__ import annotations

from collections.abc import Sequence

from surveyor.graph.expressions.grammar import parse
from surveyor.graph.expressions.model import Name
from surveyor.graph.facts import ImportLink, decode_facts
from surveyor.graph.languages import traits_of
from surveyor.graph.queries.lookup import Node, StoredGraph, language_of_path
from surveyor.graph.resolve.model import File
from surveyor.graph.resolve.values import TYPE_KINDS

__all__ = ["imported_definitions"]

_BINDINGS = ("variable", "constant")
_WHOLE = ("=", "default")


async def imported_definitions(stored: StoredGraph, nodes: Sequence[Node]) -> list[Node]:
    """The same definitions, with what is imported in place of the variables that hold it; a
    variable that holds what is not of the project stays."""
    found: dict[int, Node] = {}
    for node in nodes:
        for each in await _imported(stored, node) or [node]:
            found.setdefault(each.node_id, each)
    return list(found.values())


async def _imported(stored: StoredGraph, node: Node) -> list[Node]:
    traits = traits_of(language_of_path(node.path) or "")
    if node.kind not in _BINDINGS or not traits.exports_names or "." in node.qualname:
        return []
    file = await _file(stored, node.path)
    if file is None:
        return []
    bound, member = file.imported.get(node.name), ""
    if bound is None and traits.aliases:
        bound, member = _taken_out(file, node)
    if bound is None or not bound[0].binds_on(node.line):
        return []
    name = bound[1] or (_WHOLE[0] if member else "")
    targets = {
        each.other_id
        for each in await stored.imports([node.file_id], "out")
        if each.line == bound[0].line
    }
    files = await stored.files(targets)
    found = [each for of in files.values() for each in await _exported(stored, of.path, name)]
    if not member:
        return found
    wholes = [each.qualname for each in found if each.kind in {*_BINDINGS, *TYPE_KINDS}]
    return [
        each
        for of in files.values()
        for whole in wholes
        for each in await stored.qualified(of.path, f"{whole}.{member}")
    ]


def _taken_out(file: File, node: Node) -> tuple[tuple[ImportLink, str] | None, str]:
    """The import whose member of the same name a variable is another name for, and that name."""
    said = parse(file.facts.types.get(node.qualname, ""))
    if said is None or len(said.steps) != 1 or type(said.head) is not Name:
        return None, ""
    is_it = said.dotted.rpartition(".")[2] == node.name
    return (file.imported.get(said.head.name), node.name) if is_it else (None, "")


async def _exported(stored: StoredGraph, path: str, name: str) -> list[Node]:
    """What a file exports by a name, or as its whole, as far as it defines that itself."""
    if name in _WHOLE:
        file = await _file(stored, path)
        exported = file.exported if file is not None else {}
        name = next((exported[key][1] for key in _WHOLE if key in exported), "")
        if not name:
            return []
    return await stored.qualified(path, name)


async def _file(stored: StoredGraph, path: str) -> File | None:
    data = await stored.facts(path)
    return File(path, decode_facts(data)) if data is not None else None
