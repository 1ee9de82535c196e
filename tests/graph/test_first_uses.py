"""A page of uses is the beginning of all of them, and what is not on it is counted."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from surveyor.graph.queries import traverse
from surveyor.graph.queries.lookup import OmittedUses, answer_order, first_places
from surveyor.graph.resolve.certainty import CERTAIN
from surveyor.store.state.graph import edges
from tests.graph.service_support import CODE, Servers
from tests.graph.support import Checkout
from tests.graph.test_service import Buffers

USERS = {
    # Methods of one name on receivers of unknown type: uses that are no more than likely.
    "z.py": "class Z:\n    def target(self):\n        pass\n\n\ndef f(x):\n    x.target()\n",
    "y.py": "class Y:\n    def target(self):\n        Y().target()\n",
    "w.py": "def g(x):\n    x.target()\n",
    "test_a.py": "from a import target\n\ntarget()\ntarget()\n",
    "d.py": "from a import target, other\n\ntarget(); other(); target()\n",
}


@pytest.fixture
async def checkout(tmp_path: Path) -> AsyncIterator[Checkout]:
    made = await Checkout.open(tmp_path)
    await made.write(CODE | USERS)
    yield made
    await made.close()


@pytest.mark.parametrize(
    "buffers", [{}, {"b": "from a import target\n\ntarget()\n", "z": "x = 1\n"}]
)
@pytest.mark.parametrize("names", [("target",), ("other",), ("target", "other")])
async def test_a_page_of_uses_is_the_beginning_of_all_and_the_rest_is_counted(
    checkout: Checkout, names: tuple[str, ...], buffers: dict[str, str]
) -> None:
    service = checkout.service(Servers(), Buffers(**buffers))
    stored = (await service.query_context(None, None)).stored
    targets = [node.node_id for name in names for node in await stored.named(name)]
    every = sorted(first_places(await stored.uses(targets)), key=answer_order)
    assert len({edge.score for edge in every}) > 1 or names == ("other",)
    for least in (0.0, CERTAIN, 0.9, 1.1):
        likely = [edge for edge in every if edge.score >= least]
        for most in range(len(every) + 2):
            first, omitted = await stored.first_uses(targets, (), most, least)
            assert first == likely[:most]
            rest = [edge for edge in every if edge not in first]
            assert omitted == OmittedUses(
                len(likely) - len(first),
                len(every) - len(likely),
                sum(edge.score >= CERTAIN for edge in rest),
            )
            assert omitted.guesses == sum(edge.score < CERTAIN for edge in rest)


async def test_a_walk_past_more_uses_than_are_read_says_so(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = (await checkout.service(Servers()).query_context(None, None)).stored
    start = await stored.named("other")
    whole = await traverse.dependants(stored, start, 1)
    assert whole.reached and not whole.cut
    for module in (edges, traverse):
        monkeypatch.setattr(module, "MAX_USES", 1)
    assert (await traverse.dependants(stored, start, 1)).cut
    assert (await traverse.callees(stored, await stored.named("use"), 1)).cut


async def test_what_a_definition_uses_is_read_of_it_alone(checkout: Checkout) -> None:
    stored = (await checkout.service(Servers()).query_context(None, None)).stored
    (user,) = await stored.named("use")
    assert [(each.path, each.line) for each in await stored.used([user.node_id])] == [("b.py", 5)]
