"""Definitions: by name, by place and by id. The file itself is one, with an empty `qualname`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from surveyor.store.state.database import State
from surveyor.store.state.graph.records import made_of
from surveyor.store.state.sql_lists import batches, marks

__all__ = [
    "MAX_ROWS",
    "NODE_COLUMNS",
    "NodeRecord",
    "PlaceRecord",
    "count_definitions",
    "count_files",
    "definition_names",
    "definitions_in",
    "file_node",
    "known_paths",
    "most_important",
    "named_at",
    "nodes_by_id",
    "nodes_named",
    "nodes_of_files",
    "other_places",
    "packages_of",
    "qualified_nodes",
    "used_at",
]

MAX_ROWS = 20_000
"""Rows that one question may read."""
NODE_COLUMNS = """n.node_id, n.file_id, f.path, n.qualname, n.name, n.kind, n.start_line,
              n.end_line, n.line, n."column" AS "column", n.end_column, n.rank, f.is_test"""
"""Columns of a `NodeRecord`, in its order, of `graph_nodes` as n and `graph_files` as f."""
_NODES = f"""SELECT {NODE_COLUMNS} FROM graph_nodes n
             JOIN graph_files f ON f.file_id = n.file_id"""


class NodeRecord(NamedTuple):
    """A definition, with what is stored of its file."""

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
    is_test: int
    """1 in a file of tests."""


class PlaceRecord(NamedTuple):
    """Another place where something is defined."""

    node_id: int
    start_line: int
    end_line: int
    line: int
    column: int
    end_column: int


async def _read(state: State, sql: str, parameters: Sequence[Any]) -> list[NodeRecord]:
    return await made_of(NodeRecord._make, await state.read(sql, parameters))


async def file_node(state: State, checkout_id: str, path: str) -> NodeRecord | None:
    """The node of a file."""
    found = await _read(
        state,
        f"{_NODES} WHERE f.checkout_id = ? AND f.path = ? AND n.qualname = '' LIMIT 1",
        (checkout_id, path),
    )
    return found[0] if found else None


async def test_files(state: State, checkout_id: str, below: str) -> list[str]:
    """Paths of test files below a folder that ends with a slash; of all where it is empty."""
    rows = await state.read(
        """SELECT path FROM graph_files WHERE checkout_id = ? AND is_test
           AND substr(path, 1, length(?)) = ? ORDER BY path""",
        (checkout_id, below, below),
    )
    return [row[0] for row in rows]


async def definitions_in(state: State, checkout_id: str, path: str) -> list[NodeRecord]:
    """All definitions of a file, each at its first place; in no order."""
    return await _read(
        state,
        f"{_NODES} WHERE f.checkout_id = ? AND f.path = ? AND n.qualname != '' LIMIT ?",
        (checkout_id, path, MAX_ROWS),
    )


async def qualified_nodes(
    state: State, checkout_id: str, path: str, qualnames: Sequence[str]
) -> list[NodeRecord]:
    """Definitions of a file by their qualified names."""
    return await _read(
        state,
        f"""{_NODES} WHERE f.checkout_id = ? AND f.path = ?
            AND n.qualname IN ({marks(qualnames)}) LIMIT ?""",
        (checkout_id, path, *qualnames, MAX_ROWS),
    )


async def nodes_placed(
    state: State, checkout_id: str, wanted: Sequence[tuple[str, str]]
) -> list[NodeRecord]:
    """Definitions by their files' paths and their qualified names."""
    found: list[NodeRecord] = []
    for part in batches(wanted, width=2):
        pairs = ",".join(["(?, ?)"] * len(part))
        found += await _read(
            state,
            f"""WITH wanted(path, qualname) AS (VALUES {pairs})
                SELECT {NODE_COLUMNS} FROM wanted w
                CROSS JOIN graph_files f ON f.checkout_id = ? AND f.path = w.path
                CROSS JOIN graph_nodes n ON n.file_id = f.file_id AND n.qualname = w.qualname""",
            (*(value for pair in part for value in pair), checkout_id),
        )
    return found


async def nodes_named(state: State, checkout_id: str, names: Sequence[str]) -> list[NodeRecord]:
    """Definitions of exactly these names."""
    # By name first: the index on names is the selective one.
    found: list[NodeRecord] = []
    for part in batches(names):
        found += await _read(
            state,
            f"""SELECT {NODE_COLUMNS} FROM graph_nodes n CROSS JOIN graph_files f
                ON f.file_id = n.file_id WHERE n.name IN ({marks(part)}) AND f.checkout_id = ?
                AND n.qualname != ''""",
            (*part, checkout_id),
        )
    return found


async def nodes_by_id(state: State, node_ids: Sequence[int]) -> list[NodeRecord]:
    """Nodes by id."""
    found: list[NodeRecord] = []
    for part in batches(node_ids):
        found += await _read(state, f"{_NODES} WHERE n.node_id IN ({marks(part)})", part)
    return found


async def nodes_of_files(state: State, file_ids: Sequence[int]) -> list[NodeRecord]:
    """The nodes of files, by the files' ids."""
    found: list[NodeRecord] = []
    for part in batches(file_ids):
        found += await _read(
            state, f"{_NODES} WHERE n.file_id IN ({marks(part)}) AND n.qualname = ''", part
        )
    return found


