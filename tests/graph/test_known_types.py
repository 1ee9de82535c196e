"""Members of receivers whose type is the language's own, or whose name it has a member of."""

from __future__ import annotations

import pytest

from tests.graph.memory import edges, graph

GO_MOD = "module a.b/c\n"
DECLARED = {
    "python": (
        {"box.py": "class Box:\n    def fold_up(self): ...\n"},
        "use.py",
        """
        import pathlib
        def run(a: str, b: str | None, c: dict[str, int], d: list[str], p: pathlib.Path, *, n: int):
            {}
        def give() -> str: ...
        """,
        ["a", "b", "c", "d", "d[0]", "p", "n", "give()", "a.strip()"],
        "{}.fold_up()",
        "Box.fold_up",
    ),
    "typescript": (
        {"box.ts": "export class Box { foldUp() {} }\n"},
        "use.ts",
        """
        function give(): string { return ""; }
        export function run(a: string, b: string | null, c: string[], d: Map<string, string>) {
            {};
        }
        """,
        ["a", "b", "a!", "c", "c[0]", 'd.get("")', "give()", "a.trim()"],
        "{}.foldUp()",
        "Box.foldUp",
    ),
    "go": (
        {"go.mod": GO_MOD,
         "box/box.go": "package box\ntype Box struct{}\nfunc (b *Box) Fold() {}\n"},
        "main.go",
        """
        package main
        import ("strings"; "time")
        type K struct { all []strings.Builder; by map[string]time.Duration }
        func give() strings.Builder { return *new(strings.Builder) }
        func run(a string, b *strings.Builder, k K, e error) {
            {}
        }
        """,
        ["a", "b", "e", "k.all[0]", 'k.by["a"]', "give()"],
        "{}.Fold()",
        "Box.Fold",
    ),
    "java": (
        {"a/Box.java": "package a;\npublic class Box { public void fold() {} }\n"},
        "a/Use.java",
        """
        package a;
        import java.util.*;
        class Use {
            String name; List<String> names;
            String give() { return ""; }
            void run(String s, Map<String, String> m, String... rest) {
                {};
            }
        }
        """,
        ["s", "name", "this.name", "names.get(0)", "give()", "m", "s.trim()"],
        "{}.fold()",
        "Box.fold",
    ),
    "csharp": (
        {"Box.cs": "namespace A;\npublic class Box { public void Fold() {} }\n"},
        "Use.cs",
        """
        using System.Collections.Generic;
        namespace A;
        class Use {
            string name; List<string> items; string Give() => "";
            void Run(string s, string? n, Dictionary<string, int> d) {
                {};
            }
        }
        """,
        ["s", "n!", "name", "this.name", "items", "items[0]", "d", "Give()", "s.Trim()"],
        "{}.Fold()",
        "Box.Fold",
    ),
    "rust": (
        {"src/lib.rs": "mod shop;\nmod run;\n", "src/shop.rs": """
            pub struct Shop;
            impl Shop { pub fn fold_up(&self) {} }
            """},
        "src/run.rs",
        """
        fn run(a: &str, b: String, c: Vec<u8>, d: &[u8], e: &mut Vec<String>) {
            let f: Vec<_> = vec![];
            {};
        }
        """,
        ["a", "b", "c", "d", "e", "f", "c[0]"],
        "{}.fold_up()",
        "Shop.fold_up",
    ),
    "kotlin": (
        {"Box.kt": "package a\nclass Box { fun fold() {} }\n"},
        "Use.kt",
        """
        package a
        class Use(val name: String) {
            fun run(s: String, n: String?, l: List<String>) {
                {}
            }
        }
        """,
        ["s", "n!!", "name", "l"],
        "{}.fold()",
        "Box.fold",
    ),
}  # fmt: skip


@pytest.mark.parametrize("language", DECLARED)
def test_a_type_of_the_language_has_no_member_of_the_project(language: str) -> None:
    files, path, body, receivers, call, member = DECLARED[language]
    for receiver in receivers:
        made = graph({**files, path: body.replace("{}", call.replace("{}", receiver), 1)})
        used = {target.partition("::")[2] for _, _, target in edges(made, 0)}
        assert member not in used, receiver


