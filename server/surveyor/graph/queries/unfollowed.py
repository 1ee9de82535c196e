"""Why an answer about uses may lack some: what could be a use and was not followed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from surveyor.graph.queries.items import language_of_path
from surveyor.graph.queries.lookup import Node, StoredGraph
from surveyor.graph.queries.query_context import uses_unread
from surveyor.graph.resolve.resolver import CERTAIN, MAX_CANDIDATES, MAX_COMMON, is_common
from surveyor.protocol.graph import GraphItem

__all__ = ["left_out_by_language", "unfollowed"]

MEMBERS = ("method", "property", "field", "constructor")
"""Kinds of definitions that are reached through a receiver, whose type may not be known."""
HARMLESS = frozenset(
    ("binary", "secret", "symlink", "special", "dependencies", "excluded", "pattern", "lock_file")
)
"""Why a file may be left out that says nothing about uses in this project: it is no code of it,
or the user wants it left out."""
LeftOut = Mapping[str, Sequence[tuple[str, str]]]
"""Path and reason of files that are not indexed, by language."""


def left_out_by_language(files: Sequence[tuple[str, str]]) -> dict[str, list[tuple[str, str]]]:
    """Files that are left out and could hold uses, given as path and reason."""
    found: dict[str, list[tuple[str, str]]] = {}
    for path, reason in files:
        language = language_of_path(path)
        if language is not None and reason not in HARMLESS:
            found.setdefault(language, []).append((path, reason))
    return found


async def unfollowed(
    stored: StoredGraph, nodes: Sequence[Node], items: Sequence[GraphItem], left_out: LeftOut
) -> list[str]:
    """Why there may be more uses of a definition than those found, shortly; empty if nothing says
    so. `items` are all that were found, the unlikely ones too."""
    node = nodes[0]
    reasons = []
    if (unread := uses_unread(node.path)) is not None:
        reasons.append(unread)
    guesses = sum(item.score < CERTAIN for item in items)
    if guesses:
        places = "1 place shares" if guesses == 1 else f"{guesses} places share"
        reasons.append(f"{places} the name only, on receivers of unknown type")
    elif node.kind in MEMBERS:
        # The resolver names no candidates where so many could be meant.
        alike = sum(each.kind in MEMBERS for each in await stored.named(node.name))
        if alike > (MAX_COMMON if is_common(node.name) else MAX_CANDIDATES):
            reasons.append(
                f"{alike} members are called {node.name}: uses on receivers of unknown type are"
                " not followed"
            )
    missing = left_out.get(language_of_path(node.path) or "", ())
    if missing:
        files = "1 file is" if len(missing) == 1 else f"{len(missing)} files are"
        reasons.append(f"{files} not indexed ({missing[0][0]}: {missing[0][1]})")
    return reasons
