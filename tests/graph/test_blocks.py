"""A variable of a block hides a function of its name there, and nowhere else in the function."""

from __future__ import annotations

import pytest

from tests.graph.memory import graph, uses

GO = """\
package a
func run(a int) {}
func other(a int) {}
func use(flag bool) {
  run(1)
  if flag {
    run(2)
    run := pick()
    run(3)
  }
  run(4)
  if run := pick(); flag {
    run(5)
  }
  for _, run := range all() {
    run(6)
  }
  run(7)
}
"""
RUST = """\
fn run(a: i32) {}
fn go(flag: bool) {
    run(2);
    if flag {
        run(4);
        let run = pick();
        run(6);
    }
    run(8);
}
"""
JAVASCRIPT = """\
function run(a) {}
function use(flag) {
  run(3);
  if (flag) {
    const run = pick();
    run(6);
  }
  for (const run of all()) {
    run(9);
  }
  run(11);
}
function hoisted(flag) {
  run(14);
  if (flag) {
    var run = pick();
  }
}
function taken(run) {
  run(20);
  { let run = pick(); }
  run(22);
}
"""
JAVA = """\
class A {
  static void run(int a) {}
  void use(boolean flag) {
    run(4);
    if (flag) {
      Runnable run = pick();
      run.run();
    }
    run(9);
  }
}
"""
CSHARP = """\
class A {
  static void Run(int a) {}
  void Use(bool flag) {
    Run(4);
    if (flag) {
      var other = Pick();
      other(7);
    }
    Run(9);
  }
  void Late(bool flag) {
    if (flag) {
      Action<int> other = Pick();
      other(14);
    }
    other(16);
  }
  static void other(int a) {}
}
"""
C = """\
static void run(int a) {}
void use(int flag) {
  run(3);
  if (flag) {
    void (*run)(int) = pick();
    run(6);
  }
  run(8);
}
"""
KOTLIN = """\
fun run(a: Int) {}
fun use(flag: Boolean) {
  run(3)
  if (flag) {
    run(5)
    val run = pick()
    run(7)
  }
  run(9)
}
"""
SWIFT = """\
func run(_ a: Int) {}
func use(flag: Bool) {
  run(3)
  if flag {
    let run = pick()
    run(6)
  }
  run(8)
}
"""
SCALA = """\
object A {
  def run(a: Int): Unit = {}
  def use(flag: Boolean): Unit = {
    run(4)
    if (flag) {
      val run = pick()
      run(7)
    }
    run(9)
  }
}
"""
DART = """\
void run(int a) {}
void use(bool flag) {
  run(3);
  if (flag) {
    var run = pick();
    run(6);
  }
  run(8);
}
"""
LUA = """\
local function run(a) end
local function use(flag)
  run(3)
  if flag then
    run(5)
    local run = pick()
    run(7)
  end
  for run in all() do
    run(10)
  end
  run(12)
end
"""


@pytest.mark.parametrize(
    ("path", "text", "name", "lines"),
    [
        ("a.go", GO, "run", {5, 7, 11, 18}),
        ("src/lib.rs", RUST, "run", {3, 5, 9}),
        ("a.js", JAVASCRIPT, "run", {3, 11}),
        ("a.ts", JAVASCRIPT, "run", {3, 11}),
        ("A.java", JAVA, "A.run", {4, 9}),
        ("A.cs", CSHARP, "A.Run", {4, 9}),
        ("A.cs", CSHARP, "A.other", {16}),
        ("a.c", C, "run", {3, 8}),
        ("a.cpp", C, "run", {3, 8}),
        ("a.kt", KOTLIN, "run", {3, 5, 9}),
        ("a.swift", SWIFT, "run", {3, 8}),
        ("A.scala", SCALA, "A.run", {4, 9}),
        ("a.dart", DART, "run", {3, 8}),
        ("a.lua", LUA, "run", {3, 5, 12}),
    ],
)
def test_a_variable_hides_a_function_in_its_block_alone(
    path: str, text: str, name: str, lines: set[int]
) -> None:
    found = uses(graph({path: text}), path)
    assert {line for line, used in found if used == name} == lines
