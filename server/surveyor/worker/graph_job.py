"""What the engine asks an index worker to do for a checkout's graph.

Apart from `graph_jobs`, because importing that takes as long as parsing a file does, and a file
that was saved does not wait for its graph.
"""

from __future__ import annotations

from typing import Literal

import msgspec

__all__ = ["GraphJob"]


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
