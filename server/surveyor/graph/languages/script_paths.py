"""Files by what is required of them: a path without its ending, from a folder of libraries."""

from __future__ import annotations

import posixpath

from surveyor.graph.resolve.tree import EXTERNAL, MISSING, Tree
from surveyor.graph.resolve.values import Value

__all__ = ["required"]


def required(tree: Tree, module: str, folder: str, ending: str) -> tuple[list[Value], str]:
    """The file that `require "a/b"` in a folder means; when none, why (Ruby, PHP)."""
    name = module if module.endswith(ending) else module + ending
    if module.startswith("."):
        found = posixpath.normpath(posixpath.join(folder, name))
        return ([Value("module", found)], "") if found in tree.files else ([], MISSING)
    for base in ("", "lib", "src", "app", folder):
        candidate = posixpath.normpath(posixpath.join(base, name))
        if candidate in tree.files:
            return [Value("module", candidate)], ""
    for path in tree.by_name.get(posixpath.basename(name), ()):
        if path.endswith("/lib/" + name) or path.endswith("/" + name):
            return [Value("module", path)], ""
    return [], EXTERNAL