async def other_places(state: State, node_ids: Sequence[int]) -> list[PlaceRecord]:
    """Where else nodes are defined, by id and line."""
    found: list[PlaceRecord] = []
    for part in batches(node_ids):
        rows = await state.read(
            f"""SELECT node_id, start_line, end_line, line, "column", end_column
                FROM graph_places WHERE node_id IN ({marks(part)}) ORDER BY node_id, line""",
            part,
        )
        found += [PlaceRecord._make(row) for row in rows]
    return found


async def most_important(
    state: State, checkout_id: str, below: str, limit: int
) -> list[NodeRecord]:
    """Definitions outside of tests by their rank, in files whose path begins with `below`."""
    return await _read(
        state,
        f"""{_NODES} WHERE f.checkout_id = ?
            AND n.qualname != '' AND f.is_test = 0 AND substr(f.path, 1, ?) = ?
            ORDER BY n.rank DESC, f.path, n.line LIMIT ?""",
        (checkout_id, len(below), below, limit),
    )


async def definition_names(state: State, checkout_id: str) -> list[str]:
    """All names that a checkout defines, each once."""
    rows = await state.read(
        """SELECT DISTINCT n.name FROM graph_nodes n JOIN graph_files f USING (file_id)
           WHERE f.checkout_id = ? AND n.qualname != ''""",
        (checkout_id,),
    )
    return [str(row[0]) for row in rows]


async def count_files(state: State, checkout_id: str, below: str = "") -> int:
    """Number of files in the graph, `below` a folder that ends with a slash."""
    return await _count(state, "graph_files f", checkout_id, below)


async def count_definitions(state: State, checkout_id: str, below: str = "") -> int:
    """Number of definitions, `below` a folder that ends with a slash."""
    return await _count(
        state,
        "graph_files f JOIN graph_nodes n ON n.file_id = f.file_id AND n.qualname != ''",
        checkout_id,
        below,
    )


async def _count(state: State, tables: str, checkout_id: str, below: str) -> int:
    inside = "AND substr(f.path, 1, ?2) = ?3" if below else ""
    found = await state.value(
        f"SELECT count(*) FROM {tables} WHERE f.checkout_id = ?1 {inside}",
        (checkout_id, len(below), below) if below else (checkout_id,),
    )
    return int(found)


async def packages_of(state: State, checkout_id: str, paths: Sequence[str]) -> dict[str, str]:
    """Path -> package, of those of these files that say that they belong to one."""
    found: dict[str, str] = {}
    for part in batches(paths):
        rows = await state.read(
            f"""SELECT path, package FROM graph_files
                WHERE checkout_id = ? AND package != '' AND path IN ({marks(part)})""",
            (checkout_id, *part),
        )
        found |= {str(path): str(package) for path, package in rows}
    return found


async def known_paths(state: State, checkout_id: str, paths: Sequence[str]) -> set[str]:
    """Which of these files have been in the graph."""
    found: set[str] = set()
    for part in batches(paths):
        rows = await state.read(
            f"SELECT path FROM graph_files WHERE checkout_id = ? AND path IN ({marks(part)})",
            (checkout_id, *part),
        )
        found |= {str(row[0]) for row in rows}
    return found


# --- what is at a place: by key, on the event loop's thread ---------------------------------


def named_at(state: State, checkout_id: str, path: str, line: int, column: int) -> list[NodeRecord]:
    """The definition that is named at a position, the outermost first; at most one."""
    rows = state.read_inline(
        f"""SELECT {NODE_COLUMNS} FROM graph_files f JOIN graph_nodes n ON n.file_id = f.file_id
            WHERE f.checkout_id = ?1 AND f.path = ?2 AND n.qualname != ''
            AND ((n.line = ?3 AND n."column" <= ?4 AND n.end_column >= ?4)
              OR EXISTS (SELECT 1 FROM graph_places p WHERE p.node_id = n.node_id
                         AND p.line = ?3 AND p."column" <= ?4 AND p.end_column >= ?4))
            ORDER BY n.start_line, n.end_line DESC, n."column" LIMIT 1""",
        (checkout_id, path, line, column),
    )
    return [NodeRecord._make(row) for row in rows]


def used_at(state: State, checkout_id: str, path: str, line: int, column: int) -> list[NodeRecord]:
    """What is most surely used at a position; several where nothing tells them apart."""
    rows = state.read_inline(
        f"""WITH here AS MATERIALIZED (
              SELECT e.target, e.score, e."column" FROM graph_files f
              JOIN graph_edges e ON e.file_id = f.file_id
              WHERE f.checkout_id = ?1 AND f.path = ?2 AND e.line = ?3
              AND e."column" <= ?4 AND e.end_column >= ?4)
            SELECT {NODE_COLUMNS} FROM here h JOIN graph_nodes n ON n.node_id = h.target
            JOIN graph_files f ON f.file_id = n.file_id
            WHERE h.score = (SELECT max(score) FROM here) ORDER BY h."column" """,
        (checkout_id, path, line, column),
    )
    return [NodeRecord._make(row) for row in rows]
