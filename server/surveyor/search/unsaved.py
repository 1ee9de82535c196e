"""Unsaved buffers among the candidates, by the same similarities as what is stored."""

from __future__ import annotations

import json

from surveyor.search.row import Row
from surveyor.search.scope import Found, Gathered, Overlay, Place, Sought, meets, pool_of
from surveyor.store.vectors.contract import Hit

__all__ = ["add_unsaved"]

OVERLAY_IDF = 4.0
"""Typical IDF of a telling term: makes an unsaved chunk's BM25 comparable with stored ones."""


def add_unsaved(place: Place, overlay: Overlay, sought: Sought, into: Gathered) -> None:
    """Chunks of an unsaved buffer compete by the same similarities."""
    weights = dict(zip(sought.sparse.indices, sought.sparse.values, strict=True))
    for chunk in overlay.chunks:
        candidate = chunk.candidate
        row = Row(
            rowid=0,
            doc_id=0,
            point_id=candidate.id,
            kind=candidate.kind,
            kinds=json.dumps(chunk.kinds),
            start_line=candidate.start_line,
            end_line=candidate.end_line,
            symbols=(),
            symbol_name=candidate.symbol_name,
            symbol_kind=candidate.symbol_kind,
            parent_symbol=candidate.parent_symbol,
            signature=chunk.signature,
            is_fragment=candidate.is_fragment,
            path=overlay.path,
            language=chunk.language,
            file_type=candidate.file_type,
            is_reexport=candidate.is_reexport,
            text=chunk.text,
        )
        if not meets(row, sought.conditions):
            continue
        pool = pool_of(candidate.file_type)
        into.found[candidate.id] = Found(row, place, overlay, candidate)
        if sought.dense is not None:
            similarity = float(chunk.dense @ sought.dense)
            into.sides.setdefault(("dense", pool), []).append(Hit(candidate.id, similarity))
        score = sum(weights[token] * w for token, w in chunk.sparse.items() if token in weights)
        if score:
            hit = Hit(candidate.id, score * OVERLAY_IDF)
            into.sides.setdefault(("sparse", pool), []).append(hit)
