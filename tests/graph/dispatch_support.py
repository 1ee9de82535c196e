"""Asks who calls a method and what it reaches, where calls of another one may run it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

from surveyor.graph.queries import questions
from surveyor.graph.queries.impact import impact_of
from surveyor.graph.queries.names import NameMeaning
from surveyor.graph.queries.query_context import QueryContext
from surveyor.graph.queries.questions import MatchedItems
from tests.graph.service_support import Servers, references
from tests.graph.support import Checkout

_STRUCTURE = ("contains", "type", "instantiation", "inheritance")
"""How a method is reached through its class alone."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A member, and what is to be said of it; names with blanks between them."""

    name: str
    calls: str
    """Definitions that certainly call it."""
    reaches: str
    """Definitions that its impact reaches within two steps."""
    said: str = ""
    """Why there may be more; an answer without it is complete."""


async def hold(folder: Path, files: Mapping[str, str], asked: Sequence[Asked]) -> None:
    """Whether the answers about a project are these."""
    made = await Checkout.open(folder)
    await made.write({path: dedent(text).lstrip("\n") for path, text in files.items()})
    service = made.service(Servers(runs=False))

    async def callers(context: QueryContext, meant: NameMeaning) -> MatchedItems:
        return await questions.callers(context.stored, meant, 1, context.lines)

    found = []
    for each in asked:
        answer = await service.ask(references(each.name), callers, uses=True)
        context = await service.query_context(None, None, 0)
        meant = await context.meant(references(each.name))
        reached = (await impact_of(context.stored, meant.nodes, 2)).inbound
        assert answer.complete is not bool(answer.notice), each.name
        found.append(
            Asked(
                each.name,
                calls=_names(item.symbol for item in answer.results if item.score >= 0.5),
                reaches=_names(
                    item.name for item in reached if item.name and item.edge not in _STRUCTURE
                ),
                said=answer.notice or "",
            )
        )
    await made.close()
    assert found == list(asked)


def _names(found: Iterable[str]) -> str:
    return " ".join(sorted(set(found)))
