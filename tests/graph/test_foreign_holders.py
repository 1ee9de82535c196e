"""Types from elsewhere that are given a type of the project: what comes of them may be of that."""

from __future__ import annotations

import pytest

from tests.graph.memory import graph, uses

RUST = """
    use dashmap::DashMap;
    pub struct Session { n: u32 }
    impl Session { pub fn renew(&self) {} pub fn len(&self) {} }
    pub struct Hub { all: DashMap<String, Session> }
    impl Hub {
        pub fn go(&self) {
            self.all.fetch("x").renew();
            self.all.renew();
        }
    }
    """
CSHARP = """
    using Elsewhere;
    class Session { public void Renew() {} public string Name { get; set; } }
    class Hub {
        Cache<string, Session> all;
        IEnumerable<Session> many;
        Dictionary<string, Session> named;
        void Go(string n) {
            all.Fetch(n).Renew();
            foreach (var each in many.Where(x => x.Name == n).OrderBy(x => x.Name)) {
                each.Renew();
            }
            many.First().Renew();
            if (named.TryGetValue(n, out var found)) found.Renew();
            all.Renew();
        }
    }
    """
GO = """
    package hub
    import "example.org/cache"
    type Session struct{}
    func (s *Session) Renew() {}
    type Hub struct { all *cache.Cache[string, *Session] }
    func (h *Hub) Go() {
        s := h.all.Fetch("x")
        s.Renew()
        h.all.Renew()
    }
    """
SWIFT = """
    import Elsewhere
    class Session { func renew() {} }
    class Hub {
        var all: Cache<Session>
        func go() {
            all.fetch("x").renew()
            let found = all.fetch("y")
            found.renew()
            all.renew()
        }
    }
    """
KOTLIN = """
    import elsewhere.Cache
    class Session { fun renew() {} }
    class Hub(val all: Cache<String, Session>, val many: List<Session>) {
        fun go() {
            all.fetch("x").renew()
            many.sortedBy { it }.first().renew()
            all.renew()
        }
    }
    """


DART = """
    import 'package:elsewhere/cache.dart';
    class Session { void renew() {} }
    class Hub {
      Cache<String, Session> all;
      void go() {
        all.fetch('x').renew();
        all.renew();
      }
    }
    """


@pytest.mark.parametrize(
    ("path", "text", "name", "lines"),
    [
        ("src/lib.rs", RUST, "Session.renew", {8}),
        ("Hub.cs", CSHARP, "Session.Renew", {9, 11, 13, 14}),
        ("hub.go", GO, "Session.Renew", {9}),
        ("Hub.swift", SWIFT, "Session.renew", {7, 9}),
        ("Hub.kt", KOTLIN, "Session.renew", {6, 7}),
        ("hub.dart", DART, "Session.renew", {7}),
    ],
)
def test_what_something_from_elsewhere_gives_that_holds_a_type(
    path: str, text: str, name: str, lines: set[int]
) -> None:
    """But nothing is said of the holder itself."""
    made = graph({path: text, "go.mod": "module example.org/hub\n"})
    assert {line for line, used in uses(made, path) if used == name} == lines


def test_a_name_that_others_have_as_well_is_a_candidate_only() -> None:
    made = graph({"src/lib.rs": RUST.replace('fetch("x").renew', 'fetch("x").len')})
    (edge,) = [
        each
        for each in made.resolutions["src/lib.rs"].edges
        if each.target.qualname == "Session.len"
    ]
    assert 0 < edge.score < 0.5


