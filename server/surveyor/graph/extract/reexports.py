"""Whether a file may be little but re-exports, before its references are known.

Apart from `extract`, because importing that takes as long as parsing a file does, and a file that
was saved does not wait for its graph.
"""

from __future__ import annotations

from collections.abc import Sequence

from surveyor.parsing.types import Symbol

__all__ = ["may_reexport"]


def may_reexport(symbols: Sequence[Symbol]) -> bool:
    """Whether a file of these definitions can be little but imports and re-exports."""
    return all(
        symbol.kind in ("variable", "constant") and symbol.name.startswith("__")
        for symbol in symbols
    )
