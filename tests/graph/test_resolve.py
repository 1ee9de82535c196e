"""What names mean in Python, and what is the same in all languages, on small projects as text."""

from __future__ import annotations

import pytest

from tests.graph.memory import edges, graph, uses


def test_python_reexports_relative_imports_and_types_of_receivers() -> None:
    made = graph(
        {
            "src/pkg/__init__.py": "from .core import Client as Client\nfrom .util import *\n",
            "src/pkg/core.py": """
                from . import util
                from .base import Base

                class Client(Base):
                    def __init__(self, transport: "Transport") -> None:
                        self.transport = transport

                    def send(self):
                        self.transport.handle()
                        self.close()
                        return util.helper()

                class Transport:
                    def handle(self): ...
                """,
            "src/pkg/base.py": "class Base:\n    def close(self): ...\n",
            "src/pkg/util.py": "def helper(): ...\n",
            "tests/test_it.py": """
                import pkg
                from pkg import helper

                def make() -> pkg.Client:
                    return pkg.Client(None)

                def test_one():
                    client = make()
                    client.send()
                    helper()
                """,
        }
    )
    found = edges(made)
    core = "src/pkg/core.py"
    assert (core, "Client.send", f"{core}::Transport.handle") in found
    assert (core, "Client.send", "src/pkg/base.py::Base.close") in found
    assert (core, "Client.send", "src/pkg/util.py::helper") in found
    assert ("tests/test_it.py", "test_one", f"{core}::Client.send") in found
    assert ("tests/test_it.py", "test_one", "src/pkg/util.py::helper") in found
    assert ("tests/test_it.py", "make", f"{core}::Client") in found


def test_python_local_names_hide_those_of_the_module() -> None:
    made = graph(
        {
            "a.py": """
                def size(): ...

                def f(size):
                    return size

                def g():
                    def size(): ...
                    return size()

                def h():
                    return size()
                """
        }
    )
    assert edges(made) == {("a.py", "g", "a.py::g.size"), ("a.py", "h", "a.py::size")}


def test_base_and_parent_are_variables_where_they_are_no_words_of_the_language() -> None:
    made = graph(
        {
            "a.py": """
                class Base:
                    def read(self): ...
                class Sub(Base):
                    def write(self, parent: "Sub", base: Base):
                        parent.only()
                        base.read()
                    def only(self): ...
                """,
            "m.go": """
                package m
                type Node struct{}
                func (n *Node) Grow() {}
                func run(parent *Node, self *Node) { parent.Grow(); self.Grow() }
                """,
            "go.mod": "module example.org/m\n",
        }
    )
    found = edges(made)
    assert ("a.py", "Sub.write", "a.py::Sub.only") in found
    assert ("a.py", "Sub.write", "a.py::Base.read") in found
    assert ("m.go", "run", "m.go::Node.Grow") in found


def test_a_name_that_a_function_imports_hides_the_module_s_own() -> None:
    made = graph(
        {
            "ui.py": """
                def pager():
                    from .impl import pager
                    return pager()
                def other():
                    from .impl import low as pager
                    return pager()
                def own():
                    return pager()
                """,
            "impl.py": "def pager(): ...\ndef low(): ...\n",
            "__init__.py": "",
        }
    )
    found = {(source, target) for path, source, target in edges(made) if path == "ui.py"}
    assert found == {
        ("pager", "impl.py::pager"), ("other", "impl.py::low"), ("own", "ui.py::pager"),
    }  # fmt: skip


def test_ambiguous_members_keep_their_candidates_with_a_score() -> None:
    made = graph(
        {
            "a.py": "class A:\n    def work_it(self): ...\nclass B:\n    def work_it(self): ...\n",
            "b.py": "def f(x):\n    x.work_it()\n",
        }
    )
    found = made.resolutions["b.py"].edges
    assert {e.target.qualname for e in found} == {"A.work_it", "B.work_it"}
    assert all(0 < e.score < 0.5 for e in found)


@pytest.mark.parametrize("text", ["x = 'ä𝄞'; target()\n", "s = '𝄞𝄞'; target(); target()\n"])
def test_columns_count_utf16_units(text: str) -> None:
    made = graph({"a.py": "def target(): ...\n" + text})
    line = text.splitlines()[0]
    places = {(e.line, e.column, e.end_column) for e in made.resolutions["a.py"].edges}
    start = len(line[: line.index("target")].encode("utf-16-le")) // 2
    assert (2, start, start + 6) in places


