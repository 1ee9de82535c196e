"""Uses of definitions: into them, out of files, and at a place."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import msgspec

from surveyor.store.state.database import State
from surveyor.store.state.graph.nodes import NODE_COLUMNS, NodeRecord
from surveyor.store.state.graph.records import made_of
from surveyor.store.state.sql_lists import batches, marks

__all__ = [
    "MAX_USES",
    "EdgeRecord",
    "FileDependency",
    "UseCounts",
    "UsePage",
    "count_uses",
    "dependencies_by_name",
    "file_use_counts",
    "first_uses",
    "kinds_in_file",
    "sure_use_counts",
    "uses_at",
    "uses_by",
    "uses_in_files",
    "uses_of",
]

MAX_USES = 100_000
"""Uses that one question may read, of half a kilobyte each."""
_SURE = 0.5
"""Least score of a use that counts where uses are counted."""
_COLUMNS = 1 << 20
"""More than any line has: orders places by line, then column, in one number."""
_EDGE = """f.path, e.line, e."column", e.end_column, e.kind, e.source, e.target, e.score,
           e.file_id, f.is_test"""


class EdgeRecord(NamedTuple):
    """A use, with where it is."""

    path: str
    line: int
    column: int
    end_column: int
    kind: int
    source: int
    """Node around the use; 0 at file level."""
    target: int
    score: float
    file_id: int
    is_test: int


class FileDependency(NamedTuple):
    """That one file depends on another, seen from one of them."""

    file_id: int
    """Of the one that was asked about."""
    other_id: int
    line: int
    """In the one that depends."""
    name: str
    kind: int


class UseCounts(msgspec.Struct, array_like=True):
    """How often definitions are used for certain, and the most important of their callers."""

    references: int
    files: int
    test_references: int
    callers: list[tuple[EdgeRecord, NodeRecord]]
    """Each with its first call."""
    caller_count: int
    """How many there are in all."""


class UsePage(msgspec.Struct, array_like=True):
    """The first uses of definitions, and how many there are."""

    first: list[EdgeRecord]
    uses: int
    """All of them, each place once."""
    likely: int
    """Those that have the least score."""
    certain: int


async def uses_of(
    state: State, targets: Sequence[int], kinds: Sequence[int] = ()
) -> list[EdgeRecord]:
    """Edges into nodes, of these kinds if any are given, by place; `MAX_USES` at most."""
    found: list[EdgeRecord] = []
    for part in batches(targets):
        found += await _edges(state, f"e.target IN ({marks(part)})", part, kinds, len(found))
    return found


async def uses_in_files(
    state: State, file_ids: Sequence[int], kinds: Sequence[int] = ()
) -> list[EdgeRecord]:
    """Edges that start in files, of these kinds if any are given, by place; `MAX_USES` at most."""
    found: list[EdgeRecord] = []
    for part in batches(file_ids):
        found += await _edges(state, f"e.file_id IN ({marks(part)})", part, kinds, len(found))
    return found


async def uses_by(
    state: State, sources: Sequence[int], file_ids: Sequence[int], kinds: Sequence[int] = ()
) -> list[EdgeRecord]:
    """Edges out of nodes, which are in these files; otherwise as `uses_in_files`."""
    found: list[EdgeRecord] = []
    among = json.dumps(list(sources))
    for part in batches(file_ids):
        where = f"e.file_id IN ({marks(part)}) AND e.source IN (SELECT value FROM json_each(?))"
        found += await _edges(state, where, (*part, among), kinds, len(found))
    return found


async def bases_of(state: State, sources: Sequence[int], kind: int) -> list[EdgeRecord]:
    """Edges of inheritance (`kind`) out of types, whichever files say so; otherwise as
    `uses_in_files`."""
    among = json.dumps(list(sources))
    where = f"e.source IN (SELECT value FROM json_each(?)) AND e.kind = {int(kind)}"
    return await _edges(state, where, (among,), (), 0)


async def _edges(
    state: State, where: str, parameters: Sequence[Any], kinds: Sequence[int], known: int
) -> list[EdgeRecord]:
    """Edges by place, so many that with those that are `known` there are `MAX_USES` at most."""
    rows = await state.read(
        f"""SELECT {_EDGE} FROM graph_edges e
            JOIN graph_files f ON f.file_id = e.file_id
            WHERE {where} {_of_kinds(kinds)}
            ORDER BY f.path, e.line, e."column" LIMIT {MAX_USES - known}""",
        parameters,
    )
    return await made_of(EdgeRecord._make, rows)


def _of_kinds(kinds: Sequence[int]) -> str:
    return f"AND e.kind IN ({', '.join(str(int(kind)) for kind in kinds)})" if kinds else ""


async def first_uses(
    state: State,
    targets: Sequence[int],
    kinds: Sequence[int],
    *,
    most: int,
    least_score: float,
    but_in: Sequence[int] = (),
) -> UsePage:
    """The first `most` uses of definitions that have the least score, outside of the files
    `but_in`: those that are sure before others, tests after what they test, by place; a place that
    uses several of them once.

    SQLite counts and picks: a name of the project may have tens of thousands of uses.
    """
    sure, least = float(_SURE), float(least_score)
    # A place may use a declaration and its definition; SQLite takes the row of the best score.
    best, once = ("e.score", "") if len(targets) == 1 else (
        "max(e.score)", 'GROUP BY e.file_id, e.line, e."column"',
    )  # fmt: skip
    found = await state.value(
        f"""WITH uses AS MATERIALIZED (
              SELECT e.file_id, e.line, e."column" AS at, e.end_column, e.kind, e.source, e.target,
                     {best} AS score
              FROM graph_edges e
              WHERE e.target IN (SELECT value FROM json_each(?1)) {_of_kinds(kinds)}
              AND e.file_id NOT IN (SELECT value FROM json_each(?2)) {once})
            SELECT json_array(
              (SELECT json_group_array(json_array(path, line, at, end_column, kind, source, target,
                                                  score, file_id, is_test))
               FROM (SELECT u.*, f.path, f.is_test FROM uses u
                     JOIN graph_files f ON f.file_id = u.file_id WHERE u.score >= {least}
                     ORDER BY u.score < {sure}, f.is_test, f.path, u.line, u.at LIMIT ?3)),
              count(*), coalesce(sum(score >= {least}), 0), coalesce(sum(score >= {sure}), 0))
            FROM uses""",
        (json.dumps(list(targets)), json.dumps(list(but_in)), most),
    )
    return msgspec.json.decode(found, type=UsePage)


async def uses_at(
    state: State, checkout_id: str, path: str, line: int, column: int | None
) -> list[EdgeRecord]:
    """Edges at a position, by column and the surest first: of the name there, or all of the line
    without a column."""
    where = "" if column is None else 'AND e."column" <= ?4 AND e.end_column >= ?4'
    parameters: list[Any] = [checkout_id, path, line, *([] if column is None else [column])]
    rows = await state.read(
        f"""SELECT {_EDGE} FROM graph_files f
            JOIN graph_edges e ON e.file_id = f.file_id
            WHERE f.checkout_id = ?1 AND f.path = ?2 AND e.line = ?3 {where}
            ORDER BY e."column", e.score DESC""",
        parameters,
    )
    return [EdgeRecord._make(row) for row in rows]


async def sure_use_counts(state: State, targets: Sequence[int]) -> dict[int, int]:
    """How often nodes are used outside of tests, as far as that is sure."""
    found: dict[int, int] = {}
    for part in batches(targets):
        rows = await state.read(
            f"""SELECT e.target, count(*) FROM graph_edges e
                JOIN graph_files f ON f.file_id = e.file_id
                WHERE e.target IN ({marks(part)}) AND e.score >= {_SURE} AND f.is_test = 0
                GROUP BY e.target""",
            part,
        )
        found |= {int(row[0]): int(row[1]) for row in rows}
    return found


async def file_use_counts(state: State, files: Sequence[int]) -> dict[tuple[int, int], int]:
    """How often one of these files uses what another of them defines, as far as that is sure."""
    among = set(files)
    found: dict[tuple[int, int], int] = {}
    for part in batches(files):
        rows = await state.read(
            f"""SELECT e.file_id, n.file_id, count(*) FROM graph_edges e
                JOIN graph_nodes n ON n.node_id = e.target
                WHERE e.file_id IN ({marks(part)}) AND n.file_id != e.file_id
                AND e.score >= {_SURE} GROUP BY e.file_id, n.file_id""",
            part,
        )
        found |= {(int(row[0]), int(row[1])): int(row[2]) for row in rows if int(row[1]) in among}
    return found


async def kinds_in_file(state: State, checkout_id: str, path: str) -> dict[tuple[int, int], int]:
    """Kinds of a file's uses by line and column, where there are several that of the surest."""
    rows = await state.read(
        """SELECT e.line, e."column", e.kind FROM graph_edges e JOIN graph_files f
           ON f.file_id = e.file_id WHERE f.checkout_id = ? AND f.path = ? ORDER BY e.score""",
        (checkout_id, path),
    )
    return {(row[0], row[1]): row[2] for row in rows}


