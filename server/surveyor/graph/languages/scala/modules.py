"""Scala: packages that files declare, seen from the packages inside of them."""

from __future__ import annotations

from collections.abc import Iterable

from surveyor.graph.languages.java.modules import JavaPackages
from surveyor.graph.resolve.tree import EXTERNAL
from surveyor.graph.resolve.values import Value

__all__ = ["ScalaPackages"]

_ROOT = "_root_."


class ScalaPackages(JavaPackages):
    """Packages by names that may be relative to those around the file."""

    by_file = True

    def module(self, module: str, path: str) -> tuple[list[Value], str]:
        """A package or object by its name in full, or below a package around the file."""
        full = module.removeprefix(_ROOT)
        names = [full]
        if full == module:
            around = self.scopes(path, self._tree.files.get(path, ""))
            names += [f"{package}.{module}" for package in around]
        for name in names:
            if name in self._tree.packages:
                return [Value("package", name)], ""
        for name in names:  # an object's, in a package
            found, _ = self._elsewhere(name, path)
            if found:
                return found, ""
        return [], EXTERNAL

    def scopes(self, path: str, package: str) -> Iterable[str]:
        """The package of the file and those around it."""
        if not package:
            yield from super().scopes(path, package)
        while package:
            yield package
            package = package.rpartition(".")[0]
