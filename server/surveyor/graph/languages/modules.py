"""From the name of a module to files: what each family's `modules` says in its own way."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable

from surveyor.graph.resolve.tree import EXTERNAL, Tree
from surveyor.graph.resolve.values import Value
from surveyor.parsing.types import Import

__all__ = ["FAR", "DeclaredPackages", "ModuleFinder", "PackagesWithTypes"]

FAR = 2
"""The distance of a file that another one is not built with."""


class ModuleFinder:
    """Modules and packages of one family in one checkout; here of one that has none.

    Pure path arithmetic over the set of files, with the manifests that move names around, which
    are read once.
    """

    by_file = False
    """Whether what a module's name means differs between files of one folder."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    @classmethod
    def place(cls, path: str) -> str:
        """What of a file's path decides what a module's name means in it."""
        return path if cls.by_file else posixpath.dirname(path)

    def module(self, module: str, path: str) -> tuple[list[Value], str]:
        """What a module's name means in the file at `path`; when nothing, why."""
        return [], EXTERNAL

    def submodule(self, value: Value, name: str) -> list[Value]:
        """A module below a module, where folders are modules."""
        return []

    def root(self, name: str) -> Value | None:
        """A module that is known by its name everywhere without being imported."""
        return None

    def scopes(self, path: str, package: str) -> Iterable[str]:
        """Keys of the packages whose names a file sees without an import, innermost first.

        `package`: what the file says that it belongs to.
        """
        return ()

    def build_distance(self, path: str, other: str) -> int:
        """How far a file is from another one in the build: 0 in the same part of it, 1 where that
        is not known, or in a part that this one depends on, `FAR` in any other."""
        return 0

    def shared_imports(self, path: str) -> Iterable[Import]:
        """What manifests import for all files of the part of the build that a file is in."""
        return ()

    def package_files(self, key: str, path: str) -> list[str]:
        """The files that share a package's scope, as seen from the file at `path`."""
        return self._tree.packages.get(key, [])


class DeclaredPackages(ModuleFinder):
    """Packages that files say they belong to (Java, C#, PHP)."""

    def module(self, module: str, path: str) -> tuple[list[Value], str]:
        """A package by its dotted name."""
        if module in self._tree.packages:
            return [Value("package", module)], ""
        return self._elsewhere(module, path)

    def _elsewhere(self, module: str, path: str) -> tuple[list[Value], str]:
        """What a name means that is no package."""
        return [], EXTERNAL

    def scopes(self, path: str, package: str) -> Iterable[str]:
        """The package of the file."""
        return (package,) if package else ()

    def build_distance(self, path: str, other: str) -> int:
        """What is before `src` is the part: another one may have a package of the same name, and so
        may the sources for another platform."""
        if _part(path) != _part(other):
            return FAR
        theirs = _platform(other)
        return int(theirs not in ("", _COMMON) and theirs != _platform(path))


class PackagesWithTypes(DeclaredPackages):
    """Packages, and types whose members are named by an import (Java, C#)."""

    def _elsewhere(self, module: str, path: str) -> tuple[list[Value], str]:
        """`a.b.C` where C is a type with static members or nested types."""
        package, _, name = module.rpartition(".")
        parts = [name]
        while package:
            if package in self._tree.packages:
                return [Value("package", package, ".".join(parts))], ""
            package, _, name = package.rpartition(".")
            parts.insert(0, name)
        return [], EXTERNAL


def _part(path: str) -> str:
    before, source, _ = f"/{path}".partition("/src/")
    return _SOURCES.sub("", before) if source else ""


def _platform(path: str) -> str:
    """What the sources of a file are for, of several platforms: `jvm` of `src/jvmMain`."""
    found = _PLATFORM.search(path)
    return found[1] if found is not None else ""


_COMMON = "common"
_PLATFORM = re.compile(r"(?:^|/)(?:src/)?([a-z][A-Za-z0-9]*)(?:Main|Test)/")
_SOURCES = re.compile(r"/\w+(?:Main|Test)$")
"""A set of sources before `src`, not behind it: `core/commonMain/src`."""
