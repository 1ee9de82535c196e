"""Classes of uses that answers about nine unseen repositories lacked or had too many of, in Java,
Kotlin, Scala, TypeScript, Dart and Solidity."""

from __future__ import annotations

from pathlib import Path

from surveyor.graph.queries.items import LineReader
from surveyor.graph.queries.lookup import StoredGraph
from surveyor.graph.queries.names import find
from surveyor.graph.queries.questions import callers
from tests.graph.memory import edges, graph, names, uses
from tests.graph.support import CHECKOUT, Checkout

SCALA = {
    "u.scala": (
        "package shop\n"
        "object Either:\n"
        "  extension [T](value: T)\n"
        "    def caught: T = value\n"
        "    def kept(n: Int): T = value\n"
        "  extension (box: Box) def emptied = box.open\n"
        "class Box(n: Int):\n"
        "  def open = 1\n"
        "  def close(a: Int) = 2\n"
        "  def lidded(using lid: Lid): Box = this\n"
        "  def shut() = 3\n"
        "class Lid\n"
    ),
    "v.scala": (
        "package shop\n"
        "import shop.Either.*\n"
        "import shop.Either.caught\n"
        "object Use:\n"
        "  def f(box: Box, other: Unknown) =\n"
        "    box.open\n"
        "    box.lidded.open\n"
        "    box.shut\n"
        "    box.close _\n"
        "    other.made(1).caught\n"
        "    box.emptied\n"
        "    val found = summon[Box]\n"
        "    found.shut()\n"
        "  def g = new Box(1) { shut() }\n"
    ),
}


def test_scala_calls_what_takes_nothing_by_its_name() -> None:
    made = graph(SCALA)
    kinds = {(e.line, e.target.qualname): e.kind for e in made.resolutions["v.scala"].edges}
    called, read = kinds[6, "Box.open"], kinds[9, "Box.close"]
    assert called != read
    for place in ((7, "Box.lidded"), (7, "Box.open"), (8, "Box.shut"), (10, "Either.caught")):
        assert kinds[place] == called
    assert {(11, "Either.emptied"), (13, "Box.shut"), (14, "Box.shut")} <= uses(made, "v.scala")


def test_scala_extensions_are_of_the_type_before_their_block() -> None:
    made = graph(
        SCALA
        | {
            "w.scala": (
                "package shop\nimport shop.Either.emptied\n"
                "object Other { def emptied = 1 }\n"
                "object W { def f(b: Box, l: Lid) = { b.emptied; l.emptied } }\n"
            )
        }
    )
    assert uses(made, "w.scala") >= {(4, "Either.emptied")}
    found = [e for e in made.resolutions["w.scala"].edges if e.target.qualname == "Either.emptied"]
    assert len([e for e in found if e.line == 4 and e.score >= 0.5]) == 1


def test_scala_enumerations_with_modifiers_hold_what_stands_in_them() -> None:
    made = graph(
        {
            "s.scala": (
                "package shop\nprivate[shop] enum State:\n  case Open(n: Int)\n  case Shut\n"
                "  def isOpen = true\nclass After:\n  def run = 1\n"
            )
        }
    )
    assert names(made, "s.scala") >= ["State", "State.Open"]
    assert {"State.Shut", "State.isOpen", "After.run"} <= set(names(made, "s.scala"))


def test_kotlin_extensions_of_one_name_are_told_apart_by_type_or_not_at_all() -> None:
    made = graph(
        {
            "a/one.kt": "package m\nclass One\nfun One.shown() = 1\n",
            "a/two.kt": "package m\nclass Two\nfun Two.shown() = 2\n",
            "b/use.kt": (
                "package n\nimport m.shown\nimport m.Two\n"
                "fun f(all: Other<List<Unknown>>, two: Two) {\n"
                "  all.with { each -> each.shown() }\n  two.shown()\n}\n"
            ),
        }
    )
    lines = [e.line for e in made.resolutions["b/use.kt"].edges if e.score >= 0.5 and e.kind == 0]
    assert 6 in lines and 5 not in lines
    assert ("b/use.kt", "f", "a/two.kt::shown") in edges(made)


def test_java_anonymous_classes_see_what_they_extend() -> None:
    made = graph(
        {
            "p/Base.java": (
                "package p;\nabstract class Base<T> {\n  T select(String c) { return null; }\n}\n"
            ),
            "p/Query.java": "package p;\nclass Query extends Base<Query> {}\n",
            "p/Use.java": (
                "package p;\nclass Use {\n"
                "  static Query query() { return x.get(); }\n"
                '  static String Query() { return ""; }\n'
                "  void f() {\n"
                '    query().select("a");\n'
                '    new Query() {{ select("b"); }};\n'
                "    new Query() { void g() {\n"
                '      select("c");\n'
                "      mine();\n"
                "    } void mine() {} };\n"
                "  }\n}\n"
            ),
        }
    )
    found = uses(made, "p/Use.java")
    assert {(6, "Base.select"), (7, "Base.select"), (9, "Base.select")} <= found
    assert any(line == 10 and name.endswith("mine") for line, name in found)


