"""Go's types that have all methods of an interface, by the signatures that are written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from surveyor.graph.queries.lookup import Node, StoredGraph
from surveyor.graph.queries.type_levels import INHERITANCE, supertype_levels, types_below

__all__ = ["declaring", "implemented_before", "implemented_by", "implementing", "lacking"]

MAX_METHODS = 50
"""An interface with more methods than this is not looked at."""
_TYPES = ("struct", "type")
_QUALIFIER = re.compile(r"\b[A-Za-z_]\w*\.(?=[A-Za-z_])")
_NAMED = re.compile(r"(?!(?:chan|func|map|struct|interface)\b)[A-Za-z_]\w*\s+\S")
_WORD = re.compile(r"[A-Za-z_]\w*")
_READ_ONCE = 4096
"""Signatures that are kept read: each is compared with those of many interfaces."""

Signature = tuple[tuple[str, ...], tuple[str, ...]]
"""Types of parameters and of results, as they are written without their packages."""
_Place = tuple[str, str]
"""A package's folder, and the name of a type in it."""


_OF_MANY = frozenset(
    {"Close", "Error", "Format", "Is", "Len", "Less", "MarshalJSON", "Name", "Next", "Read",
     "Reset", "Run", "Scan", "ServeHTTP", "Start", "Stop", "String", "Swap", "UnmarshalJSON",
     "Unwrap", "Value", "Write"}
)  # fmt: skip
"""Methods of interfaces that half of all types have."""


async def implemented_before(stored: StoredGraph, declared: Node) -> list[Node]:
    """Methods of the name of an interface's, whose types have all its other methods: those that
    implemented it before its signature changed. Of an interface with one method only those beside
    it count, and of a common name those that are about a type of their package."""
    container = declared.qualname.rpartition(".")[0]
    folder = declared.path.rpartition("/")[0]
    found = []
    for interface in await stored.qualified(declared.path, container):
        if interface.kind != "interface":
            continue
        is_alone = len(await _wanted(stored, interface)) == 1
        if is_alone and not await _is_telling(stored, declared):
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
    those beside the interface count, and for a common name only where it is about a type of theirs,
    as in `Format(*Entry)`."""
    rest = await _wanted(stored, interface)
    if rest.pop(name, None) is None or not rest or len(rest) > MAX_METHODS:
        return []
    is_alone = len(rest) == 1
    if is_alone and not await _is_telling(stored, *rest.values()):
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


async def _is_telling(stored: StoredGraph, *methods: Node) -> bool:
    """Whether who has methods of these names and types has them for this interface's sake."""
    texts = await stored.signatures(methods)
    for method in methods:
        if method.name not in _OF_MANY:
            continue
        said = texts.get((method.path, method.line, method.column), "").partition("(")[2]
        folder = method.path.rpartition("/")[0]
        named = await stored.all_named(set(_WORD.findall(said)))
        if not any(
            node.kind in _TYPES and node.path.rpartition("/")[0] == folder
            for nodes in named.values()
            for node in nodes
        ):
            return False
    return True


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
    return await stored.kept(_MethodSets).declaring(of_types) if of_types else {}


async def implemented_by(stored: StoredGraph, node: Node) -> list[Node]:
    """The interfaces all of whose methods a type has, of its own or of what it embeds."""
    return await stored.kept(_MethodSets).implemented_by(node)


