"""Files of code in languages whose uses are not read: templates, grammars, whatever has no name."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path

from surveyor.files.contained_paths import read_below
from surveyor.graph.queries.lookup import Node
from surveyor.graph.resolve.values import CALLABLE_KINDS

__all__ = ["TEMPLATES", "called_in_unread"]

TEMPLATES = ("jinja",)
"""Languages of templates, which call functions of the language that they are for."""
_MAX_FILES = 64
_MAX_BYTES = 256 << 10
"""Of a file that is looked into."""
_MIN_CHARS = 4
"""Shorter names stand before a bracket by chance."""


async def called_in_unread(root: str, paths: Sequence[str], node: Node) -> list[str]:
    """That files whose uses are not read may call a definition, shortly, if so. `root` is where
    they are."""
    if not paths or node.kind not in CALLABLE_KINDS or len(node.name) < _MIN_CHARS:
        return []
    call = re.compile(rb"(?<![\w$])" + re.escape(node.name.encode()) + rb"\s*\(")
    found = await asyncio.to_thread(_calling, Path(root), paths[:_MAX_FILES], call)
    if not found:
        return []
    more = f" and {len(found) - 1} more" if len(found) > 1 else ""
    return [f"it may be called in {found[0]}{more}, whose language is not read"]


def _calling(root: Path, paths: Sequence[str], call: re.Pattern[bytes]) -> list[str]:
    found = []
    for path in paths:
        try:
            data = read_below(root, path, _MAX_BYTES)
        except OSError:
            continue
        match = call.search(data)
        if match is not None:
            line = data.count(b"\n", 0, match.start()) + 1
            found.append(f"{path}:{line}")
    return found
