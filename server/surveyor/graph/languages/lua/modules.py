"""Lua: files by the dotted names that are required."""

from __future__ import annotations

import posixpath

from surveyor.graph.languages.modules import ModuleFinder
from surveyor.graph.resolve.tree import EXTERNAL, shared_folders
from surveyor.graph.resolve.values import Value

__all__ = ["RequiredModules"]


_SOURCED = frozenset(
    {"after", "autoload", "colors", "compiler", "ftdetect", "ftplugin", "indent", "keymap", "lsp",
     "plugin", "syntax"}
)  # fmt: skip
"""Folders of an editor's plugin whose files are run by their place and are required by nobody."""
_ROOTS = frozenset({"", "lua", "src", "lib"})
"""Names of folders that modules are often found from."""


class RequiredModules(ModuleFinder):
    """`a.b` is `a/b.lua` or `a/b/init.lua` in any folder, the nearest of several."""

    def module(self, module: str, path: str) -> tuple[list[Value], str]:
        """The file that a name means."""
        folder = posixpath.dirname(path)
        base = module.removesuffix(".lua") if "/" in module else module.replace(".", "/")
        base = base.removeprefix("./")
        matches = [
            (file, posixpath.basename(file.removesuffix(name).rstrip("/")), rank)
            for rank, name in enumerate((f"{base}/init.lua", f"{base}.lua"))
            for file in self._tree.by_name.get(posixpath.basename(name), ())
            if file == name or file.endswith("/" + name)
        ]
        if not matches:
            return [], EXTERNAL
        best, *_ = max(
            matches,
            key=lambda match: (
                match[1] not in _SOURCED,
                shared_folders(match[0], folder),
                match[1] in _ROOTS,
                match[2],  # a file before a folder
                -len(match[0]),
            ),
        )
        return [Value("module", best)], ""
