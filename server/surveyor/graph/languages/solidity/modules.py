"""Solidity: files by relative paths, by remappings, and by the ends of their paths."""

from __future__ import annotations

import posixpath
import re

from surveyor.graph.languages.modules import ModuleFinder
from surveyor.graph.resolve.tree import EXTERNAL, MISSING, Tree, shared_folders
from surveyor.graph.resolve.values import Value

__all__ = ["Sources"]

_MANIFESTS = ("remappings.txt", "foundry.toml")
_REMAPPING = re.compile(r"^\s*[\"']?(?:[^\"'=\s:]*:)?([^\"'=\s]+/)=([^\"'\s,]+)", re.MULTILINE)


class Sources(ModuleFinder):
    """Files as the compiler finds them, with what remappings say."""

    def __init__(self, tree: Tree) -> None:
        super().__init__(tree)
        self._remapped: list[tuple[str, str]] = []
        for name in _MANIFESTS:
            for manifest in tree.by_name.get(name, ()):
                folder = posixpath.dirname(manifest)
                for prefix, target in _REMAPPING.findall(tree.read(manifest) or ""):
                    self._remapped.append((prefix, posixpath.join(folder, target)))
        self._remapped.sort(key=lambda item: -len(item[0]))

    def module(self, module: str, path: str) -> tuple[list[Value], str]:
        """The file of a path."""
        folder = posixpath.dirname(path)
        if module.startswith("."):
            found = posixpath.normpath(posixpath.join(folder, module))
            return ([Value("module", found)], "") if found in self._tree.files else ([], MISSING)
        names = [module]
        names += [
            posixpath.normpath(target + module.removeprefix(prefix))
            for prefix, target in self._remapped
            if module.startswith(prefix)
        ]
        for name in names:
            if name in self._tree.files:
                return [Value("module", name)], ""
        end = module.partition("/")[2] or module
        matches = [
            file
            for file in self._tree.by_name.get(posixpath.basename(module), ())
            if file.endswith((f"/{module}", f"/{end}"))
        ]
        if not matches:
            return [], EXTERNAL
        best = max(matches, key=lambda file: (shared_folders(file, folder), -len(file), file))
        return [Value("module", best)], ""
