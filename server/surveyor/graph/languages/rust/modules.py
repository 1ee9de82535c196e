"""Rust: paths of modules to files, across the crates of a workspace."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping

from surveyor.files.structured import StructureError, mapping, parse_toml, text
from surveyor.graph.languages.modules import ModuleFinder
from surveyor.graph.resolve.tree import EXTERNAL, Tree
from surveyor.graph.resolve.values import Value

__all__ = ["RustModules"]

_TARGETS = (
    ("test", "tests", "autotests"),
    ("bench", "benches", "autobenches"),
    ("example", "examples", "autoexamples"),
    ("bin", "src/bin", "autobins"),
)
"""What a package is made of besides its library: the tables of its manifest, the folder that is
searched for more, and the key that ends that."""


_MODULE = re.compile(r"^\s*(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)\s*;", re.MULTILINE)


_PATH = re.compile(
    r'^\s*#\[path\s*=\s*"([^"]+)"\]\s*(?:#\[[^\n]*\]\s*)*(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)\s*;',
    re.MULTILINE,
)
_DEPENDENCIES = ("dependencies", "dev-dependencies", "build-dependencies")


class RustModules(ModuleFinder):
    """Crates, and the files of `mod name;`."""

    by_file = True

    def __init__(self, tree: Tree) -> None:
        super().__init__(tree)
        self._crates: dict[str, str] | None = None
        self._roots: set[str] | None = None
        self._declared: dict[str, frozenset[str]] = {}
        self._paths: dict[str, dict[str, str]] = {}
        """Of files the modules that have a file of another name, with that file."""

    def crates(self) -> dict[str, str]:
        """Crate name -> its root module's file."""
        if self._crates is None:
            self._crates = {}
            renamed: dict[str, str] = {}
            for path in self._tree.by_name.get("Cargo.toml", ()):
                try:
                    data = parse_toml(self._tree.read(path) or "")
                except StructureError:
                    continue
                base = posixpath.dirname(path)
                renamed |= _renamed(data)
                name = text(mapping(data.get("package")).get("name"))
                library = mapping(data.get("lib"))
                for root in (text(library.get("path")), "src/lib.rs", "src/main.rs"):
                    file = posixpath.normpath(posixpath.join(base, root)) if root else ""
                    if name and file in self._tree.files:
                        crate = (text(library.get("name")) or name).replace("-", "_")
                        self._crates.setdefault(crate, file)
                        break
            for name, crate in renamed.items():
                if crate in self._crates:
                    self._crates.setdefault(name, self._crates[crate])
        return self._crates

    def roots(self) -> set[str]:
        """The files that are crates of their own by what Cargo makes of a package: its build
        script, tests, benches, examples and further programs."""
        if self._roots is None:
            self._roots = set()
            for path in self._tree.by_name.get("Cargo.toml", ()):
                try:
                    data = parse_toml(self._tree.read(path) or "")
                except StructureError:
                    continue
                self._roots |= self._roots_of(posixpath.dirname(path), data)
        return self._roots

    def _roots_of(self, base: str, data: Mapping[str, object]) -> set[str]:
        """Those of one package."""
        package = mapping(data.get("package"))
        found = {posixpath.join(base, text(package.get("build")) or "build.rs")}
        for key, folder, switch in _TARGETS:
            listed = data.get(key)
            for target in listed if isinstance(listed, list) else ():
                if path := text(mapping(target).get("path")):
                    found.add(posixpath.normpath(posixpath.join(base, path)))
                elif name := text(mapping(target).get("name")):
                    found.add(posixpath.join(base, folder, f"{name}.rs"))
            if package and package.get(switch) is not False:
                found.update(self._tree.in_folder.get(posixpath.join(base, folder), ()))
        return {path for path in found if path.endswith(".rs") and path in self._tree.files}

    def crate_root(self, path: str) -> str:
        """The root module of the crate that a file belongs to."""
        if path in self.roots():
            return path
        folder = posixpath.dirname(path)
        while True:
            if own := self._declaring(folder, path):
                return own
            for name in ("lib.rs", "main.rs"):
                candidate = posixpath.join(folder, name)
                if candidate in self._tree.files:
                    return candidate
            if found := self._only_root(folder) or self._root_with(folder, path):
                return found
            if not folder:
                return path
            folder = posixpath.dirname(folder)

    def _declaring(self, folder: str, path: str) -> str:
        """Of a library and a program in one folder the one whose module a file is in, or which it
        is; empty where there is one of them alone, or both declare the module."""
        both = [posixpath.join(folder, name) for name in ("lib.rs", "main.rs")]
        if path in both or any(root not in self._tree.files for root in both):
            return path if path in both else ""
        name = path.removeprefix(f"{folder}/").partition("/")[0].removesuffix(".rs")
        found = [root for root in both if name in self._declared_in(root)]
        return found[0] if len(found) == 1 else ""

    def _declared_in(self, root: str) -> frozenset[str]:
        """The modules that a file declares to have files of their own."""
        if root not in self._declared:
            self._declared[root] = frozenset(_MODULE.findall(self._tree.read(root) or ""))
        return self._declared[root]

    def _only_root(self, folder: str) -> str:
        """The one file of a folder that is a crate of its own; empty where none or several are."""
        found = [path for path in self._tree.in_folder.get(folder, ()) if path in self.roots()]
        return found[0] if len(found) == 1 else ""

    def _root_with(self, folder: str, path: str) -> str:
        """Of the programs of a folder (`tests`) the one that declares a file below it a module of
        its own; empty where none does, or several."""
        name = path.removeprefix(f"{folder}/").partition("/")[0]
        found = [
            root
            for root in self._tree.in_folder.get(folder, ())
            if root in self.roots()
            and (name in self._declared_in(root) or path in self._said_in(root).values())
        ]
        return found[0] if len(found) == 1 else ""

    def module(self, module: str, path: str) -> tuple[list[Value], str]:
        """What the path of a module means in a file; when nothing, why."""
        parts = [part for part in module.split("::") if part]
        if not parts:
            return [Value("module", path)], ""
        head, rest = parts[0], parts[1:]
        if head == "crate":
            current = Value("module", self.crate_root(path))
        elif head == "self":
            current = Value("module", path)
        elif head == "super":
            current = self.parent(path)
            while rest[:1] == ["super"]:
                current, rest = self.parent(current.path), rest[1:]
        elif inner := self._below(path, head):  # a crate may have its name too
            current = inner
        elif head in self.crates():
            current = Value("module", self.crates()[head])
        else:
            return [], EXTERNAL
        for part in rest:
            inner = self.child(current, part) or self._said(current, part)
            if inner is None:
                # Inside the file: a module that stands there, an enum, a re-export. A module may
                # have files below it all the same.
                around = f"{current.qualname}." if current.qualname else ""
                inner = Value("module", current.path, around + part)
            current = inner
        return [current], ""

    def submodule(self, value: Value, name: str) -> list[Value]:
        """The file of `mod name;`."""
        child = self.child(value, name) if value.tag == "module" else None
        return [child] if child else []

    def _said(self, value: Value, name: str) -> Value | None:
        """The file that `#[path = "other.rs"]` gives a module of a file."""
        path = self._said_in(value.path).get(name, "") if not value.qualname else ""
        return Value("module", path) if path in self._tree.files else None

    def _said_in(self, path: str) -> Mapping[str, str]:
        """The files that a file gives modules so, by these."""
        said = self._paths.get(path)
        if said is None:
            folder = posixpath.dirname(path)
            said = self._paths[path] = {
                module: posixpath.normpath(posixpath.join(folder, other))
                for other, module in _PATH.findall(self._tree.read(path) or "")
            }
        return said

    def _below(self, path: str, name: str) -> Value | None:
        """A module that a file has; of programs also one of which they say where it is."""
        file = Value("module", path)
        return self.child(file, name) or (self._said(file, name) if path in self.roots() else None)

    def root(self, name: str) -> Value | None:
        """The root module of a crate of the workspace."""
        file = self.crates().get(name)
        return Value("module", file) if file is not None else None

    def child(self, value: Value, name: str) -> Value | None:
        """The file of `mod name;` in a module."""
        folder, base = posixpath.split(value.path)
        stem = base.removesuffix(".rs")
        is_root = stem in ("mod", "lib", "main") or value.path in self.roots()
        inside = folder if is_root else posixpath.join(folder, stem)
        if value.qualname:
            inside = posixpath.join(inside, *value.qualname.split("."))
        for candidate in (
            posixpath.join(inside, name + ".rs"), posixpath.join(inside, name, "mod.rs"),
        ):  # fmt: skip
            if candidate in self._tree.files and candidate != value.path:
                return Value("module", candidate)
        return None

    def parent(self, path: str) -> Value:
        """The module that a file's module is declared in."""
        folder, base = posixpath.split(path)
        place = path
        if base == "mod.rs":
            folder, place = posixpath.dirname(folder), folder
        if (own := self._declaring(folder, place)) and own != path:
            return Value("module", own)
        for candidate in ("mod.rs", "lib.rs", "main.rs"):
            joined = posixpath.join(folder, candidate)
            if joined in self._tree.files and joined != path:
                return Value("module", joined)
        beside = folder + ".rs"
        if beside in self._tree.files:
            return Value("module", beside)
        return Value("module", self._only_root(folder) or path)


def _renamed(manifest: Mapping[str, object]) -> dict[str, str]:
    """What a package calls crates that have another name: `core2 = { package = "shop-core" }`."""
    holders = [manifest, mapping(manifest.get("workspace"))]
    holders += [mapping(each) for each in mapping(manifest.get("target")).values()]
    return {
        name.replace("-", "_"): crate.replace("-", "_")
        for holder in holders
        for key in _DEPENDENCIES
        for name, told in mapping(holder.get(key)).items()
        if (crate := text(mapping(told).get("package")))
    }
