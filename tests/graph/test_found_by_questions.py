"""What hard questions about repositories of eight dynamic languages were answered wrongly, and are
not."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from surveyor.graph.queries.items import LineReader
from surveyor.graph.queries.lookup import StoredGraph
from surveyor.graph.queries.names import find
from surveyor.graph.queries.questions import dependencies
from surveyor.graph.queries.structure import overriding
from surveyor.graph.queries.type_hierarchy import hierarchy, implementations
from tests.graph.memory import edges, graph, imports, names, uses
from tests.graph.service_support import Servers, references
from tests.graph.service_support import uses as used
from tests.graph.support import CHECKOUT, Checkout


@pytest.fixture
async def checkout(tmp_path: Path) -> AsyncIterator[Checkout]:
    made = await Checkout.open(tmp_path)
    yield made
    await made.close()


JULIA = """
abstract type Degree{N} <: Flag end
abstract type Bounded{N} <: Degree{N} end
primitive type Small <: Integer 8 end
weight(x::T) where T<:Int = x
short(x)::Int = x
both(x::T)::T where {T} = x
twice(x::T) where {T} where {N} = x
Base.show(io::IO, x::Small) where T = print(io)
+(a::Small, b::Small) = 1
function announced end
struct Box{T} <: Bounded{T}
  width::T
end
@kwdef struct Lid
  height::Int = 1