class _MethodSets:
    """Which methods Go's types and interfaces have, each looked up once for a question; what many
    methods need is read at once."""

    def __init__(self, stored: StoredGraph) -> None:
        self._stored = stored
        self._named: dict[str, list[Node]] = {}
        """By name, methods of types and interfaces."""
        self._by_place: dict[str, dict[_Place, Node]] = {}
        self._declared: dict[str, list[tuple[Node, Node]]] = {}
        """By name, interfaces that declare a method, with the method."""
        self._wanted: dict[int, dict[str, Node]] = {}
        """By interface, its methods by name; none of one that is not looked at."""
        self._carriers: dict[_Place, list[tuple[Node, list[_Place]]]] = {}
        """By folder and name of a type, itself and those that embed it, with where their methods
        are."""
        self._covered: dict[tuple[int, int], bool] = {}
        """By type and interface, whether it has all methods of it."""
        self._texts: dict[tuple[str, int, int], str] = {}
        self._inside: dict[str, list[Node]] = {}

    async def declaring(self, methods: Sequence[Node]) -> dict[int, list[Node]]:
        """As the function of this name."""
        await self._find_interfaces(dict.fromkeys(node.name for node in methods))
        pairs = [
            (node, interface, member)
            for node in methods
            for interface, member in self._declared[node.name]
            if member.node_id != node.node_id
        ]
        await self._read([each for pair in pairs for each in pair])
        fitting = [pair for pair in pairs if _fits(self._texts, pair[1], pair[2], pair[0])]
        if not fitting:
            return {}
        await self._find_carriers([node for node, _, _ in fitting])
        fitting = [pair for pair in fitting if self._carriers[_holder(pair[0])]]
        await self._find_wanted([interface for _, interface, _ in fitting])
        await self._find_covered(fitting)
        found: dict[int, list[Node]] = {}
        for node, interface, member in fitting:
            types = self._running(node)
            if any(self._covered[each.node_id, interface.node_id] for each, _ in types):
                found.setdefault(node.node_id, []).append(member)
        return found

    async def implemented_by(self, of: Node) -> list[Node]:
        """As the function of this name."""
        levels = (await supertype_levels(self._stored, [of]))[of.node_id]
        holders = {_place(each) for each in (of, *(node for level in levels for node in level))}
        folders = {folder for folder, _ in holders}
        methods: list[Node] = []
        for path in await self._stored.paths_with_ending(".go"):
            if path.rpartition("/")[0] not in folders:
                continue
            if path not in self._inside:
                self._inside[path] = await self._stored.inside(path)
            own = [node for node in self._inside[path] if node.kind == "method"]
            methods += [node for node in own if _holder(node) in holders]
        await self.declaring(methods)
        found = {
            interface.node_id: interface
            for method in methods
            for interface, _ in self._declared[method.name]
            if self._covered.get((of.node_id, interface.node_id))
        }
        below = await types_below(self._stored, list(found.values()))
        for other in below:  # those that embed these
            if other.kind != "interface" or other.node_id in found:
                continue
            having = await implementing(self._stored, other)
            if any(each.node_id == of.node_id for each in having):
                found[other.node_id] = other
        return list(found.values())

    async def _find_interfaces(self, names: Iterable[str]) -> None:
        missing = [name for name in names if name not in self._declared]
        await self._find_named(missing)
        alike = [node for name in missing for node in self._named[name]]
        places = {(n.path, n.qualname.rpartition(".")[0]) for n in alike}
        around = await self._stored.placed(places) if places else {}
        self._declared |= {name: [] for name in missing}
        for node in alike:
            owner = around.get((node.path, node.qualname.rpartition(".")[0]))
            if owner is not None and owner.kind == "interface":
                self._declared[node.name].append((owner, node))

    async def _find_named(self, names: Iterable[str]) -> None:
        missing = [name for name in names if name not in self._named]
        for name, found in (await self._stored.all_named(missing)).items() if missing else ():
            self._named[name] = [n for n in found if n.kind == "method" and n.path.endswith(".go")]
            self._by_place[name] = {_holder(node): node for node in self._named[name]}

    async def _find_wanted(self, interfaces: Sequence[Node]) -> None:
        """Find the methods of some interfaces, and of those that they embed."""
        missing = {n.node_id: n for n in interfaces if n.node_id not in self._wanted}
        levels = await supertype_levels(self._stored, list(missing.values())) if missing else {}
        for key, interface in missing.items():
            wanted: dict[str, Node] = {}
            for each in (interface, *(node for level in levels[key] for node in level)):
                if each.path not in self._inside:
                    self._inside[each.path] = await self._stored.inside(each.path)
                prefix = each.qualname + "."
                own = [n for n in self._inside[each.path] if n.qualname.startswith(prefix)]
                wanted |= {node.name: node for node in own}
            self._wanted[key] = wanted if len(wanted) <= MAX_METHODS else {}
        await self._find_named({name for key in missing for name in self._wanted[key]})

    def _running(self, method: Node) -> list[tuple[Node, list[_Place]]]:
        """The types that run a method: its own, and those that embed it and have no other."""
        own = self._by_place[method.name]
        return [
            (carrier, places)
            for carrier, places in self._carriers[_holder(method)]
            if (runs := own.get(places[0])) is None or runs.node_id == method.node_id
        ]

    async def _find_covered(self, fitting: Sequence[tuple[Node, Node, Node]]) -> None:
        """Find which of the types that run some methods have all those of the interfaces."""
        having: dict[tuple[int, int], tuple[Node, list[tuple[Node, Node]]]] = {}
        for method, interface, _ in fitting:
            wanted = self._wanted[interface.node_id]
            for carrier, places in self._running(method):
                key = (carrier.node_id, interface.node_id)
                if key in self._covered or key in having:
                    continue
                pairs = [
                    (declared, mine)
                    for name, declared in wanted.items()
                    if (mine := self._first(name, places)) is not None
                ]
                if wanted and len(pairs) == len(wanted):
                    having[key] = interface, pairs
                else:
                    self._covered[key] = False
        await self._read(
            [node for interface, pairs in having.values() for each in pairs for node in each]
            + [interface for interface, _ in having.values()]
        )
        for key, (interface, pairs) in having.items():
            self._covered[key] = all(_fits(self._texts, interface, *pair) for pair in pairs)

    def _first(self, name: str, places: Sequence[_Place]) -> Node | None:
        mine = self._by_place[name]
        return next((mine[place] for place in places if place in mine), None)

    async def _read(self, nodes: Sequence[Node]) -> None:
        """Read the signatures of definitions that have not been."""
        missing = {
            key: node
            for node in nodes
            if (key := (node.path, node.line, node.column)) not in self._texts
        }
        if missing:
            self._texts |= dict.fromkeys(missing, "")
            self._texts |= await self._stored.signatures(missing.values())

    async def _find_carriers(self, methods: Sequence[Node]) -> None:
        """Find the types that have some methods, of their own or because they embed it."""
        missing = {key: n for n in methods if (key := _holder(n)) not in self._carriers}
        if not missing:
            return
        names = {key[1].rpartition(".")[2] for key in missing} - {""}
        named = await self._stored.all_named(names)
        types: dict[_Place, list[Node]] = {}
        for key, method in missing.items():
            owner = _owner_among(named.get(key[1].rpartition(".")[2], ()), method)
            types[key] = [owner] if owner is not None else []
        owners = [owner for each in types.values() for owner in each]
        edges = await self._stored.uses([n.node_id for n in owners], INHERITANCE) if owners else []
        embedded = {edge.target for edge in edges}
        for each in types.values():
            if each and each[0].node_id in embedded:
                each += [n for n in await types_below(self._stored, each) if n.kind in _TYPES]
        every = {node.node_id: node for each in types.values() for node in each}
        levels = await supertype_levels(self._stored, list(every.values()))
        for key, each in types.items():
            self._carriers[key] = [
                (node, [_place(n) for n in (node, *(n for lv in levels[node.node_id] for n in lv))])
                for node in each
            ]


