from __future__ import annotations

import difflib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.errors import NotFoundError
from surveyor.graph.queries.lookup import StoredGraph
from surveyor.graph.queries.names import FUZZY_CUTOFF, MAX_CANDIDATES, _closest, find
from surveyor.graph.queries.unfollowed import unfollowed
from tests.graph.support import CHECKOUT, Checkout

NAMES = st.text(alphabet="abcd_AB", min_size=1, max_size=12)


@given(NAMES, st.lists(NAMES, max_size=40, unique=True))
def test_the_most_similar_names_are_those_that_difflib_finds(name: str, names: list[str]) -> None:
    found = _closest(name, names)
    by_lower = {each.lower() for each in names}
    if name.lower() in by_lower:
        assert sorted(found) == sorted(each for each in names if each.lower() == name.lower())
        return
    pairs = {name.lower()[at : at + 2] for at in range(len(name) - 1)}
    possible = [each for each in by_lower if not pairs or any(pair in each for pair in pairs)]
    ratios = [
        difflib.SequenceMatcher(None, each, name.lower()).ratio()
        for each in difflib.get_close_matches(
            name.lower(), sorted(possible), MAX_CANDIDATES, FUZZY_CUTOFF
        )
    ]
    mine = list(dict.fromkeys(each.lower() for each in found))
    assert [difflib.SequenceMatcher(None, each, name.lower()).ratio() for each in mine] == ratios


def test_a_name_that_was_mistyped_is_found_among_many() -> None:
    names = [f"handler_{number}_of_something" for number in range(5000)]
    assert _closest("parse_cofnig", [*names, "parse_config", "Parse_Other"])[0] == "parse_config"
    assert _closest("PARSE_CONFIG", [*names, "parse_config"]) == ["parse_config"]


async def test_of_several_definitions_the_most_used_one_is_meant(tmp_path: Path) -> None:
    made = await Checkout.open(tmp_path)
    uses = "".join(f"def use_{n}():\n    main()\n\n\n" for n in range(3))
    await made.write(
        {
            "a/first.py": "def main(): ...\n",
            "b/second.py": "def main(): ...\n\n\n" + uses,
            "tests/test_first.py": "from a.first import main\n" + 2 * uses,
        }
    )
    meant = await find(StoredGraph(made.state, CHECKOUT), "main")
    await made.close()
    assert meant.nodes[0].path == "b/second.py"
    assert [node.path for node in meant.candidates] == ["a/first.py"]


async def test_a_name_in_full_is_not_what_is_further_inside_nor_a_constructor(
    tmp_path: Path,
) -> None:
    made = await Checkout.open(tmp_path)
    await made.write(
        {
            "rack.rb": "module Rack\n  class Request\n    def go; end\n  end\nend\n",
            "auth.rb": "module Rack\n  module Auth\n    class Request; end\n  end\nend\n",
            "Node.java": "package a.b;\npublic class Node { public Node() {} }\n",
            "cmd/main.go": "package tool\n\nfunc Main() {}\n",
            "src/Retry/Helper.cs": "namespace Lib.Retry;\nclass Helper { void Delay() {} }\n",
        }
    )
    stored = StoredGraph(made.state, CHECKOUT)
    request, node = await find(stored, "Rack::Request"), await find(stored, "Node")
    package, space = await find(stored, "tool.Main"), await find(stored, "Lib.Retry.Helper.Delay")
    await made.close()
    assert [n.path for n in request.nodes] == ["rack.rb"] and not request.candidates
    assert [n.kind for n in node.nodes] == ["class"] and not node.candidates
    assert [n.path for n in package.nodes] == ["cmd/main.go"] and package.notice is None
    assert [n.name for n in space.nodes] == ["Delay"] and space.notice is None


