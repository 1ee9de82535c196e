"""From the name of a module, as written in an import, to files of the checkout.

Pure path arithmetic over the set of files, with the manifests that move names around:
tsconfig.json, package.json, go.mod, Cargo.toml. Manifests are read once per resolver.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict

from surveyor.graph.resolve.ecmascript_modules import ScriptModules
from surveyor.graph.resolve.model import File, Source, Value
from surveyor.graph.resolve.python_modules import PythonModules
from surveyor.graph.resolve.rust_modules import RustModules
from surveyor.graph.resolve.tree import EXTERNAL, MISSING, Tree, shared_folders

__all__ = ["Layout"]


class Layout:
    """Module names to files, for all languages."""

    def __init__(self, source: Source) -> None:
        self._tree = Tree(source)
        self.in_folder = self._tree.in_folder
        self.python = PythonModules(self._tree)
        self.scripts = ScriptModules(self._tree)
        self.rust = RustModules(self._tree)
        self.packages: dict[str, list[str]] = defaultdict(list)
        for path, package in sorted(self._tree.files.items()):
            if package:
                self.packages[package].append(path)
        self._go: list[tuple[str, str]] | None = None
        self._memo: dict[tuple[str, str, str], tuple[list[Value], str]] = {}

    def module(self, module: str, file: File) -> tuple[list[Value], str]:
        """What a module name means in a file; when nothing, why."""
        key = (module, file.folder if file.language != "rust" else file.path, file.family)
        found = self._memo.get(key)
        if found is None:
            found = self._memo[key] = self._module(module, file, file.folder)
        return found

    def _module(self, module: str, file: File, folder: str) -> tuple[list[Value], str]:
        if module.startswith("file:"):
            found = self._path(module[5:], folder)
            return ([Value("module", found)], "") if found else ([], MISSING)
        match file.family:
            case "python":
                return self.python.module(module, folder)
            case "ecmascript":
                return self.scripts.module(module, folder)
            case "go":
                return self._go_package(module)
            case "rust":
                return self.rust.module(module, file)
            case "c":
                return self._include(module, folder)
            case "java" | "csharp" | "php" if module in self.packages:
                return [Value("package", module)], ""
            case "java":
                return self._java(module)
            case "ruby" | "php":
                return self._script(module, folder, file.family)
        return [], EXTERNAL

    def _path(self, path: str, folder: str) -> str:
        """A file by a path that is relative to the file's folder or to the root."""
        for base in (folder, ""):
            joined = posixpath.normpath(posixpath.join(base, path))
            if joined in self._tree.files:
                return joined
        return ""

    def _go_package(self, module: str) -> tuple[list[Value], str]:
        if self._go is None:
            self._go = []
            for path in self._tree.by_name.get("go.mod", ()):
                match = re.search(r"^module\s+\"?([^\s\"]+)", self._tree.read(path) or "", re.M)
                if match:
                    self._go.append((match[1], posixpath.dirname(path)))
            self._go.sort(key=lambda item: -len(item[0]))
        for name, base in self._go:
            if module == name or module.startswith(name + "/"):
                folder = posixpath.normpath(posixpath.join(base, module[len(name) + 1 :]))
                folder = "" if folder == "." else folder
                if any(path.endswith(".go") for path in self.in_folder.get(folder, ())):
                    return [Value("package", "go:" + folder)], ""
                return [], MISSING
        return [], EXTERNAL

    def _include(self, module: str, folder: str) -> tuple[list[Value], str]:
        if module[:1] not in '"<':  # a C++ namespace
            return [Value("namespace", module.replace("::", "."))], ""
        name = module.strip('"<> ')
        if found := self._path(name, folder):
            return [Value("module", found)], ""
        matches = [
            path
            for path in self._tree.by_name.get(posixpath.basename(name), ())
            if path == name or path.endswith("/" + name)
        ]
        if not matches:
            return [], EXTERNAL if module[0] == "<" else MISSING
        best = max(matches, key=lambda path: (shared_folders(path, folder), -len(path), path))
        return [Value("module", best)], ""

    def _java(self, module: str) -> tuple[list[Value], str]:
        """`a.b.C` where C is a class with static members or nested classes."""
        package, _, name = module.rpartition(".")
        parts = [name]
        while package:
            if package in self.packages:
                return [Value("package", package, ".".join(parts))], ""
            package, _, name = package.rpartition(".")
            parts.insert(0, name)
        return [], EXTERNAL

    def _script(self, module: str, folder: str, language: str) -> tuple[list[Value], str]:
        extension = ".rb" if language == "ruby" else ".php"
        name = module if module.endswith(extension) else module + extension
        if module.startswith("."):
            found = posixpath.normpath(posixpath.join(folder, name))
            return ([Value("module", found)], "") if found in self._tree.files else ([], MISSING)
        for base in ("", "lib", "src", "app", folder):
            candidate = posixpath.normpath(posixpath.join(base, name))
            if candidate in self._tree.files:
                return [Value("module", candidate)], ""
        for path in self._tree.by_name.get(posixpath.basename(name), ()):
            if path.endswith("/lib/" + name) or path.endswith("/" + name):
                return [Value("module", path)], ""
        return [], EXTERNAL
