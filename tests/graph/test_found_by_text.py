"""Uses of further projects that complete answers lacked, by what hid them (see
`test_certain_answers`)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.graph.memory import graph, uses
from tests.graph.service_support import Servers, references
from tests.graph.service_support import uses as used
from tests.graph.support import Checkout

GO = (
    "package m\ntype Box[K any] struct{}\nfunc (b *Box[K]) Run() {}\ntype Lid struct{}\n"
    "func (l *Lid) Open() {}\nfunc New[K any](n int) (*Box[K], *Lid) { return nil, nil }\n"
    "func Named[K any]() (b *Box[K], err error) { return }\n"
)
GO_FILES = {"go.mod": "module m\n", "a.go": GO}
SWIFT = (
    "public func compose() -> Box { return Box() }\npublic struct Box { func open() {} }\n"
    "enum State { case opened, closed }\nenum Other { case opened, closed }\n"
)
ELIXIR = {
    "lib/a.ex": "defmodule A.Lids.Lid do\n  def open?, do: true\n  def close(x), do: x\nend\n",
    "test/case.ex": "defmodule A.Case do\n  defmacro __using__(_) do\n    quote do\n"
    "      alias A.Lids\n    end\n  end\nend\n",
}

FOUND: dict[str, tuple[dict[str, str], str, int, str]] = {
    "go: a call that is told types, with one argument": (
        GO_FILES | {"f.go": "package m\nfunc f() {\n\tb, _ := New[int](1)\n\tb.Run()\n}\n"},
        "f.go", 3, "New",
    ),
    "go: what a call gives that is told types": (
        GO_FILES | {"f.go": "package m\nfunc f() {\n\tb, _ := New[int](1)\n\tb.Run()\n}\n"},
        "f.go", 4, "Box.Run",
    ),
    "go: a call that is told types, without arguments": (
        GO_FILES | {"f.go": "package m\nfunc f() {\n\tb, e := Named[int]()\n\tb.Run()\n}\n"},
        "f.go", 4, "Box.Run",
    ),
    "go: the second of several results": (
        GO_FILES | {"f.go": "package m\nfunc f() {\n\t_, l := New[int](1)\n\tl.Open()\n}\n"},
        "f.go", 4, "Lid.Open",
    ),
    "cpp: a constant of an enumeration by the class around it": (
        {
            "a.h": "struct Box {\n  enum Kind { kRound, kFlat };\n"
            "  struct Lid { enum { OPEN } tag; };\n};\nint kRound();\n",
            "a.cc": '#include "a.h"\nint f() { return Box::kFlat; }\n'
            "int g() { return Box::Lid::OPEN; }\n",
        },
        "a.cc", 2, "Box.Kind.kFlat",
    ),
    "cpp: a constant of an enumeration without a name": (
        {
            "a.h": "struct Box {\n  struct Lid { enum { OPEN } tag; };\n};\n",
            "a.cc": '#include "a.h"\nint g() { return Box::Lid::OPEN; }\n',
        },
        "a.cc", 2, "Box.Lid.tag.OPEN",
    ),
    "cpp: a path from the root": (
        {
            "a.h": "namespace n { int open(); }\n",
            "a.cc": '#include "a.h"\nint f() { return ::n::open(); }\n',
        },
        "a.cc", 2, "n.open",
    ),
    "cpp: a name for a namespace": (
        {
            "a.h": "namespace n { struct Box { static int open(); }; }\nint open();\n",
            "a.cc": '#include "a.h"\nnamespace b = n;\nint f() { return b::Box::open(); }\n',
        },
        "a.cc", 3, "n.Box.open",
    ),
    "cpp: a type that a function gives a name": (
        {"a.cc": "struct B {};\nint f() {\n  using P = B;\n  P p = P();\n  return 1;\n}\n"},
        "a.cc", 4, "f.P",
    ),
    "rust: a type that a function gives a name": (
        {
            "Cargo.toml": '[package]\nname = "x"\n',
            "src/lib.rs": "struct B;\nfn f() {\n    type P = B;\n    let p: P = B;\n}\n",
        },
        "src/lib.rs", 4, "f.P",
    ),
    "c: a variable that a guarded header declares": (
        {
            "h.h": '#ifndef H\n#define H\n#ifdef __cplusplus\nextern "C" {\n#endif\n'
            "extern int g_flag;\n#ifdef __cplusplus\n}\n#endif\n#endif\n",
            "h.c": '#include "h.h"\nint g_flag = 0;\n',
            "t.c": '#include "h.h"\nvoid f(void) {\n  g_flag = 1;\n}\n',
        },
        "t.c", 3, "g_flag",
    ),
    "c: what is known where a file is included": (
        {
            "x.h": "typedef struct { int lid; } BOX;\n",
            "a.c": '#include "x.h"\nenum { KW_A };\n#include "a_impl.c"\n',
            "a_impl.c": "static int f(BOX *all) {\n  all[0].lid = KW_A;\n  return 1;\n}\n",
            "b.h": "typedef struct { int lid; } OTHER;\n",
        },
        "a_impl.c", 2, "BOX.lid",
    ),
    "c: a constant that is known where a file is included": (
        {
            "a.c": 'enum { KW_A };\n#include "a_impl.c"\n',
            "a_impl.c": "static int f(void) {\n  return KW_A;\n}\n",
        },
        "a_impl.c", 2, "KW_A",
    ),
    "swift: a function by its module": (
        {
            "Package.swift": "",
            "Sources/Shop/A.swift": SWIFT,
            "Tests/ShopTests/T.swift": "import Shop\nfunc t() {\n    Shop.compose().open()\n}\n",
        },
        "Tests/ShopTests/T.swift", 3, "compose",
    ),
    "swift: a case of what is switched over": (
        {
            "Sources/Shop/A.swift": f"{SWIFT}func f(s: State) {{\n    switch s {{\n"
            "    case .closed: break\n    default: break\n    }\n}\n"
        },
        "Sources/Shop/A.swift", 7, "State.closed",
    ),
    "swift: a case that is matched": (
        {
            "Sources/Shop/A.swift": f"{SWIFT}func f(s: State) {{\n"
            "    if case .closed = s { return }\n}\n"
        },
        "Sources/Shop/A.swift", 6, "State.closed",
    ),
    "swift: a case that is compared": (
        {
            "Sources/Shop/A.swift": f"{SWIFT}func f(s: State) -> Bool {{\n"
            "    return s == .closed\n}\n"
        },
        "Sources/Shop/A.swift", 6, "State.closed",
    ),
    "swift: a type beside in an extension of another one": (
        {
            "Sources/Shop/A.swift": "extension String {\n    typealias Both = (Int, Int)\n"
            "    func at() -> Both? { return nil }\n}\n"
        },
        "Sources/Shop/A.swift", 3, "String.Both",
    ),
    "elixir: an alias by another one": (
        ELIXIR | {
            "lib/b.ex": "defmodule B do\n  alias A.Lids\n  alias Lids.Lid\n"
            "  def f, do: Lid.close(1)\nend\n"
        },
        "lib/b.ex", 4, "A.Lids.Lid.close",
    ),
    "elixir: an alias of what a module uses": (
        ELIXIR | {
            "test/b_test.exs": "defmodule B do\n  use A.Case\n"
            "  def f, do: Lids.Lid.close(1)\nend\n"
        },
        "test/b_test.exs", 3, "A.Lids.Lid.close",
    ),
    "elixir: a spec without brackets": (
        {"a.ex": "defmodule A do\n  @spec now :: integer\n  def now, do: 1\nend\n"},
        "a.ex", 2, "A.now",
    ),
    "ruby: what a module extends itself with in another file": (
        {
            "lib/a.rb": "module A\n  module Base\n    def avail!(l); end\n  end\n"
            "  extend Base\nend\n",
            "lib/b.rb": "module A\n  class B\n    def f\n      A.avail!(1)\n    end\n  end\nend\n",
        },
        "lib/b.rb", 4, "A.Base.avail!",
    ),
    "ruby: autoload": (
        {
            "lib/a.rb": "module A\n  autoload :Box, 'a/box'\nend\n",
            "lib/a/box.rb": "module A\n  class Box\n  end\nend\n",
        },
        "lib/a.rb", 2, "A.Box",
    ),
    "php: a member behind a joined text": (
        {
            "a.php": "<?php\nclass A {\n  public ?Lid $lid;\n  function f($q) {\n"
            "    return 'a'.$q.$this->lid->open();\n  }\n}\n"
            "class Lid { function open() {} }\nclass Other { function open() {} }\n"
        },
        "a.php", 5, "Lid.open",
    ),
    "php: a class without a namespace": (
        {
            "p.php": "<?php\nenum Order { case Up; }\n",
            "a.php": "<?php\nnamespace N\\M;\nuse Order;\nfunction f() {\n  return Order::Up;\n}\n",
        },
        "a.php", 5, "Order.Up",
    ),
}  # fmt: skip
"""(files, path, line of a use, what is used there)."""


SAID: dict[str, tuple[dict[str, str], str, str]] = {
    "a key of an object that is handed on": (
        {
            "a.js": "export function make(use) {\n  const all = { allow_all: { size: 1 } }\n"
            "  return use(all)\n}\n",
            "b.js": "export function use(x) {\n  return x.allow_all\n}\n",
        },
        "make.all.allow_all", "1 place of its name is not followed (b.js:2)",
    ),
    "what a module exports, on an object that stands for it": (
        {
            "a.js": "export function checkAll() {}\n",
            "b.js": "export function use(env) {\n  return env.VM.checkAll()\n}\n",
        },
        "checkAll", "1 place of its name is not followed (b.js:2)",
    ),
    "what a class of the project has that nobody reads": (
        {
            "a.rb": "class Box\n  %w[fold_up].each { |m| class_eval \"def #{m}; end\" }\nend\n"
            "class Lid\n  def fold_up; end\nend\ndef f\n  Box.new.fold_up\nend\n",
        },
        "Lid.fold_up", "shares the name only",
    ),
}  # fmt: skip
"""(files, what is asked about, what the answer says)."""


@pytest.mark.parametrize("case", SAID)
async def test_an_answer_says_what_it_may_lack(case: str, tmp_path: Path) -> None:
    files, name, why = SAID[case]
    made = await Checkout.open(tmp_path)
    try:
        await made.write(files)
        answer = await made.service(Servers(runs=False)).ask(references(name), used, uses=True)
    finally:
        await made.close()
    assert not answer.complete
    assert why in (answer.notice or "")


@pytest.mark.parametrize("case", FOUND)
def test_a_use_is_found(case: str) -> None:
    files, path, line, name = FOUND[case]
    assert (line, name) in uses(graph(files), path)


def test_a_call_that_is_told_types_is_a_call() -> None:
    made = graph(GO_FILES | {"f.go": "package m\nfunc f() {\n\tNew[int](1)\n}\n"})
    kinds = {e.kind for e in made.resolutions["f.go"].edges if e.target.qualname == "New"}
    assert kinds == {0}
