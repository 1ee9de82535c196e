"""What names mean in Rust, on small projects given as text."""

from __future__ import annotations

from surveyor.graph.facts import KIND_CODES, KIND_NAMES
from surveyor.graph.library import MemoryGraph
from tests.graph.memory import edges, graph, imports, uses

INHERITANCE = KIND_CODES["inheritance"]


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


def test_rust_receivers_through_wrappers_that_the_project_defines_itself() -> None:
    made = graph(
        {
            "src/lib.rs": "pub mod sync;\npub mod use_it;\n",
            "src/sync.rs": """
                pub struct Permits;
                impl Permits {
                    pub fn release(&self, n: usize) {}
                    pub fn is_done(&self) -> bool { true }
                }
                pub struct Mutex<T> { pub s: Permits, pub c: T }
                """,
            "src/use_it.rs": """
                use crate::sync::{Mutex, Permits};
                use std::sync::Arc;
                pub struct Guard<'a, T: ?Sized> { lock: &'a Mutex<T> }
                impl<'a, T: ?Sized> Guard<'a, T> {
                    fn end(&self) { self.lock.s.release(1); }
                }
                struct Holder { std: std::sync::Mutex<Permits> }
                fn own(holder: Holder) { holder.std.lock().unwrap().release(2); }
                fn copied() {
                    let shared = Arc::new(Permits);
                    let other = shared.clone();
                    assert!(!other.is_done(), "{}", tally(other.is_done()));
                    assert_eq!(other.release(3), shared.release(4));
                }
                fn tally(done: bool) -> usize { 1 }
                """,
        }
    )
    found = uses(made, "src/use_it.rs")
    lines = made_lines(made, "src/use_it.rs", "Permits.release")
    assert len(lines) == 3, lines
    assert {name for _, name in found} >= {"Mutex.s", "Permits.is_done", "tally"}


def test_rust_guards_are_what_they_hold() -> None:
    made = graph(
        {
            "src/lib.rs": "pub mod sync;\npub mod use_it;\n",
            "src/sync.rs": """
                pub struct Mutex<T>(std::sync::Mutex<T>);
                impl<T> Mutex<T> {
                    pub fn lock(&self) -> std::sync::MutexGuard<'_, T> { self.0.lock().unwrap() }
                }
                """,
            "src/use_it.rs": """
                use crate::sync::Mutex;
                use std::cell::{Ref, RefMut};
                struct Waker;
                impl Waker { fn notify(&self) {} }
                struct Inner { senders: Waker }
                struct Channel<T> { inner: Mutex<Inner>, held: T }
                struct Sender<'a, T>(&'a Channel<T>);
                impl<T> Sender<'_, T> {
                    fn send(&self) {
                        let mut inner = self.0.inner.lock();
                        inner.senders.notify();
                        self.0.inner.lock().senders.notify();
                    }
                }
                fn one(guard: Ref<'_, Waker>) { guard.notify() }
                fn two(guard: &mut RefMut<'_, Inner>) { guard.senders.notify() }
                fn three(guard: tokio::sync::RwLockReadGuard<'_, Waker>) { guard.notify() }
                """,
        }
    )
    assert made_lines(made, "src/use_it.rs", "Waker.notify") == [12, 13, 16, 17, 18]


def test_rust_traits_implemented_for_types_of_other_files_and_through_paths() -> None:
    made = graph(
        {
            "Cargo.toml": "[workspace]\nmembers = ['core', 'app']\n",
            "core/Cargo.toml": "[package]\nname = 'core_kit'\n",
            "core/src/lib.rs": "pub mod ser;\n",
            "core/src/ser.rs": "pub trait Serializer { fn go(&self); }\n",
            "app/Cargo.toml": "[package]\nname = 'app'\n",
            "app/src/lib.rs": "pub use core_kit::ser;\nmod own;\nmod bounded;\nmod far;\n",
            "app/src/own.rs": """
                use crate::ser;
                struct Text;
                impl ser::Serializer for Text { fn go(&self) {} }
                impl std::error::Error for Text {}
                enum Kind { Error }
                """,
            "app/src/bounded.rs": "pub struct Pool;\n",
            "app/src/far.rs": """
                use crate::{bounded, ser::Serializer};
                impl Serializer for bounded::Pool { fn go(&self) {} }
                """,
        }
    )
    bases = {
        (edge.source_path or path, edge.source, edge.target.path, edge.target.qualname)
        for path, resolution in made.resolutions.items()
        for edge in resolution.edges
        if KIND_NAMES[edge.kind] == "inheritance"
    }
    assert bases == {
        ("app/src/own.rs", "Text", "core/src/ser.rs", "Serializer"),
        ("app/src/bounded.rs", "Pool", "core/src/ser.rs", "Serializer"),
    }


