"""The graph's tables through the store's operations, over a checkout that was resolved."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.graph.support import CHECKOUT, Checkout

from surveyor.graph.facts import KIND_CODES, name_hash
from surveyor.store.state import State
from surveyor.store.state.graph import documents, edges, exact, files, imports, nodes, ranks

CODE = {
    "pkg/a.py": "def target():\n    pass\n\n\nclass Thing:\n    def run(self):\n        target()\n",
    "pkg/b.py": "from pkg.a import target\nimport missing\n\ntarget()\n",
    "tests/test_a.py": "from pkg.a import target\n\n\ndef test_it():\n    target()\n",
}


@pytest.fixture
async def checkout(tmp_path: Path) -> AsyncIterator[Checkout]:
    made = await Checkout.open(tmp_path)
    await made.write(CODE)
    while not await ranks.top_files(made.state, CHECKOUT, 1):
        await asyncio.sleep(0.01)  # files are ranked last: nothing else writes then
    yield made
    await made.close()


@pytest.fixture
def state(checkout: Checkout) -> State:
    return checkout.state


async def id_of(state: State, name: str) -> int:
    (node,) = await nodes.nodes_named(state, CHECKOUT, [name])
    return node.node_id


async def test_definitions_are_found_by_place_and_by_name(state: State) -> None:
    inside = await nodes.definitions_in(state, CHECKOUT, "pkg/a.py")
    assert {node.qualname for node in inside} == {"target", "Thing", "Thing.run"}
    (run,) = await nodes.qualified_nodes(state, CHECKOUT, "pkg/a.py", ["Thing.run"])
    assert nodes.named_at(state, CHECKOUT, "pkg/a.py", run.line, run.column) == [run]
    (used,) = nodes.used_at(state, CHECKOUT, "pkg/b.py", 4, 0)
    assert used.name == "target"
    assert await nodes.count_definitions(state, CHECKOUT) == 4
    assert await nodes.count_definitions(state, CHECKOUT, "tests/") == 1
    assert await nodes.count_files(state, CHECKOUT, "pkg/") == 2


async def test_uses_are_counted_as_they_are_listed(state: State) -> None:
    target = await id_of(state, "target")
    uses = await edges.uses_of(state, [target])
    assert [(use.path, use.line) for use in uses] == [
        ("pkg/a.py", 7), ("pkg/b.py", 1), ("pkg/b.py", 4),
        ("tests/test_a.py", 1), ("tests/test_a.py", 5),
    ]  # fmt: skip
    calls = [KIND_CODES["call"]]
    assert len(await edges.uses_of(state, [target], calls)) == 3
    assert await edges.sure_use_counts(state, [target]) == {target: 3}
    counted = await edges.count_uses(state, [target], calls, 0.5, 1)
    assert (counted.references, counted.files, counted.test_references) == (5, 3, 2)
    ((edge, caller),) = counted.callers
    assert (edge.path, edge.line, caller.qualname) == ("pkg/a.py", 7, "Thing.run")
    assert await edges.uses_at(state, CHECKOUT, "pkg/b.py", 4, 0) == [uses[2]]


async def test_imports_are_seen_from_both_ends(state: State) -> None:
    found = {
        n.path: n.file_id for path in CODE if (n := await nodes.file_node(state, CHECKOUT, path))
    }
    a, b = found["pkg/a.py"], found["pkg/b.py"]
    assert await imports.files_imported_by(state, b) == [a]
    assert set(await imports.files_importing(state, a)) == {b, found["tests/test_a.py"]}
    (out,) = await imports.file_imports(state, [b], "out")
    assert (out.file_id, out.other_id, out.line) == (b, a, 1)
    assert {each.other_id for each in await imports.file_imports(state, [a], "in")} == {
        b, found["tests/test_a.py"],
    }  # fmt: skip


async def test_an_answer_replaces_the_one_before_and_ends_with_its_definition(
    checkout: Checkout,
) -> None:
    state, target = checkout.state, await id_of(checkout.state, "target")
    unanswered = await exact.unanswered_nodes(state, CHECKOUT, "references", ["function"], 10)
    assert [node.name for node in unanswered] == ["target"]  # no tests
    for fingerprint in (b"old", b"new"):
        said = exact.ExactAnswer("server", fingerprint, b"")
        await exact.insert_answer(state, target, "references", said, 1.0)
    kept = await exact.find_answer(state, target, "references")
    assert kept is not None and kept.fingerprint == b"new"
    assert await exact.count_answered(state, CHECKOUT, "references") == 1
    await checkout.write({"pkg/a.py": "def other():\n    pass\n"})
    assert await exact.find_answer(state, target, "references") is None
    await exact.insert_answer(state, target, "references", said, 1.0)
    assert await exact.count_answered(state, CHECKOUT, "references") == 0


async def test_what_is_behind_follows_from_the_tables(state: State) -> None:
    assert await files.checkouts_behind(state) == []
    assert await files.files_to_resolve(state, CHECKOUT, 10) == []
    hashes = [name_hash("target")]
    using = set(await files.files_with_names(state, CHECKOUT, hashes))
    assert len(using) == 3
    async with state.transaction() as tx:
        await files.mark_unresolved(tx, using)
    assert set(await files.files_to_resolve(state, CHECKOUT, 10)) == set(CODE)
    async with state.transaction() as tx:
        await tx.execute("DELETE FROM files WHERE path = 'pkg/b.py'")
    ((_, gone),) = await files.files_without_index(state, CHECKOUT)
    assert gone == "pkg/b.py"


async def test_files_that_say_a_name_are_found_by_its_hash(state: State) -> None:
    said = await documents.mentions(state, CHECKOUT, name_hash("target"))
    assert [each.path for each in said] == ["pkg/a.py", "pkg/b.py", "tests/test_a.py"]
    some = await documents.contents_mentioning(state, CHECKOUT, name_hash("nothing"), "pkg/a.py")
    assert [path for path, _ in some] == ["pkg/a.py"]
    assert await documents.paths_ending(state, CHECKOUT, "a.py") == ["pkg/a.py"]
    assert await documents.has_file(state, CHECKOUT, "pkg/a.py")
    assert await documents.defined_names(state, CHECKOUT, "pkg/a.py") == {
        ("", "target"): {"function"}, ("", "Thing"): {"class"}, ("Thing", "run"): {"method"},
    }  # fmt: skip


async def test_a_rank_that_hardly_moved_stays(state: State) -> None:
    node = await nodes.file_node(state, CHECKOUT, "pkg/a.py")
    assert node is not None
    await ranks.write_file_ranks(state, [(node.file_id, 10.0)], 0.02)
    await ranks.write_file_ranks(state, [(node.file_id, 10.1)], 0.02)
    assert (await ranks.top_files(state, CHECKOUT, 1)) == [("pkg/a.py", 10.0)]
