"""A chunk as searches know it: what ranking reads of it, and its row in `state.db`.

Apart from `store.state`, as `chunk_record` is: ranking needs no database.
"""

from __future__ import annotations

import msgspec

from surveyor.files.file_class import labels_of
from surveyor.store.chunk_record import ChunkRecord

__all__ = ["RankedChunk", "Row", "unsaved_row"]


class RankedChunk(msgspec.Struct, frozen=True, gc=False):
    """What ranking reads of a chunk and its document; columns are called as these fields."""

    symbols: tuple[str, ...] = ()
    """Names that the chunk defines. First, because `searched_chunks` puts it before all others."""
    path: str = ""
    """Relative to its root, forward slashes."""
    start_line: int = 0
    end_line: int = 0
    kind: str = ""
    file_type: str = "code"
    symbol_name: str = ""
    symbol_kind: str = ""
    parent_symbol: str = ""
    is_fragment: int = 0
    """Here and below: 0 or 1, as SQLite has it."""
    is_reexport: int = 0
    labels: str = ""
    """What ranking calls the file (`file_class.labels_of`)."""


class Row(RankedChunk, frozen=True, array_like=True, gc=False):
    """One chunk; the fields are in the order in which `searched_chunks` asks for them."""

    doc_id: int = 0
    """0 for a chunk of an unsaved buffer, which has no document."""
    kinds: str = ""
    """A JSON list; empty unless it was asked for."""
    language: str | None = None
    chunk_rowid: int = 0
    """0 for a chunk of an unsaved buffer."""
    point_id: str = ""
    signature: str = ""
    """Of stored chunks only once they are to be shown (`with_signatures`)."""
    text: str | None = None
    """Of stored chunks only once it was asked for (`with_texts`)."""


_OF_RECORD = tuple(name for name in Row.__struct_fields__ if name in ChunkRecord.__struct_fields__)


def unsaved_row(
    point_id: str,
    path: str,
    language: str | None,
    file_type: str,
    chunk: ChunkRecord,
    signature: str,
    text: str,
) -> Row:
    """The row of a chunk of an unsaved buffer."""
    fields = {name: getattr(chunk, name) for name in _OF_RECORD}
    fields["kinds"] = msgspec.json.encode(chunk.kinds).decode()
    return Row(
        point_id=point_id,
        path=path,
        language=language,
        file_type=file_type,
        labels=labels_of(path, file_type),
        signature=signature,
        text=text,
        **fields,
    )