def test_rust_every_member_among_the_arguments_of_a_macro_has_its_receiver() -> None:
    made = graph(
        {
            "a.rs": """
                struct Map;
                impl Map {
                    fn new() -> Map { Map }
                    fn count(&self) -> usize { 1 }
                }
                struct Other;
                impl Other { fn count(&self) -> usize { 2 } }
                fn check() {
                    let map = Map::new();
                    assert_eq!(map.count(), 1, "{}", map.count());
                    assert!(map.count() == 1 && 1 == map.count());
                }
                """
        }
    )
    found = [
        (e.line, e.score)
        for e in made.resolutions["a.rs"].edges
        if e.target.qualname == "Map.count"
    ]
    assert found.count((11, 1.0)) == 2
    assert found.count((12, 1.0)) == 2


def test_rust_a_call_in_a_macro_may_be_told_its_types() -> None:
    made = graph(
        {
            "a.rs": """
                struct Map;
                impl Map { fn size<T>() -> usize { 1 } }
                fn low<T>() -> usize { 1 }
                fn check() {
                    assert_eq!(1 & low::<Vec<u8>>(), Map::size::<u8>(), "no");
                }
                """,
        }
    )
    calls = {
        edge.target.qualname
        for edge in made.resolutions["a.rs"].edges
        if KIND_NAMES[edge.kind] == "call"
    }
    assert calls == {"low", "Map.size"}


def test_rust_patterns_take_apart_what_they_match() -> None:
    made = graph(
        {
            "Cargo.toml": '[package]\nname = "app"\n',
            "src/lib.rs": """\
            pub struct Tx;
            impl Tx { pub fn send(&self) {} }
            pub struct Rx;
            impl Rx { pub fn recv(&self) -> Option<Tx> { None } }
            pub trait Run { fn run(&self); }
            pub fn channel() -> Result<(Tx, Rx), ()> { Err(()) }
            pub struct Pool { pub all: Mutex<Vec<Tx>> }
            fn take(pool: Pool, slow: Option<Tx>) {
                let (tx, mut rx) = channel().unwrap();
                tx.send();
                assert!(!rx.recv());
                if let Some(tx) = rx.recv() { tx.send() }
                let Some(more) = rx.recv() else { return };
                more.send();
                match rx.recv() { Some(found) => found.send(), None => {} }
                while let Some(next) = rx.recv() { next.send() }
                for each in pool.all.lock().iter() { each.send() }
                slow.map(|one| one.send());
                let tx = rx;
                tx.recv();
            }
            fn both<T: Run>(it: T) where T: Clone { it.run() }
            """,
        }
    )
    found = uses(made, "src/lib.rs")
    assert {(line, "Tx.send") for line in (10, 12, 14, 15, 16, 17, 18)} <= found
    assert {(line, "Rx.recv") for line in (11, 12, 13, 15, 16, 20)} <= found
    assert (22, "Run.run") in found


def test_rust_items_that_a_macro_without_parameters_stands_for() -> None:
    made = graph(
        {
            "app/Cargo.toml": '[package]\nname = "app"\n',
            "app/src/lib.rs": """\
            macro_rules! root {
                () => {
                    pub use core_app::{ser, Serializer};
                };
            }
            root!();
            mod own;
            """,
            "app/src/own.rs": """\
            use crate::ser::{self, Serializer};
            struct Plain;
            impl Serializer for Plain { fn go(&self) {} }
            struct Other;
            impl ser::Serializer for Other { fn go(&self) {} }
            """,
            "core/Cargo.toml": '[package]\nname = "core-app"\n',
            "core/src/lib.rs": "pub mod ser;\npub use ser::Serializer;\n",
            "core/src/ser.rs": "pub trait Serializer { fn go(&self); }\n",
        }
    )
    bases = {
        (edge.source, edge.target.qualname)
        for edge in made.resolutions["app/src/own.rs"].edges
        if KIND_NAMES[edge.kind] == "inheritance"
    }
    assert bases == {("Plain", "Serializer"), ("Other", "Serializer")}
    assert "root" in {name.qualname for name in made.facts["app/src/lib.rs"].names}


