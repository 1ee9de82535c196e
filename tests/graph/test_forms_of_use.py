"""Forms in which compiled languages let one use a definition that answers once lacked, although
they said that they had all of them."""

from __future__ import annotations

import pytest

from tests.graph.memory import graph, names, uses

Uses = set[tuple[int, str]]

FORMS: dict[str, tuple[dict[str, str], str, Uses]] = {
    "go: constants as keys of arrays, slices and maps": (
        {
            "go.mod": "module m\n",
            "a.go": "package m\ntype Color int\nconst (\n\tRed Color = iota\n\tWide\n)\n"
            "type Lid struct{ Wide int }\ntype Lids []Lid\n"
            'var a = [...]string{Red: "r"}\n'
            'var b = map[Color]map[Color]string{Red: {Wide: "x"}}\n'
            "var c = []*Lid{Red: {Wide: 1}}\n"
            "var d = Lids{Red: {Wide: 1}}\n"
            "var e = map[Lid]string{{Wide: 3}: \"x\"}\n",
        },
        "a.go",
        {
            (9, "Red"), (10, "Red"), (10, "Wide"), (11, "Red"), (11, "Lid.Wide"), (12, "Red"),
            (12, "Lid.Wide"), (13, "Lid.Wide"),
        },
    ),
    "go: fields of structs that are written out": (
        {
            "go.mod": "module m\n",
            "a.go": "package m\ntype Lid struct{ Wide int }\nfunc (l *Lid) Open() {}\nfunc f() {\n"
            "\ttests := []struct{ name string; l *Lid }{{\"a\", &Lid{}}}\n"
            "\tfor _, tt := range tests {\n\t\ttt.l.Open()\n\t}\n\ttests[0].l.Wide = 2\n"
            "\tfor _, q := range map[string]struct{ l *Lid }{} {\n\t\tq.l.Open()\n\t}\n"
            "\tvar z struct{ in struct{ l Lid } }\n\tz.in.l.Open()\n}\n",
        },
        "a.go",
        {(7, "Lid.Open"), (9, "Lid.Wide"), (11, "Lid.Open"), (14, "Lid.Open")},
    ),
    "go: a constant has the type of the one before it": (
        {
            "go.mod": "module m\n",
            "k/k.go": "package k\ntype Color int\nconst (\n\tRed Color = iota\n\tGreen\n)\n"
            "func (c Color) Text() {}\n",
            "a.go": 'package m\nimport "m/k"\nfunc f() {\n\tk.Green.Text()\n}\n',
        },
        "a.go",
        {(4, "Color.Text")},
    ),
    "rust: what patterns take out by its own name": (
        {
            "Cargo.toml": '[package]\nname = "m"\n',
            "src/lib.rs": "struct Lid { wide: u32 }\nenum Kind { Tall { high: u32 } }\n"
            "fn f(lid: Lid, kind: Kind) {\n    let Lid { wide } = lid;\n"
            "    if let Some(Kind::Tall { high }) = g() {}\n"
            "    let k = Kind::Tall { high: 2 };\n"
            "    assert!(matches!(k, Kind::Tall { high: 2, .. }));\n}\n",
        },
        "src/lib.rs",
        {
            (4, "Lid.wide"), (5, "Kind.Tall.high"), (6, "Kind.Tall.high"), (7, "Kind.Tall.high"),
        },
    ),
    "rust: a constant in a text that is filled in": (
        {
            "Cargo.toml": '[package]\nname = "m"\n',
            "src/lib.rs": 'const LIMIT: u32 = 1;\nfn f() {\n    println!("at {LIMIT:>3}");\n}\n',
        },
        "src/lib.rs",
        {(3, "LIMIT")},
    ),
    "rust: a crate by another name": (
        {
            "core/Cargo.toml": '[package]\nname = "shop-core"\n',
            "core/src/lib.rs": "pub fn louder() {}\n",
            "app/Cargo.toml": '[package]\nname = "app"\n',
            "app/src/main.rs": "use shop_core as sc;\nuse shop_core::{self as other};\n"
            "fn main() {\n    sc::louder();\n    other::louder();\n}\n",
        },
        "app/src/main.rs",
        {(4, "louder"), (5, "louder")},
    ),
    "rust: a module of the program beside a library": (
        {
            "Cargo.toml": '[package]\nname = "m"\n',
            "src/lib.rs": "mod tests {\n    use super::*;\n}\npub fn open() {}\n",
            "src/main.rs": "mod tests;\nfn open() {}\nfn shut() {}\n",
            "src/tests/mod.rs": "use super::*;\nmod er;\n",
            "src/tests/er.rs": "use crate::*;\nfn f() { shut(); }\n"
            "fn g() { super::super::shut(); }\n",
        },
        "src/tests/er.rs",
        {(2, "shut"), (3, "shut")},
    ),
    "rust: what a module that stands in a file gives on, and a changing parameter": (
        {
            "Cargo.toml": '[package]\nname = "m"\n',
            "src/lib.rs": "pub mod a;\npub mod prelude {\n    pub use super::a::{Lid, open as o};\n"
            "    pub use crate::a::*;\n}\nmod b;\n",
            "src/a.rs": "pub struct Lid;\nimpl Lid { pub fn shut(&mut self) {} }\n"
            "pub fn open() {}\npub fn other() {}\n",
            "src/b.rs": "use crate::prelude::*;\nfn f(lids: Vec<Lid>) {\n    crate::prelude::o();\n"
            "    other();\n    lids.into_iter().for_each(|mut l| l.shut());\n}\n",
        },
        "src/b.rs",
        {(2, "Lid"), (3, "open"), (4, "other"), (5, "Lid.shut")},
    ),
    "rust: names out of an enumeration that is known by its own": (
        {
            "Cargo.toml": '[package]\nname = "m"\n',
            "src/lib.rs": "mod a;\npub enum Kind { One, Two }\nuse Kind::*;\nfn f() { One; }\n",
            "src/a.rs": "use super::*;\nuse Kind::Two as Second;\nfn f() {\n    use Kind::*;\n"
            "    assert_eq!(Second, One);\n}\n",
        },
        "src/a.rs",
        {(2, "Kind"), (2, "Kind.Two"), (4, "Kind"), (5, "Kind.One"), (5, "Kind.Two")},
    ),
    "rust: branches of cfg_if!": (
        {
            "Cargo.toml": '[package]\nname = "m"\n',
            "src/lib.rs": "fn near() {}\ncfg_if::cfg_if! {\n    if #[cfg(unix)] {\n"
            "        fn plat() { near(); }\n    } else {\n        fn other() { near(); }\n"
            "    }\n}\n"
            "fn f() { plat(); other(); }\n",
        },
        "src/lib.rs",
        {(4, "near"), (6, "near"), (9, "plat"), (9, "other")},
    ),
    "c: members that macros are handed behind a type": (
        {
            "a.c": "struct lid { int wide; };\nstruct box { struct lid lid; };\nint size;\n"
            "struct box *f(struct lid *l) {\n    offsetof(struct box, lid);\n"
            "    ALLOC(struct box, size);\n    return container_of(l, struct box, lid);\n}\n"
        },
        "a.c",
        {(5, "box.lid"), (6, "size"), (7, "box.lid")},
    ),
    "c++: a constant among what a template is given": (
        {
            "a.h": "namespace n {\nconstexpr int kMax = 4;\ntemplate <int N> struct Fixed {};\n}\n",
            "a.cc": '#include "a.h"\nusing namespace n;\nFixed<kMax> fixed;\n',
        },
        "a.cc",
        {(3, "n.kMax")},
    ),
    "c++: a base before a member": (
        {
            "a.h": "struct Base { virtual int area(); };\n"
            "struct Ring : Base { int area() override; };\n",
            "a.cc": '#include "a.h"\nint f(Ring &r) { return r.Base::area(); }\n',
        },
        "a.cc",
        {(2, "Base.area"), (2, "Base")},
    ),
    "c#: names from the root, in other names and in attributes without their end": (
        {
            "a.cs": "namespace S { public class Lid { public static void Make() {} }\n"
            "public class MarkAttribute : System.Attribute { public int Level { get; set; } } }\n",
            "b.cs": "using S;\nusing Lids = System.Collections.Generic.List<S.Lid>;\n"
            "class B {\n[Mark(Level = 2)]\nvoid F() { global::S.Lid.Make(); }\n}\n",
        },
        "b.cs",
        {(2, "S.Lid"), (4, "S.MarkAttribute"), (4, "S.MarkAttribute.Level"), (5, "S.Lid")},
    ),
    "c#: members that patterns name, and parameters of operators": (
        {
            "a.cs": "class Tag { public int N; }\n"
            "class Lid { public Tag Tag; public Lid Next; public string Name;\n"
            "public static Lid operator +(Lid a, Lid b) => a.Next; }\n"
            "class B { bool F(object x, Lid y) {\n"
            '    if (x is Lid { Tag: { N: 1 }, Next.Name: "y" } z) z.Next = (y ?? z).Next;\n'
            "    return y switch { { Tag: null } => true, _ => false };\n} }\n"
        },
        "a.cs",
        {
            (3, "Lid.Next"), (5, "Lid.Tag"), (5, "Tag.N"), (5, "Lid.Next"), (5, "Lid.Name"),
            (6, "Lid.Tag"),
        },
    ),
    "swift: `if let` of a name, and brackets around a choice": (
        {
            "a.swift": "class Lid { func open() {}\nlet wide = 1 }\n"
            "class Ring: Lid { let lid = Lid()\nvar sum: Int { super.wide + lid.wide } }\n"
            "func f(maybe: Lid?, other: Lid) {\n    if let maybe { maybe.open() }\n"
            "    (maybe ?? other).open()\n}\n"
        },
        "a.swift",
        {(4, "Lid.wide"), (6, "Lid.open"), (7, "Lid.open")},
    ),
    "swift: an extension on what a member of a foreign type gives": (
        {
            "a.swift": "extension URL { func isContained(in other: URL) -> Bool { true } }\n"
            "func f(folder: URL) {\n    let url = folder.appendingPathComponent(\"a\")\n"
            "    url.isContained(in: folder)\n}\n"
        },
        "a.swift",
        {(4, "URL.isContained")},
    ),
    "haskell: fields in patterns, what an import names in brackets, and `#else`": (
        {
            "A.hs": "module A where\ndata Lid = Lid { wide :: Int }\nclass Open a where\n"
            "  open :: a -> Int\n(<+>) :: Int -> Int -> Int\na <+> b = a\n",
            "B.hs": "module B where\nimport A (Lid(wide), Open(open), (<+>))\n"
            "f Lid { wide = w } = w\ng Lid{wide} = wide\n#if X\nh = 1 <+> 2\n#else\n"
            "h = 2 <+> 2\n#endif\n",
        },
        "B.hs",
        {
            (2, "Lid.Lid.wide"), (2, "Open.open"), (2, "<+>"), (3, "Lid.Lid.wide"),
            (4, "Lid.Lid.wide"), (6, "<+>"), (8, "<+>"),
        },
    ),
    "rust: functions of `proptest!`, and what their arguments are drawn from": (
        {
            "Cargo.toml": '[package]\nname = "m"\n',
            "src/lib.rs": "fn f(n: u32) {}\nfn drawn(n: u32) -> u32 { n }\nproptest! {\n"
            "    #[test]\n    fn prop(x in 0..3u32, (a, b) in drawn(1)) {\n"
            "        f(x);\n    }\n}\n",
        },
        "src/lib.rs",
        {(5, "drawn"), (6, "f")},
    ),
    "rust: members of what an object points to": (
        {
            "Cargo.toml": '[package]\nname = "m"\n',
            "src/lib.rs": "use std::ops::Deref;\npub struct Lid;\n"
            "impl Lid { pub fn lift(&self) {} }\n"
            "pub struct Wrap(Lid);\nimpl Deref for Wrap {\n    type Target = Lid;\n"
            "    fn deref(&self) -> &Lid { &self.0 }\n}\nfn f(w: &Wrap) { w.lift(); }\n",
        },
        "src/lib.rs",
        {(9, "Lid.lift")},
    ),
    "swift: what is given to types of elsewhere": (
        {
            "Sources/A/A.swift": "extension URL {\n"
            "    static var home: URL { URL(string: \"/\")! }\n"
            "    func folder() -> String { path }\n}\n"
            "extension String {\n    var loud: String { self }\n}\n",
            "Sources/A/B.swift": "func f() {\n    let url = URL(string: \"x\")!\n"
            "    _ = url.folder()\n"
            "    _ = URL.home.folder()\n    _ = \"a\".loud\n}\n",
        },
        "Sources/A/B.swift",
        {(3, "URL.folder"), (4, "URL.home"), (4, "URL.folder"), (5, "String.loud")},
    ),
    "swift: calls behind an operator": (
        {
            "Sources/A/A.swift": "struct Lid { func twice() -> Int { 2 } }\nfunc f() -> Int { 1 }\n"
            "func g(lid: Lid) -> Int {\n    let a = 1 + f()\n    return a + Lid().twice()\n}\n",
        },
        "Sources/A/A.swift",
        {(4, "f"), (5, "Lid"), (5, "Lid.twice")},
    ),
}  # fmt: skip
"""(files, the file with the uses, what is used where)."""

