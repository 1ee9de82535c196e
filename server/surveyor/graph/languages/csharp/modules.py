"""C#: namespaces that files declare, and the projects that these are built in."""

from __future__ import annotations

from collections.abc import Iterable

from surveyor.graph.languages.csharp.projects import Projects
from surveyor.graph.languages.modules import FAR, PackagesWithTypes
from surveyor.graph.resolve.tree import Tree
from surveyor.graph.resolve.values import Value
from surveyor.parsing.types import Import

__all__ = ["Namespaces"]


class Namespaces(PackagesWithTypes):
    """Namespaces, each of which sees those that it is in."""

    by_file = True

    def __init__(self, tree: Tree) -> None:
        super().__init__(tree)
        self._projects = Projects(tree)

    def module(self, module: str, path: str) -> tuple[list[Value], str]:
        """A namespace or type by its full name, or by what is left of it inside of a namespace."""
        found = super().module(module, path)
        if found[0]:
            return found
        for scope in self.scopes(path, self._tree.files.get(path, "")):
            inside = super().module(f"{scope}.{module}", path)
            if inside[0]:
                return inside
        return found

    def scopes(self, path: str, package: str) -> Iterable[str]:
        """The namespaces of the file, each followed by those around it."""
        for each in package.split(";"):
            while each:
                yield each
                each = each.rpartition(".")[0]

    def build_distance(self, path: str, other: str) -> int:
        """By the projects that the files are in, and the references between these."""
        own, others = self._projects.of(path), self._projects.of(other)
        if own == others or own & others:
            return 0
        if not own or not others or self._projects.reached(own) & others:
            return 1
        return FAR

    def shared_imports(self, path: str) -> Iterable[Import]:
        """`<Using Include="A.B" />` and what a project imports unless it says otherwise."""
        return self._projects.usings(self._projects.of(path))
