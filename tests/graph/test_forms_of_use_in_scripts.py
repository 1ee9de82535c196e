"""Forms in which a language lets one use a definition, that were found by writing out all of them:
each was missing where the answer said that it had them all, or was taken for something else."""

from __future__ import annotations

import pytest

from tests.graph.memory import edges, graph, names, uses

PY = {
    "pkg/__init__.py": "from .core import Box\n__all__ = ['Box']\n",
    "pkg/core.py": "class Box:\n    size: int\n    def open(self): ...\ndef load(): ...\n"
    "class Other:\n    def open(self): ...\n",
}
PHP = "<?php\nnamespace App;\nconst LIMIT = 1;\nfunction load() {}\nclass Box {\n" + (
    "  static int $count = 0;\n  static function make() {}\n  function open() {}\n}\n"
    "trait Drawn { function draw() {} }\n"
    "class Mark { function __construct(public string $label) {} }\n"
)
KT = (
    "class Box(val size: Int = LIMIT) { fun go() {} }\nconst val LIMIT = 1\n"
    "interface Lid { fun shut() }\n"
)
DART = (
    "const limit = 1;\nenum Kind { wide }\nclass Box { int size = 0; void open() {} }\n"
    "class Base { void shade() {} }\nmixin Drawn { void shade() {} }\n"
    "mixin Loud { void shade() {} }\n"
)
FOUND: dict[str, tuple[dict[str, str], str, int, str]] = {
    "python: __all__": (PY, "pkg/__init__.py", 2, "Box"),
    "python: what a test puts something else in place of": (
        PY | {"t.py": "@patch('pkg.core.load')\ndef test(m): ...\n"}, "t.py", 1, "load",
    ),
    "python: a member by its name": (
        PY | {"t.py": "from pkg.core import Box\nmonkeypatch.setattr(Box, 'open', 1)\n"},
        "t.py", 2, "Box.open",
    ),
    "python: a type that is cast to by its name": (
        PY | {"t.py": "from pkg.core import Box\nb = cast('Box', x)\n"}, "t.py", 2, "Box",
    ),
    "python: a keyword of a pattern": (
        PY | {"t.py": "from pkg.core import Box\nmatch x:\n    case Box(size=3): ...\n"},
        "t.py", 3, "Box.size",
    ),
    "python: what a pattern captures": (
        PY | {"t.py": "from pkg.core import Box\ndef f(x):\n    match x:\n"
              "        case [Box() as b]: b.open()\n"}, "t.py", 4, "Box.open",
    ),
    "python: what a case says of the subject": (
        PY | {"t.py": "from pkg.core import Box\ndef f(x):\n    match x:\n"
              "        case Box():\n            x.open()\n"}, "t.py", 5, "Box.open",
    ),
    "python: the rest of a block that is left otherwise": (
        PY | {"t.py": "from pkg.core import Box\ndef f(x):\n    if not isinstance(x, Box):\n"
              "        return\n    x.open()\n"}, "t.py", 5, "Box.open",
    ),
    "python: what is named while it is tested": (
        PY | {"t.py": "from pkg.core import Box\ndef f():\n    if b := Box():\n        b.open()\n"},
        "t.py", 4, "Box.open",
    ),
    "php: a constant that is handed over": (
        {"a.php": PHP + "load(LIMIT);\n"}, "a.php", 12, "LIMIT",
    ),
    "php: a static property": ({"a.php": PHP + "Box::$count++;\n"}, "a.php", 12, "Box.count"),
    "php: a function as text": ({"a.php": PHP + "f('App\\load');\n"}, "a.php", 12, "load"),
    "php: a method as text": ({"a.php": PHP + "f('App\\Box::make');\n"}, "a.php", 12, "Box.make"),
    "php: a class and a method as texts": (
        {"a.php": PHP + "f(['App\\Box', 'make']);\n"}, "a.php", 12, "Box.make",
    ),
    "php: a method that is asked for": (
        {"a.php": PHP + "method_exists(Box::class, 'open');\n"}, "a.php", 12, "Box.open",
    ),
    "php: a trait's method by another name": (
        {"a.php": PHP + "class A { use Drawn { draw as paint; } }\n"}, "a.php", 12, "Drawn.draw",
    ),
    "php: what an attribute is told by name": (
        {"a.php": PHP + "#[Mark(label: 'x')]\nclass A {}\n"}, "a.php", 12, "Mark.label",
    ),
    "php: behind a test": (
        {"a.php": PHP + "function f($x) { return $x instanceof Box && $x->open(); }\n"},
        "a.php", 12, "Box.open",
    ),
    "kotlin: a constructor's default": ({"a.kt": KT}, "a.kt", 1, "LIMIT"),
    "kotlin: a case of a type": (
        {"a.kt": KT + "fun f(x: Any) { when (x) { is Box -> x.go() } }\n"}, "a.kt", 4, "Box.go",
    ),
    "kotlin: behind a test": (
        {"a.kt": KT + "fun f(x: Any) = x is Box && x.size > 1\n"}, "a.kt", 4, "Box.size",
    ),
    "kotlin: what a class delegates to": (
        {"a.kt": KT + "val lid = get()\nclass A : Lid by lid {\n  val n = 1\n}\n"},
        "a.kt", 5, "lid",
    ),
    "dart: what is shown": (
        {"a.dart": DART, "b.dart": "export 'a.dart' show Box;\n"}, "b.dart", 1, "Box",
    ),
    "dart: a constant in a pattern": (
        {"a.dart": DART + "f(x) { switch (x) { case Kind.wide: } }\n"}, "a.dart", 7, "Kind.wide",
    ),
    "dart: a member in a pattern": (
        {"a.dart": DART + "f(x) { if (x case Box(size: 1)) {} }\n"}, "a.dart", 7, "Box.size",
    ),
    "dart: what a pattern declares": (
        {"a.dart": DART + "f(x) { switch (x) { case Box b: b.open(); } }\n"},
        "a.dart", 7, "Box.open",
    ),
    "ruby: a case of a class": (
        {"a.rb": "class Box\n  def open; end\nend\ndef f(x)\n  case x\n  when Box then x.open\n"
         "  end\nend\nclass Lid\n  def open; end\nend\n"}, "a.rb", 6, "Box.open",
    ),
    "ruby: what is asked for by its symbol": (
        {"a.rb": "module Shop\n  class Box; end\nend\nShop.const_get(:Box)\n"}, "a.rb", 4,
        "Shop.Box",
    ),
    "typescript: a member by its key": (
        {"a.ts": "enum Kind { Wide }\nKind['Wide'];\n"}, "a.ts", 2, "Kind.Wide",
    ),
    "typescript: a module that is loaded later": (
        {"a.ts": "export function load() {}\n",
         "b.ts": "import('./a').then((m) => m.load());\n"}, "b.ts", 1, "load",
    ),
    "tsx: what a component is told": (
        {"a.tsx": "interface Props { label: string }\n"
         "const View: React.FC<Props> = (props) => <b/>;\nconst a = <View label='x' />;\n"},
        "a.tsx", 3, "Props.label",
    ),
    "scala: a named argument of a constructor": (
        {"a.scala": "class Box(val size: Int)\nobject A { new Box(size = 1) }\n"},
        "a.scala", 2, "Box.size",
    ),
    "julia: a name that is imported": (
        {"src/Shop.jl": "module Shop\nload() = 1\nend\n",
         "test/a.jl": "using Shop: load as l\n"}, "test/a.jl", 1, "Shop.load",
    ),
    "julia: a value of an enumeration": (
        {"a.jl": "@enum Kind wide tall=3\nf() = tall\n"}, "a.jl", 2, "tall",
    ),
    "julia: a member that is taken out": (
        {"a.jl": "struct Box\n  size::Int\nend\nfunction f(b::Box)\n  (; size) = b\nend\n"},
        "a.jl", 5, "Box.size",
    ),
    "solidity: a function that is used for a type": (
        {"a.sol": "function next(uint256 i) pure returns (uint256) { return i; }\n"
         "using {next} for uint256;\ncontract A { function f(uint256 n) public { n.next(); } }\n"},
        "a.sol", 3, "next",
    ),
    "elixir: a function by its module and its name": (
        {"a.ex": "defmodule A do\n  def run(x), do: x\n  def f, do: {A, :run, [1]}\nend\n"},
        "a.ex", 3, "A.run",
    ),
}  # fmt: skip
SHELL = "LIMIT=3\nhelper() { :; }\n"


