"""What the manifests of checkouts say of imports, as the stored edges have it.

When a manifest changes, all imports of the project may mean something else, and working them out
takes seconds; but most changes of one say nothing of imports.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from surveyor.files.contained_paths import read_below
from surveyor.graph.jobs import MAX_MANIFEST_BYTES
from surveyor.graph.resolve.hints import decides_imports
from surveyor.graph.resolve.manifests import declared
from surveyor.store.state import State
from surveyor.store.state.files import KnownFile, known_files

__all__ = ["ImportDeclarations"]


class ImportDeclarations:
    """Knows what the manifests of each checkout said last."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._known: dict[str, dict[str, bytes | None]] = {}
        """By checkout and path; None for a manifest that cannot be read."""

    async def learn(self, checkout_id: str, root: str) -> None:
        """Read a checkout's manifests, once: those that lie there as they were indexed."""
        if checkout_id in self._known:
            return
        files = await known_files(self._state, checkout_id)
        manifests = {path: file for path, file in files.items() if decides_imports(path)}
        found = await asyncio.to_thread(_read_indexed, Path(root), manifests)
        self._known.setdefault(checkout_id, found)

    async def have_changed(self, checkout_id: str, root: str, paths: Sequence[str]) -> bool:
        """Whether imports may mean something else, now that these files are not what they were."""
        manifests = [path for path in paths if decides_imports(path)]
        if not manifests:
            return False
        before = self._known.get(checkout_id)
        if before is None:
            await self.learn(checkout_id, root)
            return True
        now = await asyncio.to_thread(_read, Path(root), manifests)
        same = all(path in before and before[path] == now[path] for path in manifests)
        before |= now
        return not same

    def forget(self, checkout_id: str) -> None:
        """A checkout has another id, or none any more."""
        self._known.pop(checkout_id, None)


def _read(root: Path, paths: Iterable[str]) -> dict[str, bytes | None]:
    return {path: _declared(root, path) for path in paths}


def _read_indexed(root: Path, files: Mapping[str, KnownFile]) -> dict[str, bytes | None]:
    found = {}
    for path, file in files.items():
        said = _declared(root, path)
        try:
            now = (root / path).lstat()
        except OSError:
            continue
        if (now.st_size, now.st_mtime_ns) == (file.size, file.mtime_ns):
            found[path] = said
    return found


def _declared(root: Path, path: str) -> bytes | None:
    try:
        data = read_below(root, path, MAX_MANIFEST_BYTES + 1)
    except OSError:
        return None
    if len(data) > MAX_MANIFEST_BYTES:
        return None
    return declared(path, data.decode("utf-8", "replace"))
