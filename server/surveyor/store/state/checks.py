"""What `surveyor doctor` asks of `state.db`."""

from __future__ import annotations

from surveyor.store.state.database import State

MOST_PROBLEMS = 5


async def quick_check(state: State) -> list[str]:
    """What SQLite finds wrong in the file; `ok` alone for nothing.

    Raises `sqlite3.DatabaseError` for a file that cannot be read at all.
    """
    return [str(row[0]) for row in await state.read(f"PRAGMA quick_check({MOST_PROBLEMS})")]


async def projects_with_folders(state: State) -> list[tuple[str, str]]:
    """Ids and names of the projects that have a registered folder, by name."""
    rows = await state.read(
        """SELECT project_id, name FROM projects p WHERE EXISTS
           (SELECT 1 FROM checkouts c WHERE c.project_id = p.project_id) ORDER BY name"""
    )
    return [(str(row[0]), str(row[1])) for row in rows]
