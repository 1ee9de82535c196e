"""What JavaScript and TypeScript say without saying it: results of bodies, shorthands, tags."""

from __future__ import annotations

import pytest

from surveyor.graph.resolve.certainty import CERTAIN
from tests.graph.memory import graph, names, uses


@pytest.mark.parametrize("path", ["a.ts", "a.js"])
def test_a_shorthand_is_a_member_of_its_own(path: str) -> None:
    made = graph(
        {
            path: """\
            import { helper, Store } from "./lib";
            function make() {
              const store = new Store();
              return { store, helper };
            }
            const { store, helper: run } = make();
            store.load();
            make().helper();
            """,
            "lib.js": "export function helper() {}\nexport class Store { load() {} }\n",
        }
    )
    found = uses(made, path)
    assert {(6, "make.store"), (7, "Store.load"), (4, "helper")} <= found
    assert {(8, "make.helper"), (8, "helper")} <= found
    assert (6, "Store") not in found


def test_what_a_body_returns_is_what_a_function_gives() -> None:
    made = graph(
        {
            "a.ts": """\
            class Box { open() {} }
            class Other { open() {} }
            function one() { const b = new Box(); xs.map(() => { return new Other() }); return b }
            const two = (kept?: Box) => kept ?? new Box();
            const three = async () => { return (await load()) as Box };
            class Holder {
              box = new Box();
              get held() { return this.box }
              four() { return undefined; return null || this.box }
              five(yes: boolean) { return yes ? this.box : null }
            }
            function plain() { xs.forEach(() => { return new Other() }) }
            one().open(); two().open(); three().open();
            const h = new Holder();
            h.held.open(); h.four().open(); h.five(true).open();
            plain().open();
            """
        }
    )
    found = uses(made, "a.ts")
    lines = [line for line, name in uses_of(made, "Box.open")]
    assert lines == [13, 13, 13, 15, 15, 15], found
    assert not any(name == "Other.open" for line, name in found)


def uses_of(made: object, qualname: str) -> list[tuple[int, str]]:
    """Every use of a definition, also those in one line."""
    return sorted(
        (edge.line, edge.target.qualname)
        for edge in made.resolutions["a.ts"].edges  # type: ignore[attr-defined]
        if edge.target.qualname == qualname and edge.score >= 0.5
    )


def test_tags_of_a_page_mean_nothing_else() -> None:
    files = {
        "a.tsx": """\
        import { html } from "./lib";
        function Page() { const p = 1; return <html><p>{p}</p><Inner /></html> }
        function Inner() { return <br /> }
        """,
        "lib.ts": "export function html() {}\n",
    }
    found = uses(graph(files), "a.tsx")
    assert {name for line, name in found if line == 2} == {"Inner"}
    files["jsx.d.ts"] = "declare namespace JSX { interface IntrinsicElements { p: {}; br: {} } }\n"
    found = uses(graph(files), "a.tsx")
    assert {name for line, name in found if line > 1} == {
        "Inner", "JSX.IntrinsicElements.p", "JSX.IntrinsicElements.br",
    }  # fmt: skip


def test_a_constant_is_no_type() -> None:
    made = graph(
        {
            "a.ts": """\
            import { Text, Both } from "./b";
            function f(node: Text, other: Both) { return [Text, Both] }
            """,
            "b.ts": "export const Text = Symbol();\nexport const Both = 1;\n"
            "export type Both = typeof Both;\n",
        }
    )
    places = sorted(
        (edge.target.qualname, edge.kind)
        for edge in made.resolutions["a.ts"].edges
        if edge.line == 2 and edge.target.path == "b.ts"
    )
    assert places == [("Both", 1), ("Both", 4), ("Text", 1)]
    assert "Text" in names(made, "b.ts")


def test_what_brackets_hold() -> None:
    made = graph(
        {
            "a.ts": """\
            class Box<T> { open() {} async next(): Promise<Box<T>> { return this } }
            class Other { open() {} }
            async function f(box: Box<Other>, any: unknown) {
              (await box.next()).open();
              (any as Box<Other>).open();
              (any as unknown as Box<Other>).open();
              (box).open();
              (any as any).open();
            }
            """
        }
    )
    found = uses(made, "a.ts")
    assert {(line, "Box.open") for line in (4, 5, 6, 7)} <= found
    assert not {name for line, name in found if name == "Other.open" or line > 7}


def test_keys_of_objects_make_a_name_ambiguous_and_are_not_guessed_themselves() -> None:
    objects = [f"export const f{n} = () => ({{ level: {n}, sort: {n} }});" for n in range(9)]
    made = graph(
        {
            "types.d.ts": "export interface LogOptions { level: number; sort: number }\n"
            "export interface Gauge { level: number }\n",
            "objects.js": "\n".join(objects),
            "use.js": "export function use(options, it) {\n  options.level;\n  it.level;\n"
            "  options.sort;\n}\n",
        }
    )
    found = [
        (edge.line, edge.target.qualname, edge.score)
        for edge in made.resolutions["use.js"].edges
        if "." in edge.target.qualname
    ]
    sure = [(line, name) for line, name, score in found if score >= CERTAIN]
    assert sure == [(2, "LogOptions.level")], "what the receiver is called like, nothing else"
    assert {name for _, name, _ in found} == {"LogOptions.level", "Gauge.level"}
    assert {line for line, _, _ in found} == {2}


def test_a_namespace_may_be_exported_as_the_default() -> None:
    """`default` is no name of the grammar's: the file was left without any of its uses."""
    made = graph(
        {
            "a.js": 'export * as default from "./lib";\nimport { go } from "./lib";\ngo();\n',
            "lib.js": "export function go() {}\n",
            "b.js": 'import lib from "./a";\nlib.go();\n',
        }
    )
    assert (3, "go") in uses(made, "a.js")
    assert (2, "go") in uses(made, "b.js")
