"""The graph with editors' unsaved buffers in place of the files that they change.

What a buffer defines keeps the id of the stored definition of that name, so that edges of other
files still lead to it; what it does not define any more is `gone`, and found by its name as long
as nothing else has it. Nothing of this is ever written.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from surveyor.graph.facts import KIND_NAMES, Row, decode_blobs, decode_references
from surveyor.graph.jobs import PreviewedFile
from surveyor.graph.left_uses import LeftUse, decode_left
from surveyor.graph.queries.lookup import (
    CALL_KINDS,
    EdgeAt,
    HoverFacts,
    Node,
    OmittedUses,
    StoredGraph,
    answer_order,
    first_places,
)
from surveyor.graph.resolve.certainty import CERTAIN
from surveyor.parsing.types import ParsedFile
from surveyor.store.state import State
from surveyor.store.state.graph.documents import FileMention
from surveyor.store.state.graph.imports import FileImport, ImportPlace

__all__ = ["GraphWithUnsaved", "UnsavedFile", "unsaved_file"]


@dataclass(frozen=True, slots=True)
class UnsavedFile:
    """What a buffer defines and uses."""

    path: str
    version: int
    file: Node
    nodes: list[Node]
    """Each with its first place."""
    overloads: list[Node]
    """The same nodes at their other places."""
    gone: list[Node]
    """What is stored and not in the buffer, as it is stored."""
    edges: list[EdgeAt]
    imports: list[tuple[int, str, int]]
    """Line, module and file of each import that means a file."""
    references: list[Row]
    left: bytes
    """Uses that are not followed, encoded."""
    kinds: dict[tuple[int, int], str]
    signatures: dict[tuple[int, int], str]
    facts: bytes


async def unsaved_file(
    stored: StoredGraph, version: int, parsed: ParsedFile, found: PreviewedFile
) -> UnsavedFile:
    """A buffer as part of the graph, from what a worker made of it."""
    path, is_test = found.outlined.path, found.outlined.is_test
    before = {node.qualname: node for node in await stored.inside(path)}
    known = await stored.file(path)
    name = path.rpartition("/")[2]
    rank = known.rank if known is not None else 0.0
    file = known or Node(
        found.file_id, found.file_id, path, "", name, "file", 1, 1, 1, 0, 0, 0.0, is_test
    )
    nodes: list[Node] = []
    overloads: list[Node] = []
    for node_id, row in zip(found.node_ids, found.outlined.nodes, strict=True):
        old = before.get(row.qualname)
        node = Node(
            node_id, file.file_id, path, row.qualname, row.name, row.kind, row.start_line,
            row.end_line, row.line, row.column, row.end_column,
            old.rank if old is not None else rank, old.is_test if old is not None else is_test,
        )  # fmt: skip
        nodes.append(node)
        for start, end, line, column, end_column in row.places:
            overloads.append(
                replace(
                    node, start_line=start, end_line=end, line=line, column=column,
                    end_column=end_column,
                )
            )  # fmt: skip
    left = {node.qualname for node in nodes}
    blobs = decode_blobs(parsed.graph)
    edges = [
        EdgeAt(
            path, each.line, each.column, each.end_column, KIND_NAMES[each.kind], each.source,
            each.target, each.score, file.file_id, is_test,
        )
        for each in sorted(found.resolved.edges, key=lambda edge: (edge.line, edge.column))
    ]  # fmt: skip
    references = decode_references(blobs.references)
    gone = [
        replace(node, gone=True)
        for node in {node.node_id: node for node in before.values()}.values()
        if node.qualname not in left
    ]
    edges += await _broken(stored, before, nodes, gone, references, edges)
    kinds = {(each[2], each[3]): KIND_NAMES[each[1]] for each in references}
    return UnsavedFile(
        path=path,
        version=version,
        file=file,
        nodes=nodes,
        overloads=overloads,
        gone=gone,
        edges=edges,
        imports=[(each[0], each[1], each[3]) for each in found.resolved.imports if each[3]],
        references=references,
        left=found.resolved.left,
        kinds=kinds | {(edge.line, edge.column): edge.kind for edge in edges},
        signatures={(s.line, s.column): s.signature for s in parsed.symbols if s.signature},
        facts=blobs.facts,
    )


async def _broken(
    stored: StoredGraph,
    before: Mapping[str, Node],
    nodes: Sequence[Node],
    gone: Sequence[Node],
    references: Sequence[Row],
    edges: Sequence[EdgeAt],
) -> list[EdgeAt]:
    """What still names, in a buffer, what the buffer does not define any more: where the same
    definition used it before by that name."""
    names = {node.node_id: node.name for node in gone}
    sources = {node.node_id: qualname for qualname, node in before.items()}
    used = {
        (names[each.target], sources[each.source]): each
        for each in (await stored.uses(list(names)) if names else ())
        if each.source in sources and each.score >= CERTAIN
    }
    meant = {(each.line, each.column) for each in edges if each.score >= CERTAIN}
    found = []
    for name, kind, line, column, end_column, *_ in references if used else ():
        around = [node for node in nodes if node.start_line <= line <= node.end_line]
        if not around or (line, column) in meant:
            continue
        source = max(around, key=lambda node: node.start_line)
        if (edge := used.get((name, source.qualname))) is not None:
            found.append(
                EdgeAt(
                    edge.path, line, column, end_column, KIND_NAMES[kind], source.node_id,
                    edge.target, edge.score, edge.file_id, edge.is_test,
                )
            )  # fmt: skip
    return found


class GraphWithUnsaved(StoredGraph):
    """The graph of a checkout, with buffers in place of what is stored of their files."""

    def __init__(self, state: State, checkout_id: str, files: Mapping[str, UnsavedFile]) -> None:
        super().__init__(state, checkout_id)
        self._unsaved = files
        self._by_file = {each.file.file_id: each for each in files.values()}
        self._nodes = {node.node_id: node for each in files.values() for node in each.nodes}
        self._nodes |= {each.file.node_id: each.file for each in files.values()}
        self._nodes |= {node.node_id: node for each in files.values() for node in each.gone}

    def version(self, path: str) -> int | None:
        """The version of a file's buffer, if it has one."""
        found = self._unsaved.get(path)
        return found.version if found is not None else None

    # --- definitions ------------------------------------------------------------------------

    async def all_named(self, names: Collection[str]) -> dict[str, list[Node]]:
        """Definitions of exactly these names, by name; what is gone only where there is nothing
        else."""
        stored = await super().all_named(names)
        found = {name: [n for n in stored[name] if n.path not in self._unsaved] for name in stored}
        for each in self._unsaved.values():
            for node in each.nodes:
                if node.name in found:
                    found[node.name].append(node)
        gone = [node for each in self._unsaved.values() for node in each.gone]
        return {name: mine or [n for n in gone if n.name == name] for name, mine in found.items()}

    async def qualified(self, path: str, *qualnames: str) -> list[Node]:
        """Definitions of a file by their qualified names."""
        if path not in self._unsaved:
            return await super().qualified(path, *qualnames)
        return [node for node in self._unsaved[path].nodes if node.qualname in qualnames]

    async def gone(self, path: str) -> list[Node]:
        """Definitions of a file that its buffer does not have any more."""
        return list(self._unsaved[path].gone) if path in self._unsaved else []

    async def placed(self, wanted: Collection[tuple[str, str]]) -> dict[tuple[str, str], Node]:
        """Definitions by path and qualified name, those that there are."""
        stored = [each for each in wanted if each[0] not in self._unsaved]
        mine = {
            (path, node.qualname): node
            for path in {path for path, _ in wanted} & self._unsaved.keys()
            for node in self._unsaved[path].nodes
            if (path, node.qualname) in wanted
        }
        return mine | await super().placed(stored)

    async def by_id(self, ids: Iterable[int]) -> dict[int, Node]:
        """Nodes by id."""
        wanted = [each for each in dict.fromkeys(ids) if each]
        mine = {each: self._nodes[each] for each in wanted if each in self._nodes}
        return mine | await super().by_id(each for each in wanted if each not in mine)

    async def inside(self, path: str) -> list[Node]:
        """All definitions of a file, in order: each overload at its own place."""
        if path not in self._unsaved:
            return await super().inside(path)
        found = [*self._unsaved[path].nodes, *self._unsaved[path].overloads]
        return sorted(found, key=lambda node: (node.start_line, -node.end_line, node.column))

    async def overloads(self, of: Sequence[Node]) -> list[Node]:
        """The same nodes at the other places where they are defined."""
        found = await super().overloads([node for node in of if node.path not in self._unsaved])
        wanted = {node.node_id for node in of}
        for path in dict.fromkeys(node.path for node in of if node.path in self._unsaved):
            found += [n for n in self._unsaved[path].overloads if n.node_id in wanted]
        return found

    async def important(
        self, below: str, limit: int, ranks: Mapping[int, float] | None = None
    ) -> list[Node]:
        """Definitions outside of tests in files whose path begins with `below`.

        The `limit` first by their rank; or those of `ranks` (by id) and all that are unsaved, in
        no order.
        """
        stored = await super().important(below, limit, ranks)
        found = [node for node in stored if node.path not in self._unsaved]
        for path, each in self._unsaved.items():
            if path.startswith(below):
                found += [node for node in each.nodes if not node.is_test]
        return found if ranks is not None else sorted(found, key=lambda node: -node.rank)[:limit]

    async def signatures(self, of: Iterable[Node]) -> dict[tuple[str, int, int], str]:
        """Signatures by path, line and column, where the parser found one."""
        nodes = list(of)
        found = await super().signatures(n for n in nodes if n.path not in self._unsaved)
        for node in nodes:
            unsaved = self._unsaved.get(node.path)
            if unsaved is not None and (node.line, node.column) in unsaved.signatures:
                said = unsaved.signatures[node.line, node.column]
                found[node.path, node.line, node.column] = said
        return found

    async def definition_names(self) -> list[str]:
        """The names of all definitions."""
        unsaved = (node.name for each in self._unsaved.values() for node in each.nodes)
        return list(dict.fromkeys([*await super().definition_names(), *unsaved]))

    # --- files ------------------------------------------------------------------------------

    async def file(self, path: str) -> Node | None:
        """The node of a file."""
        unsaved = self._unsaved.get(path)
        return unsaved.file if unsaved is not None else await super().file(path)

    async def files(self, ids: Iterable[int]) -> dict[int, Node]:
        """Nodes of files by file id."""
        wanted = list(dict.fromkeys(ids))
        mine = {each: self._by_file[each].file for each in wanted if each in self._by_file}
        return mine | await super().files(each for each in wanted if each not in mine)

    async def has_path(self, path: str) -> bool:
        """Whether a file is in the index, or open."""
        return path in self._unsaved or await super().has_path(path)

    async def paths_ending(self, end: str) -> list[str]:
        """Files in some folder whose paths from there are this."""
        unsaved = [path for path in self._unsaved if path.endswith("/" + end)]
        return list(dict.fromkeys([*await super().paths_ending(end), *unsaved]))

    async def facts(self, path: str) -> bytes | None:
        """What a file says of its names, encoded; None for one without a graph."""
        unsaved = self._unsaved.get(path)
        return unsaved.facts if unsaved is not None else await super().facts(path)

    # --- uses -------------------------------------------------------------------------------

    async def uses(self, targets: Sequence[int], kinds: Sequence[int] = ()) -> list[EdgeAt]:
        """Edges into nodes."""
        found = [e for e in await super().uses(targets, kinds) if e.path not in self._unsaved]
        found += self._edges_into(targets, kinds)
        return sorted(found, key=lambda edge: (edge.path, edge.line, edge.column))

    async def first_uses(
        self, targets: Sequence[int], kinds: Sequence[int], most: int, least_score: float
    ) -> tuple[list[EdgeAt], OmittedUses]:
        """The first uses of nodes, and how many others there are."""
        stored, omitted = await self._first_uses(
            targets, kinds, most, least_score, list(self._by_file)
        )
        mine = first_places(self._edges_into(targets, kinds))
        likely = [edge for edge in mine if edge.score >= least_score]
        first = sorted([*stored, *likely], key=answer_order)[:most]
        certain = sum(edge.score >= CERTAIN for edge in (*stored, *mine)) + omitted.certain
        return first, OmittedUses(
            len(stored) + omitted.likely + len(likely) - len(first),
            omitted.unlikely + len(mine) - len(likely),
            certain - sum(edge.score >= CERTAIN for edge in first),
        )

    def _edges_into(self, targets: Sequence[int], kinds: Sequence[int]) -> list[EdgeAt]:
        wanted, named = set(targets), {KIND_NAMES[kind] for kind in kinds}
        return [
            edge
            for each in self._unsaved.values()
            for edge in each.edges
            if edge.target in wanted and (not named or edge.kind in named)
        ]

    async def used(self, sources: Sequence[int], kinds: Sequence[int] = ()) -> list[EdgeAt]:
        """Edges out of nodes."""
        wanted = set(sources)
        around = await self.by_id(sources)
        files = {node.file_id for node in around.values()}
        found = await super().used([i for i in sources if i not in self._nodes], kinds)
        of_buffers = await self.of_files(sorted(files & self._by_file.keys()), kinds)
        return [*found, *(edge for edge in of_buffers if edge.source in wanted)]

    async def of_files(self, files: Sequence[int], kinds: Sequence[int] = ()) -> list[EdgeAt]:
        """All edges that start in files."""
        named = {KIND_NAMES[kind] for kind in kinds}
        found = await super().of_files([each for each in files if each not in self._by_file], kinds)
        for file_id in dict.fromkeys(each for each in files if each in self._by_file):
            edges = self._by_file[file_id].edges
            found += [edge for edge in edges if not named or edge.kind in named]
        return found

    async def mentions(self, name: str) -> list[FileMention]:
        """Files that use a name, those with unsaved text by what that has."""
        found = [each for each in await super().mentions(name) if each.path not in self._unsaved]
        return found + [
            FileMention(each.path, b"", each.facts, each.file.file_id, each.file.is_test)
            for each in self._unsaved.values()
            if any(use[0] == name for use in each.references)
        ]

    async def at(self, path: str, line: int, column: int | None) -> list[EdgeAt]:
        """Edges at a position: of the name there, or all of the line without a column."""
        if path not in self._unsaved:
            return await super().at(path, line, column)
        found = [
            edge
            for edge in self._unsaved[path].edges
            if edge.line == line and (column is None or edge.column <= column <= edge.end_column)
        ]
        return sorted(found, key=lambda edge: (edge.column, -edge.score))

    async def summary(self, targets: Sequence[int], callers: int) -> HoverFacts:
        """How often nodes are used for certain, and the first `callers` of their callers."""
        uses = [edge for edge in await self.uses(targets) if edge.score >= CERTAIN]
        called = {KIND_NAMES[kind] for kind in CALL_KINDS}
        first: dict[int, EdgeAt] = {}
        for edge in uses:
            if edge.kind in called and edge.source:
                first.setdefault(edge.source, edge)
        around = await self.by_id(first)
        best = sorted(around.values(), key=lambda node: (node.is_test, -node.rank))[:callers]
        return HoverFacts(
            len(uses),
            len({edge.path for edge in uses}),
            sum(edge.is_test for edge in uses),
            [(first[node.node_id], node) for node in best],
            len(around),
        )

    def pointed_at(self, path: str, line: int, column: int) -> list[Node]:
        """The definition that is named at a position, else what is used there."""
        if path not in self._unsaved:
            return super().pointed_at(path, line, column)
        unsaved = self._unsaved[path]
        named = [
            node
            for node in (*unsaved.nodes, *unsaved.overloads)
            if node.line == line and node.column <= column <= node.end_column
        ]
        return named[:1]

    async def kinds(self, path: str) -> dict[tuple[int, int], str]:
        """How each name of a file is used there, by line and column."""
        unsaved = self._unsaved.get(path)
        return unsaved.kinds if unsaved is not None else await super().kinds(path)

    async def references(self, path: str) -> Sequence[Row]:
        """All names that a file uses, whether it is known what they mean or not."""
        unsaved = self._unsaved.get(path)
        return unsaved.references if unsaved is not None else await super().references(path)

    async def left(self, name: str) -> list[tuple[str, LeftUse]]:
        """Where a name is used and not followed: in buffers last."""
        found = [each for each in await super().left(name) if each[0] not in self._unsaved]
        for unsaved in self._unsaved.values():
            found += [(unsaved.path, use) for use in decode_left(unsaved.left, name)]
        return found

    # --- imports ----------------------------------------------------------------------------

    async def importing(self, file_id: int) -> list[int]:
        """Ids of the files that import a file."""
        found = [each for each in await super().importing(file_id) if each not in self._by_file]
        return found + [
            mine
            for mine, each in self._by_file.items()
            if any(target == file_id for _, _, target in each.imports)
        ]

    async def imported_by(self, file_id: int) -> list[int]:
        """Ids of the files that a file imports."""
        if file_id not in self._by_file:
            return await super().imported_by(file_id)
        return list(dict.fromkeys(each[2] for each in self._by_file[file_id].imports))

    async def import_places(self, file_id: int) -> list[ImportPlace]:
        """Where a file is imported."""
        found = [p for p in await super().import_places(file_id) if p.path not in self._unsaved]
        for path, each in self._unsaved.items():
            found += [
                ImportPlace(path, int(each.file.is_test), line, module)
                for line, module, target in each.imports
                if target == file_id
            ]
        return sorted(found, key=lambda place: (place.path, place.line))

    async def imports(
        self, file_ids: Sequence[int], direction: Literal["in", "out"]
    ) -> list[FileImport]:
        """Imports of other files by these (`out`), or of these by others (`in`), by line."""
        found = [
            each
            for each in await super().imports(file_ids, direction)
            if (each.file_id if direction == "out" else each.other_id) not in self._by_file
        ]
        wanted = set(file_ids)
        for mine, unsaved in self._by_file.items():
            for line, module, target in unsaved.imports:
                if direction == "out" and mine in wanted:
                    found.append(FileImport(mine, target, line, module))
                elif direction == "in" and target in wanted:
                    found.append(FileImport(target, mine, line, module))
        return sorted(found, key=lambda each: each.line)
