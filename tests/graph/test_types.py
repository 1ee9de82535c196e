"""Members through what types say: aliases, type parameters, values that are taken apart."""

from __future__ import annotations

from tests.graph.test_scopes import graph, uses


def test_members_through_aliases_intersections_and_type_parameters() -> None:
    made = graph(
        {
            "types.ts": """\
            export interface Router<T> { run(input: T): void }
            export type AnyRouter = Router<any>;
            export interface Named { title: string }
            export type Both = Named & Router<string> & { more: number };
            """,
            "use.ts": """\
            import { AnyRouter, Both } from "./types";
            function one(router: AnyRouter) { router.run(1); }
            function two<R extends AnyRouter>(router: R) { router.run(2); }
            function three(both: Both) { both.run("x"); both.title; both.more; }
            class Box<R extends AnyRouter> {
              constructor(private held: R) {}
              go() { this.held.run(3); }
            }
            """,
        }
    )
    found = uses(made, "use.ts")
    assert {(line, "Router.run") for line in (2, 3, 4, 7)} <= found
    assert {(4, "Named.title"), (4, "Both.more")} <= found


def test_values_taken_apart_use_their_members_and_pass_their_types_on() -> None:
    made = graph(
        {
            "a.ts": """\
            interface Inner { deep(): void }
            interface Opts { inner: Inner; size: number; rest: { far: Inner } }
            function f({ inner, size: width = 1 }: Opts) {
              inner.deep();
              return width;
            }
            const g = (opts: Opts) => {
              const { inner: renamed } = opts;
              renamed.deep();
              const { rest: { far } } = opts;
            };
            """
        }
    )
    found = uses(made, "a.ts")
    assert {(3, "Opts.inner"), (3, "Opts.size"), (4, "Inner.deep")} <= found
    assert {(8, "Opts.inner"), (9, "Inner.deep"), (10, "Opts.rest")} <= found


def test_bounds_of_type_parameters_in_rust_and_java() -> None:
    made = graph(
        {
            "src/lib.rs": """\
            pub trait Store { fn put(&self); }
            pub fn one<S: Store + Send>(store: S) { store.put(); }
            pub fn two<S>(store: S) where S: Store { store.put(); }
            """,
            "Cargo.toml": '[package]\nname = "x"\n',
            "p/Shape.java": "package p;\npublic interface Shape { void draw(); }\n",
            "p/Box.java": """\
            package p;
            public class Box<T extends Shape> {
              T held;
              void go() { held.draw(); }
            }
            """,
        }
    )
    assert {(2, "Store.put"), (3, "Store.put")} <= uses(made, "src/lib.rs")
    assert (4, "Shape.draw") in uses(made, "p/Box.java")


def test_what_the_language_brings_is_not_guessed_by_name() -> None:
    made = graph(
        {
            "a.ts": """\
            export class Unpromise { static resolve() {} }
            Promise.resolve(1);
            JSON.stringify({});
            export function stringify() {}
            """
        }
    )
    targets = {e.target.qualname for e in made.resolutions["a.ts"].edges if e.line in (2, 3)}
    assert not targets


def test_a_field_called_like_its_type_is_not_its_type() -> None:
    made = graph(
        {
            "p/a.go": """\
            package p
            type Options struct { Size int }
            type Command struct {
                Options Options
            }
            """,
            "go.mod": "module example.org/p\n",
            "Shape.cs": """\
            class Color { }
            class Shape {
                public Color Color { get; set; }
            }
            """,
            "s.rs": """\
            struct Options { size: u8 }
            struct Command {
                options: Options,
            }
            """,
        }
    )
    assert (4, "Options") in uses(made, "p/a.go")
    assert (3, "Color") in uses(made, "Shape.cs")
    assert (3, "Options") in uses(made, "s.rs")


def test_keys_of_constants_and_names_taken_out_of_values_are_defined() -> None:
    made = graph(
        {
            "types.ts": """\
            export const Kinds = {
              INIT: "init",
              REPLACE: () => 1,
            } as const;
            export const { increment, decrement: less } = slice.actions;
            const Local = Object.freeze({ A: 1 });
            Local.A;
            """,
            "use.ts": """\
            import { Kinds, increment, less } from "./types";
            function go() {
              Kinds.INIT;
              Kinds.REPLACE();
              increment();
              less();
            }
            """,
        }
    )
    assert (7, "Local.A") in uses(made, "types.ts")
    assert {(3, "Kinds.INIT"), (4, "Kinds.REPLACE"), (5, "increment"), (6, "less")} <= uses(
        made, "use.ts"
    )


def test_tests_use_the_fixtures_that_their_parameters_name() -> None:
    made = graph(
        {
            "app.py": "class App:\n    def get(self): ...\n",
            "tests/conftest.py": """\
            import pytest
            from app import App

            @pytest.fixture
            def app():
                app = App()
                yield app

            @pytest.fixture()
            def client(app: App):
                return app
            """,
            "tests/unit/test_it.py": """\
            def test_one(app):
                app.get()

            class TestMore:
                def test_two(self, client):
                    pass

            def helper(app):
                app.run()
            """,
        }
    )
    found = uses(made, "tests/unit/test_it.py")
    assert {(1, "app"), (2, "App.get"), (2, "app"), (5, "client")} <= found
    assert (10, "app") in uses(made, "tests/conftest.py")
    assert not [name for line, name in found if line > 7]


def test_a_sentence_in_a_comment_is_no_receiver() -> None:
    made = graph(
        {
            "a.py": """\
            class Db:
                def put(self): ...

            def go(db: Db):
                # Store it in the shared state.
                db.put()
                (db
                 # first this. Then:
                 .put())
            """,
            "b.ts": """\
            class Db { put() {} }
            function go(db: Db) {
              // Store it in the state.
              db.put();
              /* Both.
               * Twice.
               */
              db.put();  // again.
              db
                .put();
            }
            """,
        }
    )
    assert {line for line, name in uses(made, "a.py") if name == "Db.put"} == {6, 9}
    assert {line for line, name in uses(made, "b.ts") if name == "Db.put"} == {4, 8, 10}