async def test_a_declaration_and_its_definition_are_one_thing_however_they_are_named(
    tmp_path: Path,
) -> None:
    made = await Checkout.open(tmp_path)
    header = "namespace lib {\nclass Store {\n public:\n  int Get(int key);\n};\n}\n"
    source = '#include "store.h"\nnamespace lib {\nint Store::Get(int key) { return key; }\n}\n'
    await made.write(
        {
            "src/store.h": header,
            "src/store.cc": source,
            "log/log.go": "package log\n\nfunc Info() {}\n",
            "src/Psr7/Uri.php": "<?php\nnamespace Guzzle\\Psr7;\nclass Uri { function with(); }\n",
        }
    )
    stored = StoredGraph(made.state, CHECKOUT)

    async def places(name: str) -> list[str]:
        return [node.path for node in (await find(stored, name, "zero")).nodes]

    defined = ["src/store.cc", "src/store.h"]
    for name in ("lib::Store::Get(int)", "Store.Get", "src/store.cc:Store::Get", "store.cc:3"):
        assert await places(name) == defined, name
    for name in ("src/store.h::lib.Store.Get", "store.h#Store::Get", "src/store.h:4:7"):
        assert await places(name) == defined[::-1], name
    for name in ("zero/log.Info", "github.com/one/zero/log.Info", "log.Info()"):
        assert await places(name) == ["log/log.go"], name
    for name in ("Psr7\\Uri::with", "\\Guzzle\\Psr7\\Uri->with", "Uri.with"):
        assert await places(name) == ["src/Psr7/Uri.php"], name
    other = await find(stored, "Nope\\Uri::with")
    await made.close()
    assert other.notice is not None
    assert other.notice.startswith("nothing is called Nope\\Uri::with; this is src/Psr7/Uri.php")


async def test_a_member_of_one_class_is_none_of_another_one_and_an_import_is_what_it_imports(
    tmp_path: Path,
) -> None:
    made = await Checkout.open(tmp_path)
    await made.write(
        {
            "a.py": "class Base:\n    def clear(self): ...\n\n\nclass Heir(Base): ...\n\n\n"
            "class Other: ...\n",
            "lib/is-open.js": "module.exports = (door) => door.open\n",
            "lib/box.js": "module.exports = class Box {}\n",
            "lib/index.js": "module.exports = lazily({\n  get Box() {\n"
            "    return require('./box')\n  },\n})\n",
            "lib/use.js": "const isOpen = require('./is-open')\nconst Crate = require('./box')\n"
            "const fs = require('fs')\n",
        }
    )
    stored = StoredGraph(made.state, CHECKOUT)
    inherited = await find(stored, "Heir.clear")
    with pytest.raises(NotFoundError, match=r"nothing is called Other\.clear") as told:
        await find(stored, "Other.clear")
    whole, renamed, foreign = [await find(stored, name) for name in ("isOpen", "Crate", "fs")]
    boxes = await unfollowed(stored, renamed.nodes, 0, {}, str(tmp_path))
    doors = await unfollowed(stored, whole.nodes, 0, {}, str(tmp_path))
    await made.close()
    assert boxes == ["lib/index.js::Box may give it under the same name: ask who uses that too"]
    assert not doors
    assert [node.key for node in inherited.nodes] == ["a.py::Base.clear"] and inherited.notice
    assert "a.py::Base.clear" in told.value.hint
    assert [node.key for node in whole.nodes] == ["lib/is-open.js::exports"]
    assert [node.key for node in renamed.nodes] == ["lib/box.js::Box"]
    assert [node.key for node in foreign.nodes] == ["lib/use.js::fs"]


@pytest.mark.parametrize("name", ["log:info", "log::warn", "log.info", "str.trim.left"])
async def test_a_name_that_has_separators_in_it_is_found_as_it_is_written(
    tmp_path: Path, name: str
) -> None:
    made = await Checkout.open(tmp_path)
    await made.write({"a.sh": f"{name}() {{\n  echo\n}}\n", "b.py": "def info(): ...\n"})
    found = await find(StoredGraph(made.state, CHECKOUT), name)
    await made.close()
    assert [node.key for node in found.nodes] == [f"a.sh::{name}"]
