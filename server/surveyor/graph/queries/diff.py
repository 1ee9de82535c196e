"""Which definitions a git diff touches, and which it takes away.

A diff has its lines as they are on its right side. Where that is not what lies on disk (a range
that ends before HEAD, a staged change edited since), they are followed through what came after.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from surveyor.errors import UsageError
from surveyor.files.safe_read import read_bytes
from surveyor.git import locate
from surveyor.git.errors import GitError
from surveyor.git.objects import blobs_of, missing, read_blobs
from surveyor.git.revisions import why_unknown
from surveyor.git.runner import ask_async
from surveyor.graph.queries.lookup import Node, StoredGraph
from surveyor.graph.queries.moved_files import MOST_FILES, line_spans, moved_files
from surveyor.graph.queries.structure import TYPE_KINDS
from surveyor.parsing.ignore import is_dependency_folder

__all__ = [
    "FileDiff",
    "changed_nodes",
    "diff_arguments",
    "diff_of_texts",
    "read_diff",
    "read_old",
    "read_old_texts",
]

_EMPTY_TREES = {
    "sha1": "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "sha256": "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}
"""What a folder without files is to git, by the kind of its names for objects."""
PATHS_AT_ONCE = 400
"""Named in one command: its length is limited."""
MAX_OLD_BYTES = 1 << 20
"""Larger old versions of files are not looked into for what was removed."""
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_INDEX = re.compile(r"^index ([0-9a-f]+)\.\.[0-9a-f]+")
_RENAMED = re.compile(r"^:\d+ \d+ ([0-9a-f]+) [0-9a-f]+ R\d+\t[^\t]*\t(.*)$")
_ESCAPED = re.compile(r"\\([0-7]{3}|.)")
_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_RANGE = re.compile(r"^[\w./@^~{}:-]+$")
_SILENT = re.compile(
    r"^\s*(?:#(?!\s*(?:include|define|if|else|endif|undef|pragma))|//|/\*|\*|--|$)"
)
"""Lines that do nothing by themselves: blank ones and comments."""
_OPTIONS = ("diff", "--patch-with-raw", "--unified=0", "--no-color", "--no-ext-diff",
            "--find-renames", "--relative", "--full-index", "--src-prefix=a/", "--dst-prefix=b/",
            "--no-textconv", "--ignore-submodules=all")  # fmt: skip
_RAW = ("diff", "--raw", "-z", "--no-abbrev", "--no-renames", "--relative",
        "--ignore-submodules=all")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines `first` to `last` now, in place of lines `old_first` to `old_last` before.

    Without lines on one side, `last` is one less than `first`.
    """

    first: int
    last: int
    old_first: int
    old_last: int
    is_silent: bool = False
    """Blank lines and comments only."""
    quiet: frozenset[int] = frozenset()
    """Of the lines now, those that are blank or comments: between two new methods, say."""


@dataclass(slots=True)
class FileDiff:
    """One changed file: its path now, or before when it was deleted."""

    path: str
    hunks: list[Hunk] = field(default_factory=list)
    deleted: bool = False
    whole: bool = False
    """New: all of it."""
    old_path: str = ""
    old_blob: str = ""
    """The object that holds it as it was before."""
    is_unread: bool = False
    """What it was is not there: a partial clone has left it on the server."""
    old_text: bytes | None = None
    """What it was, where no object of git's holds it."""


def diff_arguments(what: str) -> list[str]:
    """How git is asked for a change: `working`, `staged` or a range. Raises `UsageError` where it
    is none."""
    if what == "staged":
        return ["--cached"]
    if what == "working":
        return ["HEAD"]
    if _RANGE.match(what) and not what.startswith("-"):
        return [what]
    raise UsageError(f"{what!r} is no git range", "Examples: HEAD~3, main..HEAD, v1.0..v1.1.")


