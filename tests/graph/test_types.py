"""Members through what types say: aliases, type parameters, values that are taken apart."""

from __future__ import annotations

import pytest

from tests.graph.memory import graph, names, uses


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


def test_elements_of_collections_have_the_type_that_the_collection_is_of() -> None:
    made = graph(
        {
            "a.ts": """\
            export interface Foo { bar: number; kids: Foo[] }
            function h(foo: Foo, all: ReadonlyArray<Foo>, by: Record<string, Foo>) {
              const [first] = foo.kids; first.bar;
              foo.kids[0]!.bar;
              foo.kids.map((c) => c.bar);
              foo.kids.filter(Boolean).forEach(({ bar }) => bar);
              foo.kids.find((x) => x)!.kids[1].bar;
              for (const one of all) one.bar;
              by["x"].bar;
              all.length;
            }
            """,
            "m.py": """\
            class A:
                def go(self): ...
            def f(xs: list[A], ys: "tuple[A, ...]", pair: tuple[A, int]):
                for x in xs: x.go()
                [y.go() for y in ys]
                xs[0].go()
            """,
            "go.mod": "module m\n",
            "x.go": """\
            package x
            type T struct{ kids []*T; by map[string]*T }
            func (t *T) Go() {}
            func f(ts []T) { for _, t := range ts { t.Go() } }
            func g(t T) { t.kids[0].Go(); t.by["x"].Go() }
            """,
        }
    )
    found = uses(made, "a.ts")
    assert {(line, "Foo.bar") for line in (3, 4, 5, 6, 7, 8, 9)} <= found
    assert {(line, "A.go") for line in (4, 5, 6)} <= uses(made, "m.py")
    assert {(4, "T.Go"), (5, "T.Go"), (5, "T.kids"), (5, "T.by")} <= uses(made, "x.go")


def test_members_of_object_types_that_are_written_out_are_definitions() -> None:
    made = graph(
        {
            "a.ts": """\
            interface Foo { bar: number }
            class Fault extends Error {
              constructor(opts: { message?: string; code: Foo }) {
                super(opts.message);
                opts.code.bar;
              }
            }
            function f({ a }: { a: string }, xs: Array<{ deep: Foo }>): { out: Foo } {
              xs[0].deep.bar;
              return g(a);
            }
            const shown = (o: { z: number }) => { o.z; f({ a: "" }, []).out.bar; };
            type Both = { one: number };
            """,
        }
    )
    found = uses(made, "a.ts")
    assert {(4, "Fault.constructor.opts.message"), (5, "Fault.constructor.opts.code")} <= found
    assert {(9, "f.xs.deep"), (8, "f.options.a"), (12, "shown.o.z")} <= found
    assert {(5, "Foo.bar"), (9, "Foo.bar"), (12, "Foo.bar")} <= found
    kinds = {name.qualname: name.kind for name in made.facts["a.ts"].names}
    assert kinds["f.xs.deep"] == "member" and kinds["Both.one"] == "property"
    assert "Fault.code" not in made.facts["a.ts"].types


def test_a_class_of_cpp_is_one_thing_across_headers_and_export_macros() -> None:
    made = graph(
        {
            "log.h": """\
            namespace lib { namespace details {
            class LIB_API registry final : public base {
             public:
              registry(int size);
              void drop();
             private:
              int held_;
            };
            } }
            """,
            "log-inl.h": """\
            #include "log.h"
            namespace lib { namespace details {
            LIB_INLINE registry::registry(int size) : held_(size) {}
            LIB_INLINE void registry::drop() { held_ = 0; }
            } }
            """,
        }
    )
    assert "lib.details.registry.held_" in names(made, "log.h")
    found = uses(made, "log-inl.h")
    assert (4, "lib.details.registry.held_") in found
    assert (4, "lib.details.registry") in found


def test_a_class_that_extends_another_one_may_still_name_it() -> None:
    made = graph(
        {
            "n/Element.java": "package n;\npublic class Element {\n  public Element() {}\n"
            "  public String html() { return null; }\n}\n",
            "n/Document.java": "package n;\npublic class Document extends Element {\n"
            "  public Element body() { return null; }\n}\n",
            "n/Use.java": """\
            package n;
            class Use {
              void use(Document doc) { doc.body().html(); }
            }
            """,
        }
    )
    assert {(3, "Document.body"), (3, "Element.html")} <= uses(made, "n/Use.java")


def test_names_in_initializers_are_members_of_what_is_made() -> None:
    made = graph(
        {
            "k.go": """\
            package k
            type Test struct { Name string; In *Inner }
            type Inner struct { Path string }
            func (i *Inner) Do() {}
            type outer struct { Inner }
            func (o *outer) deep() string { return o.Inner.Path }
            func use() {
              _ = []Test{{Name: "a", In: &Inner{Path: "x"}}}
              _ = map[string]Test{"x": {Name: "c"}}
              new(Inner).Do()
            }
            """,
            "k.c": """\
            struct inner { int z; };
            struct opts { int name; struct inner sub; };
            struct opts made = { .name = 1, .sub = { .z = 2 } };
            """,
            "k.rs": """\
            pub struct Opts { pub name: u8 }
            fn f(name: u8, o: Opts) -> Opts {
                let Opts { name: n } = o;
                Opts { name }
            }
            """,
            "k.cs": """\
            class Opts { public string Name { get; set; } }
            class Use {
              void F() { var o = new Opts { Name = "x" }; }
              void G(object o) { ((Opts) o).Name.Trim(); }
            }
            """,
        }
    )
    found = uses(made, "k.go")
    assert {(8, "Test.Name"), (8, "Test.In"), (8, "Inner.Path"), (9, "Test.Name")} <= found
    assert {(6, "Inner.Path"), (10, "Inner.Do")} <= found
    assert {(3, "opts.name"), (3, "opts.sub"), (3, "inner.z")} <= uses(made, "k.c")
    assert {(3, "Opts.name"), (4, "Opts.name")} <= uses(made, "k.rs")
    assert {(3, "Opts.Name"), (4, "Opts.Name")} <= uses(made, "k.cs")


