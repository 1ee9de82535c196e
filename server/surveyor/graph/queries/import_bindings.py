"""Variables that hold what a file imports: `const x = require("y")` defines nothing itself."""

from __future__ import annotations

from collections.abc import Sequence

from surveyor.graph.facts import decode_facts
from surveyor.graph.languages import traits_of
from surveyor.graph.queries.lookup import Node, StoredGraph, language_of_path
from surveyor.graph.resolve.model import File

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
    bound = file.imported.get(node.name) if file is not None else None
    if bound is None or not bound[0].binds_on(node.line):
        return []
    name = bound[1]
    targets = {
        each.other_id
        for each in await stored.imports([node.file_id], "out")
        if each.line == bound[0].line
    }
    files = await stored.files(targets)
    return [each for of in files.values() for each in await _exported(stored, of.path, name)]


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
