"""Java: packages that files declare, and classes in them."""

from __future__ import annotations

from surveyor.graph.languages.modules import DeclaredPackages
from surveyor.graph.resolve.tree import EXTERNAL
from surveyor.graph.resolve.values import Value

__all__ = ["JavaPackages"]


class JavaPackages(DeclaredPackages):
    """Packages, and classes that stand where a package does."""

    def _elsewhere(self, module: str, path: str) -> tuple[list[Value], str]:
        """`a.b.C` where C is a class with static members or nested classes."""
        package, _, name = module.rpartition(".")
        parts = [name]
        while package:
            if package in self._tree.packages:
                return [Value("package", package, ".".join(parts))], ""
            package, _, name = package.rpartition(".")
            parts.insert(0, name)
        return [], EXTERNAL
