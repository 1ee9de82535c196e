"""What a type leaves behind that does not extend any more what it did: uses of members that it had
from there, and its own that say that they override one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from surveyor.change.jobs import CallsJob, DeclaredType
from surveyor.engine.file_versions import ReadCalls, current_texts, is_read
from surveyor.engine.left_behind import LeftBehind
from surveyor.graph.queries import traverse
from surveyor.graph.queries.lookup import Node
from surveyor.graph.queries.lost_bases import MAX_DEPTH, InheritedUses, LostBases
from surveyor.graph.queries.query_context import QueryContext
from surveyor.graph.resolve.certainty import CERTAIN

__all__ = ["LostInheritance"]


@dataclass(frozen=True, slots=True)
class LostInheritance:
    """What one change means for types whose bases it took."""

    context: QueryContext
    read: ReadCalls
    lost: Sequence[LostBases]
    inherited: InheritedUses

    async def uses(self) -> list[LeftBehind]:
        """Places that use a member which its type had from what it extends no more."""
        found = []
        for use in self.inherited.uses:
            owner = use.member.qualname.rpartition(".")[0]
            around = await self._around(use.path, use.line)
            file = await self.context.stored.file(use.path)
            found.append(
                LeftBehind(
                    use.path, use.line, use.column,
                    f"names {use.member.name}, which {use.lost.qualname} had from {owner}",
                    await self._place(use.lost),
                    around.qualname if around is not None else "",
                    file is not None and file.is_test,
                    is_sure=False,
                )
            )  # fmt: skip
        return found

    async def overrides(self) -> list[LeftBehind]:
        """Members that say that they override what nothing above their type has now."""
        found = []
        for lost in self.lost:
            had = self.inherited.members.get((lost.path, lost.qualname), frozenset())
            nodes = await self.context.stored.qualified(lost.path, lost.qualname)
            if not (had and nodes and is_read(lost.path)):
                continue
            declared = await self._declared(lost.path, nodes[0])
            if declared is None:
                continue
            for member in declared.members:
                if not member.is_override or member.name not in had:
                    continue
                if await self._may_override(lost.path, declared, member.name):
                    continue
                if await self._may_by_other_part(nodes[0], member.name):
                    continue
                found.append(
                    LeftBehind(
                        lost.path, member.line, member.column,
                        f"overrides {member.name}, which {lost.qualname} had from"
                        f" {', '.join(lost.names)}",
                        await self._place(lost), f"{lost.qualname}.{member.name}",
                        nodes[0].is_test,
                        is_sure=True,
                    )
                )  # fmt: skip
        return found

    async def _declared(self, path: str, node: Node) -> DeclaredType | None:
        (text,) = await current_texts(self.context, [path])
        (answer,) = await self.read([CallsJob(path, text, bases=[(node.line, node.column)])])
        return answer.types[0] if answer.types else None

    async def _may_override(self, path: str, declared: DeclaredType, member: str) -> bool:
        """Whether something that a type extends now has a member, or is not known."""
        stored = self.context.stored
        above: list[Node] = []
        for line, column, _ in declared.bases:
            edges = await stored.at(path, line, column)
            meant = await stored.by_id(e.target for e in edges if e.score >= CERTAIN)
            if not meant:
                return True
            above += meant.values()
        walk = await traverse.supertypes(stored, above, MAX_DEPTH)
        owners = {node.key for node in (*above, *(each.node for each in walk.reached))}
        return any(
            f"{each.path}::{each.qualname.rpartition('.')[0]}" in owners
            for each in await stored.named(member)
        )

    async def _may_by_other_part(self, node: Node, member: str) -> bool:
        """The same by what another part of the type extends: a base may have moved there."""
        ending = node.path.rpartition(".")[2]
        for part in await self.context.stored.named(node.name):
            if part.path == node.path or part.qualname != node.qualname or part.kind != node.kind:
                continue
            if part.path.rpartition(".")[2] == ending and is_read(part.path):
                declared = await self._declared(part.path, part)
                if declared and await self._may_override(part.path, declared, member):
                    return True
        return False

    async def _place(self, lost: LostBases) -> str:
        nodes = await self.context.stored.qualified(lost.path, lost.qualname)
        return f"{lost.path}:{nodes[0].line}" if nodes else lost.path

    async def _around(self, path: str, line: int) -> Node | None:
        """The innermost definition around a line."""
        around = [
            node
            for node in await self.context.stored.inside(path)
            if node.start_line <= line <= node.end_line
        ]
        return max(around, key=lambda node: node.start_line, default=None)
