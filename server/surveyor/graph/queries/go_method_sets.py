"""Go's types that have all methods of an interface, by the signatures that are written."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from surveyor.graph.queries.lookup import Node, StoredGraph
from surveyor.graph.queries.type_levels import supertype_levels, types_below

__all__ = ["declaring", "implemented_before", "implementing", "lacking"]

MAX_METHODS = 50
"""An interface with more methods than this is not looked at."""
_TYPES = ("struct", "type")
_QUALIFIER = re.compile(r"\b[A-Za-z_]\w*\.(?=[A-Za-z_])")
_NAMED = re.compile(r"(?!(?:chan|func|map|struct|interface)\b)[A-Za-z_]\w*\s+\S")
_WORD = re.compile(r"[A-Za-z_]\w*")

Signature = tuple[list[str], list[str]]
"""Types of parameters and of results, as they are written without their packages."""


_OF_MANY = frozenset(
    {"Close", "Error", "Format", "Is", "Len", "Less", "MarshalJSON", "Name", "Next", "Read",
     "Reset", "Run", "Scan", "ServeHTTP", "Start", "Stop", "String", "Swap", "UnmarshalJSON",
     "Unwrap", "Value", "Write"}
)  # fmt: skip
"""Methods of interfaces that half of all types have."""


async def implemented_before(stored: StoredGraph, declared: Node) -> list[Node]:
    """Methods of the name of an interface's, whose types have all its other methods: those that
    implemented it before its signature changed. Of an interface with one method only those beside
    it count, and no common name."""
    container = declared.qualname.rpartition(".")[0]
    folder = declared.path.rpartition("/")[0]
    found = []
    for interface in await stored.qualified(declared.path, container):
        if interface.kind != "interface":
            continue
        is_alone = len(await _wanted(stored, interface)) == 1
        if is_alone and declared.name in _OF_MANY:
            continue
        types = {
            (node.path.rpartition("/")[0], node.qualname)
            for node in await implementing(stored, interface, but=declared.name)
        }
        for method in await stored.named(declared.name):
            place = (method.path.rpartition("/")[0], method.qualname.rpartition(".")[0])
            if place in types and (not is_alone or place[0] == folder):
                found.append(method)
    return found


async def lacking(stored: StoredGraph, interface: Node, name: str) -> list[Node]:
    """Types that have all methods of an interface but this one. Where it has only one besides,
    those beside the interface count, and none for a common name."""
    rest = await _wanted(stored, interface)
    if rest.pop(name, None) is None or not rest or len(rest) > MAX_METHODS:
        return []
    is_alone = len(rest) == 1
    if is_alone and not _OF_MANY.isdisjoint(rest):
        return []
    folder = interface.path.rpartition("/")[0]
    having = {
        (node.path.rpartition("/")[0], node.qualname)
        for node in await implementing(stored, interface, but=name)
    }
    found = []
    for node in await implementing(stored, interface, without=name):
        place = (node.path.rpartition("/")[0], node.qualname)
        embeds = any(each.kind == "interface" for each in await _embedded(stored, node))
        if place not in having and not embeds and (not is_alone or place[0] == folder):
            found.append(node)
    return found


async def implementing(
    stored: StoredGraph, interface: Node, but: str = "", without: str = ""
) -> list[Node]:
    """Types whose method set covers an interface's, with the methods that they embed; of `but` the
    signature is not compared, `without` they need not have."""
    wanted = await _wanted(stored, interface)
    wanted.pop(without, None)
    if not wanted or len(wanted) > MAX_METHODS:
        return []
    having: dict[int, set[str]] = {}
    types: dict[int, Node] = {}
    lacking: dict[int, set[str]] = {}
    for name, declared in wanted.items():
        named = [node for node in await stored.named(name) if node.kind == "method"]
        texts = await stored.signatures([interface, declared, *named])
        for node in named:
            owner = await _owner(stored, node)
            if owner is None:
                continue
            fits = name == but or _fits(texts, interface, declared, node)
            types[owner.node_id] = owner
            (having if fits else lacking).setdefault(owner.node_id, set()).add(name)
    for owner_id, names in list(having.items()):
        for node in await types_below(stored, [types[owner_id]]):
            if node.kind in _TYPES and node.path.endswith(".go"):
                types.setdefault(node.node_id, node)
                promoted = names - lacking.get(node.node_id, set())
                having.setdefault(node.node_id, set()).update(promoted)
    return [types[owner_id] for owner_id, names in having.items() if names >= wanted.keys()]


async def declaring(stored: StoredGraph, methods: Sequence[Node]) -> dict[int, list[Node]]:
    """By id of each of some methods of types, those of interfaces that it stands for: its type, or
    one that embeds it and has none of the name itself, has all methods of the interface."""
    of_types = [node for node in methods if node.kind == "method" and node.path.endswith(".go")]
    found: dict[int, list[Node]] = {}
    if not of_types:
        return found
    sets = _MethodSets(stored)
    declared = {name: await sets.declared(name) for name in dict.fromkeys(n.name for n in of_types)}
    for node in of_types:
        for interface, member in declared[node.name]:
            if member.node_id != node.node_id and await sets.stands_for(node, interface, member):
                found.setdefault(node.node_id, []).append(member)
    return found


class _MethodSets:
    """Which methods Go's types and interfaces have, each looked up once."""

    def __init__(self, stored: StoredGraph) -> None:
        self._stored = stored
        self._named: dict[str, dict[tuple[str, str], Node]] = {}
        """By name the methods of types, by folder and name of the type."""
        self._of_interface: dict[int, dict[str, Node]] = {}
        self._carriers: dict[tuple[str, str], list[tuple[Node, list[Node]]]] = {}
        """By folder and name of a type, itself and those that embed it, with what they embed."""

    async def declared(self, name: str) -> list[tuple[Node, Node]]:
        """Interfaces that declare a method, with the method."""
        alike = [
            n for n in await self._stored.named(name)
            if n.kind == "method" and n.path.endswith(".go")
        ]  # fmt: skip
        places = {(n.path, n.qualname.rpartition(".")[0]) for n in alike}
        around = await self._stored.placed(places) if places else {}
        pairs = []
        for node in alike:
            owner = around.get((node.path, node.qualname.rpartition(".")[0]))
            if owner is not None and owner.kind == "interface":
                pairs.append((owner, node))
        return pairs

    async def stands_for(self, method: Node, interface: Node, member: Node) -> bool:
        """Whether a method runs where the one of an interface is called."""
        wanted = self._of_interface.get(interface.node_id)
        if wanted is None:
            wanted = self._of_interface[interface.node_id] = await _wanted(self._stored, interface)
        if not wanted or len(wanted) > MAX_METHODS:
            return False
        texts = await self._stored.signatures([interface, member, method])
        if not _fits(texts, interface, member, method):
            return False
        for carrier, embedded in await self._types_with(method):
            own = (carrier.path.rpartition("/")[0], carrier.qualname)
            runs = (await self._methods(method.name)).get(own)
            if runs is not None and runs.node_id != method.node_id:
                continue  # it has one of its own
            if await self._covers(carrier, embedded, interface, wanted, method.name):
                return True
        return False

    async def _covers(
        self,
        carrier: Node,
        embedded: Sequence[Node],
        interface: Node,
        wanted: Mapping[str, Node],
        but: str,
    ) -> bool:
        places = [(n.path.rpartition("/")[0], n.qualname) for n in (carrier, *embedded)]
        pairs = []
        for name, declared in wanted.items():
            if name == but:
                continue
            mine = await self._methods(name)
            having = next((mine[place] for place in places if place in mine), None)
            if having is None:
                return False
            pairs.append((declared, having))
        texts = await self._stored.signatures([interface, *(n for pair in pairs for n in pair)])
        return all(_fits(texts, interface, *pair) for pair in pairs)

    async def _methods(self, name: str) -> dict[tuple[str, str], Node]:
        if name not in self._named:
            self._named[name] = {
                (n.path.rpartition("/")[0], n.qualname.rpartition(".")[0]): n
                for n in await self._stored.named(name)
                if n.kind == "method" and n.path.endswith(".go")
            }
        return self._named[name]

    async def _types_with(self, method: Node) -> list[tuple[Node, list[Node]]]:
        key = (method.path.rpartition("/")[0], method.qualname.rpartition(".")[0])
        if key not in self._carriers:
            owner = await _owner(self._stored, method)
            types = [owner] if owner is not None else []
            if owner is not None:
                below = await types_below(self._stored, [owner])
                types += [each for each in below if each.kind in _TYPES]
            levels = await supertype_levels(self._stored, types)
            self._carriers[key] = [
                (each, [node for level in levels[each.node_id] for node in level]) for each in types
            ]
        return self._carriers[key]


