"""Which of several registered folders a path lies in."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from surveyor.store.state.projects import Checkout

__all__ = ["Checkout", "find_nearest"]


def find_nearest(path: Path, known: Iterable[Checkout]) -> Checkout | None:
    """The innermost checkout that a path lies in."""
    holding = [c for c in known if path == Path(c.root) or Path(c.root) in path.parents]
    return max(holding, key=lambda c: len(c.root), default=None)
