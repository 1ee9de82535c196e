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


RUNS = {
    "Use.cs": """
        class Box : IDisposable {
            public void Dispose() { }
            public Walk GetEnumerator() => null;
            public Box Inner() => this;
        }
        class Walk { public bool MoveNext() => false; }
        class Lid : IAsyncDisposable { public ValueTask DisposeAsync() => default; }
        class Use {
            Box held;
            async Task Run(Box given, dynamic any) {
                using (var a = held.Inner()) { }
                using var b = new Box();
                using (given) { }
                await using var d = new Lid();
                foreach (var each in given) { }
                using var file = File.Open("x");
                using (any) { }
            }
        }
        """,
    "Use.java": """
        class Box implements AutoCloseable, Iterable<String> {
            public void close() { }
            public Walk iterator() { return null; }
            Box inner() { return this; }
        }
        class Walk { boolean hasNext() { return false; } String next() { return null; } }
        class Use {
            Box held;
            void run(Box given) {
                try (var a = held.inner()) { }
                try (Box b = make()) { }
                try (given; held) { }
                for (String each : given) { }
                try (var file = Files.open("x")) { }
            }
        }
        """,
}
RUN = {
    "Use.cs": [
        (12, "Box.Dispose"), (13, "Box.Dispose"), (14, "Box.Dispose"), (15, "Lid.DisposeAsync"),
        (16, "Box.GetEnumerator"), (16, "Walk.MoveNext"),
    ],
    "Use.java": [
        (11, "Box.close"), (12, "Box.close"), (13, "Box.close"), (13, "Box.close"),
        (14, "Box.iterator"), (14, "Walk.hasNext"), (14, "Walk.next"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("path", RUNS)
def test_statements_run_methods_that_they_do_not_name(path: str) -> None:
    made = graph({path: RUNS[path]})
    assert RUN[path] == sorted(
        (edge.line, edge.target.qualname)
        for edge in made.resolutions[path].edges
        if KIND_NAMES[edge.kind] == "implicit"
    )
