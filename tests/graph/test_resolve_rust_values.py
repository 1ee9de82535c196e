"""What values are in Rust: in tuples, variants, closures and macros, and in crates of their own."""

from __future__ import annotations

from tests.graph.memory import edges, graph, names, uses


def test_tests_examples_and_programs_are_crates_of_their_own() -> None:
    made = graph(
        {
            "Cargo.toml": '[package]\nname = "bat"\n',
            "src/lib.rs": "pub mod style;",
            "src/style.rs": "pub fn plain() {}",
            "src/bin/show.rs": "mod list;\nfn main() { list::all(); }",
            "src/bin/list.rs": "pub fn all() {}",
            "tests/run.rs": """
                mod utils;
                use utils::command::bat;
                fn works() { bat(); }
                """,
            "tests/utils/mod.rs": "pub mod command;",
            "tests/utils/command.rs": "pub fn bat() { super::super::works(); }",
            "search/Cargo.toml": """
                [package]
                name = "search"
                autotests = false
                [[test]]
                name = "integration"
                path = "tests/tests.rs"
                """,
            "search/src/main.rs": "fn main() {}",
            "search/tests/tests.rs": "mod util;\nmod regression;\n",
            "search/tests/util.rs": "pub fn sorted() {}\n",
            "search/tests/regression.rs": """
                use crate::util::sorted;
                fn r30() { sorted(); }
                """,
        }
    )
    found = edges(made)
    assert ("tests/run.rs", "works", "tests/utils/command.rs::bat") in found
    assert ("src/bin/show.rs", "main", "src/bin/list.rs::all") in found
    assert ("search/tests/regression.rs", "r30", "search/tests/util.rs::sorted") in found


def test_what_tuple_structs_and_variants_hold() -> None:
    made = graph(
        {
            "src/lib.rs": """
                pub struct Raw;
                impl Raw { fn depth(&self) {} }
                pub struct Plain;
                impl Plain { fn depth(&self) {} }
                pub struct Entry(Raw, Plain);
                pub enum Kind { Raw(Raw), Both(Plain, Raw), Named { held: Plain, other: Raw } }
                impl Entry {
                    fn depth(&self) { self.0.depth() }
                    fn both(&self) { (&self.1).depth() }
                    fn again(&self) { (*self).both() }
                }
                fn of(kind: &Kind) {
                    match *kind {
                        Kind::Raw(ref x) => x.depth(),
                        Kind::Both(_, ref y) => y.depth(),
                        Kind::Named { ref held, .. } => held.depth(),
                    }
                }
                fn pairs(list: &[(Plain, Raw)]) {
                    for (_, second) in list.iter() { second.depth(); }
                }
                """
        }
    )
    assert {each for each in uses(made, "src/lib.rs") if "." in each[1]} == {
        (9, "Raw.depth"),
        (10, "Plain.depth"),
        (11, "Entry.both"),
        (15, "Kind.Raw"),
        (15, "Raw.depth"),
        (16, "Kind.Both"),
        (16, "Raw.depth"),
        (17, "Kind.Named"),
        (17, "Kind.Named.held"),
        (17, "Plain.depth"),
    }


def test_what_closures_are_handed() -> None:
    made = graph(
        {
            "src/lib.rs": """
                pub struct Inner;
                impl Inner { fn gzip(self) -> Inner { self } }
                pub struct Client;
                impl Client {
                    fn gzip(self) -> Client { self.with(|inner| inner.gzip()) }
                    fn with<F>(self, f: F) -> Client where F: FnOnce(Inner) -> Inner { self }
                    fn each(&self, count: usize, f: impl FnMut(&mut Inner, &Client)) {}
                }
                fn walk(client: Client, many: Vec<Inner>, others: &[Client]) {
                    client.each(1, |one, two| {
                        one.gzip();
                        two.gzip();
                    });
                    for (place, one) in many.iter().rev().enumerate() {
                        one.gzip();
                    }
                    for (one, two) in many.iter().zip(others) {
                        one.gzip();
                        two.gzip();
                    }
                    many.iter().fold(0, |sum, one| sum + one.gzip());
                    given().map(|one| one.gzip());
                }
                fn given() -> impl Iterator<Item = Inner> + 'static {}
                """
        }
    )
    found = {each for each in uses(made, "src/lib.rs") if each[1].endswith("gzip")}
    inner = {(line, "Inner.gzip") for line in (6, 12, 16, 19, 22, 23)}
    assert found == inner | {(13, "Client.gzip"), (20, "Client.gzip")}


