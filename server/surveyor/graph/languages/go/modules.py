"""Go: folders that are packages, by the module paths of go.mod."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable

from surveyor.graph.languages.modules import ModuleFinder
from surveyor.graph.resolve.tree import EXTERNAL, MISSING, Tree
from surveyor.graph.resolve.values import Value

__all__ = ["TESTS", "GoPackages", "heads"]

TESTS = "_test.go"
"""How files end that only each other sees."""
_FOLDER = "go:"
"""Before the folder in the key of a package."""


class GoPackages(ModuleFinder):
    """Packages by import path."""

    def __init__(self, tree: Tree) -> None:
        super().__init__(tree)
        self._modules: list[tuple[str, str]] | None = None

    def module(self, module: str, path: str) -> tuple[list[Value], str]:
        """The package of an import path."""
        if self._modules is None:
            self._modules = []
            for manifest in self._tree.by_name.get("go.mod", ()):
                text = self._tree.read(manifest) or ""
                match = re.search(r"^module\s+\"?([^\s\"]+)", text, re.M)
                if match:
                    self._modules.append((match[1], posixpath.dirname(manifest)))
            self._modules.sort(key=lambda item: -len(item[0]))
        for name, base in self._modules:
            if module == name or module.startswith(name + "/"):
                folder = posixpath.normpath(posixpath.join(base, module[len(name) + 1 :]))
                folder = "" if folder == "." else folder
                if any(file.endswith(".go") for file in self._tree.in_folder.get(folder, ())):
                    return [Value("package", _FOLDER + folder)], ""
                return [], MISSING
        return [], EXTERNAL

    def scopes(self, path: str, package: str) -> Iterable[str]:
        """The folder, whatever it says its package is called."""
        return (_FOLDER + posixpath.dirname(path),)

    def package_files(self, key: str, path: str) -> list[str]:
        """The sources in a folder; tests among them for the tests that lie there."""
        folder = key.removeprefix(_FOLDER)
        tests = path.endswith(TESTS) and posixpath.dirname(path) == folder
        return [
            file
            for file in self._tree.in_folder.get(folder, ())
            if file.endswith(".go") and (tests or not file.endswith(TESTS))
        ]


def heads(module: str) -> list[str]:
    """What a package may be called, as far as its path can say: chi of example.org/go-chi/v5."""
    parts = module.split("/")
    if len(parts) > 1 and re.fullmatch(r"v\d+", parts[-1]):
        parts.pop()
    last = parts[-1].split(".")[0]
    return list(dict.fromkeys([last, last.removeprefix("go-"), last.removesuffix("-go")]))
