"""Functions that stand in the value of a variable and are no members of what it holds.

`const agent = new Agent({ connect() {} })` hands `connect` to a call: what `agent.connect()` is
says the type of what the call gives, not the object that it was handed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from surveyor.graph.extract.scopes import qualified
from surveyor.parsing.types import Symbol

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["handed_members"]

_HOLDERS = frozenset({"variable", "constant", "field", "property"})
_MEMBERS = frozenset({"function", "method", "constructor", "class"})
_ARGUMENTS = frozenset({"arguments", "argument_list", "value_arguments"})
_TOLD = re.compile(r"<.*>", re.DOTALL)
_WORD = re.compile(r"\w+")


def handed_members(
    root: Node,
    source: bytes,
    symbols: Sequence[Symbol],
    byte_of: Callable[[int, int], int],
    giving_back: frozenset[str],
) -> Iterator[str]:
    """Qualified names of definitions that are written in what a call is handed, of which a
    variable or field holds what it gives. `byte_of` is the byte of a line (from 1) and a column;
    `giving_back` are functions that give what they are handed."""
    holders: dict[str, Symbol] = {}
    for symbol in symbols:
        if symbol.kind in _HOLDERS:
            holders.setdefault(qualified(symbol), symbol)
        elif symbol.kind in _MEMBERS and (holder := holders.get(symbol.container)) is not None:
            begin = byte_of(holder.line, holder.column)
            at = byte_of(symbol.line, symbol.column)
            node = root.descendant_for_byte_range(at, at)
            if _is_handed(node, begin, source, giving_back):
                yield qualified(symbol)


def _is_handed(node: Node | None, begin: int, source: bytes, giving_back: frozenset[str]) -> bool:
    """Whether a node is in the arguments of a call that stands behind a place."""
    while node is not None and node.start_byte > begin:
        if node.type in _ARGUMENTS and node.parent is not None:
            called = source[node.parent.start_byte : node.start_byte].decode("utf-8", "replace")
            words = _WORD.findall(_TOLD.sub("", called))
            if not words or words[-1] not in giving_back:
                return True
        node = node.parent
    return False
