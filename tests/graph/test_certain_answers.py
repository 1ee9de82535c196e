"""Uses that answers once lacked although they said that they had them all, by what hid them.

Each was found by asking about hundreds of definitions of projects that nobody had looked at, and
comparing what claimed to be complete with a search of the text.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from surveyor.graph.service import GraphService
from tests.graph.memory import graph, uses
from tests.graph.service_support import Servers, references
from tests.graph.service_support import uses as used
from tests.graph.support import Checkout

FOUND: dict[str, tuple[dict[str, str], str, int, str]] = {
    "python: a base runs what only its subclasses define": (
        {
            "a.py": "class Base:\n    def run(self):\n        return self.step()\n\n\n"
            "class One(Base):\n    def step(self): ...\n\n\n"
            "class Two(Base):\n    def step(self): ...\n"
        },
        "a.py", 3, "Two.step",
    ),
    "python: self.__class__": (
        {
            "a.py": "class Box:\n    def copy(self):\n        made = self.__class__()\n"
            "        made.lid.open()\n\n    def __init__(self):\n        self.lid = Lid()\n\n\n"
            "class Lid:\n    def open(self): ...\n"
        },
        "a.py", 4, "Lid.open",
    ),
    "python: an import in a function hides the file's of that name": (
        {
            "pack/__init__.py": "from pack.core import pack, Error\n",
            "pack/core.py": "def pack(): ...\n\n\nclass Error(Exception): ...\n",
            "t.py": "from pack import pack\n\n\ndef test():\n    import pack\n    pack.Error\n",
        },
        "t.py", 6, "Error",
    ),
    "typescript: a class that is put into a field has no name of its own there": (
        {
            "command.ts": "export default class Command {\n  write(): string { return ''; }\n}\n",
            "a.ts": 'import Command from "./command";\nexport class Script {\n'
            "  private Command: new () => Command;\n  constructor() {\n"
            "    this.Command = class Own extends Command {\n"
            "      write(): string { return super.write(); }\n    };\n  }\n}\n",
        },
        "a.ts", 6, "Command.write",
    ),
    "javascript: a function that is put into a field has no name of its own there": (
        {
            "a.js": "function open() {}\nfunction Box() {\n  this.open = function () { open() }\n"
            "  open()\n}\n",
        },
        "a.js", 4, "open",
    ),
    "javascript: what a module calls of its own exports": (
        {
            "a.js": "const other = require('fs')\nexports.weigh = (one) => one\n"
            "exports.compare = function (a, b) {\n  return exports.weigh(a)\n}\n",
        },
        "a.js", 4, "weigh",
    ),
    "javascript: the class that a module is, where it is required": (
        {
            "box.js": "class Box {\n  open() {}\n}\nmodule.exports = Box\n",
            "all.js": "exports.open = () => {}\n",
            "a.js": "const all = require('./all')\nconst Case = require('./box')\n"
            "new Case().open()\n",
        },
        "a.js", 2, "Box",
    ),
    "typescript: the class that a module is, where it is required": (
        {
            "box.ts": "class Box {\n  open() {}\n}\nexport = Box;\n",
            "a.ts": 'import Case = require("./box");\nnew Case().open();\n',
        },
        "a.ts", 1, "Box",
    ),
    "scala: of two traits the last one has its methods first": (
        {
            "a.scala": "trait Animal { def speak(): Unit }\n"
            "trait Loud extends Animal { override def speak(): Unit = {} }\n"
            "trait Quiet extends Animal { override def speak(): Unit = {} }\n"
            "class Dog extends Loud with Quiet {\n  def go(): Unit = speak()\n}\n",
        },
        "a.scala", 5, "Quiet.speak",
    ),
    "scala: what a trait only declares has nothing before what another one does": (
        {
            "a.scala": "trait Animal { def speak(): Unit }\n"
            "trait Loud extends Animal { override def speak(): Unit = {} }\n"
            "class Dog extends Loud with Animal {\n  def go(): Unit = speak()\n}\n",
        },
        "a.scala", 4, "Loud.speak",
    ),
    "scala: a class has its methods before those that a trait only declares": (
        {
            "a.scala": "trait Door { def open(): Unit }\nclass Base { def open(): Unit = {} }\n"
            "class Dog extends Base with Door {\n  def go(): Unit = open()\n}\n",
        },
        "a.scala", 4, "Base.open",
    ),
    "scala: a trait that overrides what the class has comes before it": (
        {
            "a.scala": "class Base { def open(): Unit = {} }\n"
            "trait Door extends Base { override def open(): Unit = {} }\n"
            "class Dog extends Base with Door {\n  def go(): Unit = open()\n}\n",
        },
        "a.scala", 4, "Door.open",
    ),
    "ruby: of two modules that are included the last one has its methods first": (
        {
            "a.rb": "module Loud\n  def speak; end\nend\nmodule Quiet\n  def speak; end\nend\n"
            "class Dog\n  include Loud\n  include Quiet\n  def go = speak\nend\n",
        },
        "a.rb", 10, "Quiet.speak",
    ),
    "ruby: of two modules in one include the first one has its methods first": (
        {
            "a.rb": "module Loud\n  def speak; end\nend\nmodule Quiet\n  def speak; end\nend\n"
            "class Dog\n  include Loud, Quiet\nend\nDog.new.speak\n",
        },
        "a.rb", 10, "Loud.speak",
    ),
    "go: a constant as the key of a map with a name": (
        {
            "go.mod": "module m\n",
            "a.go": 'package m\ntype Names map[string]string\nconst Key = "k"\n'
            'var all = Names{\n\tKey: "v",\n}\n',
        },
        "a.go", 5, "Key",
    ),
    "c: a variable with the name of a struct": (
        {
            "a.c": "struct pair { int key; };\nint f(struct pair *all) {\n"
            "    unsigned pair = 1;\n    struct pair *p = &all[pair];\n    return p->key;\n}\n"
        },
        "a.c", 5, "pair.key",
    ),
    "c: a struct that is written where its variable is declared": (
        {"a.c": "static struct conf { int deep; } conf;\nint f(void) { return conf.deep; }\n"},
        "a.c", 2, "conf.deep",
    ),
    "lua: a local name that is declared before its function": (
        {
            "a.lua": "do\n  local walk\n  function walk(p)\n    return walk(p)\n  end\nend\n",
        },
        "a.lua", 4, "walk",
    ),
    "lua: a local name for a function of a module": (
        {
            "a.lua": "local path = require 'b'\nlocal function f(x)\n  local is = path.isdir\n"
            "  return is(x)\nend\n",
            "b.lua": "local path = {}\nfunction path.isdir(x) end\nreturn path\n",
        },
        "a.lua", 4, "path.isdir",
    ),
    "typescript: a type parameter with the name of a namespace": (
        {
            "a.ts": "import * as K from './k'\n"
            "export const f = <P>(p: P): { [K in keyof P]: number } => K.make(p)\n",
            "k.ts": "export function make(p: any) {}\n",
        },
        "a.ts", 2, "make",
    ),
    "scala: a package beside the one that a file is in": (
        {
            "p/Macros.scala": "package a.b.tools\n\ndef check(): Int = 1\n",
            "p/Use.scala": "package a.b\n\nobject Use {\n  val x = tools.check()\n}\n",
        },
        "p/Use.scala", 4, "check",
    ),
    "scala: a package's object": (
        {
            "p/package.scala": "package object json {\n  def read(): Int = 1\n}\n",
            "p/Use.scala": "package other\n\nobject Use {\n  val x = json.read()\n}\n",
        },
        "p/Use.scala", 4, "json.read",
    ),
    "scala: the object around an object": (
        {
            "A.scala": "class Outer {\n  val lid = 1\n"
            "  class In {\n    def f = Outer.this.lid\n  }\n}\n"
        },
        "A.scala", 4, "Outer.lid",
    ),
    "scala: an object whose names are imported": (
        {"A.scala": "object Tools { val a = 1 }\nobject Use {\n  import Tools._\n}\n"},
        "A.scala", 3, "Tools",
    ),
    "rust: an enum whose variants are imported": (
        {
            "Cargo.toml": '[package]\nname = "x"\n',
            "src/lib.rs": "mod t;\nuse crate::t::Elem::{Raw, Html};\n",
            "src/t.rs": "pub enum Elem { Raw, Html }\n",
        },
        "src/lib.rs", 2, "Elem",
    ),
    "java: a class whose members are imported": (
        {
            "a/B.java": "package a;\npublic class B { public static int c; }\n",
            "b/U.java": "package b;\nimport static a.B.*;\nclass U {}\n",
        },
        "b/U.java", 2, "B",
    ),
    "kotlin: an object whose members are imported": (
        {
            "a/K.kt": "package a\nobject Obj { fun go() {} }\n",
            "b/L.kt": "package b\nimport a.Obj.*\n",
        },
        "b/L.kt", 2, "Obj",
    ),
    "csharp: a class whose members are imported": (
        {
            "a.cs": "namespace N { public static class Tools { public static void Go() {} } }\n",
            "b.cs": "using static N.Tools;\nclass Q {}\n",
        },
        "b.cs", 1, "N.Tools",
    ),
    "php: a namespace with the name of a class": (
        {
            "Node/Stmt.php": "<?php\nnamespace P\\Node;\nabstract class Stmt {}\n",
            "Node/Stmt/Use_.php": "<?php\nnamespace P\\Node\\Stmt;\nuse P\\Node\\Stmt;\n"
            "class Use_ extends Stmt { public $prefix; }\n",
            "Printer.php": "<?php\nnamespace P;\nuse P\\Node\\Stmt;\nclass Printer {\n"
            "    function show(Stmt\\Use_ $node) { return $node->prefix; }\n}\n",
        },
        "Printer.php", 5, "Use_.prefix",
    ),
}  # fmt: skip
"""(files, path, line of a use, what is used there)."""

SAID: dict[str, tuple[dict[str, str], str, str]] = {
    "what a function from elsewhere gives may be what it was handed": (
        {
            "a.py": "import copy\n\n\nclass Box:\n    def fold_up(self): ...\n\n\n"
            "def f(box):\n    copy.copy(box).fold_up()\n"
        },
        "Box.fold_up", "shares the name only",
    ),
    "a parameter of a test that no fixture gives": (
        {
            "a.py": "class Box:\n    def fold_up(self): ...\n\n\n"
            "class Case:\n    def fold_up(self): ...\n",
            "test_a.py": "def test_it(thing):\n    thing.fold_up()\n\n\n"
            "class Lid:\n    def fold_up(self): ...\n",
        },
        "Box.fold_up", "shares the name only",
    ),
    "a type that a call gives": (
        {
            "a.js": "function f() {\n  const Box = make()\n  const box = new Box()\n"
            "  box.foldUp()\n}\nconst other = { foldUp() {} }\n"
            "const more = { foldUp() {} }\n"
        },
        "other.foldUp", "shares the name only",
    ),
    "a field that is called": (
        {
            "a.py": "class Box:\n    def __init__(self, fold):\n        self.fold_up = fold\n\n\n"
            "def f(x):\n    x.fold_up()\n"
        },
        "Box.fold_up", "shares the name only",
    ),
    "a branch of a conditional that was not read": (
        {
            "a.c": "#ifdef A\nint k(int a) {\n  if (a) {\n#else\nint k(int b) {\n"
            "  if (b && fold_up(b)) {\n#endif\n    return 1;\n  }\n  return 0;\n}\n"
            "int fold_up(int z) { return z; }\n"
        },
        "fold_up", "branch of an #if that was not read",
    ),
    "a method that a base from elsewhere may run": (
        {"A.java": "class A extends Thread {\n    public void work() {}\n}\n"},
        "A.work", "Thread, which its type extends, may call it",
    ),
    "a method that stands for the one of a base": (
        {
            "a.py": "class Base:\n    def step(self): ...\n\n\nclass One(Base):\n"
            "    def step(self): ...\n\n\ndef f(b: Base, o: One):\n    b.step()\n    o.step()\n"
        },
        "One.step", "it may be called as a.py::Base.step, which it overrides",
    ),
    "a variable of a PHP file": (
        {"a.php": "<?php\n$allBoxes = [];\n$allBoxes[] = 1;\n"},
        "allBoxes", "uses of a file's variables are not followed",
    ),
    "a Go method that the standard library calls": (
        {
            "go.mod": "module m\n",
            "a.go": "package m\ntype W struct{}\n"
            "func (w W) Write(p []byte) (int, error) { return 0, nil }\n",
        },
        "W.Write", "code from elsewhere that calls a Write may be handed what has this one",
    ),
    "a module that is named on what is not known": (
        {
            "a.rb": "module Plugins\n  module Methods\n  end\nend\n"
            "def load(plugin)\n  include(plugin::Methods)\nend\n"
        },
        "Plugins.Methods", "shares the name only",
    ),
    "a name that a Lua module may have put among all": (
        {
            "a.lua": "local tools = {}\nfunction tools.fold_up(x) end\nreturn tools\n",
            "b.lua": "import 'a'\nfold_up(1)\n",
        },
        "tools.fold_up", "shares the name only",
    ),
    "a bare call in a block of which nothing is known": (
        {
            "a.kt": "class Scope {\n    fun foldUp() {}\n}\nfun f(x: Any) {\n"
            "    unknown(x) answers { foldUp() }\n}\n"
        },
        "Scope.foldUp", "shares the name only",
    ),
}  # fmt: skip
"""(files, what is asked about, what the answer says)."""


@pytest.mark.parametrize("case", FOUND)
def test_a_use_is_found(case: str) -> None:
    files, path, line, name = FOUND[case]
    assert (line, name) in uses(graph(files), path)


@pytest.mark.parametrize("case", SAID)
async def test_an_answer_says_what_it_may_lack(case: str, tmp_path: Path) -> None:
    files, name, why = SAID[case]
    made = await Checkout.open(tmp_path)
    await made.write(files)
    answer = await _asked(made.service(Servers(runs=False)), name)
    await made.close()
    assert not answer[0]
    assert why in answer[1]


async def _asked(service: GraphService, name: str) -> tuple[bool, str]:
    answer = await service.ask(references(name), used, uses=True)
    return answer.complete, answer.notice or ""
