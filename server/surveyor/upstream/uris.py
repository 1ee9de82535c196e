"""File URIs and paths."""

from __future__ import annotations

import os
import sys
from functools import lru_cache
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit


def to_uri(path: str | os.PathLike[str]) -> str:
    """`file:` URI of an absolute path, encoded as editors do."""
    text = os.fspath(path)
    if sys.platform == "win32":
        return Path(text).as_uri()
    return "file://" + quote(text, safe="/~@!$&'()*,;=-._:+")


@lru_cache(maxsize=4096)
def to_path(uri: str) -> Path | None:
    """Path of a `file:` URI; `None` for any other scheme (untitled, git, notebooks' cells …)."""
    parts = urlsplit(uri)
    if parts.scheme != "file":
        return None
    text = unquote(parts.path)
    if sys.platform == "win32" and len(text) > 2 and text[0] == "/" and text[2] == ":":
        text = text[1:]
    return Path(text) if text else None


def is_inside(path: Path, root: Path) -> bool:
    """Whether `path` is `root` or lies below it."""
    return path == root or root in path.parents
