"""Which files must be resolved again after others changed.

What is behind is the difference between the tables of the index and those of the graph
(`store.state.graph.files`), so an update that was interrupted goes on where it was.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Sequence

from surveyor.graph.facts import NAME_HASH_BYTES, name_hash
from surveyor.graph.resolve.tree import MISSING
from surveyor.store.state import State
from surveyor.store.state.graph import files, imports

__all__ = ["mark_dependants"]

FEW_NAMES = 16
"""Changed names that are looked for one by one in SQLite; of more, all files' names are compared
at once: some 40 ms for 2,000 files in either way."""


async def mark_dependants(
    state: State,
    checkout_id: str,
    names: Collection[str],
    added: Sequence[str],
    removed: Sequence[tuple[int, str]],
) -> None:
    """Files that use a changed name, or import what came or went, are to be resolved again."""
    affected = await _naming(state, checkout_id, names)
    for file_id, _ in removed:
        affected.update(await imports.files_importing(state, file_id))
    if added:
        affected.update(await imports.importers_of_nothing(state, checkout_id, MISSING))
    gone = {file_id for file_id, _ in removed}
    async with state.transaction() as tx:
        await files.mark_unresolved(tx, affected - gone)
        await files.delete_files(tx, gone)


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
