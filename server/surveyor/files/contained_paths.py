"""Paths that somebody names: made real, kept below a root, and read without following links.

A path is looked at once and opened as what it was then: between the two, a folder on the way could
be replaced by a link that leads out.
"""

from __future__ import annotations

import errno
import os
import posixpath
import stat
import unicodedata
from pathlib import Path

from surveyor.errors import UsageError, reason_of
from surveyor.platform.open_files import open_relative
from surveyor.units import counted

MAX_PATH_CHARS = 4096
"""Longest path that Linux takes; nobody's is longer."""
SHOWN_CHARS = 200
MAX_READ_BYTES = 64 << 20
"""More than any indexed file: what grew since is cut there."""


def shown(path: str) -> str:
    """A path for a message: not longer than a line, without what a terminal would obey."""
    text = path if len(path) <= SHOWN_CHARS else path[:SHOWN_CHARS] + "…"
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def checked(path: str) -> str:
    """The path itself. Raises `UsageError` for one that no file can have."""
    if len(path) > MAX_PATH_CHARS:
        raise UsageError(
            f"a path of {counted(len(path), 'character')}", f"Give at most {MAX_PATH_CHARS}."
        )
    if "\0" in path:
        raise UsageError(f"{shown(path)} has a NUL character", "Give a path without it.")
    try:
        os.fsencode(path)
    except UnicodeEncodeError as error:
        raise UsageError(f"{shown(path)} is no path", "It has half a character in it.") from error
    return path


def real(path: str) -> Path:
    """A path that somebody gave, absolute, `~` replaced and links resolved; it need not be there.

    Raises `UsageError` for what no file can have as its path.
    """
    try:
        return Path(checked(path)).expanduser().resolve()
    except (RuntimeError, OSError, ValueError) as error:  # no such user; a circle of links
        raise UsageError(
            f"{shown(path)} cannot be looked at: {reason_of(error)}", "Give another."
        ) from error


def below(root: Path, path: str, base: Path | None = None) -> str:
    """A path relative to the root, with `/`, from one relative to it (or to `base`) or absolute.

    It need not be there; letters that are composed otherwise on disk are as there. Raises
    `UsageError` for one that leads outside, through a link or not.
    """
    target = Path(checked(path))
    full = target if target.is_absolute() else (base or root) / target
    try:
        inside = full.resolve().relative_to(root.resolve())
    except (ValueError, OSError, RuntimeError) as error:
        raise UsageError(
            f"{shown(path)} lies outside {root}", "Give a path inside the project."
        ) from error
    return composed_as_on_disk(root, inside.as_posix())


def composed_as_on_disk(root: Path, path: str) -> str:
    """A path below a root whose names are on disk in another form of Unicode (NFC, NFD), as there:
    what is typed is composed, and macOS decomposed names that it wrote into archives."""
    if path.isascii() or ".." in path.split("/"):
        return path
    parts: list[str] = []
    for part in path.split("/"):
        folder = root.joinpath(*parts)
        if not part.isascii() and not os.path.lexists(folder / part):
            part = _same_name(folder, part) or part
        parts.append(part)
    return "/".join(parts)


def _same_name(folder: Path, name: str) -> str | None:
    """The only name in a folder that reads the same."""
    wanted = unicodedata.normalize("NFC", name)
    try:
        names = [each.name for each in folder.iterdir()]
    except OSError:
        return None
    found = [each for each in names if unicodedata.normalize("NFC", each) == wanted]
    return found[0] if len(found) == 1 else None


def spelled_below(root: Path, path: str) -> str:
    """As `below`, by its letters only: for names of files that are not on disk (any more)."""
    text = checked(path).replace(os.sep, "/")
    if posixpath.isabs(text):
        text = posixpath.relpath(text, root.as_posix())
    text = posixpath.normpath(text)
    if text == ".." or text.startswith("../"):
        raise UsageError(f"{shown(path)} lies outside {root}", "Give a path inside its project.")
    return text


class NotPlainError(OSError):
    """What is at a path is no plain file, or only reached through a link."""


class IsFolderError(NotPlainError, IsADirectoryError):
    """What is at a path is a folder."""


def read_below(root: Path, path: str, limit: int = MAX_READ_BYTES) -> bytes:
    """The bytes of a file below a root, at most `limit` of them. Raises as `open_below`."""
    with os.fdopen(open_below(root, path), "rb") as file:
        return file.read(limit)


def open_below(root: str | Path, path: str) -> int:
    """A descriptor of a plain file below a root; no link on the way to it is followed.

    Raises `NotPlainError` for what is a link or no plain file, and other `OSError`s when it cannot
    be opened. It never waits, as for a pipe that nobody writes to.
    """
    parts = tuple(part for part in path.split("/") if part not in ("", "."))
    if not parts or ".." in parts or path.startswith("/"):
        raise NotPlainError(errno.EINVAL, "it is outside the project")
    try:
        descriptor = open_relative(root, parts)
    except OSError as error:
        if error.errno in (errno.EINVAL, errno.ELOOP, errno.EMLINK, errno.ENXIO):
            raise NotPlainError(error.errno, "it is a link or no plain file") from error
        raise
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        if stat.S_ISDIR(mode):
            raise IsFolderError(errno.EISDIR, "it is a folder")
        raise NotPlainError(errno.EINVAL, "it is no plain file")
    return descriptor


__all__ = [
    "IsFolderError",
    "NotPlainError",
    "below",
    "checked",
    "composed_as_on_disk",
    "open_below",
    "read_below",
    "real",
    "shown",
    "spelled_below",
]
