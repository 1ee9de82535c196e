"""Members of objects without a class, and what is declared with the type of a function."""

from __future__ import annotations

import pytest

from tests.graph.memory import graph, names, uses


@pytest.mark.parametrize("path", ["a.ts", "a.js", "a.tsx"])
def test_keys_of_literals_are_members_wherever_the_literal_has_a_name(path: str) -> None:
    made = graph(
        {
            path: """\
            const base = { items: [1], nested: { deep: { er: 2 } } };
            base.nested.deep.er;
            it("x", () => {
              const base = { items: [1], other: { deep: 2 } };
              base.items;
              base.other.deep;
            });
            it("y", () => {
              const base = { items: [1] };
              base.items;
              base.other;
            });
            """
        }
    )
    found = uses(made, path)
    assert {(2, "base.nested"), (2, "base.nested.deep"), (2, "base.nested.deep.er")} <= found
    first = {name for line, name in found if line in (5, 6)}
    second = {name for line, name in found if line in (10, 11)}
    assert len(first) == 3 and len(second) == 1 and not first & second
    assert not {name for name in first | second if name in ("base.items", "base.other")} - first


def test_what_a_function_returns_as_a_literal_has_its_members() -> None:
    made = graph(
        {
            "store.ts": """\
            import { helper } from "./helper";
            export function createStore() {
              function getState() { return 1; }
              const listeners = [1].map((x) => { return { wrong: x } });
              return { getState, subscribe() {}, helper, size: 2 };
            }
            export const useStore = () => ({ open: true, go: () => 1 });
            """,
            "helper.ts": "export function helper() {}\n",
            "use.ts": """\
            import { createStore, useStore } from "./store";
            const store = createStore();
            store.getState();
            store.subscribe();
            store.helper();
            store.size;
            store.wrong;
            const { open, go } = useStore();
            """,
        }
    )
    found = uses(made, "use.ts")
    assert {(3, "createStore.getState"), (4, "createStore.subscribe"), (5, "helper")} <= found
    assert {(6, "createStore.size"), (8, "useStore.open"), (8, "useStore.go")} <= found
    assert {name for line, name in found if line == 7} == {"store"}


def test_keys_of_a_literal_with_a_type_are_that_type_s_members() -> None:
    made = graph(
        {
            "a.ts": """\
            interface Options { url: string; size: number }
            const defaults: Options = { url: "x", size: 1 };
            function make(): Options { return { url: "y", size: 2 }; }
            const copy: typeof defaults = { url: "z", size: 3 };
            copy.url;
            """
        }
    )
    found = uses(made, "a.ts")
    places = {(line, f"Options.{name}") for line in (2, 3, 4) for name in ("url", "size")}
    assert places | {(5, "Options.url")} <= found
    assert not {"defaults.url", "make.url"}.intersection(names(made, "a.ts"))


def test_results_of_what_has_the_type_of_a_function() -> None:
    made = graph(
        {
            "a.ts": """\
            class Box { open() { return this } }
            type Make = (n: number) => Box;
            interface Api { get: () => Box; (x: number): Box; <A, B extends A>(x: A, y: B): B }
            class Holder { factory: () => Box = null }
            const make: Make = null;
            const other: () => Box = null;
            make(1).open();
            other().open();
            function use(api: Api, make: Make, holder: Holder, part: Omit<Box, "x"> & Api) {
              api.get().open();
              api(2).open();
              make(3).open();
              holder.factory().open();
              part.open();
            }
            """
        }
    )
    found = uses(made, "a.ts")
    assert {(line, "Box.open") for line in (7, 8, 10, 11, 12, 13, 14)} <= found


def test_private_members_and_folders_that_say_their_entry() -> None:
    made = graph(
        {
            "package.json": '{"name": "here", "main": "entry.js"}',
            "entry.js": "module.exports.run = function run() {};\n",
            "test/a.js": """\
            const here = require("..");
            here.run();
            class Inner { go() {} }
            class Outer {
              #inner = new Inner();
              use() { this.#inner.go(); const kept = this.#inner; kept.go(); }
            }
            """,
        }
    )
    found = uses(made, "test/a.js")
    assert {(2, "run"), (6, "Inner.go"), (6, "Outer.#inner")} <= found


CALLED = """\
interface Context { text(s: string): Response; req: Inner }
class Inner { param(x: string) {} }
type Handler = (c: Context, next: () => void) => Response
type Either = Handler | string
interface Register { (path: string, ...handlers: [Either, Either]): App }
interface Options { url: string; hook?: (c: Context) => void; retry: { limit: number } }
class App {
  get!: Register;
  constructor(o?: Options) {}
  use(options: Options, each: (c: Context) => void): App { return this }
}
const app = new App({ url: "x" })
app.get("/x", (c) => c.text("a"))
app.get("/x", async (c) => { c.req.param("a") }).get("/z", ({ req }) => { req.param("b") })
app.use({ url: "y", hook(c) { c.text("z") }, retry: { limit: 3 } }, (k) => k.text("q"))
const held: Handler = (c, next) => { c.text("x"); next() }
const options: Options = { url: "1", hook: (c) => c.text("w") }
app.use({ url: "y", retry: {
  limit: 3 } }, null)
"""


def test_callbacks_and_options_are_what_the_function_says_that_takes_them() -> None:
    made = graph({"a.ts": CALLED})
    found = uses(made, "a.ts")
    assert {(line, "Context.text") for line in (13, 15, 16, 17)} <= found
    assert {(14, "Context.req"), (14, "Inner.param")} <= found
    assert {(line, "Options.url") for line in (12, 15, 17)} <= found
    assert {(15, "Options.hook"), (15, "Options.retry"), (17, "Options.hook")} <= found
    assert (19, "Options.retry.limit") in found


def test_a_parameter_s_type_is_followed_across_files_and_through_utility_types() -> None:
    made = graph(
        {
            "lib.ts": """\
            export class Options { get url() { return ""; } size = 1; }
            export type Init = Omit<Partial<Options>, "size">
              & { more?: number };
            type Both = Merge<Init, { one: 1 }>;
            export type Call = { (url: string, options?: Both): void; };
            const call: Call = null as any;
            export default call;
            """,
            "use.ts": """\
            import call from "./lib";
            call("x", { url: "y" });
            """,
        }
    )
    assert (2, "Options.url") in uses(made, "use.ts")
