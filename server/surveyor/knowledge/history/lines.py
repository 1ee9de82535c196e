"""When and why lines changed: `git log -L`, `git blame`, and what a commit's hunks were about.

Line numbers are 1-based and inclusive and refer to the file as it is on disk; where the disk
differs from the last commit they are translated first.
"""

from __future__ import annotations

import contextlib
import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from surveyor.files.safe_read import LARGE_FILE_BYTES, read_bytes
from surveyor.git import runner
from surveyor.git.errors import GitError, NoCommitError
from surveyor.git.objects import blobs_of, missing
from surveyor.knowledge.history import moves, naming
from surveyor.knowledge.history.gitlog import (
    COMMIT_ID,
    LOG_FIELDS,
    LOG_FORMAT,
    Commit,
    CommitFileChange,
    commit_of,
    git,
    is_partial,
    is_shallow,
)
from surveyor.knowledge.history.renames import committed_name
from surveyor.secrets import mask_diff, mask_text

TRACE_TIMEOUT_S = 30.0
"""Following a range through thousands of commits costs seconds on large repositories."""

MAX_TOUCHED = 500
"""Files of a commit among which a definition is looked for by its name."""

_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$")
_RECORD = "\x01commit\x01"


@dataclass(frozen=True, slots=True)
class LineChange:
    """A commit that touched a range, and what it did there."""

    commit: Commit
    path: str
    """The file's name in that commit."""
    start_line: int
    end_line: int
    """The range's place in that commit."""
    added: int
    removed: int
    diff: str
    moved_from: str = ""
    """`path:first-last` in the commit's parent, where this commit took the code from."""
    renamed_from: str = ""
    """What the definition that was followed was called before this commit."""
    introduced: bool = False
    """Whether the definition that was followed was not there before."""


@dataclass(frozen=True, slots=True)
class LastChange:
    """The newest commit among a range's lines; `commit` is None when some are uncommitted."""

    commit: str | None
    author: str = ""
    email: str = ""
    committed: int = 0
    subject: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True)
class HunkSummary:
    """What a commit did to a file, without the text: counts and the enclosing definitions."""

    path: str
    added: int
    removed: int
    contexts: tuple[str, ...]


def trace_range(
    root: Path, path: str, start_line: int, end_line: int, *, limit: int = 20, symbol: str = ""
) -> list[LineChange]:
    """Commits that changed a range of a file, newest first, through renames of the file (also
    one that is not committed yet) and moves of the code from one file to another.

    With the name of the `symbol` that the range is, down to the commit that introduced it.

    Raises `GitError` when git cannot follow it (the file is not committed, for one).
    """
    name = committed_name(root, path)
    start, end, _ = _committed(root, path, name, start_line, end_line)
    more = _trace(root, "HEAD", name, start, end, limit)
    found: list[LineChange] = []
    while more:
        more, symbol = _while_there(root, more, symbol)
        found += more
        oldest = found[-1]
        if len(found) >= limit:
            break
        before = _named_before(root, oldest, symbol) or _before_move(root, oldest)
        if before is None:
            break
        place = (before.path, before.start_line, before.end_line)
        moved_from = f"{place[0]}:{place[1]}-{place[2]}"
        if not _is_it(root, oldest, before, symbol):
            # Its name is new, of code that was a part of something else.
            found[-1] = replace(oldest, moved_from=moved_from)
            break
        more = _trace(root, f"{oldest.commit.id}^", *place, limit - len(found))
        if more:
            found[-1] = replace(oldest, moved_from=moved_from, introduced=False)
    return found


def _while_there(
    root: Path, changes: list[LineChange], symbol: str
) -> tuple[list[LineChange], str]:
    """The changes down to the one that brought a symbol, and what the symbol was called before
    the oldest of them; all of them where no symbol is followed."""
    for at, change in enumerate(changes):
        if not symbol:
            break
        earlier = naming.name_before(change.diff, symbol, partial(_text_of, root, change))
        if earlier is None or _is_there_still(root, change, symbol, earlier):
            # The last commit of a shallow clone brings all that is there.
            known = bool(change.commit.parents) or not is_shallow(root)
            return [*changes[:at], replace(change, introduced=known)], symbol
        if earlier != symbol:
            changes[at] = replace(change, renamed_from=earlier)
        symbol = earlier
    return changes, symbol


def _is_there_still(root: Path, change: LineChange, symbol: str, earlier: str) -> bool:
    """Whether what seems to be the earlier name of a symbol is another thing: it is defined after
    the commit as well, in one of the files that the commit touched."""
    there = naming.defining(change.diff, symbol, earlier) if earlier != symbol else None
    touched = _touched(root, change.commit.id) if there is not None else []
    return there is not None and bool(_lines_with(root, change.commit.id, earlier, there, touched))


