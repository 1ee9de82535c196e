"""What answers had wrong although they were certain, as language servers told (`bench.certain`)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.graph.memory import graph, names, uses
from tests.graph.service_support import Servers, references
from tests.graph.service_support import uses as used
from tests.graph.support import Checkout

PYTHON = "class One(E):\n    def open(self): ...\nclass Two(E):\n    def open(self): ...\n"
JAVA = "class One extends E { void open() {} }\nclass Two extends E { void open() {} }\n"
CSHARP = "class One : E { void open() {} }\nclass Two : E { void open() {} }\n"

MEANT: dict[str, tuple[dict[str, str], str, int, set[str]]] = {
    "python: the second of two except clauses": (
        {"a.py": f"{PYTHON}def f():\n    try: ...\n    except One as e:\n        e.open()\n"
         "    except Two as e:\n        e.open()\n"},
        "a.py", 10, {"Two.open"},
    ),
    "python: a name that with binds again": (
        {"a.py": f"{PYTHON}def f(a: One, b: Two):\n    with made() as x:\n        pass\n"
         "    x = a\n    if (x := b):\n        x.open()\n"},
        "a.py", 10, {"Two.open"},
    ),
    "java: the second of two catch clauses": (
        {"A.java": f"{JAVA}class A {{ void f() {{\n  try {{ }} catch (One e) {{ e.open(); }}\n"
         "  catch (Two e) { e.open(); }\n} }\n"},
        "A.java", 5, {"Two", "Two.open"},
    ),
    "java: a resource of another try": (
        {"A.java": f"{JAVA}class A {{ void f() {{\n  try (One r = new One()) {{ r.open(); }}\n"
         "  try (Two r = new Two()) { r.open(); }\n} }\n"},
        "A.java", 5, {"Two", "Two.open"},
    ),
    "csharp: the second of two catch clauses": (
        {"a.cs": f"{CSHARP}class A {{ void f() {{\n  try {{ }} catch (One e) {{ e.open(); }}\n"
         "  catch (Two e) { e.open(); }\n} }\n"},
        "a.cs", 5, {"Two", "Two.open"},
    ),
    "php: the second of two catch clauses": (
        {"a.php": "<?php\nclass One extends E { function open() {} }\n"
         "class Two extends E { function open() {} }\nfunction f() {\n"
         "  try { } catch (One $e) { $e->open(); }\n  catch (Two $e) { $e->open(); }\n}\n"},
        "a.php", 6, {"Two", "Two.open"},
    ),
    "cpp: what another condition declares": (
        {"a.cpp": "struct One { void open(); };\nstruct Two { void open(); };\nvoid f() {\n"
         "  if (One* p = nullptr) { p->open(); }\n  if (Two* p = nullptr) { p->open(); }\n}\n"},
        "a.cpp", 5, {"Two", "Two.open"},
    ),
    "go: what another if declares": (
        {"go.mod": "module m\n", "a.go": "package m\ntype One struct{}\nfunc (o *One) open() {}\n"
         "type Two struct{}\nfunc (o *Two) open() {}\nfunc f(a *One, b *Two) {\n"
         "\tif v := a; v != nil { v.open() }\n\tif v := b; v != nil { v.open() }\n}\n"},
        "a.go", 8, {"Two.open"},
    ),
    "python: a default that has the name of its parameter": (
        {"a.py": "timeout = 5\ndef f(timeout=timeout, f=lambda: 1):\n    return timeout\n"},
        "a.py", 2, {"timeout"},
    ),
    "python: a type that has the name of its parameter": (
        {"a.py": "class box: ...\ndef f(box: box) -> box:\n    return box\n"},
        "a.py", 2, {"box"},
    ),
    "python: a decorator that the class defines": (
        {"a.py": "class A:\n    def kept(f): ...\n    @kept\n    def g(self): ...\n"},
        "a.py", 3, {"A.kept"},
    ),
    "python: a property that has a setter": (
        {"a.py": "class A:\n    @property\n    def size(self): ...\n    @size.setter\n"
         "    def size(self, to): ...\nclass B:\n    def setter(self): ...\n"},
        "a.py", 4, {"A.size"},
    ),
    "python: a default that the class defines": (
        {"a.py": "SIZE = 1\nclass A:\n    SIZE = 2\n    def g(self, size=SIZE): ...\n"},
        "a.py", 4, {"A.SIZE"},
    ),
    "python: what a class takes its own value from": (
        {"a.py": "size = 1\nclass A:\n    size = size\n"}, "a.py", 3, {"size"},
    ),
    "python: a parameter of a type that the class defines": (
        {"a.py": "class A:\n    class Lid:\n        def open(self): ...\n"
         "    def g(self, lid: Lid):\n        lid.open()\n"},
        "a.py", 5, {"A.Lid.open"},
    ),
    "python: an argument of what __new__ takes": (
        {"a.py": "class Token(str):\n    line: int\n    def __new__(cls, line): ...\n"
         "Token(line=1)\n"},
        "a.py", 4, {"Token"},
    ),
    "python: a package that does not say that it is one": (
        {"app/core.py": "class Box: ...\n",
         "app/ext.py": "from . import core as html\nclass Lid(html.Box): ...\n"},
        "app/ext.py", 2, {"", "Box"},
    ),
    "python: an element of a list of pairs": (
        {"a.py": "from typing import List, Tuple\nclass Box:\n    def fold_up(self): ...\n"
         "def f(all: List[Tuple[Box, int]]):\n    all[0][0].fold_up()\n"},
        "a.py", 5, {"Box.fold_up"},
    ),
    "python: what a list of mappings holds may be anything": (
        {"a.py": "class Box:\n    def fold_up(self): ...\ndef f(rows: list[dict]):\n"
         "    rows[0]['box'].fold_up()\n"},
        "a.py", 4, {"Box.fold_up"},
    ),
    "python: a name that another module brings where the first is not there": (
        {
            "stub.py": "class Locale:\n    def parse(): ...\n",
            "a.py": "try:\n    from babel import Locale\nexcept ImportError:\n"
            "    from stub import Locale\nLocale.parse()\n",
        },
        "a.py",
        5,
        {"Locale", "Locale.parse"},
    ),
    "python: what a function imports is not meant outside": (
        {
            "stub.py": "class Locale: ...\n",
            "a.py": "from babel import Locale\ndef f():\n    from stub import Locale\nLocale()\n",
        },
        "a.py",
        4,
        set(),
    ),
    "python: a name that resembles one class and has all of another's": (
        {
            "a.py": "class Config:\n    def check(self): ...\n"
            "class BaseConfigOption:\n    def check(self): ...\n"
            "def f(config_option):\n    config_option.check()\n"
        },
        "a.py",
        6,
        set(),
    ),
    "php: a namespace of the root that is opened": (
        {
            "a.php": "<?php\nnamespace Nette;\nclass Broken {}\n",
            "b.php": "<?php\nnamespace Nette\\Utils;\nuse Nette;\nnew Nette\\Broken();\n",
        },
        "b.php",
        4,
        {"Broken"},
    ),
    "php: a variable that is called parent": (
        {"a.php": "<?php\nclass Base { function open() {} }\nclass Box extends Base {\n"
         "  function open() { parent::open(); }\n"
         "  function f(?Box $parent) {\n    $parent->open();\n    $it = $parent; $it->open();\n"
         "  }\n}\n"},
        "a.php", 6, {"Box.open"},
    ),
    "typescript: a test's package that has the name of the project's": (
        {"package.json": '{"name": "shop", "exports": {".": "./dist/index.js"}}',
         "test/data/package.json": '{"name": "shop"}',
         "src/index.ts": "export class Box { open() {} }\n",
         "test/unit/a.ts": 'import { Box } from "shop";\nnew Box().open();\n'},
        "test/unit/a.ts", 2, {"Box", "Box.open"},
    ),
}  # fmt: skip
"""(files, path, line, all that is used there)."""


@pytest.mark.parametrize("case", MEANT)
def test_a_line_uses_what_a_server_says(case: str) -> None:
    files, path, line, meant = MEANT[case]
    assert {name for at, name in uses(graph(files), path) if at == line} == meant


def test_a_constant_of_a_namespace_is_none_of_the_file() -> None:
    made = graph({"a.ts": "export namespace Kind {\n  export const All = 1;\n}\n"})
    assert names(made, "a.ts") == ["Kind", "Kind.All"]


async def test_a_declaration_of_another_file_is_another_thing(tmp_path: Path) -> None:
    made = await Checkout.open(tmp_path)
    await made.write(
        {
            "a.ts": "export type Box = string;\n",
            "b.d.ts": "export interface Box { open: number }\nexport const box: Box;\n",
        }
    )
    answer = await made.service(Servers(runs=False)).ask(references("a.ts:Box"), used, uses=True)
    await made.close()
    assert not answer.results
