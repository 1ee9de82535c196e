"""Every column that holds text from outside: what files, commits, documents and people say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from surveyor.store.state.database import State, Transaction


@dataclass(frozen=True, slots=True)
class TextTable:
    """Columns of a table that hold text from outside, and what names its rows and its points."""

    name: str
    key: str
    texts: tuple[str, ...] = ()
    json: tuple[str, ...] = ()
    point: str = ""
    path: str = "NULL"
    """What says which file a row is of: text is masked as its file is."""


_OF_DOCUMENT = "(SELECT d.path FROM documents d WHERE d.doc_id = {}.doc_id)"

TABLES = (
    TextTable("rules", "rule_id", ("title", "content", "anchor_text"), ("tags",), "rule_id"),
    TextTable("unified_queue", "queue_id", (), ("payload_json",)),
    TextTable(
        "library_documents", "document_id", ("title", "url", "content"), ("topics", "metadata")
    ),
    TextTable("library_pieces", "piece_id", ("text",), ("headings",), "point_id"),
    TextTable("commits", "commit_rowid", ("subject", "body"), ("summary",), "point_id"),
    TextTable(
        "texts",
        "text_hash",
        ("text",),
        path="(SELECT d.path FROM chunks c JOIN documents d USING (doc_id)"
        " WHERE c.text_hash = texts.text_hash LIMIT 1)",
    ),
    TextTable("symbols", "symbol_id", ("signature",), path=_OF_DOCUMENT.format("symbols")),
)


@dataclass(frozen=True, slots=True)
class TextRow:
    """The texts of a row that came from outside, with its key."""

    key: object
    point: str
    """Id of the point that is made from it; empty without one."""
    path: str | None
    """Of its file, where it is of one."""
    texts: tuple[str | None, ...]
    json: tuple[str | None, ...]


async def read_texts(state: State, table: TextTable, after: object, limit: int) -> list[TextRow]:
    """Rows of a table by their keys, those after a key only (None: from the first)."""
    columns = ", ".join((table.key, table.point or "''", table.path, *table.texts, *table.json))
    where = f"WHERE {table.key} > ?" if after is not None else ""
    rows = await state.read(
        f"SELECT {columns} FROM {table.name} {where} ORDER BY {table.key} LIMIT {limit}",
        () if after is None else (after,),
    )
    first_json = 3 + len(table.texts)
    return [
        TextRow(
            key=row[0],
            point=str(row[1]),
            path=row[2],
            texts=tuple(row[3:first_json]),
            json=tuple(row[first_json:]),
        )
        for row in rows
    ]


async def write_texts(tx: Transaction, table: TextTable, rows: Sequence[TextRow]) -> None:
    """Replace what rows hold."""
    sets = ", ".join(f"{column} = ?" for column in (*table.texts, *table.json))
    await tx.many(
        f"UPDATE {table.name} SET {sets} WHERE {table.key} = ?",
        [(*row.texts, *row.json, row.key) for row in rows],
    )
