"""From what a person or agent calls a definition to the definition that is meant."""

from __future__ import annotations

import difflib
import heapq
import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from surveyor.errors import NotFoundError, Quoting, UsageError
from surveyor.files.file_class import DECLARING
from surveyor.graph.expressions.keys import extended_by, overload, without_arity
from surveyor.graph.facts import decode_facts
from surveyor.graph.languages import traits_of
from surveyor.graph.queries.import_bindings import imported_definitions
from surveyor.graph.queries.lookup import EdgeAt, Node, StoredGraph, language_of_path
from surveyor.graph.queries.partial_types import other_parts, with_arity
from surveyor.graph.queries.traverse import TYPE_KINDS, supertypes
from surveyor.graph.resolve.values import CALLABLE_KINDS
from surveyor.parsing.languages import language_of
from surveyor.store.state.question_threads import aside
from surveyor.symbol_names import name_readings

__all__ = ["NameMeaning", "find", "find_at", "find_file", "is_nothing", "without_path"]

MAX_ANCESTORS = 20
"""Levels of types above one that are looked through for a member of a name."""
MAX_CANDIDATES = 10
MAX_ALIKE = 20
"""Methods of a name, and signatures of one, among which the extensions of a type are looked for."""
_TYPE = re.compile(r"<(?:[\w.]+\.)?(?P<name>\w+)")
"""Other definitions named in an answer."""
FUZZY_CUTOFF = 0.7
"""Least similarity (difflib's ratio) of a name that is offered for one that does not exist."""
COMPARED = 300
"""Names that are compared in full: those that share most pairs of letters."""
NOTHING = "nothing is called "
"""Begins what is said of a name that no definition has."""
NO_FILE = "`surveyor status --skipped` says which files are left out, and why."
"""What helps who has named a file that is not indexed."""
_POSITION = re.compile(r"^(.+?):(\d+)(?::(\d+))?$")
_SYMBOL_IN_PATH = re.compile(r"^(?=[^:#./]*+[./])([^:#]*+)(?:::?|#)([^\d\s:#].*)$")
"""As people write it, as answers name a definition, and as rules are anchored."""


@dataclass(frozen=True, slots=True)
class NameMeaning:
    """The nodes that a name or place in a request stands for, and a notice for the caller."""

    nodes: list[Node]
    """The definition, several where they are one thing in several places (a declaration and its
    definition, overloads in stub and source)."""
    candidates: list[Node] = field(default_factory=list)
    """Other definitions of the name."""
    notice: str | None = None
    place: EdgeAt | None = None
    """The use that was pointed at, when a position was given."""
    overloads: int = 0
    """How many functions share the name of the one that was asked about, where that is one of
    several."""
    asked: list[Node] = field(default_factory=list)
    """Of overloads the places of those that were asked about."""
    rivals: list[Node] = field(default_factory=list)
    """The places of the others."""

    instead_of: str = ""
    """The name that was asked about, where nothing has it and another definition is meant."""
    is_doubtful: bool = False
    """Whether something may have the name that was asked about all the same: `notice` says why."""

    @property
    def used(self) -> list[Node]:
        """What has the uses: overloads may be defined in several files, and a use may be of one
        that is not in the file that it was taken to be in."""
        known = {node.node_id for node in self.nodes}
        others = {node.node_id: node for node in self.rivals if node.node_id not in known}
        return [*self.nodes, *others.values()]


async def find(stored: StoredGraph, name: str, home: str = "") -> NameMeaning:
    """The definition that a name or `path:line[:column]` means.

    `home` is what the project is called, with which a name may begin.

    Raises:
        NotFoundError: when nothing has that name; the hint has similar ones.
        UsageError: when there is no name.
    """
    name = name.strip()
    if not name:
        raise UsageError("no name given", "Name a symbol (Class.method) or a place (path:line).")
    if position := _POSITION.match(name):
        path = await find_file(stored, position[1])
        if path is not None:
            column = int(position[3]) - 1 if position[3] else None
            return await find_at(stored, path, int(position[2]), column)
    if inside := _SYMBOL_IN_PATH.match(name):
        path = await find_file(stored, inside[1])
        if path is not None:
            return await _find(stored, inside[2], path, home)
    return await _find(stored, name, None, home)


