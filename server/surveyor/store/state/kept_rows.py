"""What nothing could make again: which rows, how they are encoded, and their digests.

Rows are kept by table and key, as MessagePack. The digest of that lies beside the rows in
`state.db` and beside the copy, so that either can be checked by itself.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import msgspec

DIGEST_BYTES = 16


@dataclass(frozen=True, slots=True)
class KeptTable:
    """A table whose rows are also written to the second copy."""

    name: str
    key: tuple[str, ...]
    """Columns by which rows are kept; rows that share them are kept together."""
    columns: tuple[str, ...]
    """What is kept of a row. What changes all the time and is found out again is left out."""
    noun: str
    """One of its rows, for people."""
    condition: str = "true"
    """Which rows are kept, in terms of the table."""
    order: str = "1"


def _columns(names: str) -> tuple[str, ...]:
    return tuple(names.split())


_MADE_AGAIN = "SELECT document_id FROM library_documents WHERE source = 'package'"

KEPT = {
    table.name: table
    for table in (
        KeptTable("projects", ("project_id",), _columns("project_id name remote created_at"),
                  "project"),
        KeptTable("checkouts", ("checkout_id",),
                  _columns("checkout_id project_id root parent_checkout_id submodule_path"
                           " root_inode watched paused created_at"), "folder"),
        KeptTable("settings", ("key",), _columns("key value"), "setting"),
        KeptTable("rules", ("rule_id",),
                  _columns("rule_id project_id label title content tags type priority anchor"
                           " anchor_kind anchor_path anchor_name anchor_text anchor_hash"
                           " created_at updated_at"), "rule"),
        # Lines change with every edit above them, and are looked up again.
        KeptTable("rule_anchors", ("rule_id", "checkout_id"),
                  _columns("rule_id checkout_id path name state reason"), "anchor"),
        KeptTable("libraries", ("name",), _columns("name kind source mode created_at deleted_at"),
                  "library", "kind <> 'package'"),
        # Those of files, too: the files may be gone by the time they are missed.
        KeptTable("library_documents", ("document_id",),
                  _columns("document_id library project_id name title source file_path url format"
                           " topics metadata content content_hash size mtime_ns dated created_at"
                           " updated_at deleted_at evicted_at problem"), "document",
                  "source <> 'package'"),
        KeptTable("library_pieces", ("document_id",),
                  _columns("piece_id document_id point_id ordinal headings page_number start_line"
                           " end_line text"), "text", f"document_id NOT IN ({_MADE_AGAIN})",
                  "ordinal"),
        # What was answered `queued`: its content may be nowhere else.
        KeptTable("unified_queue", ("queue_id",),
                  _columns("queue_id idempotency_key item_type op tenant_id collection checkout_id"
                           " priority payload_json branch metadata"), "waiting write",
                  "collection <> 'projects' AND (collection = 'memory'"
                  " OR json_extract(payload_json, '$.content') IS NOT NULL)"),
    )
}  # fmt: skip
"""In the order in which they can be filled."""

Key = tuple[str, str]
"""A table, and a JSON array of the values of its key's columns."""


def triggers() -> Iterator[tuple[str, str]]:
    """Statements that report every change of a kept row to the function `kept_touch`, by name.

    They are the connection's own, and see what foreign keys delete, too.
    """
    for table in KEPT.values():
        for event, rows in (("INSERT", ("NEW",)), ("DELETE", ("OLD",)), ("UPDATE", ("OLD", "NEW"))):
            name = f"kept_{table.name}_{event.lower()}"
            of = f" OF {', '.join(table.columns)}" if event == "UPDATE" else ""
            when = ""
            if table.name == "unified_queue":  # nearly all of it is work on projects
                when = f" WHEN {rows[0]}.collection <> 'projects'"
            body = " ".join(
                f"SELECT kept_touch('{table.name}', json_array("
                f"{', '.join(f'{row}.{column}' for column in table.key)}));"
                for row in rows
            )
            yield (
                name,
                f"CREATE TEMP TRIGGER {name} AFTER {event}{of} ON main.{table.name}{when}"
                f" BEGIN {body} END",
            )


def select_one(table: KeptTable) -> str:
    """A query for the kept rows of one key."""
    where = " AND ".join(f"{column} = ?" for column in table.key)
    return (
        f"SELECT {', '.join(table.columns)} FROM main.{table.name}"
        f" WHERE {where} AND ({table.condition}) ORDER BY {table.order}"
    )


def key_values(key: str) -> list[object]:
    """The values of a key's columns."""
    found: list[object] = json.loads(key)
    return found


def encode(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    """Rows, each with its columns' values in order."""
    named = [dict(zip(columns, tuple(row), strict=True)) for row in rows]
    return msgspec.msgpack.encode(named)


def decode(data: bytes) -> list[dict[str, object]]:
    """The rows of a key, by column. Raises `msgspec.DecodeError`."""
    return msgspec.msgpack.decode(data, type=list[dict[str, object]])


def digest_of(data: bytes) -> bytes:
    """What tells that nothing of it has changed."""
    return hashlib.blake2b(data, digest_size=DIGEST_BYTES).digest()


def rows_of(connection: sqlite3.Connection, table: KeptTable) -> Iterator[tuple[str, bytes]]:
    """Every kept row of a table: its key, and what is kept. Raises `sqlite3.Error`."""
    held: list[Sequence[object]] = []
    key = ""
    for now, *row in connection.execute(
        f"SELECT json_array({', '.join(table.key)}), {', '.join(table.columns)}"
        f" FROM main.{table.name} WHERE {table.condition}"
        f" ORDER BY {', '.join((*table.key, table.order))}"
    ):
        if held and now != key:
            yield key, encode(table.columns, held)
            held = []
        key = now if isinstance(now, str) else now.decode(errors="replace")
        held.append(row)
    if held:
        yield key, encode(table.columns, held)


def lenient(data: bytes) -> str | bytes:
    """A `text_factory` for files that may be damaged."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return bytes(data)
