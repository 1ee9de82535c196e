"""The second copy of what nothing could make again, for the day when `state.db` is damaged.

Folders, rules, notes and documents: little beside an index, which the files give again. The copy is
a database of its own. Every transaction that changes a kept row is in it, synced, before it is
answered; a number that both count up tells which of them was left behind by a kill or a power cut.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from surveyor.store.state import kept_rows
from surveyor.store.state.kept_rows import KEPT, KeptTable, Key

log = logging.getLogger(__name__)

FORMAT = 2
"""`PRAGMA user_version` of the copy. The first format had tables like those of `state.db`."""
BUSY_TIMEOUT_MS = 5_000

_SCHEMA = """
CREATE TABLE IF NOT EXISTS kept (
    tbl    TEXT NOT NULL,
    key    TEXT NOT NULL,
    number INTEGER NOT NULL, -- of the transaction that wrote it
    digest BLOB NOT NULL,    -- of data
    data   BLOB,             -- MessagePack; NULL: deleted
    PRIMARY KEY (tbl, key)
);
CREATE TABLE IF NOT EXISTS progress (
    only_one INTEGER PRIMARY KEY CHECK (only_one = 1),
    number   INTEGER NOT NULL
);
"""
_PUT = "INSERT OR REPLACE INTO kept (tbl, key, number, digest, data) VALUES (?, ?, ?, ?, ?)"
_COUNT = "INSERT OR REPLACE INTO progress (only_one, number) VALUES (1, ?)"


def spare_of(path: Path) -> Path:
    """Where the copy of a `state.db` lies."""
    return path.with_name(f"{path.stem}.spare{path.suffix}")


def files_of(path: Path) -> list[Path]:
    """A database and what SQLite keeps beside it."""
    return [path.with_name(path.name + suffix) for suffix in ("", "-wal", "-shm")]


def set_aside(path: Path) -> Path:
    """Rename a damaged database with what lies beside it; returns where it lies now."""
    kept_as = path.with_name(f"{path.name}.damaged-{time.strftime('%Y%m%d-%H%M%S')}")
    for source, target in zip(files_of(path), files_of(kept_as), strict=True):
        if source.exists():
            source.rename(target)
    return kept_as


@dataclass(frozen=True, slots=True)
class KeyChange:
    """A key's new data; None where its row was deleted."""

    key: Key
    data: bytes | None
    """None: it is gone."""

    @property
    def values(self) -> list[object]:
        """Values of the key's columns."""
        return kept_rows.key_values(self.key[1])

    @property
    def digest(self) -> bytes:
        """Of the data; of nothing where there are none."""
        return kept_rows.digest_of(self.data or b"")


