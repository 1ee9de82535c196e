"""Reading the stored graph of one checkout: nodes by name or place, and the edges at them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from surveyor.graph.facts import KIND_CODES, KIND_NAMES
from surveyor.store.state import State

__all__ = ["CALL_KINDS", "DECLARING", "NODE_ROW", "EdgeAt", "Node", "Stored", "is_unit_test"]

CALL_KINDS = (KIND_CODES["call"], KIND_CODES["instantiation"])
MAX_ROWS = 20_000
"""Rows that one question may read."""
DECLARING = (".h", ".hpp", ".hh", ".hxx", ".pyi", ".d.ts")
"""Ends of the names of files that may only declare what another file defines."""
_UNIT_TESTS = frozenset({"test", "tests"})
_PLACE = ("start_line", "end_line", "line", "column", "end_column")
_PART = 500
"""Bound variables per statement."""

NODE_ROW = """n.node_id, n.file_id, f.path, n.qualname, n.name, n.kind, n.start_line,
              n.end_line, n.line, n."column" AS "column", n.end_column, n.rank, f.is_test"""
"""Columns of a `Node`, in its order."""


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

    @property
    def key(self) -> str:
        """`path::name`, as edges name their ends."""
        return f"{self.path}::{self.qualname}" if self.qualname else self.path


@dataclass(frozen=True, slots=True)
class EdgeAt:
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


def _node(row: sqlite3.Row) -> Node:
    values = {name: row[name] for name in Node.__slots__}
    values["is_test"] = bool(row["is_test"]) or is_unit_test(row["path"], row["qualname"])
    return Node(**values)


def is_unit_test(path: str, qualname: str) -> bool:
    """Whether a definition is in a module of tests beside the code, as is the custom in Rust."""
    return path.endswith(".rs") and not _UNIT_TESTS.isdisjoint(qualname.split(".")[:-1])


def _edge(row: sqlite3.Row) -> EdgeAt:
    return EdgeAt(
        row["path"],
        row["line"],
        row["column"],
        row["end_column"],
        KIND_NAMES[row["kind"]],
        row["source"],
        row["target"],
        row["score"],
        row["file_id"],
        bool(row["is_test"]),
    )


class Stored:
    """The graph of a checkout as it is in `state.db`."""

    def __init__(self, state: State, checkout_id: str) -> None:
        self.state = state
        self.checkout_id = checkout_id

    async def nodes(self, where: str, *parameters: Any, limit: int = MAX_ROWS) -> list[Node]:
        """Nodes of the checkout under a condition on `n` (nodes) and `f` (files)."""
        rows = await self.state.read(
            f"""SELECT {NODE_ROW} FROM graph_nodes n JOIN graph_files f ON f.file_id = n.file_id
                WHERE f.checkout_id = ? AND {where} LIMIT ?""",
            (self.checkout_id, *parameters, limit),
        )
        return [_node(row) for row in rows]

    async def named(self, name: str) -> list[Node]:
        """Definitions of exactly this name."""
        # By name first: the index on names is the selective one.
        rows = await self.state.read(
            f"""SELECT {NODE_ROW} FROM graph_nodes n CROSS JOIN graph_files f
                ON f.file_id = n.file_id WHERE n.name = ? AND f.checkout_id = ?
                AND n.qualname != ''""",
            (name, self.checkout_id),
        )
        return [_node(row) for row in rows]

    async def by_id(self, ids: Iterable[int]) -> dict[int, Node]:
        """Nodes by id."""
        found: dict[int, Node] = {}
        wanted = [i for i in dict.fromkeys(ids) if i]
        for start in range(0, len(wanted), _PART):
            part = wanted[start : start + _PART]
            rows = await self.state.read(
                f"""SELECT {NODE_ROW} FROM graph_nodes n
                    JOIN graph_files f ON f.file_id = n.file_id
                    WHERE n.node_id IN ({_marks(part)})""",
                part,
            )
            found |= {row["node_id"]: _node(row) for row in rows}
        return found

    async def packages(self, names: Sequence[str]) -> dict[str, str]:
        """Path -> package, of files that say that they belong to one of these packages."""
        rows = await self.state.read(
            f"""SELECT path, package FROM graph_files
                WHERE checkout_id = ? AND package IN ({_marks(names)})""",
            (self.checkout_id, *names),
        )
        return {str(row[0]): str(row[1]) for row in rows}

    async def file(self, path: str) -> Node | None:
        """The node of a file."""
        found = await self.nodes("f.path = ? AND n.qualname = ''", path, limit=1)
        return found[0] if found else None

    async def files(self, ids: Iterable[int]) -> dict[int, Node]:
        """Nodes of files by file id."""
        found: dict[int, Node] = {}
        wanted = list(dict.fromkeys(ids))
        for start in range(0, len(wanted), _PART):
            part = wanted[start : start + _PART]
            rows = await self.state.read(
                f"""SELECT {NODE_ROW} FROM graph_nodes n
                    JOIN graph_files f ON f.file_id = n.file_id
                    WHERE n.file_id IN ({_marks(part)}) AND n.qualname = ''""",
                part,
            )
            found |= {row["file_id"]: _node(row) for row in rows}
        return found

    async def inside(self, path: str) -> list[Node]:
        """All definitions of a file, in order: each overload at its own place."""
        found = await self.nodes("f.path = ? AND n.qualname != ''", path)
        found += await self.overloads(found)
        return sorted(found, key=lambda node: (node.start_line, -node.end_line, node.column))

    async def overloads(self, nodes: Sequence[Node]) -> list[Node]:
        """The same nodes at the other places where they are defined."""
        by_id = {node.node_id: node for node in nodes}
        found: list[Node] = []
        wanted = list(by_id)
        for start in range(0, len(wanted), _PART):
            part = wanted[start : start + _PART]
            rows = await self.state.read(
                f"""SELECT node_id, start_line, end_line, line, "column" AS "column", end_column
                    FROM graph_places WHERE node_id IN ({_marks(part)}) ORDER BY node_id, line""",
                part,
            )
            for row in rows:
                place = {key: row[key] for key in _PLACE}
                found.append(replace(by_id[row["node_id"]], **place))
        return found

    async def uses(self, targets: Sequence[int], kinds: Sequence[int] = ()) -> list[EdgeAt]:
        """Edges into nodes."""
        return await self._edges("e.target", targets, kinds)

    async def use_counts(self, targets: Sequence[int]) -> dict[int, int]:
        """How often nodes are used outside of tests, as far as that is sure."""
        found: dict[int, int] = {}
        for start in range(0, len(targets), _PART):
            part = targets[start : start + _PART]
            rows = await self.state.read(
                f"""SELECT e.target, count(*) FROM graph_edges e
                    JOIN graph_files f ON f.file_id = e.file_id
                    WHERE e.target IN ({_marks(part)}) AND e.score >= 0.5 AND f.is_test = 0
                    GROUP BY e.target""",
                part,
            )
            found |= {int(row[0]): int(row[1]) for row in rows}
        return found

    async def used(self, sources: Sequence[int], kinds: Sequence[int] = ()) -> list[EdgeAt]:
        """Edges out of nodes (the file's edges are few enough to look through)."""
        found: list[EdgeAt] = []
        wanted = set(sources)
        nodes = await self.by_id(sources)
        by_file = await self._edges(
            "e.file_id", sorted({node.file_id for node in nodes.values()}), kinds
        )
        found = [edge for edge in by_file if edge.source in wanted]
        return found

    async def of_files(self, files: Sequence[int], kinds: Sequence[int] = ()) -> list[EdgeAt]:
        """All edges that start in files."""
        return await self._edges("e.file_id", files, kinds)

    async def at(self, path: str, line: int, column: int | None) -> list[EdgeAt]:
        """Edges at a position: of the name there, or all of the line without a column."""
        where = "f.path = ? AND e.line = ?"
        parameters: list[Any] = [self.checkout_id, path, line]
        if column is not None:
            where += ' AND e."column" <= ? AND e.end_column >= ?'
            parameters += [column, column]
        rows = await self.state.read(
            f"""SELECT f.path, f.is_test, e.* FROM graph_files f
                JOIN graph_edges e ON e.file_id = f.file_id WHERE f.checkout_id = ? AND {where}
                ORDER BY e."column", e.score DESC""",
            parameters,
        )
        return [_edge(row) for row in rows]

    async def _edges(self, column: str, ids: Sequence[int], kinds: Sequence[int]) -> list[EdgeAt]:
        found: list[EdgeAt] = []
        wanted = [i for i in dict.fromkeys(ids) if i]
        only = f"AND e.kind IN ({', '.join(str(int(k)) for k in kinds)})" if kinds else ""
        for start in range(0, len(wanted), _PART):
            part = wanted[start : start + _PART]
            rows = await self.state.read(
                f"""SELECT f.path, f.is_test, e.* FROM graph_edges e
                    JOIN graph_files f ON f.file_id = e.file_id
                    WHERE {column} IN ({_marks(part)}) {only}
                    ORDER BY f.path, e.line, e."column" LIMIT {MAX_ROWS}""",
                part,
            )
            found += [_edge(row) for row in rows]
        return found

    async def signatures(self, nodes: Iterable[Node]) -> dict[tuple[str, int, int], str]:
        """Signatures by path, line and column, where the parser found one."""
        found: dict[tuple[str, int, int], str] = {}
        by_path: dict[str, list[Node]] = {}
        for node in nodes:
            if node.qualname:
                by_path.setdefault(node.path, []).append(node)
        for path, items in by_path.items():
            rows = await self.state.read(
                """SELECT s.line, s."column" AS "column", s.signature FROM symbols s
                   JOIN files f ON f.doc_id = s.doc_id WHERE f.checkout_id = ? AND f.path = ?
                   AND s.signature != ''""",
                (self.checkout_id, path),
            )
            known = {(row["line"], row["column"]): row["signature"] for row in rows}
            found |= {
                (path, node.line, node.column): known[node.line, node.column]
                for node in items
                if (node.line, node.column) in known
            }
        return found

    async def of_many(self, sql: str, ids: Sequence[int]) -> list[sqlite3.Row]:
        """Rows of a statement about many ids, which stand in it as `(%s)`."""
        found: list[sqlite3.Row] = []
        for start in range(0, len(ids), _PART):
            part = ids[start : start + _PART]
            found += await self.state.read(sql % _marks(part), part)
        return found

    async def known(self, paths: Sequence[str]) -> set[str]:
        """Which of these files have been in the graph."""
        found: set[str] = set()
        for start in range(0, len(paths), _PART):
            part = paths[start : start + _PART]
            rows = await self.state.read(
                f"""SELECT path FROM graph_files WHERE checkout_id = ?
                    AND path IN ({_marks(part)})""",
                (self.checkout_id, *part),
            )
            found |= {row[0] for row in rows}
        return found

    async def total(self, table: str = "graph_files", *, below: str = "") -> int:
        """Number of files or nodes, `below` a folder that ends with a slash."""
        sql = f"""SELECT count(*) FROM graph_files f
                  {"JOIN graph_nodes n USING (file_id)" if table == "graph_nodes" else ""}
                  WHERE f.checkout_id = ? AND substr(f.path, 1, ?) = ?
                  {"AND n.qualname != ''" if table == "graph_nodes" else ""}"""
        return int(await self.state.value(sql, (self.checkout_id, len(below), below)))


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))
