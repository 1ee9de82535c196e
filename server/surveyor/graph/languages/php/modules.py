"""PHP: namespaces that files declare, and included files."""

from __future__ import annotations

import posixpath

from surveyor.graph.languages.modules import DeclaredPackages
from surveyor.graph.languages.script_paths import required
from surveyor.graph.resolve.values import Value

__all__ = ["NamespacesAndFiles"]


class NamespacesAndFiles(DeclaredPackages):
    """Namespaces, and files by the path that is included."""

    def _elsewhere(self, module: str, path: str) -> tuple[list[Value], str]:
        return required(self._tree, module, posixpath.dirname(path), ".php")
