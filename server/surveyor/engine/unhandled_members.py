"""Members that a change added to an enumeration, and choices that name all the others."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from surveyor.change.jobs import CallsJob, Choice, EnumMember
from surveyor.engine.file_versions import ReadCalls, current_texts, is_read
from surveyor.engine.left_behind import LeftBehind
from surveyor.graph.queries.lookup import EdgeAt, language_of_path
from surveyor.graph.queries.query_context import QueryContext
from surveyor.graph.resolve.certainty import CERTAIN

__all__ = ["Enumerated", "UnhandledMembers"]

Enumerated = Mapping[str, tuple[Sequence[EnumMember], Sequence[EnumMember]]]
"""Members of enumerations of changed files, before and now, by path."""

MAX_ENUMERATIONS = 40
_COMPILED = frozenset({"rust", "kotlin", "java"})
"""Where a choice that has a value is refused when it leaves a member out."""


class _Grown(NamedTuple):
    """An enumeration with new members."""

    path: str
    name: str
    kept: Mapping[str, str]
    """Qualified names by the names of those that there were."""
    gone: frozenset[str]
    new: tuple[tuple[str, int], ...]
    """Each with its line."""
    is_member: bool
    """Whether it is a member of another one, so that an arm may be for all of it."""
    parts: Mapping[str, frozenset[str]]
    """Members that there were of members that have such themselves: sealed types below it."""

    def is_covered(self, member: str, names: Collection[str]) -> bool:
        """Whether arms for these names are for all of a member."""
        parts = self.parts.get(member, frozenset())
        return member in names or (
            bool(parts) and all(self.is_covered(part, names) for part in parts)
        )


@dataclass(slots=True)
class UnhandledMembers:
    """The choices that a change has left without an arm."""

    context: QueryContext
    read: ReadCalls
    enumerated: Enumerated

    async def places(self) -> list[LeftBehind]:
        """Choices that named each member there was, have no default and do not name a new one."""
        found: list[LeftBehind] = []
        for grown in list(self._grown())[:MAX_ENUMERATIONS]:
            found += await self._choices_over(grown)
        return found

    def _grown(self) -> Iterator[_Grown]:
        for path, (before, after) in self.enumerated.items():
            sealed = {each.qualname: each.name for each in after}
            for owner in dict.fromkeys(each.owner for each in after):
                was = {each.name for each in before if each.owner == owner}
                now = {each.name: each for each in after if each.owner == owner}
                new = tuple((each.name, each.line) for each in now.values() if each.name not in was)
                if was and new:
                    kept = {name: now[name].qualname for name in sorted(was & now.keys())}
                    parts, more = _below(owner, before, sealed)
                    gone = frozenset(was - now.keys())
                    yield _Grown(path, owner, kept | more, gone, new, owner in sealed, parts)

    async def _choices_over(self, grown: _Grown) -> list[LeftBehind]:
        stored = self.context.stored
        nodes = await stored.qualified(grown.path, *dict.fromkeys(grown.kept.values()))
        edges = [
            edge
            for edge in await stored.uses([node.node_id for node in nodes])
            if edge.score >= CERTAIN and is_read(edge.path)
        ]
        by_path: dict[str, list[EdgeAt]] = {}
        for edge in edges:
            by_path.setdefault(edge.path, []).append(edge)
        texts = await current_texts(self.context, list(by_path))
        jobs = [
            CallsJob(path, text, choices=[(edge.line, edge.column) for edge in by_path[path]])
            for path, text in zip(by_path, texts, strict=True)
        ]
        around = await stored.by_id(edge.source for edge in edges)
        found: dict[tuple[str, int, int], LeftBehind] = {}
        for job, answer in zip(jobs, await self.read(jobs), strict=True):
            for edge, choice in zip(by_path[job.path], answer.choices, strict=False):
                missing = _missing(grown, choice) if choice is not None else ()
                if choice is None or not missing:
                    continue
                where = around.get(edge.source)
                names = ", ".join(name for name, _ in missing)
                found[job.path, choice.line, choice.column] = LeftBehind(
                    job.path, choice.line, choice.column,
                    f"has no case for {names} of {grown.name}",
                    f"{grown.path}:{missing[0][1]}",
                    where.qualname if where is not None else "",
                    edge.is_test,
                    choice.is_checked and language_of_path(job.path) in _COMPILED,
                )  # fmt: skip
        return list(found.values())


def _missing(grown: _Grown, choice: Choice) -> list[tuple[str, int]]:
    """New members that a choice leaves out though it named all there were."""
    names = set(choice.names)
    nested = frozenset[str]().union(*grown.parts.values())
    own = {grown.name.rpartition(".")[2]} if grown.is_member else set[str]()
    if choice.has_default or not names.isdisjoint(grown.gone | own):
        return []
    if not all(grown.is_covered(name, names) for name in grown.kept.keys() - nested):
        return []
    return [(name, line) for name, line in grown.new if name not in names]


def _below(
    owner: str, members: Sequence[EnumMember], names: Mapping[str, str]
) -> tuple[dict[str, frozenset[str]], dict[str, str]]:
    """Of an enumeration's members that have members themselves, these by name; and the qualified
    names of the latter."""
    parts: dict[str, frozenset[str]] = {}
    qualnames: dict[str, str] = {}
    waiting, seen = [owner], {owner}
    while waiting:
        at = waiting.pop()
        own = [each for each in members if each.owner == at]
        if at != owner and at in names and own:
            parts[names[at]] = frozenset(each.name for each in own)
            qualnames |= {each.name: each.qualname for each in own}
        below = [each.qualname for each in own if each.qualname not in seen]
        seen.update(below)
        waiting += below
    return parts, qualnames