class _Overloads(NamedTuple):
    """As in `NameMeaning`."""

    overloads: int = 0
    asked: Sequence[Node] = ()
    rivals: Sequence[Node] = ()


async def _overloads(
    stored: StoredGraph, node: Node, places: Sequence[Node], *, is_place: bool
) -> _Overloads:
    """The functions of which a definition is one, if it is one of several; a declaration and its
    definition are one. Without a place all those of the file are meant."""
    if node.kind not in CALLABLE_KINDS or not _may_be_overloaded(node, places):
        return _Overloads()
    elsewhere = [*await _in_other_parts(stored, node), *await _extensions_alike(stored, node)]
    same = {each.node_id for each in places}  # `partial void Open();` and its body are one
    elsewhere = [each for each in elsewhere if each.node_id not in same]
    if not is_place and not elsewhere:
        return _Overloads()
    paths = dict.fromkeys(each.path for each in places if each.qualname == node.qualname)
    inside = [
        each
        for path in paths
        for each in await stored.inside(path)
        if each.qualname == node.qualname
    ]
    own = [each for each in inside if each.path == node.path]
    count = await _written(stored, [*own, *elsewhere])
    if count < 2:
        return _Overloads()
    if not is_place:
        return _Overloads(count, inside, elsewhere)
    place = (node.path, node.line, node.column)
    others = [each for each in inside if (each.path, each.line, each.column) != place]
    return _Overloads(count, [node], [*others, *elsewhere])


def _may_be_overloaded(node: Node, places: Sequence[Node]) -> bool:
    """By the language, which a header's name does not say: by what is in it, or defines it."""
    paths = {node.path, *(each.path for each in places)}
    if any(traits_of(language_of_path(path) or "").overloads for path in paths):
        return True
    return node.path.endswith(DECLARING) and node.kind in ("method", "constructor")


async def _written(stored: StoredGraph, named: Sequence[Node]) -> int:
    """How many signatures functions have among them; of languages without declarations how many
    functions: two that look alike may stand in blocks of what extends different types."""
    if len(named) < 2 or not traits_of(language_of_path(named[0].path) or "").includes_text:
        return len(named)
    signatures = await stored.signatures(named)
    said = {signatures.get((n.path, n.line, n.column), str(n.line)) for n in named}
    return len({" ".join(each.split()).rstrip(" ;{") for each in said})


async def _in_other_parts(stored: StoredGraph, node: Node) -> list[Node]:
    """Functions of the name of one in the other parts of its type, which other files have."""
    traits = traits_of(language_of_path(node.path) or "")
    rule, owner = traits.members_elsewhere, node.qualname.rpartition(".")[0]
    if rule is None or not rule.partial or not owner:
        return []
    found: list[Node] = []
    for one in await stored.qualified(node.path, owner):
        for part in await other_parts(stored, one, await stored.named(one.name)):
            if part.path != node.path:
                named = await stored.qualified(part.path, f"{part.qualname}.{node.name}")
                found += [each for each in named if each.kind in CALLABLE_KINDS]
    return [*found, *await stored.overloads(found)]


