"""Rust: paths of modules to files, across the crates of a workspace."""

from __future__ import annotations

import posixpath

from surveyor.files.structured import StructureError, mapping, parse_toml, text
from surveyor.graph.languages.modules import ModuleFinder
from surveyor.graph.resolve.tree import EXTERNAL, Tree
from surveyor.graph.resolve.values import Value

__all__ = ["RustModules"]


class RustModules(ModuleFinder):
    """Crates, and the files of `mod name;`."""

    by_file = True

    def __init__(self, tree: Tree) -> None:
        super().__init__(tree)
        self._crates: dict[str, str] | None = None

    def crates(self) -> dict[str, str]:
        """Crate name -> its root module's file."""
        if self._crates is None:
            self._crates = {}
            for path in self._tree.by_name.get("Cargo.toml", ()):
                try:
                    data = parse_toml(self._tree.read(path) or "")
                except StructureError:
                    continue
                base = posixpath.dirname(path)
                name = text(mapping(data.get("package")).get("name"))
                library = mapping(data.get("lib"))
                for root in (text(library.get("path")), "src/lib.rs", "src/main.rs"):
                    file = posixpath.normpath(posixpath.join(base, root)) if root else ""
                    if name and file in self._tree.files:
                        crate = (text(library.get("name")) or name).replace("-", "_")
                        self._crates.setdefault(crate, file)
                        break
        return self._crates

    def crate_root(self, path: str) -> str:
        """The root module of the crate that a file belongs to."""
        folder = posixpath.dirname(path)
        while True:
            for name in ("lib.rs", "main.rs"):
                candidate = posixpath.join(folder, name)
                if candidate in self._tree.files:
                    return candidate
            if not folder:
                return path
            folder = posixpath.dirname(folder)

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
        elif inner := self.child(Value("module", path), head):  # a crate may have its name too
            current = inner
        elif head in self.crates():
            current = Value("module", self.crates()[head])
        else:
            return [], EXTERNAL
        for index, part in enumerate(rest):
            inner = self.child(current, part)
            if inner is None:
                # The rest is inside the file: an inline module, an enum, a re-export.
                return [Value("module", current.path, ".".join(rest[index:]))], ""
            current = inner
        return [current], ""

    def submodule(self, value: Value, name: str) -> list[Value]:
        """The file of `mod name;`; of what is inside of a file, nothing."""
        child = self.child(value, name) if value.tag == "module" and not value.qualname else None
        return [child] if child else []

    def root(self, name: str) -> Value | None:
        """The root module of a crate of the workspace."""
        file = self.crates().get(name)
        return Value("module", file) if file is not None else None

    def child(self, value: Value, name: str) -> Value | None:
        """The file of `mod name;` in a module."""
        folder, base = posixpath.split(value.path)
        stem = base.removesuffix(".rs")
        inside = folder if stem in ("mod", "lib", "main") else posixpath.join(folder, stem)
        for candidate in (
            posixpath.join(inside, name + ".rs"), posixpath.join(inside, name, "mod.rs"),
        ):  # fmt: skip
            if candidate in self._tree.files:
                return Value("module", candidate)
        return None

    def parent(self, path: str) -> Value:
        """The module that a file's module is declared in."""
        folder, base = posixpath.split(path)
        if base == "mod.rs":
            folder = posixpath.dirname(folder)
        for candidate in ("mod.rs", "lib.rs", "main.rs"):
            joined = posixpath.join(folder, candidate)
            if joined in self._tree.files and joined != path:
                return Value("module", joined)
        beside = folder + ".rs"
        return Value("module", beside if beside in self._tree.files else path)
