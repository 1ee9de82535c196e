"""SQLite behind asyncio: one writer, some readers, numbered forward migrations."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

import aiosqlite

from surveyor.errors import DiskFullError, SurveyorError
from surveyor.files.file_class import LABELS_VERSION, labels_of
from surveyor.store.state.change_counter import ChangeCounter
from surveyor.store.state.chunk_texts import KEPT_FOR_SEARCHES, KEPT_TEXT, LINES_OF, DocumentLines
from surveyor.store.state.kept_reads import KeptReads
from surveyor.store.state.question_threads import QuestionThreads, rows_here
from surveyor.store.state.readers import Readers
from surveyor.store.state.second_copy import SecondCopy
from surveyor.store.state.second_copy_writer import SecondCopyWriter
from surveyor.store.state.sqlite_errors import is_full

log = logging.getLogger(__name__)

T = TypeVar("T")

KEPT_OF_CHUNKS = 4 << 20
KEPT_SIGNATURES = 1 << 20
KEPT_NGRAMS = 4 << 20
"""Bytes kept of what searches have read of chunks: texts, signatures of definitions, n-grams of the
documents that they are of (in memory once for all chunks of one, and counted for each)."""
CACHE_KIB = 16_000
"""Pages kept by each connection: queries read the same ones again and again."""
CHECKPOINT_PAGES = 4_000
"""Pages (4 KB) in the write-ahead log before they are copied into the database. A copy waits for
the disk twice; after 1,000, the default, every batch of an index did, and pages of random keys were
copied each time."""
KEPT_LOG_BYTES = 4 << 20
"""What is left of the log's file once it was copied."""
LEFT_LOG_BYTES = 1 << 20
"""More of it is given back when nothing is written: it is at its longest after a first index."""
VACUUM = "VACUUM"
INTERRUPT_S = 0.01
"""Between two attempts to end it for who wants to write."""
SHORTEN_TIMEOUT_MS = 50
"""How long that waits for readers, and writers for it; a minute later it is tried again."""
BUSY_TIMEOUT_MS = 10_000
"""The worker and a diagnosing user may read while the engine writes."""


class StateError(SurveyorError):
    """`state.db` cannot be used."""

    code = "state_unusable"


class StateFullError(DiskFullError, StateError):
    """There is no room on the disk for what was to be written."""


