"""Rows of rules and of the places of their anchors, one for each checkout."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from surveyor.store.state.database import State, Transaction

RuleScopeFilter = Literal["current", "global", "project", "all"]
"""Which rules: of a project and the global ones, only either of them, or all."""
AnchorKind = Literal["symbol", "file", "folder"]
AnchorState = Literal["ok", "changed", "lost"]

_WITH_PROJECT = (
    "SELECT r.*, p.name AS project_name FROM rules r"
    " LEFT JOIN projects p ON p.project_id = r.project_id"
)


@dataclass(frozen=True, slots=True)
class RuleRow:
    """A rule. `project_id` is None for one that holds in every project."""

    rule_id: str
    project_id: str | None
    label: str
    title: str
    content: str
    tags: tuple[str, ...]
    type: str | None
    priority: int | None
    anchor: str
    """As the user wrote it."""
    created_at: str
    updated_at: str
    project_name: str | None = None
    """Only where a query joins projects."""


class RuleAnchorRow(NamedTuple):
    """What a rule is anchored to, as it was when the rule was written."""

    kind: AnchorKind
    path: str
    name: str
    text: str
    content_hash: bytes | None


class RulePlaceRow(NamedTuple):
    """Where a rule's anchor is in a checkout, and whether its code is the same."""

    rule_id: str
    path: str
    name: str
    start_line: int | None
    end_line: int | None
    state: AnchorState
    reason: str
    kind: AnchorKind
    """Of the rule's anchor, with which it is stored."""


class AnchoredRuleRow(NamedTuple):
    """A rule's anchor, and where it was last seen in a checkout: None where it never was."""

    rule_id: str
    anchor: RuleAnchorRow
    path: str | None
    name: str | None
    state: AnchorState | None


class RuleAtRow(NamedTuple):
    """A rule that is anchored at a path, with the lines of its anchor there, if it has any."""

    rule: RuleRow
    start_line: int | None
    end_line: int | None


