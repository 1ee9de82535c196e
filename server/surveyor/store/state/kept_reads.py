"""What was read of single chunks and documents, for as long as the catalog stays as it is.

Who searches comes back to the same places: in other words, for the next page, letter by letter. To
read the text of a chunk, its document is decompressed and cut into lines; to find a signature, the
document's symbols are gone through.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence, Sized
from typing import Generic, TypeVar

from surveyor.store.state.change_counter import ChangeCounter

__all__ = ["KeptReads"]

K = TypeVar("K", bound=Hashable)
V = TypeVar("V", bound=Sized)

OVERHEAD_BYTES = 200
"""Of a value and its key, beside what the value says."""


class KeptReads(Generic[K, V]):
    """Values by key, as of one version of the catalog; what was read longest ago is let go first.

    Used on the event loop's thread alone, as the catalog's version changes there.
    """

    def __init__(self, catalog: ChangeCounter, most_bytes: int) -> None:
        self._catalog = catalog
        self._version = -1
        self._values: dict[K, V] = {}
        self._most = self._room = most_bytes

    def of(self, keys: Sequence[K], read: Callable[[Sequence[K]], dict[K, V]]) -> dict[K, V]:
        """The values of some keys, those that are not kept as `read` gives them; a key that it
        gives nothing for has none."""
        version = self._catalog.version
        if version != self._version:
            self._values.clear()
            self._version, self._room = version, self._most
        kept = self._values
        unread = [key for key in keys if key not in kept]
        new: dict[K, V] = read(unread) if unread else {}
        found = {key: kept[key] for key in keys if key in kept}
        if not version % 2:  # while it is odd, what is there may change with the next statement
            self._keep(new)
        return found | new

    def _keep(self, new: dict[K, V]) -> None:
        for key, value in new.items():
            if key not in self._values:
                self._values[key] = value
                self._room -= len(value) + OVERHEAD_BYTES
        while self._room < 0:
            key = next(iter(self._values))
            self._room += len(self._values.pop(key)) + OVERHEAD_BYTES