class Transaction:
    """The writer inside `BEGIN IMMEDIATE … COMMIT`."""

    def __init__(self, connection: aiosqlite.Connection, catalog: ChangeCounter) -> None:
        self._connection = connection
        self._catalog = catalog

    async def execute(self, sql: str, parameters: Sequence[Any] = ()) -> int:
        """Run a statement; returns the number of rows changed."""
        self._catalog.before(sql)
        cursor = await self._connection.execute(sql, parameters)
        return cursor.rowcount

    async def insert(self, sql: str, parameters: Sequence[Any] = ()) -> int:
        """Run an INSERT; returns the row id."""
        self._catalog.before(sql)
        cursor = await self._connection.execute(sql, parameters)
        return int(cursor.lastrowid or 0)

    async def many(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run a statement for each row."""
        self._catalog.before(sql)
        await self._connection.executemany(sql, rows)

    async def read(self, sql: str, parameters: Sequence[Any] = ()) -> list[sqlite3.Row]:
        """Query, seeing this transaction's own changes."""
        self._catalog.before(sql)  # of what it deletes, for example
        return list(await self._connection.execute_fetchall(sql, parameters))


class State:
    """An open `state.db`."""

    def __init__(
        self,
        path: Path,
        writer: aiosqlite.Connection,
        reader: aiosqlite.Connection,
        glances: sqlite3.Connection,
        refusal: SurveyorError | None = None,
        on_full: Callable[[], None] = lambda: None,
    ) -> None:
        self.path = path
        self._writer = writer
        self._readers = Readers(reader, partial(_connect_to_read, path))
        self._inline_reader = glances
        self._questions = QuestionThreads(partial(_connect_inline, path, sqlite3.Row))
        self._writing = asyncio.Lock()
        self._vacuuming = False
        self.second_copy_writer = SecondCopyWriter(path, writer)
        self._catalog = ChangeCounter()
        self.chunk_texts = KeptReads[tuple[int, str], str](self._catalog, KEPT_OF_CHUNKS)
        self.chunk_signatures = KeptReads[tuple[int, str], str](self._catalog, KEPT_SIGNATURES)
        self.ngrams = KeptReads[int, bytes](self._catalog, KEPT_NGRAMS)
        self.refusal = refusal
        """What is raised where something is to be stored for good, and cannot be."""
        self._on_full = on_full

    @classmethod
    async def open(
        cls,
        path: Path,
        *,
        anew: bool = False,
        refusal: SurveyorError | None = None,
        on_full: Callable[[], None] = lambda: None,
    ) -> State:
        """Open and migrate. Raises `StateError` if the file is newer, damaged or read-only.

        A file that was there and has gone is damage, too, unless it is to be made `anew`. `refusal`
        is what is raised where something is to be stored for good, and cannot be; `on_full` is
        called when the disk has no room for a transaction.
        """
        if not anew and SecondCopy(path).is_missed():
            raise _damaged(path, "what was in it has gone")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            writer = await _connect(path)
        except (OSError, sqlite3.Error) as error:
            raise _unusable(path, error) from error
        try:
            await _migrate(writer, path)
            await _label_documents(writer)
            await writer.execute("PRAGMA recursive_triggers = ON")  # what REPLACE replaces counts
            reader = await _connect_to_read(path)
            glances = _connect_inline(path, kept_text=KEPT_FOR_SEARCHES)
        except sqlite3.Error as error:
            await writer.close()
            raise _unusable(path, error) from error
        except StateError:
            await writer.close()
            raise
        state = cls(path, writer, reader, glances, refusal, on_full)
        try:
            await state.second_copy_writer.begin()
        except (OSError, sqlite3.Error) as error:
            await state.close()
            raise _unusable(path, error) from error
        return state

    async def close(self) -> None:
        """Wait for the running transaction, then close."""
        async with self._writing:
            self._inline_reader.close()
            await asyncio.to_thread(self._questions.close)
            await self._readers.close()
            await self._writer.close()
            await self.second_copy_writer.close()

    async def keep_spare(self) -> None:
        """Have the copy of what nothing could make again be there, should it have been lost."""
        async with self._writing:
            await self.second_copy_writer.mend()

    async def make_spare_anew(self) -> None:
        """Replace that copy. Raises `OSError` and `sqlite3.Error`."""
        async with self._writing:
            await self.second_copy_writer.make_anew()

    async def compact(self) -> None:
        """Write the database and the copy beside it anew: what was deleted is in no page then.

        Blocks other writers for about a second per 200 MB, and wants as much room once more.
        """
        async with self._writing:
            await self._writer.execute("VACUUM")
            await self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            await self.second_copy_writer.compact()

    @property
    def is_vacuuming(self) -> bool:
        """Whether the database is being written anew."""
        return self._vacuuming

    async def vacuum(self) -> bool:
        """Write the database anew unless somebody writes; whether that was done.

        A transaction that begins meanwhile ends it. Wants what stays as room twice: in the log and
        in a temporary file. Raises `StateFullError`.
        """
        if self._writing.locked():
            return False
        async with self._writing:
            self._vacuuming = True
            try:
                # The thread keeps what its last call gave, be it a pragma with a row to come, until
                # the next one has ended: that is a statement in progress.
                await self._writer.execute_fetchall("SELECT 1")
                await self._writer.execute(VACUUM)
            except sqlite3.OperationalError as error:
                if is_full(error):
                    raise StateFullError(
                        f"The disk is full: {self.path} cannot be written anew.",
                        "It stays as large as it is; nothing is lost.",
                    ) from error
                if getattr(error, "sqlite_errorcode", None) != sqlite3.SQLITE_INTERRUPT:
                    raise
                return False
            finally:
                self._vacuuming = False
        return True

    async def shorten_log(self) -> None:
        """Copy a long write-ahead log into the database and give its room back, if nobody reads."""
        try:
            long = Path(f"{self.path}-wal").stat().st_size > LEFT_LOG_BYTES
        except OSError:
            return
        if not long:
            return
        async with self._writing:
            await self._writer.execute(f"PRAGMA busy_timeout = {SHORTEN_TIMEOUT_MS}")
            try:
                await self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            except sqlite3.OperationalError as error:  # no room for what the database grows by
                log.debug("the log stays as long as it is: %s", error)
            finally:
                await self._writer.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Transaction]:
        """All or nothing; one at a time. What it changes of what nothing could make again is in
        the second copy before it is committed.

        Raises `StateFullError` when the disk is full, `StateError` when there can be no copy.
        """
        while self._vacuuming:  # what has not begun on its thread yet is not interrupted
            await self._writer.interrupt()
            await asyncio.sleep(INTERRUPT_S)
        async with self._writing:
            try:
                await self._begin()
                try:
                    yield Transaction(self._writer, self._catalog)
                    await self._commit()
                except BaseException:  # a commit that fails leaves the transaction open
                    await asyncio.shield(self._writer.rollback())
                    await self.second_copy_writer.undo()
                    raise
                finally:
                    self._catalog.after()
            except sqlite3.OperationalError as error:
                if not is_full(error):
                    raise
                self._on_full()
                raise StateFullError(
                    f"The disk is full: {self.path} cannot be written.",
                    "Free some space; what is missing is indexed then.",
                ) from error

    async def _begin(self) -> None:
        """Begin; a caller who is cancelled meanwhile leaves no transaction open behind it."""
        beginning = asyncio.ensure_future(self._writer.execute("BEGIN IMMEDIATE"))
        try:
            await asyncio.shield(beginning)
        except asyncio.CancelledError:
            await asyncio.wait([beginning])
            if beginning.exception() is None:
                await asyncio.shield(self._writer.rollback())
            raise

    async def _commit(self) -> None:
        """Commit, copy included; a caller who is cancelled meanwhile waits for the end of it."""
        ending = asyncio.ensure_future(self._commit_both())
        try:
            await asyncio.shield(ending)
        except asyncio.CancelledError:
            await asyncio.wait([ending])
            raise

    async def _commit_both(self) -> None:
        try:
            await self.second_copy_writer.copy()
        except (OSError, sqlite3.DatabaseError) as error:
            if isinstance(error, sqlite3.OperationalError) and is_full(error):
                raise
            raise StateError(
                f"{self.second_copy_writer.path} cannot be written: {error}",
                "What you store is kept twice: give your user write access to this file, or move"
                " it away.",
            ) from error
        await self._writer.commit()
        self.second_copy_writer.done()

    @property
    def catalog_version(self) -> int:
        """Of files, documents and chunks: see `ChangeCounter`."""
        return self._catalog.version

    @property
    def data_version(self) -> int:
        """Changes with every commit: it is of another connection, and nothing else writes."""
        (version,) = self.read_inline("PRAGMA data_version")[0]
        return int(version)

    async def read(self, sql: str, parameters: Sequence[Any] = ()) -> list[sqlite3.Row]:
        """Query committed rows."""
        here = rows_here(sql, parameters)
        return here if here is not None else await self._readers.read(sql, parameters)

    async def in_one_thread(self, question: Coroutine[Any, Any, T]) -> T:
        """What a coroutine comes to that waits for nothing but rows (`read`, `one`, `value`) and
        what is computed from them (`aside`): one change of thread for all of its queries."""
        return await self._questions.run(question)

    def read_inline(self, sql: str, parameters: Sequence[Any] = ()) -> list[Any]:
        """Query committed rows here and now, on the event loop's thread.

        For reads by key that take a millisecond at most: a change of thread and back costs as
        much, and several where other threads want the interpreter lock. It is let go at each row,
        so queries of many rows had better give them as one (`json_group_array`).
        """
        here = rows_here(sql, parameters)
        return here if here is not None else self._inline_reader.execute(sql, parameters).fetchall()

    async def one(self, sql: str, parameters: Sequence[Any] = ()) -> sqlite3.Row | None:
        """First committed row, if any."""
        rows = await self.read(sql, parameters)
        return rows[0] if rows else None

    async def value(self, sql: str, parameters: Sequence[Any] = ()) -> Any:
        """First column of the first committed row, if any."""
        row = await self.one(sql, parameters)
        return row[0] if row is not None else None