end
run(x) = weight(x) + twice(x)
"""


def test_julia_defines_with_parameters_of_types_conditions_and_results() -> None:
    made = graph({"a.jl": JULIA})
    assert names(made, "a.jl") == [
        "Degree", "Bounded", "Small", "weight", "short", "both", "twice", "Base.show", "+",
        "announced", "Box", "Box.width", "Lid", "Lid.height", "run",
    ]  # fmt: skip
    found = {(user, target.removeprefix("a.jl::")) for _, user, target in edges(made)}
    extending = {("Bounded", "Degree"), ("Box", "Bounded")}
    assert extending | {("run", "weight"), ("run", "twice")} <= found
    assert ("weight", "weight") not in found


PHP = {
    "a.php": "<?php\nnamespace A;\nclass Role { function f() {} static function h() {} }\n"
    "function foo() {}\n",
    "top.php": "<?php\nclass Role { function top() {} }\n",
    "b.php": "<?php\nnamespace B;\nclass Role extends \\A\\Role { function q() { $this->f(); } }\n"
    "class Guest extends \\Role {}\nfunction foo() {}\n"
    "function g() { new \\A\\Role(); \\A\\Role::h(); \\A\\foo(); }\n",
    "t.php": "<?php\nnamespace T;\ntrait Inner { function forget() {} }\n"
    "trait Outer { use Inner; function g() { $this->forget(); } }\n",
}


def test_names_of_php_that_are_written_from_the_root_are_not_those_of_the_own_namespace() -> None:
    found = edges(graph(PHP))
    assert {
        ("b.php", "Role", "a.php::Role"),
        ("b.php", "Role.q", "a.php::Role.f"),
        ("b.php", "Guest", "top.php::Role"),
        ("b.php", "g", "a.php::Role"),
        ("b.php", "g", "a.php::Role.h"),
        ("b.php", "g", "a.php::foo"),
    } <= found
    assert not {target for _, _, target in found} & {"b.php::Role", "b.php::foo"}


def test_a_trait_of_php_has_what_the_traits_that_it_uses_have() -> None:
    assert ("t.php", "Outer.g", "t.php::Inner.forget") in edges(graph(PHP))


def test_super_of_ruby_runs_the_method_that_is_overridden() -> None:
    text = (
        "class Base\n  def open(x); end\n  def shut; end\nend\nmodule Loud\n  def open(x)\n"
        "    super\n  end\nend\nclass Box < Base\n  include Loud\n  def open(x) = super(x)\n"
        "  def shut\n    [1].each { super() }\n  end\nend\n"
    )
    found = edges(graph({"a.rb": text}))
    assert ("a.rb", "Box.shut", "a.rb::Base.shut") in found
    assert ("a.rb", "Box.open", "a.rb::Loud.open") in found


def test_arguments_of_julia_name_fields_of_what_they_make() -> None:
    text = (
        "@kwdef struct Lid\n  height::Int = 1\nend\nf() = Lid(height=2)\n"
        "function Lid(x; height=3)\n  x\nend\ng(; height=1) = height\nh() = g(height=2)\n"
    )
    assert [at for at, name in sorted(uses(graph({"a.jl": text}), "a.jl")) if "." in name] == [4]


def test_an_instance_variable_of_ruby_is_no_call_of_a_method_of_its_name() -> None:
    made = graph(
        {
            "a.rb": "module Shop\n  def self.deps\n    @deps ||= []\n  end\nend\n",
            "a_spec.rb": "Shop.instance_eval do\n  @deps = 1\nend\nShop.deps\n",
        }
    )
    assert [line for line, name in sorted(uses(made, "a_spec.rb")) if name == "Shop.deps"] == [4]


def test_scripts_of_shells_use_the_scripts_that_they_run() -> None:
    made = graph(
        {
            "bin/app-help": "#!/usr/bin/env bash\necho help\n",
            "bin/app-list": "#!/usr/bin/env bash\nls\n",
            "tools/build.sh": "make\n",
            "bin/app": "#!/usr/bin/env bash\napp-list --all\nexec app-help\n"
            "named() { :; }\nfoo=$(app-list | sort)\nX=$(named y) exec app-help\n"
            'bash ../tools/build.sh\n"$ROOT/tools/build.sh" x\napt-get install y\necho app-help\n',
        }
    )
    assert ("bin/app", "", "bin/app::named") in edges(made)
    assert [target for _, target, _ in imports(made, "bin/app") if target] == [
        "bin/app-list", "bin/app-help", "bin/app-list", "bin/app-help", "tools/build.sh",
        "tools/build.sh",
    ]  # fmt: skip


OVERRIDDEN = {
    "python: what stands before it among the bases": (
        {
            "a.py": "class Base:\n    def open(self): ...\n\nclass Box(Base): ...\n\n"
            "class Quiet:\n    def open(self): ...\n\nclass Late:\n    def open(self): ...\n\n"
            "class Both(Quiet, Box, Late): ...\n",
        },
        "a.py:Base.open", ["Quiet.open"],
    ),
    "php: a trait of a class below": (
        {
            "a.php": "<?php\nclass Base { function open() {} }\n"
            "trait Quiet { function open() {} }\nclass Box extends Base { use Quiet; }\n",
        },
        "a.php:Base.open", ["Quiet.open"],
    ),
    "ruby: a module that is included, and a class that is opened again": (
        {
            "a.rb": "module Shop\n  class Base\n    def open; end\n    class << self\n"
            "      def load(c); end\n    end\n  end\nend\n",
            "b.rb": "module Shop\n  class Base\n    class Lid < Base\n      class << self\n"
            "        def load(c); end\n      end\n    end\n  end\nend\n",
        },
        "a.rb:Shop::Base.load", ["Shop.Base.Lid.load"],
    ),
    "rust: another trait of the type": (
        {
            "a.rs": "trait Open { fn open(&self); }\ntrait Shut { fn open(&self); }\nstruct Box;\n"
            "impl Open for Box { fn open(&self) {} }\nimpl Shut for Box { fn open(&self) {} }\n",
        },
        "a.rs:Shut.open", ["Box.open"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", sorted(OVERRIDDEN))
async def test_what_runs_in_place_of_a_method(case: str, checkout: Checkout) -> None:
    files, asked, expected = OVERRIDDEN[case]
    await checkout.write(files)
    stored = StoredGraph(checkout.state, CHECKOUT)
    meant = await find(stored, asked)
    found = await implementations(stored, meant, LineReader(str(checkout.root)))
    assert [item.symbol for item in found.items] == expected
    instead = {user.qualname for user, _, _ in await overriding(stored, meant.nodes)}
    assert set(expected) <= instead or asked.endswith("Shut.open")


NEEDED = {
    "elixir": ("lib/mail.ex", "defmodule Mail do\n  def go(%Mail.Letter{} = l), do: l\nend\n",
               "lib/letter.ex", "defmodule Mail.Letter do\n  defstruct [:to]\nend\n"),
    "kotlin": ("a/Mail.kt", "package a\nclass Mail { fun go(l: Letter) = l }\n",
               "a/Letter.kt", "package a\nclass Letter\n"),
    "swift": ("Mail.swift", "struct Mail { func go(_ l: Letter) {} }\n",
              "Letter.swift", "struct Letter {}\n"),
}  # fmt: skip


@pytest.mark.parametrize("language", sorted(NEEDED))
async def test_files_that_a_file_needs_without_importing_them(
    language: str, checkout: Checkout
) -> None:
    path, text, other, defined = NEEDED[language]
    await checkout.write({path: text, other: defined})
    stored = StoredGraph(checkout.state, CHECKOUT)
    lines = LineReader(str(checkout.root))
    user, used = await stored.file(path), await stored.file(other)
    assert user is not None
    assert used is not None
    needs = (await dependencies(stored, user, lines, "out", 1)).items
    needed_by = (await dependencies(stored, used, lines, "in", 1)).items
    assert [item.path for item in needs] == [other]
    assert [item.path for item in needed_by] == [path]


async def test_what_is_no_type_is_not_said_to_have_none_below(checkout: Checkout) -> None:
    await checkout.write({"a.lua": "local Base = {}\nlocal Sub = setmetatable({}, Base)\n"})
    stored = StoredGraph(checkout.state, CHECKOUT)
    found = await hierarchy(
        stored, await find(stored, "Base"), LineReader(str(checkout.root)), "both", 3
    )
    assert (found.items, found.incomplete) == ([], True)
    assert found.notice == "a.lua::Base is a variable: it is no type"


async def test_a_script_without_an_ending_is_meant_by_its_path(checkout: Checkout) -> None:
    await checkout.write({"bin/app-help": "#!/usr/bin/env bash\nX=1\n", "bin/app": "app-help\n"})
    service = checkout.service(Servers(runs=False))
    answer = await service.ask(references("bin/app-help"), used)
    assert answer.symbol is not None
    assert (answer.symbol.path, answer.symbol.symbol_kind) == ("bin/app-help", "file")
