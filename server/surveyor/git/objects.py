"""Which objects are there: a partial clone has left some on the server."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from surveyor.git import runner

SUBMODULE_MODE = "160000"


def missing(root: Path, objects: Iterable[str]) -> set[str]:
    """Those of the objects that the repository does not have. Raises `GitError`."""
    given = "".join(f"{one}\n" for one in objects).encode()
    if not given:
        return set()
    shown = runner.lines(root, "cat-file", "--batch-check", given=given)
    return {line.removesuffix(b" missing").decode() for line in shown if line.endswith(b" missing")}


def blobs_of(change: bytes) -> Iterator[str]:
    """The objects that a line of git's raw format (`:<mode> <mode> <object> <object> …`) names."""
    old_mode, new_mode, old, new, _ = change[1:].decode("utf-8", "replace").split(" ", 4)
    for mode, blob in ((old_mode, old), (new_mode, new)):
        if blob.strip("0") and mode != SUBMODULE_MODE:
            yield blob
