"""Swift: modules are the folders of a package's targets; all files of one see each other."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable

from surveyor.graph.languages.modules import ModuleFinder
from surveyor.graph.resolve.tree import EXTERNAL, Tree
from surveyor.graph.resolve.values import Value

__all__ = ["SwiftModules"]

_KEY = "swift:"
"""Before the folder in the key of a target."""
_TARGET = re.compile(r'arget\(\s*name:\s*"([^"]+)"(?:(?!arget\()[^"]|"[^"]*")*?\bpath:\s*"([^"]+)"')
_HOLDERS = frozenset({"Sources", "Source", "Tests", "Plugins", "Examples", "Benchmarks"})
"""Folders whose folders are targets, as the package manager lays them out."""


class SwiftModules(ModuleFinder):
    """Targets by what Package.swift calls them, or by the names of their folders."""

    def __init__(self, tree: Tree) -> None:
        super().__init__(tree)
        self._files: dict[str, list[str]] = {}
        """Folder of a target -> its files."""
        self._of: dict[str, str] = {}
        self._named: dict[str, str] = self._told()
        told = sorted(self._named.values(), key=len, reverse=True)
        for path in tree.files:
            if path.endswith(".swift"):
                folder = next((f for f in told if path.startswith(f"{f}/")), _target(path))
                self._of[path] = folder
                self._files.setdefault(folder, []).append(path)
        for folder in self._files:
            self._named.setdefault(posixpath.basename(folder), folder)

    def _told(self) -> dict[str, str]:
        """Targets with a path of their own in a manifest."""
        found = {}
        for manifest in self._tree.by_name.get("Package.swift", ()):
            folder = posixpath.dirname(manifest)
            for name, path in _TARGET.findall(self._tree.read(manifest) or ""):
                found[name] = posixpath.normpath(posixpath.join(folder, path))
        return found

    def module(self, module: str, path: str) -> tuple[list[Value], str]:
        """The target of a name."""
        folder = self._named.get(module)
        if folder is None or folder not in self._files:
            return [], EXTERNAL
        return [Value("package", _KEY + folder)], ""

    def root(self, name: str) -> Value | None:
        """The target of a name, which its own files know as well: `Shapes.open()`."""
        found, _ = self.module(name, "")
        return found[0] if found else None

    def scopes(self, path: str, package: str) -> Iterable[str]:
        """The target of the file."""
        return (_KEY + self._of[path],) if path in self._of else ()

    def package_files(self, key: str, path: str) -> list[str]:
        """The files of a target."""
        return self._files.get(key.removeprefix(_KEY), [])


def _target(path: str) -> str:
    """The folder of the target that a file is in: the one below `Sources` or `Tests`."""
    parts = path.split("/")[:-1]
    for index, part in enumerate(parts):
        if part in _HOLDERS:
            return "/".join(parts[: index + 2])
    return "/".join(parts[:1])
