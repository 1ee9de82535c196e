"""The workspace: folders that come and go, and to which of them a document belongs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from surveyor.servers.uris import is_inside, to_path

REPOSITORY = (".git",)
"""Marks the folder of a project, where no other has been opened."""


class Roots:
    """Workspace folders of one editor window."""

    def __init__(self) -> None:
        self._folders: dict[str, Path] = {}

    @property
    def paths(self) -> list[Path]:
        """Folders in the order in which they were added."""
        return list(dict.fromkeys(self._folders.values()))

    def searched(self, opened: Iterable[str]) -> list[Path]:
        """Folders that a search is about: all; where none is open, the repositories of open files.

        `opened` are URIs of documents.
        """
        if self._folders:
            return self.paths
        files = [path for uri in opened if (path := to_path(uri)) is not None]
        return list(dict.fromkeys(marked_root(path, REPOSITORY) for path in files))

    def initialize(self, params: Mapping[str, Any]) -> None:
        """Take the folders of `initialize`: workspaceFolders, else rootUri, else rootPath."""
        folders = params.get("workspaceFolders")
        if isinstance(folders, list) and any(isinstance(each, dict) for each in folders):
            self.change(folders, [])
        elif params.get("rootUri"):
            self.change([{"uri": params["rootUri"]}], [])
        elif params.get("rootPath"):
            path = Path(str(params["rootPath"]))
            self._folders[str(path)] = path

    def change(self, added: Sequence[Any], removed: Sequence[Any]) -> tuple[list[Path], list[Path]]:
        """Apply a change and return what really came and went; what is no folder is passed over."""
        before = set(self.paths)
        for uri in _uris(removed):
            self._folders.pop(uri, None)
        for uri in _uris(added):
            path = to_path(uri)
            if path is not None:
                self._folders[uri] = path
        after = self.paths
        return (
            [path for path in after if path not in before],
            [path for path in before if path not in after],
        )

    def of(self, path: Path) -> Path | None:
        """The innermost folder that holds a path."""
        holding = [root for root in self.paths if is_inside(path, root)]
        return max(holding, key=lambda root: len(root.parts), default=None)

    def first(self) -> Path | None:
        """The folder for what belongs to none (untitled buffers)."""
        return next(iter(self.paths), None)


def _uris(folders: Sequence[Any]) -> list[str]:
    return [str(each.get("uri")) for each in folders if isinstance(each, dict)]


def marked_root(path: Path, markers: Sequence[str]) -> Path:
    """Root for a file outside the workspace: the nearest folder above with a marker, else its own.

    A folder as high as the home folder or the file system's root is never taken.
    """
    home = Path.home()
    for folder in path.parents:
        if folder in (home, *home.parents):
            break
        if any((folder / marker).exists() for marker in markers):
            return folder
    return path.parent
