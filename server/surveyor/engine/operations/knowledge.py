"""Rules and libraries: writing, listing, recalling, and searching them beside the code."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Literal

from surveyor.engine.operations import Caller, operation
from surveyor.engine.operations.checkout_finder import CheckoutFinder
from surveyor.engine.operations.engine_callables import CorpusAnswer
from surveyor.engine.projects.checkouts import Checkout
from surveyor.errors import NotFoundError, SurveyorError
from surveyor.knowledge import rules as formats
from surveyor.knowledge.anchors import AnchorFolder
from surveyor.knowledge.memory import Memory
from surveyor.knowledge.rule_rows import plain_rules
from surveyor.knowledge.rules import Rule
from surveyor.knowledge.service import Knowledge
from surveyor.paths import real_path
from surveyor.protocol.knowledge import (
    ImportResponse,
    MemoryExportRequest,
    MemoryImportRequest,
    MemoryInjectRequest,
    MemoryListRequest,
    MemoryRecallRequest,
    MemoryWriteRequest,
    RefreshRequest,
    RefreshResponse,
    RuleItem,
    RulesAtRequest,
    RulesResponse,
    TextResponse,
    WriteWaitRequest,
    Written,
)
from surveyor.protocol.search import Scores, SearchRequest, SearchResult

log = logging.getLogger(__name__)

KEEP_S = 20.0
"""How often notes, libraries, derived points and limits are looked at."""
START_POLL_S = 0.2
RULE_LINE_CHARS = 160
PLAUSIBLE = 0.1
"""Confidence below which a rule hardly has anything to do with a query."""
NEAREST_RULES = 3


class KnowledgeOperations:
    """Looking after all that is kept beside the code."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge

    @operation(RefreshRequest)
    async def knowledge_refresh(self, request: RefreshRequest, _: Caller) -> RefreshResponse:
        """Look at folders, notes and sessions now, read what changed, and keep the limits."""
        restored = await self._knowledge.retention.restore()
        before = await self._knowledge.scan()
        done = await self._knowledge.settled(request.wait_ms / 1000)
        evicted = await self._knowledge.maintain() if done else 0
        return RefreshResponse(
            status="done" if done else "queued", changed=before, evicted=evicted,
            restored=restored, usage=await self._knowledge.retention.usage(),
        )  # fmt: skip

    @operation(WriteWaitRequest)
    async def write_wait(self, request: WriteWaitRequest, _: Caller) -> Written:
        """Whether queued writes have been carried out, waiting for them a while."""
        done = await self._knowledge.writes.wait(request.queue_ids, request.wait_ms / 1000)
        first = request.queue_ids[0] if request.queue_ids else None
        return Written(status="done" if done else "queued", queue_id=first)

    async def maintain(self, is_starting: Callable[[], bool]) -> None:
        """Look at notes and libraries, mend what is derived, and keep the limits; now and then.

        Never returns.
        """
        while is_starting():
            await asyncio.sleep(START_POLL_S)
        while True:
            try:
                await self._knowledge.maintain()
            except SurveyorError as error:
                log.warning("%s", error.message)
            except Exception:
                log.exception("knowledge could not be looked after")
            await asyncio.sleep(KEEP_S)