async def _wanted(stored: StoredGraph, interface: Node) -> dict[str, Node]:
    """The methods of an interface, and of those that it embeds, by their names."""
    wanted: dict[str, Node] = {}
    for each in (interface, *await _embedded(stored, interface)):
        prefix = each.qualname + "."
        own = [n for n in await stored.inside(each.path) if n.qualname.startswith(prefix)]
        wanted |= {node.name: node for node in own}
    return wanted


async def _embedded(stored: StoredGraph, node: Node) -> list[Node]:
    """What a type or an interface embeds, however deep."""
    levels = (await supertype_levels(stored, [node]))[node.node_id]
    return [each for level in levels for each in level]


async def _owner(stored: StoredGraph, method: Node) -> Node | None:
    """The type that a method is of: it is defined in the same folder."""
    container = method.qualname.rpartition(".")[0]
    folder = method.path.rpartition("/")[0]
    found = [
        node
        for node in (await stored.named(container.rpartition(".")[2]) if container else ())
        if node.path.rpartition("/")[0] == folder and node.kind in _TYPES
    ]  # several where a folder has a package and its tests' package
    return min(found, key=lambda node: node.path != method.path, default=None)


def _fits(
    texts: Mapping[tuple[str, int, int], str], interface: Node, declared: Node, method: Node
) -> bool:
    """Whether a method has the signature that an interface declares, as far as both are written."""
    wanted, mine = (texts.get((n.path, n.line, n.column), "") for n in (declared, method))
    general = texts.get((interface.path, interface.line, interface.column), "")
    first, second = _signature(wanted, declared.name), _signature(mine, method.name)
    if first is None or second is None:
        return True
    before = mine.partition(f"{method.name}(")[0]
    free = _parameters_of_types(general) | _parameters_of_types(before)
    return all(_alike(*sides, free) for sides in zip(first, second, strict=True))


