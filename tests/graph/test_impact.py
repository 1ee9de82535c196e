"""What a change is said to reach."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from surveyor.graph.queries.impact import impact_of, nearest
from surveyor.graph.queries.impact import tests_beyond as beyond  # no test by its name
from surveyor.graph.queries.items import LineReader
from surveyor.graph.queries.lookup import StoredGraph
from surveyor.graph.queries.names import NameMeaning
from surveyor.graph.queries.questions import (
    Direction,
    callers,
    dependencies,
    unresolved_imports,
)
from surveyor.graph.queries.run_elsewhere import run_elsewhere
from surveyor.graph.queries.traverse import callees
from surveyor.graph.queries.type_hierarchy import hierarchy, implementations
from surveyor.protocol.graph import ImpactItem
from surveyor.store.state import State
from tests.graph.support import CHECKOUT, Checkout


@pytest.fixture
async def checkout(tmp_path: Path) -> AsyncIterator[Checkout]:
    made = await Checkout.open(tmp_path)
    await made.write(
        {
            "a.py": "import os\n\n\ndef one(): ...\n",
            "b.py": "import a\n\n\ndef two():\n    a.one()\n",
            "c.py": "import b\n",
        }
    )
    yield made
    await made.close()


async def inbound(
    checkout: Checkout, *, whole_files: bool = True, name: str = ""
) -> set[tuple[str, str]]:
    stored = StoredGraph(checkout.state, CHECKOUT)
    file = await stored.file("a.py")
    assert file is not None
    asked = [file] if not name else await stored.inside("a.py")
    found = await impact_of(stored, asked, 3, whole_files=whole_files)
    return {(item.path, item.name) for item in found.inbound}


async def test_a_file_reaches_what_uses_and_imports_it_at_any_distance(checkout: Checkout) -> None:
    assert await inbound(checkout, whole_files=True) == {("b.py", "two"), ("c.py", "")}


async def test_the_top_level_of_a_file_reaches_only_what_names_the_file(checkout: Checkout) -> None:
    assert await inbound(checkout, whole_files=False) == {("b.py", "two")}


async def test_importing_what_imports_a_name_is_no_use_of_it(checkout: Checkout) -> None:
    await checkout.write({"d.py": "from a import one\n", "e.py": "import d\n"})
    assert await inbound(checkout, name="one") == {("b.py", "two"), ("d.py", "")}


async def test_what_a_module_does_with_a_name_matters_to_its_importers(checkout: Checkout) -> None:
    await checkout.write({"d.py": "from a import one\none()\n", "e.py": "import d\n"})
    assert ("e.py", "") in await inbound(checkout, name="one")


async def test_code_comes_before_the_tests_that_use_it(checkout: Checkout) -> None:
    await checkout.write(
        {
            "tests/test_one.py": "import a\n\n\ndef test_one():\n    a.one()\n    a.one()\n",
            "far.py": "import b\n\n\ndef three():\n    b.two()\n",
        }
    )
    stored = StoredGraph(checkout.state, CHECKOUT)
    found = await impact_of(stored, await stored.qualified("a.py", "one"), 3)
    assert [item.name for item in found.inbound] == ["two", "three", "test_one"]


def item(number: int, *, is_test: bool) -> ImpactItem:
    return ImpactItem(
        path=f"{number}.py", line=1, name="f", kind="function", start_line=1, end_line=2, depth=1,
        source="", target="", edge="call", is_test=is_test,
    )  # fmt: skip


def test_many_tests_do_not_crowd_out_code() -> None:
    items = [item(n, is_test=n < 90) for n in range(100)]
    kept = nearest(items, 20)
    assert [i.path for i in kept if not i.is_test] == [f"{n}.py" for n in range(90, 100)]
    assert len(kept) == 20 and kept == sorted(kept, key=items.index)
    assert nearest(items, 100) == items
    few = [item(n, is_test=n < 5) for n in range(100)]
    assert sum(i.is_test for i in nearest(few, 50)) == 5 and len(nearest(few, 50)) == 50


async def test_imports_without_a_file_are_those_of_the_files_concerned(checkout: Checkout) -> None:
    load = "import importlib\n\n\ndef load(name):\n    return importlib.import_module(name)\n"
    await checkout.write(
        {"near.py": "from . import gone\nimport os\n", "far.py": load, "web.js": "import(x)\n"}
    )
    stored = StoredGraph(checkout.state, CHECKOUT)
    listed, elsewhere = await unresolved_imports(stored, ["near.py"], 10)
    assert [(i.path, i.line, bool(i.reason)) for i in listed] == [("near.py", 1, True)]
    assert elsewhere == 1
    assert (await unresolved_imports(stored, ["far.py", "near.py"], 1))[0][0].path == "far.py"


async def reached(checkout: Checkout, path: str, qualname: str) -> dict[str, tuple[str, int]]:
    """Of everything that depends on a definition: the edge and the distance."""
    stored = StoredGraph(checkout.state, CHECKOUT)
    asked = [node for node in await stored.inside(path) if node.qualname == qualname]
    assert asked
    found = await impact_of(stored, asked, 3)
    return {item.name: (item.edge, item.depth) for item in found.inbound}


async def test_a_method_is_reached_through_the_one_it_overrides(checkout: Checkout) -> None:
    await checkout.write(
        {
            "base.py": "class Base:\n    def read(self): ...\n\n\n"
            "def use(base: Base):\n    return base.read()\n",
            "sub.py": "from base import Base\n\n\nclass Mid(Base): ...\n\n\n"
            "class Sub(Mid):\n    def read(self): ...\n\n\ndef make():\n    return Sub()\n",
        }
    )
    found = await reached(checkout, "sub.py", "Sub.read")
    assert found["Base.read"] == ("overridden", 1) and found["use"] == ("call", 1)
    assert found["Sub"] == ("contains", 1) and found["make"] == ("instantiation", 1)
    stored = StoredGraph(checkout.state, CHECKOUT)
    asked = await stored.qualified("sub.py", "Sub.read")
    items = (await impact_of(stored, asked, 3)).inbound
    # What only uses the class comes last, and says so.
    named = [item.name for item in items if not item.through]
    assert set(named) == {"Base.read", "use"} and [i.name for i in items[:2]] == named
    assert {item.through for item in items[2:]} == {"sub.py::Sub"}
    below = await reached(checkout, "base.py", "Base.read")
    assert below["Sub.read"] == ("overrides", 1) and "make" not in below
    both = await hierarchy(
        stored, NameMeaning(await stored.qualified("sub.py", "Mid")), LineReader("/"), "both", 9
    )
    assert [(i.symbol, i.kind) for i in both.items] == [("Base", "supertype"), ("Sub", "subtype")]


async def test_a_callback_is_reached_through_the_function_around_it(checkout: Checkout) -> None:
    await checkout.write(
        {
            "serve.ts": "export function serve(start: any) {\n"
            "  function late() {}\n"
            "  start({\n    onError() { late() },\n  })\n}\n",
            "app.ts": "import { serve } from './serve'\nexport function app() { serve(1) }\n",
        }
    )
    found = await reached(checkout, "serve.ts", "serve.onError")
    assert found == {"serve": ("contains", 1), "app": ("call", 1), "": ("import", 1)}


async def test_what_the_language_calls_is_reached_through_its_class(checkout: Checkout) -> None:
    await checkout.write(
        {
            "bar.py": "def finish(): ...\n\n\n"
            "class Bar:\n    def __exit__(self, *_):\n        finish()\n\n"
            "    def plain(self):\n        finish()\n\n\n"
            "def bar():\n    return Bar()\n",
        }
    )
    found = await reached(checkout, "bar.py", "finish")
    assert found["Bar.__exit__"] == ("call", 1) and found["Bar"] == ("contains", 2)
    assert found["bar"] == ("instantiation", 2)


async def test_a_method_that_others_name_does_not_stand_for_its_class(checkout: Checkout) -> None:
    await checkout.write(
        {
            "cart.py": "class Cart:\n    def total(self): ...\n",
            "pay.py": "from cart import Cart\n\n\ndef pay(cart: Cart):\n    cart.total()\n\n\n"
            "def make():\n    return Cart()\n",
        }
    )
    assert await reached(checkout, "cart.py", "Cart.total") == {"pay": ("call", 1)}


async def test_an_anonymous_class_or_object_stands_for_the_type_that_is_named(
    checkout: Checkout,
) -> None:
    await checkout.write(
        {
            "Reader.java": "package a;\nabstract class Reader { public abstract int read(); }",
            "Make.java": "package a;\nclass Make {\n  static final Reader ONE = new Reader() {\n"
            "    @Override public int read() { return 1; }\n  };\n}\n",
            "Use.java": "package a;\nclass Use { int use(Reader one) { return one.read(); } }",
            "types.ts": "export interface Handler { parse(): void }\n"
            "export function serve(handler: Handler) { handler.parse() }\n",
            "json.ts": "import { Handler } from './types'\n"
            "export const json: Handler = {\n  parse() {},\n}\n",
        }
    )
    found = await reached(checkout, "Make.java", "Make.ONE.read")
    assert found["Reader.read"] == ("overridden", 1) and found["Use.use"] == ("call", 1)
    found = await reached(checkout, "json.ts", "json.parse")
    assert found["Handler.parse"] == ("overridden", 1) and found["serve"] == ("call", 1)


async def test_a_method_of_a_prototype_stands_for_none_of_what_its_constructor_makes(
    checkout: Checkout,
) -> None:
    await checkout.write(
        {
            "tree.js": "class Tree {\n  start() {}\n}\nmodule.exports = { Tree }\n",
            "boot.js": "const { Tree } = require('./tree')\n"
            "function Boot() {\n  this.tree = new Tree()\n}\n"
            "Boot.prototype.start = function () {}\nmodule.exports = Boot\n",
            "grow.js": "const { Tree } = require('./tree')\n"
            "function grow() {\n  new Tree().start()\n}\n",
        }
    )
    found = await reached(checkout, "boot.js", "Boot.start")
    assert "Tree.start" not in found and "grow" not in found


async def test_tests_are_looked_for_further_away_where_none_is_near(checkout: Checkout) -> None:
    chain = "".join(f"def f{n}():\n    f{n - 1}()\n\n\n" for n in range(1, 6))
    await checkout.write(
        {
            "deep.py": f"def f0(): ...\n\n\n{chain}",
            "tests/test_deep.py": "from deep import f4\n\n\ndef test_it():\n    f4()\n",
        }
    )
    stored = StoredGraph(checkout.state, CHECKOUT)
    asked = [node for node in await stored.inside("deep.py") if node.qualname == "f0"]
    found = {i.name: i for i in (await impact_of(stored, asked, 3)).inbound}
    assert found.keys() == {"f1", "f2", "f3", "test_it"} and found["test_it"].depth == 5
    assert [step.rpartition("::")[2] for step in found["test_it"].via] == ["f1", "f2", "f3", "f4"]
    near = [each for each in found.values() if not each.is_test]
    assert beyond(near, 3) == "tests more than 6 steps away are not looked for"
    assert beyond([found["test_it"]], 5) == "tests more than 5 steps away are not looked for"
    assert beyond(near, 4) is None, "the walk came to an end"


async def test_of_tests_as_near_those_called_after_the_subject_come_first(
    checkout: Checkout,
) -> None:
    use = "from cart_rules import apply\n\n\ndef test_it():\n    apply()\n"
    await checkout.write(
        {
            "cart_rules.py": "def apply(): ...\n",
            "tests/test_all.py": use,
            "tests/test_cart.py": use,
            "tests/test_every.py": use,
        }
    )
    stored = StoredGraph(checkout.state, CHECKOUT)
    asked = [node for node in await stored.inside("cart_rules.py") if node.qualname]
    found = await impact_of(stored, asked, 3)
    assert found.tests == ["tests/test_cart.py", "tests/test_all.py", "tests/test_every.py"]


async def test_rust_s_unit_tests_are_tests(tmp_path: Path) -> None:
    made = await Checkout.open(tmp_path)
    await made.write(
        {
            "src/lib.rs": """pub fn twice(n: i32) -> i32 { n * 2 }
