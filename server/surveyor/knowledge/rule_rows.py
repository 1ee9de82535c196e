"""A rule in its other forms: a queue item's payload, a row, a point's entry, an answer's item."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

from surveyor.knowledge import rules as formats
from surveyor.knowledge.anchors import AnchorFolder
from surveyor.knowledge.points import PointEntry
from surveyor.knowledge.rules import Rule
from surveyor.protocol.knowledge import RuleItem
from surveyor.secrets import mask_text
from surveyor.store.state.rules import RuleRow

GLOBAL = "global"
"""Tenant of the rules that hold in every project."""


def plain_rules(items: Iterable[RuleItem]) -> list[Rule]:
    """Rules as they are exported and injected."""
    return [
        Rule(
            label=one.label,
            content=one.content,
            scope=one.scope,
            title=one.title,
            tags=tuple(one.tags),
            type=cast("formats.RuleType | None", one.type),
            priority=one.priority,
            anchor=_shown_anchor(one),
            created_at=one.created_at,
            updated_at=one.updated_at,
        )
        for one in items
    ]


def _shown_anchor(item: RuleItem) -> str:
    if item.place is None:
        return item.anchor or ""
    return f"{item.place.path}#{item.place.symbol}" if item.place.symbol else item.place.path


def fields_of(rule: Rule) -> dict[str, Any]:
    """All of a rule by name."""
    return {name: getattr(rule, name) for name in Rule.__slots__}


def payload_of(rule: Rule, place: AnchorFolder | None) -> dict[str, Any]:
    """A rule as a queue item carries it; a project's with the folder it was written in.

    A rule is told to every agent in every session: secrets in it are masked.
    """
    payload: dict[str, Any] = {
        "label": rule.label,
        "content": mask_text(rule.content),
        "scope": rule.scope,
        "title": mask_text(rule.title),
        "tags": [mask_text(tag) for tag in rule.tags],
        "type": rule.type,
        "priority": rule.priority,
        "anchor": rule.anchor,
    }
    if rule.scope == "project" and place is not None:
        payload["root"] = place.root
    return payload


def rule_of(payload: dict[str, Any]) -> Rule:
    """The rule in a queue item's payload."""
    return Rule(
        label=payload["label"],
        content=payload.get("content", ""),
        scope=payload.get("scope", GLOBAL),
        title=payload.get("title", ""),
        tags=tuple(payload.get("tags", ())),
        type=payload.get("type"),
        priority=payload.get("priority"),
        anchor=payload.get("anchor", ""),
        created_at=payload.get("created_at", ""),
    )


def same(left: Rule, right: Rule) -> bool:
    """Whether two rules say the same; their dates do not count."""
    undated = {"created_at": "", "updated_at": ""}
    return Rule(**{**fields_of(left), **undated}) == Rule(**{**fields_of(right), **undated})


def row_payload(row: RuleRow) -> dict[str, Any]:
    """A stored rule as a queue item would carry it."""
    return {
        "label": row.label,
        "content": row.content,
        "scope": "project" if row.project_id else GLOBAL,
        "title": row.title,
        "tags": list(row.tags),
        "type": row.type,
        "priority": row.priority,
        "anchor": row.anchor,
    }


def entry_of(rule_id: str, rule: Rule, project_id: str | None) -> PointEntry:
    """What a rule's point is made of."""
    title = " ".join((rule.label.replace("-", " "), rule.title, *rule.tags))
    return PointEntry(
        id=rule_id,
        title=title,
        text=rule.content,
        payload={
            "label": rule.label,
            "scope": rule.scope,
            "project_id": project_id or GLOBAL,
            "title": rule.title,
            "tags": list(rule.tags),
            "type": rule.type or "",
            "priority": rule.priority or 0,
            "file_path": rule.anchor.partition("#")[0],
        },
    )
