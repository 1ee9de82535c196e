"""What stands in a value is used there and defined elsewhere, in every language."""

from __future__ import annotations

import pytest

from tests.graph.memory import graph, names

FIELDS = {
    "a.dart": "class Shop {\n  final near = Near();\n  late final x = near2;\n}\n",
    "b.dart": "final top = Near();\nvar other = near2;\n",
    "a.kt": "class Shop {\n  val near = Near()\n  var z: Near = Near()\n  val x = near2\n}\n",
    "A.java": "class A {\n  Near near = new Near();\n  int x = near2, y = near2;\n}\n",
    "a.cs": "class A {\n  Near near = new Near();\n  int x = near2, y = near2;\n}\n",
    "a.scala": "class A {\n  val near = Near()\n  var x = near2\n}\n",
    "a.swift": "class A {\n  let near = Near()\n  var x = near2\n}\n",
    "a.ts": "class A {\n  near = new Near();\n  x = near2;\n}\nexport const y = near2;\n",
    "a.js": "class A {\n  near = new Near();\n  x = near2;\n}\nexports.y = near2;\n",
    "a.php": "<?php\nclass A {\n  public $near = Near::ONE;\n  const X = near2;\n}\n",
    "a.py": "class A:\n    near = Near()\n    x: int = near2\n\ny = near2\n",
    "a.rb": "class A\n  NEAR = Near.new\n  X = near2\nend\n",
    "a.go": "package a\n\nvar near = Near()\n\nconst x = near2\n",
    "a.rs": "static NEAR: Near = Near::new();\nconst X: u8 = near2;\n",
    "a.cpp": "class A {\n  Near near = Near();\n  int x = near2;\n};\nint y = near2;\n",
    "a.c": "int x = near2;\nstatic int y[] = { near2 };\n",
    "a.zig": "const near = Near.init();\nvar x = near2;\n",
    "a.lua": "local near = Near()\nx = near2\n",
    "a.jl": "const NEAR = Near()\nx = near2\n",
    "a.sol": "contract A {\n  Near near = Near(1);\n  uint x = near2;\n}\n",
    "a.sh": 'near="$near2"\nX=$(Near)\n',
    "a.hs": "module A where\n\nnear = Near 1\n\nx = near2\n",
    "a.ex": "defmodule A do\n  @near Near\n  @x near2\nend\n",
}


@pytest.mark.parametrize("path", FIELDS)
def test_a_value_defines_nothing(path: str) -> None:
    made = names(graph({path: FIELDS[path]}), path)
    assert made
    assert not {name.rpartition(".")[2] for name in made} & {"Near", "near2"}
