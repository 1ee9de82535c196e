"""Reading what is not code by id, name or metadata: rules, pieces of documents, commits."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from surveyor.store.state.database import State

_PIECES = """SELECT p.*, d.name, d.library, d.project_id, d.title, d.file_path, d.url, d.topics,
                    l.kind AS library_kind
             FROM library_pieces p JOIN library_documents d USING (document_id)
             LEFT JOIN libraries l ON l.name = d.library
             WHERE d.deleted_at IS NULL AND d.evicted_at IS NULL
               AND (d.project_id IS NULL OR d.project_id = ?)"""

_HASH = re.compile(r"[0-9a-f]{7,64}")
"""Of a commit, also shortened, as texts show it."""


class RuleText(NamedTuple):
    """A rule as it is read."""

    rule_id: str
    project_id: str | None
    label: str
    title: str
    content: str
    tags: list[str]


class DocumentPassage(NamedTuple):
    """A piece of a document, with what its document is called."""

    point_id: str
    document_id: int
    text: str
    start_line: int | None
    end_line: int | None
    headings: list[str]
    library: str
    is_note: bool
    title: str
    topics: list[str]
    place: str
    """The file, address or name of its document."""

    @classmethod
    def of(cls, row: sqlite3.Row) -> DocumentPassage:
        """From a row of `_PIECES`."""
        return cls(
            point_id=row["point_id"],
            document_id=row["document_id"],
            text=row["text"],
            start_line=row["start_line"],
            end_line=row["end_line"],
            headings=json.loads(row["headings"]),
            library=row["library"],
            is_note=row["library_kind"] in ("notes", "sessions"),
            title=row["title"],
            topics=json.loads(row["topics"]),
            place=_place(row),
        )


class Passage(NamedTuple):
    """One text, by its id."""

    path: str
    lines: list[str]
    start_line: int = 1


def _place(row: sqlite3.Row) -> str:
    """A document's place, as search results show it."""
    name = f"{row['project_id']}.{row['name']}" if row["project_id"] else row["name"]
    return str(row["file_path"] or row["url"] or name)


async def rules_of(state: State, project_id: str) -> list[RuleText]:
    """The global rules, then a project's, each by label."""
    rows = await state.read(
        """SELECT * FROM rules WHERE project_id IS NULL OR project_id = ?
           ORDER BY project_id IS NOT NULL, label""",
        (project_id,),
    )
    return [
        RuleText(
            row["rule_id"],
            row["project_id"],
            row["label"],
            row["title"],
            row["content"],
            json.loads(row["tags"]),
        )
        for row in rows
    ]


async def pieces_of(state: State, project_id: str, names: Sequence[str]) -> list[DocumentPassage]:
    """Pieces of the documents that a project sees, by document and place.

    Only of documents with one of some names or below one of them, where names are given.
    """
    condition, parameters = "", [project_id]
    if names:
        below = "(d.name = ? OR instr(d.name, ?) = 1)"
        condition = f" AND ({' OR '.join(below for _ in names)})"
        for name in names:
            parameters += [name, f"{name}."]
    rows = await state.read(
        f"{_PIECES}{condition} ORDER BY d.name, d.document_id, p.ordinal", parameters
    )
    return [DocumentPassage.of(row) for row in rows]


async def document_called(state: State, project_id: str, name: str) -> list[DocumentPassage]:
    """The pieces of the newest document with a name, file or address, in order."""
    rows = await state.read(
        f"""{_PIECES} AND ? IN (d.name, d.file_path, d.url, d.project_id || '.' || d.name)
            ORDER BY d.updated_at DESC, d.document_id, p.ordinal""",
        (project_id, name),
    )
    pieces = [DocumentPassage.of(row) for row in rows]
    return [each for each in pieces if each.document_id == pieces[0].document_id]


async def passage_with(state: State, key: str) -> Passage | None:
    """The piece of a document, rule or commit that has an id; None for none."""
    row = await state.one(
        """SELECT p.text, p.start_line, d.* FROM library_pieces p
           JOIN library_documents d USING (document_id) WHERE p.point_id = ?""",
        (key,),
    )
    if row is not None:
        return Passage(_place(row), row["text"].splitlines(), row["start_line"] or 1)
    row = await state.one("SELECT label, content FROM rules WHERE rule_id = ?", (key,))
    if row is not None:
        return Passage(f"rules/{row['label']}", row["content"].splitlines())
    row = await _commit(state, key)
    if row is None:
        return None
    touched = await state.read(
        "SELECT path, status FROM commit_files WHERE commit_rowid = ? ORDER BY path",
        (row["commit_rowid"],),
    )
    lines = [row["subject"], *row["body"].splitlines()]
    return Passage(
        row["commit_id"], [*lines, *(f"{each['status']} {each['path']}" for each in touched)]
    )


async def _commit(state: State, key: str) -> sqlite3.Row | None:
    """The commit with a hash, or the only one whose hash begins so; None for none or several."""
    if not _HASH.fullmatch(key):
        return None
    rows = await state.read(
        """SELECT * FROM commits WHERE commit_id >= ?1 AND commit_id < ?1 || 'g'
           GROUP BY commit_id LIMIT 2""",
        (key,),
    )
    return rows[0] if len(rows) == 1 else None
