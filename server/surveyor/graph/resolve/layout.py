"""From the name of a module, as written in an import, to files of the checkout."""

from __future__ import annotations

import posixpath

from surveyor.graph.languages.modules import ModuleFinder
from surveyor.graph.languages.readers import FILE
from surveyor.graph.languages.traits import Traits
from surveyor.graph.resolve.tree import MISSING, Tree
from surveyor.graph.resolve.values import Value

__all__ = ["Layout"]


class Layout:
    """Module names to files, for all families."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self._finders: dict[str, ModuleFinder] = {}
        self._memo: dict[tuple[str, str, str], tuple[list[Value], str]] = {}

    def finder(self, traits: Traits) -> ModuleFinder:
        """The modules of a family."""
        found = self._finders.get(traits.family)
        if found is None:
            found = self._finders[traits.family] = traits.modules(self.tree)
        return found

    def module(self, module: str, path: str, traits: Traits) -> tuple[list[Value], str]:
        """What a module name means in the file at `path`; when nothing, why."""
        key = (module, traits.modules.place(path), traits.family)
        found = self._memo.get(key)
        if found is None:
            found = self._memo[key] = self._module(module, path, traits)
        return found

    def _module(self, module: str, path: str, traits: Traits) -> tuple[list[Value], str]:
        if module.startswith(FILE):
            found = self.tree.near(module.removeprefix(FILE), posixpath.dirname(path))
            return ([Value("module", found)], "") if found else ([], MISSING)
        return self.finder(traits).module(module, path)