def test_lists_of_packages_hold_what_they_are_given_in_zig() -> None:
    made = graph(
        {
            "Hub.zig": """
                const wl = @import("wayland").server.wl;
                const Slots = @import("slots.zig").Slots;
                const Seat = @import("Seat.zig");
                const Window = @import("Window.zig");
                seats: wl.list.Head(Seat, .link),
                windows: Slots(*Window) = .empty,
                pub fn go(hub: *@This()) void {
                    var it = hub.seats.safeIterator(.forward);
                    while (it.next()) |seat| seat.focus();
                    var slots = hub.windows.iterator();
                    while (slots.next()) |window| window.focus();
                    for (hub.seats.first()) |one| one.focus();
                }
                """,
            "Seat.zig": "pub fn focus(seat: *@This()) void {}\n",
            "Window.zig": "pub fn focus(window: *@This()) void {}\n",
            "slots.zig": """
                pub fn Slots(comptime T: type) type {
                    return struct {
                        pub const Iterator = struct {
                            pub fn next(it: *Iterator) ?T { return null; }
                        };
                        pub fn iterator(slots: *@This()) Iterator { return .{}; }
                    };
                }
                """,
        }
    )
    found = {
        (edge.line, edge.target.path)
        for edge in made.resolutions["Hub.zig"].edges
        if edge.target.qualname == "focus" and edge.score >= 0.5
    }
    assert {(10, "Seat.zig"), (12, "Window.zig")} <= found
    assert not {(10, "Window.zig"), (12, "Seat.zig")} & found


def test_an_extension_is_found_where_collections_have_a_method_of_the_name() -> None:
    made = graph(
        {
            "Box.cs": """
                class Box { public void Open() {} }
                static class Many {
                    public static IEnumerable<T> Distinct<T>(this IEnumerable<T> all) => all;
                }
                class Shelf {
                    IEnumerable<Box> boxes;
                    void Go() { boxes.Distinct(); }
                }
                """
        }
    )
    assert (8, "Many.Distinct") in uses(made, "Box.cs")


def test_collections_of_collections_are_walked_one_by_one() -> None:
    """Two types have the member, so nothing is found by its name alone."""
    made = graph(
        {
            "a.cs": """\
                class Beh { public void Unmet() {} }
                class Other { public void Unmet() {} }
                class Use {
                  IDictionary<string, ICollection<Beh>> All { get; }
                  List<List<Beh>> Two { get; }
                  void F() {
                    foreach (var a in All["x"]) a.Unmet();
                    if (All.TryGetValue("x", out var held)) foreach (var b in held) b.Unmet();
                    foreach (var pair in All) foreach (var c in pair.Value) c.Unmet();
                    Two[0][1].Unmet();
                  }
                }
                """,
            "a.kt": """\
                class Beh { fun unmet() {} }
                class Other { fun unmet() {} }
                fun f(a: Map<String, List<Beh>>, b: List<List<Beh>>) {
                  for (x in a["k"]!!) x.unmet()
                  for (xs in b) for (x in xs) x.unmet()
                  a["k"]!!.first().unmet()
                }
                """,
            "A.java": """\
                class Beh { void unmet() {} }
                class Other { void unmet() {} }
                class Use {
                  void f(Map<String, List<Beh>> a) {
                    a.get("x").get(0).unmet();
                    for (Beh b : a.get("x")) b.unmet();
                    a.values().forEach(all -> all.forEach(each -> each.unmet()));
                  }
                }
                """,
            "a.dart": """\
                class Beh { void unmet() {} }
                class Other { void unmet() {} }
                void f(Map<String, List<Beh>> a) {
                  for (final x in a["k"]!) x.unmet();
                  a["x"]![0].unmet();
                }
                """,
            "a.py": """\
                class Beh:
                    def unmet(self): ...
                class Other:
                    def unmet(self): ...
                def f(a: dict[str, list[Beh]], b: list[list[Beh]]):
                    a["x"][0].unmet()
                    for xs in b:
                        for x in xs:
                            x.unmet()
                """,
        }
    )
    for path, lines in (
        ("a.cs", (7, 8, 9, 10)),
        ("a.kt", (4, 5, 6)),
        ("A.java", (5, 6, 7)),
        ("a.dart", (4, 5)),
        ("a.py", (6, 9)),
    ):
        found = {line for line, name in uses(made, path) if name.lower() == "beh.unmet"}
        assert found == set(lines), path
