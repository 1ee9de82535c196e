"""Functions that a change adds and that exist already, in other words.

Said only where that is nearly certain: a false one stops somebody for nothing. What is alike on
purpose is left out: overrides and overloads, one name for several platforms, generated code, tests.
"""

from __future__ import annotations

import asyncio
import re
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from surveyor.clones.duplicates import FAR, repeats
from surveyor.clones.jobs import CodeRange, Fingerprint
from surveyor.engine.clone_finder import Clone, CloneFinder, ComparedCode
from surveyor.engine.file_versions import FileVersions, current_texts
from surveyor.files.file_class import labels_of, read_labels
from surveyor.graph.facts import KIND_CODES
from surveyor.graph.queries.diff import FileDiff
from surveyor.graph.queries.lookup import Node, language_of_path
from surveyor.graph.queries.query_context import QueryContext
from surveyor.graph.resolve.certainty import CERTAIN
from surveyor.protocol.check import CheckFinding
from surveyor.search.scope import Conditions, SearchTarget
from surveyor.search.symbol_narrowing import SymbolLike
from surveyor.store.chunk_row import Row
from surveyor.units import counted

__all__ = [
    "MOSTLY",
    "DuplicateReview",
    "are_of_family",
    "is_apart",
    "is_declaration",
    "is_duplicate",
    "is_new",
    "is_of_test",
]

CERTAINTY = 0.91
"""From which a function is said to exist already: passed by 5 of 410 that real commits added, in
repositories that the weights are fitted on, and by 1.8 % where the repository is left out."""
LEAST_TOKENS = 14
"""Of names, literals and operators: what is shorter has twins everywhere."""
MOST_ADDED = 40
"""Functions that are compared, the longest first."""
TIME_S = 1.5
"""After so long no further ones are begun; the first are compared in any case."""
AT_ONCE = 4
NEAR = 20
"""Chunks near each."""
MAX_SIGNATURE = 200
MOST_COLUMN = 160
"""What begins so far to the right was written by a program."""
_KINDS = ("function", "method")
_WRITTEN = 0.9
"""Share of its lines from which on a function is new rather than changed."""
MOSTLY = 0.5
"""Share from which on a function was not there before: lines that it has in common with what stood
there count as left alone."""
_APART = frozenset({"tests", "examples", "vendored", "generated", "docs"})
"""Where code repeats other code on purpose."""
_PLATFORMS = frozenset(
    {"android", "apple", "browser", "common", "darwin", "ios", "js", "jvm", "linux", "macos",
     "mingw", "native", "node", "posix", "unix", "wasm", "wasi", "web", "win", "windows"}
)  # fmt: skip
"""What folders are called that hold the same code for several platforms."""
_FOLDER_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_NAME_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_TEST_NAME = re.compile(r"(?:\w*_|ct|u)?tests?_|test[A-Z]|Test[A-Z]")
"""Functions of tests in files that are not called as such."""
_WITHOUT_BRACES = frozenset({"python", "ruby", "lua", "elixir", "julia", "haskell", "bash"})
"""Languages whose functions have their bodies by other marks."""
_CALLS = (KIND_CODES["call"], KIND_CODES["instantiation"])


@dataclass(frozen=True, slots=True)
class _Added:
    """A function that the change has written."""

    node: Node
    data: bytes

    @property
    def sought(self) -> ComparedCode:
        """As it is compared."""
        within = CodeRange(self.node.start_line, self.node.end_line, self.node.name)
        return ComparedCode(self.node.path, self.data, within)


