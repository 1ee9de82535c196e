"""What names mean in JavaScript and TypeScript, on small projects given as text."""

from __future__ import annotations

import pytest

from surveyor.graph.facts import KIND_NAMES
from tests.graph.memory import edges, graph, names


def test_typescript_barrels_paths_and_default_exports() -> None:
    made = graph(
        {
            "tsconfig.json": """
                {"compilerOptions": {"baseUrl": ".", "paths": {"@/*": ["src/*"],}}} // comment
                """,
            "src/index.ts": "export * from './store'\nexport { default as make } from './make'\n",
            "src/store.ts": """
                import type { Listener } from './types'
                export class Store {
                  private listeners: Listener[] = []
                  constructor(private readonly log: Logger) {}
                  dispatch(): void { this.log.write(); this.notify() }
                  private notify() {}
                }
                export interface Logger { write(): void }
                """,
            "src/types.ts": "export type Listener = () => void\n",
            "src/make.ts": """
                import { Store } from '@/store'
                export default function create(): Store { return new Store(null) }
                """,
            "app/main.tsx": """
                import * as lib from '../src'
                import { make } from '@/index'
                const App = () => { const store = make(); store.dispatch(); return <lib.Store/> }
                """,
        }
    )
    found = edges(made)
    store = "src/store.ts"
    assert (store, "Store.dispatch", f"{store}::Logger.write") in found
    assert (store, "Store.dispatch", f"{store}::Store.notify") in found
    assert (store, "Store.listeners", "src/types.ts::Listener") in found
    assert ("app/main.tsx", "App", "src/make.ts::create") in found
    assert ("app/main.tsx", "App", f"{store}::Store.dispatch") in found
    assert ("app/main.tsx", "App", f"{store}::Store") in found


def test_a_call_that_nobody_knows_gives_the_type_that_it_is_told() -> None:
    made = graph(
        {
            "src/app.ts": """
                import { Container } from "inversify";
                export class Engine { start(): void {} }
                export class Car { engine(): Engine { return new Engine(); } start(): void {} }
                export function find<T>(): Car { return new Car(); }
                export function run(container: Container) {
                    const engine = container.get<Engine>("engine");
                    engine.start();
                    const known = find<Engine>();
                    known.engine();
                }
                """,
            "Main.cs": """
                class Ledger { public void Post() {} }
                class Program {
                    static void Main(IServiceProvider services) {
                        var ledger = services.GetRequiredService<Ledger>();
                        ledger.Post();
                    }
                }
                """,
            "main.rs": """
                struct Config {}
                impl Config { fn check(&self) {} }
                fn read(text: &str) -> Option<()> {
                    let config = text.parse::<Config>()?;
                    config.check();
                    None
                }
                """,
            "pool.cpp": """
                #include <memory>
                #include <vector>
                struct Job { void size(); void run(); };
                void start() {
                    auto job = std::make_unique<Job>();
                    job->run();
                    auto jobs = std::vector<Job>(3);
                    jobs.size();
                }
                """,
        }
    )
    found = edges(made)
    assert ("src/app.ts", "run", "src/app.ts::Engine.start") in found
    assert ("src/app.ts", "run", "src/app.ts::Car.engine") in found
    assert ("Main.cs", "Program.Main", "Main.cs::Ledger.Post") in found
    assert ("main.rs", "read", "main.rs::Config.check") in found
    assert ("pool.cpp", "start", "pool.cpp::Job.run") in found
    assert ("pool.cpp", "start", "pool.cpp::Job.size") not in found


def test_types_that_callbacks_define_are_those_of_what_is_declared_there() -> None:
    made = graph(
        {
            "src/ninja.test.ts": """
                it("one", () => {
                    interface Ninja { fight(): void; }
                    class Blade { use(): void {} }
                    class Hand { private blade: Blade; hit() { this.blade.use(); } }
                    const ninja: Ninja = make();
                    ninja.fight();
                    const all: Ninja[] = [];
                    all[0].fight();
                });
                it("two", () => {
                    class Ninja { fight(): void {} }
                    const first = (make) => { const made = make.get<Ninja>("it"); made.fight(); };
                });
                """,
        }
    )
    lines = {
        (edge.line, edge.target.qualname)
        for edge in made.resolutions["src/ninja.test.ts"].edges
        if edge.score >= 0.9
    }
    assert {
        (5, "lambda$1.Blade.use"),
        (7, "lambda$1.Ninja.fight"),
        (9, "lambda$1.Ninja.fight"),
        (13, "lambda$2.Ninja.fight"),
    } <= lines


