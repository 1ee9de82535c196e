"""Definitions that a change made seen from fewer places, and uses of them from where they are not
seen any more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from surveyor.change.jobs import DefinedReach, Reach
from surveyor.change.visibility import RANKS
from surveyor.engine.file_versions import is_read
from surveyor.engine.left_behind import LeftBehind
from surveyor.graph.facts import decode_facts
from surveyor.graph.queries import traverse
from surveyor.graph.queries.lookup import EdgeAt, Node, language_of_path
from surveyor.graph.queries.partial_types import all_parts, name_at
from surveyor.graph.queries.query_context import QueryContext
from surveyor.graph.resolve.certainty import CERTAIN
from surveyor.units import counted

__all__ = ["HiddenDefinitions", "Reaches", "not_public"]

Reaches = Mapping[str, tuple[Sequence[DefinedReach], Sequence[DefinedReach]]]
"""From where definitions of changed files are seen, before and now, by path."""

MAX_HIDDEN = 60
"""Definitions whose uses are looked at."""
MAX_USES = 50
"""Places that are told of one."""
MAX_DEPTH = 6
_SAID: Final[dict[Reach, str]] = {
    "crate": "seen in its crate only",
    "below": "seen in types below only",
    "package": "seen in its package only",
    "module": "private to its module",
    "type": "private",
    "file": "seen in its file only",
}
_PUBLIC_BY_INTERFACES = frozenset({"java", "csharp", "php", "typescript"})
_SAME_FILE = frozenset({"java", "rust"})
"""Where all of a file sees what is private in one of its types."""


class _Hidden(NamedTuple):
    path: str
    defined: DefinedReach


@dataclass(slots=True)
class HiddenDefinitions:
    """What one change hides from those that use it."""

    context: QueryContext
    reaches: Reaches
    lacks: list[str] = field(default_factory=list)
    """What was not looked at."""
    _packages: dict[str, str] = field(default_factory=dict)

    async def uses(self) -> list[LeftBehind]:
        """Uses from where they are not seen any more."""
        found: list[LeftBehind] = []
        hidden = list(self._hidden())
        if len(hidden) > MAX_HIDDEN:
            left = counted(len(hidden) - MAX_HIDDEN, "definition that is", "definitions that are")
            self.lacks.append(f"uses of {left} seen from fewer places were not looked at")
        for each in hidden[:MAX_HIDDEN]:
            found += await self._unseen(each)
        return found

    def _hidden(self) -> Iterator[_Hidden]:
        for path, (before, after) in self.reaches.items():
            now: dict[str, list[DefinedReach]] = {}
            for each in after:
                now.setdefault(each.qualname, []).append(each)
            for name, defined in now.items():
                was = [RANKS[each.reach] for each in before if each.qualname == name]
                widest = max(defined, key=lambda each: RANKS[each.reach])
                if len(was) == len(defined) and min(was) > RANKS[widest.reach]:
                    yield _Hidden(path, widest)

    async def _unseen(self, hidden: _Hidden) -> list[LeftBehind]:
        path, defined = hidden
        stored = self.context.stored
        qualname = await name_at(stored, path, defined.qualname, defined.line)
        nodes = await stored.qualified(path, qualname)
        edges = [
            edge
            for edge in await stored.uses([node.node_id for node in nodes])
            if edge.score >= CERTAIN and is_read(edge.path) and edge.kind != "overridden"
        ]
        around = await stored.by_id(edge.source for edge in edges)
        if defined.reach == "assembly":
            self._say_assembly(path, defined, edges)
            return []
        owner, _, name = qualname.rpartition(".")
        holders = await stored.qualified(path, owner) if owner else []
        parts = [part for node in holders for part in await all_parts(stored, node)]
        family = await self._family(parts) if defined.reach == "below" else frozenset[str]()
        message = f"names {name}, which is {_SAID[defined.reach]} now"
        found = []
        for edge in edges:
            user = around.get(edge.source)
            if await self._sees(hidden, edge, user, parts, family):
                continue
            found.append(
                LeftBehind(
                    edge.path,
                    edge.line,
                    edge.column,
                    message,
                    f"{path}:{defined.line}",
                    user.qualname if user is not None else "",
                    edge.is_test,
                    is_sure=True,
                )
            )
        return found[:MAX_USES]

    async def _sees(
        self,
        hidden: _Hidden,
        edge: EdgeAt,
        user: Node | None,
        parts: Sequence[Node],
        family: frozenset[str],
    ) -> bool:
        """Whether a use stands where the definition is still seen."""
        path, defined = hidden
        reach, language = defined.reach, language_of_path(path)
        if language_of_path(edge.path) != language and reach not in ("file", "type"):
            return True
        if reach == "file":
            return edge.path == path
        if reach == "crate":
            return _is_same_crate(path, edge.path)
        if reach == "module":
            return is_in_module(path, edge.path)
        if edge.path == path and (language in _SAME_FILE or user is None or not parts):
            return True
        if reach in ("package", "below") and language == "java":
            if await self._package(edge.path) == await self._package(path):
                return True
            if reach == "package":
                return False
        inside = {_type_key(part.path, part.qualname) for part in parts} | family
        return user is not None and any(
            _type_key(user.path, each) in inside for each in _names_around(user.qualname)
        )

    async def _family(self, parts: Sequence[Node]) -> frozenset[str]:
        """What the types below and above one are called."""
        stored = self.context.stored
        below = await traverse.subtypes(stored, parts, MAX_DEPTH)
        above = await traverse.supertypes(stored, parts, MAX_DEPTH)
        return frozenset(
            _type_key(each.node.path, each.node.qualname)
            for each in (*below.reached, *above.reached)
        )

    async def _package(self, path: str) -> str:
        if path not in self._packages:
            facts = await self.context.stored.facts(path)
            self._packages[path] = decode_facts(facts).package if facts is not None else ""
        return self._packages[path]

    def _say_assembly(self, path: str, defined: DefinedReach, edges: Sequence[EdgeAt]) -> None:
        """Which files are of one assembly is not known here."""
        others = [edge for edge in edges if _project(edge.path) != _project(path)]
        if others:
            first = min(others)
            what = counted(len(others), "use", "uses")
            self.lacks.append(
                f"{defined.qualname} is internal now, and {what} of it in other folders may not see"
                f" it ({first.path}:{first.line})"
            )


def not_public(reaches: Reaches) -> Iterator[tuple[str, str]]:
    """Path and qualified name of members that were seen from everywhere, and are not now, in
    languages in which what an interface requires has to be."""
    for path, (before, after) in reaches.items():
        if language_of_path(path) not in _PUBLIC_BY_INTERFACES:
            continue
        was = {each.qualname for each in before if each.reach == "all"}
        still = {each.qualname for each in after if each.reach == "all"}
        lower = (each.qualname for each in after if each.qualname in was - still)
        yield from ((path, name) for name in dict.fromkeys(lower) if "." in name)


def _type_key(path: str, qualname: str) -> str:
    """What a type is told from others by: in C++ its members are defined in other files, with other
    namespaces written; in Kotlin what is around an object sees what is private in it."""
    language = language_of_path(path)
    if language in ("c", "cpp"):
        return qualname.rpartition(".")[2]
    return f"{path}::{qualname.partition('.')[0] if language == 'kotlin' else qualname}"


def _names_around(name: str) -> Iterator[str]:
    """What something of this name may be in, and itself."""
    while name:
        yield name
        name = name.rpartition(".")[0]


def _project(path: str) -> tuple[str, ...]:
    return PurePosixPath(path).parts[:-1][:2]


def _crate(path: str) -> str | None:
    """The folder of a file's crate, where its sources are; None for programs, tests and examples
    beside them, each a crate of its own."""
    parts = PurePosixPath(path).parts
    if "src" not in parts[:-1]:
        return None
    at = parts.index("src")
    if parts[at + 1 :] == ("main.rs",) or parts[at + 1] == "bin":
        return None
    return "/".join(parts[: at + 1])


def _is_same_crate(path: str, user: str) -> bool:
    """Whether a file is of the crate of another one, also where that is not to be told."""
    own, other = _crate(path), _crate(user)
    if own is None:
        return True
    return other == own if other is not None else PurePosixPath(user).parts[-2:-1] == ("src",)


def is_in_module(path: str, user: str) -> bool:
    """Whether a file of Rust is in the module that another one is, or in one below it."""
    own, other = _module(path), _module(user)
    return other[: len(own)] == own


def _module(path: str) -> tuple[str, ...]:
    file = PurePosixPath(path)
    if file.name in ("mod.rs", "lib.rs", "main.rs"):
        return file.parent.parts
    return (*file.parent.parts, file.stem)
