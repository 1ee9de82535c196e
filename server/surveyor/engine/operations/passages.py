"""Reading what is not code: rules, pieces of documents and commits, by id, name or metadata."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Sequence
from typing import Any

from surveyor.engine.app import Engine
from surveyor.engine.operations import Call, operation
from surveyor.engine.projects.registry import Checkout
from surveyor.errors import NotFoundError, UsageError
from surveyor.knowledge.names import below
from surveyor.protocol.passages import PassageRequest, PassagesRequest
from surveyor.protocol.search import RetrieveResponse, Scores, SearchResponse, SearchResult
from surveyor.search.query import understand
from surveyor.search.snippets import allot, snippet

_PIECES = """SELECT p.*, d.name, d.library, d.project_id, d.title, d.file_path, d.url, d.topics,
                    l.kind AS library_kind
             FROM library_pieces p JOIN library_documents d USING (document_id)
             LEFT JOIN libraries l ON l.name = d.library
             WHERE d.deleted_at IS NULL AND d.evicted_at IS NULL
               AND (d.project_id IS NULL OR d.project_id = ?)"""


@operation(PassagesRequest)
async def passages(engine: Engine, request: PassagesRequest, _: Call) -> SearchResponse:
    """Rules first, then documents; a page at a time. Raises `UsageError` without any filter."""
    started = time.perf_counter()
    if not (request.tags or request.labels or request.libraries):
        raise UsageError("nothing to look for", "Give tags, labels or libraries.")
    checkout = await engine.resolve(request.cwd, request.project)
    found = [] if request.libraries else await _rules(engine, request, checkout)
    found += [] if request.labels else await _pieces(engine, request, checkout)
    page = found[request.offset : request.offset + request.limit]
    budgets = allot([each.snippet for each in page], request.token_budget)
    for each, budget in zip(page, budgets, strict=True):
        cut = snippet(each.snippet, understand(""), budget)
        each.snippet, each.truncated = cut.text, cut.truncated
    left = max(0, len(found) - request.offset - len(page))
    fresh = await engine.freshness(checkout)
    return SearchResponse(
        results=page,
        took_ms=round((time.perf_counter() - started) * 1000, 2),
        omitted=left,
        omitted_hint=f"offset={request.offset + len(page)}" if left else None,
        **fresh.freshness(),
    )


async def _rules(
    engine: Engine, request: PassagesRequest, checkout: Checkout
) -> list[SearchResult]:
    rows = await engine.state.read(
        """SELECT * FROM rules WHERE project_id IS NULL OR project_id = ?
           ORDER BY project_id IS NOT NULL, label""",
        (checkout.project_id,),
    )
    wanted = set(request.tags)
    return [
        SearchResult(
            path=f"rules/{'project' if row['project_id'] else 'global'}/{row['label']}",
            start_line=1,
            end_line=row["content"].count("\n") + 1,
            kind="rule",
            snippet=row["content"],
            project=checkout.name if row["project_id"] else "",
            id=row["rule_id"],
            source="rules",
            file_type="note",
            title=f"{row['label']}: {row['title']}" if row["title"] else row["label"],
            **_unranked(),
        )
        for row in rows
        if (not wanted or wanted & set(json.loads(row["tags"])))
        and (not request.labels or row["label"] in request.labels)
    ]


async def _pieces(
    engine: Engine, request: PassagesRequest, checkout: Checkout
) -> list[SearchResult]:
    condition, parameters = "", [checkout.project_id]
    if request.libraries:
        condition = f" AND ({' OR '.join(below('d.name') for _ in request.libraries)})"
        for name in request.libraries:
            parameters += [name, f"{name}."]
    rows = await engine.state.read(
        f"{_PIECES}{condition} ORDER BY d.name, d.document_id, p.ordinal", parameters
    )
    wanted = set(request.tags)
    return [_piece(row) for row in rows if not wanted or wanted & set(json.loads(row["topics"]))]


def _piece(row: sqlite3.Row) -> SearchResult:
    is_note = row["library_kind"] in ("notes", "sessions")
    return SearchResult(
        path=_place(row),
        start_line=row["start_line"] or 1,
        end_line=row["end_line"] or row["start_line"] or 1,
        kind="note" if is_note else "document",
        snippet=row["text"],
        project=row["library"],
        id=row["point_id"],
        source="notes" if is_note else "libraries",
        file_type="note" if is_note else "doc",
        container=" > ".join(json.loads(row["headings"])) or None,
        title=row["title"],
        **_unranked(),
    )


def _place(row: sqlite3.Row) -> str:
    """A document's place, as search results show it."""
    name = f"{row['project_id']}.{row['name']}" if row["project_id"] else row["name"]
    return str(row["file_path"] or row["url"] or name)