def _alike(first: Sequence[str], second: Sequence[str], free: set[str]) -> bool:
    """Whether lists of types are the same, where type parameters may stand for any."""
    return len(first) == len(second) and all(
        a == b or free.intersection((*_WORD.findall(a), *_WORD.findall(b)))
        for a, b in zip(first, second, strict=True)
    )


def _parameters_of_types(text: str) -> set[str]:
    """Names in the brackets of `type Store[K comparable, V any]` and `func (s *Store[K, V])`."""
    inside = text.partition("[")[2].rpartition("]")[0]
    return {each.split()[0] for each in _parts(inside) if each.split()}


def _signature(text: str, name: str) -> Signature | None:
    """Types of parameters and results of a signature; None where it is cut off."""
    _, found, rest = text.partition(f"{name}(")
    end = _closing(rest)
    if not found or end < 0:
        return None
    results = rest[end + 1 :].strip().removesuffix("{").strip()
    if results.startswith("("):
        closing = _closing(results[1:])
        if closing < 0:
            return None
        results = results[1 : closing + 1]
    return _types(rest[:end]), _types(results)


def _closing(text: str) -> int:
    """Where the bracket closes that stands open before a text; -1 if it does not."""
    depth = 1
    for number, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if not depth:
            return number
    return -1


def _parts(text: str) -> list[str]:
    """A list's parts between commas that are in no brackets."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        if character == "," and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def _types(text: str) -> list[str]:
    """The types of a list of parameters: `a, b int` has two."""
    parts = _parts(text)
    if any(_NAMED.match(part) for part in parts):
        following = ""
        for number in range(len(parts) - 1, -1, -1):
            _, _, written = parts[number].partition(" ")
            following = parts[number] = written.strip() or following
    return [_plain(part) for part in parts]


def _plain(written: str) -> str:
    """A type without its package and spaces; of a function's only that it is one."""
    if "func" in _WORD.findall(written):
        return "func"
    return "".join(_QUALIFIER.sub("", written).split()).replace("interface{}", "any")
