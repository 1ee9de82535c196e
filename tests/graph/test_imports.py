"""Imports that are computed, mapped and recorded, and those that mean no file."""

from __future__ import annotations

import json

from surveyor.graph.extract.file_graph import parse_with_graph
from surveyor.graph.facts import decode_blobs, decode_facts
from tests.graph.memory import edges, graph, imports

DYNAMIC = """
import importlib
import importlib.util
import os
from importlib.machinery import SourceFileLoader
from pathlib import Path

NAME = "plugins"
HERE = os.path.dirname(__file__)

importlib.import_module("plugins.one")
importlib.import_module(NAME + ".two")
importlib.import_module(f"{NAME}.one")
importlib.util.spec_from_file_location("x", os.path.join(HERE, "plugins", "two.py"))
SourceFileLoader("x", str(Path(__file__).parent / "plugins" / "one.py"))
for kind in ("two", "one"):
    importlib.import_module("plugins." + kind)
importlib.import_module(input())
__import__("plugins.two")
"""


def test_dynamic_imports_with_constant_arguments() -> None:
    files = {"app.py": DYNAMIC, "plugins/__init__.py": "", "plugins/one.py": "a = 1",
             "plugins/two.py": "b = 1"}  # fmt: skip
    made = graph(files)
    dynamic = [i for i in made.resolutions["app.py"].imports if i.kind == "dynamic"]
    assert [i.target for i in dynamic] == [
        "plugins/one.py",
        "plugins/two.py",
        "plugins/one.py",
        "plugins/two.py",
        "plugins/one.py",
        "plugins/one.py",  # of several candidates the first in order, every run
        "",
        "plugins/two.py",
    ]
    assert "input() is not computed" in dynamic[6].reason
    assert made.resolutions["app.py"].imports == graph(files).resolutions["app.py"].imports


def test_of_two_sides_of_a_condition_the_first_that_exists_is_taken() -> None:
    made = graph(
        {
            "app.py": """
                import importlib, os
                kind = "two" if os.name else "absent"
                importlib.import_module(f"plugins.{kind}")
                """,
            "plugins/two.py": "b = 1",
            "main.ts": """
                const which = (process.env.X ? "home" : "about") as string;
                import(`./pages/${which}`);
                """,
            "pages/home.ts": "export default 1",
            "pages/about.ts": "export default 2",
        }
    )
    assert ("plugins.absent", "plugins/two.py", "") in imports(made, "app.py")
    assert [target for _, target, _ in imports(made, "main.ts")] == ["pages/about.ts"]


def test_javascript_dynamic_imports() -> None:
    made = graph(
        {
            "a.js": """
                const path = require('path')
                const kind = 'one'
                import('./mods/' + kind + '.js')
                import(`./mods/${kind}.js`)
                require(path.join(__dirname, 'mods', 'one'))
                require(process.argv[2])
                """,
            "mods/one.js": "exports.x = 1",
        }
    )
    found = [i for i in made.resolutions["a.js"].imports if i.kind == "dynamic"]
    assert [i.target for i in found] == ["mods/one.js"] * 3 + [""]
    assert found[3].reason


def test_dynamic_imports_of_paths_joined_in_other_ways() -> None:
    made = graph(
        {
            "a.mjs": """
                import { join } from 'node:path'
                import(join(import.meta.dirname, 'mods', 'one.mjs'))
                import(new URL('./mods/one.mjs', import.meta.url))
                import(new URL('./mods/one.mjs', import.meta.url).href)
                import(names.join('/'))
                """,
            "b.py": """
                from importlib.util import spec_from_file_location
                from os.path import dirname, join
                from pathlib import Path
                spec_from_file_location("x", join(dirname(__file__), "mods", "two.py"))
                spec_from_file_location("x", Path(__file__).parent.joinpath("mods", "two.py"))
                """,
            "mods/one.mjs": "export const x = 1",
            "mods/two.py": "x = 1",
        }
    )
    found = [i for i in made.resolutions["a.mjs"].imports if i.kind == "dynamic"]
    assert [i.target for i in found] == ["mods/one.mjs"] * 3 + [""] and found[3].reason
    found = [i for i in made.resolutions["b.py"].imports if i.kind == "dynamic"]
    assert [i.target for i in found] == ["mods/two.py"] * 2


