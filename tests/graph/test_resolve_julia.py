"""What names mean in Julia, on small projects given as text."""

from __future__ import annotations

from surveyor.graph.facts import KIND_CODES, KIND_NAMES
from tests.graph.memory import edges, graph, imports, names, uses

SHOP = """
module Shop

using Base: show
include("cars.jl")

abstract type Face end

struct Box{T} <: Face
    car::Car
    cars::Vector{Car}
end

function run!(b::Box{T}, n::Int=1) where T
    push!(b.car, 1)
    for one in b.cars
        push!(one, 2)
    end
    own = [n]
    push!(own, 3)
    push!(n, 4)
    helper(n) |> twice
    made = Car(1)
    push!(made, 5)
end

helper(x) = x + 1

end
"""
CARS = """
struct Car
    n::Int
end
Base.push!(c::Car, x) = c
twice(x) = helper(x)
"""
PATHS = {
    "Project.toml": 'name = "Shop"\n',
    "src/Shop.jl": SHOP,
    "src/cars.jl": CARS,
    "test/runtests.jl": """
        using Shop
        const SH = Shop
        @testset "all" begin
            car = Shop.Car(1)
            push!(car, 2)
            SH.run!(car)
            twice(3)
        end
        """,
}


def test_julia_files_of_a_package_and_methods_by_their_first_argument() -> None:
    made = graph(PATHS)
    lines = uses(made, "src/Shop.jl")
    for line in (15, 17, 24):
        assert (line, "Base.push!") in lines
    assert not any(line in (20, 21) and name == "Base.push!" for line, name in lines)
    assert {(22, "Shop.helper"), (22, "twice"), (23, "Car"), (9, "Shop.Face")} <= lines
    assert (6, "Shop.helper") in uses(made, "src/cars.jl")
    assert ("src/Shop.jl", "Shop.Box", "src/Shop.jl::Shop.Face") in edges(made)
    assert ("cars.jl", "src/cars.jl", "") in imports(made, "src/Shop.jl")


def test_a_module_has_what_is_included_into_it() -> None:
    lines = uses(graph(PATHS), "test/runtests.jl")
    assert {(5, "Car"), (6, "Base.push!"), (7, "Shop.run!"), (8, "twice")} <= lines


def test_a_type_extends_one_of_another_module() -> None:
    made = graph(
        {
            "src/Walks.jl": "module Walks\nabstract type State end\nabstract type Of{T} end\nend\n",
            "src/Paths.jl": """
            module Paths
            using ..Walks
            mutable struct Found{U} <: Walks.State
                parents::Vector{U}
            end
            struct Pair <: Walks.Of{Int} end
            end
            """,
        }
    )
    assert {
        ("src/Paths.jl", "Paths.Found", "src/Walks.jl::Walks.State"),
        ("src/Paths.jl", "Paths.Pair", "src/Walks.jl::Walks.Of"),
    } <= edges(made)
    kinds = {
        (e.target.qualname, KIND_NAMES[e.kind]) for e in made.resolutions["src/Paths.jl"].edges
    }
    assert {("Walks.State", "inheritance"), ("Walks.Of", "inheritance")} <= kinds


def test_what_is_imported_from_a_module_around_or_in_the_file_is_a_use_of_it() -> None:
    made = graph(
        {
            "a.jl": """\
                module Shop
                const MAX = 3
                struct Box end
                open_it() = MAX
                module Inner
                using ..Shop: Box, open_it
                import ..open_it
                import ..Shop.MAX
                close_it() = open_it() + MAX
                end
                module Deep
                using ..Inner: close_it
                end
                end
                """,
            "b.jl": 'include("a.jl")\nusing .Shop: Box\nusing .Shop.Inner: close_it\n',
        }
    )
    imported = {
        (path, edge.line, edge.target.qualname)
        for path, resolution in made.resolutions.items()
        for edge in resolution.edges
        if edge.kind == KIND_CODES["import"]
    }
    assert imported == {
        ("a.jl", 6, "Shop.Box"), ("a.jl", 6, "Shop.open_it"), ("a.jl", 7, "Shop.open_it"),
        ("a.jl", 8, "Shop.MAX"), ("a.jl", 12, "Shop.Inner.close_it"), ("b.jl", 2, "Shop.Box"),
        ("b.jl", 3, "Shop.Inner.close_it"),
    }  # fmt: skip
    assert names(made, "a.jl").count("Shop.MAX") == 1 and "MAX" not in names(made, "a.jl")