async def dependencies_by_name(
    state: State,
    file_ids: Sequence[int],
    direction: Literal["in", "out"],
    type_kinds: Sequence[str],
    least_score: float,
) -> list[FileDependency]:
    """Other files whose types or top-level definitions files name, by the first place that does.

    `out`: what these files name; `in`: who names something of theirs.
    """
    mine, theirs = ("e", "n") if direction == "out" else ("n", "e")
    types = ", ".join(f"'{kind}'" for kind in sorted(type_kinds))
    found: list[FileDependency] = []
    for part in batches(file_ids):
        # SQLite takes the other columns from the row that has the minimum.
        rows = await state.read(
            f"""SELECT {mine}.file_id, {theirs}.file_id, e.line, n.name, e.kind,
                       min(e.line * {_COLUMNS} + e."column") AS place
                FROM graph_edges e JOIN graph_nodes n ON n.node_id = e.target
                WHERE {mine}.file_id IN ({marks(part)}) AND n.file_id != e.file_id
                  AND e.score >= {float(least_score)}
                  AND (n.kind IN ({types}) OR instr(n.qualname, '.') = 0)
                GROUP BY {mine}.file_id, {theirs}.file_id ORDER BY place, e.file_id, n.file_id""",
            part,
        )
        found += [FileDependency(*tuple(row)[:5]) for row in rows]
    return found