def test_code_that_macros_are_handed_has_names_of_its_own() -> None:
    made = graph(
        {
            "src/lib.rs": """
                pub struct Dir;
                impl Dir { fn create(&self) {} fn out(&self) {} }
                pub struct Command;
                impl Command { fn create(&self) {} fn out(&self) {} }
                check!(r30, |dir: Dir, mut cmd: Command| {
                    dir.create();
                    assert_eq!(cmd.out(), 1);
                    inner!({ let other = Dir; other.out() });
                });
                fn run(dirs: Vec<Dir>) {
                    block! { let cmd = Command; cmd.create(); }
                    pattern!(x = dirs => |each| each.out());
                }
                """
        }
    )
    found = {each for each in uses(made, "src/lib.rs") if "." in each[1]}
    assert found == {
        (7, "Dir.create"),
        (8, "Command.out"),
        (9, "Dir.out"),
        (12, "Command.create"),
    }


def test_macros_of_the_standard_library_and_of_the_own_crate() -> None:
    made = graph(
        {
            "a/Cargo.toml": '[package]\nname = "a"\n',
            "a/src/lib.rs": "#[macro_use]\nmod macros;\nfn f() { same!(1); writeln!(2); }",
            "a/src/macros.rs": "macro_rules! same { () => {} }",
            "a/src/man.rs": "macro_rules! writeln { () => {} }\nfn g() { writeln!(1); }",
            "b/Cargo.toml": '[package]\nname = "b"\n',
            "b/src/macros.rs": "macro_rules! same { () => {} }",
        }
    )
    assert edges(made) == {
        ("a/src/lib.rs", "f", "a/src/macros.rs::same"),
        ("a/src/man.rs", "g", "a/src/man.rs::writeln"),
    }


def test_a_function_in_a_module_of_tests_is_no_method() -> None:
    made = graph(
        {
            "src/lib.rs": """
                pub struct Error;
                impl Error { pub fn is_timeout(&self) -> bool { true } }
                mod tests { fn is_timeout() {} }
                """,
            "src/other.rs": "fn retry() { let failed = 1 + 2; failed.is_timeout(); }",
        }
    )
    assert ("src/other.rs", "retry", "src/lib.rs::Error.is_timeout") in edges(made)


def test_receivers_behind_new_turbofish_await_and_paths_from_elsewhere() -> None:
    made = graph(
        {
            "src/lib.rs": """
                pub struct Path;
                impl Path { fn threads(&self) {} }
                pub struct Walk;
                impl Walk {
                    fn new(path: Path) -> Walk { Walk }
                    fn threads(&self) {}
                    fn header(&self) {}
                    fn get(&self) -> Request {}
                }
                pub struct Request;
                impl Request { fn text(&self) {} }
                impl IntoFuture for Request { type Output = Response; }
                pub struct Response;
                impl Response { fn text(&self) {} }
                fn run(path: Path) {
                    Walk::new(path).threads();
                    Walk::<u8>::new(path).threads();
                    let response = Walk::new(path).get().await;
                    response.text();
                    http::Request::post("/").header("a");
                }
                """
        }
    )
    found = {each for each in uses(made, "src/lib.rs") if each[0] > 16 and "." in each[1]}
    assert found == {
        (17, "Walk.new"),
        (17, "Walk.threads"),
        (18, "Walk.new"),
        (18, "Walk.threads"),
        (19, "Walk.new"),
        (19, "Walk.get"),
        (20, "Response.text"),
    }