def test_javascript_commonjs() -> None:
    made = graph(
        {
            "lib/app.js": """
                var proto = module.exports = {};
                proto.handle = function handle() { helper() };
                function helper() {}
                """,
            "lib/util.js": "function one() {}\nfunction two() {}\nmodule.exports = { one, two }\n",
            "lib/view.js": "class View { render() {} }\nmodule.exports = View\n",
            "index.js": """
                const { one } = require('./lib/util')
                const View = require('./lib/view')
                function main() { one(); new View().render() }
                """,
            "taken.js": """
                const one = require('./lib/util').one,
                  second = require('./lib/util').two
                function main() { one(); second() }
                """,
            "lines.js": """
                const {
                  one: first,
                  two,
                  three = () => {}
                } = require('./lib/util')
                function main() { first(); two() }
                """,
        }
    )
    found = edges(made)
    assert ("index.js", "main", "lib/util.js::one") in found
    assert ("taken.js", "main", "lib/util.js::one") in found
    assert ("taken.js", "main", "lib/util.js::two") in found
    assert ("lines.js", "main", "lib/util.js::one") in found
    assert ("lines.js", "main", "lib/util.js::two") in found
    assert ("index.js", "main", "lib/view.js::View") in found
    assert ("index.js", "main", "lib/view.js::View.render") in found


def test_each_function_has_what_it_requires_itself() -> None:
    whole = "function one() {}\nmodule.exports = { one }\n"
    made = graph(
        {
            "a.js": whole,
            "b.js": whole,
            "t.js": """
                test('a', () => {
                  const { one } = require('./a')
                  one()
                })
                test('b', () => {
                  const one = require('./b').one
                  one()
                })
                function c(one) { one() }
                """,
        }
    )
    calls = {
        (edge.line, edge.target.path)
        for edge in made.resolutions["t.js"].edges
        if edge.target.qualname == "one" and KIND_NAMES[edge.kind] == "call"
    }
    assert calls == {(4, "a.js"), (8, "b.js")}


def test_a_variable_of_the_file_is_used_where_a_function_has_given_it_a_value() -> None:
    text = """
        let box, lid
        class Box {}
        function fill(x) { box = new Box(); return [box, x, lid] }
        function own(box) { box = new Box(); return box }
        function test() { if (lid instanceof Box) { return lid } }
        """
    found = {
        (edge.line, edge.target.qualname, KIND_NAMES[edge.kind])
        for edge in graph({"a.js": text}).resolutions["a.js"].edges
        if edge.target.qualname in ("box", "lid")
    }
    assert found == {
        (4, "box", "write"),
        (4, "box", "read"),
        (4, "lid", "read"),
        (6, "lid", "read"),
    }


_REQUIRED = {
    "lib/x.js": "exports.y = function () {}\nexports.z = function () {}\n",
    "lib/made.js": "class Made { run() {} }\nmodule.exports = Made\n",
    "lib/e.mjs": "export function a() {}\nexport default function d() {}\n",
}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("function f() { const u = require('./lib/x'); u.y() }", "lib/x.js::y"),
        ("function f() { const Made = require('./lib/made'); new Made().run() }",
         "lib/made.js::Made.run"),
        ("function f() { require('./lib/x').y() }", "lib/x.js::y"),
        ("function f() { let u; u = require('./lib/x'); u.y() }", "lib/x.js::y"),
        ("function f() { let y; ({ y } = require('./lib/x')); y() }", "lib/x.js::y"),
        ("async function f() { const {a} = await import('./lib/e.mjs'); a() }", "lib/e.mjs::a"),
        ("async function f() { const m = await import('./lib/e.mjs'); m.a() }", "lib/e.mjs::a"),
        ("async function f() { (await import('./lib/e.mjs')).a() }", "lib/e.mjs::a"),
        ("async function f() { (await import('./lib/e.mjs')).default() }", "lib/e.mjs::d"),
        ("let u\nu = require('./lib/x')\nfunction f() { u.z() }", "lib/x.js::z"),
        ("let u\nfunction load() { if (!u) u = require('./lib/x') }\nfunction f() { u.z() }",
         "lib/x.js::z"),
        ("let u\nfunction f() { u = u || require('./lib/x'); u.z() }", "lib/x.js::z"),
        ("let u\nfunction f() { u ??= require('./lib/x'); u.z() }", "lib/x.js::z"),
        ("const lib = { x: require('./lib/x') }\nfunction f() { lib.x.y() }", "lib/x.js::y"),
    ],
)  # fmt: skip
def test_what_a_call_gives_that_loads_a_module(text: str, found: str) -> None:
    made = graph({**_REQUIRED, "t.js": text})
    assert ("t.js", "f", found) in edges(made)