@pytest.mark.parametrize("case", FOUND)
def test_a_form_of_use_is_one(case: str) -> None:
    files, path, line, name = FOUND[case]
    assert (line, name) in uses(graph(files), path)


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("trap 'log; helper' EXIT", "helper"),
        ('trap "x=$?; helper; exit $x" EXIT', "helper"),
        ('eval "helper x"', "helper"),
        ("alias h=helper", "helper"),
        ("alias h='helper -x'", "helper"),
        ('PROMPT_COMMAND="helper; x"', "helper"),
        ("xargs bash -c 'helper {}'", "helper"),
        ("export -f helper", "helper"),
        ("unset -f helper", "helper"),
        ("command -v helper", "helper"),
        ("coproc helper", "helper"),
        ("read -r LIMIT", "LIMIT"),
        ("(( LIMIT > 3 ))", "LIMIT"),
        ('echo "${LIMIT[0]}"', "LIMIT"),
    ],
)
def test_shells_name_functions_and_variables_in_many_forms(line: str, name: str) -> None:
    assert (3, name) in uses(graph({"a.sh": f"{SHELL}{line}\n"}), "a.sh")


@pytest.mark.parametrize(
    "files",
    [
        {"a.py": "class A:\n    def go(self): ...\nclass B:\n    def go(self): ...\n"
         "class C(A, B):\n    def go(self): super().go()\n"},
        {"a.rb": "class B0\n  def go; end\nend\nmodule A\n  def go; end\nend\n"
         "class C < B0\n  include A\n  def go\n    super\n  end\nend\n"},
        {"a.php": "<?php\nclass A { function go() {} }\ntrait B { function go() {} }\n"
         "class C extends A { use B; function go() { parent::go(); } }\n"},
        {"a.dart": "class B { void go() {} }\nmixin D { void go() {} }\nmixin A { void go() {} }\n"
         "class C extends B with D, A { void run() { super.go(); go(); } }\n"},
    ],
)  # fmt: skip
def test_super_is_the_first_base_that_has_it(files: dict[str, str]) -> None:
    (path,) = files
    called = {to for _, around, to in edges(graph(files)) if around in ("C.go", "C.run")}
    assert called == {f"{path}::A.go"}