def test_functions_that_macros_define_by_a_name() -> None:
    made = graph(
        {
            "src/lib.rs": """
                macro_rules! handler {
                    ($name:ident, GET) => { handler!(#[doc = "get"] $name, GET); };
                    ($(#[$meta:meta])* $name:ident, $method:ident) => {
                        $(#[$meta])*
                        pub fn $name<H>(handler: H) -> Router where H: Handler { on(handler) }
                    };
                }
                macro_rules! tests { ($($name:ident),* $(,)?) => { $( fn $name() {} )* } }
                macro_rules! typed { ($name:ident: $type:ty) => { impl $type { fn $name() {} } } }
                handler!(get, GET);
                handler!(
                    /// Posts.
                    post, POST
                );
                typed!(open: Router);
                pub struct Router;
                impl Router {
                    handler!(chained, PUT);
                    fn route(&self) {}
                }
                mod inner { tests!(one, two); }
                fn main() {
                    get(1).route();
                    Router.chained(2).route();
                    inner::two();
                }
                """
        }
    )
    found = {each for each in uses(made, "src/lib.rs") if each[0] > 22}
    assert found == {
        (24, "get"),
        (24, "Router.route"),
        (25, "Router"),
        (25, "Router.chained"),
        (25, "Router.route"),
        (26, "inner"),
        (26, "inner.two"),
    }
    assert not {"GET", "POST", "open"} & {each.name for each in made.facts["src/lib.rs"].names}


def test_bounds_of_implementations_and_what_is_from_elsewhere() -> None:
    made = graph(
        {
            "src/lib.rs": """
                pub trait Write { fn is_vectored(&self); }
                pub struct Rewind<T> { inner: T }
                impl<T> Rewind<T> where T: Write {
                    fn ask(&self) { self.inner.is_vectored(); }
                }
                pub struct Watch;
                impl Watch { fn load(&self) {} fn to_json(&self) {} fn version(&self) {} }
                pub struct Dropped(Arc<AtomicBool>);
                impl Drop for Dropped { fn drop(&mut self) { self.0.load(1); } }
                impl From<Watch> for Bytes { fn from(watch: Watch) -> Bytes { Bytes } }
                macro_rules! asks { ($builder:expr) => { $builder.version() } }
                fn run(text: &[u8]) {
                    Bytes::from(text);
                    serde::to_json(text);
                }
                """
        }
    )
    found = {each for each in uses(made, "src/lib.rs") if "." in each[1]}
    assert found == {(5, "Rewind.inner"), (5, "Write.is_vectored")}


def test_what_is_taken_out_of_results_by_cases_and_blocks() -> None:
    made = graph(
        {
            "src/lib.rs": """
                pub struct Budget { n: u32 }
                impl Budget {
                    pub fn make(n: u32) -> Result<Budget, ()> { Ok(Budget { n }) }
                    pub fn spend(&self) {}
                }
                pub struct Other;
                impl Other { pub fn spend(&self) {} }
                fn go() {
                    let a = match Budget::make(2) { Err(_) => return, Ok(budget) => budget };
                    a.spend();
                    let b = if let Ok(b) = Budget::make(3) { b } else { return };
                    b.spend();
                    let c = { let q = 1; Budget::make(q).unwrap() };
                    c.spend();
                    let d = if true { Budget::make(5).unwrap() } else { Budget::make(6).unwrap() };
                    d.spend();
                    let held = std::sync::Arc::new(Mutex::new(Other));
                    let locked = held.lock().unwrap();
                    locked.spend();
                    let e = match Budget::make(2) { Ok(b) => wrapped(b), Err(e) => panic!() };
                    e.spend();
                }
                """
        }
    )
    found = {each for each in uses(made, "src/lib.rs") if each[1].endswith(".spend")}
    assert found == {(line, "Budget.spend") for line in (11, 13, 15, 17)} | {(20, "Other.spend")}


