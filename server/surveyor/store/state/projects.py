"""Rows of projects and their checkouts: which folders are registered, and in which state."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from surveyor.store.state.database import State, Transaction

Flag = Literal["watched", "active", "paused"]

_NOW = "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')"
_CHECKOUT = "SELECT c.*, p.name FROM checkouts c JOIN projects p USING (project_id)"


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


@dataclass(frozen=True, slots=True)
class NewCheckout:
    """A folder that is to be registered, with its project."""

    checkout_id: str
    project_id: str
    name: str
    """The project's."""
    remote: str | None
    root: str
    branch: str | None
    head: str | None
    root_inode: str | None
    parent_checkout_id: str | None
    submodule_path: str | None


async def all_checkouts(state: State) -> list[Checkout]:
    """Every registered folder, by root."""
    return [_checkout(row) for row in await state.read(f"{_CHECKOUT} ORDER BY root")]


async def find_checkout(state: State, checkout_id: str) -> Checkout | None:
    """A registered folder by id."""
    row = await state.one(f"{_CHECKOUT} WHERE c.checkout_id = ?", (checkout_id,))
    return None if row is None else _checkout(row)


def _checkout(row: sqlite3.Row) -> Checkout:
    return Checkout(
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


async def project_ids(state: State) -> list[str]:
    """Ids of all projects."""
    return [str(row[0]) for row in await state.read("SELECT project_id FROM projects")]


async def has_project(state: State, project_id: str) -> bool:
    """Whether there is a project of this id."""
    found = await state.value("SELECT 1 FROM projects WHERE project_id = ?", (project_id,))
    return bool(found)


async def count_checkouts(state: State, project_id: str) -> int:
    """How many folders of a project are registered."""
    sql = "SELECT count(*) FROM checkouts WHERE project_id = ?"
    return int(await state.value(sql, (project_id,)))


async def revision_at(state: State, root: str) -> int | None:
    """The number that rises with each change of the checkout at `root`; None for none there."""
    found = await state.value("SELECT revision FROM checkouts WHERE root = ?", (root,))
    return None if found is None else int(found)


def revision_of(state: State, checkout_id: str) -> int:
    """How often a checkout's index has changed; 0 for an unknown one. Read on this thread."""
    rows = state.read_inline("SELECT revision FROM checkouts WHERE checkout_id = ?", (checkout_id,))
    return int(rows[0][0] or 0) if rows else 0


async def root_inodes(state: State) -> dict[str, str]:
    """Device and inode of each checkout's root as it was registered, by checkout."""
    rows = await state.read(
        "SELECT checkout_id, root_inode FROM checkouts WHERE root_inode IS NOT NULL"
    )
    return {str(row["checkout_id"]): str(row["root_inode"]) for row in rows}


async def missing_s(state: State, checkout_id: str) -> float | None:
    """Seconds since a checkout's root has been noted as missing; None where it is not."""
    age = await state.value(
        "SELECT unixepoch('now') - unixepoch(missing_since) FROM checkouts WHERE checkout_id = ?",
        (checkout_id,),
    )
    return None if age is None else float(age)


async def insert_project(tx: Transaction, project_id: str, name: str, remote: str | None) -> None:
    """Add a project, unless it is known."""
    await tx.execute(
        "INSERT INTO projects (project_id, name, remote) VALUES (?, ?, ?)"
        " ON CONFLICT (project_id) DO NOTHING",
        (project_id, name, remote),
    )


async def insert_checkout(tx: Transaction, new: NewCheckout) -> None:
    """Add a checkout, and its project where that is new."""
    await insert_project(tx, new.project_id, new.name, new.remote)
    await tx.execute(
        """INSERT INTO checkouts (checkout_id, project_id, root, branch, head, root_inode,
             parent_checkout_id, submodule_path) VALUES (?, ?, ?, ?, ?, ?, ?, ?)""",
        (
            new.checkout_id,
            new.project_id,
            new.root,
            new.branch,
            new.head,
            new.root_inode,
            new.parent_checkout_id,
            new.submodule_path,
        ),
    )


async def delete_checkout(tx: Transaction, checkout_id: str, project_id: str) -> bool:
    """Delete a checkout's row; whether its project has other checkouts."""
    await tx.execute("DELETE FROM checkouts WHERE checkout_id = ?", (checkout_id,))
    return bool(await tx.read("SELECT 1 FROM checkouts WHERE project_id = ?", (project_id,)))


async def set_flags(tx: Transaction, checkout_id: str, flags: Mapping[Flag, bool]) -> None:
    """Change flags of a checkout."""
    for name, value in flags.items():
        await tx.execute(
            f"UPDATE checkouts SET {name} = ? WHERE checkout_id = ?", (value, checkout_id)
        )


async def set_active(tx: Transaction, parent_id: str, active: bool) -> None:
    """Mark a checkout and its submodules as in use or not."""
    await tx.execute(
        f"UPDATE checkouts SET active = ?, last_activity_at = {_NOW}"
        " WHERE checkout_id = ? OR parent_checkout_id = ?",
        (active, parent_id, parent_id),
    )


async def set_branch(
    tx: Transaction, checkout_id: str, branch: str | None, head: str | None
) -> None:
    """Note what a checkout has checked out."""
    await tx.execute(
        "UPDATE checkouts SET branch = ?, head = ? WHERE checkout_id = ?",
        (branch, head, checkout_id),
    )


async def set_missing(tx: Transaction, checkout_id: str, missing: bool) -> None:
    """Note that a root cannot be reached, from now or still; or that it can."""
    since = f"coalesce(missing_since, {_NOW})" if missing else "NULL"
    await tx.execute(
        f"UPDATE checkouts SET missing_since = {since} WHERE checkout_id = ?", (checkout_id,)
    )


async def set_scanned(tx: Transaction, checkout_id: str, scanned: bool) -> None:
    """Note that a folder was compared with its index just now; or that it never was."""
    await tx.execute(
        f"UPDATE checkouts SET last_scan = {_NOW if scanned else 'NULL'} WHERE checkout_id = ?",
        (checkout_id,),
    )


async def raise_revision(tx: Transaction, checkout_id: str) -> None:
    """Note that a checkout's index has changed."""
    await tx.execute(
        "UPDATE checkouts SET revision = revision + 1 WHERE checkout_id = ?", (checkout_id,)
    )
