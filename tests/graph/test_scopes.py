"""Names that functions define for themselves: told apart, and found from inside only."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.graph.library import build
from tests.graph.memory import edges, graph, names, uses


def test_callbacks_may_define_the_same_names() -> None:
    made = graph(
        {
            "a.test.ts": """\
            describe("x", () => {
              it("one", () => {
                const run = () => 1;
                type Row = { id: number };
                run();
                const row: Row = { id: 1 };
              });
              it("two", () => {
                const run = () => 2;
                type Row = { id: string };
                run();
                const row: Row = { id: "1" };
              });
            });
            """
        }
    )
    found = uses(made, "a.test.ts")
    assert {
        (5, "lambda$1.run"),
        (6, "lambda$1.Row"),
        (11, "lambda$2.run"),
        (12, "lambda$2.Row"),
    } <= (found)
    assert not {(5, "lambda$2.run"), (11, "lambda$1.run")} & found


@pytest.mark.parametrize("ending", ["js", "ts", "tsx"])
def test_inner_functions_are_found_from_inside_and_hide_outer_ones(ending: str) -> None:
    made = graph(
        {
            f"a.{ending}": """\
            export function help() {}
            function outer() {
              function help() {}
              const go = () => { help(); deep(); };
              function deep() { go(); }
              return [1].map((help) => help());
            }
            help();
            deep();
            """
        }
    )
    found = uses(made, f"a.{ending}")
    assert (4, "outer.help") in found and (4, "outer.deep") in found and (5, "outer.go") in found
    assert (8, "help") in found
    assert not {(line, name) for line, name in found if line in (6, 9)}


def test_a_function_given_to_another_is_the_variables_own() -> None:
    made = graph(
        {
            "a.tsx": """\
            export const Button = memo((props) => {
              const click = () => props.go();
              return <a onClick={click} />;
            });
            class Panel {
              handle = () => {
                const inner = () => 1;
                inner();
              };
            }
            """
        }
    )
    assert {"Button.click", "Panel.handle.inner"} <= set(names(made, "a.tsx"))
    assert {(3, "Button.click"), (8, "Panel.handle.inner")} <= uses(made, "a.tsx")


def test_members_of_object_literals_are_not_bare_names() -> None:
    made = graph(
        {
            "a.js": """\
            function make() {
              const next = read();
              return { next() {}, done: () => next(), stop: function () { done(); } };
            }
            function done() {}
            """
        }
    )
    assert {name for line, name in uses(made, "a.js") if line == 3} == {"done"}


def test_a_parameter_may_be_replaced_by_an_import() -> None:
    made = graph(
        {
            "a.py": """\
            def answer(text, Response=None):
                if Response is None:
                    from b import Response
                return Response(text)


            def plain(Response):
                return Response()
            """,
            "b.py": "class Response: ...\n",
        }
    )
    assert (4, "Response") in uses(made, "a.py")
    assert 8 not in {line for line, _ in uses(made, "a.py")}


def test_what_a_local_function_returns_is_known() -> None:
    made = graph(
        {
            "a.ts": """\
            class Client { send(): void {} }
            it("x", () => {
              function connect(): Client { return new Client(); }
              const client = connect();
              client.send();
            });
            """
        }
    )
    assert (5, "Client.send") in uses(made, "a.ts")


@given(
    st.lists(st.text("äé𝕏 x", max_size=4), min_size=1, max_size=4),
)
def test_names_after_wide_characters_are_in_the_right_scope(texts: list[str]) -> None:
    lines = [f"it('{text}', () => {{ const run = () => '{text}'; run(); }});" for text in texts]
    made = build({"a.js": "\n".join(lines).encode()})
    expected = {(number, "lambda$" + f"{number}.run") for number in range(1, len(texts) + 1)}
    assert uses(made, "a.js") == expected


def test_definitions_on_one_line_have_their_own_uses() -> None:
    made = graph(
        {
            "a.ts": "function one() { far() } function two() { near() }\n"
            "function far() {}\nfunction near() {}\n"
            "class Box { open() { far() } close() { near() } }\n",
        }
    )
    found = {(source, target.rpartition("::")[2]) for _, source, target in edges(made)}
    assert found == {("one", "far"), ("two", "near"), ("Box.open", "far"), ("Box.close", "near")}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (
            "a.py",
            """\
            class Car:
                def go(self): pass
            class Van:
                def go(self): pass
            def run(it: Car):
                it.go()
                it = Van()
                it.go()
                if it:
                    it = Car()
                    it.go()
                it.go()
            """,
        ),
        (
            "a.ts",
            """\
            class Car { go() {} }

            class Van { go() {} }

            function run(it: Car) {
              it.go();
              if (it) { const it = new Van();
                it.go(); }
              else { const it = new Van(); const that =
                it; const it2 = it; { const it = new Car();
                it.go() } { const it = that;
                it.go() } }
            }
            """,
        ),
        (
            "a.rs",
            """\
            struct Car; impl Car { fn go(&self) {} fn new() -> Car { Car } }

            struct Van; impl Van { fn go(&self) {} fn new() -> Van { Van } }

            fn run(it: Car) {
                it.go();
                let it = Van::new();
                it.go();
                {
                    let it = Car::new();
                    it.go(); }
                it.go();
            }
            """,
        ),
    ],
)
def test_a_name_that_is_bound_again_has_the_new_value_to_the_end_of_its_block(
    path: str, text: str
) -> None:
    made = graph({path: text})
    found = {each for each in uses(made, path) if each[1].endswith(".go")}
    assert found == {(6, "Car.go"), (8, "Van.go"), (11, "Car.go"), (12, "Van.go")}


def test_what_a_file_s_name_was_given_last_is_what_runs() -> None:
    made = graph(
        {
            "a.js": """\
            function near() {}
            function far() {}
            let run = near;
            let old = run;
            run = far;
            run();
            old();
            function late() { run() }
            """
        }
    )
    found = {each for each in uses(made, "a.js") if each[0] > 5 and each[1] in ("near", "far")}
    assert found == {(6, "far"), (7, "near"), (8, "near"), (8, "far")}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (
            "a.py",
            """\
            class Car:
                def go(self): pass
            class Van:
                def go(self): pass
            def run(it):
                if isinstance(it, Car):
                    it.go()
                elif isinstance(it, (Van, int)):
                    it.go()
                it.go()
            """,
        ),
        (
            "a.ts",
            """\
            class Car { go() {} }
            class Van { go() {} }
            class Bus { go() {} }

            function run(it: unknown) {
              if (it instanceof Car)
                it.go();
              else if (it instanceof Van) {
                it.go() }
              it.go(); }
            """,
        ),
        (
            "a.java",
            """\
            class Car { void go() {} }
            class Van { void go() {} }
            interface Bus { default void go() {} }
            class Runner implements Bus {
              void run(Object it) {
                if (it instanceof Car)
                  it.go();
                else if (it instanceof Van) {
                  it.go(); }
                it.go(); } }
            """,
        ),
    ],
)
def test_a_test_says_the_type_of_a_name_where_it_holds(path: str, text: str) -> None:
    found = {each for each in uses(graph({path: text}), path) if each[1].endswith(".go")}
    assert found == {(7, "Car.go"), (9, "Van.go")}


def test_java_names_constructors_by_new_and_members_of_what_is_around() -> None:
    made = graph(
        {
            "a.java": """\
            class Car { Car() {} }
            interface Bus { default void go() {} }
            class Runner implements Bus {
              public void go() { Bus.super.go(); }
              class Inner { void run(Object it) {
                Runner.this.go(); Supplier<Car> made = Car::new;
                if (it instanceof Runner other) { other.go(); } } }
            }
            """
        }
    )
    found = uses(made, "a.java")
    assert {(4, "Bus.go"), (6, "Runner.go"), (6, "Car"), (7, "Runner.go")} <= found


def test_what_a_local_function_gives_is_not_that_function() -> None:
    made = graph(
        {
            "a.js": """\
            function outer() {
              function make() { return [1] }
              let xs = make();
              let first = xs;
              if (first) { let xs = first; xs = make().one;
                return xs }
              return first + xs;
            }
            """
        }
    )
    assert not {each for each in uses(made, "a.js") if each[0] in (6, 7) and "make" in each[1]}


SAME_NAMES = {
    "B.java": """
        class B {
            int size() { return 1; }
            B copy() { return this; }
            void run() {
                int size = size();
                B copy = copy();
                use(size());
            }
            void set(int size) { use(size()); }
            void use(int n) {}
        }
        """,
    "d.rb": """
        class D
          def size; 1; end
          def run
            size = size()
            show(size)
          end
          def show(n); end
        end
        """,
    "e.lua": """
        local function maker() return {} end
        local function run()
          local maker = maker()
          return maker
        end
        """,
    "f.php": """
        <?php
        function maker() {}
        function run() { $maker = maker(); return $maker; }
        """,
    "Cargo.toml": '[package]\nname = "a"\n',
    "src/lib.rs": """
        struct Lid;
        impl Lid { fn open(&self) {} }
        fn maker() -> Lid { Lid }
        fn run() {
            let maker = maker();
            maker.open();
        }
        """,
    "a.go": """
        package a
        type Box struct{}
        func (b Box) Open() {}
        func maker() Box { return Box{} }
        func run() {
            maker := maker()
            maker.Open()
        }
        """,
    "a.kt": """
        class Cap { fun open() {} }
        fun maker(): Cap = Cap()
        fun run() {
            val maker = maker()
            maker.open()
        }
        """,
    "a.swift": """
        class Jar { func open() {} }
        func maker() -> Jar { Jar() }
        func run() {
            let maker = maker()
            maker.open()
        }
        """,
}


def test_a_call_beside_a_local_variable_of_its_name_is_of_the_function() -> None:
    made = graph(SAME_NAMES)
    called = {
        path: {(line, name) for line, name in uses(made, path) if name.islower() or "." in name}
        for path in SAME_NAMES
        if path != "Cargo.toml"
    }
    assert called == {
        "B.java": {
            (6, "B.size"), (7, "B.copy"), (8, "B.size"), (8, "B.use"),
            (10, "B.size"), (10, "B.use"),
        },
        "d.rb": {(5, "D.size"), (6, "D.show")},
        "e.lua": {(4, "maker")},
        "f.php": {(4, "maker")},
        "src/lib.rs": {(6, "maker"), (7, "Lid.open")},
        "a.go": {(7, "maker"), (8, "Box.Open")},
        "a.kt": {(5, "maker"), (6, "Cap.open")},
        "a.swift": {(5, "maker"), (6, "Jar.open")},
    }  # fmt: skip
