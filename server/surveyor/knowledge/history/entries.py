"""What a commit is in the vector store: its message, the names of its files, what it touched."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from surveyor.knowledge.history.gitlog import Commit
from surveyor.knowledge.history.lines import HunkSummary
from surveyor.knowledge.points import PointEntry, point_id
from surveyor.store.state.history import CommitRow

BODY_MAX_CHARS = 1200
TITLE_FILES = 8
SUMMARY_CONTEXTS = 6
SUMMARY_FILES = 30


def summary_lines(found: Iterable[HunkSummary]) -> list[str]:
    """`a.py +3 -1: def f, class B`, file by file; the name alone where no lines changed."""
    lines = []
    for one in islice(found, SUMMARY_FILES):
        contexts = ", ".join(one.contexts[:SUMMARY_CONTEXTS])
        said = f": {contexts}" if contexts else ""
        counts = f" +{one.added} -{one.removed}" if one.added or one.removed else ""
        lines.append(f"{one.path}{counts}{said}")
    return lines


def point_of(commit: str) -> str:
    """The id of a commit's point."""
    return point_id("commit", commit)


def commit_entry(one: Commit) -> PointEntry:
    """A commit as git tells it, its hunks not read yet."""
    files = [file.path for file in one.files]
    return _entry(point_of(one.id), one.subject, one.body, files, [])


def row_entry(commit: CommitRow, files: Sequence[str]) -> PointEntry:
    """A commit as it is stored."""
    return _entry(commit.point_id, commit.subject, commit.body, files, commit.summary)


def _entry(
    key: str, subject: str, body: str, files: Sequence[str], summary: Sequence[str]
) -> PointEntry:
    stems = dict.fromkeys(_stem(path) for path in files)
    said = "\n".join(line.partition(": ")[2] for line in summary if ": " in line)
    return PointEntry(
        id=key,
        title=" ".join(islice(stems, TITLE_FILES)),
        text="\n".join(part for part in (subject, body[:BODY_MAX_CHARS], said) if part),
        # Author, date and files are asked of the rows; a payload would cost most of the upsert.
        payload={"library_name": "history"},
    )


def _stem(path: str) -> str:
    name = path.rpartition("/")[2]
    return name.rpartition(".")[0] or name