async def _extensions_alike(stored: StoredGraph, node: Node) -> list[Node]:
    """The extensions that a method's type has of its name: what is passed says which is meant."""
    traits, owner = traits_of(language_of_path(node.path) or ""), node.qualname.rpartition(".")[0]
    if not (traits.global_extensions and traits.extends_arguments) or not owner:
        return []
    others = [
        each
        for each in await stored.named(node.name)
        if each.kind == "method" and each.qualname.rpartition(".")[0] != owner
    ]
    type_name = without_arity(owner).rpartition(".")[2]
    found: list[Node] = []
    for path in dict.fromkeys(each.path for each in others[:MAX_ALIKE]):
        data = await stored.facts(path)
        types = decode_facts(data).types if data is not None else {}
        for each in others:
            keys = (extended_by(overload(each.qualname, n)) for n in range(MAX_ALIKE))
            said = (_TYPE.match(types.get(key, "")) for key in keys) if each.path == path else ()
            if any(fact is not None and fact["name"] == type_name for fact in said):
                found.append(each)
    return [*found, *await stored.overloads(found)] if found else []


async def find_file(stored: StoredGraph, text: str) -> str | None:
    """A file by its path from the root, or by an end of it that only one file has."""
    path = posixpath.normpath(text.strip().removeprefix("./"))
    if await stored.has_path(path):
        return path
    found = await stored.paths_ending(path)
    return found[0] if len(found) == 1 else None


async def find_at(
    stored: StoredGraph, path: str, line: int, column: int | None, *, enclosing: bool = True
) -> NameMeaning:
    """What is at a position: the definition named there, else the one used, else the one around.

    Without `enclosing` what is around does not count.

    `line` is 1-based, `column` 0-based.
    """
    inside = await stored.inside(path)
    named = [
        node
        for node in inside
        if node.line == line and (column is None or node.column <= column <= node.end_column)
    ]
    if named:
        places = await _in_all_places(stored, named[0])
        told = await _overloads(stored, named[0], places, is_place=True)
        return NameMeaning(
            places, overloads=told.overloads, asked=[*told.asked], rivals=[*told.rivals]
        )
    edges = await stored.at(path, line, column)
    if column is not None and edges:
        best = max(edge.score for edge in edges)
        first = [edge for edge in edges if edge.score == best]
        nodes = await stored.by_id(edge.target for edge in edges)
        chosen = [nodes[edge.target] for edge in first if edge.target in nodes]
        others = [n for n in nodes.values() if n not in chosen]
        return NameMeaning(nodes=chosen, candidates=others[:MAX_CANDIDATES], place=first[0])
    around = [n for n in inside if n.start_line <= line <= n.end_line]
    if around and enclosing:
        return NameMeaning(nodes=await _in_all_places(stored, around[-1]))
    raise NotFoundError(
        f"nothing that the index knows is at {path}:{line}",
        f"Definitions of the file: surveyor outline {path}",
    )


async def _in_all_places(stored: StoredGraph, node: Node) -> list[Node]:
    """A definition and, after it, its declarations; a declaration and its definition."""
    others = await stored.named(node.name) if node.qualname else []
    return await _whole_thing(stored, node, others)


async def _whole_thing(stored: StoredGraph, node: Node, named: Sequence[Node]) -> list[Node]:
    """A definition, its declarations or what it declares, and the other parts of a type."""
    declared = [n for n in named if n.node_id != node.node_id and _is_same_thing(node, n)]
    if declared and "." not in node.qualname and node.kind == "function":
        declared = await _not_of_one_file(stored, node, declared)
    return [node, *declared, *await other_parts(stored, node, named)]


_OF_ITS_FILE = re.compile(r"^\s*(?:inline\s+|extern\s+)*static\b")


async def _not_of_one_file(stored: StoredGraph, node: Node, declared: Sequence[Node]) -> list[Node]:
    """Of a function's other places those that can be of it: a `static` one is its file's alone,
    whatever a header declares."""
    signatures = await stored.signatures([node, *declared])

    def is_static(one: Node) -> bool:
        said = signatures.get((one.path, one.line, one.column), "")
        return not one.path.endswith(DECLARING) and _OF_ITS_FILE.match(said) is not None

    if is_static(node):
        return []
    return [each for each in declared if not is_static(each)]


