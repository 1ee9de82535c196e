"""Which checkouts there are at which folders, and of which projects: what knowledge asks."""

from __future__ import annotations

from typing import NamedTuple

from surveyor.store.state.database import State


class CheckoutRoot(NamedTuple):
    """A registered folder."""

    checkout_id: str
    project_id: str
    root: str


async def checkout_at(state: State, root: str) -> CheckoutRoot | None:
    """The checkout whose root is this folder."""
    row = await state.one(
        "SELECT checkout_id, project_id, root FROM checkouts WHERE root = ?", (root,)
    )
    return None if row is None else CheckoutRoot._make(row)


async def checkout_at_or_of(
    state: State, root: str | None, project_id: str | None
) -> CheckoutRoot | None:
    """The checkout at a folder, or else any of a project."""
    row = await state.one(
        "SELECT checkout_id, project_id, root FROM checkouts WHERE root = ? OR project_id = ?"
        " ORDER BY root = ? DESC",
        (root, project_id, root),
    )
    return None if row is None else CheckoutRoot._make(row)


async def project_around(state: State, folder: str) -> str | None:
    """The project of the innermost checkout that a folder is in, or is the root of."""
    row = await state.one(
        "SELECT project_id FROM checkouts WHERE root = ? OR instr(?, root || '/') = 1"
        " ORDER BY length(root) DESC",
        (folder, folder),
    )
    return None if row is None else str(row["project_id"])


async def other_roots(state: State, project_id: str, root: str) -> list[str]:
    """Roots of a project's other checkouts."""
    rows = await state.read(
        "SELECT root FROM checkouts WHERE project_id = ? AND root <> ?", (project_id, root)
    )
    return [str(row["root"]) for row in rows]


async def project_names(state: State) -> dict[str, str]:
    """Names of all projects, by id."""
    rows = await state.read("SELECT project_id, name FROM projects")
    return {str(row[0]): str(row[1]) for row in rows}
