"""Which objects are there (a partial clone has left some on the server), and what they hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from surveyor.git import runner

SUBMODULE_MODE = "160000"
AT_ONCE_BYTES = 32 << 20
"""Of objects that one answer of git's holds."""


def missing(root: Path, objects: Iterable[str]) -> set[str]:
    """Those of the objects that the repository does not have. Raises `GitError`."""
    given = "".join(f"{one}\n" for one in objects).encode()
    if not given:
        return set()
    shown = runner.lines(root, "cat-file", "--batch-check", given=given)
    return {line.removesuffix(b" missing").decode() for line in shown if line.endswith(b" missing")}


async def read_blobs(root: Path, objects: Sequence[str], most_bytes: int) -> dict[str, bytes]:
    """What blobs hold, by two questions to git whatever their number. Raises `GitError`.

    Without those that are not there or larger than `most_bytes`.
    """
    if not objects:
        return {}
    given = "".join(f"{one}\n" for one in objects).encode()
    told = await runner.ask_async(root, "cat-file", "--batch-check", given=given)
    parts: list[list[str]] = [[]]
    room = AT_ONCE_BYTES
    for line in told.decode("ascii", "replace").splitlines():
        name, kind, *size = line.split(" ")
        if kind != "blob" or int(size[0]) > most_bytes:
            continue
        room -= int(size[0])
        if room < 0:
            parts.append([])
            room = AT_ONCE_BYTES - int(size[0])
        parts[-1].append(name)
    found: dict[str, bytes] = {}
    for part in filter(None, parts):
        given = "".join(f"{one}\n" for one in part).encode()
        found |= _held(await runner.ask_async(root, "cat-file", "--batch", given=given))
    return found


def _held(answer: bytes) -> Iterator[tuple[str, bytes]]:
    """The objects of `cat-file --batch`: a line with name, type and size, and then the bytes."""
    start = 0
    while (end := answer.find(b"\n", start)) >= 0:
        name, _, size = answer[start:end].decode("ascii").split(" ")
        start = end + 1 + int(size)
        yield name, answer[end + 1 : start]
        start += 1


def blobs_of(change: bytes) -> Iterator[str]:
    """The objects that a line of git's raw format (`:<mode> <mode> <object> <object> …`) names."""
    old_mode, new_mode, old, new, _ = change[1:].decode("utf-8", "replace").split(" ", 4)
    for mode, blob in ((old_mode, old), (new_mode, new)):
        if blob.strip("0") and mode != SUBMODULE_MODE:
            yield blob
