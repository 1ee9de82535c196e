"""Uses of projects that were asked about unseen, which complete answers lacked, by what hid them
(see `test_certain_answers`)."""

from __future__ import annotations

from pathlib import Path

import pytest

from surveyor.graph.queries import type_hierarchy
from surveyor.graph.queries.names import NameMeaning
from surveyor.graph.queries.query_context import QueryContext
from surveyor.graph.queries.questions import MatchedItems
from tests.graph.memory import graph, names, uses
from tests.graph.service_support import Servers, references
from tests.graph.service_support import uses as used
from tests.graph.support import Checkout

STREAMS = {"streams.py": "class Stream: ...\n"}
JAVA = {
    "p/Box.java": "package p;\nclass Box {\n  Lid lid;\n  void open() {}\n}\n",
    "p/Lid.java": "package p;\nclass Lid {\n  void shut() {}\n}\n",
    "p/Every.java": "package p;\n@interface Every {\n  long period();\n"
    "  Part[] parts() default {};\n}\n",
    "p/Part.java": "package p;\n@interface Part {\n  int size();\n}\n",
}
STATES = (
    "from enum import Enum\nclass Task:\n    class State(Enum):\n        OPEN = 1\n"
    "        SHUT = 2\n"
    "class Box:\n    size: int\n"
)
FIXTURES = (
    "import pytest\nclass TestBox:\n    @pytest.fixture\n    def made(self) -> bytes:\n"
    "        return b''\n    def test_one(self, made: bytes): ...\nclass TestMore(TestBox):\n"
    "    def test_two(self, made): ...\nclass TestOther:\n    def test_three(self, made): ...\n"
    "    @pytest.mark.usefixtures('kept')\n    def test_four(self): ...\n"
    "@pytest.fixture\ndef kept(): ...\n"
)
BOX_JS = "class {\n  static make() {}\n  open() { this.shut(); }\n  shut() {}\n};\n"
USE_JS = (
    "const Box = require('./box');\nBox.make();\nfunction f() {\n"
    "  const b = new Box();\n  b.open();\n}\n"
)
PHP = {
    "Box.php": "<?php\nnamespace N;\nclass Box {\n  function open() {}\n  /** @return Lid|null */\n"
    "  function lid() {}\n  /** @return Lid[] */\n  function lids(): array {}\n"
    "  /** @return $this */\n  function me() { return $this; }\n}\n",
    "Lid.php": "<?php\nnamespace N;\nclass Lid {\n  function shut() {}\n}\n",
}
PHP_USE = "<?php\nuse N\\Box;\nuse N\\Lid;\nclass A {\n%s}\n"
ELIXIR = {
    "lib/a.ex": "defmodule A.Mailer do\n  defmacro __using__(_), do: nil\nend\n"
    "defmodule A.Local do\n  def run, do: 1\n  def name(x), do: x\nend\n",
}


def _php(body: str) -> dict[str, str]:
    return PHP | {"use.php": PHP_USE % body}


