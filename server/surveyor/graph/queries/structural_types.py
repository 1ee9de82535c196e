"""What may satisfy an interface of TypeScript or a Protocol of Python without naming it.

Only names are compared, so that these are candidates, and an answer with them may not be complete.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from surveyor.graph.queries import traverse
from surveyor.graph.queries.items import LineReader
from surveyor.graph.queries.lookup import Node, StoredGraph

__all__ = ["STRUCTURAL_SCORE", "StructuralMatch", "notice_of", "satisfying"]

STRUCTURAL_SCORE = 0.4
"""A type or object that has all members of an interface by their names."""
MAX_MEMBERS = 30
"""An interface with more members than this is not looked at."""
MAX_SATISFYING = 50
_PYTHON = (".py", ".pyi")
_SCRIPTS = (".ts", ".tsx", ".mts", ".cts")
_CODE = (*_SCRIPTS, ".js", ".mjs", ".jsx")
_HOLDERS = frozenset({"class", "variable", "constant", "function", "method"})
"""What may have the members: a class, or what holds or gives an object that is written out."""
_PROTOCOL = re.compile(r"\bProtocol\b")
_OPTIONAL = re.compile(r"^\s*(?:readonly\s+)?[\w$]+\?")


class StructuralMatch(NamedTuple):
    """What may satisfy an interface by what it has, and what else may that is not among it."""

    nodes: list[Node]
    missing: str = ""


_UNNAMED = (
    "an object written where it is handed over, and what inherits some of its members, may satisfy"
    " it too"
)
_INHERITING = "a class that inherits some of its members may satisfy it too"


async def satisfying(stored: StoredGraph, asked: Node, lines: LineReader) -> StructuralMatch:
    """What has all members of an interface, those of its bases included."""
    if asked.path.endswith(_SCRIPTS):
        if asked.kind != "interface":
            return StructuralMatch([])
    elif not asked.path.endswith(_PYTHON) or not _PROTOCOL.search(
        lines.get(asked.path, asked.line) or ""
    ):
        return StructuralMatch([])
    above = await traverse.supertypes(stored, [asked], 5)
    types = [asked, *(reached.node for reached in above.reached if reached.node.qualname)]
    wanted: set[str] = set()
    for each in types:
        prefix = f"{each.qualname}."
        for node in await stored.inside(each.path):
            is_own = node.qualname.startswith(prefix) and "." not in node.qualname[len(prefix) :]
            if is_own and not _OPTIONAL.match(lines.get(node.path, node.line) or ""):
                wanted.add(node.name)
    if not wanted:
        return StructuralMatch([])
    if len(wanted) > MAX_MEMBERS:
        many = (
            f"it has {len(wanted)} members: what has them all without naming it is not looked for"
        )
        return StructuralMatch([], many)
    endings = _PYTHON if asked.path.endswith(_PYTHON) else _CODE
    owners = [
        {
            (node.path, node.qualname.rpartition(".")[0])
            for node in await stored.named(name)
            if node.path.endswith(endings)
        }
        for name in wanted
    ]
    having = set.intersection(*owners) - {(each.path, each.qualname) for each in types}
    found: list[Node] = []
    for path, qualname in sorted(having)[:MAX_SATISFYING]:
        found += [n for n in await stored.qualified(path, qualname) if n.kind in _HOLDERS][:1]
    if len(having) > MAX_SATISFYING:
        more = f"{len(having) - MAX_SATISFYING} more have its members by name"
        return StructuralMatch(found, more)
    return StructuralMatch(found, _INHERITING if asked.path.endswith(_PYTHON) else _UNNAMED)


def notice_of(count: int) -> str:
    """Why an answer with so many of these may not be complete, in a line."""
    what = "1 has" if count == 1 else f"{count} have"
    return f"{what} all its members by name without naming it: may satisfy it"
