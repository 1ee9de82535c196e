"""Zig: files by their paths, and packages by what build.zig calls them."""

from __future__ import annotations

import posixpath
import re

from surveyor.graph.languages.modules import ModuleFinder
from surveyor.graph.languages.zig.values import THIS_FILE
from surveyor.graph.resolve.tree import EXTERNAL, MISSING, Tree, shared_folders
from surveyor.graph.resolve.values import Value

__all__ = ["ZigModules"]

_BUILD = "build.zig"
_TOLD = re.compile(
    r'(?:addModule|createModule|addImport)\(\s*(?:"([^"]+)",)?(?:(?!\b(?:addModule|createModule|'
    r"addExecutable|addTest|addLibrary|addStaticLibrary)\().)*?"
    r'root_source_file\s*=\s*(?:b\.path\(|\.\{\s*\.path\s*=\s*)"([^"]+)"',
    re.S,
)
_NAMED = re.compile(r'addImport\(\s*"([^"]+)"|\.name\s*=\s*"([^"]+)"')
_ROOTS = ("src/{0}.zig", "{0}.zig", "src/root.zig", "src/lib.zig", "src/main.zig")
"""Where the root of a package lies, where its build.zig does not say it in one place."""


class ZigModules(ModuleFinder):
    """Files, and the packages of the builds around them."""

    by_file = True

    def __init__(self, tree: Tree) -> None:
        super().__init__(tree)
        self._packages: list[tuple[str, str]] | None = None
        """(name, root file), of the whole checkout."""

    def module(self, module: str, path: str) -> tuple[list[Value], str]:
        """The file that is imported under a name."""
        if module == THIS_FILE:
            return [Value("module", path)], ""
        folder = posixpath.dirname(path)
        if module.endswith((".zig", ".zon")):
            found = posixpath.normpath(posixpath.join(folder, module))
            return ([Value("module", found)], "") if found in self._tree.files else ([], MISSING)
        if module == "root":
            return [], EXTERNAL
        files = [file for name, file in self._known() if name == module]
        if not files:
            return [], EXTERNAL
        return [Value("module", max(files, key=lambda file: shared_folders(file, folder)))], ""

    def _known(self) -> list[tuple[str, str]]:
        if self._packages is None:
            self._packages = []
            for manifest in self._tree.by_name.get(_BUILD, ()):
                folder = posixpath.dirname(manifest)
                said = self._tree.read(manifest) or ""
                told = [(name, source) for name, source in _TOLD.findall(said) if name]
                names = {one or other for one, other in _NAMED.findall(said)}
                names -= {name for name, _ in told}
                for name in sorted(names):
                    told += [(name, root.format(name)) for root in _ROOTS[:2]]
                for name, source in told:
                    file = posixpath.normpath(posixpath.join(folder, source))
                    if file in self._tree.files:
                        self._packages.append((name, file))
        return self._packages