FOUND: dict[str, tuple[dict[str, str], str, int, str]] = {
    "php: a nullable type from the root": (
        _php("  function f(?\\N\\Box $b) {\n    $b->open();\n  }\n"), "use.php", 6, "Box.open",
    ),
    "php: what a container is asked for with more than its class": (
        _php("  function f() {\n    app(Box::class, ['a' => 1])->open();\n  }\n"),
        "use.php", 6, "Box.open",
    ),
    "rust: the value of a block before a comment": (
        {
            "Cargo.toml": '[package]\nname = "m"\n',
            "src/lib.rs": "pub struct B;\nimpl B {\n"
            "  pub fn make(n: u32) -> Option<B> { todo!() }\n"
            "  pub fn spend(&self) {}\n}\npub struct C;\nimpl C { pub fn spend(&self) {} }\n"
            "fn f() {\n  let c = {\n    B::make(1).unwrap() // one\n  };\n  c.spend();\n}\n",
        },
        "src/lib.rs",
        12,
        "B.spend",
    ),
    "python: a class uses a fixture of its own": (
        {
            "test_a.py": "import pytest\n@pytest.mark.usefixtures('made')\nclass TestBox:\n"
            "    @pytest.fixture\n    def made(self): ...\n    def test_one(self): ...\n"
        },
        "test_a.py", 2, "TestBox.made",
    ),
    "python: a whole module uses a fixture": (
        {
            "test_a.py": "import pytest\npytestmark = pytest.mark.usefixtures('made')\n"
            "@pytest.fixture\ndef made(): ...\n"
        },
        "test_a.py", 2, "made",
    ),
    "python: what a function gives, of a module": (
        STREAMS | {"a.py": "import streams\ndef two() -> streams.Stream:\n    ...\n"},
        "a.py", 2, "Stream",
    ),
    "python: what a function gives, of a module, or nothing": (
        STREAMS | {"a.py": "import streams\ndef two() -> streams.Stream | None:\n    ...\n"},
        "a.py", 2, "Stream",
    ),
    "rust: what a function gives, of a module": (
        {
            "Cargo.toml": '[package]\nname = "m"\n', "src/lib.rs": "mod shapes;\nmod f;\n",
            "src/shapes.rs": "pub struct Lid;\n",
            "src/f.rs": "use crate::shapes;\nfn two() -> shapes::Lid { todo!() }\n",
        },
        "src/f.rs", 2, "Lid",
    ),
    "java: a member in the body of a lambda": (
        JAVA | {
            "p/F.java": "package p;\nclass F {\n  Box box;\n  void f() {\n"
            "    g(() -> box.open());\n    h(x -> box.lid.shut());\n  }\n}\n",
        },
        "p/F.java", 5, "Box.open",
    ),
    "java: a member of a member in the body of a lambda": (
        JAVA | {
            "p/F.java": "package p;\nclass F {\n  Box box;\n  void f() {\n"
            "    g(() -> box.open());\n    h(x -> box.lid.shut());\n  }\n}\n",
        },
        "p/F.java", 6, "Lid.shut",
    ),
    "java: a member behind a case": (
        JAVA | {
            "p/F.java": "package p;\nclass F {\n  Box box;\n  void f(Mode m) {\n"
            "    switch (m) { case ON -> box.open(); default -> box.lid.shut(); }\n  }\n}\n",
        },
        "p/F.java", 5, "Box.open",
    ),
    "java: what an annotation is told by name": (
        JAVA | {"p/F.java": "package p;\n@Every(period = 1,\n  parts = {@Part(size = 2)})\n"
        "class F {}\n"},
        "p/F.java", 2, "Every.period",
    ),
    "java: what an annotation in another is told by name": (
        JAVA | {"p/F.java": "package p;\n@Every(period = 1,\n  parts = {@Part(size = 2)})\n"
        "class F {}\n"},
        "p/F.java", 3, "Part.size",
    ),
    "kotlin: what an annotation is told by name": (
        {"a.kt": "annotation class Marks(val width: Int)\n@Marks(width = 1)\nclass C\n"},
        "a.kt", 2, "Marks.width",
    ),
    "kotlin: what a base is told by name": (
        {"a.kt": "open class Box(val width: Int)\nclass C : Box(width = 1)\n"},
        "a.kt", 2, "Box.width",
    ),
    "kotlin: a name of an argument among many": (
        {
            "a.kt": "data class Box(val width: Int, val text: String)\nfun f() = Box(\n"
            f'  width = 1,\n  text = "{"long " * 60}",\n)\n',
        },
        "a.kt", 3, "Box.width",
    ),
    "python: a member of an enumeration in a pattern": (
        {
            "t.py": STATES,
            "a.py": "from t import Task\ndef f(s):\n    match s:\n"
            "        case Task.State.OPEN | 3: ...\n",
        },
        "a.py", 4, "Task.State.OPEN",
    ),
    "python: a class in a pattern": (
        {
            "t.py": STATES,
            "a.py": "import t\ndef f(s):\n    match s:\n"
            "        case [t.Box(size=t.Task.State.SHUT)]: ...\n",
        },
        "a.py", 4, "Box",
    ),
    "python: an argument of a class in a pattern": (
        {
            "t.py": STATES,
            "a.py": "import t\ndef f(s):\n    match s:\n"
            "        case [t.Box(size=t.Task.State.SHUT)]: ...\n",
        },
        "a.py", 4, "Task.State.SHUT",
    ),
    "python: a fixture of the class": ({"test_a.py": FIXTURES}, "test_a.py", 6, "TestBox.made"),
    "python: a fixture of a base of the class": (
        {"test_a.py": FIXTURES}, "test_a.py", 8, "TestBox.made",
    ),
    "python: a fixture by its name in a string": ({"test_a.py": FIXTURES}, "test_a.py", 11, "kept"),
    "python: a fixture that asks for the next of its name": (
        {
            "conftest.py": "import pytest\n@pytest.fixture\ndef made(): ...\n",
            "test_a.py": "import pytest\nclass TestA:\n    @pytest.fixture\n"
            "    def made(self, made): ...\n",
        },
        "test_a.py", 4, "made",
    ),
    "javascript: a module that is the last of several names": (
        {"box.js": "const shapes = {};\n"
        f"exports = module.exports = shapes.Box = {BOX_JS}", "f.js": USE_JS},
        "f.js", 5, "shapes.Box.open",
    ),
    "javascript: in a class that is the last of several names": (
        {"box.js": f"const shapes = {{}};\nexports = module.exports = shapes.Box = {BOX_JS}"},
        "box.js", 4, "shapes.Box.shut",
    ),
    "javascript: a module with two names": (
        {"box.js": f"exports = module.exports = {BOX_JS}", "f.js": USE_JS},
        "f.js", 5, "exports.open",
    ),
    "javascript: a module that is a variable as well": (
        {"box.js": f"const Box = module.exports = {BOX_JS}", "f.js": USE_JS}, "f.js", 5, "Box.open",
    ),
    "javascript: a module that is a function with two names": (
        {
            "make.js": "exports = module.exports = function (a) { return a; };\n",
            "f.js": "const make = require('./make');\nmake(1);\n",
        },
        "f.js", 2, "exports",
    ),
    "javascript: two names of one export": (
        {
            "make.js": "exports.open = exports.unlock = function () {};\n",
            "f.js": "const make = require('./make');\nmake.open();\n",
        },
        "f.js", 2, "unlock",
    ),
    "javascript: two names of one method": (
        {
            "box.js": "function Box() {}\n"
            "Box.prototype.open = Box.prototype.unlock = function () {};\n"
            "module.exports = Box;\n",
            "f.js": "const Box = require('./box');\nnew Box().unlock();\n",
        },
        "f.js", 2, "Box.unlock",
    ),
    "typescript: a type that is declared beside the script that a package is": (
        {
            "package.json": '{"name": "x", "main": "lib/index.js"}',
            "lib/index.js": "exports.make = () => 1;\n",
            "lib/index.d.ts": "export * from './route';\n",
            "lib/route.d.ts": "export interface Route { path: string; }\n",
            "test/a.ts": "import { Route } from '..';\nlet r: Route;\nr.path;\n",
        },
        "test/a.ts", 3, "Route.path",
    ),
    "elixir: a module that is told to what is used": (
        ELIXIR | {"lib/b.ex": "defmodule B do\n  use A.Mailer, otp: :x,\n    by: A.Local\nend\n"},
        "lib/b.ex", 3, "A.Local",
    ),
    "elixir: a function that is told to what is used": (
        ELIXIR | {"lib/b.ex": "defmodule B do\n  use A.Mailer, by: &A.Local.name/1\nend\n"},
        "lib/b.ex", 2, "A.Local.name",
    ),
    "php: a parameter by documentation": (
        _php("  /**\n   * @param  Box  $x\n   */\n  function f($x) {\n    $x->open();\n  }\n"),
        "use.php", 9, "Box.open",
    ),
    "php: a property by documentation": (
        _php("  /** @var Box */\n  private $b;\n  function f() {\n    $this->b->open();\n  }\n"),
        "use.php", 8, "Box.open",
    ),
    "php: what a property holds by documentation": (
        _php(
            "  /** @var array<string, Lid> */\n  private array $all;\n  function f() {\n"
            "    foreach ($this->all as $key => $lid) {\n      $lid->shut();\n    }\n  }\n"
        ),
        "use.php", 9, "Lid.shut",
    ),
    "php: a variable by documentation": (
        _php("  function f($n) {\n    /** @var Box $b */\n    $b = new $n;\n    $b->open();\n"
        "  }\n"),
        "use.php", 8, "Box.open",
    ),
    "php: what a function gives by documentation": (
        _php("  function f(Box $b) {\n    $b->me()->lid()->shut();\n"
        "  }\n"), "use.php", 6, "Lid.shut",
    ),
    "php: what is walked through by documentation": (
        _php("  function f(Box $b) {\n    foreach ($b->lids() as $l) {\n      $l->shut();\n"
        "    }\n  }\n"),
        "use.php", 7, "Lid.shut",
    ),
    "php: a type from the root": (
        _php("  function f(\\N\\Lid $l) {\n    $l->shut();\n  }\n"), "use.php", 6, "Lid.shut",
    ),
    "php: what a container is asked for": (
        _php("  function f() {\n    return app(Box::class)->open();\n"
        "  }\n"), "use.php", 6, "Box.open",
    ),
    "php: what a container is asked for, by a variable": (
        _php("  function f() {\n    $b = $this->container->get(Box::class);\n"
        "    $b->open();\n  }\n"),
        "use.php", 7, "Box.open",
    ),
    "php: a member of what a container is asked for": (
        _php("  function f() {\n    $l = $this->app->make(Box::class)->lid();\n"
        "    $l->shut();\n  }\n"),
        "use.php", 7, "Lid.shut",
    ),
}  # fmt: skip
"""(files, path, line of a use, what is used there)."""

