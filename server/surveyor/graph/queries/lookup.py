"""Reading the stored graph of one checkout: nodes by name or place, and the edges at them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal, NamedTuple, TypeVar

from surveyor.graph.facts import KIND_CODES, KIND_NAMES, Row, decode_references, name_hash
from surveyor.graph.left_uses import LeftUse, decode_left
from surveyor.graph.resolve.certainty import CERTAIN
from surveyor.parsing.languages import language_of
from surveyor.store.state import State
from surveyor.store.state.definition_facts import facts_of_file
from surveyor.store.state.graph import documents, edges, files, imports, nodes
from surveyor.store.state.graph.edges import EdgeRecord
from surveyor.store.state.graph.nodes import NodeRecord
from surveyor.store.state.graph.records import made_of

__all__ = [
    "CALL_KINDS",
    "EdgeAt",
    "HoverFacts",
    "Node",
    "OmittedUses",
    "StoredGraph",
    "answer_order",
    "edge_of",
    "first_places",
    "language_of_path",
    "node_of",
]

T = TypeVar("T")

CALL_KINDS = tuple(KIND_CODES[kind] for kind in ("call", "instantiation", "implicit"))
_INHERITANCE = (KIND_CODES["inheritance"],)
_UNIT_TESTS = frozenset({"test", "tests"})


@dataclass(frozen=True, slots=True)
class Node:
    """A stored definition; the file itself where `qualname` is empty."""

    node_id: int
    file_id: int
    path: str
    qualname: str
    name: str
    kind: str
    start_line: int
    end_line: int
    line: int
    column: int
    end_column: int
    rank: float
    is_test: bool
    gone: bool = False
    """An unsaved buffer of its file does not define it any more."""

    @property
    def key(self) -> str:
        """`path::name`, as edges name their ends."""
        return f"{self.path}::{self.qualname}" if self.qualname else self.path


class EdgeAt(NamedTuple):
    """A stored use, with where it is."""

    path: str
    line: int
    column: int
    end_column: int
    kind: str
    source: int
    """Node around the use; 0 at file level."""
    target: int
    score: float
    file_id: int
    is_test: bool


@lru_cache(maxsize=512)
def language_of_path(path: str) -> str | None:
    """The language that users filter by."""
    found = language_of(path)
    return found.family if found else None


def node_of(record: NodeRecord) -> Node:
    """A definition as it is answered: one in a module of tests is a test, wherever its file is."""
    is_test = bool(record.is_test) or _is_unit_test(record.path, record.qualname)
    return Node(*record[:-1], is_test=is_test)


def _is_unit_test(path: str, qualname: str) -> bool:
    """Whether a definition is in a module of tests beside the code, as is the custom in Rust."""
    return path.endswith(".rs") and not _UNIT_TESTS.isdisjoint(qualname.split(".")[:-1])


def edge_of(record: EdgeRecord) -> EdgeAt:
    """A use, with its kind by name."""
    path, line, column, end_column, kind, source, target, score, file_id, is_test = record
    where = (path, line, column, end_column, KIND_NAMES[kind])
    return EdgeAt(*where, source, target, score, file_id, bool(is_test))


def first_places(uses: Iterable[EdgeAt]) -> list[EdgeAt]:
    """Each place once: one that uses a declaration and its definition is one."""
    best: dict[tuple[str, int, int], EdgeAt] = {}
    for edge in uses:
        key = (edge.path, edge.line, edge.column)
        if key not in best or best[key].score < edge.score:
            best[key] = edge
    return list(best.values())


def answer_order(use: EdgeAt) -> tuple[bool, bool, str, int, int]:
    """What is certain first, tests after what they test, by place."""
    return use.score < CERTAIN, use.is_test, use.path, use.line, use.column


@dataclass(frozen=True, slots=True)
class HoverFacts:
    """How often definitions are used for certain, and by whom."""

    references: int
    files: int
    test_references: int
    callers: list[tuple[EdgeAt, Node]]
    """The most important callers, each with its first call."""
    caller_count: int
    """How many callers there are in all."""


@dataclass(frozen=True, slots=True)
class OmittedUses:
    """How many uses there are beside those that are given."""

    likely: int = 0
    """Of those that have the score that was asked for."""
    unlikely: int = 0
    certain: int = 0
    """Of both."""

    @property
    def guesses(self) -> int:
        """Those that share a name only."""
        return self.likely + self.unlikely - self.certain


class StoredGraph:
    """The graph of a checkout as it is in `state.db`."""

    def __init__(self, state: State, checkout_id: str) -> None:
        self.state = state
        self.checkout_id = checkout_id
        self._kept: dict[object, Any] = {}

    def kept(self, make: Callable[[StoredGraph], T]) -> T:
        """What is made of this graph once: it is read for one question, and does not change."""
        if make not in self._kept:
            self._kept[make] = make(self)
        made: T = self._kept[make]
        return made

    # --- definitions ------------------------------------------------------------------------

    async def named(self, name: str) -> list[Node]:
        """Definitions of exactly this name."""
        return (await self.all_named((name,)))[name]

    async def all_named(self, names: Collection[str]) -> dict[str, list[Node]]:
        """Definitions of exactly these names, by name: read at once."""
        found: dict[str, list[Node]] = {name: [] for name in names}
        for record in await nodes.nodes_named(self.state, self.checkout_id, list(found)):
            found[record.name].append(node_of(record))
        return found

    async def qualified(self, path: str, *qualnames: str) -> list[Node]:
        """Definitions of a file by their qualified names."""
        found = await nodes.qualified_nodes(self.state, self.checkout_id, path, qualnames)
        return [node_of(record) for record in found]

    async def placed(self, wanted: Collection[tuple[str, str]]) -> dict[tuple[str, str], Node]:
        """Definitions by path and qualified name, those that there are."""
        found = await nodes.nodes_placed(self.state, self.checkout_id, sorted(wanted))
        return {(record.path, record.qualname): node_of(record) for record in found}

    async def gone(self, path: str) -> list[Node]:
        """Definitions of a file that an unsaved buffer of it does not have any more."""
        return []

    async def by_id(self, ids: Iterable[int]) -> dict[int, Node]:
        """Nodes by id."""
        wanted = [i for i in dict.fromkeys(ids) if i]
        found = await made_of(node_of, await nodes.nodes_by_id(self.state, wanted))
        return {node.node_id: node for node in found}

    async def inside(self, path: str) -> list[Node]:
        """All definitions of a file, in order: each overload at its own place."""
        records = await nodes.definitions_in(self.state, self.checkout_id, path)
        found = [node_of(record) for record in records]
        found += await self.overloads(found)
        return sorted(found, key=lambda node: (node.start_line, -node.end_line, node.column))

    async def overloads(self, of: Sequence[Node]) -> list[Node]:
        """The same nodes at the other places where they are defined."""
        by_id = {node.node_id: node for node in of}
        return [
            replace(
                by_id[place.node_id],
                start_line=place.start_line,
                end_line=place.end_line,
                line=place.line,
                column=place.column,
                end_column=place.end_column,
            )
            for place in await nodes.other_places(self.state, list(by_id))
        ]

    async def important(
        self, below: str, limit: int, ranks: Mapping[int, float] | None = None
    ) -> list[Node]:
        """Definitions outside of tests in files whose path begins with `below`.

        The `limit` first by their rank; or those of `ranks` (by id), in no order.
        """
        if ranks is not None:
            found = (await self.by_id(ranks)).values()
            return [n for n in found if n.qualname and not n.is_test and n.path.startswith(below)]
        records = await nodes.most_important(self.state, self.checkout_id, below, limit)
        return await made_of(node_of, records)

    async def signatures(self, of: Iterable[Node]) -> dict[tuple[str, int, int], str]:
        """Signatures by path, line and column, where the parser found one."""
        places = {(node.path, node.line, node.column) for node in of if node.qualname}
        return await documents.signatures_at(self.state, self.checkout_id, places)

    # --- files ------------------------------------------------------------------------------

    async def file(self, path: str) -> Node | None:
        """The node of a file."""
        found = await nodes.file_node(self.state, self.checkout_id, path)
        return node_of(found) if found is not None else None

    async def files(self, ids: Iterable[int]) -> dict[int, Node]:
        """Nodes of files by file id."""
        records = await nodes.nodes_of_files(self.state, list(dict.fromkeys(ids)))
        return {node.file_id: node for node in await made_of(node_of, records)}

    async def packages(self, paths: Sequence[str]) -> dict[str, str]:
        """The package or namespace that each of some files says it belongs to."""
        return await nodes.packages_of(self.state, self.checkout_id, list(dict.fromkeys(paths)))

    async def test_files(self, below: str) -> list[str]:
        """Paths of test files below a folder that ends with a slash; of all where it is empty."""
        return await nodes.test_files(self.state, self.checkout_id, below)

    async def has_path(self, path: str) -> bool:
        """Whether a file is in the index."""
        return await documents.has_file(self.state, self.checkout_id, path)

    async def paths_with_ending(self, ending: str) -> list[str]:
        """Files whose names end so: `.csproj`."""
        return await documents.paths_with_ending(self.state, self.checkout_id, ending)

    async def paths_ending(self, end: str) -> list[str]:
        """Files in some folder whose paths from there are this."""
        return await documents.paths_ending(self.state, self.checkout_id, end)

    async def definition_names(self) -> list[str]:
        """The names of all definitions."""
        return await nodes.definition_names(self.state, self.checkout_id)

    async def facts(self, path: str) -> bytes | None:
        """What a file says of its names, encoded; None for one without a graph."""
        return await facts_of_file(self.state, self.checkout_id, path)

    async def known(self, paths: Sequence[str]) -> set[str]:
        """Which of these files have been in the graph."""
        return await nodes.known_paths(self.state, self.checkout_id, paths)

    async def count_files(self, below: str = "") -> int:
        """Number of files, `below` a folder that ends with a slash."""
        return await nodes.count_files(self.state, self.checkout_id, below)

    async def count_definitions(self, below: str = "") -> int:
        """Number of definitions, `below` a folder that ends with a slash."""
        return await nodes.count_definitions(self.state, self.checkout_id, below)

    # --- uses -------------------------------------------------------------------------------

    async def uses(self, targets: Sequence[int], kinds: Sequence[int] = ()) -> list[EdgeAt]:
        """Edges into nodes, `MAX_USES` at most."""
        wanted = [i for i in dict.fromkeys(targets) if i]
        return await made_of(edge_of, await edges.uses_of(self.state, wanted, kinds))

    async def first_uses(
        self, targets: Sequence[int], kinds: Sequence[int], most: int, least_score: float
    ) -> tuple[list[EdgeAt], OmittedUses]:
        """The first `most` uses of nodes that have a score, in the order of an answer, and how many
        others there are."""
        return await self._first_uses(targets, kinds, most, least_score, ())

    async def _first_uses(
        self,
        targets: Sequence[int],
        kinds: Sequence[int],
        most: int,
        least_score: float,
        but_in: Sequence[int],
    ) -> tuple[list[EdgeAt], OmittedUses]:
        """Those in other files than `but_in`."""
        wanted = [i for i in dict.fromkeys(targets) if i]
        page = await edges.first_uses(
            self.state, wanted, kinds, most=most, least_score=least_score, but_in=but_in
        )
        first = [edge_of(record) for record in page.first]
        certain = sum(edge.score >= CERTAIN for edge in first)
        return first, OmittedUses(
            page.likely - len(first), page.uses - page.likely, page.certain - certain
        )

    async def use_counts(self, targets: Sequence[int]) -> dict[int, int]:
        """How often nodes are used outside of tests, as far as that is sure."""
        return await edges.sure_use_counts(self.state, targets)

    async def file_use_counts(self, files: Sequence[int]) -> dict[tuple[int, int], int]:
        """How often one of these files uses what another of them defines."""
        return await edges.file_use_counts(self.state, files)

    async def summary(self, targets: Sequence[int], callers: int) -> HoverFacts:
        """How often nodes are used for certain, and the first `callers` of their callers."""
        counted = await edges.count_uses(self.state, targets, CALL_KINDS, CERTAIN, callers)
        found = [(edge_of(edge), node_of(node)) for edge, node in counted.callers]
        return HoverFacts(
            counted.references, counted.files, counted.test_references, found, counted.caller_count
        )

    def pointed_at(self, path: str, line: int, column: int) -> list[Node]:
        """The definition that is named at a position, else what is used there; empty: neither.

        `line` is 1-based, `column` 0-based. Looked up by key, on the event loop's thread.
        """
        where = (self.checkout_id, path, line, column)
        found = nodes.named_at(self.state, *where) or nodes.used_at(self.state, *where)
        return [node_of(record) for record in found]

    async def kinds(self, path: str) -> dict[tuple[int, int], str]:
        """How each name of a file is used there, by line and column."""
        said: dict[tuple[int, int], str] = {
            (r[2], r[3]): KIND_NAMES[r[1]] for r in await self.references(path)
        }
        # What is known of the target says more: a call of a class makes one.
        known = await edges.kinds_in_file(self.state, self.checkout_id, path)
        return said | {place: KIND_NAMES[kind] for place, kind in known.items()}

    async def references(self, path: str) -> Sequence[Row]:
        """All names that a file uses, whether it is known what they mean or not."""
        encoded = await documents.encoded_references(self.state, self.checkout_id, path)
        return decode_references(encoded) if encoded is not None else ()

    async def mentions(self, name: str) -> list[documents.FileMention]:
        """Files that use a name (and a few that do not), tests last.

        Those with unsaved text have no encoded references here: `references` has them.
        """
        return await documents.mentions(self.state, self.checkout_id, name_hash(name))

    async def left(self, name: str) -> list[tuple[str, LeftUse]]:
        """Where a name is used and not followed, each with the path of its file: tests last."""
        found = await files.files_leaving(self.state, self.checkout_id, name_hash(name))
        return [(path, use) for path, data in found for use in decode_left(data, name)]

    async def used(self, sources: Sequence[int], kinds: Sequence[int] = ()) -> list[EdgeAt]:
        """Edges out of nodes: what a type extends, also where another file says so."""
        if tuple(kinds) == _INHERITANCE:
            bases = await edges.bases_of(self.state, sources, kinds[0])
            return await made_of(edge_of, bases)
        around = await self.by_id(sources)
        files = sorted({node.file_id for node in around.values()})
        found = await edges.uses_by(self.state, sources, files, kinds)
        return await made_of(edge_of, found)

    async def of_files(self, files: Sequence[int], kinds: Sequence[int] = ()) -> list[EdgeAt]:
        """All edges that start in files."""
        wanted = [i for i in dict.fromkeys(files) if i]
        found = await edges.uses_in_files(self.state, wanted, kinds)
        return await made_of(edge_of, found)

    # --- imports ----------------------------------------------------------------------------

    async def importing(self, file_id: int) -> list[int]:
        """Ids of the files that import a file."""
        return await imports.files_importing(self.state, file_id)

    async def imported_by(self, file_id: int) -> list[int]:
        """Ids of the files that a file imports."""
        return await imports.files_imported_by(self.state, file_id)

    async def import_places(self, file_id: int) -> list[imports.ImportPlace]:
        """Where a file is imported."""
        return await imports.imports_of_file(self.state, file_id)

    async def imports(
        self, file_ids: Sequence[int], direction: Literal["in", "out"]
    ) -> list[imports.FileImport]:
        """Imports of other files by these (`out`), or of these by others (`in`), by line."""
        return await imports.file_imports(self.state, file_ids, direction)

    async def at(self, path: str, line: int, column: int | None) -> list[EdgeAt]:
        """Edges at a position: of the name there, or all of the line without a column."""
        found = await edges.uses_at(self.state, self.checkout_id, path, line, column)
        return [edge_of(record) for record in found]
