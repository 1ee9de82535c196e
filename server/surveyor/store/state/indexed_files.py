"""Reading the files of a checkout, and what is known of each: `files` with their `documents`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from surveyor.store.state.database import State, Transaction

VALUES_AT_ONCE = 500
"""Values bound in one IN list; SQLite's smallest usual limit is 999."""


class FileState(NamedTuple):
    """Whether a file is indexed, and why not."""

    status: str
    reason: str


async def file_state(state: State, checkout_id: str, path: str) -> FileState | None:
    """What became of a file; None for one that was never seen."""
    row = await state.one(
        "SELECT status, reason FROM files WHERE checkout_id = ? AND path = ?", (checkout_id, path)
    )
    return FileState(row["status"], row["reason"]) if row is not None else None


async def indexed_paths(state: State, checkout_id: str) -> list[str]:
    """The paths of all indexed files, sorted."""
    rows = await state.read(
        "SELECT path FROM files WHERE checkout_id = ? AND status = 'indexed' ORDER BY path",
        (checkout_id,),
    )
    return [str(row[0]) for row in rows]


async def paths_containing(state: State, root: str, text: str, limit: int) -> list[str]:
    """Indexed files of the checkout at `root` whose paths contain a text in any case.

    Those where it comes first come first, short ones before long ones.
    """
    rows = await state.read(
        """SELECT f.path FROM files f JOIN checkouts c USING (checkout_id)
           WHERE c.root = ? AND f.status = 'indexed' AND instr(lower(f.path), lower(?)) > 0
           ORDER BY instr(lower(f.path), lower(?)), length(f.path), f.path LIMIT ?""",
        (root, text, text, limit),
    )
    return [str(row[0]) for row in rows]


async def files_by_language(state: State, checkout_id: str) -> list[tuple[str, int]]:
    """Languages (`other` for none) with their numbers of files, the commonest first."""
    rows = await state.read(
        """SELECT coalesce(d.language, 'other') AS language, count(*) AS files
           FROM files f JOIN documents d USING (doc_id)
           WHERE f.checkout_id = ? GROUP BY 1 ORDER BY 2 DESC""",
        (checkout_id,),
    )
    return [(str(row["language"]), int(row["files"])) for row in rows]


async def revision_at(state: State, root: str) -> int | None:
    """The number that rises with each change of the checkout at `root`; None for none there."""
    found = await state.value("SELECT revision FROM checkouts WHERE root = ?", (root,))
    return None if found is None else int(found)


async def kept_branches(state: State, project_ids: Sequence[str]) -> set[str]:
    """The branches of some projects of which files are kept."""
    rows = await state.read(
        """SELECT DISTINCT branch FROM branch_files
           WHERE project_id IN (SELECT value FROM json_each(?))""",
        (json.dumps(list(project_ids)),),
    )
    return {str(row[0]) for row in rows}


async def mark_outdated(tx: Transaction, checkout_id: str, paths: Sequence[str]) -> None:
    """Have the documents of some files read again by the next scan."""
    for at in range(0, len(paths), VALUES_AT_ONCE):
        part = paths[at : at + VALUES_AT_ONCE]
        marks = ",".join("?" * len(part))
        await tx.execute(
            f"""UPDATE documents SET version = '' WHERE doc_id IN (SELECT doc_id FROM files
                WHERE checkout_id = ? AND path IN ({marks}))""",
            (checkout_id, *part),
        )
