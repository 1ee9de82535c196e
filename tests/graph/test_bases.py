"""What types extend, in every form in which languages let one say it."""

from __future__ import annotations

import pytest

from surveyor.graph.facts import KIND_CODES
from tests.graph.memory import graph

Bases = set[tuple[str, str]]

FORMS: dict[str, tuple[dict[str, str], Bases]] = {
    "c++: by another name": (
        {
            "a.h": "namespace n {\nstruct Sized {};\ntypedef Sized Painted;\n"
            "using Measured = Sized;\n"
            "template <class T> struct Tm {};\nusing TmInt = Tm<int>;\n}\n",
            "b.h": '#include "a.h"\nstruct Lid : n::Painted {};\nstruct Cup : n::Measured {};\n'
            "struct Pot : n::TmInt {};\n",
        },
        {
            ("Lid", "n.Painted"), ("Lid", "n.Sized"), ("Cup", "n.Measured"), ("Cup", "n.Sized"),
            ("Pot", "n.TmInt"), ("Pot", "n.Tm"),
        },
    ),
    "swift: several protocols by one name, and in an extension of another file": (
        {
            "Sources/A/A.swift": "protocol Named {}\nprotocol Sized {}\n"
            "typealias Both = Named & Sized\nclass A: Both {}\nstruct D {}\n"
            "enum Out { struct In {} }\n",
            "Sources/A/B.swift": "extension D: Both {}\nextension Out.In: Named {}\n",
        },
        {
            ("A", "Both"), ("A", "Named"), ("A", "Sized"), ("D", "Both"), ("D", "Named"),
            ("D", "Sized"), ("Out.In", "Named"),
        },
    ),
    "go: by an alias": (
        {
            "go.mod": "module m\n",
            "a.go": "package m\ntype Base struct{}\ntype Al = Base\ntype X struct{ Al }\n"
            "type I interface{ M() }\ntype J = I\ntype K interface {\n\tJ\n\tN()\n}\n",
        },
        {("X", "Al"), ("X", "Base"), ("K", "J"), ("K", "I")},
    ),
    "go: what a type is told is no base": (
        {
            "go.mod": "module m\n",
            "a.go": "package m\ntype Base struct{}\ntype Stack[T any] struct{ items []T }\n"
            "type Holder struct{ s Stack[Base] }\ntype Emb struct{ Stack[Base] }\n"
            "type U interface{ ~int | Base }\ntype V interface{ Stack[Base] }\n",
        },
        {("Emb", "Stack"), ("V", "Stack")},
    ),
    "rust: by another name, and of a crate by another name": (
        {
            "core/Cargo.toml": '[package]\nname = "shop-core"\n',
            "core/src/lib.rs": "pub trait Named {}\npub struct Lid;\npub type L = Lid;\n"
            "impl Named for L {}\n",
            "app/Cargo.toml": '[package]\nname = "app"\n[dependencies]\n'
            'core2 = { package = "shop-core", path = "../core" }\n',
            "app/src/main.rs": "use core2::Named;\nstruct A;\n"
            "impl Named for A {}\nstruct B;\nimpl core2::Named for B {}\n",
        },
        {("Lid", "Named"), ("A", "Named"), ("B", "Named")},
    ),
    "haskell: above a class, derived and by another module's name": (
        {
            "A.hs": "module A where\nclass Draw a where\n  draw :: a -> String\n"
            "class (Draw a, Show a) => Fancy a\nnewtype Lid = Lid Int deriving anyclass (Draw)\n"
            "data Box = Box\nderiving instance Draw Box\nderiving via Lid instance Fancy Box\n",
            "B.hs": "module B where\nimport qualified A as Q\ndata Pot = Pot\ninstance Q.Draw Pot\n"
            "instance Q.Fancy (Q.Lid)\n",
        },
        {
            ("Fancy", "Draw"), ("Lid", "Draw"), ("Box", "Draw"), ("Box", "Fancy"), ("Pot", "Draw"),
            ("Lid", "Fancy"),
        },
    ),
    "kotlin, dart and typescript: by another name": (
        {
            "a.kt": "interface Seen\ntypealias N = Seen\nclass A : N\n",
            "a.dart": "class Felt {}\ntypedef M = Felt;\nclass B extends M {}\n",
            "a.ts": "interface P {}\ninterface Q {}\ntype D = P & Q;\nclass Y implements D {}\n",
            "a.py": "class Told: pass\nT = Told\nclass C(T): pass\n",
        },
        {
            ("A", "N"), ("A", "Seen"), ("B", "M"), ("B", "Felt"), ("D", "P"), ("D", "Q"),
            ("Y", "D"), ("Y", "P"), ("Y", "Q"), ("C", "Told"),
        },
    ),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_a_type_extends_what_it_says(form: str) -> None:
    files, wanted = FORMS[form]
    made = graph(files)
    found = {
        (edge.source, edge.target.qualname)
        for resolution in made.resolutions.values()
        for edge in resolution.edges
        if edge.kind == KIND_CODES["inheritance"] and edge.score >= 0.5 and edge.source
    }
    assert found == wanted
