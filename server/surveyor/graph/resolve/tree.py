"""The files of a checkout as import statements see them: by path, folder and name."""

from __future__ import annotations

import posixpath
from collections import defaultdict

from surveyor.graph.resolve.model import Source

__all__ = ["EXTERNAL", "MISSING", "Tree", "shared_folders"]

EXTERNAL = "not in this project (installed or standard library)"
MISSING = "no file of the project matches"


class Tree:
    """Paths of a checkout, and what manifests say."""

    def __init__(self, source: Source) -> None:
        self.files = source.paths()
        self.read = source.read
        self.folders: set[str] = {""}
        for path in self.files:
            folder = posixpath.dirname(path)
            while folder not in self.folders:
                self.folders.add(folder)
                folder = posixpath.dirname(folder)
        self.in_folder: dict[str, list[str]] = defaultdict(list)
        self.by_name: dict[str, list[str]] = defaultdict(list)
        for path in sorted(self.files):
            self.in_folder[posixpath.dirname(path)].append(path)
            self.by_name[posixpath.basename(path)].append(path)


def shared_folders(path: str, folder: str) -> int:
    """Folders that two places have in common."""
    count = 0
    for left, right in zip(path.split("/"), folder.split("/"), strict=False):
        if left != right:
            break
        count += 1
    return count
