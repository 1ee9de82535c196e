"""Finding files in folders that other programs write: transcripts, environments, packages."""

from __future__ import annotations

import glob
import os
from pathlib import Path

from surveyor.files.globs import shell


def matching(folder: Path, pattern: str) -> list[Path]:
    """Paths in a folder by a shell pattern, hidden ones included, sorted.

    A folder that disappears meanwhile holds nothing (`Path.glob` raises). At the beginning `**/`
    means files at any depth; links to folders are not followed there.
    """
    if pattern.startswith("**/"):
        wanted = shell(pattern.removeprefix("**/"))
        found = [
            Path(parent, name)
            for parent, _, names in os.walk(folder)
            for name in names
            if wanted.fullmatch(name)
        ]
    else:
        names = glob.glob(pattern, root_dir=folder, include_hidden=True)  # noqa: PTH207
        found = [folder / name for name in names]
    return sorted(found)
