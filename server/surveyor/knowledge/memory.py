"""Memory rules: writing them through the queue, listing, recalling, and keeping anchors true."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from surveyor.errors import NotFoundError
from surveyor.knowledge import anchors
from surveyor.knowledge.anchors import Anchor, Place
from surveyor.knowledge.dates import now, stored
from surveyor.knowledge.points import Entry, Found, Mode, Points, point_id
from surveyor.knowledge.rule_rows import (
    GLOBAL,
    entry_of,
    fields_of,
    payload_of,
    row_payload,
    rule_of,
    same,
)
from surveyor.knowledge.rules import Rule, RuleError, checked
from surveyor.knowledge.writes import Writes
from surveyor.protocol.knowledge import AnchorItem, ImportResponse, RuleItem, Written
from surveyor.store.state import State
from surveyor.store.state.queue import Item, Leased

RULE_PRIORITY = 8
"""Rules go before files in the queue (seed 000: always high priority)."""

Scope = Literal["current", "global", "project", "all"]


@dataclass(slots=True)
class Memory:
    """All rules."""

    state: State
    points: Points
    writes: Writes

    # --- writing --------------------------------------------------------------------------

    async def write(
        self,
        action: Literal["add", "update", "remove", "review"],
        rule: Rule,
        place: Place | None,
        given: frozenset[str],
        wait_ms: int,
    ) -> Written:
        """Check a change and queue it. `given` names the fields that an update changes.

        Raises `RuleError` for what is not valid or exists already, `NotFoundError` for a label
        that does not exist.
        """
        tenant = _tenant(rule, place)
        current = await self._current(tenant, rule.label)
        if action != "add" and current is None:
            known = ", ".join(sorted(await self._labels(tenant)))
            where = "globally" if tenant == GLOBAL else "in this project"
            raise NotFoundError(
                f"there is no rule {rule.label!r} {where}",
                f"Rules there: {known}." if known else "There are none there yet.",
            )
        if action == "remove":
            item = _item("delete", tenant, {"label": rule.label, "scope": rule.scope})
            return await self.writes.submit([item], wait_ms, f"rule {rule.label} is removed")
        if action == "review":
            accepted = await self._anchored_now(tenant, rule.label, place)
            payload = {**(current or {}), "anchor": accepted, "reviewed": now()}
            item = _item("update", tenant, payload)
            return await self.writes.submit([item], wait_ms, f"rule {rule.label} is reviewed")
        if action == "update":
            assert current is not None
            base = rule_of(current)
            fields = {name: getattr(rule, name) for name in given}
            rule = Rule(**{**fields_of(base), **fields, "label": base.label, "scope": base.scope})
        rule, warnings = checked(rule)
        if rule.anchor and rule.scope == GLOBAL:
            raise RuleError(
                "an anchor names code of one project, so its rule belongs to the project",
                "Use the project's scope.",
            )
        if rule.anchor and place is not None and (action == "add" or "anchor" in given):
            anchor = await anchors.resolve(self.state, place, rule.anchor)
            rule = Rule(**{**fields_of(rule), "anchor": str(anchor)})
        payload = payload_of(rule, place)
        if action == "add" and current is not None and not same(rule_of(current), rule_of(payload)):
            raise RuleError(
                f"the rule {rule.label!r} exists already", "Use `update`, or another label."
            )
        item = _item("ingest" if action == "add" else "update", tenant, payload)
        done = "added" if action == "add" else "updated"
        written = await self.writes.submit([item], wait_ms, f"rule {rule.label} is {done}")
        written.warnings = warnings
        return written

    async def bring_in(
        self, some: Sequence[Rule], place: Place | None, wait_ms: int
    ) -> ImportResponse:
        """Queue the rules of an export; those that are here already are left alone."""
        answer = ImportResponse(status="done")
        items = []
        for rule in some:
            valid, warnings = checked(rule)
            answer.warnings += warnings
            tenant = _tenant(valid, place)
            if valid.anchor and place is not None:
                try:
                    anchor = await anchors.resolve(self.state, place, valid.anchor)
                    valid = Rule(**{**fields_of(valid), "anchor": str(anchor)})
                except Exception as error:  # the rule is worth more than its anchor
                    answer.warnings.append(f"{valid.label}: {error}")
            current = await self._current(tenant, valid.label)
            payload = payload_of(valid, place)
            if valid.created_at:
                payload["created_at"] = valid.created_at
            if current is not None and same(rule_of(current), rule_of(payload)):
                answer.unchanged.append(valid.label)
                continue
            (answer.updated if current is not None else answer.added).append(valid.label)
            items.append(_item("update" if current is not None else "ingest", tenant, payload))
        if items:
            answer.queue_ids = await self.writes.enqueue(items)
            done = await self.writes.wait(answer.queue_ids, wait_ms / 1000)
            answer.status = "done" if done else "queued"
        return answer

    async def _anchored_now(self, tenant: str, label: str, place: Place | None) -> str:
        """Where a rule's code is, to be accepted as it is."""
        row = place and await self.state.one(
            "SELECT a.* FROM rule_anchors a JOIN rules r USING (rule_id)"
            " WHERE a.checkout_id = ? AND r.project_id = ? AND r.label = ?",
            (place.checkout_id, tenant, label),
        )
        if not row:
            raise RuleError(
                f"rule {label!r} has no anchor to review",
                "Give it one with `memory update --anchor`.",
            )
        if row["state"] == "lost":
            raise RuleError(
                f"the code of rule {label!r} is gone: {row['reason']}",
                "Give it another anchor with `update --anchor`, or remove the rule.",
            )
        return str(Anchor("symbol", row["path"], row["name"]))

    async def _current(self, tenant: str, label: str) -> dict[str, Any] | None:
        """The rule as it will be once the queue is empty: waiting writes count."""
        waiting = await self.writes.pending("memory", tenant, label=label)
        if waiting:
            return None if waiting[-1]["op"] == "delete" else waiting[-1]
        row = await self._row(None if tenant == GLOBAL else tenant, label)
        return None if row is None else row_payload(row)

    async def _labels(self, tenant: str) -> list[str]:
        rows = await self.state.read(
            "SELECT label FROM rules WHERE project_id IS ?", (None if tenant == GLOBAL else tenant,)
        )
        return [str(row[0]) for row in rows]

    async def _row(self, project_id: str | None, label: str) -> sqlite3.Row | None:
        return await self.state.one(
            "SELECT * FROM rules WHERE project_id IS ? AND label = ? ORDER BY updated_at DESC",
            (project_id, label),
        )

    # --- the queue's side -----------------------------------------------------------------

    async def handle(self, item: Leased) -> None:
        """Carry out a queued write; doing it twice changes nothing more."""
        label = str(item.payload["label"])
        await self.writes.earlier_first(item, label=label)
        project_id = await self._project_of(item)
        row = await self._row(project_id, label)
        space = self.points.space("memory", project_id or GLOBAL)
        if item.op == "delete":
            if row is not None:
                async with self.state.transaction() as tx:
                    await tx.execute(
                        "DELETE FROM rules WHERE project_id IS ? AND label = ?", (project_id, label)
                    )
                await self.points.delete(space, [row["rule_id"]])
            return
        rule = rule_of(item.payload)
        at = now()
        rule_id = row["rule_id"] if row is not None else point_id("rule", project_id or "", label)
        unchanged = row is not None and same(rule_of(row_payload(row)), rule)
        if row is None and await self.state.value(
            "SELECT 1 FROM rules WHERE rule_id = ?", (rule_id,)
        ):
            rule_id = point_id("rule", project_id or "", label, at)
        place = await self._place(item, project_id)
        fresh_anchor = (
            row is None or row["anchor"] != rule.anchor or bool(item.payload.get("reviewed"))
        )
        anchor = await self._anchor(rule, place) if fresh_anchor else None
        if not unchanged:
            await self.points.put(space, [entry_of(rule_id, rule, project_id)])
        # Writes that wait together are done side by side: the order is that in which they came.
        queued = stored(item.created_at)
        created = rule.created_at or (row["created_at"] if row is not None else queued)
        async with self.state.transaction() as tx:
            await tx.execute(
                """INSERT INTO rules (rule_id, project_id, label, title, content, tags, type,
                     priority, anchor, created_at, updated_at)
                   VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                   ON CONFLICT (rule_id) DO UPDATE SET title = excluded.title,
                     content = excluded.content, tags = excluded.tags, type = excluded.type,
                     priority = excluded.priority, anchor = excluded.anchor,
                     updated_at = excluded.updated_at""",
                (
                    rule_id,
                    project_id,
                    label,
                    rule.title,
                    rule.content,
                    json.dumps(rule.tags),
                    rule.type,
                    rule.priority,
                    rule.anchor,
                    created,
                    row["updated_at"] if row is not None and unchanged else at,
                ),
            )
            if fresh_anchor:
                await tx.execute(
                    """UPDATE rules SET anchor_kind = ?, anchor_path = ?, anchor_name = ?,
                         anchor_text = ?, anchor_hash = ? WHERE rule_id = ?""",
                    (
                        anchor.kind if anchor else None,
                        anchor.path if anchor else None,
                        anchor.name if anchor else None,
                        anchor.text if anchor else None,
                        anchor.content_hash if anchor else None,
                        rule_id,
                    ),
                )
                await tx.execute("DELETE FROM rule_anchors WHERE rule_id = ?", (rule_id,))
                if anchor is not None and place is not None:
                    await anchors.remember(
                        tx, place.checkout_id, [(str(rule_id), anchor, "ok", "")]
                    )

    async def _project_of(self, item: Leased) -> str | None:
        """The project that an item was meant for, also if its id has changed since."""
        if item.tenant_id == GLOBAL:
            return None
        root = item.payload.get("root")
        if root:
            found = await self.state.value(
                "SELECT project_id FROM checkouts WHERE root = ?", (root,)
            )
            if found:
                return str(found)
        return item.tenant_id

    async def _place(self, item: Leased, project_id: str | None) -> Place | None:
        row = await self.state.one(
            "SELECT checkout_id, project_id, root FROM checkouts WHERE root = ? OR project_id = ?"
            " ORDER BY root = ? DESC",
            (item.payload.get("root"), project_id, item.payload.get("root")),
        )
        return Place(row["checkout_id"], row["project_id"], row["root"]) if row else None

    async def _anchor(self, rule: Rule, place: Place | None) -> Anchor | None:
        if not rule.anchor or place is None:
            return None
        try:
            return await anchors.resolve(self.state, place, rule.anchor)
        except Exception:
            # It was there when the rule was accepted: keep the name, and look again later.
            path, _, name = rule.anchor.partition("#")
            return Anchor("symbol" if name else "file", path, name)

    # --- reading --------------------------------------------------------------------------

    async def listed(
        self, project_id: str | None, scope: Scope, place: Place | None
    ) -> list[RuleItem]:
        """Rules in the order in which they are injected."""
        where, parameters = _where(project_id, scope)
        rows = await self.state.read(
            f"""SELECT r.*, p.name AS project_name FROM rules r
                LEFT JOIN projects p ON p.project_id = r.project_id WHERE {where}
                ORDER BY r.project_id IS NOT NULL, r.created_at, r.label""",
            parameters,
        )
        return await self._items(rows, place)

    async def recall(
        self,
        query: str,
        project_id: str | None,
        scope: Scope,
        place: Place | None,
        *,
        limit: int,
        mode: Mode = "hybrid",
    ) -> list[tuple[RuleItem, Found]]:
        """Rules that a query is about, best first."""
        where, parameters = _where(project_id, scope)
        tenants = await self.state.read(
            f"SELECT DISTINCT r.project_id FROM rules r WHERE {where}", parameters
        )
        spaces = [self.points.space("memory", row[0] or GLOBAL) for row in tenants]
        found = await self.points.find(spaces, query, mode=mode)
        rows = await self.state.read(
            f"""SELECT r.*, p.name AS project_name FROM rules r
                LEFT JOIN projects p ON p.project_id = r.project_id
                WHERE ({where}) AND r.rule_id IN ({",".join("?" * len(found))})""",
            (*parameters, *(one.id for one in found)),
        )
        ids = [str(row["rule_id"]) for row in rows]
        items = dict(zip(ids, await self._items(rows, place), strict=True))
        best = [one for one in found if one.id in items][:limit]
        for one in best:
            items[one.id].score, items[one.id].confidence = one.score, one.confidence
        return [(items[one.id], one) for one in best]

    async def anchored(self, place: Place) -> bool:
        """Whether any rule is anchored in a checkout."""
        # Every search asks: from an index, without a change of thread.
        return bool(
            self.state.glance(
                "SELECT 1 FROM rule_anchors WHERE checkout_id = ? LIMIT 1", (place.checkout_id,)
            )
        )

    async def at(
        self, place: Place, path: str, line: int | None, last: int | None = None
    ) -> list[RuleItem]:
        """Rules anchored at a file, at a folder above it, or at what is on some lines of it."""
        rows = await self.state.read(
            """SELECT r.*, p.name AS project_name, a.start_line AS first, a.end_line AS last
               FROM rules r JOIN rule_anchors a ON a.rule_id = r.rule_id AND a.checkout_id = ?
               LEFT JOIN projects p ON p.project_id = r.project_id
               WHERE a.path = ? OR (r.anchor_kind = 'folder' AND substr(?, 1, length(a.path) + 1)
                 = a.path || '/') ORDER BY r.created_at, r.label""",
            (place.checkout_id, path, path),
        )
        if line is not None:
            rows = [
                r
                for r in rows
                if r["first"] is None or (r["first"] <= (last or line) and line <= r["last"])
            ]
        return await self._items(rows, place)

    async def _items(self, rows: Iterable[sqlite3.Row], place: Place | None) -> list[RuleItem]:
        known = list(rows)
        places: dict[str, AnchorItem] = {}
        if place is not None:
            found = await self.state.read(
                "SELECT a.*, r.anchor_kind FROM rule_anchors a JOIN rules r USING (rule_id)"
                " WHERE a.checkout_id = ?",
                (place.checkout_id,),
            )
            places = {
                str(row["rule_id"]): AnchorItem(
                    path=row["path"],
                    symbol=row["name"] or None,
                    kind=row["anchor_kind"],
                    start_line=row["start_line"],
                    end_line=row["end_line"],
                    state=row["state"],
                    reason=row["reason"],
                )
                for row in found
            }
        return [
            RuleItem(
                label=row["label"],
                title=row["title"],
                content=row["content"],
                scope="project" if row["project_id"] else "global",
                project=row["project_name"] or row["project_id"],
                tags=json.loads(row["tags"]),
                type=row["type"],
                priority=row["priority"],
                anchor=row["anchor"] or None,
                place=places.get(row["rule_id"]),
                needs_review=row["rule_id"] in places and places[row["rule_id"]].state != "ok",
                created_at=row["created_at"],
                updated_at=row["updated_at"],
            )
            for row in known
        ]

    # --- following ------------------------------------------------------------------------

    async def code_changed(self, place: Place, touched: frozenset[str]) -> bool:
        """After a commit of the index: look at the anchors again; whether any rule changed."""
        looked_at = await anchors.follow(self.state, place, touched)
        if looked_at:
            async with self.state.transaction() as tx:
                await anchors.remember(tx, place.checkout_id, looked_at)
        return bool(looked_at)

    async def entries(self, project_id: str | None) -> dict[str, Entry]:
        """What the points of a tenant should be."""
        rows = await self.state.read("SELECT * FROM rules WHERE project_id IS ?", (project_id,))
        return {
            str(row["rule_id"]): entry_of(row["rule_id"], rule_of(row_payload(row)), project_id)
            for row in rows
        }


def _tenant(rule: Rule, place: Place | None) -> str:
    if rule.scope == GLOBAL:
        return GLOBAL
    if place is None:
        raise RuleError("a project's rule needs a project", "Name one with --project.")
    return place.project_id


def _where(project_id: str | None, scope: Scope) -> tuple[str, tuple[Any, ...]]:
    if scope == "all":
        return "1", ()
    if scope == "global" or project_id is None:
        return "r.project_id IS NULL", ()
    if scope == "project":
        return "r.project_id = ?", (project_id,)
    return "(r.project_id IS NULL OR r.project_id = ?)", (project_id,)


def _item(op: str, tenant: str, payload: dict[str, Any]) -> Item:
    kept = {name: value for name, value in payload.items() if name not in ("op", "queue_id")}
    return Item("memory", op, tenant, "memory", kept, priority=RULE_PRIORITY)
