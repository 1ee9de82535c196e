"""Files written together: all of them or none, also when the engine or the machine ends meanwhile.

Before the first file is written, what all of them held lies in a folder of the journal, on the
disk. It goes when the last one is written; an engine that finds one when it starts puts the files
back: whoever asked for the edit was never told that it was done.
"""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import secrets
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from surveyor.files.safe_read import read_bytes
from surveyor.files.writing import (
    ChangedMeanwhileError,
    regular,
    replace_bytes,
)
from surveyor.paths import make_private
from surveyor.platform import open_files, users

__all__ = ["EditJournal", "JournalledFile"]

log = logging.getLogger(__name__)

_RECORD = "record.json"
_SOMETHING_ELSE = frozenset({errno.ELOOP, errno.EINVAL, errno.EISDIR, errno.ENOTDIR})
"""What reading says where a link, a pipe or a folder is in the place of a file."""


@dataclass(frozen=True, slots=True)
class JournalledFile:
    """A file by its real path, what it holds and what it is to hold."""

    file: Path
    before: bytes
    after: bytes


class _Entry(msgspec.Struct):
    file: str
    temporary: str


class EditJournal:
    """Writes files together, and undoes what was not finished. Blocks: for a thread."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def write(self, changes: Sequence[JournalledFile]) -> Path:
        """Write all files; returns their folder of the journal, for `commit` or `undo`.

        Raises `OSError`, with nothing changed: `ChangedMeanwhileError` where a file does not hold
        what it did.
        """
        for change in changes:
            _check(change)
        with _naming(self._folder):
            folder, entries = self._record(changes)
        try:
            for change, entry in zip(changes, entries, strict=True):
                with _naming(change.file):
                    _put(change.file, change.after, change.before, Path(entry.temporary))
        except BaseException:
            self.undo(folder)
            raise
        return folder

    def commit(self, folder: Path) -> None:
        """It is done: what the files held before is forgotten."""
        entries = msgspec.json.decode((folder / _RECORD).read_bytes(), type=list[_Entry])
        for parent in {Path(entry.file).parent for entry in entries}:
            # A folder that may not be listed, or is gone: the files are written all the same, and
            # a record that stayed would undo them at the next start.
            with contextlib.suppress(OSError):
                open_files.sync_folder(parent)
        (folder / _RECORD).unlink()  # from here on it is done, whatever happens
        shutil.rmtree(folder, ignore_errors=True)

    def undo(self, folder: Path) -> None:
        """Put the files back; one that somebody has changed since stays as it is."""
        record = folder / _RECORD
        if record.exists():
            entries = msgspec.json.decode(record.read_bytes(), type=list[_Entry])
            for number, entry in enumerate(entries):
                self._put_back(folder, number, entry)
        shutil.rmtree(folder, ignore_errors=True)

    def recover(self) -> int:
        """Undo what an engine that ended has left; returns how many edits that were."""
        if not self._folder.is_dir():
            return 0
        left = [each for each in sorted(self._folder.iterdir()) if each.is_dir()]
        for folder in left:
            try:
                self.undo(folder)
            except (OSError, msgspec.MsgspecError) as error:
                log.error("an unfinished edit could not be undone: %s: %s", folder, error)
            else:
                log.warning("an edit that was not finished has been undone")
        return len(left)

    def _record(self, changes: Sequence[JournalledFile]) -> tuple[Path, list[_Entry]]:
        name = secrets.token_hex(6)
        make_private(self._folder)
        folder = self._folder / name
        folder.mkdir(mode=0o700)
        entries = []
        try:
            for number, change in enumerate(changes):
                _save(folder / f"{number}.before", change.before)
                _save(folder / f"{number}.after", change.after)
                temporary = change.file.with_name(f".surveyor-{name}-{number}")
                entries.append(_Entry(str(change.file), str(temporary)))
            _save(folder / f"{_RECORD}.new", msgspec.json.encode(entries))
            (folder / f"{_RECORD}.new").replace(folder / _RECORD)
            open_files.sync_folder(folder)
            open_files.sync_folder(self._folder)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        return folder, entries

    def _put_back(self, folder: Path, number: int, entry: _Entry) -> None:
        file, temporary = Path(entry.file), Path(entry.temporary)
        try:
            temporary.unlink(missing_ok=True)
            now = _held(file)
        except FileNotFoundError:
            return
        except OSError as error:
            if error.errno not in _SOMETHING_ELSE:
                raise
            log.warning("%s is no such file since an unfinished edit and stays as it is", file)
            return
        before = (folder / f"{number}.before").read_bytes()
        if now == before:
            return
        after = (folder / f"{number}.after").read_bytes()
        if now == after or _is_half_written(now, before, after):
            _put(file, before, now, temporary)
        else:
            log.warning("%s was changed since an unfinished edit and stays as it is", file)


@contextlib.contextmanager
def _naming(path: Path) -> Iterator[None]:
    """A full disk names no file by itself, and there may be two disks."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = str(path)
        raise


