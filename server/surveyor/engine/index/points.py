"""Points from chunks: their payload as the store takes it."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from surveyor.parsing.types import Chunk


def payload_of(
    project_id: str,
    name: str,
    path: str,
    file_type: str,
    language: str | None,
    chunk: Chunk,
    fields: Container[str] | None = None,
) -> dict[str, Any]:
    """A point's payload: seed 000's fields, without those that say where the chunk is now.

    `fields` are those that the store has a use for: each that crosses into the embedded one costs
    as much as two hundredths of the point.
    """
    payload = {
        "project_id": project_id,
        "project_name": name,
        "file_path": path,
        "file_type": file_type,
        "language": language or "",
        "chunk_type": chunk.kind,
        "symbol_name": chunk.symbol_name,
        "symbol_kind": chunk.symbol_kind,
        "kinds": list(chunk.kinds),
        "parent_symbol": chunk.parent_symbol,
        "symbols": list(chunk.symbols),
        "is_fragment": chunk.is_fragment,
    }
    if fields is None:
        return payload
    return {name: value for name, value in payload.items() if name in fields}