pub fn use_it() -> i32 { twice(1) }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles() { assert_eq!(twice(2), 4); }
}
"""
        }
    )
    stored = StoredGraph(made.state, CHECKOUT)
    found = await impact_of(stored, await stored.named("twice"), 2)
    marked = {item.name: item.is_test for item in found.inbound}
    await made.close()
    assert marked["use_it"] is False and marked["tests.doubles"] is True


async def test_an_overridden_method_does_not_stand_for_its_class(tmp_path: Path) -> None:
    made = await Checkout.open(tmp_path)
    await made.write(
        {
            "base.py": "class Base:\n    def load(self): ...\n",
            "real.py": "from base import Base\n\n\nclass Real(Base):\n    def load(self): ...\n"
            "\n\ndef use():\n    Real().load()\n",
            "other.py": "from base import Base\n\n\nclass Other(Base): ...\n",
        }
    )
    stored = StoredGraph(made.state, CHECKOUT)
    asked = [node for node in await stored.inside("real.py") if node.qualname == "Real.load"]
    found = await impact_of(stored, asked, 3)
    await made.close()
    assert {item.name for item in found.inbound} == {"use", "Base.load"}


async def test_many_dependants_are_read_in_as_few_steps_as_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = await Checkout.open(tmp_path)
    many = {
        f"use{n}.py": "from base import Base\nimport target\n\n\n"
        f"class Use{n}(Base):\n    def load(self):\n        target.aim()\n"
        for n in range(12)
    }
    base = "class Base:\n    def load(self): ...\n\n\ndef run(base: Base):\n    base.load()\n"
    alone = "from base import Base\nimport other\n\n\nclass Alone(Base):\n    def load(self):\n"
    await made.write(
        {
            **many,
            "base.py": base,
            "target.py": "def aim(): ...\n",
            "alone.py": alone + "        other.look()\n",
            "other.py": "def look(): ...\n",
        }
    )
    statements: list[str] = []
    read = State.read

    async def counted(state: State, sql: str, *rest: Any) -> Any:
        statements.append(sql)
        return await read(state, sql, *rest)

    monkeypatch.setattr(State, "read", counted)

    async def reached(name: str) -> tuple[set[str], int]:
        stored = StoredGraph(made.state, CHECKOUT)
        subjects = await stored.named(name)
        statements.clear()
        found = await impact_of(stored, subjects, 3)
        return {item.name for item in found.inbound}, len(statements)

    few, with_one = await reached("look")
    several, with_many = await reached("aim")
    await made.close()
    assert few == {"Alone.load", "Base.load", "run"}
    assert several == {"Base.load", "run", *(f"Use{n}.load" for n in range(12))}
    assert with_many == with_one


async def test_files_of_a_package_depend_on_those_whose_names_they_use(tmp_path: Path) -> None:
    made = await Checkout.open(tmp_path)
    await made.write(
        {
            "src/Handler.php": "<?php\nnamespace App;\nabstract class Handler {}\n",
            "src/Stream.php": "<?php\nnamespace App;\nclass Stream extends Handler {}\n",
            "a/First.java": "package a;\npublic class First {}\n",
            "a/Second.java": "package a;\npublic class Second {}\n",
            "b/Use.java": "package b;\nimport a.*;\nclass Use { Second second; }\n",
        }
    )
    stored = StoredGraph(made.state, CHECKOUT)
    lines = LineReader(str(made.root))
    found = {}
    asked: list[tuple[str, Direction]] = [
        ("src/Stream.php", "out"), ("src/Handler.php", "in"),
        ("b/Use.java", "out"), ("a/First.java", "in"),
    ]  # fmt: skip
    for path, direction in asked:
        node = await stored.file(path)
        assert node is not None
        items = (await dependencies(stored, node, lines, direction, 1)).items
        found[path] = [(item.path, item.kind) for item in items]
    await made.close()
    assert found == {
        "src/Stream.php": [("src/Handler.php", "inheritance")],
        "src/Handler.php": [("src/Stream.php", "inheritance")],
        "b/Use.java": [("a/Second.java", "type")],
        "a/First.java": [],
    }


async def test_what_a_header_declares_is_called_where_it_is_defined(tmp_path: Path) -> None:
    made = await Checkout.open(tmp_path)
    await made.write(
        {
            "all.h": "int get(void);\n",
            "get.c": '#include "all.h"\nint get(void) { return 1; }\n',
            "use.c": '#include "all.h"\nint use(void) { return get(); }\n',
        }
    )
    stored = StoredGraph(made.state, CHECKOUT)
    asked = [node for node in await stored.inside("use.c") if node.qualname == "use"]
    walk = await callees(stored, asked, 2)
    await made.close()
    assert [item.node.path for item in walk.reached] == ["get.c"]
    assert {used.path for _, used, _ in walk.edges} == {"get.c"}


async def test_a_function_that_calls_itself_is_among_its_callers(tmp_path: Path) -> None:
    made = await Checkout.open(tmp_path)
    await made.write({"a.py": "def down(n):\n    return down(n - 1)\n"})
    stored = StoredGraph(made.state, CHECKOUT)
    meant = NameMeaning(await stored.inside("a.py"))
    found = await callers(stored, meant, 3, LineReader(str(tmp_path)), draws=True)
    await made.close()
    assert [(item.symbol, item.line) for item in found.items] == [("down", 2)]
    assert found.drawing is not None
    assert [(edge.source, edge.target) for edge in found.drawing.edges] == [(0, 0)]


async def test_go_types_implement_an_interface_with_the_same_parameters(tmp_path: Path) -> None:
    made = await Checkout.open(tmp_path)
    await made.write(
        {
            "a.go": "package a\n\ntype Next interface {\n\tServe(w Writer, r *Request, n Next)\n}\n"
            "\ntype Two struct{}\n\nfunc (t Two) Serve(w Writer, r *Request) {}\n"
            "\ntype Three struct{}\n\nfunc (t *Three) Serve(out a.Writer, _ *Request, n Next) {}\n",
        }
    )
    stored = StoredGraph(made.state, CHECKOUT)
    lines = LineReader(str(made.root))
    interface = NameMeaning([n for n in await stored.inside("a.go") if n.qualname == "Next"])
    method = NameMeaning([n for n in await stored.inside("a.go") if n.qualname == "Next.Serve"])
    types = (await implementations(stored, interface, lines)).items
    below = (await hierarchy(stored, interface, lines, "sub", 3)).items
    methods = (await implementations(stored, method, lines)).items
    await made.close()
    assert [item.symbol for item in types] == ["Three"] == [item.symbol for item in below]
    assert [item.symbol for item in methods] == ["Three.Serve"]


async def test_go_types_implement_what_an_interface_embeds_too(checkout: Checkout) -> None:
    await checkout.write(
        {
            "go.mod": "module example.org/m\n",
            "m.go": "package m\n\ntype Reader interface{ Read(n int) error }\n"
            "type Both interface {\n\tReader\n\tName() string\n}\n"
            "type File struct{}\n\nfunc (f *File) Read(n int) error { return nil }\n"
            'func (f *File) Name() string { return "" }\n'
            'type Named struct{}\n\nfunc (n *Named) Name() string { return "" }\n',
        }
    )
    stored = StoredGraph(checkout.state, CHECKOUT)
    asked = NameMeaning(await stored.qualified("m.go", "Both"))
    found = await implementations(stored, asked, LineReader("/"))
    assert [item.symbol for item in found.items] == ["File"]


async def test_go_types_have_methods_of_the_same_signature_and_promoted_ones(
    checkout: Checkout,
) -> None:
    await checkout.write(
        {
            "go.mod": "module example.org/m\n",
            "m.go": "package m\n\ntype Sampler interface{ Sample(lvl Level) bool }\n"
            "type Keeps[T any] interface{ Keep(each T, more ...string) (n int, err error) }\n"
            "type Level int\ntype Logger struct{}\n"
            "func (l Logger) Sample(s Sampler) Logger { return l }\n"
            "type Random struct{}\nfunc (r Random) Sample(Level) bool { return true }\n"
            "type Untold struct{}\nfunc (u Untold) Sample(l Level) { }\n"
            "type Inside struct{ *Random }\ntype Deep struct { Inside }\n"
            "type Hides struct { Random }\nfunc (h Hides) Sample() {}\n"
            "type Store[V any] struct{}\n"
            "func (s *Store[V]) Keep(v V, m ...string) (int, error) { return 0, nil }\n"
            "type Ints struct{}\nfunc (i Ints) Keep(v int) (int, error) { return 0, nil }\n",
            "a_test.go": "package m_test\n\ntype Told struct{}\n",
            "m_test.go": "package m\n\ntype Told struct{}\n"
            "func (t Told) Sample(l Level) bool { return true }\n",
        }
    )
    stored = StoredGraph(checkout.state, CHECKOUT)

    async def names(interface: str) -> list[str]:
        asked = NameMeaning(await stored.qualified("m.go", interface))
        found = await implementations(stored, asked, LineReader("/"))
        return sorted(f"{item.path}:{item.symbol}" for item in found.items)

    assert await names("Sampler") == ["m.go:Deep", "m.go:Inside", "m.go:Random", "m_test.go:Told"]
    assert await names("Keeps") == ["m.go:Store"]


async def test_what_macros_of_rust_implement_a_trait_for(checkout: Checkout) -> None:
    await checkout.write(
        {
            "src/lib.rs": "#[macro_use]\nmod made;\nmod kinds;\n"
            "pub trait Shouts { fn shout(&self); }\n"
            "pub trait Sings { fn sing(&self); }\n",
            "src/made.rs": "macro_rules! shout_each {\n    ($($t:ty),* $(,)?) => {$(\n"
            "        impl crate::Shouts for $t {\n            fn shout(&self) {}\n        }\n"
            "    )*};\n}\n"
            "macro_rules! sing {\n    // How it is called.\n    ($name:expr, $t:ty => $i:ty) => {\n"
            "        impl<'a>\n            crate::Sings\n            for $t where u8: Copy {}\n"
            "    };\n"
            '    ($t:ty) => { sing!("", $t => u8); };\n}\n'
            "macro_rules! both {\n    ($(#[$a:meta])* $kind:ident<$($arg:tt),*>, impl $($rest:tt)*)"
            " => {\n"
            '        sing! { "a, b", $kind => u8 }\n        impl $($rest)* Shouts for $kind {}\n'
            "    };\n}\n"
            "macro_rules! fixed { () => { impl crate::Shouts for String {} } }\n",
            "src/kinds.rs": "pub struct Car<K, V>(K, V);\npub struct Bus;\npub struct Van<T>(T);\n"
            "shout_each!(Car<u8, u16>, // the first\n    Bus,\n    &'static str,\n);\n"
            "sing!(name(1, 2), crate::kinds::Bus => Vec<u8>);\nsing!(i64);\n"
            "both! { #[cfg(a)] #[cfg(b(c))] Van<T>, impl<T> }\n",
        }
    )
    stored = StoredGraph(checkout.state, CHECKOUT)
    lines = LineReader(str(checkout.root))

    async def made(trait: str) -> set[tuple[str, int, str]]:
        asked = NameMeaning(await stored.qualified("src/lib.rs", trait))
        found = (await implementations(stored, asked, lines)).items
        below = (await hierarchy(stored, asked, lines, "sub", 3)).items
        places = {(item.path[4:], item.line, item.symbol) for item in found}
        assert places == {(item.path[4:], item.line, item.symbol) for item in below}
        return places

    assert await made("Shouts") == {
        ("kinds.rs", 1, "Car"),
        ("kinds.rs", 2, "Bus"),
        ("kinds.rs", 3, "Van"),
        ("kinds.rs", 6, "&'static str"),
        ("made.rs", 23, "String"),
    }
    assert await made("Sings") == {
        ("kinds.rs", 2, "Bus"),
        ("kinds.rs", 3, "Van"),
        ("kinds.rs", 9, "i64"),
    }


async def test_types_of_elsewhere_and_nameless_classes_implement_too(checkout: Checkout) -> None:
    await checkout.write(
        {
            "src/lib.rs": "pub trait Shouts { fn shout(&self); }\n"
            "impl Shouts for String { fn shout(&self) {} }\n"
            "impl<'a> Shouts for &'a mut Vec<u8>\nwhere u8: Copy {}\n"
            "impl<F: for<'a> Fn(&'a str)> Shouts for F {\n    fn shout(&self) {}\n}\n"
            "mod inner {\n    impl super::Shouts for char {\n    }\n}\n"
            "pub struct Car;\nimpl Shouts for Car {}\n",
            "T.java": "interface Check {\n  void go(); }\nclass T {\n  void run() {\n"
            "    new Check() {\n      void go() {}\n    };\n  }\n}\n",
            "a.swift": "protocol Rings { func ring() }\n\n"
            "extension String: Rings {\n    func ring() {}\n}\n",
        }
    )
    stored = StoredGraph(checkout.state, CHECKOUT)
    lines = LineReader(str(checkout.root))
    asked = NameMeaning(await stored.qualified("src/lib.rs", "Shouts"))
    found = (await implementations(stored, asked, lines)).items
    below = (await hierarchy(stored, asked, lines, "sub", 3)).items
    expected = {(2, "String"), (3, "&'a mut Vec<u8>"), (5, "F"), (9, "char"), (12, "Car")}
    assert {(item.line, item.symbol) for item in found} == expected
    assert {(item.line, item.symbol) for item in below} == expected
    rings = NameMeaning(await stored.qualified("a.swift", "Rings"))
    found = (await implementations(stored, rings, lines)).items
    assert [(item.line, item.symbol) for item in found] == [(3, "String")]
    check = NameMeaning(await stored.qualified("T.java", "Check"))
    for found in (
        (await implementations(stored, check, lines)).items,
        (await hierarchy(stored, check, lines, "sub", 3)).items,
    ):
        assert [(item.line, item.symbol) for item in found] == [(5, "anonymous")]
    go = NameMeaning(await stored.qualified("T.java", "Check.go"))
    found = (await implementations(stored, go, lines)).items
    assert [(item.line, item.symbol) for item in found] == [(6, "T.run.go")]


async def test_modules_are_types_where_they_include_or_implement_others(checkout: Checkout) -> None:
    await checkout.write(
        {
            "a.rb": "module Rings\nend\nmodule Bells\n  include Rings\nend\n",
            "a.ex": "defprotocol Size do\n  def size(x)\nend\n"
            "defimpl Size, for: Atom do\n  def size(_), do: 1\nend\n",
        }
    )
    stored = StoredGraph(checkout.state, CHECKOUT)
    lines = LineReader(str(checkout.root))

    async def names(path: str, qualname: str) -> list[str | None]:
        asked = NameMeaning(await stored.qualified(path, qualname))
        return [item.symbol for item in (await implementations(stored, asked, lines)).items]

    assert await names("a.rb", "Rings") == ["Bells"]
    assert await names("a.ex", "Size") == ["Size.Atom"]
    assert await names("a.ex", "Size.size") == ["Size.Atom.size"]


async def test_what_satisfies_an_interface_without_naming_it_is_a_candidate(
    checkout: Checkout,
) -> None:
    await checkout.write(
        {
            "a.ts": "interface Base { open(): void }\n"
            "export interface Store extends Base {\n  load(): void\n  note?: string\n}\n"
            "export class Named implements Store { open() {}\n load() {} }\n"
            "export class Alike { open() {}\n load() {} }\n"
            "export class Half { load() {} }\n",
            "b.ts": "export function make() {\n  return { open() {}, load: () => 1 };\n}\n",
            "c.py": "from typing import Protocol\n"
            "class Loads(Protocol):\n    def load(self): ...\n"
            "class Disk:\n    def load(self): pass\n"
            "class Plain:\n    def save(self): pass\n",
        }
    )
    stored = StoredGraph(checkout.state, CHECKOUT)
    lines = LineReader(str(checkout.root))
    asked = NameMeaning(await stored.qualified("a.ts", "Store"))
    found = await implementations(stored, asked, lines)
    below = await hierarchy(stored, asked, lines, "sub", 3)
    sure = {item.symbol for item in found.items if item.score >= 0.5}
    assert sure == {"Named"} and {item.symbol for item in found.items} == {"Named", "Alike", "make"}
    assert {item.symbol for item in below.items} == {"Named", "Alike", "make"}
    assert (
        found.incomplete and below.incomplete and "2 have all its members" in (found.notice or "")
    )
    loads = NameMeaning(await stored.qualified("c.py", "Loads"))
    assert [item.symbol for item in (await implementations(stored, loads, lines)).items] == ["Disk"]
    plain = NameMeaning(await stored.qualified("c.py", "Plain"))
    nothing = await implementations(stored, plain, lines)
    assert not nothing.items and not nothing.incomplete


async def test_what_overrides_is_said_to_be_called_by_the_name_of_its_base(tmp_path: Path) -> None:
    made = await Checkout.open(tmp_path)
    await made.write(
        {
            "db.py": "class DB:\n    def get(self): ...\n\n\n"
            "class Real(DB):\n    def get(self): ...\n\n\ndef use(db: DB):\n    db.get()\n"
        }
    )
    stored = StoredGraph(made.state, CHECKOUT)
    meant = NameMeaning([n for n in await stored.inside("db.py") if n.qualname == "Real.get"])
    found = await callers(stored, meant, 1, LineReader(str(tmp_path)))
    why = await run_elsewhere(stored, meant.nodes, found=bool(found.items))
    await made.close()
    assert found.items == []
    assert why == ["it may be called as db.py::DB.get, which it overrides"]


async def test_readers_of_equally_named_keys_are_not_reached(checkout: Checkout) -> None:
    await checkout.write(
        {
            "lib.js": "export const make = (options, run) => {\n  const result = run(options)\n"
            "  return {options, result, extra: {depth: 1}}\n}\n"
            "export const state = {size: 1}\n",
            "sure.js": "import {make, state} from './lib.js'\n"
            "export function sure() { return make().result }\n"
            "export function sized() { return make().extra.depth + state.size }\n",
            "else.js": "export function other(x) { return x.result + x.options + x.depth + x.size }"
            "\n",
        }
    )
    for name in ("make.result", "make.extra.depth", "state.size"):
        found = await reached(checkout, "lib.js", name)
        expected = {"make.result": "sure"}.get(name, "sized")
        assert found[expected] == ("read", 1) and "other" not in found, name
    stored = StoredGraph(checkout.state, CHECKOUT)
    file = await stored.file("lib.js")
    assert file is not None
    whole = await impact_of(stored, [file], 3)
    assert {item.path for item in whole.inbound} == {"sure.js"}


async def test_what_only_shares_a_common_name_is_not_reached(tmp_path: Path) -> None:
    made = await Checkout.open(tmp_path)
    classes = "".join(f"class {name}:\n    def keep(self): ...\n\n\n" for name in "STU")
    await made.write({"a.py": classes, "b.py": "def guess(it):\n    it.keep()\n"})
    assert await inbound(made) == set()
    await made.close()


async def test_each_specialisation_of_a_template_is_a_subtype_of_what_it_extends(
    checkout: Checkout,
) -> None:
    await checkout.write(
        {
            "box.hpp": "template <class T> class Base { T held; };\n"
            "template <class T> class Box : public Base<T> { int a; };\n"
            "template <> class Box<bool> : public Base<bool> { int b; };\n"
            "template <> class Box<int> { int c; };\n"
        }
    )
    stored = StoredGraph(checkout.state, CHECKOUT)
    asked = NameMeaning(await stored.qualified("box.hpp", "Base"))
    below = await hierarchy(stored, asked, LineReader(str(checkout.root)), "sub", 3)
    assert [(item.symbol, item.line) for item in below.items] == [("Box", 2), ("Box", 3)]