def test_rust_a_function_with_the_name_of_its_module_is_what_is_called() -> None:
    made = graph(
        {
            "Cargo.toml": '[package]\nname = "app"\n',
            "src/lib.rs": "pub mod task;\npub use task::spawn;\n",
            "src/task/mod.rs": "mod spawn;\npub use self::spawn::{spawn, Handle};\n",
            "src/task/spawn.rs": """\
            pub struct Handle;
            impl Handle { pub fn stop(&self) {} }
            #[allow(any(
                dead_code
            ))]
            pub fn spawn() -> Handle { Handle }
            """,
            "src/main.rs": """\
            use app::task::{self, spawn};
            fn main() {
                spawn();
                task::spawn().stop();
                app::spawn();
                let it: task::spawn::Handle = app::task::spawn::Handle;
            }
            """,
        }
    )
    found = {
        (e.line, e.target.path, e.target.qualname) for e in made.resolutions["src/main.rs"].edges
    }
    for line in (3, 4, 5):
        assert (line, "src/task/spawn.rs", "spawn") in found
        assert (line, "src/task/spawn.rs", "") not in found
    assert (4, "src/task/spawn.rs", "Handle.stop") in found
    assert (6, "src/task/spawn.rs", "Handle") in found


def test_rust_a_type_from_elsewhere_is_not_the_project_s_of_that_name() -> None:
    made = graph(
        {
            "Cargo.toml": '[package]\nname = "app"\n',
            "src/lib.rs": "mod own;\nmod user;\n",
            "src/own.rs": "pub struct Mutex;\nimpl Mutex { pub fn new() -> Mutex { Mutex } }\n",
            "src/user.rs": "use parking_lot::Mutex;\nfn make() { Mutex::new(1); }\n",
        }
    )
    assert uses(made, "src/user.rs") == set()


def test_rust_methods_of_an_imported_trait_and_a_module_called_like_a_crate() -> None:
    found = edges(
        graph(
            {
                "Cargo.toml": '[package]\nname = "book"\n\n[workspace]\nmembers = ["lib"]\n',
                "src/main.rs": """
                    use book_lib::Book;
                    use book_lib::ToUrl;
                    fn main(path: PathBuf) {
                        Book::load().config();
                        path.with("x").to_url();
                    }
                    """,
                "lib/Cargo.toml": '[package]\nname = "book_lib"\n',
                "lib/src/lib.rs": """
                    mod book;
                    pub use book::Book;
                    pub trait ToUrl { fn to_url(&self) -> String; }
                    impl ToUrl for Path { fn to_url(&self) -> String { todo!() } }
                    """,
                "lib/src/book.rs": """
                    pub struct Book;
                    impl Book {
                        pub fn load() -> Result<Book> { todo!() }
                        pub fn config(&self) {}
                    }
                    """,
            }
        )
    )
    assert ("src/main.rs", "main", "lib/src/book.rs::Book.config") in found
    assert ("src/main.rs", "main", "lib/src/lib.rs::ToUrl.to_url") in found
    assert ("src/main.rs", "main", "lib/src/lib.rs::Path.to_url") in found


def test_traits_of_rust_that_come_with_everything_of_a_prelude() -> None:
    made = graph(
        {
            "Cargo.toml": '[package]\nname = "shop"\n',
            "src/lib.rs": "pub mod iter;\npub mod prelude;\n",
            "src/prelude.rs": "pub use crate::iter::*;\n",
            "src/iter.rs": "pub trait Walks { fn walk_all(&self); fn map(&self); }\n"
            "impl<T> Walks for T { fn walk_all(&self) {} fn map(&self) {} }\n",
            "tests/a.rs": "use shop::prelude::*;\nfn run(all: Vec<u8>) {\n"
            "    all.walk_all();\n    all.map();\n}\n",
            "tests/b.rs": "fn run(all: Vec<u8>) {\n    all.walk_all();\n}\n",
        }
    )
    sure = {
        (path, edge.line, edge.target.qualname)
        for path in ("tests/a.rs", "tests/b.rs")
        for edge in made.resolutions[path].edges
        if edge.score >= 0.5
    }
    assert ("tests/a.rs", 3, "Walks.walk_all") in sure
    assert not [each for each in sure if each[1] == 4 or each[0] == "tests/b.rs"]


def made_lines(made: MemoryGraph, path: str, qualname: str) -> list[int]:
    """The lines of a file that use a definition."""
    return sorted({line for line, name in uses(made, path) if name == qualname})


