"""C#: namespaces that files declare."""

from __future__ import annotations

from collections.abc import Iterable

from surveyor.graph.languages.modules import DeclaredPackages

__all__ = ["Namespaces"]


class Namespaces(DeclaredPackages):
    """Namespaces, each of which sees those that it is in."""

    def scopes(self, path: str, package: str) -> Iterable[str]:
        """The namespace of the file and those around it."""
        while package:
            yield package
            package = package.rpartition(".")[0]
