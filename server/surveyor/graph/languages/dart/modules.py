"""Dart: files by relative paths, and by the names of packages."""

from __future__ import annotations

import posixpath
import re

from surveyor.graph.languages.modules import ModuleFinder
from surveyor.graph.resolve.tree import EXTERNAL, MISSING, Tree
from surveyor.graph.resolve.values import Value

__all__ = ["DartLibraries"]

_PACKAGE = "package:"


class DartLibraries(ModuleFinder):
    """`package:a/b.dart` is `lib/b.dart` of the package whose pubspec.yaml has that name."""

    def __init__(self, tree: Tree) -> None:
        super().__init__(tree)
        self._packages: dict[str, str] = {}
        for manifest in tree.by_name.get("pubspec.yaml", ()):
            if match := re.search(r"^name:\s*([\w]+)", tree.read(manifest) or "", re.MULTILINE):
                self._packages.setdefault(match[1], posixpath.dirname(manifest))

    def module(self, module: str, path: str) -> tuple[list[Value], str]:
        """The file of a URI."""
        if module.startswith("dart:"):
            return [], EXTERNAL
        if not module.startswith(_PACKAGE):
            found = posixpath.normpath(posixpath.join(posixpath.dirname(path), module))
            return ([Value("module", found)], "") if found in self._tree.files else ([], MISSING)
        name, _, rest = module.removeprefix(_PACKAGE).partition("/")
        folder = self._packages.get(name)
        if folder is None:
            return [], EXTERNAL
        found = posixpath.join(folder, "lib", rest)
        return ([Value("module", found)], "") if found in self._tree.files else ([], MISSING)
