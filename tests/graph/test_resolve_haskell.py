"""What names mean in Haskell, on small projects given as text."""

from __future__ import annotations

from surveyor.graph.facts import KIND_CODES
from tests.graph.memory import edges, graph, imports, uses

MAIN = """
module Shop.Main (run) where
import qualified Shop.Deep as D
import Shop.Util hiding (secret)
import Shop.Car (Car(..), open)

class Closes a where
  close :: a -> Int

instance Closes Box where
  close b = helper (doors b)

data Box = Box { doors :: Int } deriving (Show)

run :: Car -> Int -> Int
run car open = D.go (wheels car) `combine` go open
  where go 0 = helper 0
        go k = close (Box k)
twice = helper . helper
"""
PATHS = {
    "src/Shop/Main.hs": MAIN,
    "src/Shop/Util.hs": """
        module Shop.Util (helper, combine, module Shop.More) where
        import Shop.More
        helper x = more x
        combine a b = a
        """,
    "src/Shop/More.hs": "module Shop.More where\nmore x = x\ngo x = x\n",
    "src/Shop/Deep.hs": "module Shop.Deep where\ngo x = x\n",
    "src/Shop/Car.hs": "module Shop.Car where\ndata Car = Car { wheels :: Int }\nopen c = c\n",
}


def test_haskell_modules_members_and_local_names() -> None:
    made = graph(PATHS)
    lines = uses(made, "src/Shop/Main.hs")
    assert {
        (11, "helper"), (11, "Box.Box.doors"), (16, "go"), (16, "Car.Car.wheels"),
        (16, "combine"), (17, "helper"), (18, "Closes.close"), (18, "Box"), (19, "helper"),
        (15, "Car"), (10, "Closes"),
    } <= lines  # fmt: skip
    targets = {
        (edge.line, edge.target.path)
        for edge in made.resolutions["src/Shop/Main.hs"].edges
        if edge.target.qualname in ("go", "open") and edge.line > 5
    }
    assert targets == {(16, "src/Shop/Deep.hs")}  # what is local means no other module's
    assert ("src/Shop/Main.hs", "Box", "src/Shop/Main.hs::Closes") in edges(made)
    assert ("Shop.Deep", "src/Shop/Deep.hs", "") in imports(made, "src/Shop/Main.hs")


def test_what_a_module_hands_on_is_seen_by_those_who_import_it() -> None:
    made = graph(
        PATHS | {"app/Main.hs": "module Main where\nimport Shop.Util\nmain = more (helper 1)\n"}
    )
    assert {(3, "more"), (3, "helper")} <= uses(made, "app/Main.hs")


def test_to_name_a_function_or_a_value_is_to_call_it() -> None:
    made = graph(
        {
            "src/Shop.hs": (
                "module Shop (stock, sized) where\nstock = 3\nsized n = n\n"
                "run = do\n  found <- stock\n  print . sized\n  map sized [found]\n"
            )
        }
    )
    calls = {
        (edge.line, edge.target.qualname)
        for edge in made.resolutions["src/Shop.hs"].edges
        if edge.kind == KIND_CODES["call"]
    }
    assert {(5, "stock"), (6, "sized"), (7, "sized")} <= calls
    assert not any(line == 1 for line, _ in calls)  # what a module exports


def test_a_module_gives_on_what_it_offers_and_no_more() -> None:
    made = graph(
        {
            "A.hs": "module A where\nopen x = x\n",
            "B.hs": "module B where\nimport A\nclose x = open x\n",
            "C.hs": "module C (module X, lid) where\nimport A as X\nimport D\nlid = 1\n",
            "D.hs": "module D where\nopen x = x\n",
            "E.hs": "module E (open) where\nimport A\n",
            "F.hs": "module F (seal) where\nimport A (open)\nseal = open\n",
            "by_b.hs": "module M1 where\nimport B\nimport D\nf = open 1\n",
            "by_c.hs": "module M2 where\nimport C\nf = open 1\n",
            "by_e.hs": "module M3 where\nimport E\nf = open 1\n",
            "by_f.hs": "module M4 where\nimport F\nf = open 1\ng = F.open 1\n",
        }
    )
    called = {
        path: {target for at, _, target in edges(made) if at == path and "open" in target}
        for path in ("by_b.hs", "by_c.hs", "by_e.hs", "by_f.hs")
    }
    assert called["by_b.hs"] == {"D.hs::open"}
    assert called["by_c.hs"] == called["by_e.hs"] == {"A.hs::open"}
    assert not called["by_f.hs"]
