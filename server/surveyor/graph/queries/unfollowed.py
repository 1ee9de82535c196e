"""Why an answer about uses may lack some: what could be a use and was not followed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from surveyor.graph.expressions.grammar import parse_qualifier
from surveyor.graph.expressions.keys import CALLED
from surveyor.graph.expressions.model import CalledWith, Expression, Instance, Name
from surveyor.graph.facts import KIND_CODES, decode_facts
from surveyor.graph.queries.items import language_of_path
from surveyor.graph.queries.lookup import Node, StoredGraph
from surveyor.graph.resolve.resolver import CERTAIN, MAX_CANDIDATES, MAX_COMMON, is_common
from surveyor.protocol.graph import GraphItem

__all__ = ["left_out_by_language", "unfollowed", "unresolved_calls"]

MEMBERS = ("method", "property", "field", "constructor")
"""Kinds of definitions that are reached through a receiver, whose type may not be known."""
_CALL = KIND_CODES["call"]
HARMLESS = frozenset(
    ("binary", "secret", "symlink", "special", "dependencies", "excluded", "pattern", "lock_file")
)
"""Why a file may be left out that says nothing about uses in this project: it is no code of it,
or the user wants it left out."""
_SEGMENT = re.compile(r"[\w$-]+")
"""Of a module's path: `os.path` is known by its first, `net/http` by its last."""
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


async def unresolved_calls(stored: StoredGraph, nodes: Sequence[Node]) -> int:
    """How many calls inside definitions may mean something of the project that is not known.

    Those of a value that is computed, and of a member's name that the project defines on a
    receiver whose type is not known. What is imported from elsewhere is known to be foreign.
    """
    count = 0
    for path in dict.fromkeys(node.path for node in nodes):
        ranges = [(node.start_line, node.end_line) for node in nodes if node.path == path]
        file = await stored.file(path)
        if file is None:
            continue
        foreign = await _foreign_names(stored, file)
        known = {(edge.line, edge.column) for edge in await stored.of_files([file.file_id])}
        places: dict[tuple[int, int], str] = {}
        for name, kind, line, column, _, qualifier, _ in await stored.references(path):
            inside = any(first <= line <= last for first, last in ranges)
            if kind == _CALL and inside and (line, column) not in known:
                said = parse_qualifier(qualifier)
                value = said.before if isinstance(said, CalledWith) else said
                if type(value) is Expression and not _is_foreign(value, foreign):
                    places[line, column] = name
        for name in places.values():
            count += name == CALLED or await _is_member(stored, name, path)
    return count


async def _foreign_names(stored: StoredGraph, file: Node) -> set[str]:
    """The names by which a file knows what it imports from outside of the project."""
    data = await stored.facts(file.path)
    if data is None:
        return set()
    ours = {each.line for each in await stored.imports([file.file_id], "out")}
    names: set[str] = set()
    for link in decode_facts(data).imports:
        if link.line not in ours:
            names.update(alias or name for name, alias in link.names)
            parts = _SEGMENT.findall(link.module)
            names.update((link.alias,) if link.alias else (*parts[:1], *parts[-1:]))
    return names


def _is_foreign(value: Expression, foreign: set[str]) -> bool:
    """Whether a receiver is of a type that is known, or begins with what is imported."""
    head = value.head
    return type(head) is Instance or (type(head) is Name and head.name in foreign)


async def _is_member(stored: StoredGraph, names: str, path: str) -> bool:
    """Whether a member of such a name is defined in the same language."""
    language = language_of_path(path)
    found = [each for name in names.split("/") for each in await stored.named(name)]
    return any(each.kind in MEMBERS and language_of_path(each.path) == language for each in found)