class RuleOperations:
    """Rules: writing, listing, recalling, and searching them beside the code."""

    def __init__(
        self,
        memory: Memory,
        places: CheckoutFinder,
        checkout: Callable[[str], Awaitable[Checkout]],
    ) -> None:
        self._memory = memory
        self._places = places
        self._checkout = checkout

    @operation(MemoryWriteRequest)
    async def memory_write(self, request: MemoryWriteRequest, _: Caller) -> Written:
        """Add, update, remove or review a rule, through the queue."""
        place = None
        if request.scope == "project":
            place = await self._places.registered(request.cwd, request.project)
        given = {
            "content": request.content,
            "title": request.title,
            "tags": None if request.tags is None else tuple(request.tags),
            "type": request.type,
            "priority": request.priority,
            "anchor": request.anchor,
        }
        fields = {name: value for name, value in given.items() if value is not None}
        rule = Rule(
            label=request.label.strip(),
            scope=request.scope,
            **{"content": "", **fields},  # type: ignore[arg-type]
        )
        return await self._memory.write(
            request.action, rule, place, frozenset(fields), request.wait_ms
        )

    @operation(MemoryListRequest)
    async def memory_list(self, request: MemoryListRequest, _: Caller) -> RulesResponse:
        """Rules in the order in which they are injected."""
        place = await self._asked_place(request)
        project_id = place.project_id if place else None
        items = await self._memory.listed(project_id, request.scope, place)
        return RulesResponse(rules=items)

    async def _asked_place(
        self, request: MemoryListRequest | MemoryRecallRequest | MemoryExportRequest
    ) -> AnchorFolder | None:
        """Whose rules are meant. Raises `NotFoundError` where a project's are and it is none."""
        if request.scope == "project":
            return await self._places.of(request.cwd, request.project)
        return await self._places.known(request.cwd, request.project)

    @operation(MemoryRecallRequest)
    async def memory_recall(self, request: MemoryRecallRequest, _: Caller) -> RulesResponse:
        """Rules that a query is about, best first."""
        place = await self._asked_place(request)
        found, lacking = await self._memory.recall(
            request.query,
            place.project_id if place else None,
            request.scope,
            place,
            limit=request.limit,
        )
        # Where nothing is about it, what is nearest is still worth a look.
        about = [item for item, hit in found if hit.confidence >= PLAUSIBLE]
        rules = about or [item for item, _ in found[:NEAREST_RULES]]
        return RulesResponse(rules=rules, notice=lacking or None)

    @operation(RulesAtRequest)
    async def rules_at(self, request: RulesAtRequest, _: Caller) -> RulesResponse:
        """Rules anchored at a file, or at what is on a line of it."""
        path = Path(request.path)
        try:
            place = await self._places.of(str(path.parent), None)
            relative = real_path(path).relative_to(place.root).as_posix()
        except (NotFoundError, ValueError):
            return RulesResponse(rules=[])
        items = await self._memory.at(place, relative, request.line)
        return RulesResponse(rules=items)

    @operation(MemoryExportRequest)
    async def memory_export(self, request: MemoryExportRequest, _: Caller) -> TextResponse:
        """Rules as Markdown or JSON."""
        place = await self._asked_place(request)
        items = await self._memory.listed(place.project_id if place else None, request.scope, place)
        write = formats.to_json if request.format == "json" else formats.to_markdown
        return TextResponse(text=write(plain_rules(items)))

    @operation(MemoryImportRequest)
    async def memory_import(self, request: MemoryImportRequest, _: Caller) -> ImportResponse:
        """Rules of an export, through the queue."""
        rules = formats.parse(request.text)
        if request.scope is not None:
            rules = [with_scope(one, request.scope) for one in rules]
        place = None
        if any(one.scope == "project" for one in rules):
            place = await self._places.registered(request.cwd, request.project)
        return await self._memory.bring_in(rules, place, request.wait_ms)

    @operation(MemoryInjectRequest)
    async def memory_inject(self, request: MemoryInjectRequest, _: Caller) -> TextResponse:
        """The rules that apply here, for an agent's session start."""
        place = await self._places.known(request.cwd, request.project)
        items = await self._memory.listed(place.project_id if place else None, request.scope, place)
        name = ""
        if place is not None:
            name = (await self._checkout(place.checkout_id)).name
        limit = request.max_chars or formats.INJECTION_MAX_CHARS
        return TextResponse(text=formats.injection(plain_rules(items), name, max_chars=limit))

    async def name_rules(self, results: list[SearchResult], checkouts: Sequence[Checkout]) -> None:
        """Let results of code say which rules are anchored to it."""
        for checkout in checkouts:
            place = AnchorFolder(checkout.checkout_id, checkout.project_id, checkout.root)
            if not await self._memory.anchored(place):
                continue
            for result in results:
                if result.root != checkout.root:
                    continue
                items = await self._memory.at(
                    place, result.path, result.start_line, result.end_line
                )
                result.rules = [_in_a_line(item) for item in items]

    async def find(self, request: SearchRequest, checkouts: Sequence[Checkout]) -> CorpusAnswer:
        """Rules as search results: where they are anchored, else by label."""
        results: dict[str, SearchResult] = {}
        lacks = ""
        asked: list[Checkout | None] = [*checkouts] or [None]
        for checkout in asked:
            place = (
                AnchorFolder(checkout.checkout_id, checkout.project_id, checkout.root)
                if checkout
                else None
            )
            scope: Literal["current", "all"] = "all" if request.scope == "all" else "current"
            found, lacking = await self._memory.recall(
                request.query,
                checkout.project_id if checkout else None,
                scope,
                place,
                limit=request.limit,
                mode=request.mode,
            )
            lacks = lacks or lacking
            for item, hit in found:
                if request.tags and not set(request.tags) & set(item.tags):
                    continue
                if hit.confidence >= (request.score_threshold or 0.0) and hit.id not in results:
                    results[hit.id] = _rule_result(item, hit.id, hit.score, checkout)
                    results[hit.id].scores = Scores(dense=hit.dense, sparse=hit.sparse)
        best = sorted(results.values(), key=lambda one: (-one.score, one.path))
        return CorpusAnswer(best[: request.limit], lacks)


def with_scope(rule: Rule, scope: Literal["global", "project"]) -> Rule:
    """The same rule in another scope."""
    fields = {name: getattr(rule, name) for name in Rule.__slots__}
    return Rule(**{**fields, "scope": scope})


def _in_a_line(item: RuleItem) -> str:
    text = " ".join((item.title or item.content).split())
    short = text if len(text) <= RULE_LINE_CHARS else text[: RULE_LINE_CHARS - 1] + "…"
    return f"{item.label}: {short}" + (
        " (review: the code has changed)" if item.needs_review else ""
    )


def _rule_result(item: RuleItem, key: str, score: float, checkout: Checkout | None) -> SearchResult:
    where = item.place
    return SearchResult(
        path=where.path if where else f"rules/{item.scope}/{item.label}",
        start_line=(where.start_line or 1) if where else 1,
        end_line=(where.end_line or 1) if where else item.content.count("\n") + 1,
        language=None,
        kind="rule",
        symbol=where.symbol if where else None,
        score=score,
        confidence=item.confidence or 0.0,
        scores=Scores(),
        snippet=item.content,
        project=item.project or "",
        branch=None,
        id=key,
        root=checkout.root if checkout and where else "",
        source="rules",
        file_type="note",
        title=f"{item.label}: {item.title}" if item.title else item.label,
    )
