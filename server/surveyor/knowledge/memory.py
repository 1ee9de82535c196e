"""Memory rules: writing them through the queue, listing, recalling, and keeping anchors true."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from surveyor.errors import NotFoundError, Quoting
from surveyor.knowledge import anchors
from surveyor.knowledge.anchors import Anchor, AnchorFolder
from surveyor.knowledge.dates import now, stored
from surveyor.knowledge.points import PointEntry, PointHit, Points, point_id
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
from surveyor.knowledge.write_queue import WriteQueue
from surveyor.protocol.enumerations import Mode
from surveyor.protocol.knowledge import AnchorItem, ImportResponse, RuleItem, Written
from surveyor.store.state import State, checkout_roots
from surveyor.store.state import rules as rule_table
from surveyor.store.state.queue import LeasedItem, NewQueueItem
from surveyor.store.state.rules import RuleRow, RuleScopeFilter

RULE_PRIORITY = 8
"""Rules go before files in the queue (seed 000: always high priority)."""


@dataclass(slots=True)
class Memory:
    """Writes, lists and finds rules."""

    state: State
    points: Points
    writes: WriteQueue

    # --- writing --------------------------------------------------------------------------

    async def write(
        self,
        action: Literal["add", "update", "remove", "review"],
        rule: Rule,
        place: AnchorFolder | None,
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
            known = ", ".join(sorted(await rule_table.labels_of(self.state, _project(tenant))))
            where = "globally" if tenant == GLOBAL else "in this project"
            raise NotFoundError(
                f"there is no rule {rule.label!r} {where}",
                Quoting(f"Rules there: {known}.") if known else "There are none there yet.",
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
        self, some: Sequence[Rule], place: AnchorFolder | None, wait_ms: int
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

    async def _anchored_now(self, tenant: str, label: str, place: AnchorFolder | None) -> str:
        """Where a rule's code is, to be accepted as it is."""
        row = place and await rule_table.find_place(self.state, place.checkout_id, tenant, label)
        if not row:
            raise RuleError(
                f"rule {label!r} has no anchor to review",
                "Give it one with `memory update --anchor`.",
            )
        if row.state == "lost":
            raise RuleError(
                f"the code of rule {label!r} is gone: {row.reason}",
                "Give it another anchor with `update --anchor`, or remove the rule.",
            )
        return str(Anchor("symbol", row.path, row.name))

    async def _current(self, tenant: str, label: str) -> dict[str, Any] | None:
        """The rule as it will be once the queue is empty: waiting writes count."""
        waiting = await self.writes.pending("memory", tenant, label=label)
        if waiting:
            return None if waiting[-1]["op"] == "delete" else waiting[-1]
        row = await rule_table.find_rule(self.state, _project(tenant), label)
        return None if row is None else row_payload(row)

    # --- the queue's side -----------------------------------------------------------------

    async def handle(self, item: LeasedItem) -> None:
        """Carry out a queued write; doing it twice changes nothing more."""
        label = str(item.payload["label"])
        await self.writes.earlier_first(item, label=label)
        project_id = await self._project_of(item)
        row = await rule_table.find_rule(self.state, project_id, label)
        space = self.points.space("memory", project_id or GLOBAL)
        if item.op == "delete":
            if row is not None:
                async with self.state.transaction() as tx:
                    await rule_table.delete_rules(tx, project_id, label)
                await self.points.delete(space, [row.rule_id])
            return
        rule = rule_of(item.payload)
        at = now()
        rule_id = row.rule_id if row is not None else point_id("rule", project_id or "", label)
        unchanged = row is not None and same(rule_of(row_payload(row)), rule)
        if row is None and await rule_table.has_rule(self.state, rule_id):
            rule_id = point_id("rule", project_id or "", label, at)
        place = await self._place(item, project_id)
        fresh_anchor = (
            row is None or row.anchor != rule.anchor or bool(item.payload.get("reviewed"))
        )
        anchor = await self._anchor(rule, place) if fresh_anchor else None
        if not unchanged:
            await self.points.put(space, [entry_of(rule_id, rule, project_id)])
        # Writes that wait together are done side by side: the order is that in which they came.
        queued = stored(item.created_at)
        created = rule.created_at or (row.created_at if row is not None else queued)
        async with self.state.transaction() as tx:
            await rule_table.write_rule(
                tx,
                RuleRow(
                    rule_id=rule_id,
                    project_id=project_id,
                    label=label,
                    title=rule.title,
                    content=rule.content,
                    tags=rule.tags,
                    type=rule.type,
                    priority=rule.priority,
                    anchor=rule.anchor,
                    created_at=created,
                    updated_at=row.updated_at if row is not None and unchanged else at,
                ),
            )
            if fresh_anchor:
                stored_anchor = anchors.anchor_row(anchor) if anchor is not None else None
                await rule_table.set_anchor(tx, rule_id, stored_anchor)
                if anchor is not None and place is not None:
                    found = anchors.place_row(rule_id, anchor, "ok")
                    await rule_table.write_places(tx, place.checkout_id, [found])

    async def _project_of(self, item: LeasedItem) -> str | None:
        """The project that an item was meant for, also if its id has changed since."""
        if item.tenant_id == GLOBAL:
            return None
        root = item.payload.get("root")
        found = await checkout_roots.checkout_at(self.state, root) if root else None
        return found.project_id if found is not None else item.tenant_id

    async def _place(self, item: LeasedItem, project_id: str | None) -> AnchorFolder | None:
        found = await checkout_roots.checkout_at_or_of(
            self.state, item.payload.get("root"), project_id
        )
        return AnchorFolder(*found) if found is not None else None

    async def _anchor(self, rule: Rule, place: AnchorFolder | None) -> Anchor | None:
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
        self, project_id: str | None, scope: RuleScopeFilter, place: AnchorFolder | None
    ) -> list[RuleItem]:
        """Rules in the order in which they are injected."""
        rows = await rule_table.rules_in_scope(self.state, project_id, scope)
        return await self._items(rows, place)

    async def recall(
        self,
        query: str,
        project_id: str | None,
        scope: RuleScopeFilter,
        place: AnchorFolder | None,
        *,
        limit: int,
        mode: Mode = "hybrid",
    ) -> tuple[list[tuple[RuleItem, PointHit]], str]:
        """Rules that a query is about, best first; and what may be lacking, in a line."""
        projects = await rule_table.projects_in_scope(self.state, project_id, scope)
        spaces = {
            self.points.space("memory", one or GLOBAL): partial(self.entries, one)
            for one in projects
        }
        found, lacking = await self.points.find(spaces, query, mode=mode)
        rows = await rule_table.rules_among(
            self.state, project_id, scope, [one.id for one in found]
        )
        ids = [row.rule_id for row in rows]
        items = dict(zip(ids, await self._items(rows, place), strict=True))
        best = [one for one in found if one.id in items][:limit]
        for one in best:
            items[one.id].score, items[one.id].confidence = one.score, one.confidence
        return [(items[one.id], one) for one in best], lacking

    async def anchored(self, place: AnchorFolder) -> bool:
        """Whether any rule is anchored in a checkout."""
        # Every search asks: from an index, without a change of thread.
        return rule_table.is_anchored_in(self.state, place.checkout_id)

    async def at(
        self, place: AnchorFolder, path: str, line: int | None, last: int | None = None
    ) -> list[RuleItem]:
        """Rules anchored at a file, at a folder above it, or at what is on some lines of it."""
        found = await rule_table.rules_at(self.state, place.checkout_id, path)
        rows = [
            one.rule
            for one in found
            if line is None
            or one.start_line is None
            or one.end_line is None
            or (one.start_line <= (last or line) and line <= one.end_line)
        ]
        return await self._items(rows, place)

    async def _items(self, rows: Iterable[RuleRow], place: AnchorFolder | None) -> list[RuleItem]:
        places: dict[str, AnchorItem] = {}
        if place is not None:
            places = {
                one.rule_id: AnchorItem(
                    path=one.path,
                    symbol=one.name or None,
                    kind=one.kind,
                    start_line=one.start_line,
                    end_line=one.end_line,
                    state=one.state,
                    reason=one.reason,
                )
                for one in await rule_table.places_in(self.state, place.checkout_id)
            }
        return [
            RuleItem(
                label=row.label,
                title=row.title,
                content=row.content,
                scope="project" if row.project_id else "global",
                project=row.project_name or row.project_id,
                tags=list(row.tags),
                type=row.type,
                priority=row.priority,
                anchor=row.anchor or None,
                place=places.get(row.rule_id),
                needs_review=row.rule_id in places and places[row.rule_id].state != "ok",
                created_at=row.created_at,
                updated_at=row.updated_at,
            )
            for row in rows
        ]

    # --- following ------------------------------------------------------------------------

    async def code_changed(self, place: AnchorFolder, touched: frozenset[str]) -> bool:
        """After a commit of the index: look at the anchors again; whether any rule changed."""
        looked_at = await anchors.follow(self.state, place, touched)
        if looked_at:
            async with self.state.transaction() as tx:
                await rule_table.write_places(tx, place.checkout_id, looked_at)
        return bool(looked_at)

    async def entries(self, project_id: str | None) -> dict[str, PointEntry]:
        """What the points of a tenant should be."""
        return {
            row.rule_id: entry_of(row.rule_id, rule_of(row_payload(row)), project_id)
            for row in await rule_table.rules_of(self.state, project_id)
        }


def _tenant(rule: Rule, place: AnchorFolder | None) -> str:
    if rule.scope == GLOBAL:
        return GLOBAL
    if place is None:
        raise RuleError("a project's rule needs a project", "Name one with --project.")
    return place.project_id


def _project(tenant: str) -> str | None:
    return None if tenant == GLOBAL else tenant


def _item(op: str, tenant: str, payload: dict[str, Any]) -> NewQueueItem:
    kept = {name: value for name, value in payload.items() if name not in ("op", "queue_id")}
    return NewQueueItem("memory", op, tenant, "memory", kept, priority=RULE_PRIORITY)
