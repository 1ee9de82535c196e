"""Members named without what has them, in classes whose base is written in a longer way."""

from __future__ import annotations

import pytest

from tests.graph.memory import graph, uses

JAVA_BASE = """\
package p;
abstract class Base<T> {
  static int make(int a) { return a; }
  int own(int a) { return a; }
  interface Named { default int named() { return 1; } }
  static class Inner<T> { Inner() {} int inner(int a) { return a; } }
}
"""
JAVA_USE = """\
package p;
class Use {
  static final Object HELD = new Base<String>() {
    int run() { return make(1); }
  };
  static Base<String> create() {
    return new Base<>() {
      int run() { return make(2) + own(3); }
    };
  }
  int own(int a) { return a; }
  int other() { return own(4); }
  Object made() { return new Base.Inner<String>(); }
}
class Deep<T> extends Base.Inner<T> implements Base.Named {
  int run() { return inner(5) + named(); }
}
interface Wide extends Base.Named {
  default int run() { return named(); }
}
"""
KOTLIN = """\
abstract class Base { fun make(a: Int) = a }
class Use {
  val held = object : Base() {
    fun run() = make(1)
  }
  fun create(): Base = object : Base() {
    fun run() = make(2)
  }
  fun other() = make(3)
}
"""
CSHARP = """\
class Outer {
  public class Base<T> {
    public Base(int a) { }
    protected int Own(int a) => a;
  }
}
class One : Outer.Base<int> {
  int Run() => Own(1);
}
class Two(int a) : Outer.Base<int>(a) {
  int Run() => Own(2);
}
"""


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("Base.make", [4, 8]),
        ("Base.own", [8]),
        ("Use.own", [12]),
        ("Base.Inner.inner", [16]),
        ("Base.Named.named", [16, 19]),
        ("Base.Inner", [13, 15]),
    ],
)
def test_classes_without_a_name_and_scoped_bases_of_java_have_what_they_inherit(
    name: str, lines: list[int]
) -> None:
    made = graph({"p/Base.java": JAVA_BASE, "p/Use.java": JAVA_USE})
    assert [line for line, used in sorted(uses(made, "p/Use.java")) if used == name] == lines


def test_objects_without_a_name_of_kotlin_have_what_they_inherit() -> None:
    made = graph({"a.kt": KOTLIN})
    assert [line for line, used in sorted(uses(made, "a.kt")) if used == "Base.make"] == [4, 7]


def test_scoped_generic_bases_of_csharp_are_bases() -> None:
    found = uses(graph({"a.cs": CSHARP}), "a.cs")
    assert [line for line, used in sorted(found) if used == "Outer.Base.Own"] == [8, 11]
