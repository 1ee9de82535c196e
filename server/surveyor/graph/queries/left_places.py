"""Places with the name of a definition of which it is not known what they mean."""

from __future__ import annotations

from collections.abc import Sequence

from surveyor.graph.languages import traits_of
from surveyor.graph.languages.traits import Traits
from surveyor.graph.left_uses import Standing
from surveyor.graph.queries.items import language_of_path
from surveyor.graph.queries.lookup import Node, StoredGraph
from surveyor.graph.resolve.values import CALLABLE_KINDS
from surveyor.units import counted

__all__ = ["EXTENDS", "MEMBERS", "left_places", "left_uses", "said_of_places"]

MEMBERS = ("method", "property", "field", "constructor")
"""Kinds of definitions that are reached through a receiver, whose type may not be known."""
EXTENDS = frozenset({"inheritance"})
"""Uses that give a type what another one has."""
_RUNNING = frozenset({"call", "instantiation"})
_EXPORTED = CALLABLE_KINDS | {"variable", "constant"}
_WHOLE = frozenset({"default", "exports"})
"""What a module's whole is called that has no name."""
_SHOWN = 2


async def left_uses(
    stored: StoredGraph, node: Node, kinds: frozenset[str] | None = None
) -> list[tuple[str, int]]:
    """Path and line of each use that may mean a definition and is not followed, tests last.
    `kinds`: of these uses only."""
    traits = traits_of(language_of_path(node.path) or "")
    standings = _standings(node, traits)
    if kinds is None and node.kind in CALLABLE_KINDS and "given" in standings:
        kinds = _RUNNING  # what is only read of a value runs nothing
    places = dict.fromkeys(
        (path, use.line)
        for path, use in await stored.left(node.name)
        if (kinds is None or use.kind in kinds)
        and use.standing in standings
        and traits_of(language_of_path(path) or "").family == traits.family
    )
    return list(places)


async def left_places(stored: StoredGraph, node: Node, kinds: frozenset[str] | None = None) -> str:
    """How many uses may mean a definition and are not followed, and where the first are, in one
    sentence; empty where all that have its name are known. `kinds`: of these uses only."""
    return said_of_places(await left_uses(stored, node, kinds))


def said_of_places(places: Sequence[tuple[str, int]]) -> str:
    """That uses at some places are not followed, and where the first are; empty without any."""
    if not places:
        return ""
    first = [f"{path}:{line}" for path, line in places[:_SHOWN]]
    more = f" and {len(places) - len(first)} more" if len(places) > len(first) else ""
    said = counted(len(places), "place of its name is", "places of its name are")
    return f"{said} not followed ({', '.join(first)}{more})"


def _standings(node: Node, traits: Traits) -> frozenset[Standing]:
    """What the name of a definition may stand on, where nothing says what is meant."""
    if node.kind in MEMBERS or (traits.types_are_values and node.kind in CALLABLE_KINDS):
        return frozenset({"module", "value", "given"})
    is_key = node.kind == "member"
    is_exported = "." not in node.qualname and node.kind in _EXPORTED
    common = traits.standard_members | traits.common_members | _WHOLE
    if traits.exports_names and (is_key or is_exported) and node.name not in common:
        return frozenset({"module", "value"})  # on an object that stands for the module
    return frozenset({"module"})