def test_java_lambdas_are_handed_what_a_collection_holds() -> None:
    made = graph(
        {
            "p/Node.java": "package p;\ninterface Node { boolean apply(int n); }\n",
            "p/Other.java": "package p;\ninterface Other { boolean apply(int n); }\n",
            "p/Use.java": (
                "package p;\nimport java.util.*;\nclass Use {\n  List<Node> all;\n"
                "  Optional<Node> one() { return null; }\n  void f() {\n"
                "    all.forEach(each -> each.apply(1));\n"
                "    all.stream().filter((each) -> each.apply(2)).count();\n"
                "    all.stream().map(each -> 1).forEach(each -> each.apply(3));\n"
                "  }\n}\n"
            ),
        }
    )
    found = uses(made, "p/Use.java")
    assert {(7, "Node.apply"), (8, "Node.apply")} <= found
    assert not any(name == "Other.apply" for _, name in found)
    assert (9, "Node.apply") not in found


def test_constructors_that_run_others_call_them() -> None:
    made = graph(
        {
            "p/Box.java": (
                "package p;\nclass Box {\n  Box(int n) {}\n  Box() {\n    this(1);\n  }\n}\n"
                "class Big<T> extends Box {\n  Big() {\n    super(2);\n  }\n}\n"
            ),
            "k.kt": (
                "open class Crate(val n: Int) {\n  constructor() : this(1)\n}\n"
                "class Huge : Crate {\n  constructor() : super(2)\n}\n"
            ),
        }
    )
    called = {
        (e.line, e.target.qualname) for e in made.resolutions["p/Box.java"].edges if not e.kind
    }
    assert {(5, "Box"), (10, "Box")} <= called
    called = {(e.line, e.target.qualname) for e in made.resolutions["k.kt"].edges if not e.kind}
    assert {(2, "Crate"), (5, "Crate")} <= called


DART = {
    "box.dart": (
        "class Box {\n  final int size;\n  final String? label;\n"
        "  Box({required this.size, this.label});\n"
        "  Box.filled(this.size, {this.label});\n"
        "  int get area => size;\n"
        "  int grown() => size;\n}\n"
    ),
    "use.dart": (
        "import 'box.dart';\n"
        "void f(Box box) {\n"
        "  Box(size: 1);\n"
        "  Box.filled(2, label: 'a');\n"
        "  const Box.filled(3);\n"
        "  new Box(size: 4);\n"
        "  box.area;\n"
        "  box.grown;\n"
        "  open(size: 5);\n"
        "}\n"
        "class Big extends Box {\n"
        "  Big() : super.filled(6);\n"
        "  Big.two() : this.three();\n"
        "  Big.three() : super(size: 7);\n"
        "}\n"
    ),
}


def test_dart_arguments_that_have_a_name_set_fields() -> None:
    found = uses(graph(DART), "use.dart")
    assert {(3, "Box.size"), (4, "Box.label"), (6, "Box.size")} <= found
    assert (9, "Box.size") not in found


def test_dart_getters_run_where_they_are_named() -> None:
    made = graph(DART)
    kinds = {(e.line, e.target.qualname): e.kind for e in made.resolutions["use.dart"].edges}
    assert kinds[7, "Box.area"] == kinds[4, "Box.filled"]
    assert kinds[8, "Box.grown"] != kinds[7, "Box.area"]


async def test_a_constructor_of_its_own_name_is_called_by_that_alone(tmp_path: Path) -> None:
    checkout = await Checkout.open(tmp_path)
    await checkout.write(DART)
    stored = StoredGraph(checkout.state, CHECKOUT)
    lines = {}
    for name in ("Box.filled", "Box.Box"):
        found = await callers(stored, await find(stored, name), 1, LineReader(str(checkout.root)))
        lines[name] = {item.line for item in found.items if item.path == "use.dart"}
    await checkout.close()
    assert lines["Box.filled"] == {4, 5, 12}
    assert {3, 6} <= lines["Box.Box"] and not {4, 5} & lines["Box.Box"]


