"""Rows of commits, of the files that they changed, and how far each project's history was read."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from surveyor.store.state.database import State, Transaction


class CommitFileRow(NamedTuple):
    """A file that a commit changed, and its name before where that was another."""

    path: str
    status: str
    old_path: str


@dataclass(frozen=True, slots=True)
class NewCommit:
    """A commit that is to be stored. `committed` is in seconds since 1970."""

    commit_id: str
    point_id: str
    author: str
    email: str
    committed: int
    subject: str
    body: str
    files: Sequence[CommitFileRow]


@dataclass(frozen=True, slots=True)
class CommitRow:
    """A stored commit."""

    rowid: int
    commit_id: str
    point_id: str
    author: str
    email: str
    committed: int
    subject: str
    body: str
    summary: tuple[str, ...]
    """What its hunks touched; empty until they were read."""


class HistoryProgress(NamedTuple):
    """How far a project's history was read."""

    tips: list[str]
    """Commits up to which everything newer is known."""
    is_complete: bool
    """Everything older is known, too."""
    total: int
    """Commits there were when it was read last."""


@dataclass(frozen=True, slots=True)
class CommitPaths:
    """One of these must be a path that a commit changed, or its name before."""

    exact: tuple[str, ...] = ()
    """A file, or a folder that the file is in."""
    among: tuple[tuple[str, ...], ...] = ()
    """One of a list of files."""


@dataclass(frozen=True, slots=True)
class CommitConditions:
    """Which commits count. Times are in seconds since 1970."""

    project_id: str
    author: str | None = None
    """Part of the author's name or address."""
    since: float | None = None
    until: float | None = None
    paths: CommitPaths | None = None


def _where(wanted: CommitConditions) -> tuple[str, list[Any]]:
    conditions = ["c.project_id = ?"]
    values: list[Any] = [wanted.project_id]
    if wanted.author:
        conditions.append("(instr(lower(c.author), ?) OR instr(lower(c.email), ?))")
        values += [wanted.author.lower()] * 2
    if wanted.since is not None:
        conditions.append("c.committed >= ?")
        values.append(wanted.since)
    if wanted.until is not None:
        conditions.append("c.committed <= ?")
        values.append(wanted.until)
    if wanted.paths is not None:
        matches = []
        for names in wanted.paths.among:
            among = "(SELECT value FROM json_each(?))"
            matches.append(f"(f.path IN {among} OR f.old_path IN {among})")
            values += [json.dumps(names)] * 2
        for name in wanted.paths.exact:
            matches.append("(f.path = ? OR f.old_path = ? OR instr(f.path, ?) = 1)")
            values += [name, name, name.rstrip("/") + "/"]
        conditions.append(
            "EXISTS (SELECT 1 FROM commit_files f WHERE f.commit_rowid = c.commit_rowid"
            f" AND ({' OR '.join(matches)}))"
        )
    return " AND ".join(conditions), values


# --- reading ------------------------------------------------------------------------------


async def find_commits(
    state: State,
    wanted: CommitConditions,
    limit: int,
    point_ids: Sequence[str] | None = None,
) -> list[CommitRow]:
    """The newest commits that count, of some points where these are given."""
    where, values = _where(wanted)
    if point_ids is not None:
        where += f" AND c.point_id IN ({','.join('?' * len(point_ids))})"
        values += point_ids
    rows = await state.read(
        f"SELECT c.* FROM commits c WHERE {where} ORDER BY c.committed DESC LIMIT ?",
        (*values, limit),
    )
    return [_commit(row) for row in rows]


async def find_points(state: State, wanted: CommitConditions, limit: int) -> list[str]:
    """Points of commits that count."""
    where, values = _where(wanted)
    rows = await state.read(
        f"SELECT c.point_id FROM commits c WHERE {where} LIMIT ?", (*values, limit)
    )
    return [str(row[0]) for row in rows]