def _check(change: JournalledFile) -> None:
    status = regular(change.file)
    if status is None:
        raise FileNotFoundError(errno.ENOENT, "it is not there any more", str(change.file))
    if _held(change.file) != change.before:
        raise ChangedMeanwhileError(errno.EBUSY, "it has been changed meanwhile", str(change.file))


def _held(file: Path) -> bytes:
    """What a regular file holds. Raises `OSError`; as `_check_unlinked` for a link."""
    _check_unlinked(file)
    return read_bytes(file, sys.maxsize - 1)


def _check_unlinked(file: Path) -> None:
    """Raises `ChangedMeanwhileError` where a path, which had no links when it was written down,
    leads somewhere else now."""
    if file.parent.resolve() != file.parent or file.is_symlink():
        raise ChangedMeanwhileError(errno.ELOOP, "it is reached through a link", str(file))


def _put(file: Path, data: bytes, expected: bytes, temporary: Path) -> None:
    """Replace a file by another one, or write into it where its links or owner would be lost."""
    status = regular(file)
    if status is None:
        raise FileNotFoundError(errno.ENOENT, "it is not there any more", str(file))
    with _folder_of(file) as within:
        if not _is_written_into(file, status):
            replace_bytes(file, data, status, temporary, expected=expected, within=within)
            return
        with os.fdopen(open_files.open_plain(file, os.O_RDWR, within=within), "r+b") as opened:
            if opened.read() != expected:
                raise ChangedMeanwhileError(errno.EBUSY, "it has been changed meanwhile", str(file))
            opened.seek(0)
            opened.write(data)
            opened.truncate()
            opened.flush()
            os.fsync(opened.fileno())


@contextlib.contextmanager
def _folder_of(file: Path) -> Iterator[int | None]:
    """A descriptor of the folder that a file is in, opened while no link led there; None where
    the system opens nothing by such. Raises as `_check_unlinked`."""
    within = open_files.open_folder(file.parent)
    if within is None:
        _check_unlinked(file)
        yield None
        return
    try:
        _check_unlinked(file)
        if not os.path.samestat(os.fstat(within), file.parent.lstat()):
            raise ChangedMeanwhileError(errno.ELOOP, "its folder is another one", str(file))
        yield within
    finally:
        os.close(within)


def _is_written_into(file: Path, status: os.stat_result) -> bool:
    """Whether another file in its place would not be the same: hard links, somebody else's."""
    if status.st_nlink > 1 or not os.access(file.parent, os.W_OK):
        return True
    return users.is_of_another(status)


def _is_half_written(now: bytes, before: bytes, after: bytes) -> bool:
    """Whether a file holds the beginning of the one and the rest of the other."""
    low, high = 0, min(len(now), len(after))
    while low < high:  # the longest beginning that they have in common
        middle = (low + high + 1) // 2
        low, high = (middle, high) if now[:middle] == after[:middle] else (low, middle - 1)
    return now[low:] == before[low:]


def _save(file: Path, data: bytes) -> None:
    with file.open("wb") as out:
        out.write(data)
        out.flush()
        os.fsync(out.fileno())