async def read_diff(root: Path, what: str, path: str | None = None) -> list[FileDiff]:
    """The diff of the working tree (with untracked files), what is staged, or a range.

    Paths and lines are those on disk now; before the first commit all files are new. Raises
    `UsageError` when git does not know the range or the folder is no repository.
    """
    limit = [path] if path else []
    arguments = diff_arguments(what)
    after: list[str] | None = [] if what == "staged" else None
    if ".." in what:
        after = [what.rpartition("..")[2] or "HEAD"]
    try:
        files = await _diff(root, arguments, limit)
    except UsageError as error:
        if what != "working":
            why = await why_unknown(root, what) if what != "staged" else None
            raise (UsageError(*why) if why is not None else error) from None
        if not await _is_unborn(root):
            raise
        kind = (await _git(root, ["rev-parse", "--show-object-format"])).strip()
        files = await _diff(root, [_EMPTY_TREES[kind]], limit)
    if what == "working":
        listing = ["ls-files", "--others", "--exclude-standard", "-z", "--", *limit]
        names = (await _git(root, listing)).split("\0")
        for name in await asyncio.to_thread(_without_dependencies, root, names):
            files.append(FileDiff(name, whole=True))
        files = await _with_moves(root, files)
    if after is not None and files:
        later = {file.old_path: file for file in await _diff(root, after, [])}
        for file in files:
            if (change := later.get(file.path)) is not None and not file.deleted:
                file.path, file.deleted = change.path, change.deleted
                file.hunks = [_moved(hunk, change.hunks) for hunk in file.hunks]
    return files


async def _is_unborn(root: Path) -> bool:
    """Whether nothing was committed yet to the branch that is checked out."""
    try:
        await ask_async(root, "symbolic-ref", "--quiet", "HEAD")
    except GitError:
        return False
    return await why_unknown(root, "HEAD") is not None


async def _with_moves(root: Path, files: list[FileDiff]) -> list[FileDiff]:
    """The same, with one file for each that was moved without git's knowledge."""
    gone = [file for file in files if file.deleted and not file.is_unread]
    new = [file for file in files if file.whole and not file.old_blob]
    if not gone or not new or max(len(gone), len(new)) > MOST_FILES:
        return files
    try:
        held = await read_blobs(root, [file.old_blob for file in gone], MAX_OLD_BYTES)
    except GitError:
        return files
    return await asyncio.to_thread(_paired, root, files, gone, new, held)


def _paired(
    root: Path,
    files: Sequence[FileDiff],
    gone: Sequence[FileDiff],
    new: Sequence[FileDiff],
    held: Mapping[str, bytes],
) -> list[FileDiff]:
    before = {each.path: held[each.old_blob] for each in gone if each.old_blob in held}
    after: dict[str, bytes] = {}
    for each in new:
        with contextlib.suppress(OSError):
            after[each.path] = read_bytes(root / each.path, MAX_OLD_BYTES)
    moved = moved_files(before, after)
    sources = {*moved.values()}
    found = []
    for file in files:
        if (was := moved.get(file.path)) is not None and file.whole:
            spans = line_spans(before[was], after[file.path])
            file = replace(diff_of_texts(file.path, before[was], spans), old_path=was)
        elif file.deleted and file.path in sources:
            continue
        found.append(file)
    return found


def _without_dependencies(root: Path, names: Sequence[str]) -> list[str]:
    """Files in no folder of other people's code, which a repository may have forgotten to ignore:
    a virtual environment that was made after the clone is no part of a change."""
    known = {"": False}

    def is_left_out(folder: str) -> bool:
        if folder not in known:
            parent, _, name = folder.rpartition("/")
            known[folder] = is_left_out(parent) or is_dependency_folder(name, f"{root}/{folder}")
        return known[folder]

    return [name for name in names if name and not is_left_out(name.rpartition("/")[0])]


