"""Forms in which a language lets one extend a type or import a file, found by writing out all of
them: each was missing where the answer said that it had them all."""

from __future__ import annotations

from pathlib import Path

import pytest

from surveyor.graph.facts import KIND_CODES
from surveyor.graph.queries import type_hierarchy
from surveyor.graph.queries.names import NameMeaning
from surveyor.graph.queries.query_context import QueryContext
from surveyor.graph.queries.questions import MatchedItems
from tests.graph.memory import graph, imports, uses
from tests.graph.service_support import Servers, references
from tests.graph.support import Checkout

_INHERITANCE = KIND_CODES["inheritance"]

PY = "class Base: ...\nclass Other: ...\n"
RB = "module Shop\n  class Base; end\nend\n"
DART = "class Base {}\nclass Drawn {}\ntypedef Both = Base;\n"
LUA = "local Base = {}\nBase.__index = Base\nreturn Base\n"
JS = "function Base() {}\nfunction Box() {}\n"
TS = "export class Base {}\nexport class Other {}\nexport function Timed(B: any) { return B }\n"
EXTENDED: dict[str, tuple[dict[str, str], str, int, str, str]] = {
    "python: by a call": (
        {"a.py": PY + "Box = type('Box', (Base,), {})\n"}, "a.py", 3, "Box", "Base",
    ),
    "python: one of two": (
        {"a.py": PY + "class Box(Base if x else Other): ...\n"}, "a.py", 3, "Box", "Other",
    ),
    "python: of a list": ({"a.py": PY + "class Box(*[Base]): ...\n"}, "a.py", 3, "Box", "Base"),
    "python: a member has the name of the module": (
        {"a.py": PY, "b.py": "import a\nclass Box(a.Base):\n    a: int\n"},
        "b.py", 2, "Box", "Base",
    ),
    "python: another name in the same file": (
        {"a.py": PY + "Same = Base\nclass Box(Same): ...\n"}, "a.py", 4, "Box", "Base",
    ),
    "ruby: by a call": (
        {"a.rb": RB + "Box = Class.new(Shop::Base) do\n  def open; end\nend\n"},
        "a.rb", 4, "Box", "Shop.Base",
    ),
    "dart: behind a prefix": (
        {"a.dart": DART, "b.dart": "import 'a.dart' as a;\nclass Box extends a.Base {}\n"},
        "b.dart", 2, "Box", "Base",
    ),
    "dart: a class that is a mixin's application": (
        {"a.dart": DART + "class Box = Base with Drawn;\n"}, "a.dart", 4, "Box", "Drawn",
    ),
    "dart: another name": (
        {"a.dart": DART + "class Box extends Both {}\n"}, "a.dart", 4, "Box", "Base",
    ),
    "kotlin: another name": (
        {"a.kt": "open class Base<T>\ntypealias Both = Base<String>\nclass Box : Both()\n"},
        "a.kt", 3, "Box", "Base",
    ),
    "kotlin: an object with its members in the line": (
        {"a.kt": "interface Lid { fun f() }\ninterface Act\n"
         "fun make() = object : Lid, Act { override fun f() {} }\n"}, "a.kt", 3, "make", "Act",
    ),
    "scala: another name of the package's object": (
        {"a/package.scala": "package object a {\n  type Both = Base[Int]\n}\n",
         "a/b.scala": "package a\nclass Base[T]\nclass Box extends Both\n"},
        "a/b.scala", 3, "Box", "Base",
    ),
    "scala: a given": (
        {"a.scala": "trait Lid { def f(): Unit }\ngiven box: Lid with\n  def f() = ()\n"},
        "a.scala", 2, "box", "Lid",
    ),
    "julia: another name": (
        {"a.jl": "abstract type Base{T} end\nconst Both = Base\nstruct Box <: Both{Int} end\n"},
        "a.jl", 3, "Box", "Base",
    ),
    "php: of the namespace": (
        {"a.php": "<?php\nnamespace A;\nclass Base {}\nclass Box extends namespace\\Base {}\n"},
        "a.php", 4, "Box", "Base",
    ),
    "lua: by its index": (
        {"base.lua": LUA, "a.lua": "local Base = require('base')\n"
         "local Box = setmetatable({}, { __index = Base })\nfunction Box:open() end\n"},
        "a.lua", 2, "Box", "Base",
    ),
    "lua: by a later call": (
        {"base.lua": LUA, "a.lua": "local Base = require('base')\nlocal Box = {}\n"
         "setmetatable(Box, Base)\n"}, "a.lua", 3, "Box", "Base",
    ),
    "javascript: a prototype that is made": (
        {"a.js": JS + "Box.prototype = Object.create(Base.prototype);\n"}, "a.js", 3, "Box", "Base",
    ),
    "javascript: an object as prototype": (
        {"a.js": JS + "Box.prototype = new Base();\n"}, "a.js", 3, "Box", "Base",
    ),
    "javascript: inherits": (
        {"a.js": JS + "util.inherits(Box, Base);\n"}, "a.js", 3, "Box", "Base",
    ),
    "typescript: what a mixin is handed": (
        {"a.ts": TS + "class Box extends Timed(Base) {}\n"}, "a.ts", 4, "Box", "Base",
    ),
    "elixir: what is used says so": (
        {"a.ex": "defmodule A.Base do\n  defmacro __using__(_) do\n    quote do\n"
         "      @behaviour A.Base\n    end\n  end\nend\n",
         "b.ex": "defmodule A.Box do\n  use A.Base\nend\n"}, "b.ex", 2, "A.Box", "A.Base",
    ),
}  # fmt: skip
USED: dict[str, tuple[dict[str, str], str, int, str]] = {
    "dart: a type behind a prefix": (
        {"a.dart": DART, "b.dart": "import 'a.dart' as a;\nvoid f(a.Base b) {}\n"},
        "b.dart", 2, "Base",
    ),
    "java: a constant of what is switched over": (
        {"Kind.java": "enum Kind { WIDE }\n",
         "A.java": "class A {\n  static final int WIDE = 1;\n  int f(Kind k) {\n"
         "    switch (k) { case WIDE: return 1; default: return 0; }\n  }\n}\n"},
        "A.java", 4, "Kind.WIDE",
    ),
    "java: a constant in scope": (
        {"A.java": "class A {\n  static final int WIDE = 1;\n  int f(int k) {\n"
         "    switch (k) { case WIDE: return 1; default: return 0; }\n  }\n}\n"},
        "A.java", 4, "A.WIDE",
    ),
    "php: a property behind a test": (
        {"a.php": "<?php\nclass Lid { function f() {} }\nclass Box {\n  private Foreign $lid;\n"
         "  function g() {\n    if (!$this->lid instanceof Lid) { throw new E; }\n"
         "    $this->lid->f();\n  }\n}\n"}, "a.php", 7, "Lid.f",
    ),
    "python: an attribute in a condition": (
        {"a.py": "class Lid:\n    def f(self): ...\nclass Other:\n    def f(self): ...\n"
         "def g(box):\n    if isinstance(box.lid, Lid):\n        box.lid.f()\n"},
        "a.py", 7, "Lid.f",
    ),
    "typescript: a property in a condition": (
        {"a.ts": "class Lid { f() {} }\nclass Other { f() {} }\n"
         "class Box { lid: any;\n  g() { if (this.lid instanceof Lid) { this.lid.f() } } }\n"},
        "a.ts", 4, "Lid.f",
    ),
    "java: a field in a condition": (
        {"Lid.java": "class Lid { void f() {} }\nclass Other { void f() {} }\n"
         "class Box { Object lid; void g() {\n"
         "  if (this.lid instanceof Lid) { this.lid.f(); } } }\n"}, "Lid.java", 4, "Lid.f",
    ),
    "ruby: a class below a module that is made by a call": (
        {"a.rb": "class Base\nend\nShop::Box = Class.new(Base) do\n  def f; end\nend\n"
         "Shop::Box.new.f\n"}, "a.rb", 6, "Shop.Box.f",
    ),
    "julia: by dots alone": (
        {"a.jl": "module A\nopen() = 1\nmodule B\nimport ..open\nend\nend\n"}, "a.jl", 4, "A.open",
    ),
    "bash: a test in one line": (
        {"a.sh": "open_box() { :; }\n", "t.bats": "load a\n@test \"opens\" { open_box; }\n"},
        "t.bats", 2, "open_box",
    ),
    "bash: ShellSpec": (
        {"a.sh": "open_box() { :; }\n", "a_spec.sh": "Include a.sh\nWhen call open_box\n"},
        "a_spec.sh", 2, "open_box",
    ),
}  # fmt: skip
IMPORTED: dict[str, tuple[str, str, str]] = {
    "dart: for another platform": (
        "b.dart", "import 'x.dart' if (dart.library.html) 'a.dart';\n", "a.dart",
    ),
    "javascript: a mock": ("b.js", "jest.mock('./a');\n", "a.js"),
    "javascript: a path": ("b.js", "const at = require.resolve('./a');\n", "a.js"),
    "lua: protected": ("b.lua", "local ok, a = pcall(require, 'a')\n", "a.lua"),
    "php: two folders up": (
        "b/c/d.php", "<?php\nrequire dirname(__DIR__, 2) . '/a.php';\n", "a.php",
    ),
    "bash: ShellSpec": ("b_spec.sh", "Include a.sh\n", "a.sh"),
}  # fmt: skip