class DuplicateReview:
    """Looks for what a change adds among what there is."""

    def __init__(self, context: QueryContext, clones: CloneFinder, place: SearchTarget) -> None:
        self._context = context
        self._clones = clones
        self._place = place
        self.lacks: list[str] = []
        """What was not compared."""
        self._lines: dict[str, Sequence[tuple[int, int]]] = {}
        """First and last of the lines that the change wrote, by path: in C++ a member is defined at
        another place than the one that is known by its name."""
        self.compared = 0
        """Functions that were."""

    async def review(
        self, diff: Sequence[FileDiff], files: Sequence[FileVersions]
    ) -> list[CheckFinding]:
        """A finding for each added function that does what an existing one does."""
        deadline = time.monotonic() + TIME_S
        added = await self._added(diff, files)
        taken = await self._clones.fingerprints([each.sought for each in added]) if added else []
        compared = [
            (each, one)
            for each, one in zip(added, taken, strict=True)
            if one.tokens >= LEAST_TOKENS
            and not is_declaration(each.sought.text, language_of_path(each.node.path))
        ]
        compared.sort(key=lambda pair: -pair[1].tokens)
        own = {(each.node.path, each.node.line) for each in added}
        findings: list[CheckFinding] = []
        done = 0
        while done < min(len(compared), MOST_ADDED) and (not done or time.monotonic() < deadline):
            batch = compared[done : done + AT_ONCE]
            done += len(batch)
            for found in await asyncio.gather(*(self._look(*pair, own) for pair in batch)):
                findings += found
        self.compared = done
        if done < len(compared):
            self.lacks.append(
                counted(
                    len(compared) - done,
                    "added function was not compared",
                    "added functions were not compared",
                )
            )
        return findings

    async def _added(self, diff: Sequence[FileDiff], files: Sequence[FileVersions]) -> list[_Added]:
        """Functions all of whose lines are new."""
        versions = {file.path: file for file in files}
        by_path = {file.path: file for file in diff if not file.deleted}
        new: list[Node] = []
        for path in dict.fromkeys([*by_path, *versions]):
            lines = _written(by_path.get(path), versions.get(path))
            self._lines[path] = lines
            if not lines or _is_apart(path):
                continue
            nodes = await self._context.stored.inside(path)
            new += [
                node
                for node in nodes
                if node.kind in _KINDS
                and not is_of_test(node)
                and node.column < MOST_COLUMN
                and is_new(node, lines)
            ]
        paths = list(dict.fromkeys(node.path for node in new))
        texts = dict(zip(paths, await current_texts(self._context, paths), strict=True))
        return [_Added(node, texts[node.path]) for node in new]

    async def _look(
        self, added: _Added, taken: Fingerprint, own: set[tuple[str, int]]
    ) -> list[CheckFinding]:
        node = added.node
        clones = await self._clones.find(
            added.sought,
            self._place,
            Conditions(types=("code",)),
            own=(node.path, node.start_line, node.end_line),
            fingerprint=taken,
            near=NEAR,
        )
        rivals = [
            clone
            for clone in clones
            if (clone.row.path, clone.definition.line) not in own
            and not is_new(clone.definition, self._lines.get(clone.row.path, ()), MOSTLY)
            and not is_apart(clone.row)
        ]
        rivals.sort(key=lambda each: -each.likeness.certainty)
        clone = next((each for each in rivals if is_duplicate(node, each)), None)
        if clone is None or _certainty(node, clone, rivals) < CERTAINTY:
            return []
        if (taken.names_itself and await self._is_overloaded(node.path, node.qualname)) or (
            clone.fingerprint.names_itself
            and await self._is_overloaded(clone.row.path, clone.qualname)
        ):
            return []  # it hands over to another of its name, which does another thing
        return [await self._finding(node, clone)]

    async def _is_overloaded(self, path: str, qualname: str) -> bool:
        nodes = await self._context.stored.inside(path)
        return sum(node.qualname == qualname for node in nodes) > 1

    async def _finding(self, node: Node, clone: Clone) -> CheckFinding:
        path, definition = clone.row.path, clone.definition
        signature = " ".join(definition.signature.split()) or clone.qualname
        message = f"does what {clone.qualname} does ({', '.join(clone.likeness.reasons)}): "
        message += signature[:MAX_SIGNATURE]
        if call := await self._call(clone, node):
            message += f"; called as in {call}"
        return CheckFinding(
            kind="duplicate",
            certainty="likely",
            path=node.path,
            line=node.line,
            column=node.column,
            message=message,
            symbol=node.qualname,
            about=f"{path}:{definition.line}",
            text=self._context.lines.get(node.path, node.line),
            unsaved_version=self._context.unsaved.get(node.path),
        )

    async def _call(self, clone: Clone, added: Node) -> str:
        """A line that calls a function, code before its tests; '' where none does for certain."""
        stored, path, own = self._context.stored, clone.row.path, clone.definition
        nodes = await stored.qualified(path, clone.qualname)
        edges = await stored.uses([node.node_id for node in nodes], _CALLS)
        certain = [
            edge
            for edge in edges
            if edge.score >= CERTAIN
            and not (edge.path == added.path and added.start_line <= edge.line <= added.end_line)
            and not (edge.path == path and own.start_line <= edge.line <= own.end_line)
        ]
        certain.sort(key=lambda edge: (edge.is_test, edge.path, edge.line))
        for edge in certain[:1]:
            return f"{edge.path}:{edge.line}: {self._context.lines.get(edge.path, edge.line)}"
        return ""


