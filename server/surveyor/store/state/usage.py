"""How much is stored of what: entries and bytes, by kind and by project."""

from __future__ import annotations

from typing import NamedTuple

from surveyor.store.state.database import State

PROJECT_KINDS = {
    "code": """SELECT d.project_id, count(*), count(*) * {point} FROM chunks c
        JOIN documents d USING (doc_id) GROUP BY 1""",
    "rules": "SELECT project_id, count(*), sum(length(content)) + count(*) * {point} FROM rules"
    " GROUP BY 1",
    "libraries": """SELECT d.project_id, count(DISTINCT d.document_id),
        coalesce(sum(length(p.text) + {point}), 0) FROM library_documents d
        LEFT JOIN libraries l ON l.name = d.library LEFT JOIN library_pieces p USING (document_id)
        WHERE d.deleted_at IS NULL AND d.evicted_at IS NULL
          AND coalesce(l.kind, '') NOT IN ('package', 'notes', 'sessions') GROUP BY 1""",
    "packages": """SELECT u.project_id, count(DISTINCT u.library),
        coalesce(sum(length(p.text) + {point}), 0) FROM project_packages u
        LEFT JOIN library_documents d ON d.library = u.library
        LEFT JOIN library_pieces p USING (document_id) GROUP BY 1""",
    "notes": """SELECT d.project_id, count(DISTINCT d.document_id),
        coalesce(sum(length(p.text) + {point}), 0) FROM library_documents d
        LEFT JOIN library_pieces p USING (document_id) WHERE d.library = 'notes'
          AND d.deleted_at IS NULL AND d.evicted_at IS NULL GROUP BY 1""",
    "sessions": """SELECT d.project_id, count(DISTINCT d.document_id),
        coalesce(sum(length(p.text) + {point}), 0) FROM library_documents d
        LEFT JOIN library_pieces p USING (document_id) WHERE d.library = 'sessions'
          AND d.deleted_at IS NULL AND d.evicted_at IS NULL GROUP BY 1""",
    "history": """SELECT project_id, count(*),
        sum(length(subject) + length(body) + {point}) FROM commits GROUP BY 1""",
}
"""Project, entries and bytes of each kind. Packages are shared: each project that uses one counts
it."""


class StoredAmount(NamedTuple):
    """Entries, their points and the bytes of their texts."""

    entries: int
    points: int
    text_bytes: int


class ProjectAmount(NamedTuple):
    """What a project has of one kind. `bytes` counts points, too."""

    kind: str
    project_id: str
    """Empty for what belongs to none."""
    entries: int
    bytes: int


async def rules(state: State) -> StoredAmount:
    """All rules."""
    row = await state.one("SELECT count(*), count(*), coalesce(sum(length(content)), 0) FROM rules")
    assert row is not None
    return StoredAmount._make(row)


async def documents_by_kind(state: State) -> list[tuple[str, StoredAmount]]:
    """Documents by the kind of their library."""
    rows = await state.read(
        """SELECT coalesce(l.kind, 'documents') AS kind, count(DISTINCT d.document_id),
             count(p.piece_id), coalesce(sum(length(p.text)), 0)
           FROM library_documents d LEFT JOIN libraries l ON l.name = d.library
           LEFT JOIN library_pieces p USING (document_id) WHERE d.deleted_at IS NULL
           GROUP BY 1 ORDER BY 1"""
    )
    return [(str(row[0]), StoredAmount(row[1], row[2], row[3])) for row in rows]


async def commits(state: State) -> StoredAmount:
    """All commits."""
    row = await state.one(
        "SELECT count(*), count(*), coalesce(sum(length(subject) + length(body)), 0) FROM commits"
    )
    assert row is not None
    return StoredAmount._make(row)


async def by_project(state: State, point_bytes: int) -> list[ProjectAmount]:
    """What each project has of each kind, where a point costs so much beside its text."""
    return [
        ProjectAmount(kind, str(row[0] or ""), int(row[1]), int(row[2]))
        for kind, sql in PROJECT_KINDS.items()
        for row in await state.read(sql.format(point=point_bytes))
    ]


async def database_bytes(state: State) -> int:
    """Size of the database, without what SQLite holds free."""
    pages = await state.one(
        "SELECT (SELECT page_count FROM pragma_page_count()) AS pages,"
        " (SELECT freelist_count FROM pragma_freelist_count()) AS free,"
        " (SELECT page_size FROM pragma_page_size()) AS size"
    )
    assert pages is not None
    return int((pages["pages"] - pages["free"]) * pages["size"])
