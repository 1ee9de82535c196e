"""What differs by language: each folder by itself, and that nothing else names a language."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

import surveyor.graph
from surveyor.graph.languages import described, traits_of
from surveyor.graph.languages.traits import Traits
from surveyor.graph.resolve.tree import EXTERNAL, MISSING, Tree
from surveyor.graph.resolve.values import Value
from surveyor.parsing.languages import languages

GRAPH = Path(surveyor.graph.__file__).parent
_COMPARED = re.compile(
    r"language(\.name)?\s*(==|!=|in \(|not in \()|family\s*(==|!=|in|not in) [\"(]"
)


def tree_of(*paths: str, **texts: str) -> Tree:
    """A checkout with these files; `go_mod` and its like are manifests at the root."""
    manifests = {name.replace("_", "."): text for name, text in texts.items()}
    return Tree(dict.fromkeys([*paths, *manifests], ""), manifests.get)


@pytest.mark.parametrize("folder", sorted(set(described().values())))
def test_a_folder_describes_the_languages_that_it_says(folder: str) -> None:
    package = import_module(f"surveyor.graph.languages.{folder}")
    traits = import_module(f"surveyor.graph.languages.{folder}.traits").TRAITS
    assert sorted(traits) == sorted(package.LANGUAGES)
    assert all(traits_of(language) is traits[language] for language in traits)


def test_a_language_without_a_folder_is_a_family_by_itself() -> None:
    assert traits_of("nim") == Traits(family="nim")
    assert Traits(family="nim").modules(tree_of("a.nim")).module("a", "b.nim") == ([], EXTERNAL)


def test_every_language_with_symbols_says_what_it_uses() -> None:
    silent = [
        name
        for name, language in languages().items()
        if language.query_files("symbols.scm") and not language.query_files("references.scm")
    ]
    assert silent == []


@pytest.mark.parametrize("room", ["extract", "resolve"])
def test_no_language_is_named_where_all_are_read(room: str) -> None:
    named = [
        f"{path.name}: {line.strip()}"
        for path in sorted((GRAPH / room).rglob("*.py"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if _COMPARED.search(line)
    ]
    assert named == []


def test_modules_of_each_family() -> None:
    def found(language: str, tree: Tree, module: str, path: str) -> list[Value]:
        return traits_of(language).modules(tree).module(module, path)[0]

    tree = tree_of("pkg/__init__.py", "pkg/a.py", "web/b.ts", "go/c.go", "lib/d.rb", "inc/e.h",
                   go_mod="module example.org/m\n")  # fmt: skip
    assert found("python", tree, ".a", "pkg/__init__.py") == [Value("module", "pkg/a.py")]
    assert found("typescript", tree, "./b", "web/x.ts") == [Value("module", "web/b.ts")]
    assert found("go", tree, "example.org/m/go", "main.go") == [Value("package", "go:go")]
    assert found("ruby", tree, "d", "main.rb") == [Value("module", "lib/d.rb")]
    assert found("c", tree, "<e.h>", "main.c") == [Value("module", "inc/e.h")]
    assert traits_of("c").modules(tree).module('"x.h"', "main.c") == ([], MISSING)


def test_packages_that_a_file_sees() -> None:
    tree = Tree({"A.cs": "A.B", "a.go": "", "a_test.go": ""}, lambda path: None)
    assert list(traits_of("csharp").modules(tree).scopes("A.cs", "A.B")) == ["A.B", "A"]
    assert list(traits_of("java").modules(tree).scopes("A.java", "a.b")) == ["a.b"]
    go = traits_of("go").modules(tree)
    (key,) = go.scopes("a.go", "main")
    assert go.package_files(key, "a.go") == ["a.go"]
    assert go.package_files(key, "a_test.go") == ["a.go", "a_test.go"]


def test_what_a_go_package_may_be_called() -> None:
    assert traits_of("go").heads("example.org/go-chi/v5") == ["go-chi", "chi"]
