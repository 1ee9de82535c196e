"""Members that types have to have for what they extend, and do not have since a change: the
methods that it added to an interface, those that it took from a class that has to have them, and
overrides of what is gone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from surveyor.change.comparison import renamed_to
from surveyor.change.jobs import CallsJob, DeclaredType, DefinedSignature
from surveyor.engine.file_versions import ReadCalls, current_texts, is_read
from surveyor.engine.left_behind import LeftBehind
from surveyor.graph.facts import KIND_CODES
from surveyor.graph.queries import traverse
from surveyor.graph.queries.go_method_sets import lacking
from surveyor.graph.queries.lookup import EdgeAt, Node, language_of_path
from surveyor.graph.queries.partial_types import all_parts, name_at
from surveyor.graph.queries.query_context import QueryContext
from surveyor.graph.resolve.certainty import CERTAIN
from surveyor.units import counted

__all__ = ["Defined", "RequiredMembers"]

Defined = Mapping[str, tuple[Sequence[DefinedSignature], Sequence[DefinedSignature]]]
"""What changed files define, before and now, by path."""

MAX_DUTIES = 40
"""Members that are added or gone of which the types below are looked at."""
MAX_FILES = 300
"""Files of types below one type."""
MAX_DEPTH = 6
MAX_SAID = 3
"""Members that are named of one type."""
_INHERITANCE = KIND_CODES["inheritance"]
_COMPILED = frozenset({"java", "kotlin", "csharp", "php", "rust", "typescript"})
"""Where a type that lacks a member is refused; elsewhere only making a value of it may be."""
_MEMBERS = frozenset({"method", "function"})
_ABSTRACT_BY_MEMBERS = frozenset({"cpp", "python"})
_OF_EVERY_TYPE = frozenset(
    {"toString", "equals", "hashCode", "ToString", "Equals", "GetHashCode", "__toString"}
)
"""Members that all types have, whatever they extend."""
_OWN_BLOCKS = frozenset({"rust"})
"""Where each block that implements something has all of its members itself."""


class _Below(NamedTuple):
    """A type that names another one as what it extends."""

    edge: EdgeAt
    declared: DeclaredType
    node: Node | None
    """Its definition; None where it has none of its own."""


@dataclass(slots=True)
class RequiredMembers:
    """What one change means for the members of types below and above what it changed."""

    context: QueryContext
    read: ReadCalls
    defined: Defined
    lacks: list[str] = field(default_factory=list)
    """What was not looked at."""
    _known: dict[str, list[DefinedSignature]] = field(default_factory=dict)
    """What files define now, by path."""

    async def unmet(self) -> list[LeftBehind]:
        """Those that do not hold any more."""
        found: list[LeftBehind] = []
        duties = [*self._new_duties()]
        gone = [*self._gone()]
        for path, name, said, needed in duties[:MAX_DUTIES]:
            found += await self._lacking(path, name, said, needed)
        for path, name, said in gone[:MAX_DUTIES]:
            found += await self._overriding(path, name)
            found += await self._taken_away(path, name, said)
        left = len(duties[MAX_DUTIES:]) + len(gone[MAX_DUTIES:])
        if left:
            what = counted(left, "member that is new or gone", "members that are new or gone")
            self.lacks.append(f"types below {what} were not looked at")
        renamed = {
            (each.path, each.symbol, each.about) for each in found if "(now " in each.message
        }
        return _by_place(
            each
            for each in found
            if "(now " in each.message or (each.path, each.symbol, each.about) not in renamed
        )

    def _new_duties(self) -> Iterator[tuple[str, str, str, int]]:
        """Path and qualified name of what types below have to have and had not, as a person reads
        it, and how many of that name they need."""
        for path, (before, after) in self.defined.items():
            required = _left_to_others(before)
            for name, defined in _left_to_others(after).items():
                was = len(required.get(name, ()))
                if "." in name and len(defined) > was:
                    yield path, name, _said(defined[-1]), len(defined)

    def _gone(self) -> Iterator[tuple[str, str, str]]:
        for path, (before, after) in self.defined.items():
            known = {each.qualname for each in after}
            for each in before:
                if each.kind in _MEMBERS and "." in each.qualname and each.qualname not in known:
                    known.add(each.qualname)
                    yield path, each.qualname, _said(each)

    async def lowered(self, hidden: Iterable[tuple[str, str]]) -> list[LeftBehind]:
        """Members that are seen from fewer places now (path and qualified name) where a type above
        requires them."""
        found: list[LeftBehind] = []
        stored = self.context.stored
        for path, name in list(hidden)[:MAX_DUTIES]:
            container, _, member = name.rpartition(".")
            owners = await self._types(path, container) if container else []
            edges = await stored.used([node.node_id for node in owners], [_INHERITANCE])
            sure = [edge.target for edge in edges if edge.score >= CERTAIN]
            above = list((await stored.by_id(sure)).values())
            required = await self._required_above(above, member) if above else None
            if required is None:
                continue
            owner, line = required
            for node in (await stored.qualified(path, name))[:1]:
                message = f"is not public any more, as {owner.qualname} requires"
                place = (path, node.line, node.column)
                about = f"{owner.path}:{line}"
                found.append(LeftBehind(*place, message, about, name, node.is_test, is_sure=True))
        return found

    # --- types below --------------------------------------------------------------------------

    async def _lacking(self, path: str, name: str, said: str, needed: int) -> list[LeftBehind]:
        """Types below that lack a member which is required now."""
        container, _, member = name.rpartition(".")
        line = next((each.line for each in self.defined[path][1] if each.qualname == name), 1)
        message, about = f"lacks {said}, which {container} requires", f"{path}:{line}"
        origin = await self._types(path, container)
        if language_of_path(path) == "go":
            return [
                LeftBehind(
                    node.path, node.line, node.column, message, about, node.qualname,
                    node.is_test, is_sure=False,
                )
                for interface in origin
                if interface.kind == "interface"
                for node in await lacking(self.context.stored, interface, member)
            ]  # fmt: skip
        found = []
        await self._say_unknown(container.rpartition(".")[2], member)
        before, now = self.defined[path]
        renamed = {each.qualname for each in before} - {each.qualname for each in now}
        formerly = [old for old in renamed if renamed_to(old, before, now) == name]
        known = {node.node_id for node in origin}
        waiting, seen = list(origin), set(known)
        for _ in range(MAX_DEPTH):
            below, waiting = await self._right_below(waiting), []
            for each in below:
                own = sum(
                    m.name == member and not m.is_left_to_others for m in each.declared.members
                )
                if own >= needed or each.declared.is_open:
                    continue
                if await self._leaves_it(each):
                    is_followed = language_of_path(each.edge.path) not in _OWN_BLOCKS
                    if each.node is not None and is_followed and each.node.node_id not in seen:
                        seen.add(each.node.node_id)
                        waiting.append(each.node)
                elif needed == 1 or own:
                    former = await self._has_former(each, formerly, known)
                    if not former and not await self._has_from_elsewhere(each, member, known):
                        found.append(_unmet(each, message, about))
            if not waiting:
                break
        return found

    async def _has_former(self, below: _Below, formerly: Sequence[str], known: set[int]) -> bool:
        """Whether a type has a member by its former name from one above, where that is told."""
        for name in formerly:
            if await self._has_from_elsewhere(below, name.rpartition(".")[2], known):
                return True
        return False

    async def _say_unknown(self, name: str, member: str) -> None:
        """Types that extend something of this name of which it is not known what it is."""
        left = [
            (path, use.line)
            for path, use in await self.context.stored.left(name)
            if use.kind == "inheritance" and is_read(path)
        ]
        if left:
            what = counted(len(left), "type extends", "types extend")
            path, line = left[0]
            self.lacks.append(f"{what} a {name} and may lack {member} ({path}:{line})")

    async def _leaves_it(self, below: _Below) -> bool:
        """Whether a type may leave a member to the types below it: in C++ and Python nothing but
        the members says so, and there are such types."""
        if below.declared.is_abstract or below.node is None:
            return below.declared.is_abstract
        if language_of_path(below.edge.path) not in _ABSTRACT_BY_MEMBERS:
            return False
        return bool(await self.context.stored.uses([below.node.node_id], [_INHERITANCE]))

    async def _overriding(self, path: str, name: str) -> list[LeftBehind]:
        """Members below that override what is gone."""
        container, _, member = name.rpartition(".")
        if member in _OF_EVERY_TYPE:
            return []
        origin = await self._types(path, container)
        known = {node.node_id for node in origin}
        if not origin or await self._is_above(origin, member):
            return []
        new = renamed_to(name, *self.defined[path])
        message = f"overrides {name}, which is gone from {path}"
        message += f" (now {new.rpartition('.')[2]}?)" if new else ""
        line = next((each.line for each in self.defined[path][1] if each.qualname == new), 0)
        about = f"{path}:{line}" if line else path
        found = []
        waiting, seen = list(origin), set(known)
        for _ in range(MAX_DEPTH):
            below, waiting = await self._right_below(waiting), []
            for each in below:
                own = [m for m in each.declared.members if m.name == member]
                is_followed = language_of_path(each.edge.path) not in _OWN_BLOCKS and not own
                if is_followed and each.node is not None and each.node.node_id not in seen:
                    seen.add(each.node.node_id)
                    waiting.append(each.node)
                for one in own:
                    if one.is_override and not await self._may_override(each, member, known):
                        made = _unmet(each, message, about)
                        found.append(made._replace(line=one.line, column=one.column))
            if not waiting:
                break
        return found

    async def _right_below(self, nodes: Sequence[Node]) -> list[_Below]:
        """What extends types, by the heads of the types that say so."""
        stored = self.context.stored
        edges = [
            edge
            for edge in await stored.uses([node.node_id for node in nodes], [_INHERITANCE])
            if edge.score >= CERTAIN and is_read(edge.path)
        ]
        by_path: dict[str, list[EdgeAt]] = {}
        for edge in edges:
            by_path.setdefault(edge.path, []).append(edge)
        if len(by_path) > MAX_FILES:
            what = counted(len(by_path) - MAX_FILES, "file", "files")
            self.lacks.append(f"types below in {what} were not looked at")
        paths = list(by_path)[:MAX_FILES]
        texts = await current_texts(self.context, paths)
        jobs = [
            CallsJob(path, text, bases=[(edge.line, edge.column) for edge in by_path[path]])
            for path, text in zip(paths, texts, strict=True)
        ]
        around = await stored.by_id(edge.source for edge in edges)
        found, seen = [], set[tuple[str, int, int]]()
        for path, answer in zip(paths, await self.read(jobs), strict=True):
            self._known[path] = answer.definitions
            for edge, declared in zip(by_path[path], answer.types, strict=False):
                if declared is None:
                    continue
                place = (path, edge.line, edge.column)
                node = around.get(edge.source)
                if node is not None and node.name != declared.name:
                    node = None
                if place not in seen:
                    seen.add(place)
                    found.append(_Below(edge, declared, node))
        return found

    # --- types above --------------------------------------------------------------------------

    async def _taken_away(self, path: str, name: str, said: str) -> list[LeftBehind]:
        """The type that had a member which is gone, where one above requires it."""
        container, _, member = name.rpartition(".")
        stored, found = self.context.stored, []
        owners = await self._types(path, container)
        if language_of_path(path) == "go":
            return await self._taken_from_set(owners, member, said)
        edges = [
            edge
            for edge in await stored.used([node.node_id for node in owners], [_INHERITANCE])
            if edge.score >= CERTAIN and is_read(edge.path)
        ]
        above = await stored.by_id(edge.target for edge in edges)
        seen = set[tuple[str, int, int]]()
        for edge in edges:
            target = above.get(edge.target)
            right_below = await self._right_below([target]) if target is not None else []
            below = next((each for each in right_below if each.edge[:3] == edge[:3]), None)
            if below is None or target is None:
                continue
            declared = below.declared
            place = (edge.path, declared.line, declared.column)
            has = any(m.name == member and not m.is_left_to_others for m in declared.members)
            if has or declared.is_abstract or declared.is_open or place in seen:
                continue
            required = await self._required_above([target], member)
            if required is None or await self._has_from_elsewhere(below, member, set()):
                continue
            seen.add(place)
            owner, line = required
            message = f"lacks {said}, which {owner.qualname} requires"
            found.append(_unmet(below, message, f"{owner.path}:{line}"))
        return found

    async def _taken_from_set(
        self, owners: Sequence[Node], member: str, said: str
    ) -> list[LeftBehind]:
        """Go: an interface of which a type has all the other methods."""
        stored, found = self.context.stored, []
        places = {(node.path, node.qualname) for node in owners}
        for method in await stored.named(member):
            for interface in await stored.qualified(
                method.path, method.qualname.rpartition(".")[0]
            ):
                if interface.kind != "interface":
                    continue
                for node in await lacking(stored, interface, member):
                    if (node.path, node.qualname) in places:
                        found.append(
                            LeftBehind(
                                node.path, node.line, node.column,
                                f"lacks {said}, which {interface.qualname} requires",
                                f"{method.path}:{method.line}", node.qualname, node.is_test,
                                is_sure=False,
                            )
                        )  # fmt: skip
        return found[:1]

    async def _required_above(self, start: Sequence[Node], member: str) -> tuple[Node, int] | None:
        """The type, and the line, where a member is left to the types below."""
        walk = await traverse.supertypes(self.context.stored, start, MAX_DEPTH)
        for node in (*start, *(each.node for each in walk.reached)):
            for each in await self._definitions(node.path):
                if each.qualname == f"{node.qualname}.{member}" and each.is_left_to_others:
                    return node, each.line
        return None

    async def _has_from_elsewhere(self, below: _Below, member: str, known: set[int]) -> bool:
        """Whether a type has a member by another one that it extends, in another part of it, or
        may have it by what is not known."""
        if language_of_path(below.edge.path) in _OWN_BLOCKS:
            return False
        if await self._has_in_other_part(below, member):
            return True
        stored = self.context.stored
        start: list[Node] = []
        for line, column, may_have in below.declared.bases:
            meant = await self._meant(below.edge.path, line, column)
            if not meant and may_have:
                self.lacks.append(
                    f"{below.declared.name or 'a type without a name'} may have {member} from what"
                    f" is not in the project ({below.edge.path}:{below.declared.line})"
                )
                return True
            start += [node for node in meant if node.node_id not in known]
        walk = await traverse.supertypes(stored, start, MAX_DEPTH)
        for node in (*start, *(each.node for each in walk.reached)):
            if node.node_id in known or not is_read(node.path):
                continue
            for each in await self._definitions(node.path):
                if each.qualname == f"{node.qualname}.{member}" and not each.is_left_to_others:
                    return True
        return False

    async def _has_in_other_part(self, below: _Below, member: str) -> bool:
        """Whether another part of a type (C#'s `partial`) has a member."""
        if below.node is None:
            return False
        parts = {part.key for part in await all_parts(self.context.stored, below.node)}
        parts.discard(below.node.key)
        return bool(parts) and any(
            f"{each.path}::{each.qualname.rpartition('.')[0]}" in parts
            for each in await self.context.stored.named(member)
        )

    async def _may_override(self, below: _Below, member: str, known: set[int]) -> bool:
        """Whether a member may override that of another type than those that had it."""
        if language_of_path(below.edge.path) in _OWN_BLOCKS:
            return False
        others = []
        for line, column, _ in below.declared.bases:
            meant = await self._meant(below.edge.path, line, column)
            if not meant:
                return True
            others += [node for node in meant if node.node_id not in known]
        return await self._is_above(others, member, themselves=True)

    async def _is_above(
        self, start: Sequence[Node], member: str, *, themselves: bool = False
    ) -> bool:
        """Whether types above have a member."""
        stored = self.context.stored
        walk = await traverse.supertypes(stored, start, MAX_DEPTH)
        owners = {each.node.key for each in walk.reached}
        owners |= {node.key for node in start} if themselves else set()
        return any(
            f"{each.path}::{each.qualname.rpartition('.')[0]}" in owners
            for each in await stored.named(member)
        )

    # --- reading ------------------------------------------------------------------------------

    async def _types(self, path: str, qualname: str) -> list[Node]:
        """A type's definitions, in C# all its parts."""
        stored = self.context.stored
        found = await stored.qualified(path, qualname)
        if not found:
            by_line = [
                n for n in await stored.inside(path) if n.name == qualname.rpartition(".")[2]
            ]
            names = {await name_at(stored, path, qualname, node.line) for node in by_line}
            found = [node for node in by_line if node.qualname in names]
        return [part for node in found for part in await all_parts(stored, node)]

    async def _meant(self, path: str, line: int, column: int) -> list[Node]:
        edges = await self.context.stored.at(path, line, column)
        meant = await self.context.stored.by_id(e.target for e in edges if e.score >= CERTAIN)
        return list(meant.values())

    async def _definitions(self, path: str) -> list[DefinedSignature]:
        """What a file defines now."""
        if path not in self._known:
            (text,) = await current_texts(self.context, [path])
            (answer,) = await self.read([CallsJob(path, text)])
            self._known[path] = answer.definitions
        return self._known[path]


def _by_place(found: Iterable[LeftBehind]) -> list[LeftBehind]:
    """Each place once, with all that is said of it."""
    places: dict[tuple[str, int, int], list[LeftBehind]] = {}
    for each in found:
        places.setdefault(each[:3], []).append(each)
    made = []
    for same in places.values():
        said = list(dict.fromkeys(each.message for each in same))
        more = f" and {len(said) - MAX_SAID} more" if len(said) > MAX_SAID else ""
        made.append(same[0]._replace(message="; ".join(said[:MAX_SAID]) + more))
    return made


def _left_to_others(defined: Sequence[DefinedSignature]) -> dict[str, list[DefinedSignature]]:
    found: dict[str, list[DefinedSignature]] = {}
    for each in defined:
        if each.is_left_to_others:
            found.setdefault(each.qualname, []).append(each)
    return found


def _said(defined: DefinedSignature) -> str:
    return f"{defined.qualname.rpartition('.')[2]}({defined.signature.named})"


def _unmet(below: _Below, message: str, about: str) -> LeftBehind:
    edge, declared = below.edge, below.declared
    symbol = below.node.qualname if below.node is not None else declared.name
    is_sure = language_of_path(edge.path) in _COMPILED
    return LeftBehind(
        edge.path, declared.line, declared.column, message, about, symbol, edge.is_test, is_sure
    )
