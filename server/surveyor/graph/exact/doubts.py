"""Places that the graph cannot tell and a language server does not name: the server is asked what
stands there.

A server may not have read half of a project: a folder that no manifest includes, packages that are
not installed. Of a place that it knows it says what is meant; where it says nothing, or the very
definition that was asked about, its answer lacks something.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

from surveyor.graph.exact.servers import ExactQuestion, ExactReply
from surveyor.graph.queries.left_places import left_uses, said_of_places
from surveyor.graph.queries.lookup import Node
from surveyor.graph.queries.query_context import QueryContext
from surveyor.graph.resolve.certainty import CERTAIN
from surveyor.parsing.source import utf16_length
from surveyor.protocol.graph import GraphItem, GraphResponse
from surveyor.units import counted

__all__ = ["AskServer", "doubted"]

AskServer = Callable[[ExactQuestion], Awaitable[ExactReply | None]]
MAX_ASKED = 8
"""Places that a server is asked about, …"""
MAX_ASKED_OF_A_FILE = 2
"""… since what it knows of one place in a file it knows of the next."""
ASKING_S = 2.0
"""How long all of these may take: a file outside of what a server has read is a project of its own
to it, which it reads first."""
LIKELY = 0.25
"""Least score of a place by its name alone that is told where no server can be asked."""


class _Place(NamedTuple):
    path: str
    line: int
    column: int


async def doubted(
    context: QueryContext,
    nodes: Sequence[Node],
    found: Sequence[GraphItem],
    response: GraphResponse,
    ask: AskServer | None,
) -> list[str]:
    """Why a server's answer about the uses of a definition may lack some, though it was ready.

    `found` are the graph's own uses. Without anybody to `ask`, what the graph knows not to have
    followed is said, and what it takes to be likely.
    """
    node = nodes[0]
    named = {(item.path, item.line) for item in response.results}
    left = [each for each in await left_uses(context.stored, node) if each not in named]
    guesses = [
        item
        for item in found
        if item.score < CERTAIN and item.kind != "subtype" and (item.path, item.line) not in named
    ]
    if ask is None:
        left += [(item.path, item.line) for item in guesses if item.score >= LIKELY]
        return [said] if (said := said_of_places(list(dict.fromkeys(left)))) else []
    places = [_Place(item.path, item.line, item.column) for item in guesses]
    places += await _columns(context, left, node.name)
    unknown: list[tuple[str, int]] = []
    meant: list[tuple[str, int]] = []
    own = {(each.path, each.line) for each in nodes}
    late = _chosen(places)
    """Those that the server has not said anything of so far."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(ASKING_S):
            while late:
                place = late[0]
                asked = ExactQuestion("definition", context.checkout.root, *place)
                answered = await ask(asked)
                del late[0]
                if answered is None or not answered.complete:
                    continue
                told = {each[:2] for each in answered.places}
                if not told:
                    unknown.append(place[:2])
                elif told & own:
                    meant.append(place[:2])
    reasons = []
    if meant:
        first, more = f"{meant[0][0]}:{meant[0][1]}", len(meant) - 1
        rest = f" and {counted(more, 'more place')}" if more else ""
        reasons.append(
            f"{response.server} does not name {first}{rest}, though it says that it is meant there"
        )
    if late:
        where = f"{late[0].path}:{late[0].line}"
        reasons.append(f"{response.server} has not said in time what is meant at {where}")
    if unknown:
        reasons.append(f"{said_of_places(unknown)}, nor known to {response.server}")
    return reasons


def _chosen(places: Sequence[_Place]) -> list[_Place]:
    """Those that are asked about: some of each file."""
    counts: Counter[str] = Counter()
    chosen: list[_Place] = []
    for place in dict.fromkeys(places):
        counts[place.path] += 1
        if counts[place.path] <= MAX_ASKED_OF_A_FILE and len(chosen) < MAX_ASKED:
            chosen.append(place)
    return chosen


async def _columns(
    context: QueryContext, places: Sequence[tuple[str, int]], name: str
) -> list[_Place]:
    """Where a name stands in its line."""
    await context.lines.load(path for path, _ in places)
    found = []
    for path, line in places:
        before, stands, _ = context.lines.text(path, line, line).partition(name)
        if stands:
            found.append(_Place(path, line, utf16_length(before)))
    return found
