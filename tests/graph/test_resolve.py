"""What names mean, language by language, on small projects given as text."""

from __future__ import annotations

from textwrap import dedent

import pytest

from surveyor.graph.facts import KIND_NAMES
from surveyor.graph.library import MemoryGraph, build


def graph(files: dict[str, str]) -> MemoryGraph:
    return build({path: dedent(text).encode() for path, text in files.items()})


def edges(made: MemoryGraph, score: float = 0.5) -> set[tuple[str, str, str]]:
    """(path of the use, definition around it, `path::definition` used)."""
    return {
        (path, edge.source, f"{edge.target.path}::{edge.target.qualname}")
        for path, resolution in made.resolutions.items()
        for edge in resolution.edges
        if edge.score >= score
    }


def imports(made: MemoryGraph, path: str) -> list[tuple[str, str, str]]:
    return [(i.module, i.target, i.reason) for i in made.resolutions[path].imports]


def test_python_reexports_relative_imports_and_types_of_receivers() -> None:
    made = graph(
        {
            "src/pkg/__init__.py": "from .core import Client as Client\nfrom .util import *\n",
            "src/pkg/core.py": """
                from . import util
                from .base import Base

                class Client(Base):
                    def __init__(self, transport: "Transport") -> None:
                        self.transport = transport

                    def send(self):
                        self.transport.handle()
                        self.close()
                        return util.helper()

                class Transport:
                    def handle(self): ...
                """,
            "src/pkg/base.py": "class Base:\n    def close(self): ...\n",
            "src/pkg/util.py": "def helper(): ...\n",
            "tests/test_it.py": """
                import pkg
                from pkg import helper

                def make() -> pkg.Client:
                    return pkg.Client(None)

                def test_one():
                    client = make()
                    client.send()
                    helper()
                """,
        }
    )
    found = edges(made)
    core = "src/pkg/core.py"
    assert (core, "Client.send", f"{core}::Transport.handle") in found
    assert (core, "Client.send", "src/pkg/base.py::Base.close") in found
    assert (core, "Client.send", "src/pkg/util.py::helper") in found
    assert ("tests/test_it.py", "test_one", f"{core}::Client.send") in found
    assert ("tests/test_it.py", "test_one", "src/pkg/util.py::helper") in found
    assert ("tests/test_it.py", "make", f"{core}::Client") in found


def test_python_local_names_hide_those_of_the_module() -> None:
    made = graph(
        {
            "a.py": """
                def size(): ...

                def f(size):
                    return size

                def g():
                    def size(): ...
                    return size()

                def h():
                    return size()
                """
        }
    )
    assert edges(made) == {("a.py", "g", "a.py::g.size"), ("a.py", "h", "a.py::size")}


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
            "lib/util.js": "function one() {}\nmodule.exports = { one }\n",
            "lib/view.js": "class View { render() {} }\nmodule.exports = View\n",
            "index.js": """
                const { one } = require('./lib/util')
                const View = require('./lib/view')
                function main() { one(); new View().render() }
                """,
        }
    )
    found = edges(made)
    assert ("index.js", "main", "lib/util.js::one") in found
    assert ("index.js", "main", "lib/view.js::View") in found
    assert ("index.js", "main", "lib/view.js::View.render") in found


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


def test_go_packages_methods_and_embedding() -> None:
    made = graph(
        {
            "go.mod": "module example.com/app\n",
            "store/store.go": """
                package store

                type Base struct{}

                func (b *Base) Close() {}

                type Store struct {
                    Base
                    items map[string]int
                }

                func New() *Store { return &Store{} }
                """,
            "store/get.go": """
                package store

                func (s *Store) Get(key string) int { return s.items[key] }
                """,
            "main.go": """
                package main

                import db "example.com/app/store"

                func main() {
                    s := db.New()
                    s.Get("a")
                    s.Close()
                }
                """,
        }
    )
    found = edges(made)
    assert ("main.go", "main", "store/store.go::New") in found
    assert ("main.go", "main", "store/get.go::Store.Get") in found
    assert ("main.go", "main", "store/store.go::Base.Close") in found
    assert ("store/get.go", "Store.Get", "store/store.go::Store.items") in found
    assert ("example.com/app/store", "store/get.go", "") in imports(made, "main.go")


def test_rust_modules_traits_and_reexports() -> None:
    made = graph(
        {
            "Cargo.toml": '[package]\nname = "my-app"\n',
            "src/lib.rs": "pub mod store;\npub use store::Store;\n",
            "src/store/mod.rs": """
                mod disk;
                use self::disk::Disk;
                use crate::store::disk::flush;

                pub trait Closes { fn close(&self); }

                pub struct Store { disk: Disk }

                impl Store {
                    pub fn new() -> Self { Store { disk: Disk::open() } }
                    pub fn save(&self) { self.disk.write(); flush(); }
                }

                impl Closes for Store { fn close(&self) {} }
                """,
            "src/store/disk.rs": """
                pub struct Disk;
                impl Disk {
                    pub fn open() -> Disk { Disk }
                    pub fn write(&self) {}
                }
                pub fn flush() {}
                """,
            "src/main.rs": """
                use my_app::Store;

                fn main() {
                    let store = Store::new();
                    store.save();
                }
                """,
        }
    )
    found = edges(made)
    disk = "src/store/disk.rs"
    assert ("src/store/mod.rs", "Store.save", f"{disk}::Disk.write") in found
    assert ("src/store/mod.rs", "Store.save", f"{disk}::flush") in found
    assert ("src/store/mod.rs", "Store", "src/store/mod.rs::Closes") in found
    assert ("src/main.rs", "main", "src/store/mod.rs::Store.new") in found
    assert ("src/main.rs", "main", "src/store/mod.rs::Store.save") in found
    assert ("self::disk", disk, "") in imports(made, "src/store/mod.rs")


