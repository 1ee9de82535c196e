"""TypeScript's types: parameters and what they are given, unions, types made of other types."""

from __future__ import annotations

import pytest

from tests.graph.memory import graph, uses

MODEL = """\
export interface Engine { start(): void; size: number }
export interface Wheel { turn(): void; size: number }
export class Box<T extends object, Rest = unknown> {
  value!: T;
  all: T[] = [];
  get(): T { return this.value }
  map<U>(each: (item: T) => U): Box<U & object> { return null as any }
  keyed!: Map<string, T>;
}
export class Garage extends Box<Engine> {}
export interface Store<S> { getState(): S; set(change: (state: S) => void): void }
export type Held<T> = Box<T & object> | null;
export declare function open<T>(name: string): Store<T>;
"""


@pytest.mark.parametrize(
    "text",
    [
        "declare const b: Box<Engine>; b.get().start()",
        "declare const b: Box<Engine>; b.all[0].start()",
        "declare const b: Box<Engine>; b.value.start()",
        "declare const b: Box<Box<Engine>>; b.get().get().start()",
        "declare const h: Held<Engine>; h!.get().start()",
        "declare const m: { box: Box<Engine> }; m.box.get().start()",
        "const s = open<Engine>('x'); s.getState().start()",
        "const s = open<Engine>('x'); s.set((state) => { state.start() })",
        "const g = new Garage(); g.get().start()",
        "const b = new Box<Engine>(); b.get().start()",
        "declare const b: Box<Engine>; const e = b.keyed.get('x'); e.start()",
        "function f<K extends Engine>(k: K) { k.start() }",
        "class Own<K> { inner!: Box<K & object> }\n"
        "declare const o: Own<Engine>; o.inner.get().start()",
        "interface Car extends Box<Engine> { go(): void }\ndeclare const c: Car; c.value.start()",
        "type Parts = { engine: Engine, wheels: Wheel[] }; declare const p: Parts['engine'];"
        " p.start()",
        "declare const made: Partial<Readonly<Engine>>[]; made[0].start()",
        "declare const e: Engine | string; e.start()",
        "declare function make(): Promise<Engine>; "
        "declare const r: Awaited<ReturnType<typeof make>>; r.start()",
        "type F = (x: Engine, y: Wheel) => void; declare const p: Parameters<F>[0]; p.start()",
        "type Pick1<T> = T extends string ? never : T; declare const p: Pick1<Engine>; p.start()",
        "type Use = (e: Engine) => void; const make = (): Use => (e) => e.start();",
        "const record: Record<string, Engine> = {}; record['x'].start()",
        "class $Engine { $ = 1; start$!: Engine }; const e = new $Engine(); e.start$.start()",
    ],
)  # fmt: skip
def test_what_a_type_parameter_stands_for(text: str) -> None:
    made = graph(
        {
            "model.ts": MODEL,
            "a.ts": "import { Box, Engine, Garage, Held, Store, Wheel, open } from './model'\n"
            + text.replace("; ", "\n"),
        }
    )
    used = {name for _, name in uses(made, "a.ts")}
    assert "Engine.start" in used and "Wheel.turn" not in used


def test_members_of_unions_are_those_of_all() -> None:
    made = graph(
        {
            "model.ts": MODEL,
            "a.ts": """\
            import { Engine, Wheel } from "./model"
            type Part = Engine | Wheel
            declare const part: Part
            part.size
            function f(both: Engine & { more: { deep: Wheel } }) {
              both.more.deep.turn(); both.start()
            }
            """,
        }
    )
    found = uses(made, "a.ts")
    assert {(4, "Engine.size"), (4, "Wheel.size")} <= found
    assert {(6, "Wheel.turn"), (6, "Engine.start")} <= found


def test_types_of_other_functions_are_not_taken() -> None:
    made = graph(
        {
            "a.ts": """\
            class Box<T> { get(): T { return null as any } }
            function one() {
              interface Part { run(): void }
              const b = new Box<Part>(); b.get().run() }
            function two() {
              interface Part { run(): void }
              const b = new Box<Part>(); b.get().run() }
            function three<T>(b: Box<T>) { b.get().run() }
            """
        }
    )
    found = uses(made, "a.ts")
    assert {(4, "one.Part.run"), (7, "two.Part.run")} <= found
    assert not {(4, "two.Part.run"), (7, "one.Part.run")} & found
    assert not [name for line, name in found if line == 8 and name.endswith("run")]


INFERRED = """\
export interface Engine { start(): void; wheel: Wheel }
export interface Wheel { turn(): void }
export declare const engine: Engine
export declare function same<T>(value: T): T
export declare function first<T>(values: T[]): T | undefined
export declare function lazy<T>(make: () => T): T
export declare function change<T>(value: T, recipe: (draft: T) => void): T
export declare function made<T>(kind: new () => T): T
export declare function under<S>(store: Store<S>): S
export interface Store<S> { set(change: (state: S) => void): void }
export declare function store<S>(state: S): Store<S>
export class Car { start() {} }
"""


@pytest.mark.parametrize(
    "text",
    [
        "const e = same(engine)\ne.start()",
        "const all: Engine[] = []\nconst e = first(all)\ne?.start()",
        "change(engine, (draft) => {\n draft.start() })",
        "const e = change(engine, () => {})\ne.start()",
        "const s = store(engine)\nconst e = under(s)\ne.start()",
        "const s = store(engine)\ns.set((state) =>\n state.start())",
        "const c = made(Car)\nc.start()",
        "function run() {\n const local = engine\n const e = same(local)\n e.start() }",
        "const l = lazy(() => same(engine) as Engine)\nl.start()",
        "const s = same({ start() {}, deep: { start: 1 } })\ns.deep.start",
    ],
)
def test_what_a_call_is_handed_says_what_type_parameters_stand_for(text: str) -> None:
    head = (
        'import { Car, Engine, engine, same, first, lazy, change, made, under, store } from "./m"\n'
    )
    made = graph({"m.ts": INFERRED, "a.ts": head + text})
    assert {name for _, name in uses(made, "a.ts") if name.endswith(".start")}


def test_a_name_bound_to_a_call_with_itself_ends() -> None:
    made = graph(
        {
            "a.ts": """\
            function run(x) {
              let a = wrap(a, b)
              let b = wrap(b, a)
              a.start(); b.start()
            }
            """
        }
    )
    assert uses(made, "a.ts") == set()


def test_overloads_are_told_apart_by_what_they_are_handed() -> None:
    made = graph(
        {
            "a.ts": """\
            interface Engine { start(): void }
            interface Wheel { start(): void }
            interface Produce {
              <R extends Function>(recipe: R): Wheel
              <S>(recipe: (state: S) => void, initial: S): Wheel
              <Base, D = Partial<Base>>(base: Base, recipe: (draft: D) => void): Base
            }
            declare const produce: Produce
            declare const engine: Engine
            function make(): Engine
            function make(name: string): Wheel
            function make(name?: string): any { return name }
            type Engines = Engine[]
            declare const all: Engines
            const made = produce(engine, (draft) => {
              draft.start()
            })
            made.start()
            const other = produce((engine) => {})
            other.start()
            const wheel = make(engine)
            wheel.start()
            all[0].start()
            for (const each of all) {
              each.start()
            }
            """
        }
    )
    found = uses(made, "a.ts")
    assert {(line, "Engine.start") for line in (16, 18, 23, 25)} <= found
    assert {(line, "Wheel.start") for line in (20, 22)} <= found
    assert not {(line, "Wheel.start") for line in (16, 18)} & found
    assert not {(line, "Engine.start") for line in (20, 22)} & found
