"""Syntax trees of files that were read lately, kept until their graph is made of them.

What makes a file findable goes first, its graph later: parsing it again takes as long as a third of
that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from surveyor.parsing.parse import FileTree

__all__ = ["KeptTree", "KeptTrees"]

KEPT_BYTES = 2_000_000
"""Of source in all; its trees take some 35 times as much. The oldest go when there is more."""


class KeptTree(NamedTuple):
    """A file's tree, with the hash of the bytes it was read from, before they were masked."""

    content_hash: bytes
    file_type: str
    tree: FileTree


class KeptTrees:
    """Trees by root and path."""

    def __init__(self, most_bytes: int = KEPT_BYTES) -> None:
        self._most_bytes = most_bytes
        self._bytes = 0
        self._trees: dict[tuple[str, str], KeptTree] = {}

    def add(self, root: str, path: str, kept: KeptTree) -> None:
        """Keep a tree in place of what was kept of the file."""
        self.take(root, path)
        self._trees[root, path] = kept
        self._bytes += len(kept.tree.data)
        while self._bytes > self._most_bytes:
            self.take(*next(iter(self._trees)))

    def take(self, root: str, path: str) -> KeptTree | None:
        """The tree of a file, which is not kept any longer; None when there is none."""
        kept = self._trees.pop((root, path), None)
        if kept is not None:
            self._bytes -= len(kept.tree.data)
        return kept
