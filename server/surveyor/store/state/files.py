"""Rows of files and branches: which document each path of a checkout, or of a branch, is mapped to.

Changes run inside the caller's transaction, so that a kill leaves all of a batch or none.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import msgspec

from surveyor.store.state.database import State, Transaction
from surveyor.store.state.documents import drop_unused
from surveyor.store.state.sql_lists import batches, marks

FileStatus = Literal["indexed", "skipped", "failed"]


class KnownFile(NamedTuple):
    """A file as it was when it was last looked at."""

    path: str
    size: int
    mtime_ns: int
    status: FileStatus
    reason: str
    version: str | None
    """Of the index that its document was made by; None without one."""


class LeftOutFile(NamedTuple):
    """A file that is not indexed, and why."""

    path: str
    reason: str
    detail: str


class UnsearchedFile(NamedTuple):
    """A file of which not all is indexed."""

    path: str
    status: FileStatus
    reason: str


class FileState(NamedTuple):
    """Whether a file is indexed, and why not."""

    status: str
    reason: str


@dataclass(frozen=True, slots=True)
class FileChange:
    """What a file of a checkout has become."""

    path: str
    status: FileStatus | None
    """None for one that is gone."""
    size: int = 0
    mtime_ns: int = 0
    content_hash: bytes = b""
    doc_id: int | None = None
    reason: str = ""
    detail: str = ""


# --- reading ------------------------------------------------------------------------------


async def known_files(state: State, checkout_id: str) -> dict[str, KnownFile]:
    """All files of a checkout that there are rows of, by path."""
    rows = await state.read(
        """SELECT f.path, f.size, f.mtime_ns, f.status, f.reason, d.version FROM files f
           LEFT JOIN documents d USING (doc_id) WHERE f.checkout_id = ?""",
        (checkout_id,),
    )
    return {row[0]: KnownFile._make(row) for row in rows}


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


async def paths_with_documents(state: State, checkout_id: str) -> list[str]:
    """The files of a checkout whose contents are indexed."""
    found = await state.value(
        "SELECT json_group_array(path) FROM files WHERE checkout_id = ? AND doc_id IS NOT NULL",
        (checkout_id,),
    )
    return msgspec.json.decode(found, type=list[str])


async def some_paths(state: State, checkout_id: str, limit: int) -> list[str]:
    """Paths of some files of a checkout."""
    rows = await state.read(
        "SELECT path FROM files WHERE checkout_id = ? LIMIT ?", (checkout_id, limit)
    )
    return [str(row[0]) for row in rows]


async def paths_at_or_below(state: State, checkout_id: str, paths: Collection[str]) -> set[str]:
    """Files at some paths, and all files in those of them that are folders.

    By the index, as `0` follows `/`: a look at every file for each of the 16,000 paths that a
    branch does without kept readers busy for minutes.
    """
    found: set[str] = set()
    for part in batches(list(paths)):
        rows = await state.read(
            """SELECT f.path FROM json_each(?2) g CROSS JOIN files f
                 ON f.checkout_id = ?1 AND f.path = g.value
               UNION ALL
               SELECT f.path FROM json_each(?2) g CROSS JOIN files f
                 ON f.checkout_id = ?1 AND f.path > g.value || '/' AND f.path < g.value || '0'""",
            (checkout_id, json.dumps(part)),
        )
        found.update(str(row[0]) for row in rows)
    return found


async def left_out(state: State, checkout_id: str) -> list[LeftOutFile]:
    """Files of a checkout that are not indexed, by path."""
    rows = await state.read(
        "SELECT path, reason, detail FROM files WHERE checkout_id = ?"
        " AND status <> 'indexed' ORDER BY path",
        (checkout_id,),
    )
    return [LeftOutFile._make(row) for row in rows]


async def unsearched(state: State, checkout_id: str, whole: int) -> list[UnsearchedFile]:
    """Files of a checkout that are not indexed, or are longer than what is indexed of one."""
    rows = await state.read(
        "SELECT path, status, reason FROM files WHERE checkout_id = ?"
        " AND (status <> 'indexed' OR size > ?) ORDER BY path",
        (checkout_id, whole),
    )
    return [UnsearchedFile._make(row) for row in rows]


async def paths_with_problem(state: State, checkout_id: str, ending: str) -> list[str]:
    """Files of a checkout whose reading had a problem that ends so."""
    rows = await state.read(
        """SELECT f.path FROM files f JOIN documents d USING (doc_id)
           WHERE f.checkout_id = ?1 AND d.problems <> '[]' AND EXISTS (
             SELECT 1 FROM json_each(d.problems) j WHERE substr(j.value, -length(?2)) = ?2)
           ORDER BY f.path""",
        (checkout_id, ending),
    )
    return [str(row[0]) for row in rows]


async def count_by_status(state: State, checkout_id: str) -> dict[str, int]:
    """How many files of a checkout are of each status."""
    rows = await state.read(
        "SELECT status, count(*) FROM files WHERE checkout_id = ? GROUP BY status", (checkout_id,)
    )
    return {str(row[0]): int(row[1]) for row in rows}


async def count_by_language(state: State, checkout_id: str) -> dict[str, int]:
    """How many files of a checkout are in each language, most first; `other` without one."""
    rows = await state.read(
        """SELECT coalesce(d.language, 'other'), count(*) FROM files f JOIN documents d
           USING (doc_id) WHERE f.checkout_id = ? GROUP BY 1 ORDER BY 2 DESC""",
        (checkout_id,),
    )
    return {str(row[0]): int(row[1]) for row in rows}


async def count_chunks(state: State, checkout_id: str) -> int:
    """How many chunks the files of a checkout have."""
    return int(
        await state.value(
            "SELECT count(*) FROM files f JOIN chunks USING (doc_id) WHERE f.checkout_id = ?",
            (checkout_id,),
        )
    )


async def count_symbols(state: State, checkout_id: str) -> int:
    """How many definitions the files of a checkout have."""
    return int(
        await state.value(
            "SELECT count(*) FROM files f JOIN symbols USING (doc_id) WHERE f.checkout_id = ?",
            (checkout_id,),
        )
    )


def left_out_counts(state: State, checkout_id: str) -> dict[tuple[str, str], int] | None:
    """How many files of a checkout are of each status, for each reason, where none is indexed but
    those with git's rules and ours; None otherwise.

    Read on this thread.
    """
    of = (checkout_id,)
    if state.read_inline(
        """SELECT 1 FROM files WHERE checkout_id = ? AND status = 'indexed'
           AND path NOT IN ('.gitignore', '.gitattributes', '.surveyorignore') LIMIT 1""",
        of,
    ):
        return None
    found = state.read_inline(
        """SELECT status, coalesce(reason, ''), count(*) FROM files WHERE checkout_id = ?
           GROUP BY 1, 2 ORDER BY 3 DESC, 2""",
        of,
    )
    return {(str(row[0]), str(row[1])): int(row[2]) for row in found}


async def count_of_other_versions(state: State, version: str) -> dict[str, int]:
    """How many files were indexed by another version, by project."""
    rows = await state.read(
        """SELECT d.project_id, count(*) FROM documents d JOIN files f USING (doc_id)
           WHERE d.version <> ? GROUP BY d.project_id""",
        (version,),
    )
    return {str(row[0]): int(row[1]) for row in rows}


async def waits_for_version(state: State, version: str) -> bool:
    """Whether a file of a followed folder that is there is still to be read again by a version."""
    found = await state.value(
        """SELECT 1 FROM documents d JOIN files f USING (doc_id)
           JOIN checkouts c USING (checkout_id)
           WHERE d.version <> ? AND c.watched AND NOT c.paused
             AND c.missing_since IS NULL LIMIT 1""",
        (version,),
    )
    return found is not None


async def kept_branches(state: State, project_ids: Sequence[str]) -> set[str]:
    """The branches of some projects of which files are kept."""
    rows = await state.read(
        """SELECT DISTINCT branch FROM branch_files
           WHERE project_id IN (SELECT value FROM json_each(?))""",
        (json.dumps(list(project_ids)),),
    )
    return {str(row[0]) for row in rows}


# --- writing ------------------------------------------------------------------------------


async def set_files(
    tx: Transaction, checkout_id: str, changes: Sequence[FileChange]
) -> list[int | None]:
    """Point files at their documents, or at the reason for having none; forget missing ones.

    Returns for each change the document that the file had before, if it had another.
    """
    current: dict[str, int | None] = {}
    for part in batches(list({each.path for each in changes})):
        rows = await tx.read(
            f"SELECT path, doc_id FROM files WHERE checkout_id = ? AND path IN ({marks(part)})",
            (checkout_id, *part),
        )
        current.update({str(row[0]): row[1] for row in rows})
    before: list[int | None] = []
    last: dict[str, FileChange] = {}
    for each in changes:
        old = current.get(each.path)
        before.append(None if old == each.doc_id else old)
        current[each.path], last[each.path] = each.doc_id, each
    await tx.many(
        "DELETE FROM files WHERE checkout_id = ? AND path = ?",
        [(checkout_id, each.path) for each in last.values() if each.status is None],
    )
    await tx.many(
        """INSERT INTO files
             (checkout_id, path, size, mtime_ns, content_hash, doc_id, status, reason, detail)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
           ON CONFLICT (checkout_id, path) DO UPDATE SET
             size = excluded.size, mtime_ns = excluded.mtime_ns,
             content_hash = excluded.content_hash, doc_id = excluded.doc_id,
             status = excluded.status, reason = excluded.reason, detail = excluded.detail,
             indexed_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')""",
        [
            (
                checkout_id,
                each.path,
                each.size,
                each.mtime_ns,
                each.content_hash or None,
                each.doc_id,
                each.status,
                each.reason,
                each.detail,
            )
            for each in last.values()
            if each.status is not None
        ],
    )
    return before


