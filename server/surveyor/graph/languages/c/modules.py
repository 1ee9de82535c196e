"""C and C++: included files, and namespaces."""

from __future__ import annotations

import posixpath

from surveyor.graph.languages.modules import ModuleFinder
from surveyor.graph.resolve.tree import EXTERNAL, MISSING, shared_folders
from surveyor.graph.resolve.values import Value

__all__ = ["Includes"]


class Includes(ModuleFinder):
    """Files by what `#include` says: beside the file, else the nearest with such a path."""

    def module(self, module: str, path: str) -> tuple[list[Value], str]:
        """An included file; a C++ namespace by its name."""
        if module[:1] not in '"<':
            return [Value("namespace", module.replace("::", "."))], ""
        folder = posixpath.dirname(path)
        name = module.strip('"<> ')
        if found := self._tree.near(name, folder):
            return [Value("module", found)], ""
        matches = [
            file
            for file in self._tree.by_name.get(posixpath.basename(name), ())
            if file == name or file.endswith("/" + name)
        ]
        if not matches:
            return [], EXTERNAL if module[0] == "<" else MISSING
        best = max(matches, key=lambda file: (shared_folders(file, folder), -len(file), file))
        return [Value("module", best)], ""
