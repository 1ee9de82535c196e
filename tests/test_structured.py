"""What a stranger wrote into a manifest is tolerated, whatever its shape, depth and size."""

from __future__ import annotations

import contextlib
import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surveyor import config
from surveyor.files.structured import StructureError, mapping, parse_json, parse_toml
from surveyor.formats import ExtractionError
from surveyor.formats.notebook import read as read_notebook
from surveyor.graph.languages.ecmascript.modules import ScriptModules
from surveyor.graph.languages.go.modules import GoPackages
from surveyor.graph.languages.rust.modules import RustModules
from surveyor.graph.resolve.hints import Hints
from surveyor.graph.resolve.tree import Tree
from surveyor.knowledge.dependencies import PackageFolders, detect

KEYS = (
    "tool", "surveyor", "poetry", "group", "dependencies", "project", "optional-dependencies",
    "dependency-groups", "packages", "dev-packages", "package", "workspace", "target", "lib",
    "name", "version", "path", "source", "compilerOptions", "paths", "baseUrl", "extends",
    "exports", "imports", "main", "targets", "expand", "cells", "worksheets", "metadata",
    "kernelspec", "language_info", "language", "cell_type", "indexing", "watching", "search",
    "patterns", "max_file_size", "*", ".", "@a/*", "#x",
)  # fmt: skip
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-9, 9), st.floats(allow_nan=False), st.text(max_size=8),
    st.sampled_from(("../../..", "./x.json", "a\0b", "/etc", "n" * 300, "code", "python")),
)  # fmt: skip
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(KEYS), inner, max_size=5)
    ),
    max_leaves=12,
)
BOMBS = {
    "brackets": "a = " + "[" * 50_000,
    "closed brackets": "a = " + "[" * 50_000 + "]" * 50_000,
    "tables": "a = " + "{a = " * 50_000,
    "dotted key": ".".join("a" * 60_000) + " = 1",
    "dotted table": "[" + ".".join("a" * 60_000) + "]",
    "no table": 'tool = "x"',
    "a list": "tool = [1, [2, {a = 3}]]\nproject = []\npackage = 1\nlib = true",
    "long": "# " + "x" * (5 << 20),
    "number": "a = " + "9" * 100_000,
    "nul": "a = \0",
}
JSON_BOMBS = {
    "brackets": "[" * 50_000,
    "closed brackets": "[" * 50_000 + "]" * 50_000,
    "objects": '{"a":' * 50_000,
    "deep enough for Python": "[" * 500 + "]" * 500,
    "a list": "[1, 2]",
    "a number": "3",
    "number": "9" * 100_000,
    "open comments": "/*" * 400_000,
    "open strings": '"\\' * 400_000,
    "commas": "," * 400_000,
}


def one_folder(texts: dict[str, str]) -> Tree:
    """A checkout that holds the given files."""
    return Tree(dict.fromkeys([*texts, "src/main.ts", "src/lib.rs", "main.go"], ""), texts.get)