async def _connect(path: Path) -> aiosqlite.Connection:
    connection = await aiosqlite.connect(path, isolation_level=None)
    connection.row_factory = sqlite3.Row
    try:
        await connection.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
        await connection.execute("PRAGMA journal_mode = WAL")
        # After a crash of the process nothing is lost; after a power cut at most the last
        # transactions are, and the next scan brings them back.
        await connection.execute("PRAGMA synchronous = NORMAL")
        await connection.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
        await connection.execute(f"PRAGMA journal_size_limit = {KEPT_LOG_BYTES}")
        await connection.execute("PRAGMA foreign_keys = ON")
        await connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        await connection.create_function(LINES_OF, 5, DocumentLines(), deterministic=True)
        await connection.execute("SELECT count(*) FROM sqlite_master")
    except BaseException:
        await connection.close()
        raise
    return connection


def _connect_inline(
    path: Path, row_factory: type[sqlite3.Row] | None = None, kept_text: int = KEPT_TEXT
) -> sqlite3.Connection:
    """A connection that reads in the thread that asks."""
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    connection.row_factory = row_factory
    connection.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
    connection.execute("PRAGMA query_only = ON")
    connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
    connection.create_function(LINES_OF, 5, DocumentLines(kept_text), deterministic=True)
    return connection


