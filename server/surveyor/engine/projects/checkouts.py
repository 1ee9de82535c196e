"""A registered folder as a row of the catalog, and which of several a path lies in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3


@dataclass(frozen=True, slots=True)
class Checkout:
    """A registered folder."""

    checkout_id: str
    project_id: str
    root: str
    name: str
    branch: str | None
    parent_checkout_id: str | None
    watched: bool
    active: bool
    paused: bool
    revision: int
    last_scan: str | None
    missing_since: str | None

    @classmethod
    def of(cls, row: sqlite3.Row) -> Checkout:
        """From a row of `SELECT_CHECKOUT`."""
        return cls(
            checkout_id=row["checkout_id"],
            project_id=row["project_id"],
            root=row["root"],
            name=row["name"],
            branch=row["branch"],
            parent_checkout_id=row["parent_checkout_id"],
            watched=bool(row["watched"]),
            active=bool(row["active"]),
            paused=bool(row["paused"]),
            revision=row["revision"],
            last_scan=row["last_scan"],
            missing_since=row["missing_since"],
        )


SELECT_CHECKOUT = "SELECT c.*, p.name FROM checkouts c JOIN projects p USING (project_id)"


def find_nearest(path: Path, known: Iterable[Checkout]) -> Checkout | None:
    """The innermost checkout that a path lies in."""
    holding = [c for c in known if path == Path(c.root) or Path(c.root) in path.parents]
    return max(holding, key=lambda c: len(c.root), default=None)