async def count_uses(
    state: State,
    node_ids: Sequence[int],
    call_kinds: Sequence[int],
    least_score: float,
    callers: int,
) -> UseCounts:
    """Uses of definitions that are one thing, counted, and the first `callers` of their callers.

    SQLite counts and picks, beside the event loop, however many uses there are.
    """
    kinds = ", ".join(str(int(kind)) for kind in call_kinds)
    found = await state.value(
        f"""WITH uses AS MATERIALIZED (
              SELECT e.*, f.path, f.is_test FROM graph_edges e
              JOIN graph_files f ON f.file_id = e.file_id
              WHERE e.target IN (SELECT value FROM json_each(?1))
              AND e.score >= {float(least_score)}),
            calls AS (
              SELECT u.path AS at_path, u.line AS at_line, u."column" AS at_column,
                     u.end_column AS at_end, u.kind AS how, u.source, u.target, u.score,
                     u.is_test AS at_test, min((u.line << 20) + u."column"), {NODE_COLUMNS}
              FROM uses u JOIN graph_nodes n ON n.node_id = u.source
              JOIN graph_files f ON f.file_id = n.file_id
              WHERE u.kind IN ({kinds}) GROUP BY u.source
              ORDER BY f.is_test, n.rank DESC, f.path, n.line LIMIT ?2)
            SELECT json_array(
              (SELECT count(*) FROM (SELECT DISTINCT file_id, line, "column" FROM uses)),
              (SELECT count(DISTINCT file_id) FROM uses),
              (SELECT coalesce(sum(is_test), 0) FROM uses),
              (SELECT json_group_array(json_array(
                 json_array(at_path, at_line, at_column, at_end, how, source, target, score,
                            file_id, at_test),
                 json_array(node_id, file_id, path, qualname, name, kind, start_line, end_line,
                            line, "column", end_column, rank, is_test)))
               FROM calls),
              (SELECT count(DISTINCT u.source) FROM uses u
               JOIN graph_nodes n ON n.node_id = u.source WHERE u.kind IN ({kinds})))""",
        (json.dumps(list(node_ids)), callers),
    )
    return msgspec.json.decode(found, type=UseCounts)