async def commits_of(
    state: State, project_id: str, commit_ids: Sequence[str] | None = None
) -> list[tuple[CommitRow, list[str]]]:
    """A project's commits, or some of them, each with the paths of its files."""
    where, parameters = "", [project_id]
    if commit_ids is not None:
        where = f" AND c.commit_id IN ({','.join('?' * len(commit_ids))})"
        parameters += commit_ids
    rows = await state.read(f"SELECT c.* FROM commits c WHERE c.project_id = ?{where}", parameters)
    files: dict[int, list[str]] = {}
    for row in await state.read(
        f"""SELECT f.commit_rowid, f.path FROM commit_files f JOIN commits c
            USING (commit_rowid) WHERE c.project_id = ?{where}""",
        parameters,
    ):
        files.setdefault(row[0], []).append(str(row[1]))
    return [(_commit(row), files.get(row["commit_rowid"], [])) for row in rows]


def _commit(row: sqlite3.Row) -> CommitRow:
    return CommitRow(
        rowid=row["commit_rowid"],
        commit_id=row["commit_id"],
        point_id=row["point_id"],
        author=row["author"],
        email=row["email"],
        committed=row["committed"],
        subject=row["subject"],
        body=row["body"],
        summary=tuple(json.loads(row["summary"] or "[]")),
    )


async def files_of(state: State, commits: Sequence[CommitRow]) -> dict[int, list[CommitFileRow]]:
    """Files of commits by path, by the row of each commit."""
    files: dict[int, list[CommitFileRow]] = {}
    for row in await state.read(
        "SELECT commit_rowid, path, status, old_path FROM commit_files WHERE commit_rowid IN"
        f" ({','.join('?' * len(commits))}) ORDER BY path",
        [one.rowid for one in commits],
    ):
        files.setdefault(row[0], []).append(CommitFileRow(row[1], row[2], row[3]))
    return files


async def all_paths(state: State, project_id: str) -> list[str]:
    """Every path that a project's commits name, former ones included."""
    rows = await state.read(
        """SELECT f.path FROM commit_files f JOIN commits c USING (commit_rowid)
           WHERE c.project_id = ?1 UNION
           SELECT f.old_path FROM commit_files f JOIN commits c USING (commit_rowid)
           WHERE c.project_id = ?1 AND f.old_path IS NOT NULL""",
        (project_id,),
    )
    return [str(row[0]) for row in rows]


async def newest_changes(
    state: State, project_id: str, limit: int
) -> list[tuple[str, list[CommitFileRow]]]:
    """The subjects of a project's newest commits, the newest first, with the files of each."""
    rows = await state.read(
        """SELECT c.commit_rowid, c.subject, f.path, f.status, f.old_path
           FROM (SELECT commit_rowid, subject, committed FROM commits WHERE project_id = ?
                 ORDER BY committed DESC LIMIT ?) c
           JOIN commit_files f USING (commit_rowid) ORDER BY c.committed DESC, c.commit_rowid""",
        (project_id, limit),
    )
    found: dict[int, tuple[str, list[CommitFileRow]]] = {}
    for rowid, subject, path, status, old_path in rows:
        found.setdefault(rowid, (str(subject), []))[1].append(CommitFileRow(path, status, old_path))
    return list(found.values())


async def names_before(state: State, project_id: str, path: str) -> list[str]:
    """Names from which a commit renamed a file to this one."""
    rows = await state.read(
        """SELECT DISTINCT f.old_path FROM commit_files f JOIN commits c
           USING (commit_rowid) WHERE f.path = ? AND f.status = 'R' AND c.project_id = ?""",
        (path, project_id),
    )
    return [str(row[0]) for row in rows if row[0]]


async def known_commits(
    state: State, project_id: str, commit_ids: Sequence[str] | None = None
) -> set[str]:
    """A project's commits, or those of some that are stored."""
    where, parameters = "", [project_id]
    if commit_ids is not None:
        where = f" AND commit_id IN ({','.join('?' * len(commit_ids))})"
        parameters += commit_ids
    rows = await state.read(
        f"SELECT commit_id FROM commits WHERE project_id = ?{where}", parameters
    )
    return {str(row[0]) for row in rows}


async def count_commits(state: State, project_id: str) -> int:
    """How many commits of a project are stored."""
    sql = "SELECT count(*) FROM commits WHERE project_id = ?"
    return int(await state.value(sql, (project_id,)))