async def _connect_to_read(path: Path) -> aiosqlite.Connection:
    connection = await _connect(path)
    await connection.execute("PRAGMA query_only = ON")
    return connection


def migrations() -> dict[int, str]:
    """SQL scripts by number."""
    folder = resources.files("surveyor.store.state") / "migrations"
    return {
        int(entry.name[:4]): entry.read_text(encoding="utf-8")
        for entry in sorted(folder.iterdir(), key=lambda entry: entry.name)
        if entry.name.endswith(".sql")
    }


async def _migrate(connection: aiosqlite.Connection, path: Path) -> None:
    """Apply what is missing, each script and its mark in one transaction."""
    await connection.execute(
        "CREATE TABLE IF NOT EXISTS schema_version ("
        "version INTEGER PRIMARY KEY, applied_at TEXT DEFAULT (datetime('now')))"
    )
    rows = await connection.execute_fetchall("SELECT version FROM schema_version")
    applied = {int(row[0]) for row in rows}
    known = migrations()
    newer = applied - known.keys()
    if newer:
        raise StateError(
            f"{path} was written by a newer Surveyor (schema {max(newer)}, this one knows "
            f"{max(known)})",
            "Update Surveyor, or set SURVEYOR_DATA_DIR to another folder for this version.",
        )
    for number in sorted(known.keys() - applied):
        await connection.executescript(
            f"BEGIN IMMEDIATE;\n{known[number]}\n"
            f"INSERT INTO schema_version (version) VALUES ({number});\nCOMMIT;"
        )


async def _label_documents(connection: aiosqlite.Connection) -> None:
    """Label the documents anew where another version has labelled them, or none has.

    Which one did is in `user_version`, which is nothing else's here.
    """
    ((version,),) = await connection.execute_fetchall("PRAGMA user_version")
    if version == LABELS_VERSION:
        return
    await connection.create_function("labels_of", 2, labels_of, deterministic=True)
    await connection.executescript(
        "BEGIN IMMEDIATE; UPDATE documents SET labels = labels_of(path, file_type);"
        f" PRAGMA user_version = {LABELS_VERSION}; COMMIT;"
    )


def _unusable(path: Path, error: Exception) -> StateError:
    text = str(error)
    if "readonly" in text or "unable to open" in text or isinstance(error, PermissionError):
        return StateError(
            f"{path} cannot be written: {text}",
            "Give your user write access to the folder, or set SURVEYOR_DATA_DIR to another.",
        )
    if isinstance(error, sqlite3.Error) and is_full(error):
        return StateError(
            f"No space left to write {path}", "Free some disk space, then start again."
        )
    return _damaged(path, text)


def _damaged(path: Path, why: str) -> StateError:
    return StateError(
        f"{path} is damaged: {why}",
        "Run `surveyor doctor --repair`: what is derived is rebuilt from your files.",
    )


def damage_of(error: Exception, path: Path) -> StateError | None:
    """What to say of an error that damage has caused, met while the file was in use."""
    if isinstance(error, sqlite3.OperationalError) and "Could not decode to UTF-8" in str(error):
        return _damaged(path, "a text in it is none any more")
    code = getattr(error, "sqlite_errorcode", None)
    if code is None or code & 0xFF not in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return None
    return _damaged(path, str(error))
