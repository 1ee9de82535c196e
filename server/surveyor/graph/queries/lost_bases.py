"""Types that a diff leaves without something that they extended: what is still used of them that
they had from there."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from surveyor.graph.facts import FileFacts
from surveyor.graph.jobs import FormerUse, GraphJob
from surveyor.graph.queries import traverse
from surveyor.graph.queries.former_uses import MAX_FILES, family_of, files_naming
from surveyor.graph.queries.lookup import Node, StoredGraph
from surveyor.graph.resolve.certainty import FOLLOWED_SCORE
from surveyor.graph.resolve.values import TYPE_KINDS

__all__ = ["InheritedUse", "InheritedUses", "LostBases", "bases_lost", "find_inherited_uses"]

MAX_DEPTH = 6
"""Types above one another whose members are looked for."""
MAX_TYPES = 40
"""Types without a former base that are looked at."""
MAX_MEMBERS = 400
_WORDS = re.compile(r"[^\W\d][\w$]*")
_SPECIAL = re.compile(r"__\w+__$")
"""What a class of Python has without extending anything."""
_OF_ALL = frozenset(
    {"clone", "constructor", "Equals", "equals", "finalize", "GetHashCode", "hashCode", "init",
     "initialize", "inspect", "MemberwiseClone", "noSuchMethod", "runtimeType", "to_s", "ToString",
     "toString", "valueOf"}
)  # fmt: skip
"""Members that values of any type have, or that are no member."""
_FORMER = msgspec.msgpack.Decoder(list[FormerUse])


class LostBases(NamedTuple):
    """A type that is still there and does not extend all that it did."""

    path: str
    qualname: str
    bases: tuple[str, ...]
    """Expressions of those that it lost, as its file wrote them."""
    graph: bytes
    """Of its file as it was, encoded."""

    @property
    def names(self) -> tuple[str, ...]:
        """What these are called."""
        return tuple(
            dict.fromkeys(words[-1] for each in self.bases if (words := _WORDS.findall(each)))
        )


class InheritedUse(NamedTuple):
    """A place that uses a member which its type had from a base that it lost."""

    path: str
    line: int
    column: int
    member: Node
    lost: LostBases


class InheritedUses(NamedTuple):
    """Such places, and what was not looked at."""

    uses: Sequence[InheritedUse] = ()
    members: Mapping[tuple[str, str], frozenset[str]] = {}
    """Names of what a type, by path and qualified name, had from what it does not extend."""
    left_files: int = 0
    """Files that may have more."""
    left_types: int = 0
    """Types that were not looked at."""
    left_members: int = 0
    """Members whose uses were not looked for."""


def bases_lost(path: str, graph: bytes, was: FileFacts, now: FileFacts) -> list[LostBases]:
    """The types of a file that lost something that they extended."""
    kept = {each.qualname for each in now.names if each.kind in TYPE_KINDS}
    found = []
    for qualname, bases in was.bases.items():
        lost = tuple(each for each in bases if each not in now.bases.get(qualname, ()))
        if lost and qualname in kept:
            found.append(LostBases(path, qualname, lost, graph))
    return found


async def find_inherited_uses(
    stored: StoredGraph,
    lost: Sequence[LostBases],
    job: GraphJob,
    run: Callable[[GraphJob], Awaitable[bytes]],
) -> InheritedUses:
    """Uses that the graph would follow to members of bases if types had these still, and that it
    does not follow now."""
    members: dict[tuple[str, str], tuple[Node, LostBases]] = {}
    names: dict[tuple[str, str], frozenset[str]] = {}
    for each in lost[:MAX_TYPES]:
        had = await _members_above(stored, each)
        names[each.path, each.qualname] = frozenset(node.name for node in had)
        for node in had:
            members.setdefault((node.path, node.qualname), (node, each))
    sought = list(members.values())[:MAX_MEMBERS]
    if not sought:
        return InheritedUses(members=names)
    paths = await files_naming(
        stored, {node.name for node, _ in sought}, [each.path for _, each in sought]
    )
    gone: dict[str, list[str]] = {}
    for node, _ in sought:
        gone.setdefault(node.path, []).append(node.qualname)
    rebased: dict[str, list[str]] = {}
    for each in lost[:MAX_TYPES]:
        rebased.setdefault(each.path, []).append(each.qualname)
    former = msgspec.structs.replace(
        job,
        kind="former",
        paths=paths[:MAX_FILES],
        buffers={each.path: each.graph for each in lost[:MAX_TYPES]},
        gone=gone,
        rebased=rebased,
    )
    uses = []
    for use in _FORMER.decode(await run(former)):
        place = (use.path, use.line, use.column)
        if use.score < FOLLOWED_SCORE or await _is_followed(stored, place):
            continue
        uses.append(InheritedUse(*place, *members[use.gone_path, use.qualname]))
    left_files, left_types = len(paths) - MAX_FILES, len(lost) - MAX_TYPES
    left_members = len(members) - MAX_MEMBERS
    left = (max(0, each) for each in (left_files, left_types, left_members))
    return InheritedUses(uses, names, *left)


async def _members_above(stored: StoredGraph, lost: LostBases) -> list[Node]:
    """What types called like the lost bases define, and those above them; which of these are
    meant, the resolver decides."""
    start = [
        node
        for name in lost.names
        for node in await stored.named(name)
        if node.kind in TYPE_KINDS
        and family_of(node.path) == family_of(lost.path)
        and (node.path, node.qualname) != (lost.path, lost.qualname)
    ]
    walk = await traverse.supertypes(stored, start, MAX_DEPTH)
    above = {node.key: node for node in (*start, *(each.node for each in walk.reached))}
    found = {}
    for path in dict.fromkeys(node.path for node in above.values()):
        for node in await stored.inside(path):
            owner = node.qualname.rpartition(".")[0]
            is_plain = node.kind != "constructor" and not _SPECIAL.match(node.name)
            is_plain = is_plain and node.name not in _OF_ALL
            if is_plain and f"{path}::{owner}" in above and node.kind not in TYPE_KINDS:
                found[node.key] = node
    return list(found.values())


async def _is_followed(stored: StoredGraph, place: tuple[str, int, int]) -> bool:
    """Whether a place is known to mean something now."""
    return any(edge.score >= FOLLOWED_SCORE for edge in await stored.at(*place))
