"""What the index worker knows of the graph before it has to make one.

Apart from `jobs` and `extract`, because importing those takes as long as parsing a file does, and a
file that was saved does not wait for its graph.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import msgspec

if TYPE_CHECKING:
    from surveyor.parsing.types import Symbol

__all__ = ["IMPORT_SCAN_LIMIT", "GraphJob", "may_reexport"]

IMPORT_SCAN_LIMIT = 200
"""Imports by call that are computed per file, unless `graph.import_scan_limit` says otherwise."""


class GraphJob(msgspec.Struct, frozen=True, tag="graph"):
    """Work for a checkout's graph. `generation` changes whenever its files may have."""

    kind: Literal["extract", "outline", "resolve", "rank"]
    checkout_id: str
    root: str
    generation: int
    paths: list[str] = []
    traces: bool = True
    start: dict[int, float] = {}
    """For `rank`: nodes, and files by negative id, to begin from."""


def may_reexport(symbols: Sequence[Symbol]) -> bool:
    """Whether a file of these definitions can be little but imports and re-exports."""
    return all(
        symbol.kind in ("variable", "constant") and symbol.name.startswith("__")
        for symbol in symbols
    )
