"""Which files must be resolved again after others changed.

What is behind is the difference between the tables of the index and those of the graph
(`store.state.graph.files`), so an update that was interrupted goes on where it was.

A file that uses a changed name is resolved again. Where a name is seen by import alone
(`outlines.IS_IMPORTED`) that is left out for files that import nothing that changed, themselves or
through others, as long as a guess from a member's name comes to the same with and without the
change: `resolve.candidates` says what is guessed.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Literal

from surveyor.graph.facts import NAME_HASH_BYTES, name_hash
from surveyor.graph.languages import traits_of
from surveyor.graph.outlines import IMPORTS, IS_CALLED, IS_IMPORTED, IS_MEMBER
from surveyor.graph.resolve.certainty import MAX_CANDIDATES
from surveyor.graph.resolve.tree import LEFT_OUT, MISSING
from surveyor.graph.resolve.values import CALLABLE_KINDS, TYPE_KINDS
from surveyor.parsing.languages import language_of
from surveyor.store.state import State
from surveyor.store.state.graph import files, imports
from surveyor.store.state.graph.nodes import NodeRecord, nodes_named

__all__ = ["OutlineChanges", "mark_dependants"]

FEW_NAMES = 16
"""Changed names that are looked for one by one in SQLite; of more, all files' names are compared
at once: some 40 ms for 2,000 files in either way."""
ALL_NAMES = "*"
"""Under this an outline has what is imported as a whole, for others too."""
FEW_GROUPS = 16
"""Groups of changed files whose importers are looked for one group after the other, 20 ms each for
30,000 imports."""
WEIGHED_NAMES = 500
"""More names than these change with a branch: their definitions are not looked at."""
OTHERS = 2
"""Definitions of a name elsewhere without which it is new that the project has it: one may be what
a file means, and another one what makes that doubtful."""


@dataclass(slots=True)
class ImportedName:
    """A changed name that is seen by import alone."""

    marks: int
    """Those of its hashes, before and after."""
    platforms: set[str] = field(default_factory=set)
    """Of the files that have it (`Traits`)."""
    paths: set[str] = field(default_factory=set)
    """The files."""
    only_tests: bool = True
    """Whether all of these are tests."""


@dataclass(slots=True)
class OutlineChanges:
    """What looks different from outside in some files."""

    anywhere: set[str] = field(default_factory=set)
    """Names that any file may mean."""
    imported: dict[str, ImportedName] = field(default_factory=dict)
    """Other names; one that is in `anywhere` counts as that."""
    paths: set[str] = field(default_factory=set)
    """The files."""
    importing: set[str] = field(default_factory=set)
    """Those that import something else than before."""
    opening: set[str] = field(default_factory=set)
    """Those that give others all that other files have (`export *`) where they did not."""

    def note(
        self, path: str, old: Mapping[str, int], new: Mapping[str, int], *, is_test: bool
    ) -> None:
        """A file has another outline."""
        names = [name for name in old.keys() | new.keys() if old.get(name) != new.get(name)]
        if not names:
            return
        self.paths.add(path)
        platform = _platform(path)
        if ALL_NAMES in names:
            self.opening.add(path)
        for name in names:
            if name == IMPORTS:
                self.importing.add(path)
                continue
            hashes = [one[name] for one in (old, new) if name in one]
            if not all(each & IS_IMPORTED for each in hashes):
                self.anywhere.add(name)
                continue
            found = self.imported.setdefault(name, ImportedName(0))
            found.only_tests &= is_test
            found.platforms.add(platform)
            found.paths.add(path)
            for each in hashes:
                found.marks |= each


async def mark_dependants(
    state: State,
    checkout_id: str,
    outlined: Collection[str],
    changes: OutlineChanges,
    added: Sequence[str],
    removed: Sequence[tuple[int, str]],
) -> None:
    """Files that use a changed name of those that were outlined or removed, or import what came or
    went, are to be resolved again."""
    of_all, of_tests, of_importers = await _by_reach(state, checkout_id, changes)
    affected = await _naming(state, checkout_id, of_all)
    linked: set[int] = set()
    """Files whose imports mean other files than before."""
    for file_id, _ in removed:
        linked.update(await imports.files_importing(state, file_id))
    if added:
        missing = await imports.importers_of_nothing(state, checkout_id, MISSING)
        left_out = await imports.importers_of_nothing(state, checkout_id, LEFT_OUT)
        linked.update(file_id for file_id, _ in missing)
        linked.update(file_id for file_id, module in left_out if _may_mean(module, added))
    affected |= linked
    affected |= await _by_import(
        state, checkout_id, set(outlined), changes, of_importers, affected, linked
    )
    if naming := await _naming(state, checkout_id, of_tests) - affected:
        affected |= naming & await files.test_file_ids(state, checkout_id)
    gone = {file_id for file_id, _ in removed}
    async with state.transaction() as tx:
        await files.mark_unresolved(tx, affected - gone)
        await files.delete_files(tx, gone)


async def _by_reach(
    state: State, checkout_id: str, changes: OutlineChanges
) -> tuple[set[str], set[str], set[str]]:
    """Changed names: those that any file may mean, those that tests may mean besides importing
    files, and those that importing files may mean (those of tests too)."""
    of_all, of_tests = set(changes.anywhere), set()
    imported = {name: each for name, each in changes.imported.items() if name not in of_all}
    if len(imported) > WEIGHED_NAMES:
        return of_all | imported.keys(), set(), set()
    elsewhere: dict[str, list[NodeRecord]] = defaultdict(list)
    for node in await nodes_named(state, checkout_id, sorted(imported)):
        if node.path not in changes.paths:
            elsewhere[node.name].append(node)
    for name, change in imported.items():
        match _guessing(change, elsewhere[name]):
            case "all":
                of_all.add(name)
            case "tests":
                of_tests.add(name)
    return of_all, of_tests, imported.keys() - of_all


def _guessing(
    change: ImportedName, elsewhere: Sequence[NodeRecord]
) -> Literal["all", "tests", "none"]:
    """Which files may come to another guess by a name that changed, given all other definitions of
    it."""
    if len(change.platforms) > 1:
        return "all"
    alike = [node for node in elsewhere if _platform(node.path) in change.platforms]
    if len(alike) < OTHERS:
        return "all"
    code = [node for node in alike if not node.is_test]
    if not change.only_tests:
        return "none" if code and _says_nothing(change, code) else "all"
    # A test answers for nothing that code has too, and code calls nothing of its tests.
    return "none" if code or _says_nothing(change, alike) else "tests"


def _says_nothing(change: ImportedName, others: Sequence[NodeRecord]) -> bool:
    """Whether a name is no member's, or so many members have it that none is guessed."""
    if not change.marks & IS_MEMBER:
        return True
    members = [
        node
        for node in others
        if "." in node.qualname and node.kind not in TYPE_KINDS and node.kind != "member"
    ]
    called = sum(node.kind in CALLABLE_KINDS for node in members)
    if len(members) <= MAX_CANDIDATES:
        return False
    return called > MAX_CANDIDATES or not (called or change.marks & IS_CALLED)


