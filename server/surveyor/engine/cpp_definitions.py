"""In C and C++: definitions that a changed declaration in a header leaves as they were."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from surveyor.change.comparison import ChangedSignature, declared_names, renamed_to
from surveyor.change.jobs import CallsJob, DefinedSignature
from surveyor.change.signatures import Signature
from surveyor.engine.file_versions import ReadCalls, current_texts, is_read
from surveyor.engine.left_behind import LeftBehind
from surveyor.engine.required_members import Defined
from surveyor.graph.queries.lookup import Node, language_of_path
from surveyor.graph.queries.query_context import QueryContext
from surveyor.graph.resolve.certainty import CERTAIN
from surveyor.graph.resolve.values import TYPE_KINDS

__all__ = ["CppDefinitions"]

_LANGUAGES = frozenset({"c", "cpp"})
_HEADERS = frozenset({".h", ".hh", ".hpp", ".hxx", ".cuh"})
MAX_GONE = 40


@dataclass(slots=True)
class CppDefinitions:
    """Definitions outside of the headers that declare them."""

    context: QueryContext
    read: ReadCalls

    async def left_behind(
        self, changed: Sequence[tuple[str, ChangedSignature]], defined: Defined
    ) -> tuple[list[LeftBehind], list[LeftBehind]]:
        """Those that take what their declaration took, and that no class declares any more; and who
        uses the latter."""
        found: list[LeftBehind] = []
        users: list[LeftBehind] = []
        for path, each in changed:
            if len(each.before) != 1 or len(each.after) != 1:
                continue
            if language_of_path(path) in _LANGUAGES and path in defined:
                found += _below_as_before(path, each, defined[path][1])
            if _is_header(path):
                found += await self._as_before(path, each)
        gone = []
        for path, (before, after) in defined.items():
            declared, left = declared_names(after), {each.qualname for each in after}
            gone += [
                (path, name)
                for name in sorted(declared_names(before) - declared)
                if "." in name
                and language_of_path(path) in _LANGUAGES
                and (_is_header(path) or name in left)
            ]
        for path, name in list(dict.fromkeys(gone))[:MAX_GONE]:
            definitions, uses = await self._undeclared(path, name, defined)
            found += definitions
            users += uses
        return found, users

    async def _elsewhere(self, path: str, name: str) -> list[Node]:
        """Definitions of a name in the source files that belong to a header: by their names, and
        of a class that no other file has all that define its members."""
        stem, (container, _, member) = PurePosixPath(path).stem, name.rpartition(".")
        is_alone = bool(container) and all(
            node.path == path
            for node in await self.context.stored.named(container.rpartition(".")[2])
            if node.kind in TYPE_KINDS and node.qualname == container
        )
        return [
            node
            for node in await self.context.stored.named(member)
            if node.qualname == name
            and node.path != path
            and (is_alone or PurePosixPath(node.path).stem == stem)
            and language_of_path(node.path) in _LANGUAGES
            and not _is_header(node.path)
        ]

    async def _signatures(self, node: Node) -> list[Signature]:
        (text,) = await current_texts(self.context, [node.path])
        (answer,) = await self.read([CallsJob(node.path, text)])
        return [each.signature for each in answer.definitions if each.qualname == node.qualname]

    async def _as_before(self, path: str, changed: ChangedSignature) -> list[LeftBehind]:
        found = []
        was, now = _count(changed.before[0]), _count(changed.after[0])
        for node in await self._elsewhere(path, changed.now.qualname) if was != now else ():
            own = await self._signatures(node)
            if len(own) == 1 and _count(own[0]) == was:
                found.append(
                    LeftBehind(
                        node.path, node.line, node.column,
                        f"takes ({own[0].named}) as before: {changed.now.qualname}"
                        f"({changed.after[0].named})",
                        f"{path}:{changed.now.line}", node.qualname, node.is_test, is_sure=True,
                    )
                )  # fmt: skip
        return found

    async def _undeclared(
        self, path: str, name: str, defined: Defined
    ) -> tuple[list[LeftBehind], list[LeftBehind]]:
        stored, (before, after) = self.context.stored, defined[path]
        container = name.rpartition(".")[0]
        if not await stored.qualified(path, container):
            return [], []  # the class itself is gone
        nodes = await self._elsewhere(path, name)
        below = {each.line for each in after if each.qualname == name}
        nodes += [node for node in await stored.inside(path) if node.line in below]
        new = renamed_to(name, before, after)
        line = next((each.line for each in after if each.qualname == new), 0)
        about = f"{path}:{line}" if line else path
        said = f"{name}, which is gone from {path}" + (f" (now {new}?)" if new else "")
        found = [
            LeftBehind(
                node.path, node.line, node.column, f"defines {said}", about, node.qualname,
                node.is_test, is_sure=True,
            )
            for node in nodes
        ]  # fmt: skip
        uses = []
        edges = await stored.uses([node.node_id for node in nodes])
        around = await stored.by_id(edge.source for edge in edges)
        for edge in edges:
            user = around.get(edge.source)
            if edge.score >= CERTAIN and is_read(edge.path):
                symbol = user.qualname if user is not None else ""
                place = (edge.path, edge.line, edge.column)
                uses.append(
                    LeftBehind(*place, f"names {said}", about, symbol, edge.is_test, is_sure=False)
                )
        return found, uses


def _below_as_before(
    path: str, changed: ChangedSignature, defined: Sequence[DefinedSignature]
) -> list[LeftBehind]:
    """Definitions below a class in its own file that take what their declaration took."""
    was, now, name = _count(changed.before[0]), _count(changed.after[0]), changed.now.qualname
    below = [each for each in defined if each.is_outside and each.qualname == name]
    if was == now or len(below) != 1 or _count(below[0].signature) != was:
        return []
    (one,) = below
    return [
        LeftBehind(
            path, one.line, one.column,
            f"takes ({one.signature.named}) as before: {name}({changed.after[0].named})",
            f"{path}:{changed.now.line}", name, False, is_sure=True,
        )
    ]  # fmt: skip


def _is_header(path: str) -> bool:
    return PurePosixPath(path).suffix.lower() in _HEADERS


def _count(signature: Signature) -> list[str]:
    return [each.kind for each in signature.parameters]
