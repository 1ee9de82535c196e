"""An operator before a call is no part of what is called, also where a grammar takes it in."""

from __future__ import annotations

import pytest

from surveyor.graph.facts import KIND_NAMES
from tests.graph.memory import graph

SOURCES = {
    "a.ts": """
        interface Lid {}
        class Box { open<T>(): any {} #shut<T>(): any { return !this.#shut<T>() } }
        function make<T>(size: number): any {}
        async function use(box: Box) {
            await make<Lid>(1)
            if (!make<Lid>(2)) return
            const lid = await box.open<Lid>()
            return !box.open<Lid>()
        }
        """,
    "a.dart": """
        class Box { T open<T>(int a) => null; }
        T make<T>(int size) => null;
        use(Box box) async {
          await make<int>(1);
          final lid = make<int>(2);
          if (!await box.open<int>(3)) throw make<int>(4);
          final big = !box.open<bool>(5);
          return box.open<int>(6);
        }
        """,
    "a.scala": """
        class Box { def open[T](size: Int): T = ??? }
        object Boxes {
          def make[T](size: Int): T = ???
          def use(box: Box) = {
            if (!make[Boolean](1)) -make[Int](2)
            !box.open[Boolean](3)
          }
        }
        """,
    "A.java": """
        class Box {
            static <T> T make(int size) { return null; }
            <T> T open() { return null; }
            boolean use(Box box) {
                int size = -Box.<Integer>make(1);
                return !box.<Boolean>open() && this.<Boolean>open();
            }
        }
        """,
    "a.swift": """
        class Lid { func open() -> Bool { true } }
        class Box { var lid: Lid; func open() -> Bool { true } }
        func make(_ size: Int) -> Int { size }
        func use(box: Box) {
            if !box.open() { return }
            let size = -make(1)
            let open = !box.lid.open()
        }
        """,
}
CALLS = {
    "a.ts": {(3, "Box.#shut"), (6, "make"), (7, "make"), (8, "Box.open"), (9, "Box.open")},
    "a.dart": {(5, "make"), (6, "make"), (7, "Box.open"), (7, "make"), (8, "Box.open"),
               (9, "Box.open")},
    "a.scala": {(6, "Boxes.make"), (7, "Box.open")},
    "A.java": {(6, "Box.make"), (7, "Box.open")},
    "a.swift": {(6, "Box.open"), (7, "make"), (8, "Lid.open")},
}  # fmt: skip


@pytest.mark.parametrize("path", SOURCES)
def test_an_operator_is_no_part_of_what_is_called(path: str) -> None:
    edges = graph({path: SOURCES[path]}).resolutions[path].edges
    calls = {
        (edge.line, edge.target.qualname)
        for edge in edges
        if KIND_NAMES[edge.kind] == "call" and edge.score >= 0.5
    }
    assert calls == CALLS[path]