async def _diff(root: Path, arguments: Sequence[str], limit: Sequence[str]) -> list[FileDiff]:
    """A diff; in a partial clone, of the files whose text is there, and the others by name."""
    try:
        return _parse(await _git(root, [*_OPTIONS, *arguments, "--", *limit]))
    except UsageError:
        if not await asyncio.to_thread(_is_partial, root):
            raise
    raw = await _git(root, [*_RAW, *arguments, "--", *limit])
    fields = iter(raw.split("\0"))
    named = {path: set(blobs_of(change.encode())) for change, path in zip(fields, fields)}  # noqa: B905 - in pairs
    gone = await asyncio.to_thread(missing, root, set[str]().union(*named.values()))
    there = [path for path, blobs in named.items() if not blobs & gone]
    files = [FileDiff(path, is_unread=True) for path, blobs in named.items() if blobs & gone]
    for start in range(0, len(there), PATHS_AT_ONCE):
        part = there[start : start + PATHS_AT_ONCE]
        files += _parse(await _git(root, [*_OPTIONS, *arguments, "--", *part]))
    return files


def _is_partial(root: Path) -> bool:
    repository = locate.find(root)
    return repository is not None and repository.is_partial


async def read_old_texts(root: Path, files: Sequence[FileDiff]) -> None:
    """Have `old_text` of changed files: a process of git's for each takes longer than what it
    answers, and a change may have thousands."""
    wanted = [
        file
        for file in files
        if file.old_text is None and file.old_blob.strip("0") and not file.is_unread
    ]
    try:
        held = await read_blobs(root, [file.old_blob for file in wanted], MAX_OLD_BYTES)
    except GitError as error:
        raise UsageError(error.message, error.hint) from error
    for file in wanted:
        file.old_text = held.get(file.old_blob, b"")


async def read_old(root: Path, file: FileDiff) -> bytes:
    """What a file was before; empty when it was not there or is too large."""
    if file.old_text is not None:
        return file.old_text if len(file.old_text) <= MAX_OLD_BYTES else b""
    if not file.old_blob.strip("0"):
        return b""
    try:
        data = await ask_async(root, "cat-file", "blob", file.old_blob)
    except GitError as error:
        raise UsageError(error.message, error.hint) from error
    return data if len(data) <= MAX_OLD_BYTES else b""


def diff_of_texts(path: str, before: bytes, spans: Sequence[tuple[int, int, int, int]]) -> FileDiff:
    """The diff of a file that was `before`, by runs of lines (first, end; from 0) before and now.

    Where lines only went away, they belong to the line before them, as in a diff of git's.
    """
    hunks = [
        Hunk(first=c + 1 if d > c else c, last=max(c, d), old_first=a + 1, old_last=b)
        for a, b, c, d in spans
    ]
    return FileDiff(path, hunks, old_path=path, old_text=before)


async def _git(root: Path, arguments: Sequence[str]) -> str:
    try:
        return (await ask_async(root, *arguments)).decode("utf-8", "replace")
    except GitError as error:
        raise UsageError(error.message.partition("\n")[0], error.hint) from error


def _parse(text: str) -> list[FileDiff]:
    """Files and hunks of `git diff --patch-with-raw --unified=0`.

    What a renamed file held is named by its raw line: without a change it has no other. Lines of a
    hunk are counted, because a removed `-- a/x` looks like the head of a file.
    """
    files: list[FileDiff] = []
    lines = text.split("\n")
    old = blob = ""
    renamed: dict[str, str] = {}
    position = 0
    while position < len(lines):
        line = lines[position]
        position += 1
        if line.startswith("diff --git "):
            old = blob = ""
        elif match := _RENAMED.match(line):
            renamed[_unquoted(match[2])] = match[1]
        elif match := _INDEX.match(line):
            blob = match[1]
        elif line.startswith("rename from "):
            old = _unquoted(line[12:])
        elif line.startswith("rename to "):
            new = _unquoted(line[10:])
            files.append(FileDiff(new, old_path=old, old_blob=renamed.get(new, "")))
        elif line.startswith("--- "):
            old = _name(line[4:])
        elif line.startswith("+++ "):
            new = _name(line[4:])
            is_renamed = files and files[-1].path == new and files[-1].old_path == old
            if not is_renamed:
                made = FileDiff(new or old, deleted=not new, whole=not old, old_path=old)
                made.old_blob = blob
                files.append(made)
        elif files and (match := _HUNK.match(line)):
            old_first, old_count = int(match[1]), int(match[2] or 1)
            first, count = int(match[3]), int(match[4] or 1)
            body = []
            added = []
            left = old_count + count
            while left and position < len(lines):
                if lines[position][:1] in ("+", "-"):
                    left -= 1
                    body.append(lines[position][1:])
                    if lines[position][:1] == "+":
                        added.append(lines[position][1:])
                position += 1
            quiet = (row for row, changed in enumerate(added, first) if _SILENT.match(changed))
            if not count and body and body[0].strip():
                count = 1  # what goes away belongs to the line before it
            silent = all(_SILENT.match(changed) for changed in body)
            files[-1].hunks.append(
                Hunk(
                    first=first if count else first + 1,
                    last=first + count - 1 if count else first,
                    old_first=old_first if old_count else old_first + 1,
                    old_last=old_first + old_count - 1 if old_count else old_first,
                    is_silent=silent,
                    quiet=frozenset(quiet),
                )
            )
    return files


