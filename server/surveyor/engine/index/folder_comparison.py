"""What a folder holds beside what the catalog knows of it: pure, and for a thread.

A folder may have hundreds of thousands of files, and going through them takes seconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from surveyor.engine.index.pipeline import EXCLUDED
from surveyor.parsing.file_types import turn_of
from surveyor.parsing.walk import NestedRepository, SkippedPath, UnseenPath, WalkedFile
from surveyor.store.state.files import KnownFile


@dataclass(slots=True)
class FolderComparison:
    """What differs, by what is to be done about it."""

    changed: list[str] = field(default_factory=list)
    """Files to be indexed, in the order in which they are."""
    skipped: list[SkippedPath] = field(default_factory=list)
    """Left out, which was not known, or not for this reason."""
    dropped: list[SkippedPath] = field(default_factory=list)
    """Indexed, and left out by the rules by now."""
    missed: dict[str, SkippedPath] = field(default_factory=dict)
    """Indexed, and could not be looked at: by file, what hides it."""
    gone: set[str] = field(default_factory=set)
    """Known, and not there any more, or not seen by these rules."""
    unchanged: int = 0
    left_out: int = 0
    new_files: int = 0
    new_bytes: int = 0
    """Of files that are not known at all."""
    bytes_to_read: int = 0
    """Of those that are changed, or queued already."""


def compare(
    found: Iterable[WalkedFile | SkippedPath | NestedRepository],
    known: Mapping[str, KnownFile],
    queued: Mapping[str, WalkedFile],
    version: str,
    *,
    anew: bool,
) -> FolderComparison:
    """Compare what was found with what is known.

    `queued` are files that are in the queue as they were found; `version` is that of the index, and
    `anew` has every file indexed again.
    """
    result = FolderComparison()
    seen: set[str] = set()
    unseen: dict[str, SkippedPath] = {}
    for entry in found:
        if isinstance(entry, WalkedFile):
            seen.add(entry.path)
            _compare_file(entry, known.get(entry.path), queued, version, anew, result)
        elif isinstance(entry, SkippedPath):
            seen.add(entry.path)
            row = known.get(entry.path)
            if isinstance(entry, UnseenPath):
                unseen[entry.path] = entry
                if row is not None and row.status == "indexed":
                    continue
            if entry.reason == EXCLUDED and row is not None and row.status == "indexed":
                result.dropped.append(entry)
                continue
            if row is None or row.reason != entry.reason:
                result.skipped.append(entry)
            result.left_out += 1
    result.changed.sort(key=turn_of)
    result.missed = {
        path: hidden
        for path in known.keys() - (seen - unseen.keys())
        if known[path].status == "indexed" and (hidden := _hidden_by(path, unseen))
    }
    result.gone = known.keys() - seen - result.missed.keys()
    return result


def _compare_file(
    entry: WalkedFile,
    row: KnownFile | None,
    queued: Mapping[str, WalkedFile],
    version: str,
    anew: bool,
    result: FolderComparison,
) -> None:
    if row is None:
        result.new_files += 1
        result.new_bytes += entry.size
    if queued.get(entry.path) == entry:
        result.bytes_to_read += entry.size
        return  # should it change from now on, the watcher sees it
    if (
        not anew
        and row is not None
        and row.size == entry.size
        and row.mtime_ns == entry.mtime_ns
        and row.status != "failed"
        and row.version in (None, version)
    ):
        if row.status == "skipped":  # for what is in it
            result.left_out += 1
        else:
            result.unchanged += 1
    else:
        result.changed.append(entry.path)
        result.bytes_to_read += entry.size


def _hidden_by(path: str, unseen: Mapping[str, SkippedPath]) -> SkippedPath | None:
    """What could not be looked at of a file and the folders above it, the root included."""
    while unseen:
        if path in unseen:
            return unseen[path]
        if not path:
            break
        path = path.rpartition("/")[0]
    return None