NOT: dict[str, tuple[dict[str, str], str, int, str]] = {
    "python: a name that a pattern gives is no function of the file": (
        {
            "a.py": "def found(): ...\ndef f(s):\n    match s:\n        case [found, *rest]: ...\n"
        },
        "a.py", 4, "found",
    ),
    "python: a fixture of another class": (
        {"test_a.py": FIXTURES}, "test_a.py", 10, "TestBox.made",
    ),
    "php: a call of what a container gives is not what it was asked for": (
        _php("  function f() {\n    $l = app(Box::class)->lid();\n    $l->open();\n  }\n"),
        "use.php", 7, "Box.open",
    ),
    "php: a type parameter by its usual name is no class": (
        {
            "T.php": "<?php\nclass T {\n  function open() {}\n}\n",
            "a.php": "<?php\n/**\n * @template T\n * @param T $x\n */\nfunction f($x) {\n"
            "  $x->open();\n}\n",
        },
        "a.php", 7, "T.open",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", FOUND)
def test_a_use_is_found(case: str) -> None:
    files, path, line, name = FOUND[case]
    assert (line, name) in uses(graph(files), path)


@pytest.mark.parametrize("case", NOT)
def test_what_is_no_use_is_none(case: str) -> None:
    files, path, line, name = NOT[case]
    assert (line, name) not in uses(graph(files), path)


@pytest.mark.parametrize("assigned", ["exports = module.exports = ", "module.exports = "])
def test_a_class_with_several_names_has_its_own(assigned: str) -> None:
    made = graph({"box.js": f"const shapes = {{}};\n{assigned}shapes.Box = {BOX_JS}"})
    assert names(made, "box.js") == [
        "shapes", "shapes.Box", "shapes.Box.make", "shapes.Box.open", "shapes.Box.shut",
    ]  # fmt: skip


async def test_what_is_made_of_a_class_that_a_variable_names_is_not_known(tmp_path: Path) -> None:
    files = _php("  function f($n) {\n    $b = new $n;\n    $b->open();\n  }\n")
    made = await Checkout.open(tmp_path)
    try:
        await made.write(files)
        asked = references("Box.open")
        answer = await made.service(Servers(runs=False)).ask(asked, used, uses=True)
    finally:
        await made.close()
    assert not answer.complete


async def _below(context: QueryContext, meant: NameMeaning) -> MatchedItems:
    return await type_hierarchy.implementations(context.stored, meant, context.lines)


async def test_a_type_beside_a_function_of_its_name_is_below_its_base(tmp_path: Path) -> None:
    files = {
        "a.rb": "module Docs\nend\nclass Pry\n  class << self\n    def Method(obj)\n    end\n"
        "  end\n"
        "  class Method\n    include Docs\n  end\nend\n"
    }
    made = await Checkout.open(tmp_path)
    try:
        await made.write(files)
        answer = await made.service(Servers(runs=False)).ask(references("Docs"), _below)
    finally:
        await made.close()
    assert [(item.symbol, item.line) for item in answer.results] == [("Pry.Method", 8)]


@pytest.mark.parametrize(
    ("path", "text", "name"),
    [
        (
            "a.kt",
            "class Box\nfun <T> Box.open(x: T) = 1\nfun Lid.open() = 2\nclass Lid\n",
            "Box.open",
        ),
        ("a.kt", "class Lid\nfun List<Lid>.open(x: Int) = 1\nfun Lid.open() = 2\n", "List.open"),
        (
            "a.cs",
            "class Box {}\nstatic class Ext { public static void Open(this Box box) {} }\n"
            "class Lid { public void Open() {} }\n",
            "Box.Open",
        ),
    ],
)
async def test_an_extension_is_called_by_what_it_extends(
    path: str, text: str, name: str, tmp_path: Path
) -> None:
    made = await Checkout.open(tmp_path)
    try:
        await made.write({path: text})
        answer = await made.service(Servers(runs=False)).ask(references(name), used, uses=True)
    finally:
        await made.close()
    assert answer.symbol is not None
    assert answer.symbol.line == 2
    assert answer.candidates == []
