"""What language servers said otherwise of, where answers claimed to have all and to be certain."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.graph.memory import edges, graph, uses
from tests.graph.service_support import Servers, references
from tests.graph.service_support import uses as used
from tests.graph.support import Checkout

INTERPRETER = (
    "void close(int a);\n#define CASE_CODE(name) case CODE_##name\n#define POP() (*--p)\n"
    "#define OPEN_CASE(name) case name\nenum { kFive = 5 };\n"
    "int run(int vm, register int *p)\n{\n  switch (vm)\n  {\n    CASE_CODE(LOAD):\n"
    "    CASE_CODE(POP):   POP(); break;\n    CASE_CODE(CLOSE):\n      close(vm);\n"
    "      vm = next(p[0]);\n    OPEN_CASE(kFive):\n      break;\n  }\n  return 0;\n}\n"
)
NESTED = {
    "p.h": "namespace n {\nclass Shop {\n public:\n  static int none;\n  class Shelf;\n"
    "  struct Box { void open(); };\n};\n}\n",
    "r.h": "namespace n { struct Other { enum Flags { make = 1 }; }; }\n",
    "p.cc": '#include "p.h"\n#include "r.h"\nnamespace n {\nclass Shop::Shelf {\n public:\n'
    "  static int make(int r);\n  class Walker;\n};\nclass Shop::Shelf::Walker {\n"
    "  void go();\n};\nvoid Shop::Shelf::Walker::go() { make(1); }\n"
    "void Shop::Box::open() { none = 1; }\n}\n",
}
FOUND: dict[str, tuple[dict[str, str], str, int, str]] = {
    "c: a macro that a function defines is meant behind it, too": (
        {"a.c": "int f(int *p) {\n#define PEEK() (*p)\n  return PEEK();\n}\n"
         "int g(int *p) { return PEEK(); }\n"},
        "a.c", 5, "PEEK",
    ),
    "c: `#undef` names a macro": (
        {"a.c": "#define FOO 1\nint f(void) { return FOO; }\n#undef FOO\n"}, "a.c", 3, "FOO",
    ),
    "c: macros stand for labels": ({"a.c": INTERPRETER}, "a.c", 13, "close"),
    "c: such a macro is used": ({"a.c": INTERPRETER}, "a.c", 12, "CASE_CODE"),
    "c: what it is handed is used": ({"a.c": INTERPRETER}, "a.c", 15, "kFive"),
    "cpp: a class two levels within others has what surrounds it": (
        NESTED, "p.cc", 12, "n.Shop.Shelf.make",
    ),
    "cpp: a class of a header has what surrounds it there": (NESTED, "p.cc", 13, "n.Shop.none"),
    "cpp: a sentence ends before a type": (
        {"a.cc": "class D { public: struct S{}; S *f(); };\n// To the S.\nD::S* D::f() {}\n"},
        "a.cc", 3, "D.S",
    ),
    "rust: a sentence ends before a path": (
        {"a.rs": "mod d { pub fn f() {} }\nfn g() {\n// It ends here.\nd::f();\n}\n"},
        "a.rs", 4, "d.f",
    ),
    "rust: a program of tests that takes a file of the library for its own module": (
        {
            "Cargo.toml": '[package]\nname = "shop"\n',
            "src/lib.rs": "mod core;\n",
            "src/core/mod.rs": "pub mod float;\n",
            "src/core/float.rs": "pub struct Ext { pub exp: i32 }\n",
            "tests/core.rs": '#[path = "../src/core/mod.rs"]\nmod core;\n'
            '#[path = "core/float.rs"]\nmod float;\n',
            "tests/other.rs": "fn other() {}\n",
            "tests/core/float.rs": "use crate::core::float::Ext;\nfn f(x: Ext) { x.exp; }\n",
        },
        "tests/core/float.rs", 2, "Ext.exp",
    ),
}  # fmt: skip

PROTOTYPES = (
    "#ifndef A\n#define A\ntypedef struct VM VM;\nconst char* one(VM* vm, int *other);\n"
    "char **two(VM* vm);\ntypedef int (*cb)(VM *vm, int other);\n"
    "struct ops { int (*open)(VM *vm); VM *(*make)(VM *vm); };\n#if X\nchar *three(VM* vm);\n"
    '#else\nchar *four(VM* vm);\n#endif\nextern "C" {\nchar *five(VM* vm);\n}\n'
)
PROTOTYPES_CPP = (
    "namespace n { VM& two(VM& vm); struct B { VM *make(VM *vm); VM &lend(VM *vm);\n"
    "  VM give(VM *vm = 0); friend VM *have(VM *vm); template <class T> T *sell(T vm); };\n"
    "template <class T> T *rent(T vm);\n}\n"
)


@pytest.mark.parametrize("case", FOUND)
def test_a_use_is_found(case: str) -> None:
    files, path, line, name = FOUND[case]
    assert (line, name) in uses(graph(files), path)


def test_a_part_of_a_name_is_no_use() -> None:
    assert (11, "POP") in uses(graph({"a.c": INTERPRETER}), "a.c")
    assert (10, "POP") not in uses(graph({"a.c": INTERPRETER.replace("LOAD", "POP")}), "a.c")


@pytest.mark.parametrize("header", ["a.h", "a.hpp"])
def test_parameters_of_what_is_declared_are_no_variables(header: str) -> None:
    text = PROTOTYPES + (PROTOTYPES_CPP if header == "a.hpp" else "") + "#endif\n"
    use = f'#include "{header}"\nstatic VM* vm = 0;\nstatic int other;\n'
    made = graph({header: text, "a.c" if header == "a.h" else "a.cc": use})
    assert not {one for one in edges(made) if one[2].endswith(("::vm", "::other"))}


def test_a_file_that_includes_libraries_alone_has_no_members_of_other_files() -> None:
    use = "#include <iostream>\nint main() { return ifstream::out; }\n"
    made = graph({"a.cpp": use, "b.c": "struct W { int out; };\n"})
    assert not uses(made, "a.cpp")


def test_an_attribute_of_the_language_is_no_function() -> None:
    text = "#[test]\nfn test() {}\n#[inline]\nfn inline() {}\n"
    assert not uses(graph({"a.rs": text}), "a.rs")


async def test_a_struct_and_its_other_name_in_another_file_are_one(tmp_path: Path) -> None:
    made = await Checkout.open(tmp_path)
    await made.write(
        {
            "box.h": "typedef struct Box Box;\nBox *make(void);\n",
            "inner.h": '#include "box.h"\nstruct Box {\n  Box *next;\n};\n',
        }
    )
    for place in ("box.h:1", "inner.h:2"):
        answer = await made.service(Servers(runs=False)).ask(references(place), used, uses=True)
        assert {("box.h", 2), ("inner.h", 3)} <= {(i.path, i.line) for i in answer.results}
    await made.close()
