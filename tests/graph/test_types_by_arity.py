"""C#: two types of one name, which the number of their type parameters tells apart."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from surveyor.graph.library import MemoryGraph
from surveyor.graph.queries.lookup import StoredGraph
from surveyor.graph.queries.names import find
from tests.graph.memory import edges, graph, names, uses
from tests.graph.service_support import Servers, references
from tests.graph.service_support import uses as all_uses
from tests.graph.support import CHECKOUT, Checkout

RESULT = """
    namespace Shop;
    public class Result
    {
        public bool IsFailed { get; }
        public static Result Fail(string why) { return new Result(); }
        public static Result<T> Ok<T>(T value) { return new Result<T>(value); }
    }
    """
RESULT_OF = """
    namespace Shop;
    public class Result<T> : Result
    {
        private readonly T _value;
        public Result(T value) { _value = value; }
        public T Value => _value;
        public static Result<T> Empty() { return new Result<T>(default); }
        public Result Plain() { return new Result(); }
    }
    public class Result<T, TError> : Result<T>
    {
        public Result(T value) : base(value) { }
        public TError Error { get; }
    }
    """
USES = """
    using Shop;
    using Named = Shop.Result<int>;
    namespace Web;
    public class Page
    {
        private Result<int> _kept;
        private Result<int, string> _both;
        public Result Close(Result plain) { return plain.IsFailed ? plain : Result.Fail("x"); }
        public int Open() { return _kept.Value + _both.Value; }
        public string Why() { return _both.Error; }
        public Result<List<int>> Make() { return Result<List<int>>.Empty(); }
        public int Sum() { var made = new Result<int>(1); return made.Value; }
        public int Cast(object it) { return ((Result<int>) it).Value + (new Result<int>(2)).Value; }
        public object Types() { return new[] { typeof(Result<>), typeof(Result<,>) }; }
        public Named Known(Named named) { return named.Value > 0 ? named : null; }
        public Task<Result<int>> Later() { return null; }
        public async Task<int> Wait() { return (await Later()).Value; }
    }
    """


@pytest.fixture(scope="module", params=["each in its file", "all in one file"])
def made(request: pytest.FixtureRequest) -> MemoryGraph:
    if request.param == "all in one file":
        inner = RESULT_OF.replace("namespace Shop;", "")
        return graph({"Result.cs": RESULT + inner, "Page.cs": USES})
    first, _, second = RESULT_OF.partition("public class Result<T, TError>")
    head = "namespace Shop;\n    public class Result<T, TError>"
    return graph({"Result.cs": RESULT, "One.cs": first, "Two.cs": head + second, "Page.cs": USES})


def _types(made: MemoryGraph) -> dict[str, str]:
    """What each type is called in an edge, by its number of type parameters."""
    return {
        str(name.arity): f"{path}::{name.qualname}"
        for path, facts in made.facts.items()
        for name in facts.names
        if name.name == "Result" and name.kind == "class"
    }


def test_uses_mean_the_type_with_as_many_parameters(made: MemoryGraph) -> None:
    types = _types(made)
    page = {(source, target) for path, source, target in edges(made) if path == "Page.cs"}

    def used(source: str) -> set[str]:
        return {target for around, target in page if around == f"Page.{source}"}

    none, one, two = types["0"], types["1"], types["2"]
    assert len({none, one, two}) == 3
    assert used("Close") == {none, f"{none}.IsFailed", f"{none}.Fail"}
    assert used("_kept") == {one} and used("_both") == {two}
    assert used("Open") >= {f"{one}.Value"} and used("Why") >= {f"{two}.Error"}
    assert used("Make") == {one, f"{one}.Empty"}
    assert used("Sum") == {one, f"{one}.Value"}
    assert used("Cast") == {one, f"{one}.Value"}
    assert used("Types") == {one, two}
    assert f"{one}.Value" in used("Known") and none not in used("Known")
    assert used("Later") == {one} and f"{one}.Value" in used("Wait")


def test_bases_and_members_inside_of_the_types_are_told_apart(made: MemoryGraph) -> None:
    types = _types(made)
    none, one, two = types["0"], types["1"], types["2"]
    found = {(f"{path}::{source}", target) for path, source, target in edges(made)}
    assert (one, none) in found and (two, one) in found
    assert (one, one) not in found and (two, none) not in found
    assert (f"{one}.Plain", none) in found and (f"{one}.Plain", one) not in found
    assert (f"{one}.Empty", one) in found
    assert (f"{none}.Ok", one) in found and (f"{none}.Fail", none) in found


def test_a_name_without_its_arguments_means_what_there_is() -> None:
    made = graph(
        {
            "Box.cs": """
                namespace Shop;
                public class Box<T> { public static int Count; public void Open() { } }
                public class Lid { void Shut() { System.Console.Write(nameof(Box)); } }
                """
        }
    )
    assert names(made, "Box.cs") == ["Box", "Box.Count", "Box.Open", "Lid", "Lid.Shut"]
    assert (4, "Box") in uses(made, "Box.cs")


@pytest.fixture
async def checkout(tmp_path: Path) -> AsyncIterator[Checkout]:
    made = await Checkout.open(tmp_path)
    await made.write({"Result.cs": RESULT + RESULT_OF.replace("namespace Shop;", "")})
    await made.write({"Page.cs": USES})
    yield made
    await made.close()


async def test_each_is_found_by_its_own_name_and_its_uses_are_complete(checkout: Checkout) -> None:
    stored = StoredGraph(checkout.state, CHECKOUT)
    found = {
        name: [node.qualname for node in (await find(stored, name)).nodes]
        for name in ("Result<T>", "Result<T, E>", "Result<T>.Value", "Result`2.Error")
    }
    assert found == {
        "Result<T>": ["Result`1"],
        "Result<T, E>": ["Result`2"],
        "Result<T>.Value": ["Result`1.Value"],
        "Result`2.Error": ["Result`2.Error"],
    }
    service = checkout.service(Servers(runs=False))
    answer = await service.ask(references("Result<T, E>"), all_uses, uses=True)
    assert answer.complete, answer.notice
    assert {item.line for item in answer.results if item.path == "Page.cs"} == {8, 15}