def toml_of(value: Any) -> str:
    """A value as TOML; what TOML cannot say is left out."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    def kept(inner: Any) -> Any:
        if isinstance(inner, dict):
            return {k: kept(v) for k, v in inner.items() if v is not None}
        if isinstance(inner, list):
            return [kept(v) for v in inner if v is not None]
        return inner

    try:
        return tomlkit.dumps(kept(value) if isinstance(value, dict) else {})
    except (TOMLKitError, ValueError, TypeError):
        return ""


def resolve_all(texts: dict[str, str]) -> None:
    tree = one_folder(texts)
    scripts = ScriptModules(tree)
    for module in ("@a/b", "pkg/x", "#x"):
        scripts.module(module, "src/main.ts")
    RustModules(tree).crates()
    GoPackages(tree).module("example.org/m/x", "main.go")


def read_all(folder: Path, toml: str, js: str) -> None:
    """What reads manifests, over files with these texts."""
    for name in ("pyproject.toml", "surveyor.toml", "Pipfile", "Cargo.toml", "Cargo.lock"):
        (folder / name).write_text(toml, encoding="utf-8")
    for name in ("package.json", "tsconfig.json"):
        (folder / name).write_text(js, encoding="utf-8", errors="replace")
    loaded = config.load(folder)
    assert loaded.settings.indexing.max_file_size
    assert isinstance(detect(folder, PackageFolders(cargo_home=folder), transitive=True), list)
    assert isinstance(detect(folder, PackageFolders()), list)
    resolve_all({"package.json": js, "tsconfig.json": js, "jsconfig.json": js, "Cargo.toml": toml})
    Hints.read(js, js, ["src/main.ts"]).mapped("src/main.ts", "@a/b")
    with contextlib.suppress(ExtractionError):
        read_notebook(js.encode("utf-8", "replace"), "it")


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SURVEYOR_CONFIG", str(tmp_path / "none.toml"))


@settings(max_examples=150)
@given(VALUES, VALUES)
def test_any_value_may_stand_where_a_table_is_expected(
    tmp_path_factory: pytest.TempPathFactory, toml: Any, js: Any
) -> None:
    read_all(tmp_path_factory.mktemp("shapes"), toml_of(toml), json.dumps(js))


@settings(max_examples=150)
@given(st.sampled_from(KEYS), st.sampled_from(KEYS), VALUES)
def test_known_keys_may_hold_anything(
    tmp_path_factory: pytest.TempPathFactory, outer: str, key: str, value: Any
) -> None:
    whole = {outer: {key: value}}
    read_all(tmp_path_factory.mktemp("keys"), toml_of(whole), json.dumps(whole))


@pytest.mark.parametrize("name", BOMBS)
def test_a_toml_bomb_is_read_as_nothing_at_once(tmp_path: Path, name: str) -> None:
    began = time.process_time()
    read_all(tmp_path, BOMBS[name], "{}")
    assert time.process_time() - began < 10  # seconds of what took minutes, or for ever


@pytest.mark.parametrize("name", JSON_BOMBS)
def test_a_json_bomb_is_read_as_nothing_at_once(tmp_path: Path, name: str) -> None:
    began = time.process_time()
    read_all(tmp_path, "", JSON_BOMBS[name])
    assert time.process_time() - began < 10


def test_a_go_module_file_of_blanks_is_read_at_once(tmp_path: Path) -> None:
    began = time.process_time()
    for text in ("\n" * 500_000, "require " + "a." * 200_000, "a.b v1\n" * 10):
        (tmp_path / "go.mod").write_text(text)
        detect(tmp_path, PackageFolders())
        resolve_all({"go.mod": text})
    assert time.process_time() - began < 10


def test_tsconfigs_that_extend_each_other_are_read_once() -> None:
    many = {"extends": ["./tsconfig.json", *(f"./c{n}.json" for n in range(200))]}
    texts = {f"c{n}.json": json.dumps(many) for n in range(200)}
    texts["tsconfig.json"] = json.dumps({**many, "compilerOptions": {"paths": {"@a/*": ["src/*"]}}})
    began = time.process_time()
    found, _ = ScriptModules(one_folder(texts)).module("@a/main", "src/main.ts")
    assert [each.path for each in found] == ["src/main.ts"]
    assert time.process_time() - began < 5


def test_a_name_that_leads_elsewhere_is_no_package(tmp_path: Path) -> None:
    project = tmp_path / "work"
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "package.json").write_text('{"version": "1"}')
    (project / "node_modules").mkdir(parents=True)
    (project / "package.json").write_text(json.dumps({"dependencies": {"../../outside": "*"}}))
    (project / "Cargo.toml").write_text('[dependencies]\n"../../outside" = "1"\n')
    (project / "Cargo.lock").write_text(
        '[[package]]\nname = "../../outside"\nversion = "1"\nsource = "x"\n'
    )
    (project / "go.mod").write_text("module m\nrequire ../../outside.x v1\n")
    assert detect(project, PackageFolders()) == []


def test_a_section_that_is_no_table_leaves_the_users_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text("[indexing]\nmax_file_size = 12345\n")
    monkeypatch.setenv("SURVEYOR_CONFIG", str(mine))
    (tmp_path / "surveyor.toml").write_text("indexing = 3\n")
    loaded = config.load(tmp_path)
    assert loaded.settings.indexing.max_file_size == 12345
    assert any("[indexing] is not a table" in warning for warning in loaded.warnings)


def test_limits_say_what_is_wrong() -> None:
    assert mapping(parse_toml("a.b = 1")) == {"a": {"b": 1}}
    assert parse_json("[[1]]") == [[1]]
    for text in ("[" * 50_000, "[" * 200 + "]" * 200):
        with pytest.raises(StructureError, match="nested"):
            parse_json(text)
    with pytest.raises(StructureError, match="parts"):
        parse_toml(".".join("a" * 60_000) + " = 1")