def test_of_two_types_that_something_holds_the_last_is_given() -> None:
    code = (
        "class Box { void shut() {} }\nclass Lid { void shut() {} }\n"
        "class U { void f(Function<Box, Lid> f, Box b) {\n    f.apply(b).shut();\n  }\n}\n"
    )
    assert {to for line, to in uses(graph({"U.java": code}), "U.java") if line == 4} == {"Lid.shut"}


def test_a_default_of_a_constructor_is_no_property() -> None:
    assert "Box.LIMIT" not in names(graph({"a.kt": KT}), "a.kt")


@pytest.mark.parametrize("word", ["open", "operator", "final", "inline"])
def test_a_function_of_kotlin_may_be_called_like_a_modifier(word: str) -> None:
    code = f"class A {{\n  fun {word}() {{}}\n  fun run() {{\n    {word}()\n  }}\n}}\nclass B\n"
    made = graph({"a.kt": code})
    assert (4, f"A.{word}") in uses(made, "a.kt")
    assert "B" in names(made, "a.kt")


def test_a_class_of_kotlin_that_delegates_has_its_members() -> None:
    code = "class A(val lid: Lid) : B(lid), Lid by lid {\n  private val n: Int by lazy { 1 }\n}\n"
    assert "A.n" in names(graph({"a.kt": code}), "a.kt")


def test_sources_of_another_platform_are_not_meant_in_kotlin() -> None:
    files = {
        f"lib/src/{which}Main/kotlin/lib/Box.kt": "package lib\nclass Box { fun open() {} }\n"
        for which in ("jvm", "apple")
    }
    use = "lib/src/jvmTest/kotlin/lib/Use.kt"
    made = graph(files | {use: "package lib\nfun f() { Box().open() }\n"})
    assert {to.partition("::")[0] for path, _, to in edges(made) if path == use} == {
        "lib/src/jvmMain/kotlin/lib/Box.kt"
    }


def test_a_bare_name_in_a_module_of_ruby_may_be_of_what_includes_it() -> None:
    made = graph(
        {
            "kept.rb": "module Kept\n  def keep\n    store(scope_of)\n  end\nend\n",
            "scoped.rb": "module Scoped\n  def scope_of; end\nend\n",
        }
    )
    found = {edge.target.qualname: edge.score for edge in made.resolutions["kept.rb"].edges}
    assert 0.25 <= found["Scoped.scope_of"] < 0.5
