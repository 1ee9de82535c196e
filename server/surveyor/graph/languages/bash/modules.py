"""Shells: files by the ends of their paths."""

from __future__ import annotations

import posixpath

from surveyor.graph.languages.bash.imports import RUN
from surveyor.graph.languages.modules import ModuleFinder
from surveyor.graph.resolve.tree import EXTERNAL, MISSING, shared_folders
from surveyor.graph.resolve.values import Value

__all__ = ["SourcedFiles"]

_ENDINGS = ("", ".bash", ".sh", ".zsh")
_AS_WRITTEN = ("",)


class SourcedFiles(ModuleFinder):
    """A sourced file is beside, or where the constant end of its path says: the nearest of them. So
    is a script that is run, but for its ending, which is written out."""

    def module(self, module: str, path: str) -> tuple[list[Value], str]:
        """The file that a path means, whose beginning may not be known."""
        folder = posixpath.dirname(path)
        if is_run := module.startswith(RUN):
            module = module.removeprefix(RUN).removeprefix("~/")
        endings, reason = (_AS_WRITTEN, EXTERNAL) if is_run else (_ENDINGS, MISSING)
        end = posixpath.normpath(module).removeprefix("../").removeprefix("../")
        for ending in endings:
            if found := self._tree.near(module + ending, folder):
                return [Value("module", found)], ""
            matches = [
                file
                for file in self._tree.by_name.get(posixpath.basename(end) + ending, ())
                if file == end + ending or file.endswith(f"/{end}{ending}")
            ]
            if matches:
                best = max(matches, key=lambda file: (shared_folders(file, folder), -len(file)))
                return [Value("module", best)], ""
        return [], reason