def _name(text: str) -> str:
    text = _unquoted(text.rstrip("\t"))
    return "" if text == "/dev/null" else text.partition("/")[2]


def _unquoted(text: str) -> str:
    """A path as it is: git quotes those that have quotes, backslashes or control characters."""
    if not (len(text) > 1 and text[0] == text[-1] == '"'):
        return text
    return _ESCAPED.sub(_escaped, text[1:-1])


def _escaped(match: re.Match[str]) -> str:
    said = match[1]
    return chr(int(said, 8)) if said.isdigit() else _ESCAPES.get(said, said)


def _moved(hunk: Hunk, later: Sequence[Hunk]) -> Hunk:
    """A hunk with the lines that it has after other hunks were applied."""
    first, last = _line_after(hunk.first, later, end=False), _line_after(hunk.last, later, end=True)
    last = max(last, first - 1)
    shift = first - hunk.first
    same = last - hunk.last == shift
    quiet = frozenset(row + shift for row in hunk.quiet) if same else frozenset[int]()
    return Hunk(first, last, hunk.old_first, hunk.old_last, hunk.is_silent, quiet)


def _line_after(line: int, later: Sequence[Hunk], *, end: bool) -> int:
    shift = 0
    for hunk in later:
        if hunk.old_last < line:
            shift = hunk.last - hunk.old_last
        elif hunk.old_first <= line:  # changed again: all that stands there now
            return hunk.last if end else hunk.first
        else:
            break
    return line + shift


async def changed_nodes(stored: StoredGraph, diff: Sequence[FileDiff]) -> list[Node]:
    """The innermost definitions that changed lines are in; the file where they are in none."""
    found: dict[int, Node] = {}
    for file in diff:
        whole = await stored.file(file.path)
        if whole is None:
            continue
        inside = await stored.inside(file.path)
        if file.whole or file.deleted:
            for node in [whole, *inside]:
                found.setdefault(node.node_id, node)
            continue
        for hunk in file.hunks:
            # Where lines only went away, the definition that is around the place.
            first, last = hunk.first, hunk.last
            if last < first:
                touched = [n for n in inside if n.start_line < first and n.end_line >= first]
            else:
                touched = [n for n in inside if n.start_line <= last and n.end_line >= first]
            first, last = min(first, last), max(first, last)
            # A definition counts when a line of its own changed, not only of one inside it.
            own = [n for n in touched if not _covered(n, touched, first, last, hunk.quiet)]
            if own:
                for node in own:
                    found.setdefault(node.node_id, node)
            elif not hunk.is_silent:
                found.setdefault(whole.node_id, whole)
    return list(found.values())


def _covered(
    node: Node, others: Sequence[Node], first: int, last: int, quiet: frozenset[int]
) -> bool:
    lines = set(range(max(first, node.start_line), min(last, node.end_line) + 1))
    if node.kind in TYPE_KINDS:
        lines -= quiet
    for other in others:
        if other is not node and (
            other.start_line >= node.start_line
            and other.end_line <= node.end_line
            and (other.start_line, other.end_line) != (node.start_line, node.end_line)
        ):
            lines -= set(range(other.start_line, other.end_line + 1))
    return not lines
