"""What declarations say that no name in code does: named types, documentation, self types, tags,
relations, routes, and what several signatures of a name give."""

from __future__ import annotations

import pytest

from surveyor.graph.languages.ruby import documented
from surveyor.graph.resolve.collections import gives_held
from tests.graph.memory import edges, graph, names, uses

GO = """
    package m
    type Box struct{}
    func (b *Box) Open() {}
    type Lid struct{}
    func (l *Lid) Open() {}
    type Boxes map[string]*Box
    type Sent chan *Box
    type Many []Box
    type Make func(n int) *Box
    type Holder struct { all Boxes; sent Sent; make Make }
    var known = make(Boxes)
    func f(all Boxes, sent Sent, maker Make, many Many, h *Holder) {
        for _, b := range all {
            b.Open()
        }
        all["x"].Open()
        got := <-sent
        got.Open()
        maker(1).Open()
        many[0].Open()
        h.all["x"].Open()
        h.make(2).Open()
        known["x"].Open()
        fresh := Boxes{}
        fresh["x"].Open()
    }
    """


def test_go_named_types_hold_and_give_what_they_are_declared_with() -> None:
    made = graph({"go.mod": "module m\n", "a.go": GO})
    opened = [each for each in sorted(uses(made, "a.go")) if each[1].endswith(".Open")]
    lines = [i for i, line in enumerate(GO.splitlines(), 1) if ".Open()" in line]
    assert opened == [(line, "Box.Open") for line in lines]


RUBY = """\
class Box
  def open; end
end
class Lid
  def open; end
end
class Shop
  # @return [Box]
  attr_reader :box
  # Goes.
  # @param lid [Lid] the lid
  # @param [Array<Box>] all
  # @return [Lid, nil] what is left
  def go(lid, all, other)
    lid.open
    all.each { |each| each.open }
    other.open
    box.open
    go(1, 2, 3).open
  end
  # @return [Box, Lid]
  def either = x

  # @return [Lid] of nothing that stands directly behind it

  def apart = y
  def use
    either.open
    apart.open
  end
end
"""


def test_yard_says_types_of_parameters_and_results() -> None:
    made = graph({"shop.rb": RUBY})
    opened = {each for each in uses(made, "shop.rb") if each[1].endswith(".open")}
    assert opened == {
        (15, "Lid.open"), (16, "Box.open"), (18, "Box.open"), (19, "Lid.open"),
    }  # fmt: skip


def test_yard_is_looked_for_a_bounded_way_before_a_method(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documented, "MAX_LINES", 3)
    text = "class Box\n  def open; end\nend\n" + "".join(
        f"# @return [Box]\n{more}def {name} = x\n"
        for name, more in (("near", "# 1\n# 2\n"), ("far", "# 1\n# 2\n# 3\n"))
    )
    made = graph({"a.rb": f"{text}near.open\nfar.open\n"})
    near = text.count("\n") + 1
    assert {each for each in uses(made, "a.rb") if each[1] == "Box.open"} == {(near, "Box.open")}


def test_scala_objects_are_of_their_self_types() -> None:
    text = """
        package shop
        trait Store { def keep(n: Int): Unit = {} }
        trait Log { def note(s: String) = {} }
        trait Service { self: Store with Log =>
          def run() = {
            keep(1)
            self.note("a")
          }
        }
        trait Cake { outer: Store =>
          def run() = outer.keep(2)
        }
        trait Other { def keep(n: Int) = {} }
        """
    made = graph({"a.scala": text})
    assert edges(made) >= {
        ("a.scala", "Service.run", "a.scala::Store.keep"),
        ("a.scala", "Service.run", "a.scala::Log.note"),
        ("a.scala", "Cake.run", "a.scala::Store.keep"),
    }
    assert not any(target == "a.scala::Other.keep" for _, _, target in edges(made))


def test_zig_tags_without_a_value_are_definitions() -> None:
    text = """
        const Kind = enum { wide, flat };
        const Shape = union(enum) { none, box: Box };
        const Box = struct { kind: Kind, held: enum { one, two } };
        fn f(s: Shape) u32 {
            const a: Kind = .wide;
            const b = Kind.flat;
            if (s == .none) return 1;
            return switch (s) { .none => 0, .box => 1 };
        }
        """
    made = graph({"a.zig": text})
    assert {"Kind.wide", "Kind.flat", "Shape.none"} <= set(names(made, "a.zig"))
    assert not {"Box.one", "Box.two"} & set(names(made, "a.zig"))
    assert uses(made, "a.zig") >= {
        (6, "Kind.wide"), (7, "Kind.flat"), (8, "Shape.none"), (9, "Shape.none"),
    }  # fmt: skip


OVERLOADED = {
    "A.java": """
        class Box { int open() { return 1; } int wide() { return 1; } }
        class Lid { int open() { return 1; } }
        class Use {
          static Box make(int n) { return null; }
          static Lid make(String s, int t) { return null; }
          static Box same(int n) { return null; }
          static Box same(String s) { return null; }
          void go() { make("a", 2).open(); }
          void sure() { same(1).open(); }
        }
        """,
    "a.cpp": """
        struct Box { int open(); };
        struct Lid { int open(); };
        Box make(int n);
        Lid make(const char* s, int t);
        Box same(int n);
        Box same(const char* s);
        void go() { make("a", 2).open(); }
        void sure() { same(1).open(); }
        """,
    "a.kt": """
        class Box { fun open() = 1 }
        class Lid { fun open() = 1 }
        fun make(n: Int): Box = TODO()
        fun make(s: String, t: Int): Lid = TODO()
        fun same(n: Int): Box = TODO()
        fun same(s: String): Box = TODO()
        fun go() { make("a", 2).open() }
        fun sure() { same(1).open() }
        """,
}