class SecondCopy:
    """The copy of one `state.db`; every call blocks, and one is made at a time."""

    def __init__(self, path: Path) -> None:
        self.path = spare_of(path)
        self._source = path
        self._open: sqlite3.Connection | None = None
        self._guard = threading.Lock()

    def is_missed(self) -> bool:
        """Whether the copy is there, but what it was taken of is empty or gone."""
        if not self.path.exists():
            return False
        return not self._source.exists() or self._source.stat().st_size == 0

    def write(self, changes: Iterable[KeyChange], number: int) -> None:
        """Have the changes of a transaction on the disk. Raises `OSError` and `sqlite3.Error`."""
        with self._guard:
            if not self.path.exists():  # somebody has removed it
                self._release()
            connection = self._connection()
            connection.execute("BEGIN IMMEDIATE")
            try:
                connection.executemany(
                    _PUT, [(*each.key, number, each.digest, each.data) for each in changes]
                )
                connection.execute(_COUNT, (number,))
                connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
                raise

    def compact(self) -> None:
        """Write it anew, so that what was replaced is in no page. Raises as `write` does."""
        with self._guard:
            connection = self._connection()
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def bring_together(self) -> list[str]:
        """Have both hold the same, whichever was left behind; says what was brought back.

        A copy that is damaged or of an earlier version is made anew. Raises `OSError` and
        `sqlite3.Error` when `state.db` cannot be read or one of them cannot be written.
        """
        with self._guard, closing(_source(self._source)) as source:
            number = number_of(source, "kept_progress")
            there = self._number()
            if there is None:
                if number is not None or _has_rows(source):
                    changes = self._make(source, number)
                    if number is None:  # the first that there is
                        source.execute("BEGIN IMMEDIATE")
                        note_digests(source, changes, 1)
                        source.execute("COMMIT")
            elif number is not None and there > number:
                return self._replay(source, number, there)
            elif number != there:
                self._follow(source, number or 0)
        return []

    def fall_back(self) -> None:
        """Forget a transaction that `state.db` refused after all. Raises as `bring_together`."""
        with self._guard, closing(_source(self._source)) as source:
            self._follow(source, number_of(source, "kept_progress") or 0)

    def make_anew(self) -> None:
        """Set a copy that cannot be written aside, and replace it. Raises as `bring_together`."""
        with self._guard, closing(_source(self._source)) as source:
            self._release()
            if self.path.exists():
                log.warning("%s cannot be written: kept as %s", self.path, set_aside(self.path))
            self._make(source, number_of(source, "kept_progress"))

    def problem(self) -> str:
        """What is wrong with the copy; empty when every row is what was written."""
        try:
            with closing(open_copy(self.path)) as connection:
                sound = [row[0] for row in connection.execute("PRAGMA quick_check(1)")]
                if sound != ["ok"]:
                    return str(sound[0])
                for table, key, digest, data in connection.execute(
                    "SELECT tbl, key, digest, data FROM kept"
                ):
                    if kept_rows.digest_of(data or b"") != digest:
                        return f"{table} {key} is not what was written"
        except (OSError, sqlite3.Error) as error:
            return str(error)
        return ""

    def tidy(self) -> None:
        """Forget what was deleted; meant for when `state.db` has been closed and synced."""
        with self._guard, suppress(OSError, sqlite3.Error):
            if self._open is not None:
                self._open.execute("DELETE FROM kept WHERE data IS NULL")

    def close(self) -> None:
        """Release the file."""
        with self._guard:
            self._release()

    # --- both sides ---------------------------------------------------------------------------

    def _replay(self, source: sqlite3.Connection, number: int, there: int) -> list[str]:
        """`state.db` lacks the last transactions, after a kill or a power cut: they are here."""
        rows = self._connection().execute(
            "SELECT tbl, key, digest, data FROM kept WHERE number > ?", (number,)
        )
        changes = [
            KeyChange((table, key), data)
            for table, key, digest, data in rows
            if kept_rows.digest_of(data or b"") == digest
        ]
        source.execute("BEGIN IMMEDIATE")
        source.execute("PRAGMA defer_foreign_keys = ON")
        for sql, values in statements(changes):
            source.execute(sql, values)
        note_digests(source, changes, there)
        source.execute("COMMIT")
        return described(each.key[0] for each in changes)

    def _follow(self, source: sqlite3.Connection, number: int) -> None:
        """The copy becomes what `state.db` holds, but for what is damaged there."""
        connection = self._connection()
        known = {
            (table, key): digest
            for table, key, digest in connection.execute(
                "SELECT tbl, key, digest FROM kept WHERE data IS NOT NULL"
            )
        }
        changes = []
        for change in _sound(source):
            if known.pop(change.key, None) != change.digest:
                changes.append(change)
        lost = digests(source).keys()
        changes += [KeyChange(key, None) for key in known if key not in lost]
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany(
            _PUT, [(*each.key, number, each.digest, each.data) for each in changes]
        )
        connection.execute(_COUNT, (number,))
        connection.execute("COMMIT")

    def _make(self, source: sqlite3.Connection, number: int | None) -> list[KeyChange]:
        """A new copy beside the old one, which it then replaces; returns what is in it."""
        made = self.path.with_name(f"{self.path.name}.new")
        for file in files_of(made):
            file.unlink(missing_ok=True)
        made.touch(mode=0o600)
        changes = list(_sound(source))
        try:
            with closing(sqlite3.connect(made, isolation_level=None)) as copy:
                copy.execute("PRAGMA synchronous = FULL")
                copy.executescript(f"BEGIN; {_SCHEMA} PRAGMA user_version = {FORMAT};")
                copy.executemany(
                    _PUT, [(*each.key, number or 1, each.digest, each.data) for each in changes]
                )
                copy.execute(_COUNT, (number or 1,))
                copy.execute("COMMIT")
            self._release()
            for beside in files_of(self.path)[1:]:
                beside.unlink(missing_ok=True)
            made.replace(self.path)
        finally:
            made.unlink(missing_ok=True)
        return changes

    # --- the file -----------------------------------------------------------------------------

    def _number(self) -> int | None:
        """How far the copy has come; None where there is none that can be used."""
        if not self.path.exists():
            return None
        try:
            connection = self._connection()
            if connection.execute("PRAGMA user_version").fetchone()[0] == FORMAT:
                found = number_of(connection, "progress")
                if found is not None:
                    return found
            self._release()  # of an earlier version
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):
                raise  # a full or read-only disk is no damage
            self._release()
            log.warning("%s is damaged (%s): kept as %s", self.path, error, set_aside(self.path))
        return None

    def _connection(self) -> sqlite3.Connection:
        if self._open is None:
            if not self.path.exists():
                self.path.touch(mode=0o600)
            connection = sqlite3.connect(
                self.path, isolation_level=None, check_same_thread=False,
                timeout=BUSY_TIMEOUT_MS / 1000,
            )  # fmt: skip
            try:
                connection.execute("PRAGMA journal_mode = WAL")
                # What a command has answered is on the disk, also after a power cut.
                connection.execute("PRAGMA synchronous = FULL")
                if not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                    connection.executescript(
                        f"BEGIN; {_SCHEMA} PRAGMA user_version = {FORMAT}; COMMIT;"
                    )
            except sqlite3.Error:
                connection.close()
                raise
            self._open = connection
        return self._open

    def _release(self) -> None:
        if self._open is not None:
            self._open.close()
            self._open = None