KEPT = {
    "use.py": (
        {"box.py": "class Box:\n    def fold_up(self): ...\n"},
        """
        from typing import Any
        def run(a, b: Any, c: dict, d: list):
            a.fold_up()
            b.fold_up()
            c["a"].fold_up()
            for each in d:
                each.fold_up()
        """,
        [4, 5, 6, 8],
        "Box.fold_up",
    ),
    "a/Use.java": (
        {"a/Box.java": "package a;\npublic class Box { public void fold() {} }\n"},
        """
        package a;
        class Use {
            java.util.Map<String, Box> boxes;
            void run(Map<String, Box> m, Optional<Box> o) {
                m.get("a").fold();
                o.get().fold();
                this.boxes.get("a").fold();
            }
        }
        """,
        [6, 7, 8],
        "Box.fold",
    ),
}


@pytest.mark.parametrize("path", KEPT)
def test_what_comes_of_a_collection_may_be_of_the_project(path: str) -> None:
    files, body, lines, member = KEPT[path]
    made = graph({**files, path: body})
    found = {e.line for e in made.resolutions[path].edges if e.target.qualname == member}
    assert found == set(lines)


@pytest.mark.parametrize(
    ("files", "name"),
    [
        ({"box.py": "class Shop:\n    def casefold(self): ...\n    def weigh(self): ...\n",
          "use.py": "def run(a):\n    a.casefold()\n    a.weigh()\n"}, "casefold"),
        ({"box.js": "export class Shop { padStart() {} weigh() {} }\n",
          "use.js": "export function run(a) { a.padStart(1); a.weigh(); }\n"}, "padStart"),
        ({"box.rb": "class Shop\n  def squeeze; end\n  def weigh; end\nend\n",
          "use.rb": "def run(a)\n  a.squeeze\n  a.weigh\nend\n"}, "squeeze"),
        ({"box.php": "<?php class Shop { function fetchAll() {} function weigh() {} }\n",
          "use.php": "<?php function run($a) { $a->fetchAll(); $a->weigh(); }\n"}, "fetchAll"),
    ],
    ids=["python", "javascript", "ruby", "php"],
)  # fmt: skip
def test_a_name_that_standard_types_have_is_never_sure_of_an_unknown(
    files: dict[str, str], name: str
) -> None:
    made = graph(files)
    sure = {target.partition("::")[2] for _, _, target in edges(made)}
    guessed = {target.partition("::")[2] for _, _, target in edges(made, 0.25)}
    assert f"Shop.{name}" in guessed - sure
    assert "Shop.weigh" in sure


def test_a_type_that_lacks_a_member_and_has_bases_from_elsewhere_guesses_it_only() -> None:
    made = graph(
        {
            "box.py": "class Box:\n    def weigh(self): ...\n",
            "use.py": "import lib\nclass Use(lib.Base):\n    def run(self): self.weigh()\n",
        }
    )
    assert ("use.py", "Use.run", "box.py::Box.weigh") not in edges(made)
    assert ("use.py", "Use.run", "box.py::Box.weigh") in edges(made, 0.25)


def test_what_the_project_gives_to_the_languages_own_types_is_used() -> None:
    made = graph(
        {
            "src/lib.rs": """
                pub trait Loud { fn shout_it(&self); }
                impl Loud for String { fn shout_it(&self) {} }
                fn run(a: String) { a.shout_it(); }
                """,
            "loud.js": "String.prototype.shoutIt = function () {};\n",
            "use.ts": "export function run(a: string) { a.shoutIt(); }\n",
            "Ext.cs": """
                namespace A;
                static class Ext { public static void ShoutIt(this string s) {} }
                class Use { void Run(string s) { s.ShoutIt(); } }
                """,
            "Ext.kt": """
                package a
                fun String.shoutLoud() {}
                fun run(s: String) { s.shoutLoud() }
                """,
            "core.rb": """
                class String
                  def shout_now; end
                end
                def run(a) a.shout_now end
                """,
        }
    )
    found = edges(made)
    assert ("src/lib.rs", "run", "src/lib.rs::String.shout_it") in found
    assert ("use.ts", "run", "loud.js::String.shoutIt") in found
    assert ("Ext.cs", "Use.Run", "Ext.cs::Ext.ShoutIt") in found
    assert ("Ext.kt", "run", "Ext.kt::shoutLoud") in found
    assert ("core.rb", "run", "core.rb::String.shout_now") in found
