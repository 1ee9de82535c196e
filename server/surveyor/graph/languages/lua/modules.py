"""Lua: files by the dotted names that are required."""

from __future__ import annotations

import posixpath

from surveyor.graph.languages.modules import ModuleFinder
from surveyor.graph.resolve.tree import EXTERNAL, shared_folders
from surveyor.graph.resolve.values import Value

__all__ = ["RequiredModules"]


class RequiredModules(ModuleFinder):
    """`a.b` is `a/b.lua` or `a/b/init.lua` in any folder, the nearest of several."""

    def module(self, module: str, path: str) -> tuple[list[Value], str]:
        """The file that a name means."""
        folder = posixpath.dirname(path)
        base = module.removesuffix(".lua") if "/" in module else module.replace(".", "/")
        for name in (f"{base}.lua", f"{base}/init.lua"):
            matches = [
                file
                for file in self._tree.by_name.get(posixpath.basename(name), ())
                if file == name or file.endswith("/" + name.removeprefix("./"))
            ]
            if matches:
                best = max(matches, key=lambda file: (shared_folders(file, folder), -len(file)))
                return [Value("module", best)], ""
        return [], EXTERNAL