def test_solidity_structs_are_filled_by_names() -> None:
    made = graph(
        {
            "a.sol": (
                "library Hooks {\n  struct Rights { bool before; bool behind; }\n}\n"
                "contract C {\n  function f() public {\n"
                "    Hooks.Rights memory r = Hooks.Rights({before: true,\n"
                "      behind: false});\n    g({before: 1});\n  }\n}\n"
            )
        }
    )
    found = uses(made, "a.sol")
    assert {(6, "Hooks.Rights.before"), (7, "Hooks.Rights.behind")} <= found
    assert (8, "Hooks.Rights.before") not in found


def test_a_declared_field_is_what_it_is_declared_whatever_it_is_given() -> None:
    made = graph(
        {
            "a.ts": (
                "export class Form { meta() {} }\n"
                "export class Group {\n"
                "  readonly form: Form\n"
                "  other\n"
                "  constructor(form: Form | Group) {\n"
                "    if (form instanceof Group) { this.form = form.form as never } else\n"
                "      this.form = form\n"
                "    this.other = new Form()\n"
                "  }\n"
                "  meta() { return this.form.meta() }\n"
                "  rest() { return this.other.meta() }\n"
                "}\n"
            )
        }
    )
    found = uses(made, "a.ts")
    assert (10, "Form.meta") in found and (10, "Group.meta") not in found
    assert (11, "Form.meta") in found


def test_javascript_getters_run_where_they_are_named() -> None:
    made = graph(
        {"a.ts": "class Box { get size() { return 1 }\n open() {} }\n"
                 "function f(box: Box) {\n  box.size\n  box.open\n  box.open()\n}\n"}
    )  # fmt: skip
    kinds = {(e.line, e.target.qualname): e.kind for e in made.resolutions["a.ts"].edges}
    assert kinds[4, "Box.size"] == kinds[6, "Box.open"] != kinds[5, "Box.open"]


def test_a_store_that_a_function_from_elsewhere_makes_has_the_keys_it_was_written_with() -> None:
    made = graph(
        {
            "store.ts": (
                "import { create } from 'zustand'\n"
                "export const useStore = create((set) => ({\n"
                "  add: (n) => set(n),\n  drop: () => {},\n}))\n"
            ),
            "other.ts": "export const table = make({ add: () => {} })\n",
            "use.ts": (
                "import { useStore } from './store'\n"
                "export function Item() {\n"
                "  const { add } = useStore()\n"
                "  add('x')\n"
                "  useStore.getState().drop()\n"
                "}\n"
            ),
        }
    )
    found = uses(made, "use.ts")
    assert {(3, "useStore.add"), (4, "useStore.add"), (5, "useStore.drop")} <= found
    assert not any(name == "table.add" for _, name in found)


def test_a_script_imports_the_script_that_lies_beside_what_it_is_made_of() -> None:
    made = graph(
        {
            "src/util.ts": "export function url(id: string) {}\n",
            "src/util.js": "function url(id) {}\nexports.url = url;\n",
            "server/a.js": 'const { url } = require("../src/util");\nurl(1);\n',
            "src/b.ts": 'import { url } from "./util";\nurl("1");\n',
        }
    )
    found = edges(made)
    assert ("server/a.js", "", "src/util.js::url") in found
    assert ("src/b.ts", "", "src/util.ts::url") in found


def test_jsdoc_says_of_what_type_things_are() -> None:
    made = graph(
        {
            "ops.js": (
                "class Op { test() {} }\nclass Other { test() {} }\nmodule.exports = { Op };\n"
            ),
            "use.js": (
                'const { Op } = require("./ops");\n'
                "class Holder {\n"
                '  /** @type {import("./ops").Op|null} */\n'
                "  op = null;\n"
                "  constructor() { /** @type {Op[]} */\n"
                "    this.all = make(); }\n"
                "  run() { this.op.test();\n"
                "    this.all[0].test(); }\n"
                "  /**\n   * @param {Op} op What\n   * @param {string} [name] n\n"
                "   * @returns {Promise<Op>} it\n   */\n"
                "  async go(op, name) { op.test();\n"
                "    name.test(); }\n"
                "  async use() { (await this.go(1)).test(); }\n"
                "}\n"
                "/** @param {Op} op */\n"
                "exports.f = function (op) { op.test(); };\n"
                "/** @param {Op} op */\n"
                "const g = (op) => op.test();\n"
                "/** @type {Op} */\n"
                "const h = find();\n"
                "h.test();\n"
                "/** @param {Op|Other} both */\n"
                "function k(both) { both.test(); }\n"
            ),
        }
    )
    lines = {line for line, name in uses(made, "use.js") if name == "Op.test"}
    assert lines == {7, 8, 14, 16, 19, 21, 24}
    assert not any(name == "Other.test" for _, name in uses(made, "use.js"))
