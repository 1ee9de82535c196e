"""Members that a change added to an enumeration, and choices that name all the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
            for owner in dict.fromkeys(each.owner for each in after):
                was = {each.name for each in before if each.owner == owner}
                now = {each.name: each for each in after if each.owner == owner}
                new = tuple((each.name, each.line) for each in now.values() if each.name not in was)
                if was and new:
                    kept = {name: now[name].qualname for name in sorted(was & now.keys())}
                    yield _Grown(path, owner, kept, frozenset(was - now.keys()), new)

    async def _choices_over(self, grown: _Grown) -> list[LeftBehind]:
        stored = self.context.stored
        nodes = await stored.qualified(grown.path, *grown.kept.values())
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
    if choice.has_default or not grown.kept.keys() <= names or not names.isdisjoint(grown.gone):
        return []
    return [(name, line) for name, line in grown.new if name not in names]
