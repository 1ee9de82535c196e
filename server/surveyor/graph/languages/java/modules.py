"""Java: packages that files declare, and classes in them."""

from __future__ import annotations

from collections.abc import Iterable

from surveyor.graph.languages.modules import PackagesWithTypes

__all__ = ["JavaPackages"]

_UNNAMED = "*unnamed"
"""Key of the package of the files that name none."""
_SOURCES = (".java", ".kt", ".scala")
"""Files that can be of it: each script stands by itself."""


class JavaPackages(PackagesWithTypes):
    """Packages, and classes that stand where a package does."""

    def scopes(self, path: str, package: str) -> Iterable[str]:
        """The package of the file, the unnamed one too."""
        return (package or _UNNAMED,) if path.endswith(_SOURCES) else super().scopes(path, package)

    def package_files(self, key: str, path: str) -> list[str]:
        """The files that share a package's scope, as seen from the file at `path`."""
        if key != _UNNAMED:
            return super().package_files(key, path)
        files = self._tree.files.items()
        return [each for each, named in files if not named and each.endswith(_SOURCES)]