@pytest.mark.parametrize("case", EXTENDED)
def test_what_is_extended_is_found(case: str) -> None:
    files, path, line, source, target = EXTENDED[case]
    found = {
        (edge.line, edge.source, edge.target.qualname)
        for edge in graph(files).resolutions[path].edges
        if edge.kind == _INHERITANCE
    }
    assert (line, source, target) in found


@pytest.mark.parametrize("case", USED)
def test_what_is_used_is_found(case: str) -> None:
    files, path, line, target = USED[case]
    assert (line, target) in uses(graph(files), path)


@pytest.mark.parametrize("case", IMPORTED)
def test_what_is_imported_is_found(case: str) -> None:
    path, text, target = IMPORTED[case]
    made = graph({path: text, target: "<?php\n" if target.endswith(".php") else "\n"})
    assert target in {file for _, file, _ in imports(made, path)}


async def test_what_implements_a_member_is_found_or_said(tmp_path: Path) -> None:
    """Constants of an enumeration with bodies of their own; lambdas; objects and classes that have
    all members of an interface by name."""
    made = await Checkout.open(tmp_path)
    await made.write(
        {
            "Lid.java": "interface Lid { void lift(); }\n",
            "Kind.java": "enum Kind implements Lid {\n  A { public void lift() {} };\n}\n"
            "class Use { void f(Lid lid) { f(() -> {}); } }\n",
            "door.ts": "export interface Door { shut(): void; wide?: number }\n"
            "export const near: Door = { shut() {} };\n",
        }
    )
    service = made.service(Servers(runs=False))

    async def answer(context: QueryContext, meant: NameMeaning) -> MatchedItems:
        return await type_hierarchy.implementations(context.stored, meant, context.lines)

    lifts = await service.ask(references("Lid.lift"), answer)
    assert [item.symbol for item in lifts.results] == ["Kind.A.lift"]
    assert not lifts.complete
    assert "lambdas" in (lifts.notice or "")
    shuts = await service.ask(references("Door.shut"), answer)
    assert [(item.symbol, item.precision) for item in shuts.results] == [("near.shut", "text")]
    assert not shuts.complete
    await made.close()