def test_super_in_a_module_that_stands_in_a_file_is_that_file() -> None:
    made = graph(
        {
            "src/lib.rs": "mod util;\npub fn pick() {}\n",
            "src/util/mod.rs": "mod random;\npub fn pick() {}\n",
            "src/util/random.rs": """
                pub fn pick(n: u32) {}
                mod tests {
                    fn pick() { super::pick(1); super::super::pick(); }
                    mod deep { fn go() { super::super::pick(2); super::pick(); } }
                }
                fn out() { super::pick(); }
                """,
        }
    )
    found = {
        (edge.line, edge.target.path, edge.target.qualname)
        for edge in made.resolutions["src/util/random.rs"].edges
    }
    assert found == {
        (4, "src/util/random.rs", "pick"),
        (4, "src/util/mod.rs", "pick"),
        (5, "src/util/random.rs", "pick"),
        (5, "src/util/random.rs", "tests.pick"),
        (7, "src/util/mod.rs", "pick"),
    }


def test_a_macro_that_is_handed_items_is_used_there() -> None:
    made = graph(
        {
            "src/lib.rs": "#[macro_use]\nmod macros;\nmod future;\n",
            "src/macros.rs": "macro_rules! opaque { ($name:ident) => { pub struct $name; } }\n",
            "src/future.rs": "opaque! {\n    pub struct Ready;\n}\nfn go(ready: Ready) {}\n",
        }
    )
    assert {(1, "opaque"), (4, "Ready")} <= uses(made, "src/future.rs")


def test_what_may_be_made_into_a_type_is_no_list_of_it() -> None:
    made = graph(
        {
            "src/lib.rs": """
                pub struct Span { a: u8 }
                impl Span { fn open(&self) {} }
                pub struct Line { a: Vec<Span> }
                impl Line { fn open(&self) {} fn iter(&self) -> core::slice::Iter<'_, Span> { 1 } }
                fn run(text: impl Into<Line>) {
                    let text = text.into();
                    text.iter().for_each(|span| span.open());
                }
                fn peek(line: &impl AsRef<Line>) { line.as_ref().open(); }
                """
        }
    )
    found = uses(made, "src/lib.rs")
    assert (8, "Line.open") not in found
    assert (10, "Line.open") in found


def test_what_is_derived_walked_through_and_implemented_for_references() -> None:
    made = graph(
        {
            "src/lib.rs": "pub mod line;\npub mod span;\n",
            "src/span.rs": """
                pub struct Span<'a> { content: &'a str }
                impl<'a> Span<'a> { pub fn graphemes(&'a self) -> u8 { 1 } }
                pub trait Widget { fn render(self); }
                impl Widget for &Span<'_> { fn render(self) { self.graphemes(); } }
                impl Widget for &mut crate::span::Span<'_> { fn render(self) { self.graphemes(); } }
                impl dyn Widget { fn twice(&self) { self.once(); } fn once(&self) {} }
                """,
            "src/line.rs": """
                use crate::span::Span;
                #[derive(Debug, Default)]
                pub struct Line<'a> { spans: Vec<Span<'a>> }
                impl<'a> Line<'a> {
                    pub fn open(&self) {}
                    pub fn graphemes(&'a self) -> u8 { 1 }
                }
                impl<'a> IntoIterator for &'a Line<'a> {
                    type Item = &'a Span<'a>;
                    type IntoIter = core::slice::Iter<'a, Span<'a>>;
                    fn into_iter(self) -> Self::IntoIter { self.spans.iter() }
                }
                fn run() {
                    let line = Line::default();
                    line.open();
                    for span in &line { span.graphemes(); }
                }
                mod tests { fn graphemes() {} }
                """,
        }
    )
    assert {(5, "Span.graphemes"), (6, "Span.graphemes"), (7, "Widget.once")} <= uses(
        made, "src/span.rs"
    )
    assert {"Span.render", "Widget.twice"} <= set(names(made, "src/span.rs"))
    found = uses(made, "src/line.rs")
    assert {(16, "Line.open"), (17, "Span.graphemes")} <= found
    assert (17, "Line.graphemes") not in found
