"""What may satisfy an interface of TypeScript or a Protocol of Python without naming it.

Only names are compared, so that these are candidates, and an answer with them may not be complete.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from surveyor.graph.facts import decode_facts
from surveyor.graph.queries import traverse
from surveyor.graph.queries.items import LineReader
from surveyor.graph.queries.lookup import Node, StoredGraph
from surveyor.graph.resolve.values import CALLABLE_KINDS

__all__ = [
    "STRUCTURAL_ENDINGS",
    "STRUCTURAL_SCORE",
    "StructuralMatch",
    "declaring_by_name",
    "may_declare",
    "notice_of",
    "satisfying",
]

STRUCTURAL_SCORE = 0.4
"""A type or object that has all members of an interface by their names."""
MAX_MEMBERS = 30
"""An interface with more members than this is not looked at."""
MAX_SATISFYING = 50
_PYTHON = (".py", ".pyi")
_SCRIPTS = (".ts", ".tsx", ".mts", ".cts")
_CODE = (*_SCRIPTS, ".js", ".mjs", ".jsx")
STRUCTURAL_ENDINGS = (*_PYTHON, *_CODE)
"""Of files whose classes may satisfy what they do not name."""
_HOLDERS = frozenset({"class", "variable", "constant", "function", "method"})
"""What may have the members: a class, or what holds or gives an object that is written out."""
_PROTOCOL = re.compile(r"\bProtocol\b")
_OPTIONAL = re.compile(r"[\w$]+\?")


class StructuralMatch(NamedTuple):
    """What may satisfy an interface by what it has, and what else may that is not among it."""

    nodes: list[Node]
    missing: str = ""


_UNNAMED = (
    "an object written where it is handed over, and what inherits some of its members, may satisfy"
    " it too"
)
_ANYTHING = "it asks for no member by name: a function or an object may satisfy it"
_INHERITING = "a class that inherits some of its members may satisfy it too"


async def satisfying(stored: StoredGraph, asked: Node, lines: LineReader) -> StructuralMatch:
    """What has all members of an interface, those of its bases included."""
    if not _is_structural(asked, lines):
        return StructuralMatch([])
    wanted, types = await _required(stored, asked, lines)
    if not wanted:
        return StructuralMatch([], _ANYTHING if asked.path.endswith(_SCRIPTS) else "")
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


def _is_structural(asked: Node, lines: LineReader) -> bool:
    """Whether what has all members of a type is of it: an interface, a Protocol."""
    if asked.path.endswith(_SCRIPTS):
        return asked.kind == "interface"
    said = lines.get(asked.path, asked.line) if asked.path.endswith(_PYTHON) else None
    return bool(_PROTOCOL.search(said or ""))


async def _declares(stored: StoredGraph, asked: Node, lines: LineReader) -> bool:
    """Whether what has all members of a definition may be handed over as it: an interface, a
    Protocol, another name for an object's type, a function of which a parameter has such a type."""
    if _is_structural(asked, lines):
        return True
    if not asked.path.endswith(_SCRIPTS):
        return False
    if asked.kind in ("type", "type_alias"):
        return True
    data = await stored.facts(asked.path) if asked.kind in CALLABLE_KINDS else None
    types = decode_facts(data).types if data is not None else {}
    shape, parameter = f"{{{asked.qualname}}}", f"{asked.qualname}#"
    return any(key.startswith(parameter) and shape in said for key, said in types.items())


async def _required(
    stored: StoredGraph, asked: Node, lines: LineReader
) -> tuple[set[str], list[Node]]:
    """The names of the members that an interface asks for, and it with its bases."""
    above = await traverse.supertypes(stored, [asked], 5)
    types = [asked, *(reached.node for reached in above.reached if reached.node.qualname)]
    wanted: set[str] = set()
    for each in types:
        prefix = f"{each.qualname}."
        for node in await stored.inside(each.path):
            is_own = node.qualname.startswith(prefix) and "." not in node.qualname[len(prefix) :]
            said = lines.get(node.path, node.line) or ""
            if is_own and not _OPTIONAL.match(said[node.column :]):
                wanted.add(node.name)
    return wanted, types


async def declaring_by_name(
    stored: StoredGraph, member: Node, alike: Sequence[Node], lines: LineReader
) -> list[Node]:
    """Of members of a name those of interfaces of TypeScript and Protocols of Python for which one
    of a class may stand: its class has all their members by name."""
    container = member.qualname.rpartition(".")[0]
    owners = await stored.qualified(member.path, container) if container else []
    if not alike or not any(owner.kind == "class" for owner in owners):
        return []
    having = await _names_had(stored, owners)
    own = {(owner.path, owner.qualname) for owner in owners}
    places = {(each.path, each.qualname.rpartition(".")[0]) for each in alike}
    around = await stored.placed(places)
    await lines.load(path for path, _ in around)
    found = []
    for each in alike:
        asked = around.get((each.path, each.qualname.rpartition(".")[0]))
        if asked is None or not await _declares(stored, asked, lines):
            continue
        wanted, types = await _required(stored, asked, lines)
        is_above = any((kind.path, kind.qualname) in own for kind in types)
        if not is_above and len(wanted) <= MAX_MEMBERS and wanted <= having:
            found.append(each)
    return found


def may_declare(node: Node, member: Node) -> bool:
    """Whether a definition may be what a member of a class stands for by its name alone."""
    return (
        node.node_id != member.node_id
        and "." in node.qualname
        and node.path.endswith(_PYTHON if member.path.endswith(_PYTHON) else _SCRIPTS)
        and member.path.endswith(STRUCTURAL_ENDINGS)
    )


async def _names_had(stored: StoredGraph, owners: Sequence[Node]) -> set[str]:
    """The names of a type's members, with those that it inherits."""
    above = await traverse.supertypes(stored, owners, 5)
    names: set[str] = set()
    for each in (*owners, *(reached.node for reached in above.reached)):
        prefix = f"{each.qualname}."
        inside = await stored.inside(each.path)
        names |= {node.name for node in inside if node.qualname.startswith(prefix)}
    return names


def notice_of(count: int) -> str:
    """Why an answer with so many of these may not be complete, in a line."""
    what = "1 has" if count == 1 else f"{count} have"
    return f"{what} all its members by name without naming it: may satisfy it"