def test_java_packages_inheritance_and_fields() -> None:
    made = graph(
        {
            "src/a/Base.java": "package a;\npublic class Base { protected void log() {} }\n",
            "src/a/b/Service.java": """
                package a.b;
                import a.Base;
                import static a.Util.trim;

                public class Service extends Base {
                    private final Repo repo = new Repo();
                    public void run(String s) { log(); repo.find(trim(s)); }
                }
                """,
            "src/a/b/Repo.java": "package a.b;\nclass Repo { void find(String s) {} }\n",
            "src/a/Util.java": """
                package a;
                public class Util { public static String trim(String s) { return s; } }
                """,
        }
    )
    found = edges(made)
    service = "src/a/b/Service.java"
    assert (service, "Service.run", "src/a/Base.java::Base.log") in found
    assert (service, "Service.run", "src/a/b/Repo.java::Repo.find") in found
    assert (service, "Service.run", "src/a/Util.java::Util.trim") in found
    assert (service, "Service", "src/a/Base.java::Base") in found


def test_c_includes_lead_to_declaration_and_definition() -> None:
    made = graph(
        {
            "include/list.h": "struct list { int n; };\nint list_add(struct list *l);\n",
            "src/list.c": '#include "list.h"\nint list_add(struct list *l) { return l->n; }\n',
            "src/main.c": """
                #include <list.h>
                int main(void) { struct list l; return list_add(&l); }
                """,
        }
    )
    found = edges(made)
    assert ("src/main.c", "main", "include/list.h::list_add") in found
    assert ("src/main.c", "main", "src/list.c::list_add") in found
    assert ("src/main.c", "main", "include/list.h::list") in found
    assert ("src/list.c", "list_add", "include/list.h::list.n") in found


def test_csharp_ruby_and_php() -> None:
    made = graph(
        {
            "A.cs": """
                namespace N {
                    public class A : B {
                        private readonly Repo repo = new Repo();
                        void M() {
                            repo.Get();
                            Log();
                        }
                    }
                }
                """,
            "B.cs": """
                namespace N {
                    public class B {
                        protected void Log() {}
                    }
                    public class Repo {
                        public void Get() {}
                    }
                }
                """,
            "lib/a.rb": """
                require_relative 'b'
                class A < B
                  def initialize
                    @repo = Repo.new
                  end

                  def run
                    @repo.fetch_all
                    log_it
                  end
                end
                """,
            "lib/b.rb": """
                class B
                  def log_it; end
                end

                class Repo
                  def fetch_all; end
                end
                """,
            "src/A.php": """<?php
                namespace App;
                use App\\Db\\Repo;
                class A extends Base {
                    public function __construct(private Repo $repo) {}
                    public function run(): void { $this->repo->all(); $this->log(); }
                }
                """,
            "src/Base.php": "<?php\nnamespace App;\nclass Base { protected function log() {} }\n",
            "src/Db/Repo.php": """<?php
                namespace App\\Db;
                class Repo { public function all() {} }
                """,
        }
    )
    found = {(path, target.rpartition(".")[2]) for path, _, target in edges(made)}
    assert ("A.cs", "Get") in found and ("A.cs", "Log") in found
    assert ("lib/a.rb", "fetch_all") in found and ("lib/a.rb", "log_it") in found
    assert ("src/A.php", "all") in found and ("src/A.php", "log") in found
    assert ("./b", "lib/b.rb", "") in imports(made, "lib/a.rb")


def test_base_and_parent_are_variables_where_they_are_no_words_of_the_language() -> None:
    made = graph(
        {
            "a.py": """
                class Base:
                    def read(self): ...
                class Sub(Base):
                    def write(self, parent: "Sub", base: Base):
                        parent.only()
                        base.read()
                    def only(self): ...
                """,
            "m.go": """
                package m
                type Node struct{}
                func (n *Node) Grow() {}
                func run(parent *Node, self *Node) { parent.Grow(); self.Grow() }
                """,
            "go.mod": "module example.org/m\n",
        }
    )
    found = edges(made)
    assert ("a.py", "Sub.write", "a.py::Sub.only") in found
    assert ("a.py", "Sub.write", "a.py::Base.read") in found
    assert ("m.go", "run", "m.go::Node.Grow") in found