def _unranked() -> dict[str, Any]:
    return {
        "language": None,
        "symbol": None,
        "score": 0.0,
        "confidence": 1.0,
        "scores": Scores(),
        "branch": None,
    }


# --- one of them ----------------------------------------------------------------------------


@operation(PassageRequest)
async def passage(engine: Engine, request: PassageRequest, _: Call) -> RetrieveResponse:
    """One text. Raises `NotFoundError`."""
    if request.id is not None:
        return await _by_id(engine, request.id)
    if request.path is None:
        raise UsageError("neither id nor path given", "Give one of them.")
    checkout = await engine.resolve(request.cwd, request.project)
    rows = await engine.state.read(
        f"""{_PIECES} AND ? IN (d.name, d.file_path, d.url, d.project_id || '.' || d.name)
            ORDER BY d.updated_at DESC, d.document_id, p.ordinal""",
        (checkout.project_id, request.path),
    )
    if not rows:
        raise NotFoundError(f"no document is called {request.path}", "Search in=libraries.")
    newest = [row for row in rows if row["document_id"] == rows[0]["document_id"]]
    lines = [line for row in newest for line in row["text"].splitlines()]
    if request.start_line > len(lines):
        raise UsageError(f"{request.path} has {len(lines)} lines", "Ask for fewer.")
    last = min(request.end_line or len(lines), len(lines))
    return RetrieveResponse(
        path=request.path,
        root="",
        start_line=request.start_line,
        end_line=last,
        total_lines=len(lines),
        text="\n".join(lines[request.start_line - 1 : last]),
    )


async def _by_id(engine: Engine, key: str) -> RetrieveResponse:
    row = await engine.state.one(
        """SELECT p.text, p.start_line, d.* FROM library_pieces p
           JOIN library_documents d USING (document_id) WHERE p.point_id = ?""",
        (key,),
    )
    if row is not None:
        return _whole(_place(row), row["text"].splitlines(), row["start_line"] or 1)
    row = await engine.state.one("SELECT label, content FROM rules WHERE rule_id = ?", (key,))
    if row is not None:
        return _whole(f"rules/{row['label']}", row["content"].splitlines())
    row = await engine.state.one("SELECT * FROM commits WHERE commit_id = ?", (key,))
    if row is not None:
        touched = await engine.state.read(
            "SELECT path, status FROM commit_files WHERE commit_rowid = ? ORDER BY path",
            (row["commit_rowid"],),
        )
        lines = [row["subject"], *row["body"].splitlines()]
        return _whole(key, [*lines, *(f"{each['status']} {each['path']}" for each in touched)])
    raise NotFoundError(
        f"nothing has the id {key}", "It may have changed since: search again, or give a path."
    )


def _whole(path: str, lines: Sequence[str], first: int = 1) -> RetrieveResponse:
    return RetrieveResponse(
        path=path,
        root="",
        start_line=first,
        end_line=first + max(0, len(lines) - 1),
        total_lines=len(lines),
        text="\n".join(lines),
    )
