"""What a hover says of a definition: read in two looks, however often it is used.

`questions` reads every use and the definition around each; here SQLite counts them and picks the
few that are shown, beside the event loop.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from surveyor.graph.facts import KIND_NAMES
from surveyor.graph.queries.lookup import CALL_KINDS, NODE_ROW, EdgeAt, Node, Stored, is_unit_test
from surveyor.graph.resolve.resolver import CERTAIN

__all__ = ["Brief", "brief", "pointed_at"]


@dataclass(frozen=True, slots=True)
class Brief:
    """How often definitions are used for certain, and by whom."""

    references: int
    files: int
    test_references: int
    callers: list[tuple[EdgeAt, Node]]
    """The most important callers, each with its first call."""


class _Counted(msgspec.Struct, array_like=True):
    """The same as it comes from SQLite."""

    references: int
    files: int
    test_references: int
    callers: list[tuple[list[Any], list[Any]]]


def pointed_at(stored: Stored, path: str, line: int, column: int) -> list[Node]:
    """The definition that is named at a position, else what is used there; empty: neither.

    `line` is 1-based, `column` 0-based. Looked up by key, on the event loop's thread.
    """
    where = (stored.checkout_id, path, line, column, column)
    rows = stored.state.glance(
        f"""SELECT {NODE_ROW} FROM graph_files f JOIN graph_nodes n ON n.file_id = f.file_id
            WHERE f.checkout_id = ?1 AND f.path = ?2 AND n.qualname != ''
            AND ((n.line = ?3 AND n."column" <= ?4 AND n.end_column >= ?5)
              OR EXISTS (SELECT 1 FROM graph_places p WHERE p.node_id = n.node_id
                         AND p.line = ?3 AND p."column" <= ?4 AND p.end_column >= ?5))
            ORDER BY n.start_line, n.end_line DESC, n."column" LIMIT 1""",
        where,
    )
    if not rows:
        rows = stored.state.glance(
            f"""WITH here AS MATERIALIZED (
                  SELECT e.target, e.score, e."column" FROM graph_files f
                  JOIN graph_edges e ON e.file_id = f.file_id
                  WHERE f.checkout_id = ?1 AND f.path = ?2 AND e.line = ?3
                  AND e."column" <= ?4 AND e.end_column >= ?5)
                SELECT {NODE_ROW} FROM here h JOIN graph_nodes n ON n.node_id = h.target
                JOIN graph_files f ON f.file_id = n.file_id
                WHERE h.score = (SELECT max(score) FROM here) ORDER BY h."column" """,
            where,
        )
    return [_node(row) for row in rows]


async def brief(stored: Stored, nodes: Sequence[Node], callers: int) -> Brief:
    """Certain uses of definitions that are one thing, and the first `callers` of its callers."""
    found = await stored.state.value(
        f"""WITH uses AS MATERIALIZED (
              SELECT e.*, f.path, f.is_test FROM graph_edges e
              JOIN graph_files f ON f.file_id = e.file_id
              WHERE e.target IN (SELECT value FROM json_each(?1)) AND e.score >= {CERTAIN}),
            calls AS (
              SELECT u.path AS at_path, u.line AS at_line, u."column" AS at_column,
                     u.end_column AS at_end, u.kind AS how, u.source, u.target, u.score,
                     u.is_test AS at_test, min((u.line << 20) + u."column"), {NODE_ROW}
              FROM uses u JOIN graph_nodes n ON n.node_id = u.source
              JOIN graph_files f ON f.file_id = n.file_id
              WHERE u.kind IN {CALL_KINDS} GROUP BY u.source
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
               FROM calls))""",
        (json.dumps([node.node_id for node in nodes]), callers),
    )
    counted = msgspec.json.decode(found, type=_Counted)
    return Brief(
        counted.references,
        counted.files,
        counted.test_references,
        [(_edge(edge), _node(node)) for edge, node in counted.callers],
    )


def _edge(values: Sequence[Any]) -> EdgeAt:
    edge = dict(zip(EdgeAt.__slots__, values, strict=True))
    return EdgeAt(**edge | {"kind": KIND_NAMES[edge["kind"]], "is_test": bool(edge["is_test"])})


def _node(values: Sequence[Any]) -> Node:
    node = dict(zip(Node.__slots__, values, strict=True))
    is_test = bool(node["is_test"]) or is_unit_test(node["path"], node["qualname"])
    return Node(**node | {"is_test": is_test})