def test_a_name_that_a_function_imports_hides_the_module_s_own() -> None:
    made = graph(
        {
            "ui.py": """
                def pager():
                    from .impl import pager
                    return pager()
                def other():
                    from .impl import low as pager
                    return pager()
                def own():
                    return pager()
                """,
            "impl.py": "def pager(): ...\ndef low(): ...\n",
            "__init__.py": "",
        }
    )
    found = {(source, target) for path, source, target in edges(made) if path == "ui.py"}
    assert found == {
        ("pager", "impl.py::pager"), ("other", "impl.py::low"), ("own", "ui.py::pager"),
    }  # fmt: skip


def test_ambiguous_members_keep_their_candidates_with_a_score() -> None:
    made = graph(
        {
            "a.py": "class A:\n    def work_it(self): ...\nclass B:\n    def work_it(self): ...\n",
            "b.py": "def f(x):\n    x.work_it()\n",
        }
    )
    found = made.resolutions["b.py"].edges
    assert {e.target.qualname for e in found} == {"A.work_it", "B.work_it"}
    assert all(0 < e.score < 0.5 for e in found)


@pytest.mark.parametrize("text", ["x = 'ä𝄞'; target()\n", "s = '𝄞𝄞'; target(); target()\n"])
def test_columns_count_utf16_units(text: str) -> None:
    made = graph({"a.py": "def target(): ...\n" + text})
    line = text.splitlines()[0]
    places = {(e.line, e.column, e.end_column) for e in made.resolutions["a.py"].edges}
    start = len(line[: line.index("target")].encode("utf-16-le")) // 2
    assert (2, start, start + 6) in places


def test_import_cycles_and_bases_that_loop_end() -> None:
    made = graph(
        {
            "a.py": "from b import *\nfrom b import B\nclass A(B):\n    def f(self): self.g()\n",
            "b.py": "from a import *\nfrom a import A\nclass B(A):\n    def g(self): self.f()\n",
        }
    )
    assert ("a.py", "A.f", "b.py::B.g") in edges(made)


def test_a_go_package_whose_path_ends_with_its_version() -> None:
    made = graph(
        {
            "go.mod": "module example.org/web/go-router/v5\n",
            "mux.go": "package router\nfunc New() int { return 1 }\n",
            "sub/use.go": """
                package sub
                import "example.org/web/go-router/v5"
                func Use() int { return router.New() }
                """,
        }
    )
    assert ("sub/use.go", "Use", "mux.go::New") in edges(made)


def test_rust_names_need_a_use_and_inline_modules_are_their_files() -> None:
    made = graph(
        {
            "Cargo.toml": '[package]\nname = "app"\n',
            "src/lib.rs": "pub mod flags;\npub mod sink;\n",
            "src/flags.rs": "pub struct Debug;\n",
            "src/sink.rs": """
                #[derive(Debug)]
                pub struct Sink;
                fn helper() {}
                mod tests {
                    use super::*;
                    use super::helper;
                    fn one() { helper(); }
                }
                """,
        }
    )
    assert not [e for e in edges(made, 0.0) if e[2] == "src/flags.rs::Debug"]
    assert ("src/sink.rs", "tests.one", "src/sink.rs::helper") in edges(made)
    assert imports(made, "src/sink.rs") == []


def test_ruby_classes_are_instantiated_and_kernel_is_no_class_of_the_project() -> None:
    made = graph(
        {
            "lib/files.rb": "module Rack\n  class Files\n    def fail(status); end\n  end\nend\n",
            "lib/use.rb": "def use\n  Rack::Files.new\n  fail 'no'\nend\n",
        }
    )
    found = {
        (edge.target.qualname, KIND_NAMES[edge.kind])
        for edge in made.resolutions["lib/use.rb"].edges
    }
    assert ("Rack.Files", "instantiation") in found
    assert not [name for name, _ in found if name == "Rack.Files.fail"]


def test_c_and_cpp_are_read_through_macros_and_conditionals() -> None:
    made = graph(
        {
            "db.h": """
                namespace db {
                class LOCKABLE Mutex {};
                class Set {
                 public:
                  LIB_API int Apply(int edit) LOCKS_REQUIRED(mutex_);
                };
                class Impl {
                  void Run();
                  Set* const versions_ GUARDED_BY(mutex_);
                  class Iter;
                };
                class Impl::Iter {
                  void Next() { helper(); }
                  void helper();
                };
                }
                """,
            "db.cc": """
                #include "db.h"
                namespace db {
                Limiter::Limiter(int max)
                    :
                #if !defined(NDEBUG)
                      max_(max),
                #endif
                      left_(max) {
                }
                void Impl::Run() { versions_->Apply(1); }
                }
                """,
            "main.c": """
                START_DECLARATIONS
                static int walk(int a) {
                #ifdef _WIN32
                  if (a) {
                #else
                  if (a + 1) {
                #endif
                    return 1;
                  }
                  return 0;
                }
                int main(void) { return walk(1); }
                """,
        }
    )
    found = edges(made)
    assert ("db.cc", "db.Impl.Run", "db.h::db.Set.Apply") in found
    assert ("db.h", "db.Impl.Iter.Next", "db.h::db.Impl.Iter.helper") in found
    assert ("main.c", "main", "main.c::walk") in found