def _rule(row: sqlite3.Row, project_name: str | None = None) -> RuleRow:
    return RuleRow(
        rule_id=row["rule_id"],
        project_id=row["project_id"],
        label=row["label"],
        title=row["title"],
        content=row["content"],
        tags=tuple(json.loads(row["tags"])),
        type=row["type"],
        priority=row["priority"],
        anchor=row["anchor"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        project_name=project_name,
    )


def _in_scope(project_id: str | None, scope: RuleScopeFilter) -> tuple[str, tuple[Any, ...]]:
    if scope == "all":
        return "1", ()
    if scope == "global" or project_id is None:
        return "r.project_id IS NULL", ()
    if scope == "project":
        return "r.project_id = ?", (project_id,)
    return "(r.project_id IS NULL OR r.project_id = ?)", (project_id,)


# --- reading ------------------------------------------------------------------------------


async def find_rule(state: State, project_id: str | None, label: str) -> RuleRow | None:
    """The rule of a label; of several, which two projects that became one may have, the newest."""
    row = await state.one(
        "SELECT * FROM rules WHERE project_id IS ? AND label = ? ORDER BY updated_at DESC",
        (project_id, label),
    )
    return None if row is None else _rule(row)


async def has_rule(state: State, rule_id: str) -> bool:
    """Whether there is a rule of this id."""
    return bool(await state.value("SELECT 1 FROM rules WHERE rule_id = ?", (rule_id,)))


async def labels_of(state: State, project_id: str | None) -> list[str]:
    """Labels of a project's rules, or of the global ones."""
    rows = await state.read("SELECT label FROM rules WHERE project_id IS ?", (project_id,))
    return [str(row[0]) for row in rows]


async def rules_of(state: State, project_id: str | None) -> list[RuleRow]:
    """A project's rules, or the global ones."""
    rows = await state.read("SELECT * FROM rules WHERE project_id IS ?", (project_id,))
    return [_rule(row) for row in rows]


async def rules_in_scope(
    state: State, project_id: str | None, scope: RuleScopeFilter
) -> list[RuleRow]:
    """Rules with their projects' names: global ones first, then by age and label."""
    where, parameters = _in_scope(project_id, scope)
    rows = await state.read(
        f"{_WITH_PROJECT} WHERE {where} ORDER BY r.project_id IS NOT NULL, r.created_at, r.label",
        parameters,
    )
    return [_rule(row, row["project_name"]) for row in rows]


async def rules_among(
    state: State, project_id: str | None, scope: RuleScopeFilter, rule_ids: Sequence[str]
) -> list[RuleRow]:
    """Those of some rules that are in a scope, with their projects' names."""
    where, parameters = _in_scope(project_id, scope)
    rows = await state.read(
        f"{_WITH_PROJECT} WHERE ({where}) AND r.rule_id IN ({','.join('?' * len(rule_ids))})",
        (*parameters, *rule_ids),
    )
    return [_rule(row, row["project_name"]) for row in rows]


async def projects_in_scope(
    state: State, project_id: str | None, scope: RuleScopeFilter
) -> list[str | None]:
    """Projects that have rules in a scope; None for the global ones."""
    where, parameters = _in_scope(project_id, scope)
    rows = await state.read(f"SELECT DISTINCT r.project_id FROM rules r WHERE {where}", parameters)
    return [row[0] for row in rows]


async def count_rules_by_project(state: State) -> list[tuple[str | None, int]]:
    """How many rules each project has; None for the global ones."""
    rows = await state.read("SELECT project_id, count(*) FROM rules GROUP BY project_id")
    return [(row[0], int(row[1])) for row in rows]


def is_anchored_in(state: State, checkout_id: str) -> bool:
    """Whether any rule is anchored in a checkout. Read on this thread."""
    return bool(
        state.read_inline(
            "SELECT 1 FROM rule_anchors WHERE checkout_id = ? LIMIT 1", (checkout_id,)
        )
    )


async def rules_at(state: State, checkout_id: str, path: str) -> list[RuleAtRow]:
    """Rules that are anchored at a file or at a folder above it, by age and label."""
    rows = await state.read(
        """SELECT r.*, p.name AS project_name, a.start_line AS first, a.end_line AS last
           FROM rules r JOIN rule_anchors a ON a.rule_id = r.rule_id AND a.checkout_id = ?
           LEFT JOIN projects p ON p.project_id = r.project_id
           WHERE a.path = ? OR (r.anchor_kind = 'folder' AND substr(?, 1, length(a.path) + 1)
             = a.path || '/') ORDER BY r.created_at, r.label""",
        (checkout_id, path, path),
    )
    return [RuleAtRow(_rule(row, row["project_name"]), row["first"], row["last"]) for row in rows]


async def places_in(state: State, checkout_id: str) -> list[RulePlaceRow]:
    """Where the anchors of all rules are in a checkout."""
    rows = await state.read(
        "SELECT a.*, r.anchor_kind FROM rule_anchors a JOIN rules r USING (rule_id)"
        " WHERE a.checkout_id = ?",
        (checkout_id,),
    )
    return [_place(row) for row in rows]


async def find_place(
    state: State, checkout_id: str, project_id: str, label: str
) -> RulePlaceRow | None:
    """Where the anchor of a project's rule is in a checkout."""
    row = await state.one(
        "SELECT a.*, r.anchor_kind FROM rule_anchors a JOIN rules r USING (rule_id)"
        " WHERE a.checkout_id = ? AND r.project_id = ? AND r.label = ?",
        (checkout_id, project_id, label),
    )
    return None if row is None else _place(row)


def _place(row: sqlite3.Row) -> RulePlaceRow:
    return RulePlaceRow(
        row["rule_id"], row["path"], row["name"], row["start_line"], row["end_line"],
        row["state"], row["reason"], row["anchor_kind"],
    )  # fmt: skip


async def anchored_rules(state: State, checkout_id: str, project_id: str) -> list[AnchoredRuleRow]:
    """A project's rules that have anchors, with their places in a checkout."""
    rows = await state.read(
        """SELECT r.*, a.path AS path, a.name AS name, a.state AS state FROM rules r
           LEFT JOIN rule_anchors a ON a.rule_id = r.rule_id AND a.checkout_id = ?
           WHERE r.project_id = ? AND r.anchor_kind IS NOT NULL""",
        (checkout_id, project_id),
    )
    return [
        AnchoredRuleRow(
            row["rule_id"],
            RuleAnchorRow(
                row["anchor_kind"], row["anchor_path"], row["anchor_name"],
                row["anchor_text"] or "", row["anchor_hash"],
            ),
            row["path"],
            row["name"],
            row["state"],
        )
        for row in rows
    ]  # fmt: skip


# --- writing ------------------------------------------------------------------------------


async def write_rule(tx: Transaction, rule: RuleRow) -> None:
    """Insert a rule, or replace all but its project, label and date of creation."""
    await tx.execute(
        """INSERT INTO rules (rule_id, project_id, label, title, content, tags, type,
             priority, anchor, created_at, updated_at)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
           ON CONFLICT (rule_id) DO UPDATE SET title = excluded.title,
             content = excluded.content, tags = excluded.tags, type = excluded.type,
             priority = excluded.priority, anchor = excluded.anchor,
             updated_at = excluded.updated_at""",
        (
            rule.rule_id,
            rule.project_id,
            rule.label,
            rule.title,
            rule.content,
            json.dumps(rule.tags),
            rule.type,
            rule.priority,
            rule.anchor,
            rule.created_at,
            rule.updated_at,
        ),
    )


async def set_anchor(tx: Transaction, rule_id: str, anchor: RuleAnchorRow | None) -> None:
    """Replace what a rule is anchored to, and forget where that was."""
    await tx.execute(
        """UPDATE rules SET anchor_kind = ?, anchor_path = ?, anchor_name = ?,
             anchor_text = ?, anchor_hash = ? WHERE rule_id = ?""",
        (*(anchor or (None,) * len(RuleAnchorRow._fields)), rule_id),
    )
    await tx.execute("DELETE FROM rule_anchors WHERE rule_id = ?", (rule_id,))


async def write_places(tx: Transaction, checkout_id: str, places: Iterable[RulePlaceRow]) -> None:
    """Note where anchors are in a checkout; nothing of rules that are gone."""
    await tx.many(
        """INSERT INTO rule_anchors
             (rule_id, checkout_id, path, name, start_line, end_line, state, reason)
           SELECT ?, ?, ?, ?, ?, ?, ?, ? WHERE EXISTS (SELECT 1 FROM rules WHERE rule_id = ?)
           ON CONFLICT (rule_id, checkout_id) DO UPDATE SET path = excluded.path,
             name = excluded.name, start_line = excluded.start_line,
             end_line = excluded.end_line, state = excluded.state, reason = excluded.reason""",
        [
            (
                one.rule_id, checkout_id, one.path, one.name, one.start_line, one.end_line,
                one.state, one.reason, one.rule_id,
            )
            for one in places
        ],
    )  # fmt: skip


async def delete_rules(tx: Transaction, project_id: str | None, label: str) -> None:
    """Delete the rules of a label."""
    await tx.execute("DELETE FROM rules WHERE project_id IS ? AND label = ?", (project_id, label))