async def _find(stored: StoredGraph, name: str, path: str | None, home: str) -> NameMeaning:
    written, name = name, without_arity(name)
    readings = name_readings(name)
    if not readings:
        raise UsageError(f"{name!r} is no name", "Name a symbol (Class.method) or a place.")
    if path is None and len(readings[0]) > 1 and readings[0][0].lower() == home.lower():
        readings.append(readings[0][1:])
    if len(readings[0]) > 1:
        readings.append([name])  # a function of Bash may be called `log::warn` or `log.warn`
    everywhere: list[Node] = []
    matching: list[Node] = []
    for parts in readings:
        everywhere = await stored.named(parts[-1])
        found = [node for node in everywhere if path is None or node.path == path]
        if matching := await imported_definitions(stored, await _meant_by(stored, found, parts)):
            break
    else:
        parts = readings[0]
        everywhere = await stored.named(parts[-1])
        found = [node for node in everywhere if path is None or node.path == path]
        matching = await _extending(stored, found, parts)
    last, dotted = parts[-1], ".".join(parts)
    matching = await with_arity(stored, matching, written) or matching
    if matching:
        uses = await stored.use_counts([n.node_id for n in matching]) if len(matching) > 1 else {}
        ranked = sorted(
            matching, key=lambda node: _preference(node, parts, uses.get(node.node_id, 0))
        )
        best = ranked[0]
        same = await _whole_thing(stored, best, everywhere)
        if path is None:  # what a declaration declares says more
            same.sort(key=lambda node: node.path.endswith(DECLARING))
        others = [n for n in ranked if n not in same and not _constructs(n, same)]
        notice = None
        if others:
            notice = f"{len(others) + 1} definitions are called {name}; this is {best.key}"
        told = await _overloads(stored, best, same, is_place=False)
        return NameMeaning(
            nodes=same,
            candidates=others[:MAX_CANDIDATES],
            notice=notice,
            overloads=told.overloads,
            asked=[*told.asked],
            rivals=[*told.rivals],
        )
    if path is None and (embedded := await _embedded(stored, parts)):
        what = embedded[0]
        return NameMeaning(
            nodes=await _whole_thing(stored, what, everywhere),
            notice=f"{name} is {what.key}, embedded: its uses by all names are given",
        )
    similar = found or await _similar(stored, last)
    similar.sort(key=lambda node: (-_likeness(node.qualname, dotted), node.is_test, -node.rank))
    if (
        len(similar) == 1
        and similar[0].name.lower() == last.lower()
        and path is None
        and not _is_a_path(written)
        and await _may_be_of(stored, similar[0], parts)
    ):
        return NameMeaning(
            nodes=similar,
            notice=f"{NOTHING}{name}; this is {similar[0].key}",
            instead_of=written if last != similar[0].name else "",
        )
    hint = ", ".join(dict.fromkeys(node.key for node in similar[:MAX_CANDIDATES]))
    other = NO_FILE if _is_a_path(written) else "`surveyor symbols` finds by parts of names."
    where = f" in {path}" if path else ""
    raise NotFoundError(
        f"{NOTHING}{name}{where}",
        Quoting(f"Similar: {hint}") if hint else other,
    )


async def _embedded(stored: StoredGraph, parts: list[str]) -> list[Node]:
    """The type that a type embeds, which is a field by its name (Go)."""
    if len(parts) < 2:
        return []
    around = await _meant_by(stored, await stored.named(parts[-2]), parts[:-1])
    types = [
        node
        for node in around
        if node.kind in TYPE_KINDS and traits_of(language_of_path(node.path) or "").embeds_types
    ]
    above = await supertypes(stored, types, 1) if types else None
    return [item.node for item in above.reached if item.node.name == parts[-1]] if above else []


