"""The files of a checkout as import statements see them: by path, folder, name and package."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Callable, Mapping

__all__ = ["EXTERNAL", "LEFT_OUT", "MISSING", "Tree", "shared_folders"]

EXTERNAL = "not in this project (installed or standard library)"
MISSING = "no file of the project matches"
LEFT_OUT = "its file is left out of the index"


class Tree:
    """Paths of a checkout, and what manifests say.

    `files` has the package that each file says it belongs to; `read` gives the text of a manifest.
    """

    def __init__(self, files: Mapping[str, str], read: Callable[[str], str | None]) -> None:
        self.files = files
        self.read = read
        self.folders: set[str] = {""}
        for path in self.files:
            folder = posixpath.dirname(path)
            while folder not in self.folders:
                self.folders.add(folder)
                folder = posixpath.dirname(folder)
        self.in_folder: dict[str, list[str]] = defaultdict(list)
        self.by_name: dict[str, list[str]] = defaultdict(list)
        self.packages: dict[str, list[str]] = defaultdict(list)
        for path, package in sorted(self.files.items()):
            self.in_folder[posixpath.dirname(path)].append(path)
            self.by_name[posixpath.basename(path)].append(path)
            for each in package.split(";") if package else ():
                self.packages[each].append(path)

    def near(self, path: str, folder: str) -> str:
        """A file by a path that is relative to a folder or to the root; empty where none is."""
        for base in (folder, ""):
            joined = posixpath.normpath(posixpath.join(base, path))
            if joined in self.files:
                return joined
        return ""


def shared_folders(path: str, folder: str) -> int:
    """Folders that two places have in common."""
    count = 0
    for left, right in zip(path.split("/"), folder.split("/"), strict=False):
        if left != right:
            break
        count += 1
    return count
