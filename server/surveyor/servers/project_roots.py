"""Projects in a folder of the workspace that are roots for language servers of their own."""

from __future__ import annotations

import tomllib
from pathlib import Path

from surveyor.files.safe_read import read_bytes
from surveyor.servers.registry import LanguageSpec
from surveyor.servers.uris import is_inside

MAX_MANIFEST_BYTES = 1024 * 1024

OF_A_PROJECT = (("project",), ("build-system",), ("tool", "poetry"), ("tool", "flit"))
"""Tables of a pyproject.toml that say of a folder that it is a project: others configure tools."""


def project_root(language: LanguageSpec, folder: Path, workspace: Path) -> Path:
    """The root for a language's files in a folder of the workspace.

    The nearest folder with an environment; where there is none up to the workspace, the outermost
    project, unless the workspace is one itself. A folder that is a package is none: what it has is
    imported by its parents' names.
    """
    if not is_inside(folder, workspace):
        return workspace
    within = [each for each in (folder, *folder.parents) if is_inside(each, workspace)]
    for each in within:
        if any((each / name).is_file() for name in language.environments):
            return each
    for each in reversed(within):
        if any((each / name).is_file() for name in language.packages):
            break
        if any(_is_project(each / name) for name in language.projects):
            return each
    return workspace


def _is_project(manifest: Path) -> bool:
    """Whether a file makes its folder a project."""
    if manifest.suffix != ".toml":
        return manifest.is_file()
    try:
        table = tomllib.loads(read_bytes(manifest, MAX_MANIFEST_BYTES).decode())
    except (OSError, ValueError):
        return False
    return any(_has(table, keys) for keys in OF_A_PROJECT)


def _has(table: object, keys: tuple[str, ...]) -> bool:
    for key in keys:
        if not isinstance(table, dict) or key not in table:
            return False
        table = table[key]
    return True