@pytest.mark.parametrize("path", OVERLOADED)
def test_what_several_signatures_give_is_no_fact_where_they_differ(path: str) -> None:
    made = graph({path: OVERLOADED[path]})
    opened = {
        (source.rpartition(".")[2], target.rpartition("::")[2])
        for _, source, target in edges(made)
        if target.endswith(".open")
    }
    assert opened == {("sure", "Box.open")}


DJANGO = {
    "shop/models.py": """
        from django.db import models
        class Shop(models.Model):
            def shut(self): ...
        class Order(models.Model):
            shop = models.ForeignKey(Shop, related_name="orders")
            hidden = models.ForeignKey(Shop, related_name="+")
            def pay(self): ...
        class Line(models.Model):
            shop = models.ForeignKey("shop.Shop")
            def pay(self): ...
        """,
    "shop/more.py": """
        from .models import Shop
        class Profile(models.Model):
            shop = models.OneToOneField(Shop)
            def pay(self): ...
        """,
    "shop/views.py": """
        from .models import Shop
        def view(pk):
            shop = Shop.objects.get(pk=pk)
            for each in shop.orders.filter(open=True):
                each.pay()
            shop.line_set.first().pay()
            shop.profile.pay()
        """,
}


def test_django_models_have_what_relations_to_them_are_called() -> None:
    made = graph(DJANGO)
    assert uses(made, "shop/views.py") >= {
        (5, "Shop.orders"), (6, "Order.pay"), (7, "Shop.line_set"), (7, "Line.pay"),
        (8, "Shop.profile"), (8, "Profile.pay"),
    }  # fmt: skip
    assert "Shop.order_set" not in names(made, "shop/models.py")


POSTS = {
    "blog/models.py": "class Post(Model):\n    pass\n",
    "forum/models.py": "class Post(Model):\n    pass\n",
    "plain/post.py": "class Post:\n    pass\n",
    "blog/comments.py": """
        from blog.models import Post
        class Comment(Model):
            post = ForeignKey(Post, related_name="comments")
            def show(self): ...
        """,
    "blog/likes.py": """
        class Like(Model):
            post = ForeignKey("blog.Post", related_name="likes")
        """,
    "view.py": """
        from blog.models import Post
        from forum.models import Post as Other
        from plain.post import Post as Plain
        def f(a: Post, b: Other, c: Plain):
            a.comments.first().show()
            b.comments.first().show()
            c.comments.first().show()
            a.likes
            c.likes
        """,
}


def test_a_relation_is_a_field_of_the_model_that_it_names_alone() -> None:
    found = uses(graph(POSTS), "view.py")
    assert [each for each in found if each[1].startswith("Post.")] == [(6, "Post.comments")]


def test_phoenix_resources_route_to_actions() -> None:
    router = """
        defmodule Web.Router do
          use Phoenix.Router
          scope "/", Web do
            resources "/boxes", BoxController, only: [:index, :show]
            resources "/lids", LidController, except: [:delete]
            resources "/own", OwnController, singleton: true, only: ~w(index show)a
          end
        end
        """
    one = "\n".join(
        f"defmodule Web.{name}Controller do\n  def index(c, _), do: c\n  def show(c, _), do: c\n"
        "  def delete(c, _), do: c\nend\n"
        for name in ("Box", "Lid", "Own")
    )
    made = graph({"lib/router.ex": router, "lib/controllers.ex": one})
    routed = {target.rpartition("::")[2] for path, _, target in edges(made) if "router" in path}
    assert routed >= {
        "Web.BoxController.index", "Web.BoxController.show", "Web.LidController.index",
        "Web.OwnController.show",
    }  # fmt: skip
    assert not {"Web.BoxController.delete", "Web.LidController.delete"} & routed
    assert not {"Web.OwnController.delete", "Web.OwnController.index"} & routed


def test_rust_macros_define_types_by_names_that_they_are_handed() -> None:
    text = """
        macro_rules! newtype { ($name:ident) => { pub struct $name(pub u32); } }
        newtype!(Meters);
        fn f(m: Meters) -> u32 { m.0 }
        fn g() { Meters(3); }
        """
    made = graph({"Cargo.toml": '[package]\nname="m"\n', "src/lib.rs": text})
    assert "Meters" in names(made, "src/lib.rs")
    assert {each[0] for each in uses(made, "src/lib.rs") if each[1] == "Meters"} == {4, 5}


COMMON = {
    "a.swift": """
        class Box { func open() {} }
        extension Array where Element == Box { func order() -> Box { self[0] } }
        func f(all: [Box]) { all.order().open() }
        """,
    "src/lib.rs": """
        pub struct Box1;
        pub trait Orders { fn order(&self) -> u32; }
        impl Orders for Vec<Box1> { fn order(&self) -> u32 { 1 } }
        fn f(all: Vec<Box1>) { all.order(); }
        """,
}


@pytest.mark.parametrize("path", COMMON)
def test_methods_of_other_languages_collections_are_none_here(path: str) -> None:
    made = graph({path: COMMON[path]})
    found = [e for e in made.resolutions[path].edges if e.target.qualname.endswith(".order")]
    assert found


@pytest.mark.parametrize(
    ("family", "method"),
    [("scala", "find"), ("scala", "element"), ("kotlin", "element"), ("kotlin", "firstOrNull")],
)
def test_collections_of_the_jvm_give_what_java_s_do_and_more(family: str, method: str) -> None:
    assert gives_held(family, method)
