"""The engine's side of agents: the relay to the MCP server, and chunks by metadata."""

from __future__ import annotations

import asyncio
import importlib
import socket
import sys
import time
from typing import Any

from surveyor.engine.agents import handshake
from surveyor.engine.agents.address import announce
from surveyor.engine.agents.agent import Agent
from surveyor.engine.agents.session_folders import Origin
from surveyor.engine.app import Engine
from surveyor.engine.operations import Call, operation
from surveyor.engine.operations.search import languages_meant
from surveyor.engine.process.sessions import Session
from surveyor.errors import UsageError
from surveyor.files.globs import PatternError, check_all, rules_spec
from surveyor.protocol.passages import ChunksRequest
from surveyor.protocol.search import Scores, SearchResponse, SearchResult
from surveyor.search.query import understand
from surveyor.search.rows import exists_in
from surveyor.search.scope import Place
from surveyor.search.snippets import allot, snippet

SERVING = "surveyor.engine.agents.server"

PRELOAD_DELAY_S = 2.0
"""The MCP SDK takes 0.6-0.9 s to import: done when the engine has started, not for an agent."""
PRELOAD_QUIET_S = 1.0
PRELOAD_AT_LATEST_S = 60.0
"""So long it waits for what is being indexed, and for a second without a question: importing takes
a core from the one, and the interpreter from the other."""


async def attach(engine: Engine) -> None:
    """Serve agents: over the session socket always, over HTTP where configured."""

    async def relay(
        session: Session, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        origin: Origin = "implied" if session.hello.roots_implied else "named"
        agent = Agent(engine, session, session.hello.roots, origin)
        first, answered = await reader.readline(), None
        opening = handshake.opening_of(first)
        roots_follow = opening is not None and opening.params.capabilities.get("roots") is not None
        await agent.open_own_roots(roots_follow=roots_follow)
        if opening is not None and SERVING not in sys.modules:
            answered = await _greet(agent, opening, writer)
        serving = await asyncio.to_thread(importlib.import_module, SERVING)
        await serving.serve(agent, reader, writer, first=first, answered=answered)

    engine.relays["mcp"] = relay
    listening = announce(engine)
    engine.spawn(_preload(engine, listening))


async def _greet(
    agent: Agent, opening: handshake.Opening, writer: asyncio.StreamWriter
) -> int | str:
    """Answer a handshake before the SDK is there to do it; the id of what was answered."""
    writer.write(handshake.answer(opening, await agent.instructions()))
    await writer.drain()
    return opening.id


async def _preload(engine: Engine, listening: socket.socket | None) -> None:
    if listening is not None:  # somebody may be waiting there
        serving = await asyncio.to_thread(importlib.import_module, SERVING)
        await serving.serve_http(engine, listening)
        return
    while engine.starting:
        await asyncio.sleep(0.1)
    await asyncio.sleep(PRELOAD_DELAY_S)
    deadline = time.monotonic() + PRELOAD_AT_LATEST_S
    while time.monotonic() < deadline:
        busy = engine.pool.busy or engine.pipeline.running
        if not busy and engine.untouched_s > PRELOAD_QUIET_S:
            break
        await asyncio.sleep(0.5)
    await asyncio.to_thread(importlib.import_module, SERVING)


def _among(rows: list[Any], patterns: list[str]) -> list[Any]:
    """Rows whose paths gitignore's patterns match. Raises `UsageError`."""
    try:
        check_all(patterns)
        chosen = rules_spec(patterns)
    except PatternError as error:
        raise UsageError(f"a path pattern cannot be read: {error}", "Use `*`, `**`, `?`.") from None
    return [row for row in rows if chosen.match_file(row["path"])]


@operation(ChunksRequest)
async def chunks(engine: Engine, request: ChunksRequest, _: Call) -> SearchResponse:
    """Chunks that match all filters, by path and line, a page at a time."""
    started = time.perf_counter()
    checkout = await engine.resolve(request.cwd, request.project)
    other = request.branch if request.branch not in (None, checkout.branch) else None
    place = Place(
        checkout_id=checkout.checkout_id,
        project_id=checkout.project_id,
        root=checkout.root,
        project=checkout.name,
        branch=checkout.branch,
        space=engine.pipeline.space(checkout.project_id),
        other_branch=other,
    )
    within, parameters_within = exists_in(place)
    conditions = [within]
    parameters: list[Any] = [*parameters_within]
    for column, values in (
        ("lower(d.language)", languages_meant(request.languages)),
        ("d.file_type", request.types),
    ):
        if values:
            conditions.append(f"{column} IN ({','.join('?' * len(values))})")
            parameters += values
    if request.kinds:
        marks = ",".join("?" * len(request.kinds))
        conditions.append(f"EXISTS (SELECT 1 FROM json_each(c.kinds) WHERE value IN ({marks}))")
        parameters += request.kinds
    rows = await engine.state.read(
        f"""SELECT c.*, d.path, d.language, d.file_type, t.text FROM chunks c
            JOIN documents d USING (doc_id)
            LEFT JOIN texts t ON t.text_hash = c.text_hash
            WHERE {" AND ".join(conditions)} ORDER BY d.path, c.doc_id, c.ordinal""",
        parameters,
    )
    if request.paths:
        rows = await asyncio.to_thread(_among, rows, request.paths)
    page = rows[request.offset : request.offset + request.limit]
    budgets = allot([row["text"] or "" for row in page], request.token_budget)
    results = []
    for row, budget in zip(page, budgets, strict=True):
        cut = snippet(row["text"] or "", understand(""), budget)
        results.append(
            SearchResult(
                path=row["path"],
                start_line=row["start_line"],
                end_line=row["end_line"],
                language=row["language"] or None,
                kind=row["kind"],
                symbol=row["symbol_name"] or None,
                score=0.0,
                confidence=1.0,
                scores=Scores(),
                snippet=cut.text,
                truncated=cut.truncated,
                project=checkout.name,
                branch=checkout.branch if other is None else None if other == "*" else other,
                id=row["point_id"],
                root=checkout.root,
                file_type=row["file_type"],
                container=row["parent_symbol"] or None,
                signature=row["signature"] or None,
            )
        )
    fresh = await engine.freshness(checkout)
    left = max(0, len(rows) - request.offset - len(page))
    return SearchResponse(
        results=results,
        took_ms=round((time.perf_counter() - started) * 1000, 2),
        omitted=left,
        omitted_hint=f"offset={request.offset + len(page)}" if left else None,
        branch=other or checkout.branch,
        **fresh.freshness(),
    )
