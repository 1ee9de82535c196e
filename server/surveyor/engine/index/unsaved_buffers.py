"""Unsaved buffers: seen by searches of their checkout while an editor holds them, never stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from surveyor.engine.index.catalog import point_ids
from surveyor.engine.projects.checkouts import Checkout
from surveyor.engine.projects.registry import ProjectRegistry
from surveyor.parsing.stored_text import normal_text
from surveyor.parsing.types import ParsedFile, Symbol
from surveyor.protocol.search import SymbolItem
from surveyor.search.scope import Overlay, OverlayChunk
from surveyor.search.text_search import UnsavedText
from surveyor.secrets import mask_bytes
from surveyor.store.chunk_row import unsaved_row
from surveyor.store.state.symbols import StoredSymbol
from surveyor.worker.messages import FileJob
from surveyor.worker.pool import WorkerPool

MAX_REMEMBERED = 500
"""Buffers whose last text is recognised after they were saved."""
ID_MARK = "unsaved:"
"""Chunk ids of unsaved buffers start with this, so that they are never taken for stored ones."""


@dataclass(frozen=True, slots=True)
class _Buffer:
    owner: str
    checkout_id: str
    overlay: Overlay
    text: str
    parsed: ParsedFile
    is_masked: bool


class EditorBuffers:
    """The buffers of all editors, by checkout and path."""

    def __init__(self, pool: WorkerPool, projects: ProjectRegistry) -> None:
        self._pool = pool
        self._projects = projects
        self._buffers: dict[tuple[str, str], _Buffer] = {}
        self._latest: dict[tuple[str, str], tuple[str, int]] = {}
        """Owner and version of what was shown last: it counts, though it may still be parsed."""
        self._last_shown: dict[tuple[str, str], int] = {}
        """Hashes of the texts that were shown last, of buffers that may be gone by now."""

    async def show(
        self, owner: str, checkout: Checkout, path: str, version: int, text: str
    ) -> None:
        """Parse and embed a buffer; a newer version that arrives meanwhile wins."""
        key = (checkout.checkout_id, path)
        self._latest[key] = owner, version
        # What is shown of it is no more than what is shown of files: a key in it is for nobody.
        read = text.encode("utf-8", "surrogatepass")
        data = mask_bytes(read, path)
        text = data.decode("utf-8", "surrogatepass")
        self._remember(key, text)
        job = FileJob(
            checkout.root, path, checkout.project_id, data=data, parse_known=True, graph_now=True,
            is_awaited=True,
        )  # fmt: skip
        (outcome,) = await self._pool.run([job])
        checkout = await self._projects.current(checkout) or checkout
        key = (checkout.checkout_id, path)
        if outcome.parsed is None or self._latest.get(key) != (owner, version):
            return
        ids = point_ids(checkout.project_id, path, outcome.vectors)
        chunks = tuple(
            OverlayChunk(
                row=unsaved_row(
                    f"{ID_MARK}{point_id}",
                    path,
                    outcome.parsed.language,
                    outcome.parsed.file_type,
                    chunk,
                    chunk.signature,
                    chunk.text,
                ),
                dense=np.frombuffer(vector.dense, dtype=np.float16).astype(np.float32),
                sparse=dict(
                    zip(
                        np.frombuffer(vector.indices, dtype=np.uint32).tolist(),
                        np.frombuffer(vector.values, dtype=np.float32).tolist(),
                        strict=True,
                    )
                ),
            )
            for point_id, chunk, vector in zip(
                ids, outcome.parsed.chunks, outcome.vectors, strict=True
            )
        )
        overlay = Overlay(path=path, version=version, chunks=chunks, symbols=outcome.parsed.symbols)
        self._buffers[key] = _Buffer(
            owner, checkout.checkout_id, overlay, text, outcome.parsed, data is not read
        )

    def _remember(self, key: tuple[str, str], text: str) -> None:
        self._last_shown.pop(key, None)
        self._last_shown[key] = hash(text.replace("\r\n", "\n"))
        if len(self._last_shown) > MAX_REMEMBERED:
            del self._last_shown[next(iter(self._last_shown))]

    def was_shown(self, checkout_id: str, path: str, text: str) -> bool:
        """Whether a text (masked) is the last that an editor had unsaved in a file."""
        return self._last_shown.get((checkout_id, path)) == hash(text.replace("\r\n", "\n"))

    def hide(self, owner: str, checkout: Checkout, path: str) -> None:
        """An editor's buffer was saved or closed; what another editor shows of the file stays."""
        self._withdraw(owner, (checkout.checkout_id, path))

    def _withdraw(self, owner: str, key: tuple[str, str]) -> None:
        latest, buffer = self._latest.get(key), self._buffers.get(key)
        if latest is not None and latest[0] == owner:
            del self._latest[key]
        if buffer is not None and buffer.owner == owner:
            del self._buffers[key]

    def rename_checkout(self, old: str, new: str) -> None:
        """A folder's ids changed: its buffers stay open."""
        for key, buffer in list(self._buffers.items()):
            if buffer.checkout_id == old:
                self._buffers[new, key[1]] = replace(self._buffers.pop(key), checkout_id=new)
        for key in [key for key in self._latest if key[0] == old]:
            self._latest[new, key[1]] = self._latest.pop(key)

    def drop_owner(self, owner: str) -> None:
        """An editor is gone, and its buffers with it."""
        for key in {*self._latest, *self._buffers}:
            self._withdraw(owner, key)

    def of(self, checkout_id: str) -> Sequence[Overlay]:
        """The buffers of a checkout."""
        if not self._buffers:
            return ()
        return [b.overlay for b in self._buffers.values() if b.checkout_id == checkout_id]

    def text(self, checkout_id: str, path: str) -> tuple[str, int] | None:
        """A buffer's text and version."""
        buffer = self._buffers.get((checkout_id, path))
        return None if buffer is None else (buffer.text, buffer.overlay.version)

    def texts(self, checkout_id: str) -> Sequence[UnsavedText]:
        """The buffers of a checkout as they are searched for exact text."""
        return [
            UnsavedText(
                overlay=buffer.overlay,
                text=normal_text(buffer.text.encode("utf-8", "surrogatepass")),
                language=buffer.parsed.language,
                file_type=buffer.parsed.file_type,
                is_masked=buffer.is_masked,
            )
            for buffer in self._buffers.values()
            if buffer.checkout_id == checkout_id
        ]

    def parsed(self, checkout_id: str) -> Mapping[str, tuple[int, ParsedFile]]:
        """Version and contents of each buffer of a checkout, by path."""
        return {
            buffer.overlay.path: (buffer.overlay.version, buffer.parsed)
            for buffer in self._buffers.values()
            if buffer.checkout_id == checkout_id
        }

    def chunk(self, checkout_id: str, chunk_id: str) -> tuple[Overlay, OverlayChunk] | None:
        """A buffer's chunk by id."""
        for overlay in self.of(checkout_id):
            for chunk in overlay.chunks:
                if chunk.row.point_id == chunk_id:
                    return overlay, chunk
        return None

    def symbols(
        self,
        checkout: Checkout,
        name: str,
        kinds: list[str],
        path: str | None,
        match: Callable[[str, str], float],
    ) -> list[SymbolItem]:
        """Definitions in the buffers that match a name, or all of one file."""
        found = []
        for buffer in self._buffers.values():
            if buffer.checkout_id != checkout.checkout_id or path not in (
                None,
                buffer.overlay.path,
            ):
                continue
            for symbol in buffer.parsed.symbols:
                score = match(name, symbol.name) if name else 1.0
                if score and (not kinds or symbol.kind in kinds):
                    where = (checkout, buffer.overlay.path, buffer.parsed.language)
                    item = symbol_item(symbol, *where, score)
                    item.unsaved_version = buffer.overlay.version
                    found.append(item)
        return found


def symbol_item(
    symbol: Symbol | StoredSymbol, checkout: Checkout, path: str, language: str | None, score: float
) -> SymbolItem:
    """A definition as it is answered, stored or unsaved."""
    return SymbolItem(
        name=symbol.name,
        kind=symbol.kind,
        container=symbol.container,
        path=path,
        start_line=symbol.start_line,
        end_line=symbol.end_line,
        line=symbol.line,
        column=symbol.column,
        end_column=symbol.end_column,
        language=language,
        signature=symbol.signature or None,
        score=round(score, 4),
        project=checkout.name,
        root=checkout.root,
    )


__all__ = ["EditorBuffers", "symbol_item"]