def _is_it(root: Path, change: LineChange, before: moves.MoveOrigin, symbol: str) -> bool:
    """Whether code that a commit took from another place was the symbol that is followed there,
    perhaps by another name, and not a part of something else."""
    if not symbol or not change.introduced:
        return True
    text = git(root, "show", "--no-textconv", f"{change.commit.id}^:./{before.path}")
    lines = _text_lines(text)[before.start_line - 1 : before.end_line]
    earlier = naming.name_among(change.diff, symbol, lines)
    return earlier is not None and not _is_there_still(root, change, symbol, earlier)


def _touched(root: Path, commit: str) -> list[str]:
    """The files that a commit touched; none of a commit without a parent."""
    try:
        shown = git(
            root, "diff-tree", "-r", "--no-renames", "--name-only", "-z", "--relative",
            f"{commit}^", commit,
        )  # fmt: skip
    except GitError:
        return []
    return [path for path in shown.split("\0") if path][:MAX_TOUCHED]


def _named_before(root: Path, change: LineChange, symbol: str) -> moves.MoveOrigin | None:
    """Where the definition that a commit seems to have brought was before, among the files that
    the commit touched: moved within its file, or written anew under the same name."""
    there = naming.defining(change.diff, symbol) if change.introduced and symbol else None
    if there is None:
        return None
    commit = change.commit.id
    touched = _touched(root, commit)
    if not touched:
        return None
    before = _lines_with(root, f"{commit}^", symbol, there, touched)
    if not before or len(before) < len(_lines_with(root, commit, symbol, there, touched)):
        return None  # there are others of the name, and one more now
    path, line = min(before, key=lambda one: one[0] != change.path)
    last = len(_text_lines(git(root, "show", "--no-textconv", f"{commit}^:./{path}")))
    return moves.MoveOrigin(path, line, min(line + change.end_line - change.start_line, last))


def _lines_with(
    root: Path, revision: str, name: str, there: re.Pattern[str], paths: Sequence[str]
) -> list[tuple[str, int]]:
    """Where files of a revision have a pattern with a name."""
    try:
        shown = git(
            root, "grep", "--no-color", "--no-textconv", "-I", "-n", "-z", "-F", "-e", name,
            revision, "--", *paths,
        )  # fmt: skip
    except GitError:
        return []  # git's way to say that there is none
    found = []
    for row in shown.split("\n"):
        place, _, rest = row.partition("\0")
        number, _, text = rest.partition("\0")
        if number.isdigit() and there.search(text.strip()):
            found.append((place.removeprefix(f"{revision}:"), int(number)))
    return found


def _text_of(root: Path, change: LineChange) -> str:
    """A file as a commit left it."""
    return git(root, "show", "--no-textconv", f"{change.commit.id}:./{change.path}")


def _trace(
    root: Path, revision: str, path: str, start: int, end: int, limit: int
) -> list[LineChange]:
    shown = _as_far_as_there(
        root, "log", f"-L{start},{end}:{path}", f"--max-count={limit}",
        f"--format={_RECORD}{LOG_FORMAT}%x00", "--no-ext-diff", "--no-textconv", "--no-color",
        revision,
    )  # fmt: skip
    # `--relative` does not hold for `-L`.
    inside = git(root, "rev-parse", "--show-prefix").strip()
    records = shown.split(_RECORD)[1:]
    found = [_line_change(one) for one in records if one.count("\0") == LOG_FIELDS]
    return [replace(one, path=one.path.removeprefix(inside)) for one in found]


def _as_far_as_there(root: Path, *arguments: str) -> str:
    """What git prints; in a partial clone, what it prints until it misses an object."""
    try:
        return git(root, *arguments, timeout=TRACE_TIMEOUT_S)
    except GitError as error:
        if not is_partial(root):
            raise
        return error.output.decode("utf-8", "replace")


def _before_move(root: Path, change: LineChange) -> moves.MoveOrigin | None:
    """Where code was before the commit that brought it; None if that commit wrote it."""
    if change.added * 2 < change.end_line - change.start_line + 1 or not change.start_line:
        return None
    lines = _text_lines(_text_of(root, change))[change.start_line - 1 : change.end_line]
    return moves.origin(root, change.commit.id, lines)


