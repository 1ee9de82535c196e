"""What was gathered, as things that come and go as a whole: their sizes, and what has gone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from surveyor.store.state import settings
from surveyor.store.state.database import State, Transaction

HISTORY_PREFIX = "evicted_history:"
"""Of the keys in `settings`, one for each project."""


class SessionSize(NamedTuple):
    """An agent's session. `dated` is in seconds since 1970."""

    document_id: int
    dated: float
    file_path: str | None
    chunks: int
    text_bytes: int


class PackageSize(NamedTuple):
    """A package. `dated` is when it was read, 0 for one that no project uses."""

    library: str
    source: str | None
    chunks: int
    text_bytes: int
    dated: float


class HistorySize(NamedTuple):
    """The commits of a project. `newest` is in seconds since 1970."""

    project_id: str
    commits: int
    newest: int
    text_bytes: int
    root: str | None
    """Of any checkout."""


class EvictedDocuments(NamedTuple):
    """The documents that were let go of together: where their points are, and which these were."""

    library: str
    kind: str
    point_ids: list[str]


class EvictedRow(NamedTuple):
    """A document or package that was let go of."""

    library: str
    kind: str
    source: str | None
    name: str
    file_path: str | None
    at: str
    dated: float
    reason: str | None
    bytes: int | None


class EvictedHistory(NamedTuple):
    """Older commits of a project that were let go of."""

    project_id: str
    noted: dict[str, Any]
    name: str | None
    is_complete: bool
    """They were read again since."""
    root: str | None


async def session_sizes(state: State, library: str) -> list[SessionSize]:
    """Every session that has not been let go of."""
    rows = await state.read(
        """SELECT d.document_id, d.dated, d.file_path, count(p.piece_id) AS chunks,
             coalesce(sum(length(p.text)), 0) AS bytes
           FROM library_documents d LEFT JOIN library_pieces p USING (document_id)
           WHERE d.library = ? AND d.evicted_at IS NULL GROUP BY d.document_id""",
        (library,),
    )
    return [SessionSize._make(row) for row in rows]


async def package_sizes(state: State) -> list[PackageSize]:
    """Every package that something is stored of."""
    rows = await state.read(
        """SELECT l.name, l.source, count(p.piece_id) AS chunks,
             coalesce(sum(length(p.text)), 0) AS bytes,
             coalesce(unixepoch(l.synced_at), 0) * EXISTS (
               SELECT 1 FROM project_packages u WHERE u.library = l.name) AS dated
           FROM libraries l JOIN library_documents d ON d.library = l.name
           JOIN library_pieces p USING (document_id)
           WHERE l.kind = 'package' GROUP BY l.name"""
    )
    return [PackageSize._make(row) for row in rows]


async def history_sizes(state: State) -> list[HistorySize]:
    """The commits of every project."""
    rows = await state.read(
        """SELECT c.project_id, count(*) AS commits, max(c.committed) AS newest,
             sum(length(c.subject) + length(c.body)) AS bytes,
             (SELECT root FROM checkouts k WHERE k.project_id = c.project_id) AS root
           FROM commits c GROUP BY c.project_id"""
    )
    return [HistorySize._make(row) for row in rows]


async def find_documents(
    state: State, by: Literal["document_id", "library"], value: int | str
) -> EvictedDocuments | None:
    """A document, or all of a library, with their points; None where there are none."""
    documents = f"SELECT document_id FROM library_documents WHERE {by} = ?"
    points = await state.read(
        f"SELECT point_id FROM library_pieces WHERE document_id IN ({documents})", (value,)
    )
    row = await state.one(
        f"""SELECT d.library, l.kind FROM library_documents d
            JOIN libraries l ON l.name = d.library WHERE d.document_id IN ({documents})""",
        (value,),
    )
    if row is None:
        return None
    return EvictedDocuments(row["library"], row["kind"], [str(one[0]) for one in points])


async def evict_documents(
    tx: Transaction,
    by: Literal["document_id", "library"],
    value: int | str,
    at: str,
    noted: Mapping[str, object],
) -> None:
    """Delete the chunks; the rows stay, so that they are listed and not read again unchanged."""
    documents = f"SELECT document_id FROM library_documents WHERE {by} = ?"
    await tx.execute(f"DELETE FROM library_pieces WHERE document_id IN ({documents})", (value,))
    await tx.execute(
        "UPDATE library_documents SET evicted_at = ?,"
        f" metadata = json_set(metadata, '$.evicted', json(?)) WHERE {by} = ?",
        (at, json.dumps(noted), value),
    )


async def evicted_documents(state: State) -> list[EvictedRow]:
    """Documents that were let go of and have not come back; a package counts as one."""
    rows = await state.read(
        """SELECT d.library, coalesce(l.kind, 'documents') AS kind, l.source,
             min(d.name) AS name, min(d.file_path) AS file_path, max(d.evicted_at) AS at,
             max(d.dated) AS dated, json_extract(d.metadata, '$.evicted.reason') AS reason,
             max(json_extract(d.metadata, '$.evicted.bytes')) AS bytes
           FROM library_documents d LEFT JOIN libraries l ON l.name = d.library
           WHERE d.evicted_at IS NOT NULL AND d.deleted_at IS NULL
           GROUP BY CASE WHEN l.kind = 'package' THEN d.library ELSE d.document_id END"""
    )
    return [EvictedRow._make(row) for row in rows]


async def evicted_history_of(state: State, project_id: str) -> dict[str, Any]:
    """What was noted of a project's commits that were let go of; empty without any."""
    value = await settings.value_of(state, HISTORY_PREFIX + project_id)
    return dict(json.loads(value)) if value else {}


async def note_evicted_history(
    tx: Transaction, project_id: str, noted: Mapping[str, object]
) -> None:
    """Note what was let go of a project's commits."""
    await settings.remember(tx, HISTORY_PREFIX + project_id, json.dumps(noted))


async def evicted_histories(state: State) -> list[EvictedHistory]:
    """What was noted of all projects' commits that were let go of."""
    rows = await state.read(
        """SELECT s.key, s.value, p.name, h.complete, c.root FROM settings s
           LEFT JOIN projects p ON p.project_id = substr(s.key, ?2)
           LEFT JOIN history_progress h ON h.project_id = p.project_id
           LEFT JOIN checkouts c ON c.project_id = p.project_id
           WHERE substr(s.key, 1, ?2 - 1) = ?1 GROUP BY s.key""",
        (HISTORY_PREFIX, len(HISTORY_PREFIX) + 1),
    )
    return [
        EvictedHistory(
            str(row["key"]).removeprefix(HISTORY_PREFIX),
            json.loads(row["value"]),
            row["name"],
            bool(row["complete"]),
            row["root"],
        )
        for row in rows
    ]