def _platform(path: str) -> str:
    language = language_of(path)
    traits = traits_of(language.name if language is not None else "")
    return traits.platform or traits.family


def _may_mean(module: str, paths: Sequence[str]) -> bool:
    """Whether an import may be of one of some files, which had nothing in them before."""
    return any(
        part.partition(".")[0] in module for path in paths for part in path.split("/")[-2:] if part
    )


def _by_paths(names: Collection[str], changes: OutlineChanges) -> Mapping[frozenset[str], set[str]]:
    """Names by the files in which they changed; all together, where these are many."""
    found: dict[frozenset[str], set[str]] = defaultdict(set)
    for name in names:
        found[frozenset(changes.imported[name].paths)].add(name)
    if len(found) <= FEW_GROUPS:
        return found
    return {frozenset(path for paths in found for path in paths): set(names)}


async def _by_import(
    state: State,
    checkout_id: str,
    outlined: Set[str],
    changes: OutlineChanges,
    names: Collection[str],
    affected: Set[int],
    linked: Set[int],
) -> set[int]:
    """Files that import a changed one, themselves or through others, and use a name of it, besides
    those affected already. Files whose imports mean others than before (`linked`) may lead
    anywhere."""
    wanted: list[tuple[frozenset[str], set[int] | None]] = []
    if changes.opening:  # which names these give is not known before they are resolved
        wanted.append((frozenset(changes.opening), None))
    for paths, of_paths in _by_paths(names, changes).items():
        if naming := await _naming(state, checkout_id, of_paths) - affected:
            wanted.append((paths, naming))
    if not wanted:
        return set()
    ids = {path: file_id for file_id, path in await files.files_without_edges(state, checkout_id)}
    alike = outlined - changes.importing
    leading = linked | {file_id for path, file_id in ids.items() if path not in alike}
    all_imports = await imports.all_imports(state, checkout_id)
    by_id = [({ids[path] for path in paths if path in ids}, naming) for paths, naming in wanted]
    return await asyncio.to_thread(_reaching, all_imports, leading, by_id)


def _reaching(
    all_imports: Iterable[tuple[int, int]],
    leading: Collection[int],
    wanted: Iterable[tuple[Collection[int], Collection[int] | None]],
) -> set[int]:
    """Of each of `wanted`, a pair of changed files and of those that use a name of them, the users
    that import one of the files, or of those `leading` anywhere, themselves or through others.
    Without users all that import one of the files."""
    importers: dict[int, list[int]] = defaultdict(list)
    for file_id, target in all_imports:
        importers[target].append(file_id)
    affected: set[int] = set()
    for changed, naming in wanted:
        found = set(changed) if naming is None else {*changed, *leading}
        left = list(found)
        while left:
            for file_id in importers.get(left.pop(), ()):
                if file_id not in found:
                    found.add(file_id)
                    left.append(file_id)
        affected |= found if naming is None else found.intersection(naming)
    return affected


async def _naming(state: State, checkout_id: str, names: Collection[str]) -> set[int]:
    """Files that use one of these names."""
    hashes = [name_hash(name) for name in sorted(names)]
    if not hashes:
        return set()
    if len(hashes) <= FEW_NAMES:
        return set(await files.files_with_names(state, checkout_id, hashes))
    names_of = await files.names_of_files(state, checkout_id)
    return await asyncio.to_thread(_with_any, frozenset(hashes), names_of)


def _with_any(wanted: frozenset[bytes], names_of: Iterable[tuple[int, bytes]]) -> set[int]:
    """Which of (id, names' hashes one after the other) have one of those wanted."""
    found = set()
    for file_id, names in names_of:
        if not wanted.isdisjoint(
            names[at : at + NAME_HASH_BYTES] for at in range(0, len(names), NAME_HASH_BYTES)
        ):
            found.add(file_id)
    return found