async def count_commits_by_project(state: State) -> list[tuple[str, int]]:
    """How many commits of each project are stored."""
    rows = await state.read("SELECT project_id, count(*) FROM commits GROUP BY project_id")
    return [(str(row[0]), int(row[1])) for row in rows]


async def oldest_date(state: State, project_id: str) -> float | None:
    """When the oldest commit of a project was made, in seconds since 1970."""
    found = await state.value(
        "SELECT min(committed) FROM commits WHERE project_id = ?", (project_id,)
    )
    return None if found is None else float(found)


async def middle_date(state: State, project_id: str) -> int | None:
    """The date that half of a project's commits are not older than."""
    found = await state.value(
        """SELECT committed FROM commits WHERE project_id = ? ORDER BY committed DESC
           LIMIT 1 OFFSET (SELECT count(*) / 2 FROM commits WHERE project_id = ?)""",
        (project_id, project_id),
    )
    return None if found is None else int(found)


async def points_until(state: State, project_id: str, date: int) -> list[str]:
    """Points of a project's commits of a date and before."""
    rows = await state.read(
        "SELECT point_id FROM commits WHERE project_id = ? AND committed <= ?", (project_id, date)
    )
    return [str(row[0]) for row in rows]


async def progress_of(state: State, project_id: str) -> HistoryProgress | None:
    """How far a project's history was read; None where it never was."""
    row = await state.one(
        "SELECT tips, complete, total FROM history_progress WHERE project_id = ?", (project_id,)
    )
    if row is None:
        return None
    return HistoryProgress(json.loads(row["tips"]), bool(row["complete"]), int(row["total"]))


# --- writing ------------------------------------------------------------------------------


async def insert_commits(tx: Transaction, project_id: str, new: Sequence[NewCommit]) -> None:
    """Store commits that are not stored yet, with their files."""
    last = (await tx.read("SELECT coalesce(max(commit_rowid), 0) FROM commits"))[0][0]
    numbered = list(enumerate(new, last + 1))
    await tx.many(
        """INSERT INTO commits (commit_rowid, project_id, commit_id, point_id, author,
             email, committed, subject, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        [
            (
                rowid,
                project_id,
                one.commit_id,
                one.point_id,
                one.author,
                one.email,
                one.committed,
                one.subject,
                one.body,
            )
            for rowid, one in numbered
        ],
    )
    await tx.many(
        "INSERT OR IGNORE INTO commit_files (commit_rowid, path, status, old_path)"
        " VALUES (?, ?, ?, ?)",
        [(rowid, *file) for rowid, one in numbered for file in one.files],
    )


async def set_summaries(
    tx: Transaction, project_id: str, summaries: Mapping[str, Sequence[str]]
) -> None:
    """Note what the hunks of commits touched, where that is not known."""
    await tx.many(
        "UPDATE commits SET summary = ? WHERE project_id = ? AND commit_id = ? AND summary IS NULL",
        [(json.dumps(lines), project_id, one) for one, lines in summaries.items()],
    )


async def delete_commits(tx: Transaction, project_id: str, commit_ids: Iterable[str]) -> list[str]:
    """Delete commits; returns the points that they had."""
    listed = list(commit_ids)
    rows = await tx.read(
        "DELETE FROM commits WHERE project_id = ? AND commit_id IN"
        f" ({','.join('?' * len(listed))}) RETURNING point_id",
        (project_id, *listed),
    )
    return [str(row[0]) for row in rows]


async def delete_until(tx: Transaction, project_id: str, date: int) -> None:
    """Delete a project's commits of a date and before: not everything older is known any more."""
    await tx.execute(
        "DELETE FROM commits WHERE project_id = ? AND committed <= ?", (project_id, date)
    )
    await tx.execute("UPDATE history_progress SET complete = 0 WHERE project_id = ?", (project_id,))


async def set_progress(tx: Transaction, project_id: str, progress: HistoryProgress) -> None:
    """Note how far a project's history was read."""
    await tx.execute(
        """INSERT INTO history_progress (project_id, tips, complete, total)
           VALUES (?, ?, ?, ?) ON CONFLICT (project_id) DO UPDATE SET
             tips = excluded.tips, complete = excluded.complete, total = excluded.total""",
        (project_id, json.dumps(progress.tips), progress.is_complete, progress.total),
    )
