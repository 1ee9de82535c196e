"""Shells: files by the ends of their paths."""

from __future__ import annotations

import posixpath

from surveyor.graph.languages.modules import ModuleFinder
from surveyor.graph.resolve.tree import MISSING, shared_folders
from surveyor.graph.resolve.values import Value

__all__ = ["SourcedFiles"]

_ENDINGS = ("", ".bash", ".sh", ".zsh")


class SourcedFiles(ModuleFinder):
    """A sourced file is beside, or where the constant end of its path says: the nearest of them."""

    def module(self, module: str, path: str) -> tuple[list[Value], str]:
        """The file that a path means, whose beginning may not be known."""
        folder = posixpath.dirname(path)
        end = posixpath.normpath(module).removeprefix("../").removeprefix("../")
        for ending in _ENDINGS:
            if found := self._tree.near(module + ending, folder):
                return [Value("module", found)], ""
            matches = [
                file
                for file in self._tree.by_name.get(posixpath.basename(end) + ending, ())
                if file == end + ending or file.endswith(f"/{end}{ending}")
            ]
            if matches:
                best = max(matches, key=lambda file: (shared_folders(file, folder), -len(file)))
                return [Value("module", best)], ""
        return [], MISSING
