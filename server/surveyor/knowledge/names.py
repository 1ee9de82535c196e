"""Names of libraries and of the documents in them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path, PurePath

from surveyor.errors import UsageError
from surveyor.formats.formats import FORMATS
from surveyor.secrets.files import is_secret_file

RESERVED = frozenset(("notes", "sessions", "packages", "history"))
NAME = re.compile(r"[A-Za-z0-9_][\w-]*(?:\.[\w-]+)*")
NAME_MAX_CHARS = 200
TEXT_SUFFIXES = frozenset(
    suffix for name, suffixes in FORMATS.items() if name != "text" for suffix in suffixes
) | {".txt", ".text", ".adoc", ".asciidoc", ".org"}
"""What a folder scan takes; logs and nameless files only when they are named."""


def check_name(name: str) -> None:
    """Raises `UsageError` unless a name is words joined by dots, and not a reserved one."""
    if not NAME.fullmatch(name) or len(name) > NAME_MAX_CHARS:
        raise UsageError(
            f"{name!r} is not a library's name",
            "Letters, digits, - and _, joined by dots: rust-book.chapter1.intro.",
        )
    if name.partition(".")[0] in RESERVED:
        raise UsageError(f"the name {name!r} is reserved", "Choose another one.")


def folder_files(root: Path) -> dict[str, tuple[int, int]] | None:
    """Readable files of a folder, relative: (size, mtime_ns); None when it is not there."""
    if not root.is_dir():
        return None
    found: dict[str, tuple[int, int]] = {}
    for folder, names, files in os.walk(root):
        names[:] = sorted(one for one in names if not one.startswith(".") and one != "node_modules")
        for name in sorted(files):
            path = Path(folder, name)
            if name.startswith(".") or path.suffix.lower() not in TEXT_SUFFIXES:
                continue
            if path.is_symlink() and not path.resolve().is_relative_to(root.resolve()):
                continue  # it is not of this folder
            if is_secret_file(path.as_posix()):
                continue
            try:
                stat = path.stat()
            except OSError:
                continue
            found[path.relative_to(root).as_posix()] = (stat.st_size, stat.st_mtime_ns)
    return found


def holds_secrets(path: Path) -> bool:
    """Whether a document's name, or that of the file it is a link to, says that it holds keys."""
    return any(is_secret_file(each.as_posix()) for each in (path, path.resolve()))


def dotted(library: str, relative: str, siblings: Iterable[str] = ()) -> str:
    """`chapter1/intro.md` of `rust-book` as `rust-book.chapter1.intro`.

    A second file of the same stem keeps its extension.
    """
    path = PurePath(relative)
    stem = path.with_suffix("")
    twins = [one for one in siblings if PurePath(one).with_suffix("") == stem]
    parts = [*stem.parts]
    if len(twins) > 1:
        parts[-1] = path.name
    words = [re.sub(r"[^\w-]+", "-", part).strip("-") or "_" for part in parts]
    return ".".join((library, *words))
