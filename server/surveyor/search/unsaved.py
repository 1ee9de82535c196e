"""Unsaved buffers among the candidates, by the same similarities as what is stored."""

from __future__ import annotations

from surveyor.search.scope import (
    CandidateRow,
    GatheredCandidates,
    Overlay,
    SearchInput,
    SearchTarget,
    meets,
    pool_of,
)
from surveyor.store.vectors.contract import Hit

__all__ = ["add_unsaved"]

OVERLAY_IDF = 4.0
"""Typical IDF of a telling term: makes an unsaved chunk's BM25 comparable with stored ones."""


def add_unsaved(
    place: SearchTarget, overlay: Overlay, sought: SearchInput, into: GatheredCandidates
) -> None:
    """Chunks of an unsaved buffer compete by the same similarities."""
    weights = dict(zip(sought.sparse.indices, sought.sparse.values, strict=True))
    for chunk in overlay.chunks:
        row = chunk.row
        if not meets(row, sought.conditions):
            continue
        pool = pool_of(row.file_type)
        into.found[row.point_id] = CandidateRow(row, place, overlay)
        if sought.dense is not None:
            similarity = float(chunk.dense @ sought.dense)
            into.sides.setdefault(("dense", pool), []).append(Hit(row.point_id, similarity))
        score = sum(weights[token] * w for token, w in chunk.sparse.items() if token in weights)
        if score:
            hit = Hit(row.point_id, score * OVERLAY_IDF)
            into.sides.setdefault(("sparse", pool), []).append(hit)
