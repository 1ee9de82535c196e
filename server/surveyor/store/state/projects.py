"""Rows of projects and their checkouts: which folders are registered, and in which state."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

__all__ = ["SELECT_CHECKOUT", "Checkout"]


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
