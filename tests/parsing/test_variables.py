"""Variables of a file in every form: below a condition, several at once, in a macro."""

from __future__ import annotations

import pytest

from surveyor.graph.library import build
from surveyor.parsing.parse import parse_file

GIVEN = {
    "a.py": (
        "try:\n    import ssl\n    HAS_SSL = True\nexcept ImportError:\n    HAS_SSL = False\n"
        "if x:\n    shell, other = 1, 2\nelif y:\n    shell = 3\nelse:\n    last = 4\n"
        "with open(p) as f:\n    text = f.read()\n"
        "def run():\n    if x:\n        local = 1\n"
        "class A:\n    if x:\n        attr = 1\n    else:\n        attr = 2\n",
        "HAS_SSL:3 shell:7 other:7 last:11 text:13 run:14 A:17 attr:19",
    ),
    "a.lua": (
        "if jit then\n  fast = true\nelseif x then\n  fast = false\nelse\n  slow = 1\nend\n"
        "do\n  local hidden = 1\n  seen = 2\nend\n"
        "function run()\n  if x then\n    given = 1\n  end\nend\n",
        "fast:2 slow:6 seen:10 run:12",
    ),
    "a.sh": (
        "if [ -n x ]; then\n  A=1\nelif y; then\n  export B=2\nelse\n  A=3\nfi\n"
        "case $1 in\n  -v) C=1 ;;\nesac\n[ x ] && D=1\nrun() {\n  if x; then E=1; fi\n}\n",
        "A:2 B:4 C:9 D:11 run:12",
    ),
    "a.ts": ("declare global {\n  var here: number;\n}\nexport {};\n", "here:2"),
    "a.c": (
        "#ifndef A_H\n#define A_H\n#ifdef X\nint one = 1;\n#elif Y\nint two[3];\n#else\n"
        "static const struct ops *three;\n#endif\n#if Z\nextern int four;\n#endif\n"
        "void run(void)\n{\n#ifdef X\n\tint local = 1;\n#endif\n}\n#endif\n",
        "A_H:2 one:4 two:6 three:8 four:11 run:13",
    ),
    "a.cpp": (
        'extern "C" {\nint one;\n}\nnamespace n {\nnamespace {\nint two;\n}\nextern int three;\n'
        "struct S { void run() {\n#if X\n  int local = 1;\n#endif\n} };\n}\n",
        "one:2 n:4 two:6 three:8 S:9 run:9",
    ),
}


@pytest.mark.parametrize("path", GIVEN)
def test_what_a_branch_gives_outside_of_functions_is_a_symbol_once(path: str) -> None:
    text, wanted = GIVEN[path]
    symbols = parse_file(path, text.encode()).symbols
    found = [f"{s.name}:{s.line}" for s in symbols if s.name != "A_H"]
    assert found == [each for each in wanted.split() if not each.startswith("A_H")]


def test_a_name_that_a_failed_import_leaves_empty_is_the_import() -> None:
    made = build(
        {
            "box.py": b"def open():\n    return 1\n",
            "use.py": b"try:\n    import box\nexcept ImportError:\n    box = None\n\n\n"
            b"def use():\n    return box.open()\n",
            "other.py": b"from use import box\n\n\ndef use():\n    return box.open()\n",
        }
    )
    for path, line in (("use.py", 8), ("other.py", 5)):
        used = [(e.target.path, e.target.qualname, e.line) for e in made.resolutions[path].edges]
        assert ("box.py", "open", line) in used


DEFINED = b"""\
#include "stat.h"
DEFINE_MUTEX(shared);
static DEFINE_SPINLOCK(lock);
static LIST_HEAD(waiting);
static DEFINE_PER_CPU(struct stat_data, counts);
DEFINE_PER_CPU_ALIGNED(struct stat, stat);
DEFINE_PER_CPU(u64, ticks) ;
static DECLARE_WORK(later, run_later);
DEFINE_SHOW_ATTRIBUTE(shown);
EXPORT_SYMBOL_GPL(shared);
MODULE_LICENSE("GPL");
module_param(debug, int, 0644);
int use(struct stat *given)
{
	DEFINE_WAIT(wait);
	lock_it(&lock, &counts, &waiting);
	return given->size + stat.size;
}
"""


def test_what_macros_of_c_define_is_a_variable() -> None:
    symbols = parse_file("a.c", DEFINED).symbols
    found = {symbol.name: symbol for symbol in symbols}
    named = ["shared", "lock", "waiting", "counts", "stat", "ticks", "later", "use"]
    assert list(found) == named
    assert {symbol.kind for symbol in symbols} == {"variable", "function"}
    assert found["lock"].signature == "static DEFINE_SPINLOCK(lock)"
    assert found["counts"].line == 5
    assert found["stat"].signature == "DEFINE_PER_CPU_ALIGNED(struct stat, stat)"