def test_names_that_package_json_declares() -> None:
    made = graph(
        {
            "package.json": """
                {"name": "top", "imports": {"#db": "./lib/db.js", "#parts/*": "./lib/*.js"}}
                """,
            "lib/db.js": "export function connect() {}",
            "lib/one.js": "export function one() {}",
            "packages/kit/package.json": """
                {"name": "@top/kit", "exports": {
                  ".": {"types": "./dist/index.d.ts", "default": "./dist/index.js"},
                  "./tools": "./dist/deep/tools.js", "./x/*": {"import": "./build/*.mjs"}}}
                """,
            "packages/kit/src/index.ts": "export function kit() {}",
            "packages/kit/src/deep/tools.ts": "export function tool() {}",
            "packages/kit/src/thing.mts": "export function thing() {}",
            "app/main.js": """
                import { connect } from '#db'
                import { one } from '#parts/one'
                import { kit } from '@top/kit'
                import { tool } from '@top/kit/tools'
                import { thing } from '@top/kit/x/thing'
                import { gone } from '#gone'
                connect(); one(); kit(); tool(); thing()
                """,
        }
    )
    found = {target for source, _, target in edges(made) if source == "app/main.js"}
    assert found >= {
        "lib/db.js::connect", "lib/one.js::one", "packages/kit/src/index.ts::kit",
        "packages/kit/src/deep/tools.ts::tool", "packages/kit/src/thing.mts::thing",
    }  # fmt: skip
    missing = [i for i in made.resolutions["app/main.js"].imports if not i.target]
    assert [(i.module, bool(i.reason)) for i in missing] == [("#gone", True)]


def test_aliases_of_a_split_tsconfig() -> None:
    made = graph(
        {
            "tsconfig.json": '{"files": [], "references": [{"path": "./tsconfig.app.json"}]}',
            "tsconfig.app.json": '{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}',
            "src/tool.ts": "export function tool() {}",
            "src/deep/main.ts": "import { tool } from '@/tool'\ntool()",
        }
    )
    assert ("src/deep/main.ts", "", "src/tool.ts::tool") in edges(made)


def test_an_import_map_and_traces_say_what_reading_cannot() -> None:
    made = graph(
        {
            "surveyor.import_map.json": json.dumps(
                {
                    "targets": {"virtual:*": "src/virtual/*.ts"},
                    "expand": {"import(`./pages/${page}`)": ["src/pages/*.ts"]},
                }
            ),
            "import_traces.jsonl": '{"source": "src/main.ts", "target": "src/late.ts"}\nbroken\n',
            "src/main.ts": "import { v } from 'virtual:conf'\nimport(`./pages/${page}`)\nv()\n",
            "src/virtual/conf.ts": "export function v() {}\n",
            "src/pages/a.ts": "export const a = 1\n",
            "src/pages/b.ts": "export const b = 1\n",
            "src/late.ts": "export const c = 1\n",
        }
    )
    assert ("src/main.ts", "", "src/virtual/conf.ts::v") in edges(made)
    targets = [target for _, target, _ in imports(made, "src/main.ts")]
    assert targets == ["src/virtual/conf.ts", "src/pages/a.ts", "src/pages/b.ts", "src/late.ts"]


def test_what_is_not_found_is_listed_with_its_reason() -> None:
    made = graph({"a.ts": "import x from './gone'\nimport React from 'react'\n"})
    assert [(m, r) for m, _, r in imports(made, "a.ts")] == [
        ("./gone", "no file of the project matches"),
        ("react", "not in this project (installed or standard library)"),
    ]


def test_imports_by_call_beyond_the_limit_are_listed_as_not_scanned() -> None:
    text = 'require("./a" + ".js");\nimport("./" + "b.js");\n'
    parsed = parse_with_graph("x.js", text.encode(), import_scan_limit=1)
    links = decode_facts(decode_blobs(parsed.graph).facts).imports
    assert [(link.line, bool(link.reason)) for link in links] == [(1, False), (2, True)]
    assert "not scanned" in links[1].reason


def test_rust_modules_by_path_and_included_files_by_parts() -> None:
    made = graph(
        {
            "src/lib.rs": """
                #[path = "odd_name.rs"]
                mod odd;
                include!(concat!("gen", "erated.rs"));
                include!(concat!(env!("OUT_DIR"), "/out.rs"));
                fn go() { odd::strange(); }
                """,
            "src/odd_name.rs": "pub fn strange() {}\n",
            "src/generated.rs": "fn made() {}\n",
        }
    )
    found = {(i.target, i.reason) for i in made.resolutions["src/lib.rs"].imports}
    assert found == {
        ("src/odd_name.rs", ""),
        ("src/generated.rs", ""),
        ("", "the argument of the macro is known when it is built only"),
    }
    assert ("src/lib.rs", "go", "src/odd_name.rs::strange") in edges(made)


def test_what_a_package_exports_comes_before_a_declaration_that_lies_beside_it() -> None:
    made = graph(
        {
            "packages/kit/package.json": """
                {"name": "@top/kit", "exports": {"./env": {"types": "./dist/env.d.ts"}}}
                """,
            "packages/kit/env.d.ts": "export * from './dist/env.js'\n",
            "packages/kit/src/env.ts": "export interface Env { read(): void }\n",
            "packages/app/one.ts": """
                import type { Env } from '@top/kit/env'
                export class One implements Env { read() {} }
                """,
            "packages/kit/own.ts": """
                import type { Env } from './env'
                export class Own implements Env { read() {} }
                """,
        }
    )
    found = edges(made)
    assert ("packages/app/one.ts", "One", "packages/kit/src/env.ts::Env") in found
    assert ("packages/kit/own.ts", "Own", "packages/kit/src/env.ts::Env") in found
