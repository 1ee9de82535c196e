"""Types of one name that the number of their type parameters tells apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import structs

from surveyor.graph.expressions.keys import of_arity
from surveyor.graph.extract.columns import SourceColumns
from surveyor.graph.extract.extracted import TYPE_KINDS
from surveyor.parsing.types import Symbol

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["Arities", "arities_of", "given_types", "told_apart"]


Arities = Mapping[tuple[int, int], int]
"""Numbers of type parameters by the line and column of the names of types that have some."""


def arities_of(source: bytes, lists: Sequence[Node]) -> Arities:
    """How many type parameters the types have that lists of these stand behind."""
    positions = SourceColumns(source) if lists else None
    found: dict[tuple[int, int], int] = {}
    for listed in lists:
        name = listed.prev_named_sibling
        if name is not None and positions is not None:
            row, byte_column = name.start_point
            column, _ = positions.of_name(row, byte_column, name.end_byte - name.start_byte)
            found[row + 1, column] = listed.named_child_count
    return found


def given_types(name: Node) -> int:
    """How many type arguments stand behind a name; 0 where what stands there is none."""
    around = name.parent
    if around is None or around.type != "generic_name":
        return 0
    listed = around.named_children[-1]
    return sum(child.type == "," for child in listed.children) + 1


def told_apart(symbols: Sequence[Symbol], arities: Arities) -> Sequence[Symbol]:
    """The definitions of a file, where types of one full name have the number of their parameters
    in their own names and their members' containers, all but those with the fewest."""
    alike: dict[str, set[int]] = {}
    types = [(index, s) for index, s in enumerate(symbols) if s.kind in TYPE_KINDS]
    for _, symbol in types:
        whole = f"{symbol.container}.{symbol.name}"
        alike.setdefault(whole, set()).add(_arity(symbol, arities))
    found = list(symbols)
    for index, symbol in types:
        counts = alike[f"{symbol.container}.{symbol.name}"]
        count = _arity(symbol, arities)
        if len(counts) == 1 or count == min(counts):
            continue
        within = found[index]
        before = f"{within.container}." if within.container else ""
        old, new = f"{before}{symbol.name}", f"{before}{of_arity(symbol.name, count)}"
        found[index] = structs.replace(within, name=of_arity(symbol.name, count))
        for at, member in enumerate(found):
            if _is_in(member, symbol) and f"{member.container}.".startswith(f"{old}."):
                container = new + member.container.removeprefix(old)
                found[at] = structs.replace(member, container=container)
    return found


def _arity(type_: Symbol, arities: Arities) -> int:
    return arities.get((type_.line, type_.column), 0)


def _is_in(member: Symbol, type_: Symbol) -> bool:
    return type_.start_line <= member.start_line and member.end_line <= type_.end_line