def is_duplicate(added: Node, clone: Clone) -> bool:
    """Whether an existing function that does the same can stand for an added one."""
    row, definition = clone.row, clone.definition
    if is_apart(row) or is_declaration(clone.text, row.language):
        return False
    container = added.qualname.rpartition(".")[0]
    if definition.name == added.name:
        # Of types: overrides, overloads, what an interface asks for. Of files side by side: one
        # for each platform.
        if container or definition.container:
            return False
        one, other = PurePosixPath(row.path), PurePosixPath(added.path)
        return one.parent != other.parent and not _are_for_platforms(one, other)
    return row.language != "rust" or _lends(definition.name) == _lends(added.name)


def is_apart(row: Row) -> bool:
    """Whether code repeats other code on purpose: tests, examples, what is generated."""
    return row.file_type != "code" or bool(read_labels(row.labels) & _APART)


def _certainty(added: Node, clone: Clone, rivals: Sequence[Clone]) -> float:
    """How surely an added function repeats another, by what else is like it."""
    odds = clone.likeness.odds
    others = [min(each.likeness.odds, odds) for each in rivals if each is not clone]
    container = added.qualname.rpartition(".")[0]
    beside = (clone.row.path, clone.definition.container) == (added.path, container)
    are_siblings = beside and (bool(container) or are_of_family(added.name, clone.definition.name))
    return repeats(clone.likeness, max(others, default=FAR), are_siblings=are_siblings)


def is_of_test(node: Node) -> bool:
    """Whether a function is of tests: by its file, else by its name."""
    return node.is_test or _TEST_NAME.match(node.name) is not None


def are_of_family(one: str, other: str) -> bool:
    """Whether functions of one file are named alike: `read_int` beside `read_long`."""
    words: list[str] = _NAME_WORDS.findall(one)
    others: list[str] = _NAME_WORDS.findall(other)
    if not words or not others:
        return False
    return any(words[at].lower() == others[at].lower() for at in (0, -1))


def _are_for_platforms(one: PurePosixPath, other: PurePosixPath) -> bool:
    """Whether files of one name lie in folders for different platforms, such as `jsMain`."""
    if one.name != other.name:
        return False
    folders = set(one.parent.parts) ^ set(other.parent.parts)
    return any(
        word.lower() in _PLATFORMS for folder in folders for word in _FOLDER_WORDS.findall(folder)
    )


def _lends(name: str) -> bool:
    """Whether a Rust function hands out what may be written: `get_mut` beside `get`, of which
    neither can stand for the other."""
    return "mut" in name.split("_")


def is_declaration(text: str, language: str | None) -> bool:
    """Whether a function is only declared, as in headers and interfaces: it does nothing."""
    return language not in _WITHOUT_BRACES and "{" not in text and "=" not in text


def _is_apart(path: str) -> bool:
    return bool(read_labels(labels_of(path)) & _APART)


def _written(file: FileDiff | None, versions: FileVersions | None) -> Sequence[tuple[int, int]]:
    """First and last of the lines of a file that the change wrote."""
    if file is not None and file.whole:
        return [(1, sys.maxsize)]
    if versions is not None:
        return versions.touched
    return [(hunk.first, hunk.last) for hunk in file.hunks] if file is not None else ()


def is_new(
    node: Node | SymbolLike, written: Sequence[tuple[int, int]], share: float = _WRITTEN
) -> bool:
    """Whether the change wrote a definition, or such a share of its lines, rather than something in
    it."""
    length = node.end_line - node.start_line + 1
    new = sum(
        max(0, min(last, node.end_line) - max(first, node.start_line) + 1)
        for first, last in written
    )
    named = any(first <= node.line <= last for first, last in written)
    return named and new >= share * length
