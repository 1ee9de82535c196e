"""What runs without being named: functions that values hold, special methods, decorators."""

from __future__ import annotations

from surveyor.graph.facts import KIND_NAMES
from tests.graph.memory import edges, graph


def runs(text: str, **others: str) -> set[tuple[str, str]]:
    """(definition around, what is called) in a file `main.py`."""
    files = {"main.py": text, **{f"{name}.py": other for name, other in others.items()}}
    return {
        (edge.source, edge.target.qualname)
        for edge in graph(files).resolutions["main.py"].edges
        if edge.score >= 0.5 and KIND_NAMES[edge.kind] in ("call", "instantiation", "implicit")
    }


def test_a_variable_that_is_called_runs_what_it_holds() -> None:
    found = runs(
        """
        from other import far
        class Turtle:
            def right(self): pass
            r = right
            def turn(self):
                go = self.right
                go()
        def near(): pass
        a = b = near
        c, (d, e) = far, (near, Turtle)
        def use():
            a(); b(); c(); e().r()
        """,
        other="def far(): pass\n",
    )
    assert {("Turtle.turn", "Turtle.right"), ("use", "Turtle.right")} <= found
    assert {("use", "near"), ("use", "far")} <= found
    assert ("use", "Turtle.turn") not in found


def test_a_parameter_that_is_called_runs_what_the_file_hands_over() -> None:
    found = runs("""
        def ready(): pass
        def broken(): pass
        def default(): pass
        def run(first, then=default):
            first()
            then()
        def twice(work):
            run(work, then=broken)
        def quiet(unused):
            unused()
        twice(ready)
        """)
    assert {("run", "ready"), ("run", "broken"), ("run", "default")} <= found
    assert not [pair for pair in found if pair[0] == "quiet"]


def test_tables_of_functions_are_looked_up_by_their_keys() -> None:
    found = runs("""
        def one(): pass
        def two(): pass
        def three(): pass
        TABLE = {"one": one, "more": [two, three]}
        LATER = {}
        LATER["one"] = one
        hooks = []
        hooks.append(three)
        def by_key(): TABLE["one"]()
        def by_index(): TABLE["more"][1]()
        def by_any(name): TABLE[name]()
        def later(): LATER["one"]()
        def each():
            for hook in hooks: hook()
        """)
    assert {target for source, target in found if source == "by_key"} == {"one"}
    assert {target for source, target in found if source == "by_index"} == {"three"}
    assert ("by_any", "one") in found and ("later", "one") in found and ("each", "three") in found


def test_classes_run_their_constructor_and_the_nearest_of_several_bases() -> None:
    found = runs("""
        class A:
            def __init__(self): pass
            def go(self): pass
        class B(A): pass
        class C(A):
            def go(self): pass
        class D(B, C): pass
        class Failed(Exception):
            def __init__(self): pass
        def use():
            D().go()
            raise Failed
        """)
    assert {("use", "A.__init__"), ("use", "C.go"), ("use", "Failed.__init__")} <= found
    assert ("use", "A.go") not in found


def test_special_methods_run_where_python_calls_them() -> None:
    found = runs("""
        class Money:
            def __enter__(self): return self
            def __exit__(self, *_): pass
            def __add__(self, other): return self
            def __eq__(self, other): return True
            def __repr__(self): return ""
            def __getitem__(self, key): return 1
            def __setitem__(self, key, value): pass
            def __contains__(self, key): return True
            def __call__(self): pass
            @property
            def amount(self): return 1
        class Purse:
            def __iter__(self): return self
            def __next__(self): return Money()
        def use(m: Money, p: Purse):
            with m: pass
            m + 1
            m == 2
            str(m)
            m[1]
            m[1] = 2
            1 in m
            m()
            m.amount
        def walk(p: Purse):
            for each in p: each.amount
        def text(m: Money): return f"{m}"
        """)
    ran = {target.rpartition(".")[2] for source, target in found if source == "use"}
    assert ran >= {
        "__enter__", "__exit__", "__add__", "__eq__", "__repr__", "__getitem__", "__setitem__",
        "__contains__", "__call__", "amount",
    }  # fmt: skip
    walked = {target for source, target in found if source == "walk"}
    assert walked == {"Purse.__iter__", "Purse.__next__", "Money.amount"}
    assert ("text", "Money.__repr__") in found


def test_decorators_run_what_they_put_in_place_and_are_handed_the_function() -> None:
    found = runs("""
        def traced(function):
            def inner():
                return function()
            return inner
        @traced
        def work(): pass
        def use(): work()
        def numbers():
            yield traced
        def walk():
            for each in numbers(): each(use)
        """)
    assert {("use", "work"), ("use", "traced.inner"), ("traced.inner", "work")} <= found
    assert ("traced.inner", "traced.inner") not in found
    assert ("walk", "traced") in found


def test_what_is_implied_is_no_reference_by_name() -> None:
    made = graph({"main.py": "class A:\n    def __init__(self): pass\ndef use():\n    A()\n"})
    kinds = {
        (edge.target.qualname, KIND_NAMES[edge.kind]) for edge in made.resolutions["main.py"].edges
    }
    assert kinds == {("A", "instantiation"), ("A.__init__", "implicit")}
    assert ("main.py", "use", "main.py::A.__init__") in edges(made)