async def _extending(stored: StoredGraph, found: Sequence[Node], parts: list[str]) -> list[Node]:
    """Of definitions that have the last part for their name, those that say that they extend the
    type of the part before it, though they stand elsewhere: `fun Box<*>.open()` of Kotlin, `static
    void Open(this Box box)` of C#."""
    if len(parts) < 2 or not found:
        return []
    owner, last = re.escape(parts[-2]), re.escape(parts[-1])
    says = re.compile(
        rf"\bfun\b[^(=]*?(?<!\w){owner}(?:<[^(]*>)?\??\.{last}\s*\(|\(\s*this\s+(?:[\w.]+\.)?{owner}\b"
    )
    signatures = await stored.signatures(found)
    return [
        node
        for node in found
        if says.search(signatures.get((node.path, node.line, node.column), ""))
    ]


def is_nothing(error: NotFoundError, name: str) -> bool:
    """Whether an error says of a name, which is not a file's, that no definition has it."""
    return error.message.startswith(NOTHING) and not _ends_as_a_file(without_path(name))


def without_path(name: str) -> str:
    """A name without the file that is named before it."""
    inside = _SYMBOL_IN_PATH.match(name)
    return inside[2] if inside else name


def _is_a_path(name: str) -> bool:
    """Whether a name is written as a file's is: one that is not there is nothing else's name."""
    return "/" in name or _ends_as_a_file(name)


def _ends_as_a_file(name: str) -> bool:
    """An ending of one letter (`self.m`) is more often a member's."""
    return len(name.rpartition(".")[2]) > 1 and language_of(name) is not None


async def _may_be_of(stored: StoredGraph, member: Node, parts: list[str]) -> bool:
    """Whether a definition can be what a name means of which it has the last part only: not where
    the name begins with another type of the project, unless that type inherits it."""
    owner = member.qualname.rpartition(".")[0]
    named = [n for n in await stored.named(parts[-2]) if n.kind in TYPE_KINDS] if parts[1:] else []
    if not named or any(node.qualname == owner for node in named):
        return True
    above = await supertypes(stored, named, MAX_ANCESTORS)
    return any(
        (item.node.path, item.node.qualname) == (member.path, owner) for item in above.reached
    )


def _whole(node: Node) -> list[str]:
    """The qualified name, continued by the path on its left."""
    stem = re.sub(r"(\.d)?\.\w+$", "", node.path).split("/")
    if stem[-1] in ("__init__", "index", "mod", "lib"):
        stem.pop()
    return [*stem, *without_arity(node.qualname).split(".")]


def _as_reexported(node: Node) -> list[str]:
    """The same without the file, whose folder often gives out what is in it."""
    return [*node.path.split("/")[:-1], *without_arity(node.qualname).split(".")]


async def _meant_by(stored: StoredGraph, found: Sequence[Node], parts: list[str]) -> list[Node]:
    """Of definitions that have the last part for their name, those that all parts name.

    A name that is written out in full does not mean what is further inside: Rack.Request is not
    Rack.Auth.Request.
    """
    count = len(parts)
    return (
        [n for n in found if parts in (_whole(n)[-count:], _as_reexported(n)[-count:])]
        or await _in_package(stored, found, parts)
        or [node for node in found if _matches(node, parts)]
        or [node for node in found if [node.qualname] == parts]  # Bash's `log.warn`
    )


async def _in_package(stored: StoredGraph, found: Sequence[Node], parts: list[str]) -> list[Node]:
    """Those whose package or namespace, or an end of it, the name begins with: wherever their
    files are."""
    if len(parts) == 1 or not found:
        return []
    packages = await stored.packages([node.path for node in found])
    whole = "." + ".".join(parts)
    return [
        node
        for node in found
        for package in packages.get(node.path, "").split(";")
        if package and f".{package}.{without_arity(node.qualname)}".endswith(whole)
    ]


def _constructs(node: Node, types: Sequence[Node]) -> bool:
    """Whether it is the constructor of one of these."""
    return node.kind == "constructor" and any(
        node.qualname.rpartition(".")[0] == one.qualname for one in types
    )