async def note_unseen(tx: Transaction, checkout_id: str, why: Mapping[str, str]) -> None:
    """Files that could not be looked at: what is known of one stays, the others are listed."""
    await tx.many(
        """INSERT INTO files (checkout_id, path, size, mtime_ns, status, reason, detail)
           VALUES (?, ?, 0, 0, 'skipped', 'unreadable', ?)
           ON CONFLICT (checkout_id, path) DO NOTHING""",
        [(checkout_id, path, said) for path, said in why.items()],
    )


async def mark_outdated(tx: Transaction, checkout_id: str, paths: Sequence[str]) -> None:
    """Have the documents of some files read again by the next scan."""
    for part in batches(paths):
        await tx.execute(
            f"""UPDATE documents SET version = '' WHERE doc_id IN (SELECT doc_id FROM files
                WHERE checkout_id = ? AND path IN ({marks(part)}))""",
            (checkout_id, *part),
        )


async def delete_files(tx: Transaction, checkout_id: str) -> list[int]:
    """Delete all rows of a checkout's files; returns the documents that they had."""
    rows = await tx.read("DELETE FROM files WHERE checkout_id = ? RETURNING doc_id", (checkout_id,))
    return [int(row[0]) for row in rows if row[0] is not None]


async def delete_files_of_documents(tx: Transaction, doc_ids: Sequence[int]) -> None:
    """Delete the rows of files and branches that have documents; their folders are scanned anew."""
    for part in batches(doc_ids):
        await tx.execute(
            f"""UPDATE checkouts SET last_scan = NULL WHERE checkout_id IN
                (SELECT checkout_id FROM files WHERE doc_id IN ({marks(part)}))""",
            part,
        )
        await tx.execute(f"DELETE FROM files WHERE doc_id IN ({marks(part)})", part)
        await tx.execute(f"DELETE FROM branch_files WHERE doc_id IN ({marks(part)})", part)