def trace_file(root: Path, path: str, *, limit: int = 20) -> list[Commit]:
    """Commits that changed a file, newest first, through its renames; `files` names it then."""
    try:
        path = committed_name(root, path)
    except NoCommitError:
        raise
    except GitError:
        pass  # one that is gone has its history all the same
    command = [
        "log", "--follow", f"--max-count={limit}", f"--format={_RECORD}{LOG_FORMAT}%x00",
        "--name-status", "--relative", "--no-ext-diff", "--no-textconv", "--no-color",
    ]  # fmt: skip
    try:
        shown = git(root, *command, "-M", "--", path, timeout=TRACE_TIMEOUT_S)
    except GitError:
        if not is_partial(root):
            raise
        # Renames of what stayed the same are seen without reading it.
        shown = _as_far_as_there(root, *command, "-M100%", "--", path)
    found = []
    for record in shown.split(_RECORD)[1:]:
        *fields, names = record.split("\0")
        changes = []
        for line in names.strip().splitlines():
            status, *parts = line.split("\t")
            old = parts[0] if len(parts) > 1 else ""
            changes.append(CommitFileChange(parts[-1] if parts else "", status[:1], old))
        found.append(commit_of(fields, tuple(changes)))
    return found


def last_change(root: Path, path: str, start_line: int, end_line: int) -> LastChange | None:
    """The newest change among the lines as they are on disk; None for an untracked file."""
    try:
        name = committed_name(root, path)
        start, end, same = _committed(root, path, name, start_line, end_line)
        if not same:
            return LastChange(commit=None, subject="not committed yet", path=path)
        # The newest commits come first, and those before a missing object are the newest of all.
        shown = _as_far_as_there(
            root, "blame", "--incremental", "--no-textconv", f"-L{start},{end}", "HEAD", "--", name
        )
    except GitError:
        return None
    facts: dict[str, dict[str, str]] = {}
    current = ""
    for line in shown.split("\n"):
        if not line or line.startswith("\t"):
            continue
        word, _, rest = line.partition(" ")
        if COMMIT_ID.fullmatch(word):
            current = word
            facts.setdefault(current, {})
        else:
            facts[current][word] = rest
    if not facts:
        return None
    newest = max(facts, key=lambda one: int(facts[one].get("committer-time", "0")))
    known = facts[newest]
    return LastChange(
        commit=newest,
        author=known.get("author", ""),
        email=known.get("author-mail", "").strip("<>"),
        committed=int(known.get("committer-time", "0")),
        subject=mask_text(known.get("summary", "")),
        path=known.get("filename", path),
    )


def _committed(
    root: Path, path: str, name: str, start_line: int, end_line: int
) -> tuple[int, int, bool]:
    """The range in the file as committed (`name`), and whether the lines on disk are the same.

    Compared here and not by `git diff`, which would run the repository's clean filters.
    """
    old = _text_lines(git(root, "show", "--no-textconv", f"HEAD:./{name}"))
    try:
        new = _text_lines(read_bytes(root / path, LARGE_FILE_BYTES).decode("utf-8", "replace"))
    except OSError:
        new = old
    changes = _changed_blocks(old, new)
    same = not any(
        new_start < end_line and new_end >= start_line if new_end > new_start
        else start_line <= new_start < end_line
        for _, _, new_start, new_end in changes
    )  # fmt: skip
    start = min(max(1, _before(changes, start_line, last=False)), max(len(old), 1))
    end = min(max(start, _before(changes, end_line, last=True)), max(len(old), 1))
    return start, end, same


def _text_lines(text: str) -> list[str]:
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]


def _changed_blocks(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int, int, int]]:
    """Half-open 0-based ranges (old start, old end, new start, new end) that differ."""
    head = 0
    for ours, theirs in zip(old, new, strict=False):
        if ours != theirs:
            break
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    matcher = difflib.SequenceMatcher(
        None, old[head : len(old) - tail], new[head : len(new) - tail], autojunk=True
    )
    return [
        (a + head, b + head, c + head, d + head)
        for tag, a, b, c, d in matcher.get_opcodes()
        if tag != "equal"
    ]


def _before(changes: Sequence[tuple[int, int, int, int]], line: int, *, last: bool) -> int:
    """A line's number before the changes; inside one, the edge of what it replaced."""
    shift = 0
    for old_start, old_end, new_start, new_end in changes:
        if line - 1 < new_start:
            break
        if line - 1 < new_end:
            return max(old_end, 1) if last else old_start + 1
        shift += (old_end - old_start) - (new_end - new_start)
    return line + shift


