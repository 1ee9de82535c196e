"""Uses of one of several functions of a name, told apart by what is passed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from textwrap import dedent

import pytest

from surveyor.change.calls import read_calls
from surveyor.change.jobs import CallsJob, FileCalls
from surveyor.engine.operations import Caller
from surveyor.engine.operations.graph import GraphOperations
from surveyor.protocol.graph import CallersRequest, GraphResponse, ImpactRequest, ReferencesRequest
from tests.graph.service_support import Servers
from tests.graph.support import Checkout


@pytest.fixture
async def checkout(tmp_path: Path) -> AsyncIterator[Checkout]:
    made = await Checkout.open(tmp_path)
    yield made
    await made.close()


async def read(jobs: Sequence[CallsJob]) -> list[FileCalls]:
    return [read_calls(job) for job in jobs]


async def unasked(*_: object) -> list[object]:
    return []


async def told(checkout: Checkout, files: dict[str, str]) -> GraphOperations:
    await checkout.write({path: dedent(text) for path, text in files.items()})
    return GraphOperations(checkout.service(Servers()), unasked, unasked, read)  # type: ignore[arg-type]


def lines(answer: GraphResponse) -> list[str]:
    return [f"{item.path}:{item.line}" for item in answer.results]


async def callers(asked: GraphOperations, name: str) -> list[str]:
    answer = await asked.callers(CallersRequest(name=name), Caller())
    assert answer.complete, answer.notice
    return lines(answer)


CASES: dict[str, tuple[dict[str, str], dict[str, list[str]]]] = {
    "C# by number, extensions too": (
        {
            "Box.cs": """\
                static class Boxes {
                    public static int Put(this Box box, int a) => box.Put(a, null);
                    public static int Put(this Box box, int a, object b) => 1;
                    public static int Put(this Box box, int a, object b, bool c) => 2;
                }
                """,
            "Use.cs": """\
                class Use {
                    void Run(Box box) {
                        box.Put(1);
                        box.Put(1, box);
                        box.Put(1, box, c: true);
                        Boxes.Put(box, 1);
                    }
                }
                class Box {}
                """,
        },
        {
            "Box.cs:2": ["Use.cs:3", "Use.cs:6"],
            "Box.cs:3": ["Box.cs:2", "Use.cs:4"],
            "Box.cs:4": ["Use.cs:5"],
        },
    ),
    "C# in several parts of a type": (
        {
            "a.csproj": "<Project/>",
            "One.cs": """\
                static partial class Zip {
                    static int Impl(int a, int b, int c) => 1;
                }
                """,
            "Two.cs": """\
                static partial class Zip {
                    static int Impl(int a, int b) => Impl(a, b, 0);
                    public static int Two() => Impl(1, 2);
                    public static int Three() => Impl(1, 2, 3);
                }
                """,
        },
        {
            "One.cs:2": ["Two.cs:2", "Two.cs:4"],
            "One.cs:Zip.Impl": ["Two.cs:2", "Two.cs:4"],
            "Two.cs:2": ["Two.cs:3"],
        },
    ),
    "C# by literals and types that are made": (
        {
            "Box.cs": """\
                class Box {
                    void Add(string name) {}
                    void Add(int count) {}
                    void Add(Mode mode) {}
                    void Add(Lid lid) {}
                    void Run() {
                        Add("a");
                        Add(1);
                        Add(Mode.On);
                        Add(new Lid());
                    }
                }
                enum Mode { On }
                class Lid {}
                """
        },
        {
            "Box.cs:2": ["Box.cs:7"],
            "Box.cs:3": ["Box.cs:8"],
            "Box.cs:4": ["Box.cs:9"],
            "Box.cs:5": ["Box.cs:10"],
        },
    ),
    "C++ with a header": (
        {
            "box.h": """\
                class Box {
                public:
                    void put(int a);
                    void put(int a, bool b, int c = 0);
                    void put(const char* name, bool b);
                };
                """,
            "box.cpp": """\
                #include "box.h"
                void Box::put(int a) { put(1, true); }
                void Box::put(int a, bool b, int c) { put(1, b, 2); }
                void Box::put(const char* name, bool b) { put("x", b); }
                """,
            "use.cpp": """\
                #include "box.h"
                void run(Box& box) {
                    box.put(1);
                    box.put(1, false);
                    box.put("a", false);
                }
                """,
        },
        {
            "box.cpp:2": ["use.cpp:3"],
            "box.cpp:4": ["box.cpp:4", "use.cpp:5"],
            "box.h:3": ["use.cpp:3"],
        },
    ),
    "Swift by labels": (
        {
            "Box.swift": """\
                struct Box {
                    func put(_ a: Int) -> Int { put(a, at: 1) }
                    func put(_ a: Int, at place: Int, then: Int = 1) -> Int { 1 }
                    func put(all: Int...) -> Int { put(1) }
                    func put(_ a: Int, done: () -> Void) { done() }
                }
                func run(box: Box) {
                    _ = box.put(1)
                    _ = box.put(1, at: 2, then: 3)
                    _ = box.put(all: 1)
                    box.put(1) { print(2) }
                }
                """
        },
        {
            "Box.swift:2": ["Box.swift:4", "Box.swift:8"],
            "Box.swift:3": ["Box.swift:2", "Box.swift:9"],
            "Box.swift:4": ["Box.swift:10"],
            "Box.swift:5": ["Box.swift:11"],
        },
    ),
    "Scala by number, lists and blocks": (
        {
            "Box.scala": """\
                class Box {
                  def put(a: Int)(implicit ev: Ordering[Int]): Int = put(a, "x")
                  def put(a: Int, b: String): Int = 1
                  def put(a: Int, b: String, rest: Long*): Int = put(a)
                  def put(implicit ev: Ordering[Int]): Int = 2
                  def put[T](a: Int, b: String, c: T, d: => Unit): Int = 3
                }
                class User(box: Box) {
                  def run() = {
                    box.put { 1 }
                    box put 1
                    box.put(b = "y", a = 1)
                    box.put(1, "x", 2L, 3L, 4L)
                    box.put()
                  }
                }
                """
        },
        {
            "Box.scala:2": ["Box.scala:4", "Box.scala:10", "Box.scala:11"],
            "Box.scala:3": ["Box.scala:2", "Box.scala:12"],
            "Box.scala:4": ["Box.scala:13"],
            "Box.scala:5": ["Box.scala:14"],
        },
    ),
    "Java by number and literals": (
        {
            "Box.java": """\
                class Box {
                    void put(int a) { put(a, "x"); }
                    void put(int a, String b) { }
                    void put(String a) { put("y", "z"); }
                    void put(String a, String... b) { }
                    void run() { put(1); put("a"); put("a", "b", "c"); }
                }
                """
        },
        {"Box.java:3": ["Box.java:2"], "Box.java:2": ["Box.java:6"]},
    ),
    "Java by what is private, and what any number is of": (
        {
            "Uri.java": """\
                class Uri {
                    enum Part { PATH, QUERY }
                    static void put(Box box, Part... parts) { put(box, of(parts), made()); }
                    static void put(Box box, Set<Part> parts) {}
                    static void put(Box box, StringBuilder out) {}
                    private static void put(Box box, Set<Part> parts, StringBuilder out) {}
                }
                """,
            "Use.java": """\
                class Use {
                    void run(Box box) {
                        Uri.put(box, Uri.Part.PATH, Uri.Part.QUERY);
                        Uri.put(box, Uri.Part.QUERY);
                        Uri.put(box, new StringBuilder());
                    }
                }
                """,
        },
        {
            "Uri.java:3": ["Use.java:3", "Use.java:4"],
            "Uri.java:5": ["Use.java:5"],
            "Uri.java:6": ["Uri.java:3"],
        },
    ),
    "C# by what is private": (
        {
            "Writer.cs": """\
                class Writer {
                    public void Write<T>(IEnumerable<T> calls, Out to) { Write("x", 1, 2); }
                    static void Write(List<Call> calls, Out writer) {}
                    static void Write(string a, int b, int c) {}
                }
                """,
            "Use.cs": """\
                class Use {
                    void Run(Writer writer, Out to, List<Call> calls) { writer.Write(calls, to); }
                }
                """,
        },
        {"Writer.cs:2": ["Use.cs:2"], "Writer.cs:4": ["Writer.cs:2"], "Writer.cs:3": []},
    ),
}


@pytest.mark.parametrize("case", CASES)
async def test_calls_are_those_of_the_overload_at_the_place(checkout: Checkout, case: str) -> None:
    files, expected = CASES[case]
    asked = await told(checkout, files)
    assert {name: await callers(asked, name) for name in expected} == expected


async def test_references_are_told_apart_too_and_all_are_compared(checkout: Checkout) -> None:
    text = """\
        class Box {
            void Put(int a) {}
            void Put(int a, int b) {}
            void Run() {
                Put(1); Put(2, 3);
                Put(4);
            }
        }
        """
    asked = await told(checkout, {"Box.cs": text})
    request = ReferencesRequest(name="Box.cs:2", limit=1)
    answer = await asked.references(request, Caller())
    assert (lines(answer), answer.omitted) == (["Box.cs:5"], 1)
    answer = await asked.references(ReferencesRequest(name="Box.cs:3"), Caller())
    assert (lines(answer), answer.complete) == (["Box.cs:5"], True)


async def test_what_cannot_be_told_apart_is_given_and_said(checkout: Checkout) -> None:
    text = """\
        class Box {
            void Put(Lid a) {}
            void Put(Bag a) {}
            void Put(Bag a, Bag b) {}
            void Run(dynamic one) {
                Put(one);
                Put(one, one);
                System.Action<Bag> held = Put;
            }
        }
        """
    asked = await told(checkout, {"Box.cs": text})
    answer = await asked.references(ReferencesRequest(name="Box.cs:2"), Caller())
    assert (lines(answer), answer.complete) == (["Box.cs:6", "Box.cs:8"], False)
    assert "which of 3 overloads 2 uses mean is not known" in (answer.notice or "")
    deep = await asked.callers(CallersRequest(name="Box.cs:2", depth=2), Caller())
    assert not deep.complete


async def test_blocks_of_extensions_are_of_types_of_their_own(checkout: Checkout) -> None:
    """`extension(Screen screen)` and `extension(Box box)` have one function of a name each."""
    asked = await told(
        checkout,
        {
            "Extensions.cs": """\
                static class Extensions {
                    extension(Screen screen) {
                        public void Show(string text) { screen.Write(text); }
                    }
                    extension(Box box) {
                        public void Show(string text) => box.Screen.Show(text);
                    }
                }
                class Screen { public void Write(string text) {} }
                class Box { public Screen Screen { get; } }
                """,
            "Use.cs": """\
                class Use { void Run(Box box) { box.Show("a"); } }
                """,
        },
    )
    answer = await asked.callers(CallersRequest(name="Extensions.cs:3"), Caller())
    assert "Extensions.cs:6" in lines(answer)
    assert not answer.complete
    assert answer.notice is not None and "overloads" in answer.notice


async def test_extensions_that_differ_in_what_they_extend_are_not_one(checkout: Checkout) -> None:
    asked = await told(
        checkout,
        {
            "Lists.cs": """\
                static class Lists {
                    public static int Count(this Box box) => 1;
                    public static int Count(this Bag bag) => 2;
                }
                class Box {}
                class Bag {}
                class Use { void Run(Box box, Bag bag) { box.Count(); bag.Count(); } }
                """,
        },
    )
    answer = await asked.callers(CallersRequest(name="Lists.cs:2"), Caller())
    assert not answer.complete
    assert answer.notice is not None and "overloads" in answer.notice


async def test_a_member_is_told_apart_from_the_extensions_of_its_type(checkout: Checkout) -> None:
    asked = await told(
        checkout,
        {
            "Tool.cs": """\
                interface ITool { object Make(Type type); }
                interface IOther { object Make(Type type); }
                static class Tools {
                    extension(ITool tool) {
                        public object Make(Command command, int count) => tool.Make(command.Type);
                    }
                    public static object Make(this ITool tool, Command command) => 1;
                    public static object Make(this IOther tool) => 2;
                }
                """,
            "Use.cs": """\
                class Use {
                    void Run(ITool tool, Command command) {
                        tool.Make(command, 1);
                        tool.Make(command);
                    }
                }
                """,
        },
    )
    answer = await asked.callers(CallersRequest(name="ITool.Make"), Caller())
    assert lines(answer) == ["Tool.cs:5", "Use.cs:4"]
    assert not answer.complete
    assert answer.notice is not None and "2 uses mean is not known" in answer.notice
    answer = await asked.callers(CallersRequest(name="IOther.Make"), Caller())
    assert lines(answer) == []


async def test_what_breaks_says_that_it_is_of_all_overloads(checkout: Checkout) -> None:
    text = "class Box {\n  void A(int a) {}\n  void A() {}\n  void B() { A(); }\n}\n"
    asked = await told(checkout, {"Box.cs": text})
    answer = await asked.impact(ImpactRequest(name="Box.cs:2"), Caller())
    assert not answer.complete and "2 overloads have its name" in (answer.notice or "")


async def test_a_function_of_one_file_is_not_the_one_that_a_header_declares(
    checkout: Checkout,
) -> None:
    files = {
        "arrange.h": "void arrange(void);\n",
        "arrange.c": '#include "arrange.h"\nvoid arrange(void) {}\n',
        "own.c": "static void arrange(int a) {}\nvoid run(void) { arrange(1); }\n",
        "use.c": '#include "arrange.h"\nvoid use(void) { arrange(); }\n',
    }
    asked = await told(checkout, files)
    assert await callers(asked, "own.c:arrange") == ["own.c:2"]
    assert await callers(asked, "own.c:1") == ["own.c:2"]
    assert await callers(asked, "arrange.c:arrange") == ["use.c:2"]
    assert await callers(asked, "arrange.h:1") == ["use.c:2"]