async def delete_vectors_of(tx: Transaction, checkout_id: str) -> None:
    """Delete the stored vectors of all chunks of a checkout."""
    await tx.execute(
        """DELETE FROM vectors WHERE text_hash IN (
             SELECT c.text_hash FROM chunks c JOIN files f USING (doc_id)
             WHERE f.checkout_id = ?)""",
        (checkout_id,),
    )


async def remember_branch(
    tx: Transaction, project_id: str, branch: str, checkout_id: str
) -> list[int]:
    """Map a branch as a checkout is mapped now; returns the documents that it had before."""
    outdated = await delete_branch(tx, project_id, branch)
    await tx.execute(
        """INSERT INTO branch_files (project_id, branch, path, doc_id)
           SELECT ?, ?, path, doc_id FROM files
           WHERE checkout_id = ? AND doc_id IS NOT NULL""",
        (project_id, branch, checkout_id),
    )
    return outdated


async def delete_branch(tx: Transaction, project_id: str, branch: str) -> list[int]:
    """Forget what a branch held; returns the documents that it had."""
    rows = await tx.read(
        "DELETE FROM branch_files WHERE project_id = ? AND branch = ? RETURNING doc_id",
        (project_id, branch),
    )
    return [int(row[0]) for row in rows]


async def delete_branches(tx: Transaction, project_id: str) -> list[int]:
    """Forget all branches of a project; returns the documents that they had."""
    rows = await tx.read(
        "DELETE FROM branch_files WHERE project_id = ? RETURNING doc_id", (project_id,)
    )
    return [int(row[0]) for row in rows]


async def forget_files(tx: Transaction, checkout_id: str) -> None:
    """Delete a checkout's files, with the documents that nothing else needs."""
    await drop_unused(tx, await delete_files(tx, checkout_id))