def open_copy(path: Path) -> sqlite3.Connection:
    """A database to be read and never written, not even by looking at it."""
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    connection.text_factory = kept_rows.lenient
    return connection


def number_of(connection: sqlite3.Connection, table: str) -> int | None:
    """The number of the last transaction that changed what is kept; None before the first."""
    row = connection.execute(f"SELECT number FROM {table}").fetchone()
    return None if row is None else int(row[0])


def statements(changes: Iterable[KeyChange]) -> Iterator[tuple[str, list[object]]]:
    """What makes the rows of some keys what they were, in the order in which tables refer to
    others; columns that this version does not know are left out."""
    by_table: dict[str, list[KeyChange]] = {name: [] for name in KEPT}
    for change in changes:
        by_table.get(change.key[0], []).append(change)
    for name, table in KEPT.items():
        for change in by_table[name]:
            rows = kept_rows.decode(change.data) if change.data else []
            if len(rows) != 1 or name == "library_pieces":
                where = " AND ".join(f"{column} = ?" for column in table.key)
                yield f"DELETE FROM {name} WHERE {where}", change.values
            for row in rows:
                yield _put(table, row)


def _put(table: KeptTable, row: dict[str, object]) -> tuple[str, list[object]]:
    columns = [column for column in table.columns if column in row]
    key = ("piece_id",) if table.name == "library_pieces" else table.key
    updates = ", ".join(f"{column} = excluded.{column}" for column in columns)
    return (
        f"INSERT INTO {table.name} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"
        f" ON CONFLICT ({', '.join(key)}) DO UPDATE SET {updates}",
        [row[column] for column in columns],
    )


def described(tables: Iterable[str]) -> list[str]:
    """Counts by kind, for people: `3 rules`, `1 folder`."""
    counts: dict[str, int] = {}
    for table in tables:
        counts[table] = counts.get(table, 0) + 1
    return [
        f"{counts[name]} {_plural(table.noun, counts[name])}"
        for name, table in KEPT.items()
        if name in counts
    ]


def _plural(noun: str, count: int) -> str:
    if count == 1:
        return noun
    return f"{noun[:-1]}ies" if noun.endswith("ry") else f"{noun}s"


def digests(source: sqlite3.Connection) -> dict[Key, bytes]:
    """What `state.db` says that its own rows are."""
    rows = source.execute("SELECT tbl, key, digest FROM kept_digests")
    return {(table, key): digest for table, key, digest in rows}


def note_digests(source: sqlite3.Connection, changes: Iterable[KeyChange], number: int) -> None:
    """Write down in `state.db` what its rows are, within the open transaction."""
    for change in changes:
        source.execute("DELETE FROM kept_digests WHERE tbl = ? AND key = ?", change.key)
        if change.data is not None:
            source.execute(
                "INSERT INTO kept_digests VALUES (?, ?, ?)", (*change.key, change.digest)
            )
    source.execute("INSERT OR REPLACE INTO kept_progress VALUES (1, ?)", (number,))


def _sound(source: sqlite3.Connection) -> Iterator[KeyChange]:
    """Every kept row but those that are not what was written."""
    written = digests(source)
    for table in KEPT.values():
        for key, data in kept_rows.rows_of(source, table):
            change = KeyChange((table.name, key), data)
            if written.get(change.key, change.digest) == change.digest:
                yield change
            else:
                log.warning("%s %s is damaged and not copied", table.name, key)


def _has_rows(source: sqlite3.Connection) -> bool:
    return any(
        source.execute(f"SELECT 1 FROM {name} WHERE {table.condition} LIMIT 1").fetchone()
        for name, table in KEPT.items()
    )


def _source(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, timeout=BUSY_TIMEOUT_MS / 1000)
    connection.text_factory = kept_rows.lenient
    connection.execute("PRAGMA foreign_keys = ON")
    return connection