def test_traits_for_every_type_of_a_kind_are_what_values_have() -> None:
    made = graph(
        {
            "Cargo.toml": '[package]\nname = "a"\n',
            "src/lib.rs": "pub mod loud;\nmod pets;\n",
            "src/loud.rs": """
                pub trait Loud { fn shout(&self); }
                pub trait Ext { fn extend_it(&self); }
                impl<T: Loud> Ext for T { fn extend_it(&self) { self.shout(); } }
                impl<T: Loud> Loud for [T] { fn shout(&self) {} }
                """,
            "src/pets.rs": """
                use crate::loud::{Ext, Loud};
                struct Cat;
                impl Loud for Cat { fn shout(&self) {} }
                fn run(cat: Cat) { cat.extend_it(); cat.shout(); }
                """,
        }
    )
    found = edges(made)
    assert ("src/pets.rs", "run", "src/loud.rs::Ext.extend_it") in found
    assert ("src/pets.rs", "run", "src/pets.rs::Cat.shout") in found
    assert not any(
        source == "T.extend_it" and target.endswith("shout") for _, source, target in found
    )


def test_rust_macros_that_are_functions_are_used_where_attributes_and_derives_name_them() -> None:
    made = graph(
        {
            "Cargo.toml": '[workspace]\nmembers = ["shape", "shape_derive", "app"]\n',
            "shape/Cargo.toml": '[package]\nname = "shape"\n[dependencies]\nshape_derive = "1"\n',
            "shape/src/lib.rs": """
                pub use shape_derive::{Draw, traced};
                pub trait Draw { fn draw(&self); }
                """,
            "shape_derive/Cargo.toml": '[package]\nname = "shape_derive"\n',
            "shape_derive/src/lib.rs": """
                #[proc_macro_derive(Draw, attributes(draw))]
                pub fn derive_draw(input: TokenStream) -> TokenStream { input }
                #[proc_macro_derive(Fill)]
                pub fn derive_fill(input: TokenStream) -> TokenStream { input }
                #[proc_macro_attribute]
                pub fn traced(args: TokenStream, input: TokenStream) -> TokenStream { input }
                """,
            "app/Cargo.toml": '[package]\nname = "app"\n[dependencies]\nshape = "1"\n',
            "app/src/main.rs": """
                use shape::{Draw, traced};
                #[derive(Debug, Draw)]
                struct Box { #[draw(skip)] size: u8 }
                #[cfg_attr(feature = "x", derive(shape::Draw, shape_derive::Fill))]
                struct Lid;
                #[traced]
                fn main() {}
                """,
        }
    )
    derives = {
        (edge.line, KIND_NAMES[edge.kind], f"{edge.target.path}::{edge.target.qualname}")
        for edge in made.resolutions["app/src/main.rs"].edges
        if edge.line > 2
    }
    assert derives == {
        (3, "call", "shape/src/lib.rs::Draw"),
        (3, "call", "shape_derive/src/lib.rs::Draw"),
        (5, "call", "shape/src/lib.rs::Draw"),
        (5, "call", "shape_derive/src/lib.rs::Draw"),
        (5, "call", "shape_derive/src/lib.rs::Fill"),
        (7, "call", "shape_derive/src/lib.rs::traced"),
    }
    path = "shape_derive/src/lib.rs"
    assert {(source, target) for at, source, target in edges(made) if at == path} >= {
        ("Draw", f"{path}::derive_draw"),
        ("Fill", f"{path}::derive_fill"),
    }


def test_a_name_may_be_imported_as_a_module_and_as_what_is_inside_of_it() -> None:
    made = graph(
        {
            "Cargo.toml": '[package]\nname = "warp"\n',
            "src/lib.rs": """
                pub mod filters;
                pub use self::filters::{
                    path,
                    path::path,
                };
                pub use self::filters::ws::ws;
                pub use self::filters::ws;
                """,
            "src/filters/mod.rs": "pub mod path;\npub mod ws;\n",
            "src/filters/path.rs": """
                pub struct Exact;
                impl Exact { pub fn and(self) {} }
                pub fn path(p: &str) -> Exact { Exact }
                pub fn param() -> Exact { Exact }
                """,
            "src/filters/ws.rs": """
                pub struct Ws;
                impl Ws { pub fn map(self) {} }
                pub fn ws() -> Ws { Ws }
                pub fn open() -> Ws { Ws }
                """,
            "tests/all.rs": """
                fn run() {
                    warp::path("a").and();
                    warp::path::param().and();
                    warp::ws().map();
                    warp::ws::open().map();
                }
                """,
        }
    )
    assert {(line, name) for line, name in uses(made, "tests/all.rs") if name} == {
        (3, "path"), (3, "Exact.and"),
        (4, "path"), (4, "param"), (4, "Exact.and"),
        (5, "ws"), (5, "Ws.map"),
        (6, "ws"), (6, "open"), (6, "Ws.map"),
    }  # fmt: skip
