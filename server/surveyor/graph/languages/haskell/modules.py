"""Haskell: modules by the names in their headers."""

from __future__ import annotations

from surveyor.graph.languages.modules import ModuleFinder
from surveyor.graph.resolve.tree import EXTERNAL, shared_folders
from surveyor.graph.resolve.values import Value

__all__ = ["HaskellModules"]


class HaskellModules(ModuleFinder):
    """A module is the file that says so; of several packages' that of the nearest."""

    def module(self, module: str, path: str) -> tuple[list[Value], str]:
        """The file of a module."""
        files = self._tree.packages.get(module, [])
        if not files:
            return [], EXTERNAL
        best = max(files, key=lambda file: (shared_folders(file, path), -len(file)))
        return [Value("module", best)], ""