def test_a_type_of_c_is_not_the_variable_or_function_of_its_name() -> None:
    header = b"struct stat { int size; };\nint stat(const char *path);\n"
    made = build({"a.c": DEFINED, "stat.h": header})
    used = {(e.line, e.column): (e.target.path, e.target.qualname, e.score)
            for e in made.resolutions["a.c"].edges}  # fmt: skip
    assert used[13, 15] == ("stat.h", "stat", 1.0)
    assert used[17, 15] == ("stat.h", "stat.size", 1.0)
    assert used[17, 22] == ("a.c", "stat", 1.0)
    assert used[16, 10] == ("a.c", "lock", 1.0)


def test_in_cpp_a_macro_that_declares_names_a_type_of_elsewhere() -> None:
    text = b"Q_DECLARE_METATYPE(Shape)\nQ_DECLARE_METATYPE(Box);\nDEFINE_GUARD(guard, Lock);\n"
    found = [(s.name, s.kind) for s in parse_file("a.cpp", text).symbols]
    assert ("guard", "variable") in found
    assert "Box" not in dict(found)


DECLARED = {
    "a.go": ("package a\nconst one, two = 1, 2\nvar three, four = 1, 2\n", "one two three four"),
    "a.rb": ("class K\n  ONE, TWO = 1, 2\nend\n", "K ONE TWO"),
    "a.py": (
        "one = two = 1\n(three, four) = f()\n[five, *six] = f()\n"
        "class K:\n    seven = eight = 1\n    nine, ten = 1, 2\n",
        "one two three four five six K seven eight nine ten",
    ),
    "a.js": (
        "const { one, two: three, four = 1 } = whole;\nexport const [five, six] = all;\n"
        "const { seven } = require('x');\nfunction run() { const { eight } = whole; }\n",
        "one three four five six run",
    ),
    "a.c": (
        "int (*one)(int);\nstatic int (*two[3])(int) = {0};\nint ***three, four[2][3][4];\n"
        'static const char *const five[] = {"a"};\nint run(int), six;\n',
        "one two three four five run six",
    ),
    "a.cpp": (
        "struct K { static int one; };\nint K::one = 2;\nstatic Foo& two = get();\n"
        'extern "C" int four;\nint n::K::five;\n'
        "template <class T> bool H<T>::six = false;\n"
        "template <> void three<int>() {}\nvoid run() { int& local = two; K::T other; }\n",
        "K one one two four five six three run",
    ),
    "a.jl": (
        "one = 1\nmodule M\ntwo = 2\n@enum Three four five\nend\nrun(x) = (local_ = x)\n",
        "one M two Three four five run",
    ),
}


@pytest.mark.parametrize("path", DECLARED)
def test_each_name_of_a_declaration_is_a_symbol(path: str) -> None:
    text, wanted = DECLARED[path]
    found = [symbol.name for symbol in parse_file(path, text.encode()).symbols]
    assert found == wanted.split()


@pytest.mark.parametrize("ending", ["c", "cpp"])
def test_a_type_is_in_no_variable_that_is_declared_with_it(ending: str) -> None:
    text = b"struct S {\n  int a;\n} one, *two;\nenum E { X } three = X;\nstruct { int b; } four;\n"
    made = build({f"s.{ending}": text, f"u.{ending}": f'#include "s.{ending}"\nS s;\n'.encode()})
    symbols = parse_file(f"s.{ending}", text).symbols
    found = [f"{s.container}.{s.name}" for s in symbols]
    assert found == [".S", "S.a", ".one", ".two", ".E", "E.X", ".three", ".four", "four.b"]
    assert [e.target.qualname for e in made.resolutions[f"u.{ending}"].edges] == ["S"]


def test_members_are_found_through_the_other_names_of_a_struct() -> None:
    header = (
        b"typedef struct P {\n  int p;\n} Q, *QP;\ntypedef struct same {\n  int s;\n} same;\n"
        b"typedef enum E { X } F;\n"
    )
    use = (
        b'#include "a.h"\nint f(Q *q, struct P *r, QP t, same *s)\n'
        b"{\n  return q->p + r->p + t->p + s->s;\n}\n"
    )
    found = [f"{s.container}.{s.name}" for s in parse_file("a.h", header).symbols]
    assert found == [".P", "P.p", ".Q", ".QP", ".same", "same.s", ".same", ".E", "E.X", ".F"]
    made = build({"a.h": header, "a.c": use})
    members = [(e.target.qualname, e.score) for e in made.resolutions["a.c"].edges if e.line == 4]
    assert members == [("P.p", 1.0), ("P.p", 1.0), ("P.p", 1.0), ("same.s", 1.0)]