def test_import_cycles_and_bases_that_loop_end() -> None:
    made = graph(
        {
            "a.py": "from b import *\nfrom b import B\nclass A(B):\n    def f(self): self.g()\n",
            "b.py": "from a import *\nfrom a import A\nclass B(A):\n    def g(self): self.f()\n",
        }
    )
    assert ("a.py", "A.f", "b.py::B.g") in edges(made)


def test_what_a_class_makes_of_itself_is_an_instance_of_it() -> None:
    made = graph(
        {
            "a.py": """
                class Other:
                    def go(self): ...
                class Car:
                    @classmethod
                    def make(cls):
                        return cls()
                    def go(self): ...
                def main():
                    Car.make().go()
                """
        }
    )
    assert ("a.py", "main", "a.py::Car.go") in edges(made)


def test_a_module_without_definitions_may_import_itself() -> None:
    made = graph({"pkg/__init__.py": "", "pkg/alone.py": "from . import alone\n\nprint(alone)\n"})
    assert [edge.target.path for edge in made.resolutions["pkg/alone.py"].edges] == [
        "pkg/alone.py"
    ] * 2


def test_what_a_member_of_an_unknown_result_has_is_unknown() -> None:
    """That the function which gives it is known says nothing of what it gives."""
    made = graph(
        {
            "a.py": """
                from json import loads

                class Store:
                    def persist(self): ...

                def make():
                    return loads()

                def run():
                    make().inner.persist()
                    it = make()
                    it.inner.persist()
                """,
        }
    )
    assert {
        edge.line
        for edge in made.resolutions["a.py"].edges
        if edge.target.qualname == "Store.persist"
    } == {11, 13}


@pytest.mark.parametrize(
    ("path", "text", "lines"),
    [
        ("a.py", """
            class A:
                def run(self): ...
            class B:
                def run(self): ...
            def f() -> A: ...
            def g() -> B: ...
            def main():
                x, y = f(), g()
                x.run()
                y.run()
            """, (10, 11)),
        ("a.go", """
            package a
            type A struct{}
            func (a *A) run() {}
            type B struct{}
            func (b *B) run() {}
            func f() *A { return nil }
            func g() *B { return nil }
            func main() {
                var x, y = f(), g()
                x.run()
                y.run()
            }
            """, (11, 12)),
        ("a.lua", """
            local A = {}
            function A.run() end
            local B = {}
            function B.run() end
            local function f() return A end
            local function g() return B end
            local x, y = f(), g()
            x.run()
            y.run()
            """, (9, 10)),
        ("a.rb", """
            class A
              def run; end
            end
            class B
              def run; end
            end
            def f; A.new; end
            def g; B.new; end
            def main
              x, y = f, g
              x.run
              y.run
            end
            """, (12, 13)),
        ("b.rb", """
            class A
              def run; end
            end
            class B
              def run; end
            end
            class C
              def initialize
                (@x, z), @y = [A.new, 1], B.new
              end
              def main
                @x.run
                @y.run
              end
            end
            """, (13, 14)),
    ],
)  # fmt: skip
def test_of_several_values_each_is_its_own_variable_s(
    path: str, text: str, lines: tuple[int, int]
) -> None:
    found = uses(graph({path: text}), path)
    assert {use for use in found if use[0] in lines and use[1].endswith(".run")} == {
        (lines[0], "A.run"),
        (lines[1], "B.run"),
    }


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "def g(x): return x\na = 'é'; b = g(1); c = g(2)\n"),
        ("a.ts", "function g(x: number) { return x }\nlet a = 1, b = g(2), c = g(3);\n"),
        ("a.rs", "const fn g(x: u8) -> u8 { x }\nconst A: u8 = 1; const B: u8 = g(2); const C: u8 = g(3);\n"),  # noqa: E501
    ],
)  # fmt: skip
def test_variables_on_one_line_each_use_what_stands_behind_their_name(path: str, text: str) -> None:
    made = graph({path: text})
    users = [e.source for e in made.resolutions[path].edges if e.target.qualname == "g"]
    assert [user.lower() for user in users] == ["b", "c"]