def _place(kind: Node) -> _Place:
    """Where a type's methods are: its package's folder, and its name."""
    return kind.path.rpartition("/")[0], kind.qualname


def _holder(method: Node) -> _Place:
    """The place of the type that a method is of."""
    return method.path.rpartition("/")[0], method.qualname.rpartition(".")[0]


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
    named = await stored.named(container.rpartition(".")[2]) if container else ()
    return _owner_among(named, method)


def _owner_among(named: Sequence[Node], method: Node) -> Node | None:
    """The same, among definitions of the type's name."""
    folder = method.path.rpartition("/")[0]
    found = [
        node for node in named if node.path.rpartition("/")[0] == folder and node.kind in _TYPES
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
    if first == second:
        return True
    before = mine.partition(f"{method.name}(")[0]
    free = _parameters_of_types(general) | _parameters_of_types(before)
    return all(_alike(*sides, free) for sides in zip(first, second, strict=True))


def _alike(first: Sequence[str], second: Sequence[str], free: frozenset[str]) -> bool:
    """Whether lists of types are the same, where type parameters may stand for any."""
    return len(first) == len(second) and all(
        a == b or free.intersection((*_WORD.findall(a), *_WORD.findall(b)))
        for a, b in zip(first, second, strict=True)
    )


@lru_cache(maxsize=_READ_ONCE)
def _parameters_of_types(text: str) -> frozenset[str]:
    """Names in the brackets of `type Store[K comparable, V any]` and `func (s *Store[K, V])`."""
    inside = text.partition("[")[2].rpartition("]")[0]
    return frozenset(each.split()[0] for each in _parts(inside) if each.split())


@lru_cache(maxsize=_READ_ONCE)
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
    return tuple(_types(rest[:end])), tuple(_types(results))


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
