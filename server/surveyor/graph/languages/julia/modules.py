"""Julia: packages, whose files are put together by `include`."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable

from surveyor.graph.languages.modules import ModuleFinder
from surveyor.graph.resolve.tree import EXTERNAL, MISSING, Tree
from surveyor.graph.resolve.values import Value

__all__ = ["JuliaPackages"]

_KEY = "julia:"
"""Before the folder in the key of a package."""
_PARTS = frozenset({"src", "test", "ext", "benchmark", "docs", "examples", "perf"})


class JuliaPackages(ModuleFinder):
    """All files below a package's `src` see each other; its tests see them too."""

    def __init__(self, tree: Tree) -> None:
        super().__init__(tree)
        self._roots = {posixpath.dirname(path) for path in tree.by_name.get("Project.toml", ())}
        self._sources: dict[str, list[str]] = {}
        for path in tree.files:
            if path.endswith(".jl"):
                self._sources.setdefault(self._root(path), []).append(path)

    def module(self, module: str, path: str) -> tuple[list[Value], str]:
        """An included file; a package of the project by the file that has its name."""
        if module.endswith(".jl"):
            found = posixpath.normpath(posixpath.join(posixpath.dirname(path), module))
            return ([Value("module", found)], "") if found in self._tree.files else ([], MISSING)
        name = module.strip(".").partition(".")[0]
        for file in self._tree.by_name.get(f"{name}.jl", ()):
            if posixpath.basename(posixpath.dirname(file)) == "src" or module.startswith("."):
                return [Value("module", file)], ""
        return [], MISSING if module.startswith(".") else EXTERNAL

    def scopes(self, path: str, package: str) -> Iterable[str]:
        """The package of the file."""
        return (_KEY + self._root(path),)

    def package_files(self, key: str, path: str) -> list[str]:
        """The sources of a package, those of its tests for these alone."""
        files = self._sources.get(key.removeprefix(_KEY), [])
        folder = posixpath.dirname(path)
        return [
            file for file in files if "/src/" in f"/{file}" or posixpath.dirname(file) == folder
        ]

    def _root(self, path: str) -> str:
        """The folder of the package that a file is of."""
        folder = posixpath.dirname(path)
        while folder:
            name = posixpath.basename(folder)
            if folder in self._roots and name not in _PARTS:
                return folder
            if name in _PARTS:
                return posixpath.dirname(folder)
            folder = posixpath.dirname(folder)
        return folder
