"""Types above and below, members that stand for others, and tests beside the code, asked of one
project in several languages."""

from __future__ import annotations

from pathlib import Path

from surveyor.graph.queries import type_hierarchy
from surveyor.graph.queries.impact import impact_of
from surveyor.graph.queries.items import LineReader
from surveyor.graph.queries.lookup import StoredGraph
from surveyor.graph.queries.names import NameMeaning, find
from surveyor.graph.queries.questions import dependencies
from tests.graph.support import CHECKOUT, Checkout

FILES = {
    # --- go
    "go.mod": "module m\n",
    "shop.go": "package m\ntype Opener interface{ Open() }\ntype Shutter interface{ Shut() }\n"
    "type Both interface {\n\tOpener\n\tShutter\n}\ntype Base struct{}\nfunc (b *Base) Open() {}\n"
    "type Crate struct{ *Base }\nfunc (c Crate) Shut() {}\n",
    # --- rust
    "Cargo.toml": '[package]\nname = "m"\n',
    "src/lib.rs": 'pub mod a;\nmod b;\n#[path = "odd_name.rs"]\npub mod odd;\n'
    "mod util { pub mod deep; }\nuse crate::util::deep as d;\npub fn far() { d::go(); }\n",
    "src/a.rs": "pub trait Named {}\npub struct Lid;\n",
    "src/b.rs": "use crate::a::{Lid, Named};\nuse crate::odd::*;\nimpl Named for Lid {}\n",
    "src/odd_name.rs": "pub fn odd() {}\n#[test]\nfn test_odd() { odd(); }\n",
    "src/util/deep.rs": "pub fn go() {}\n",
    # --- haskell
    "A.hs": "module A where\nclass Draw a where\n  draw :: a -> String\n",
    "B.hs": 'module B where\nimport A\ndata Pot = Pot\ninstance Draw Pot where\n  draw p = "x"\n',
    # --- zig, c and c++
    "grow.zig": 'pub fn grow() void {}\ntest "grows" { grow(); }\ntest { grow(); }\n',
    "shrink.cc": '#include "doctest.h"\nvoid shrink() {}\nTEST_CASE("shrinks it") { shrink(); }\n',
    "table.h": "struct ops { void (*run)(void); };\nextern struct ops table;\n",
    "table.c": '#include "table.h"\nstatic void run_it(void) {}\n'
    "struct ops table = { .run = run_it };\n",
    "user.c": '#define TABLE "table.h"\n#include TABLE\nvoid use(void) { table.run(); }\n',
    # --- c#
    "a.csproj": "<Project></Project>\n",
    "A.cs": "namespace N;\npublic partial class Box\n{\n    public void Draw() { Partly(); }\n"
    "    partial void Partly();\n    public static Box operator +(Box a, Box b) => a;\n}\n",
    "B.cs": "namespace N;\npublic partial class Box\n{\n"
    "    partial void Partly() { Tools.Twice(); }\n}\n"
    "public class Tools\n{\n    public static void Twice() {}\n}\n",
}


async def names(stored: StoredGraph, root: Path, name: str, side: str) -> set[str]:
    found = await type_hierarchy.hierarchy(
        stored, await find(stored, name), LineReader(str(root)), side, 10
    )
    return {item.symbol for item in found.items if item.score >= 0.5}


async def reached(stored: StoredGraph, meant: NameMeaning) -> tuple[set[str], set[str]]:
    """What depends on something, and the tests among it."""
    items = (await impact_of(stored, meant.nodes, 3)).inbound
    return {item.name for item in items}, {item.name for item in items if item.is_test}


async def test_what_is_asked_of_types_and_tests(tmp_path: Path) -> None:
    made = await Checkout.open(tmp_path)
    await made.write(FILES)
    stored = StoredGraph(made.state, CHECKOUT)

    assert await names(stored, made.root, "Crate", "super") == {"Base", "Opener", "Shutter", "Both"}
    assert await names(stored, made.root, "src/a.rs::Lid", "super") == {"Named"}
    embedded = await find(stored, "Crate.Base")
    assert [node.qualname for node in embedded.nodes] == ["Base"] and embedded.notice

    lines = LineReader(str(made.root))
    overrides = await type_hierarchy.implementations(stored, await find(stored, "A.draw"), lines)
    assert [(item.path, item.line) for item in overrides.items] == [("B.hs", 5)]

    for path, users in {
        "src/odd_name.rs": {"src/lib.rs", "src/b.rs"},
        "src/util/deep.rs": {"src/lib.rs"},
        "table.h": {"table.c", "user.c"},
    }.items():
        file = await stored.file(path)
        assert file is not None
        importing = await dependencies(stored, file, lines, "in", 1)
        assert {item.path for item in importing.items} == users, path

    assert await reached(stored, await find(stored, "odd")) == ({"test_odd"},) * 2
    assert await reached(stored, await find(stored, "grow")) == ({"grows", "test"},) * 2
    assert await reached(stored, await find(stored, "shrink")) == ({"shrinks it"},) * 2
    assert "use" in (await reached(stored, await find(stored, "run_it")))[0]
    assert "Box.Draw" in (await reached(stored, await find(stored, "Tools.Twice")))[0]
    for operator in ("Box.operator+", "Box.op_Addition"):
        assert [node.line for node in (await find(stored, operator)).nodes] == [6]
    await made.close()
