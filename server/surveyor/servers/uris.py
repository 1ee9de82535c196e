"""File URIs and paths."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from urllib.parse import unquote_to_bytes, urlsplit

from surveyor.platform.file_names import is_reachable, path_of_uri, uri_of

MAX_PATH_BYTES = 4096
MAX_NAME_BYTES = 255
"""Linux' PATH_MAX and NAME_MAX; elsewhere they are no larger."""


def to_uri(path: str | os.PathLike[str]) -> str:
    """`file:` URI of an absolute path, encoded as editors do."""
    return uri_of(os.fspath(path))


@lru_cache(maxsize=4096)
def to_path(uri: str) -> Path | None:
    """Path of a `file:` URI; `None` for any other scheme (untitled, git, notebooks' cells …).

    `None` for what can be no file's path, too: with a NUL, bytes that are no UTF-8, a name longer
    than any file system's, relative, or of another machine. Servers are told of no such document:
    one of them (ty) ends at it, for all who share it.
    """
    try:
        parts = urlsplit(uri)
        if parts.scheme != "file" or not is_reachable(parts.netloc):
            return None
        text = path_of_uri(parts.netloc, unquote_to_bytes(parts.path).decode())
    except ValueError:  # `UnicodeError` is one
        return None
    return Path(text) if is_possible(text) and Path(text).is_absolute() else None


def is_possible(path: str) -> bool:
    """Whether a file may have a path: no system call refuses it as such."""
    if "\0" in path or len(path) > MAX_PATH_BYTES:
        return False
    data = path.encode(errors="surrogateescape")
    return len(data) <= MAX_PATH_BYTES and all(
        len(name) <= MAX_NAME_BYTES for name in data.split(b"/")
    )


class SpelledFiles:
    """The URIs under which files are open: a file may be spelled in several ways (`%28x%29`)."""

    def __init__(self) -> None:
        self._uris: dict[Path, str] = {}

    def add(self, uri: str) -> None:
        """A document was opened; nothing happens for one that is no file's."""
        if (path := to_path(uri)) is not None:
            self._uris[path] = uri

    def remove(self, uri: str) -> None:
        """It was closed."""
        if (path := to_path(uri)) is not None:
            self._uris.pop(path, None)

    def of(self, path: Path) -> str | None:
        """The URI of an open file."""
        return self._uris.get(path)

    def same_as(self, uri: str) -> str:
        """The URI under which the same file is open; the given one for any other document."""
        path = to_path(uri) if self._uris else None
        return self._uris.get(path, uri) if path is not None else uri


def is_inside(path: Path, root: Path) -> bool:
    """Whether `path` is `root` or lies below it."""
    return path == root or root in path.parents
