"""Graphs that are extracted after their documents were stored: the same, and none is forgotten."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from surveyor.errors import NotFoundError
from surveyor.graph.extract.file_graph import graph_of, graph_of_tree, parse_with_graph
from surveyor.graph.queries.query_context import QueryContext, nowhere
from surveyor.parsing.parse import FileTree, tree_of
from surveyor.protocol.graph import ReferencesRequest
from surveyor.worker.kept_trees import KeptTree, KeptTrees
from tests.graph.support import CHECKOUT, Checkout, NoBuffers, OneFolder

SAMPLES = sorted((Path(__file__).parents[1] / "data" / "languages").glob("sample.*"))
FILES = {
    "core.py": "def run():\n    return helper()\n\n\ndef helper():\n    return 1\n",
    "app.py": "import core\n\n\ndef main():\n    core.run()\n",
}


@pytest.fixture
async def checkout(tmp_path: Path) -> AsyncIterator[Checkout]:
    made = await Checkout.open(tmp_path)
    yield made
    await made.close()


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_a_graph_made_later_is_the_one_made_at_once(path: Path) -> None:
    data = path.read_bytes()
    now = parse_with_graph(path.name, data)
    kept: list[FileTree] = []
    later = parse_with_graph(path.name, data, graph="later", keep=kept.append)
    assert later.chunks == now.chunks
    assert later.symbols == now.symbols
    assert later.is_reexport == now.is_reexport
    made = graph_of(path.name, data, later.symbols) if later.graph_pending else later.graph
    assert made == now.graph
    assert len(kept) == later.graph_pending
    for tree in kept:
        assert graph_of_tree(tree, later.symbols, later.file_type) == now.graph


def test_the_oldest_trees_go_when_there_are_too_many() -> None:
    trees = KeptTrees(most_bytes=25)
    for number, name in enumerate("abca"):
        tree = tree_of("x.py", b"a = %06d\n" % number)
        assert tree is not None
        trees.add("/r", name, KeptTree(b"", "code", tree))
    assert trees.take("/r", "b") is None
    assert all(trees.take("/r", name) is not None for name in "ca")
    assert trees.take("/r", "a") is None, "it is kept no longer"


async def test_a_kept_tree_of_another_content_is_not_used(checkout: Checkout) -> None:
    other = tree_of("core.py", b"def run():\n    return other()\n\n\ndef other(): ...\n")
    assert other is not None
    kept = KeptTree(b"of something else", "code", other)
    checkout.trees.add(str(checkout.root), "core.py", kept)
    await checkout.write(FILES)
    assert ("core.py", 2, "run", "core.py", "helper") in await checkout.edges()


def test_a_reexport_is_known_at_once() -> None:
    barrel = parse_with_graph("pkg/__init__.py", b"from .core import run as run\n", graph="later")
    assert barrel.is_reexport
    assert barrel.graph and not barrel.graph_pending


async def test_a_file_that_changed_meanwhile_gets_its_graph_when_it_is_indexed(
    checkout: Checkout,
) -> None:
    changed = FILES["core.py"].replace("helper", "aide")
    await checkout.store(FILES)
    (checkout.root / "core.py").write_text(changed)
    await checkout.settle()
    assert not [edge for edge in await checkout.edges() if edge[0] == "core.py"]
    await checkout.write({"core.py": changed})
    edges = await checkout.edges()
    assert ("core.py", 2, "run", "core.py", "aide") in edges
    assert ("app.py", 5, "main", "core.py", "run") in edges


@pytest.mark.parametrize(
    ("pending", "status"), [(True, "healthy"), (False, "healthy"), (False, "indexing")]
)
async def test_a_name_that_is_not_known_yet_is_not_called_missing(
    checkout: Checkout, pending: bool, status: str
) -> None:
    await checkout.store(FILES)

    freshness = OneFolder(checkout.row, status).freshness

    async def none() -> dict[str, list[tuple[str, str]]]:
        return {}

    context = QueryContext(
        checkout.state,
        checkout.row,
        NoBuffers(),
        freshness,
        pending=pending,
        left_out=none,
        find_word=nowhere,
    )
    with pytest.raises(NotFoundError) as refused:
        await context.meant(ReferencesRequest(name="helpr"))
    so_far = pending or status == "indexing"
    assert refused.value.message.endswith("is still being made") is so_far


async def test_a_file_that_kills_the_worker_costs_only_its_own_graph(checkout: Checkout) -> None:
    checkout.poisoned = {"bad.py"}
    await checkout.write(FILES | {"bad.py": "def bad():\n    return bad\n"})
    assert ("app.py", 5, "main", "core.py", "run") in await checkout.edges()
    assert not await checkout.state.value("SELECT count(*) FROM graph_pending")


async def test_what_is_left_is_done_after_the_next_start(
    checkout: Checkout, tmp_path: Path
) -> None:
    await checkout.store(FILES)
    assert await checkout.state.value("SELECT count(*) FROM graph_pending") == len(FILES)
    again = await Checkout.open(tmp_path)
    await again.graph.resume()
    assert await again.graph.wait(CHECKOUT, 60)
    assert ("app.py", 5, "main", "core.py", "run") in await again.edges()
    await again.close()