def _matches(node: Node, parts: list[str]) -> bool:
    """Whether its name has all parts in their order, as package.func for package/module.py's."""
    whole = _whole(node)
    if whole[-1] != parts[-1]:
        return False
    position = len(whole) - 1
    for part in reversed(parts[:-1]):
        position -= 1
        while position >= 0 and whole[position] != part:
            position -= 1
        if position < 0:
            return False
    return True


def _preference(
    node: Node, parts: list[str], uses: int
) -> tuple[bool, bool, int, int, float, str, int]:
    return (
        without_arity(node.qualname).split(".")[-len(parts) :] != parts,
        node.is_test,
        node.qualname.count("."),
        -uses,
        -node.rank,
        node.path,
        node.line,
    )


_NAMED_TYPES = ({"type", "struct"}, {"type", "enum"}, {"type", "class"})


def _is_of_c(node: Node) -> bool:
    return traits_of(language_of_path(node.path) or "").includes_text


def _is_same_thing(best: Node, other: Node) -> bool:
    """A declaration in a header or stub and its definition."""
    if best.node_id == other.node_id:
        return True
    if best.qualname != other.qualname or {best.kind, other.kind} == {"function", "method"}:
        return False  # `Box::open`, and a macro's `TEST(Box, open)`
    if {best.kind, other.kind} in _NAMED_TYPES and _is_of_c(best) and _is_of_c(other):
        return True  # `typedef struct box box;` where others only know that there is one
    if best.path.endswith(DECLARING) == other.path.endswith(DECLARING):
        return False
    declares, defines = (best, other) if best.path.endswith(DECLARING) else (other, best)
    return _may_declare(declares, defines)


def _may_declare(declares: Node, defines: Node) -> bool:
    """Whether a declaration may be that of a definition. In Python and TypeScript only a file of
    the same name declares what another one defines: each has types of its own."""
    for stub, endings in _STUBS.items():
        if declares.path.endswith(stub) and defines.path.endswith(endings):
            name = declares.path.removesuffix(stub).rpartition("/")[2]
            stem, _, base = defines.path.rpartition(".")[0].rpartition("/")
            return base == name or (base == "__init__" and stem.rpartition("/")[2] == name)
    return True


_STUBS = {
    ".d.ts": (".ts", ".tsx"),
    ".pyi": (".py",),
}
"""Of files that declare, the endings of those that define and have declarations themselves."""


async def _similar(stored: StoredGraph, name: str) -> list[Node]:
    names = await stored.definition_names()
    # Beside the event loop: up to 80 ms for 30,000 names.
    close = await aside(_closest, name, names)
    found: list[Node] = []
    for one in close:
        found += await stored.named(one)
    return found


def _closest(name: str, names: Sequence[str]) -> list[str]:
    """Those of `names` that differ in case only; if there are none, those most similar."""
    wanted = name.lower()
    pairs = {wanted[at : at + 2] for at in range(len(wanted) - 1)}
    longest = len(wanted) * (2 / FUZZY_CUTOFF - 1)
    shortest = len(wanted) / (2 / FUZZY_CUTOFF - 1)
    by_lower: dict[str, list[str]] = {}
    for original in names:
        if shortest <= len(original) <= longest:
            by_lower.setdefault(original.lower(), []).append(original)
    if wanted in by_lower:
        return by_lower[wanted]
    # Similar names share pairs of letters; comparing all of them in full takes ten times as long.
    alike = ((len([pair for pair in pairs if pair in lower]), lower) for lower in by_lower)
    likely = [lower for shared, lower in heapq.nlargest(COMPARED, alike) if shared or not pairs]
    close = difflib.get_close_matches(wanted, likely, MAX_CANDIDATES, FUZZY_CUTOFF)
    return [original for lower in close for original in by_lower[lower]]


def _likeness(left: str, right: str) -> float:
    return difflib.SequenceMatcher(None, left.lower(), right.lower()).ratio()