def summarise_hunks(
    root: Path, revisions: Sequence[str] = ("HEAD",), *, limit: int
) -> Iterator[tuple[str, list[HunkSummary]]]:
    """For each commit, newest first: what its hunks added and removed, and inside what.

    Reads diffs (a few hundred commits a second). Contexts are git's own: the line that opens
    the enclosing definition.
    """
    command = ["log", f"--format={_RECORD}%H", "-p", "-U0", "-M", "--no-ext-diff",
               "--no-textconv", "--no-color"]  # fmt: skip
    if is_partial(root):
        chosen = whole_commits(root, revisions, limit)
        if not chosen:
            return
        given = "\n".join(chosen).encode()
        shown = runner.lines(root, *command, "--no-walk=unsorted", "--stdin", given=given)
    else:
        shown = runner.lines(root, *command, f"--max-count={limit}", *revisions, "--")
    marker = _RECORD.encode()
    commit = ""
    files: list[_FileHunks] = []
    for line in shown:
        if line.startswith(marker):
            if commit:
                yield commit, [one.summary() for one in files]
            commit, files = line[len(marker) :].strip().decode(), []
        elif line.startswith(b"diff --git "):
            files.append(_FileHunks(line.removeprefix(b"diff --git ")))
        elif files:
            files[-1].take(line)
    if commit:
        yield commit, [one.summary() for one in files]


def whole_commits(root: Path, revisions: Sequence[str], limit: int) -> list[str]:
    """Those of the newest commits whose changes can be read with the objects that are there."""
    touched: dict[str, set[str]] = {}
    marker = _RECORD.encode()
    blobs: set[str] = set()
    with contextlib.suppress(GitError):  # a clone without trees ends early
        for line in runner.lines(
            root, "log", f"--format={_RECORD}%H", "--raw", "--no-abbrev", "--no-renames",
            f"--max-count={limit}", *revisions, "--",
        ):  # fmt: skip
            if line.startswith(marker):
                blobs = touched.setdefault(line[len(marker) :].strip().decode(), set())
            elif line.startswith(b":"):
                blobs.update(blobs_of(line))
    gone = missing(root, set[str]().union(*touched.values()))
    return [commit for commit, needed in touched.items() if not needed & gone]


class _FileHunks:
    """Collects one file's part of a diff, line by line."""

    __slots__ = ("added", "contexts", "left", "path", "removed")

    def __init__(self, both: bytes) -> None:
        self.path = _path_of_both(both.strip())
        self.added = 0
        self.removed = 0
        self.left = 0
        """Lines of the current hunk still to come: their text is not a header, whatever it is."""
        self.contexts: dict[str, None] = {}

    def take(self, line: bytes) -> None:
        if self.left and line[:1] in b"+-":
            self.left -= 1
        elif line.startswith((b"+++ b/", b"--- a/", b'+++ "b/', b'--- "a/')):
            self.path = _unquoted(line[4:])[2:] or self.path
        elif line.startswith(b"rename to "):
            self.path = _unquoted(line.removeprefix(b"rename to "))
        elif line.startswith(b"@@ ") and (
            match := _HUNK.match(line.decode("utf-8", "replace").rstrip())
        ):
            removed, added = int(match[2] or 1), int(match[4] or 1)
            self.removed += removed
            self.added += added
            self.left = removed + added
            if context := match[5].strip():
                self.contexts[mask_text(context, self.path)] = None

    def summary(self) -> HunkSummary:
        return HunkSummary(self.path, self.added, self.removed, tuple(self.contexts))


def _path_of_both(both: bytes) -> str:
    """The path in `a/PATH b/PATH`, which is all that there is of a file without hunks (empty,
    binary, another mode); empty where it was renamed, which another line says."""
    middle = len(both) // 2
    before, after = _unquoted(both[:middle])[2:], _unquoted(both[middle:])[2:]
    return after if before == after else ""


def _unquoted(name: bytes) -> str:
    """A name as git writes it in a diff: in quotes where it has such, or control characters."""
    name = name.strip()
    if name.startswith(b'"'):
        name = name[1:-1].decode("unicode_escape").encode("latin-1")
    return name.decode("utf-8", "replace")


def _line_change(record: str) -> LineChange:
    *fields, diff = record.split("\0")
    path, start, end, added, removed = "", 0, 0, 0, 0
    shown: list[str] = []
    for line in diff.strip("\n").split("\n"):
        if match := _HUNK.match(line):
            first, size = int(match[3]), int(match[4] or 1)
            start = min(start, first) if start else first
            end = max(end, first + size - 1)
        elif not shown:  # the header above the first hunk
            if line.startswith(("--- a/", "+++ b/")):
                path = line[6:]
            continue
        else:
            added += line.startswith("+")
            removed += line.startswith("-")
        shown.append(line)
    return LineChange(
        commit=commit_of(fields, (CommitFileChange(path, "M"),)),
        path=path,
        start_line=start,
        end_line=end,
        added=added,
        removed=removed,
        # A key that was in the code once is shown no more than one that is in it now.
        diff=mask_diff("\n".join(shown).strip("\n"), path),
    )
