"""A copy of what nothing could make again, for the day when `state.db` is damaged.

Folders, rules, notes and documents without a file: little beside an index, which the files give
again. The copy is a database of its own, replaced as a whole when one of its rows has changed.
"""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
from contextlib import closing
from pathlib import Path

KEPT: dict[str, tuple[str, str]] = {
    "projects": ("*", "true"),
    "checkouts": ("checkout_id, project_id, root, parent_checkout_id, watched, paused", "true"),
    "settings": ("*", "true"),
    "rules": ("rule_id, project_id, label, anchor, updated_at", "true"),
    "rule_anchors": ("rule_id, checkout_id, state", "true"),
    "libraries": ("name, kind, source, deleted_at", "kind <> 'package'"),
    "library_documents": (
        "document_id, library, project_id, name, updated_at, deleted_at, evicted_at",
        "content IS NOT NULL",
    ),
    "library_pieces": (
        "document_id, count(*), max(piece_id)",
        "document_id IN (SELECT document_id FROM library_documents WHERE content IS NOT NULL)",
    ),
}
"""Tables in the order in which they can be filled: what tells that their rows have changed, and
which rows are copied."""

_GROUPED = {"library_pieces": "GROUP BY document_id"}


def spare_of(path: Path) -> Path:
    """Where the copy of a `state.db` lies."""
    return path.with_name(f"{path.stem}.spare{path.suffix}")


class Spare:
    """The copy of one `state.db`."""

    def __init__(self, path: Path) -> None:
        self.path = spare_of(path)
        self._source = path
        self._copied: bytes | None = None

    def is_missed(self) -> bool:
        """Whether the copy is there, but what it was taken of is empty or gone."""
        if not self.path.exists():
            return False
        return not self._source.exists() or self._source.stat().st_size == 0

    def keep(self) -> None:
        """Copy what has changed since the last time; blocks for milliseconds.

        Raises `OSError` and `sqlite3.Error`; the earlier copy stands then.
        """
        with closing(sqlite3.connect(f"file:{self._source}?mode=ro", uri=True)) as source:
            source.execute("BEGIN")
            now = _digest(source)
            if now == self._copied:
                return
            if self._copied is None and self.path.exists():
                with contextlib.suppress(sqlite3.Error), closing(open_copy(self.path)) as copy:
                    if _digest(copy) == now:
                        self._copied = now
                        return
            _write(source, self.path)
            self._copied = now


def open_copy(path: Path) -> sqlite3.Connection:
    """A database to be read and never written, not even by looking at it."""
    return sqlite3.connect(f"file:{path}?mode=ro", uri=True)


def _digest(connection: sqlite3.Connection) -> bytes:
    digest = hashlib.sha256()
    for table, (columns, condition) in KEPT.items():
        query = f"SELECT {columns} FROM {table} WHERE {condition} {_GROUPED.get(table, '')}"
        for row in connection.execute(f"{query} ORDER BY 1, 2"):
            digest.update(repr(tuple(row)).encode("utf-8", "surrogatepass"))
        digest.update(table.encode())
    return digest.digest()


def _write(source: sqlite3.Connection, path: Path) -> None:
    """A new copy beside the old one, which it then replaces."""
    made = path.with_name(f"{path.name}.new")
    made.unlink(missing_ok=True)
    made.touch(mode=0o600)
    try:
        with closing(sqlite3.connect(made, isolation_level=None)) as copy:
            copy.execute("PRAGMA journal_mode = OFF")
            copy.execute("PRAGMA synchronous = FULL")
            copy.execute("BEGIN")
            for table, (_, condition) in KEPT.items():
                rows = source.execute(f"SELECT * FROM {table} WHERE {condition}")
                columns = ", ".join(f'"{column[0]}"' for column in rows.description)
                copy.execute(f"CREATE TABLE {table} ({columns})")
                marks = ", ".join("?" * len(rows.description))
                copy.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
            copy.execute("COMMIT")
        made.replace(path)
    finally:
        made.unlink(missing_ok=True)
