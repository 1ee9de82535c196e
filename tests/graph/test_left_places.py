"""Uses that are not followed are told of by their places; what is known to be something else is
not."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from surveyor.graph.left_uses import LeftUse, decode_left, encode_left
from surveyor.graph.queries.lookup import StoredGraph
from surveyor.graph.queries.unsaved import GraphWithUnsaved, UnsavedFile
from tests.graph.service_support import Servers, references, uses
from tests.graph.support import CHECKOUT, Checkout

PYTHON = {
    "a.py": "def open_all():\n    pass\n",
    "b.py": "def later():\n    pass\n\n\nclass Box:\n    def get(self):\n        pass\n",
    "c.py": "class Lid:\n    def get(self):\n        pass\n\n\n"
    "class Jar:\n    def get(self):\n        pass\n",
}
LEFT: dict[str, tuple[dict[str, str], str, str]] = {
    "a member that a module of the project does not have": (
        PYTHON | {"use.py": "import a\n\n\ndef f():\n    a.later()\n"},
        "later", "1 place of its name is not followed (use.py:5)",
    ),
    "a name that is imported from a module that does not have it": (
        PYTHON | {"use.py": "from a import later\n\nlater()\n"},
        "later", "2 places of its name are not followed (use.py:1, use.py:3)",
    ),
    "several places, in tests last": (
        PYTHON | {
            "test_a.py": "import a\n\n\ndef test_it():\n    a.later()\n",
            "use.py": "import a\n\n\ndef f():\n    a.later()\n    a.later(1)\n",
        },
        "later", "3 places of its name are not followed (use.py:5, use.py:6 and 1 more)",
    ),
    "rust: a function that a module does not have": (
        {
            "src/lib.rs": "pub mod a;\npub mod b;\n", "src/a.rs": "pub fn near() {}\n",
            "src/b.rs": "pub fn later() {}\nfn f() {\n    crate::a::later();\n}\n",
        },
        "later", "1 place of its name is not followed (src/b.rs:3)",
    ),
    "rust: a common name on what a lock gives": (
        {
            "src/lib.rs": "use other::Mutex;\npub struct Box;\n"
            "impl Box {\n    pub fn len(&self) {}\n}\n"
            "fn f() {\n    Mutex::new(1).wait().unwrap().len();\n}\n",
        },
        "Box.len", "1 place of its name is not followed (src/lib.rs:7)",
    ),
    "typescript: a member that a namespace does not have": (
        {
            "a.ts": "export function near() {}\n", "b.ts": "export function later() {}\n",
            "c.ts": 'import * as a from "./a";\nexport function f() {\n  a.later();\n}\n',
        },
        "later", "1 place of its name is not followed (c.ts:3)",
    ),
    "zig: a function of what an iterator of elsewhere gives": (
        {
            "box.zig": "const Box = @This();\npub fn open(box: *Box) void { _ = box; }\n",
            "use.zig": 'const lib = @import("lib");\nconst Gate = struct { all: lib.Ring };\n'
            "pub fn f(gate: *Gate) void {\n    gate.all.walker().only().open();\n}\n",
        },
        "open", "1 place of its name is not followed (use.zig:4)",
    ),
}  # fmt: skip
EXPLAINED: dict[str, tuple[dict[str, str], str]] = {
    "another package's": (
        PYTHON | {"use.py": "import lib\nfrom other import later\n\nlater()\nlib.later()\n"},
        "later",
    ),
    "a local variable, and a parameter": (
        PYTHON | {"use.py": "def f(later):\n    later()\n\n\ndef g():\n"
            "    later = f\n    later()\n"},
        "later",
    ),
    "a use of another definition": (
        PYTHON | {"d.py": "def later():\n    pass\n\n\nlater()\n"}, "later",
    ),
    "a receiver of a type that does not have it": (
        PYTHON | {"use.py": "import b\n\n\ndef f(box: b.Box):\n    box.later()\n"}, "later",
    ),
    "a comment and a string": (
        PYTHON | {"use.py": "import a\n# a.later()\nTEXT = 'a.later()'\n"}, "later",
    ),
    "a function, on a value of which nothing is known": (
        PYTHON | {"use.py": "import lib\n\n\ndef f(x):\n    lib.make(x).later()\n"}, "later",
    ),
    "a member, on a package of elsewhere": (
        PYTHON | {"use.py": "import lib\n\n\ndef f():\n    lib.part.get()\n"}, "Box.get",
    ),
    "a name of another language": (
        PYTHON | {"use.rs": "mod a;\nfn f() {\n    a::later();\n}\n", "a.rs": "fn near() {}\n"},
        "later",
    ),
    "go: what a function of another package gives": (
        {
            "go.mod": "module m\n",
            "a.go": 'package m\nimport "other/lib"\ntype Box struct{}\nfunc (b *Box) Flush() {}\n'
            "func f(r lib.Request) { lib.New(1).Flush(); r.Context().Flush() }\n",
        },
        "Box.Flush",
    ),
    "rust: a field whose type is another crate's": (
        {
            "src/lib.rs": "use other::Gate;\npub struct Box { gate: Gate }\nimpl Box {\n"
            "    pub fn len(&self) -> usize {\n        self.gate.len()\n    }\n}\n",
        },
        "Box.len",
    ),
}  # fmt: skip


@pytest.fixture
async def checkout(tmp_path: Path) -> AsyncIterator[Checkout]:
    made = await Checkout.open(tmp_path)
    yield made
    await made.close()


async def said(checkout: Checkout, name: str) -> tuple[bool, str]:
    """Whether an answer is complete, and what it says."""
    service = checkout.service(Servers(runs=False))
    answer = await service.ask(references(name), uses, uses=True)
    return answer.complete, answer.notice or ""


@pytest.mark.parametrize("case", LEFT)
async def test_places_that_are_not_followed_are_named(case: str, checkout: Checkout) -> None:
    files, name, sentence = LEFT[case]
    await checkout.write(files)

    complete, why = await said(checkout, name)
    assert not complete and sentence in why


@pytest.mark.parametrize("case", EXPLAINED)
async def test_what_is_known_to_be_something_else_is_not_told(
    case: str, checkout: Checkout
) -> None:
    files, name = EXPLAINED[case]
    await checkout.write(files)

    assert "place" not in (await said(checkout, name))[1]


async def test_a_place_counts_from_when_the_project_defines_the_name(checkout: Checkout) -> None:
    use = {"a.py": "def near():\n    pass\n", "use.py": "import a\n\na.later()\n"}
    await checkout.write(use)
    await checkout.write({"b.py": "def later():\n    pass\n"})
    assert await said(checkout, "later") == (
        False, "1 place of its name is not followed (use.py:3)",
    )  # fmt: skip
    await checkout.write({"a.py": "from b import later\n"})
    assert await said(checkout, "b.later") == (True, "")


async def test_a_base_that_is_not_followed_may_be_the_type(checkout: Checkout) -> None:
    await checkout.write(
        {
            "a.py": "def near():\n    pass\n", "b.py": "class Later:\n    pass\n",
            "use.py": "import a\n\n\nclass Box(a.Later):\n    pass\n",
        }
    )  # fmt: skip
    service = checkout.service(Servers(runs=False))

    async def why(name: str) -> str | None:
        context = await service.query_context(str(checkout.root), None)
        meant = await context.meant(references(name))
        response = await service.respond(context, meant, await uses(context, meant), 10)
        return (await service.say_left_out(context, meant, response)).notice

    assert await why("Later") == "1 place of its name is not followed (use.py:4)"
    assert await why("near") is None


async def test_a_buffer_counts_in_place_of_its_file(checkout: Checkout) -> None:
    files = {"a.py": "def near():\n    pass\n", "b.py": "def later():\n    pass\n"}
    await checkout.write(files | {"use.py": "import a\n\na.later()\n"})
    stored = StoredGraph(checkout.state, CHECKOUT)
    file = await stored.file("use.py")
    assert file is not None
    buffer = UnsavedFile(
        path="use.py", version=2, file=file, nodes=[], overloads=[], gone=[], edges=[], imports=[],
        references=[], left=encode_left([LeftUse("later", "call", 9, "module")]), kinds={},
        signatures={}, facts=b"",
    )  # fmt: skip
    unsaved = GraphWithUnsaved(checkout.state, CHECKOUT, {"use.py": buffer})

    assert [(path, use.line) for path, use in await stored.left("later")] == [("use.py", 3)]
    assert [(path, use.line) for path, use in await unsaved.left("later")] == [("use.py", 9)]


def test_what_is_stored_of_a_place_is_read_again() -> None:
    uses = [
        LeftUse("open", "call", 70_000, "given"),
        LeftUse("open", "inheritance", 3, "module"),
        LeftUse("shut", "read", 1, "value"),
    ]
    stored = encode_left([*uses, uses[0]])

    assert sorted(decode_left(stored, "open")) == sorted(uses[:2])
    assert decode_left(stored, "shut") == uses[2:]
    assert decode_left(stored, "lid") == []
