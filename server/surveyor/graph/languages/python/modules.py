"""Python: dotted names to files, from the roots that absolute imports start at."""

from __future__ import annotations

import posixpath
from collections import defaultdict

from surveyor.graph.languages.modules import ModuleFinder
from surveyor.graph.resolve.tree import EXTERNAL, MISSING, Tree, shared_folders
from surveyor.graph.resolve.values import Value

__all__ = ["PythonModules"]

_NOWHERE: set[str] = set()


class PythonModules(ModuleFinder):
    """Packages, modules and folders that are packages without saying so."""

    def __init__(self, tree: Tree) -> None:
        super().__init__(tree)
        self._roots: list[str] | None = None
        self._near: dict[str, list[str]] = {}
        self._tops: dict[str, set[str]] | None = None

    def roots(self) -> list[str]:
        """Folders that absolute imports start from: parents of outermost packages, and `src`."""
        if self._roots is None:
            roots = {""}
            for folder in self._tree.folders:
                if posixpath.join(folder, "__init__.py") in self._tree.files:
                    parent = posixpath.dirname(folder)
                    if posixpath.join(parent, "__init__.py") not in self._tree.files:
                        roots.add(parent)
                elif posixpath.basename(folder) in ("src", "lib", "python"):
                    roots.add(folder)
            self._roots = sorted(roots, key=lambda root: (root.count("/"), root))
        return self._roots

    def module(self, module: str, path: str) -> tuple[list[Value], str]:
        """What a dotted name means in the folder of a file; when nothing, why."""
        folder = posixpath.dirname(path)
        if module.startswith("."):
            dots = len(module) - len(module.lstrip("."))
            base = folder
            for _ in range(dots - 1):
                base = posixpath.dirname(base)
            found = self._file(base, module[dots:])
            if not found and not module[dots:] and base in self._tree.folders:
                found = [Value("folder", base)]  # a package that does not say that it is one
            return (found, "") if found else ([], MISSING)
        head = module.partition(".")[0]
        roots = self._roots_of(head)
        if folder not in self._near:
            # The nearest root first: a project may vendor a package under the same name.
            near = sorted(self.roots(), key=lambda root: -shared_folders(root, folder))
            near = [folder, *(root for root in near if root != folder)]
            inside = bool(folder) and posixpath.join(folder, "__init__.py") in self._tree.files
            self._near[folder] = near[1:] if inside else near
        folders: list[Value] = []
        for root in self._near[folder] if roots else ():
            if root not in roots:
                continue
            found = self._file(root, module)
            if found and found[0].tag == "module":
                return found, ""
            folders.extend(found)
        if folders:
            return folders[:1], ""
        known = any(root in roots for root in self.roots())
        return [], MISSING if known else EXTERNAL

    def _roots_of(self, name: str) -> set[str]:
        """Folders that have a Python module, package or folder of a name."""
        if self._tops is None:
            self._tops = defaultdict(set)
            for path in self._tree.folders:
                folder, base = posixpath.split(path)
                self._tops[base].add(folder)
            for path in self._tree.files:
                if path.endswith((".py", ".pyi")):
                    folder, base = posixpath.split(path)
                    self._tops[base.partition(".")[0]].add(folder)
        return self._tops.get(name, _NOWHERE)

    def _file(self, root: str, module: str) -> list[Value]:
        inner = module.replace(".", "/")
        base = f"{root}/{inner}" if root and inner else root or inner
        for candidate in (
            f"{base}/__init__.py" if base else "__init__.py",
            f"{base}.py",
            f"{base}.pyi",
            f"{base}/__init__.pyi" if base else "__init__.pyi",
        ):
            if candidate in self._tree.files:
                return [Value("module", candidate)]
        return [Value("folder", base)] if base in self._tree.folders and module else []

    def submodule(self, value: Value, name: str) -> list[Value]:
        """`name` below a Python package or folder."""
        if value.tag == "folder":
            return self._file(value.path, name)
        if posixpath.basename(value.path).startswith("__init__."):
            return self._file(posixpath.dirname(value.path), name)
        return []