def test_javascript_calls_what_a_constant_holds_and_constructors_that_are_inherited() -> None:
    made = graph(
        {
            "immer.ts": """
                class Base { constructor() {} }
                export class Immer extends Base { produce() {} }
                const immer = new Immer()
                export const produce = immer.produce
                """,
            "use.ts": """
                import { produce } from "./immer"
                function far() {}
                export function use() {
                  const local = far
                  produce()
                  local()
                }
                """,
        }
    )
    found = {
        (edge.source, edge.target.qualname)
        for resolution in made.resolutions.values()
        for edge in resolution.edges
        if KIND_NAMES[edge.kind] == "implicit"
    }
    assert {("use", "Immer.produce"), ("use", "far"), ("immer", "Base.constructor")} <= found


def test_functions_are_followed_through_what_javascript_holds_them_in() -> None:
    text = """
        function near() {}
        function far() {}
        class Base { constructor() {} *[Symbol.iterator]() { yield far } }
        class Box extends Base {
          constructor(work) { super(); this.work = work }
          run() { this.work(); [1].map(() => { const inner = () => this.open(); inner() }) }
          open() {}
          of() { return this.open }
        }
        function call(work, then = far) { work(); then() }
        const run = (work) => work();
        const table = { near, "go-on": far, 1: near };
        const later = {};
        later["key"] = far;
        const list = [near];
        list.push(far);
        const [first, [second]] = [near, [far]];
        const wrap = (f) => function inner() { return f() };
        function use(name) {
          call(near); run(far);
          table["go-on"](); later.key(); list[0](); first(); second();
        }
        function dispatch(name) { table[name]() }
        function others() { wrap(near)(); far.call(null); setTimeout(near); [1].map(far) }
        function make() { const box = new Box(near); box.of()(); for (const each of box) each() }
        """
    made = graph({"main.js": text})
    found = {
        (edge.source, edge.target.qualname)
        for edge in made.resolutions["main.js"].edges
        if edge.score >= 0.5 and KIND_NAMES[edge.kind] in ("call", "instantiation", "implicit")
    }
    assert {("call", "near"), ("call", "far"), ("run", "far"), ("Box.run", "near")} <= found
    assert {("use", "near"), ("use", "far"), ("dispatch", "near"), ("dispatch", "far")} <= found
    assert {("others", "wrap.inner"), ("wrap.inner", "near"), ("others", "far")} <= found
    assert {("others", "near"), ("Box.constructor", "Base.constructor")} <= found
    assert {("make", "Box.open"), ("make", "Base.[Symbol.iterator]"), ("make", "far")} <= found
    assert ("Box.run.lambda$1.inner", "Box.open") in found
    assert ("run", "near") not in found


def test_what_an_array_s_methods_give_is_no_function() -> None:
    text = "const xs = ys.filter((y) => y); const f = memo((y) => y)\n"
    made = graph({"main.js": f"{text}class A {{ static B = class {{}} }}\n"})
    facts = made.facts["main.js"]
    assert {name.qualname: name.kind for name in facts.names} == {
        "xs": "variable",
        "f": "function",
        "A": "class",
        "A.B": "class",
    }


def called_at(text: str, path: str) -> dict[int, set[str]]:
    """What runs in each line of a file."""
    found: dict[int, set[str]] = {}
    for edge in graph({path: text}).resolutions[path].edges:
        if edge.score >= 0.5 and KIND_NAMES[edge.kind] in ("call", "implicit"):
            found.setdefault(edge.line, set()).add(edge.target.qualname)
    return found


def test_of_what_a_file_hands_over_each_call_has_its_own() -> None:
    found = called_at(
        """function near() {}
        function far() {}
        function same(f) { return f; }
        same(near);
        same(far)();
        function run(f = near) { f(); }
        run(far);
        export function ready(f = near) { f(); }
        ready(far);
        """,
        "main.js",
    )
    assert found[5] == {"same", "far"}
    assert found[6] == {"far"}
    assert found[8] == {"near", "far"}  # another file may leave it out


def test_javascript_tables_and_classes_are_given_other_members_later() -> None:
    found = called_at(
        """function near() {}
        function far() {}
        const table = { "a": near, "b": { "c": near }, 1: near, "1": far };
        table["a"] = far;
        table["b"]["c"] = far;
        Object.assign(table, { d: far });
        table["a"]();
        table["b"]["c"]();
        table[1]();
        table["d"]();
        class Shape { draw() {} }
        class Box extends Shape {}
        const Drawn = { draw() {} };
        Object.assign(Box.prototype, Drawn);
        new Box().draw();
        new Shape().draw();
        """,
        "main.js",
    )
    assert [found[line] for line in (7, 8, 9, 10)] == [{"far"}] * 4
    assert found[15] == {"Drawn.draw"} and found[16] == {"Shape.draw"}


def test_java_methods_found_by_reflection_and_types_that_classes_test() -> None:
    found = called_at(
        """class Box { void open() {} static void close(int a) {} }
        class Use {
            void run(Lookup lookup, String name) throws Exception {
                Box.class.getDeclaredMethod("open").invoke(null);
                lookup.findStatic(Box.class, "close", type);
                Box.class.getMethod(name);
                Box.class.getField("open");
            }
            void test(Object one, Object two, Object three) {
                if (one.getClass() == Box.class) one.open();
                if (Box.class.isInstance(two)) two.open();
                if (Box.class.isAssignableFrom(three.getClass())) { three.open(); }
            }
        }
        """,
        "Use.java",
    )
    assert found[4] == {"Box.open"} and found[5] == {"Box.close"}
    assert 6 not in found and 7 not in found
    assert [found[line] for line in (10, 11, 12)] == [{"Box.open"}] * 3