ELSE: dict[str, tuple[dict[str, str], str, Uses]] = {
    "swift: arguments of an initializer that is written out": (
        {"a.swift": "class Lid {\nlet wide: Int\ninit(wide: Int) {}\n}\nlet l = Lid(wide: 2)\n"},
        "a.swift",
        {(5, "Lid.wide")},
    ),
    "c#: the name of what an anonymous object holds": (
        {
            "a.cs": "using L = S.Lid;\nnamespace S { class Lid {}\n"
            "class B { object F(Lid lid) =>\n new { L = lid }; } }\n"
        },
        "a.cs",
        {(4, "S.Lid")},
    ),
    "c: a type by the name of a member that a macro is handed": (
        {
            "a.c": "struct lid { int wide; };\nstruct box { struct lid lid; };\n"
            "void f(void *l) {\n    container_of(l, struct box, lid);\n}\n"
        },
        "a.c",
        {(4, "lid")},
    ),
}
"""The same with what is used there no more than it seems."""

DEFINED = {
    "a.c": (
        "struct big {\n  struct lid *arr[4], **pp;\n  void *(*get)(int);\n  int (*hooks[3])(int);\n"
        "  char grid[2][2];\n};\n",
        {"big.arr", "big.pp", "big.get", "big.hooks", "big.grid"},
    ),
    "t.c": (
        "typedef int *f_fn(int);\ntypedef void *(*g_fn)(void);\ntypedef int h_fn(void);\n"
        "typedef char line_t[80];\ntypedef char **list_t;\n",
        {"f_fn", "g_fn", "h_fn", "line_t", "list_t"},
    ),
    "m.c": (
        "BPF_HASH(start, u32, u64);\nBPF_PERF_OUTPUT(events);\nstatic DEFINE_MUTEX(lock);\n"
        "MODULE_LICENSE(gpl);\n",
        {"start", "events", "lock"},
    ),
    "a.hs": (
        "module A where\ndata T a where\n  One :: T Int\n  Two, Three :: T a\n"
        "pattern Wide :: Int -> Int\npattern Wide w <- w\n",
        {"T.One", "T.Two", "T.Three", "Wide"},
    ),
    "a.zig": ("pub const Error = error{ Bad, Worse };\n", {"Error.Bad", "Error.Worse"}),
}
"""Definitions that were none, in each file."""


@pytest.mark.parametrize("case", FORMS)
def test_each_form_is_a_use(case: str) -> None:
    files, path, wanted = FORMS[case]
    assert wanted - uses(graph(files), path) == set()


@pytest.mark.parametrize("case", ELSE)
def test_what_only_looks_like_a_use_is_none(case: str) -> None:
    files, path, unwanted = ELSE[case]
    assert unwanted & uses(graph(files), path) == set()


@pytest.mark.parametrize("path", DEFINED)
def test_each_form_is_a_definition(path: str) -> None:
    text, wanted = DEFINED[path]
    assert wanted - set(names(graph({path: text}), path)) == set()
