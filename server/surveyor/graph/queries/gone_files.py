"""Files that a diff deletes or renames, and who imports them still."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

import msgspec

from surveyor.graph import EXTRACT_VERSION
from surveyor.graph.facts import FileFacts, GraphBlobs, decode_facts
from surveyor.graph.jobs import FormerImport, GraphJob
from surveyor.graph.queries.diff import FileDiff
from surveyor.graph.queries.former_uses import MAX_FILES, files_naming
from surveyor.graph.queries.lookup import StoredGraph, language_of_path

__all__ = ["GoneFile", "GoneImports", "find_gone_imports", "moved_files"]

MAX_GONE = 200
"""Files whose imports are looked for."""
_OF_FOLDER = frozenset({"index", "__init__", "mod", "init"})
"""What a file is called that is imported by its folder's name."""
_FOLDERS_ONLY = frozenset({"go"})
_WORDS = re.compile(r"\w+")
_FORMER = msgspec.msgpack.Decoder(list[FormerImport])


class GoneFile(NamedTuple):
    """A file that is not where it was."""

    path: str
    graph: bytes
    """As it was, encoded; of one that was renamed as it is now."""
    moved_to: str = ""


class GoneImports(NamedTuple):
    """Imports that led to files which are gone, and lead nowhere now."""

    places: Sequence[tuple[FormerImport, GoneFile]] = ()
    left: int = 0
    """Files that may have more, and were not looked at."""


async def moved_files(stored: StoredGraph, diff: Sequence[FileDiff]) -> list[GoneFile]:
    """Those that a diff renames, where they were."""
    found = []
    for file in diff:
        if not file.old_path or file.old_path == file.path or file.whole or file.deleted:
            continue
        facts = await stored.facts(file.path)
        if facts is not None:
            blobs = GraphBlobs(EXTRACT_VERSION, "", b"", facts, b"")
            found.append(GoneFile(file.old_path, msgspec.msgpack.encode(blobs), file.path))
    return found


async def find_gone_imports(
    stored: StoredGraph,
    gone: Sequence[GoneFile],
    job: GraphJob,
    run: Callable[[GraphJob], Awaitable[bytes]],
) -> GoneImports:
    """Who imports files that are gone, by what is stored of the importers now.

    `job` says of which checkout.
    """
    sought = {each.path: each for each in gone[:MAX_GONE] if await stored.file(each.path) is None}
    words = {word for path in sought for word in _imported_as(path)}
    paths = await files_naming(stored, words, list(sought))
    if not paths:
        return GoneImports(left=max(0, len(gone) - MAX_GONE))
    job = msgspec.structs.replace(
        job,
        kind="importers",
        paths=paths[:MAX_FILES],
        buffers={path: each.graph for path, each in sought.items()},
    )
    left = max(0, len(gone) - MAX_GONE) + max(0, len(paths) - MAX_FILES)
    led = _FORMER.decode(await run(job))
    return GoneImports([(each, sought[each.gone_path]) for each in await _dead(stored, led)], left)


async def _dead(stored: StoredGraph, led: Sequence[FormerImport]) -> list[FormerImport]:
    """Those that lead to no other file now, each once."""
    ids: dict[str, int] = {}
    for path in {each.path for each in led}:
        if (file := await stored.file(path)) is not None:
            ids[path] = file.file_id
    leading: dict[tuple[int, int, str], list[int]] = {}
    for now in await stored.imports([*ids.values()], "out"):
        leading.setdefault((now.file_id, now.line, now.module), []).append(now.other_id)
    found: dict[tuple[str, int, str], FormerImport] = {}
    for each in led:
        if each.path not in ids:
            continue
        others = leading.get((ids[each.path], each.line, each.module), [])
        if not others or await _names_module(stored, each, others):
            found.setdefault((each.path, each.line, each.module), each)
    return list(found.values())


async def _names_module(stored: StoredGraph, link: FormerImport, others: Sequence[int]) -> bool:
    """Whether an import names the file as a part of what it still finds (`from shop import till`),
    and that has nothing else of this name."""
    stem = PurePosixPath(link.gone_path).name.partition(".")[0]
    user = await stored.facts(link.path)
    names = {
        name
        for each in (decode_facts(user).imports if user is not None else ())
        if each.line == link.line and each.module == link.module
        for name, _ in each.names
    }
    if stem not in names or stem in _WORDS.findall(link.module):
        return False
    for node in (await stored.files(others)).values():
        facts = await stored.facts(node.path)
        if facts is not None and _offers(decode_facts(facts), stem):
            return False
    return True


def _offers(file: FileFacts, name: str) -> bool:
    bound = {local for each in file.imports for _, local in each.names}
    return not bound.isdisjoint({name, "*"}) or any(
        each.name == name and not each.container for each in file.names
    )


def _imported_as(path: str) -> Iterator[str]:
    """Words of which each import of a file has one."""
    file = PurePosixPath(path)
    stem = file.name.partition(".")[0]
    if stem in _OF_FOLDER or language_of_path(path) in _FOLDERS_ONLY:
        yield file.parent.name
    if language_of_path(path) not in _FOLDERS_ONLY:
        yield stem
        yield f'"{stem}'  # as it stands in C's `#include "box.h"`
