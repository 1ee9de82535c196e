"""Which definitions a git diff touches."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from surveyor.errors import UsageError
from surveyor.graph.lookup import Node, Stored

__all__ = ["FileDiff", "changed_nodes", "read_diff"]

GIT_TIMEOUT_S = 20.0
_HUNK = re.compile(r"^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@")
_RANGE = re.compile(r"^[\w./@^~{}:-]+$")


@dataclass(slots=True)
class FileDiff:
    """One changed file: its path now, or before when it was deleted."""

    path: str
    lines: list[tuple[int, int]] = field(default_factory=list)
    """First and last changed line now; a deletion is the line before it, twice."""
    deleted: bool = False
    whole: bool = False
    """New: all of it."""


async def read_diff(root: Path, what: str, path: str | None = None) -> list[FileDiff]:
    """The diff of the working tree (with untracked files), what is staged, or a range.

    Raises:
        UsageError: when git does not know the range or the folder is no repository.
    """
    command = ["diff", "--unified=0", "--no-color", "--no-ext-diff", "--find-renames", "--relative"]
    command += ["--src-prefix=a/", "--dst-prefix=b/"]
    if what == "staged":
        command.append("--cached")
    elif what == "working":
        command.append("HEAD")
    elif _RANGE.match(what) and not what.startswith("-"):
        command.append(what)
    else:
        raise UsageError(f"{what!r} is no git range", "Examples: HEAD~3, main..HEAD, v1.0..v1.1.")
    limit = ["--", path] if path else ["--"]
    try:
        text = await _git(root, [*command, *limit])
    except UsageError:
        if what != "working":
            raise
        text = await _git(root, [*[c for c in command if c != "HEAD"], *limit])  # no commit yet
    files = _parse(text)
    if what == "working":
        listing = ["ls-files", "--others", "--exclude-standard", "-z", *limit]
        for name in (await _git(root, listing)).split("\0"):
            if name:
                files.append(FileDiff(name, whole=True))
    return files


async def _git(root: Path, arguments: Sequence[str]) -> str:
    try:
        process = await asyncio.create_subprocess_exec(
            "git",
            "-c",
            "core.quotepath=off",
            *arguments,
            cwd=root,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
    except OSError as error:
        raise UsageError(f"git cannot be run: {error}", "A diff needs git.") from error
    try:
        out, err = await asyncio.wait_for(process.communicate(), GIT_TIMEOUT_S)
    except TimeoutError as error:
        process.kill()
        await process.wait()
        raise UsageError(f"git took longer than {GIT_TIMEOUT_S:.0f} s") from error
    if process.returncode:
        reason = err.decode("utf-8", "replace").strip().splitlines()
        raise UsageError(f"git diff failed: {reason[0] if reason else process.returncode}")
    return out.decode("utf-8", "replace")


def _parse(text: str) -> list[FileDiff]:
    files: list[FileDiff] = []
    old = ""
    for line in text.splitlines():
        if line.startswith("--- "):
            old = _name(line[4:])
        elif line.startswith("+++ "):
            new = _name(line[4:])
            files.append(FileDiff(new or old, deleted=not new, whole=not old))
        elif files and (match := _HUNK.match(line)):
            first, count = int(match[1]), int(match[2] if match[2] is not None else 1)
            files[-1].lines.append((max(first, 1), max(first + count - 1, first, 1)))
    return files


def _name(text: str) -> str:
    text = text.rstrip("\t").strip('"')
    return "" if text == "/dev/null" else text.partition("/")[2]


async def changed_nodes(stored: Stored, diff: Sequence[FileDiff]) -> list[Node]:
    """The innermost definitions that changed lines are in; the file where they are in none."""
    found: dict[int, Node] = {}
    for file in diff:
        whole = await stored.file(file.path)
        if whole is None:
            continue
        inside = await stored.inside(file.path)
        if file.whole or file.deleted:
            for node in [whole, *inside]:
                found[node.node_id] = node
            continue
        for first, last in file.lines:
            touched = [n for n in inside if n.start_line <= last and n.end_line >= first]
            # A definition counts when a line of its own changed, not only of one inside it.
            own = [n for n in touched if not _covered(n, touched, first, last)]
            for node in own or [whole]:
                found[node.node_id] = node
    return list(found.values())


def _covered(node: Node, others: Sequence[Node], first: int, last: int) -> bool:
    lines = set(range(max(first, node.start_line), min(last, node.end_line) + 1))
    for other in others:
        if other is not node and (
            other.start_line >= node.start_line
            and other.end_line <= node.end_line
            and (other.start_line, other.end_line) != (node.start_line, node.end_line)
        ):
            lines -= set(range(other.start_line, other.end_line + 1))
    return not lines