def test_cpp_members_of_results_elements_and_variables_that_look_like_functions() -> None:
    made = graph(
        {
            "db.h": """\
            namespace a { namespace b {
            class Iterator {
             public:
              explicit Iterator(int start) : at_(start) {}
              virtual void Next() = 0;
              int at_;
            };
            class DB {
             public:
              virtual Iterator* NewIterator() = 0;
              void Run(int start);
              std::vector<std::unique_ptr<Iterator>> all_;
            };
            } }
            """,
            "db.cc": """\
            #include "db.h"
            using a::b::Iterator;
            void a::b::DB::Run(int start) {
              NewIterator()->Next();
              for (auto& one : all_) { one->Next(); }
              all_.back()->Next();
              Iterator it(start);
              it.Next();
            }
            """,
        }
    )
    found = uses(made, "db.cc")
    assert {(line, "a.b.Iterator.Next") for line in (4, 5, 6, 8)} <= found
    assert (2, "a.b.Iterator") in found
    assert (4, "a.b.Iterator.at_") in uses(made, "db.h")


def test_of_packages_in_a_name_the_longest_is_meant() -> None:
    made = graph(
        {
            "a/b/Top.java": "package a.b;\npublic class Top {}\n",
            "a/b/c/Node.java": "package a.b.c;\npublic class Node { public void go() {} }\n",
            "x/Use.java": "package x;\nclass Use {\n  void f(a.b.c.Node node) { node.go(); }\n}\n",
        }
    )
    assert (3, "Node.go") in uses(made, "x/Use.java")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("A.java", "class A { B make() { return null; } }\nclass B { void go() {} }\n"
                   "class C { void go() {} void run() {\n var x = new A()\n"
                   "  .make(1);\n x.go(); } }"),
        ("A.cs", "class A { public B Make() { return null; } }\nclass B { public void go() {} }\n"
                 "class C { void go() {} void Run() {\n var x = new A()\n"
                 "  .Make(1);\n x.go(); } }"),
        ("a.ts", "class A { make(): B { return new B() } }\nclass B { go() {} }\n"
                 "class C { go() {} }\nconst x = new A()\n  .make(1)\nx.go()\n"),
        ("a.php", "<?php class A { function make(): B {} }\nclass B { function go() {} }\n"
                  "class C { function go() {} }\n$x = (new A(b(1)))\n ->make(1);\n$x->go();\n"),
        ("b.php", "<?php class A { function make(): B {} }\nclass B { function go() {} }\n"
                  "class C { function go() {} }\n$x = (new A)\n ->make(1);\n$x->go();\n"),
    ],
)  # fmt: skip
def test_what_a_member_of_a_new_object_gives(path: str, text: str) -> None:
    found = {name for line, name in uses(graph({path: text}), path) if line == 6}
    assert found - {"x"} == {"B.go"}


ALIASES = {
    "a/a.go": """
        package a
        type Log struct{}
        func (l *Log) Back() {}
        type Other struct{}
        func (o *Other) Back() {}
        type Same = Log
        func use(s *Same) { s.Back() }
        """,
    "a.swift": """
        class Log { func back() {} }
        class Other { func back() {} }
        typealias Maybe = Log?
        func use(a: Maybe) { a?.back() }
        """,
    "a.kt": """
        class Log { fun back() {} }
        class Other { fun back() {} }
        typealias Same = Log
        fun use(a: Same) { a.back() }
        """,
    "a.dart": """
        class Log { void back() {} }
        class Other { void back() {} }
        typedef Same = Log;
        void use(Same a) { a.back(); }
        """,
    "a.scala": """
        class Log { def back() = 1 }
        class Other { def back() = 1 }
        object Logs {
          type Same = Log
          def use(a: Same) = a.back()
        }
        """,
    "a.py": """
        from typing import TypeAlias
        class Log:
            def back(self): ...
        class Other:
            def back(self): ...
        type Same = Log
        Told: TypeAlias = Log
        def use(a: Same, b: Told):
            a.back()
            b.back()
        """,
    "a.rb": """
        class Log
          def back; end
        end
        class Other
          def back; end
        end
        Same = Log
        Same.new.back
        """,
}


@pytest.mark.parametrize("path", ALIASES)
def test_another_name_for_a_type_has_its_members(path: str) -> None:
    found = {name for _, name in uses(graph({path: ALIASES[path]}), path)}
    assert {name for name in found if name.lower().endswith(".back")} == {
        "Log.Back" if path.endswith(".go") else "Log.back"
    }
