"""Ruby: files by what is required."""

from __future__ import annotations

import posixpath

from surveyor.graph.languages.modules import ModuleFinder
from surveyor.graph.languages.script_paths import required
from surveyor.graph.resolve.values import Value

__all__ = ["RequiredFiles"]


class RequiredFiles(ModuleFinder):
    """Files beside the file, in `lib` and its like, or anywhere."""

    def module(self, module: str, path: str) -> tuple[list[Value], str]:
        """The file that is required by a path without its ending."""
        return required(self._tree, module, posixpath.dirname(path), ".rb")