@pytest.mark.parametrize(
    ("text", "used", "found"),
    [
        ("module.exports = {...require('./lib/x'), b}\nfunction b() {}",
         "p.y(); p.b()", {"lib/x.js::y", "p.js::b"}),
        ("const x = require('./lib/x')\nmodule.exports = {...x, b}\nfunction b() {}",
         "p.y(); p.b()", {"lib/x.js::y", "p.js::b"}),
        ("module.exports = Object.assign({}, require('./lib/x'))", "p.z()", {"lib/x.js::z"}),
        ("Object.assign(module.exports, require('./lib/x'))", "p.z()", {"lib/x.js::z"}),
        ("exports.a = require('./lib/x').y", "p.a()", {"lib/x.js::y"}),
        ("exports.Made = require('./lib/made')", "new p.Made().run()", {"lib/made.js::Made.run"}),
        ("module.exports.x = require('./lib/x')", "p.x.y()", {"lib/x.js::y"}),
        ("module.exports = { x: require('./lib/x'), y: require('./lib/x').z }",
         "p.x.y(); p.y()", {"lib/x.js::y", "lib/x.js::z"}),
        ("function w() {}\nmodule.exports = merge(w, { w })", "p.w()", {"p.js::w"}),
        ("module.exports = require('./lib/x')", "p.y()", {"lib/x.js::y"}),
        ("module.exports = require('./lib/made')", "new p().run()", {"lib/made.js::Made.run"}),
        ("exports = module.exports = require('./lib/x')\nexports.w = function () {}",
         "p.y(); p.w()", {"lib/x.js::y", "p.js::w"}),
    ],
)  # fmt: skip
def test_what_a_module_requires_for_others(text: str, used: str, found: set[str]) -> None:
    made = graph(
        {**_REQUIRED, "p.js": text, "t.js": f"const p = require('./p')\nfunction f() {{ {used} }}"}
    )
    assert {target for path, _, target in edges(made) if path == "t.js"} >= found


def test_a_package_from_outside_is_the_variable_that_holds_it() -> None:
    made = graph(
        {
            "a.js": """
                const fs = require("fs");
                const local = require("./b");
                fs.read();
                local.read();
                """,
            "b.js": "exports.read = function () {};\n",
        }
    )
    assert edges(made) >= {("a.js", "", "a.js::fs"), ("a.js", "", "b.js::read")}
    assert ("a.js", "", "a.js::local") not in edges(made)
    lines = {e.line for e in made.resolutions["a.js"].edges if e.target.qualname == "read"}
    assert lines == {5}


def test_a_module_that_is_one_function_class_or_object() -> None:
    made = graph(
        {
            "lib/app.js": """
                const isStream = require('./is-stream')
                module.exports = class Application extends Emitter {
                  callback () { return this.handle(1) }
                  handle (x) { return isStream(x) }
                }
                """,
            "lib/is-stream.js": "module.exports = (stream) => {\n  return stream.pipe\n}\n",
            "lib/response.js": """
                module.exports = {
                  redirect (url) { return url },
                  back (alt) { this.redirect(alt) },
                }
                """,
            "lib/store.js": "class Store { get () {} }\nmodule.exports = new Store()\n",
            "lib/other.js": "class Other { get () {} helper () {} }\n",
            "lib/make.js": """
                exports = module.exports = create
                function create () { return 1 }
                exports.helper = function () {}
                """,
            "index.js": """
                const App = require('./lib/app')
                new App().callback()
                const store = require('./lib/store')
                store.get()
                const make = require('./lib/make')
                make.helper()
                """,
            "user.js": "function send (ctx) { ctx.redirect('/') }\n",
        }
    )
    assert names(made, "lib/app.js")[1:] == [
        "Application",
        "Application.callback",
        "Application.handle",
    ]
    found = edges(made)
    assert ("lib/app.js", "Application.callback", "lib/app.js::Application.handle") in found
    assert ("lib/app.js", "Application.handle", "lib/is-stream.js::exports") in found
    assert ("lib/response.js", "back", "lib/response.js::redirect") in found
    assert ("index.js", "", "lib/app.js::Application.callback") in found
    assert ("index.js", "", "lib/store.js::Store.get") in found
    assert ("index.js", "", "lib/make.js::helper") in found
    assert ("user.js", "send", "lib/response.js::redirect") in found
