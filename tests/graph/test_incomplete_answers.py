"""Answers that may lack something say what, and why."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from surveyor.graph.queries.lookup import StoredGraph
from surveyor.graph.queries.names import NameMeaning
from surveyor.graph.queries.questions import MatchedItems
from surveyor.graph.queries.traverse import WALK_CUT
from surveyor.graph.queries.type_hierarchy import implementations
from surveyor.graph.queries.unfollowed import left_out_by_language, unfollowed
from surveyor.graph.resolve.certainty import CERTAIN
from surveyor.graph.service import GraphService
from tests.graph.service_support import CODE, Servers, references, uses
from tests.graph.support import CHECKOUT, Checkout


@pytest.fixture
async def checkout(tmp_path: Path) -> AsyncIterator[Checkout]:
    made = await Checkout.open(tmp_path)
    await made.write(CODE)
    yield made
    await made.close()


async def said(service: GraphService, name: str) -> tuple[bool, str]:
    """Whether an answer is complete, and what it says."""
    answer = await service.ask(references(name), uses, uses=True)
    return answer.complete, answer.notice or ""


async def test_an_answer_says_why_it_may_lack_uses(checkout: Checkout) -> None:
    """A receiver of unknown type is candidate of few and of none where many share the name."""
    many = "".join(f"class C{n}:\n    def pack(self): ...\n\n\n" for n in range(9))
    few = "class One:\n    def fetch(self): ...\n\n\nclass Two:\n    def fetch(self): ...\n"
    await checkout.write(
        {"many.py": many, "few.py": few, "use.py": "def f(x):\n    x.pack()\n    x.fetch()\n"}
    )
    service = checkout.service(Servers(runs=False))

    assert await said(service, "target") == (True, "")
    complete, why = await said(service, "C1.pack")
    assert not complete and "9 members are called pack" in why
    complete, why = await said(service, "One.fetch")
    assert not complete and "1 place shares the name only" in why


async def test_what_operators_and_their_like_may_run_is_never_completely_known(
    checkout: Checkout,
) -> None:
    rust = (
        "impl Drop for Box {\n    fn drop(&mut self) {}\n}\nimpl Box {\n    fn add(&self) {}\n}\n"
    )
    await checkout.write(
        {
            "Box.cs": "class Gate { public void Dispose() {} public void Open() {} }\n",
            "box.rs": f"struct Box;\n{rust}",
        }
    )
    service = checkout.service(Servers(runs=False))

    unnamed = "may run it without naming it: not all such places are followed"
    assert await said(service, "Gate.Dispose") == (False, f"`using` {unnamed}")
    assert await said(service, "Box.drop") == (False, f"the end of its object {unnamed}")
    assert await said(service, "Gate.Open") == (True, "")
    assert await said(service, "Box.add") == (True, ""), "a method of its own, of no trait"


async def test_a_macro_may_make_the_name_of_what_is_asked_about(checkout: Checkout) -> None:
    await checkout.write(
        {
            "run.h": "#define RUN(name, kind) do_##name##_##kind(); step_##name()\n",
            "run.c": '#include "run.h"\nvoid do_open_now(void) {}\nvoid step_open(void) {}\n'
            "void step_close(void) {}\nvoid main(void) { RUN(open, now); }\n",
        }
    )
    service = checkout.service(Servers(runs=False))

    assert await said(service, "step_open") == (False, "a macro in run.h may make its name (##)")
    assert await said(service, "step_close") == (True, ""), "nobody hands it `close`"
    assert not (await said(service, "do_open_now"))[0]


async def test_an_answer_says_that_a_string_may_call_what_is_asked_about(
    checkout: Checkout,
) -> None:
    table = "import b\nNAMES = ['later', 'other']\n__all__ = ['target']\n"
    reach = (
        "import a\n\n\ndef run(name):\n    getattr(a, name)()\n    getattr(a, f'visit_{name}')()\n"
    )
    added = "\n\ndef visit_node():\n    pass\n\n\ndef later():\n    pass\n"
    await checkout.write({"a.py": CODE["a.py"] + added, "table.py": table, "reach.py": reach})
    service = checkout.service(Servers(runs=False))

    assert await said(service, "target") == (True, ""), "a list of exports runs nothing"
    assert await said(service, "other") == (True, ""), "neither file reaches anything by a name"
    assert await said(service, "visit_node") == (False, "it may be called by a string in reach.py")
    await checkout.write({"table.py": table + "globals()[NAMES[0]]()\n"})
    assert await said(service, "later") == (False, "it may be called by a string in table.py")


async def test_a_file_that_is_left_out_counts_where_it_has_the_name(checkout: Checkout) -> None:
    (checkout.root / "huge.py").write_text("target()\n")
    (checkout.root / "other.py").write_text("pass\n")
    stored = StoredGraph(checkout.state, CHECKOUT)
    left_out = {"python": [("other.py", "generated"), ("huge.py", "too_large")]}

    async def why(name: str) -> list[str]:
        root = str(checkout.root)
        return await unfollowed(stored, await stored.named(name), 0, left_out, root)

    assert await why("target") == ["1 file that has this name is left out (huge.py: too_large)"]
    assert await why("use") == []


async def test_a_file_without_its_graph_is_not_passed_over_in_silence(checkout: Checkout) -> None:
    checkout.poisoned = {"bad.py"}
    bad = "from core import run\n\n\ndef bad():\n    return run()\n"
    await checkout.write(
        {"core.py": "def run():\n    return 1\n\n\ndef helper():\n    return 1\n", "bad.py": bad}
    )
    service = checkout.service(Servers())
    context = await service.query_context(str(checkout.root), None, 0)
    stored = StoredGraph(checkout.state, CHECKOUT)

    async def why(name: str) -> list[str]:
        return await service.unfollowed(context, await stored.named(name), 0)

    assert await why("run") == [
        "1 file that has this name is left out (bad.py: what it uses could not be read)"
    ]
    assert await why("helper") == []
    checkout.poisoned = set()
    await checkout.write({"bad.py": bad + "\n"})
    assert await why("run") == []


async def test_a_file_that_cannot_be_resolved_is_named_until_it_can(checkout: Checkout) -> None:
    checkout.poisoned, checkout.dies_at = {"b.py"}, "resolve"
    nothing = {"empty.py": "", "blank.py": " \n\n"}
    await checkout.write({**CODE, **nothing, "README.md": "# target\n"})
    service = checkout.service(Servers())
    service.updater = checkout.graph
    context = await service.query_context(str(checkout.root), None, 0)
    nodes = await StoredGraph(checkout.state, CHECKOUT).named("target")
    assert await service.files_given_up(CHECKOUT) == ["b.py"]
    assert await service.unfollowed(context, nodes, 0) == [
        "1 file that has this name is left out (b.py: what it uses could not be read)"
    ]
    checkout.poisoned = set()
    await checkout.write({"b.py": CODE["b.py"] + "\n"})
    assert await service.files_given_up(CHECKOUT) == []
    assert await service.unfollowed(context, nodes, 0) == []


async def test_a_walk_that_ended_early_says_so(checkout: Checkout) -> None:
    await checkout.write(CODE)
    service = checkout.service(Servers())
    context = await service.query_context(str(checkout.root), None, 0)
    meant = NameMeaning(await context.stored.named("target"))
    answer = await service.respond(context, meant, MatchedItems([], cut=True), 10)
    assert not answer.complete and answer.notice == WALK_CUT


@pytest.mark.parametrize(
    ("path", "interface", "satisfying", "said"),
    [
        ("a.ts", "export interface Shape {\n  area(): number;\n}\n", False, "handed over"),
        (
            "b.ts",
            "export interface Shape {\n  area(): number;\n}\n"
            "export class Disc {\n  area() { return 1; }\n}\n",
            True,
            "1 has all its members by name",
        ),
        (
            "c.py",
            "from typing import Protocol\n\n\nclass Shape(Protocol):\n"
            "    def area(self) -> int: ...\n",
            False,
            "inherits some of its members",
        ),
        (
            "d.ts",
            "export interface Shape {\n"
            + "".join(f"  side{number}(): number;\n" for number in range(40))
            + "}\n",
            False,
            "it has 40 members",
        ),
        (
            "e.ts",
            "export interface Shape {\n  (size: number): void;\n}\n"
            "export const round: Shape = (size) => {};\n",
            False,
            "asks for no member by name",
        ),
    ],
)
async def test_what_satisfies_by_shape_is_never_all(
    checkout: Checkout, path: str, interface: str, satisfying: bool, said: str
) -> None:
    await checkout.write({path: interface})
    context = await checkout.service(Servers()).query_context(str(checkout.root), None, 0)
    meant = NameMeaning(await context.stored.named("Shape"))
    found = await implementations(context.stored, meant, context.lines)
    assert found.incomplete and said in (found.notice or "")
    assert [item.symbol for item in found.items] == (["Disc"] if satisfying else [])


def test_only_files_that_could_hold_uses_make_an_answer_incomplete() -> None:
    left_out = left_out_by_language(
        [("huge.py", "too_large"), ("logo.png", "binary"), ("a.py", "secret"), ("b.go", "worker")]
    )
    assert left_out == {"python": [("huge.py", "too_large")], "go": [("b.go", "worker")]}


async def test_all_overloads_of_a_name_lack_nothing(checkout: Checkout) -> None:
    code = (
        "class Box {\n    public void Add(int a) {}\n    public void Add(int a, int b) {}\n"
        "    public void One() {}\n    void Go() { Add(1); Add(1, 2); One(); }\n}\n"
    )
    await checkout.write({"Box.cs": code})
    service = checkout.service(Servers(runs=False))
    assert await said(service, "Box.cs:4") == (True, "")
    assert await said(service, "Box.Add") == (True, "")


async def test_a_declaration_and_its_definition_are_no_overloads(checkout: Checkout) -> None:
    code = "int rate(int a);\nint rate(int a) { return a; }\nint two() { return rate(2); }\n"
    await checkout.write({"box.cpp": code})
    service = checkout.service(Servers(runs=False))
    assert await said(service, "box.cpp:2") == (True, "")


async def test_code_in_a_language_that_is_not_read_may_call_a_function(checkout: Checkout) -> None:
    (checkout.root / "page.tmpl").write_text("{# list #}\n{{ target() }} {{ user(1) }} other\n")
    (checkout.root / "gone.tmpl").mkdir()
    stored = StoredGraph(checkout.state, CHECKOUT)
    unread = ["gone.tmpl", "missing.tmpl", "page.tmpl"]

    async def why(name: str) -> list[str]:
        root = str(checkout.root)
        return await unfollowed(stored, await stored.named(name), 0, {}, root, unread=unread)

    assert await why("target") == ["it may be called in page.tmpl:2, whose language is not read"]
    assert await why("other") == [], "it is named, not called"
    assert await why("use") == [], "a longer name, and a short one"


async def test_calls_of_what_implements_a_method_are_told_of(checkout: Checkout) -> None:
    """Where the type is known, its own method is called, and nothing names that of the trait."""
    await checkout.write(
        {
            "src/lib.rs": "pub struct Box;\npub trait Opens {\n    fn open(&self);\n"
            "    fn shut(&self);\n}\nimpl Opens for Box {\n    fn open(&self) {}\n"
            "    fn shut(&self) {}\n}\nfn f(b: Box, o: &dyn Opens) {\n    b.open();\n"
            "    o.open();\n    o.shut();\n}\n",
            "src/more.rs": "pub type Outcome<T> = std::result::Result<T, u8>;\n"
            "pub trait Eases<T> {\n    fn ease(self) -> Outcome<T>;\n}\n"
            "impl<T> Eases<T> for Outcome<T> {\n    fn ease(self) -> Outcome<T> {\n"
            "        self\n    }\n}\nfn g(o: Outcome<u8>) {\n    o.ease();\n}\n",
            "Gate.java": "interface Gate { void swing(); }\n"
            "class Iron implements Gate { public void swing() {} }\n"
            "class Use { void f(Iron i) { i.swing(); } }\n",
        }
    )
    service = checkout.service(Servers(runs=False))
    for name, below in (
        ("Opens::open", "src/lib.rs::Box.open"),
        ("Eases::ease", "src/more.rs::Outcome.ease"),
        ("Gate.swing", "Gate.java::Iron"),
    ):
        complete, why = await said(service, name)
        assert not complete and f"what implements it are not among these: {below}" in why
    assert "what implements it" not in (await said(service, "Opens::shut"))[1]
    assert "what implements it" not in (await said(service, "Box::open"))[1]


@pytest.mark.parametrize(
    ("path", "code", "member", "is_sure"),
    [
        ("use.js", "function f(delay) {\n  delay.postpone(1)\n}\n", "postpone", True),
        ("use.js", "function f(delayqueue) {\n  delayqueue.push(1)\n}\n", "push", True),
        ("use.js", "function f(_queue) {\n  _queue.push(1)\n}\n", "push", False),
    ],
)
async def test_a_receiver_that_is_called_like_a_type_says_little_of_standard_names(
    checkout: Checkout, path: str, code: str, member: str, is_sure: bool
) -> None:
    box = "class DelayQueue {\n  push(x) {}\n  postpone(x) {}\n}\nmodule.exports = DelayQueue\n"
    other = "class Box {\n  push(x) {}\n  postpone(x) {}\n}\nmodule.exports = Box\n"
    given = "const DelayQueue = require('./queue')\nconst Box = require('./box')\n"
    await checkout.write({"queue.js": box, "box.js": other, path: given + code})
    stored = StoredGraph(checkout.state, CHECKOUT)
    (node,) = await stored.qualified("queue.js", f"DelayQueue.{member}")
    found = await stored.uses([node.node_id], ())
    assert [each.score >= CERTAIN for each in found] == [is_sure]
