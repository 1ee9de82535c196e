"""Members that nobody writes out: what documentation, a compiler, annotations or frameworks make;
and what stands in a variable's value without being a member of it."""

from __future__ import annotations

import pytest

from tests.graph.memory import graph, names, uses

HANDED = {
    "a.ts": (
        'import { Agent, make } from "agent";\n'
        "const a = new Agent({ connect() {}, shut: () => 2 });\n"
        "a.connect();\na.shut();\n"
        "class Own { connect() {} constructor(given: any) {} }\n"
        "const d = new Own({ connect() {} });\nd.connect();\n"
        "const e: Handlers = { connect() {} };\ne.connect();\n"
        "const f = Object.freeze({ connect() {} });\nf.connect();\n"
        "const g = make({ connect() {} });\ng.connect();\n"
    ),
    "a.lua": (
        'local Agent = require("agent")\n'
        "local a = Agent.new({ connect = function() end })\na.connect()\n"
        "local b = Agent:extend({ connect = function() end })\nb.connect()\n"
        "return a\n"
    ),
    "a.kt": (
        "package p\nclass Own(val h: Handler) { fun connect() = 1 }\n"
        "val a = Agent(object : Handler { override fun connect() {} })\n"
        "val d = Own(object : Handler { override fun connect() {} })\n"
        "val e = object : Handler { override fun connect() {} }\n"
        "fun f() { a.connect() }\nfun g() { d.connect() }\nfun h() { e.connect() }\n"
    ),
    "A.java": (
        "package p;\nclass A {\n"
        "  Agent a = new Agent(new Handler() { public void connect() {} });\n"
        "  Own d = new Own(new Handler() { public void connect() {} });\n"
        "  void f() {\n    a.connect();\n    d.connect();\n  }\n}\n"
        "class Own { void connect() {} }\n"
    ),
    "a.rb": "AGENT = Agent.new(Class.new { def connect; end })\nAGENT.connect\n",
    "a.scala": (
        "package p\nobject O {\n  val a = new Agent(new Handler { def connect() = 1 })\n"
        "  def f() = a.connect()\n}\n"
    ),
}  # fmt: skip
CERTAIN = {
    "a.ts": {(7, "Own.connect"), (9, "e.connect"), (11, "f.connect")},
    "a.lua": {(5, "b.connect")},
    "a.kt": {(7, "Own.connect"), (8, "e.connect")},
    "A.java": {(7, "Own.connect")},
    "a.rb": set[tuple[int, str]](),
    "a.scala": set[tuple[int, str]](),
}


@pytest.mark.parametrize("path", HANDED)
def test_what_a_call_is_handed_is_no_member_of_what_it_gives(path: str) -> None:
    made = graph({path: HANDED[path]})
    ends = (".connect", ".shut")
    assert {each for each in uses(made, path) if each[1].endswith(ends)} == CERTAIN[path]
    guessed = {e.target.qualname for e in made.resolutions[path].edges if 0.25 < e.score < 0.5}
    assert any(each.endswith("a.connect") or each == "AGENT.connect" for each in guessed)


def test_php_documentation_gives_a_class_members() -> None:
    made = graph(
        {
            "a.php": (
                "<?php\nnamespace P;\nclass User { public function open() {} }\n"
                "/**\n * @property User $owner\n * @property Collection|User[] $all\n"
                " * @method User findOwner(int $id)\n * @method static Order made()\n */\n"
                "class Order extends Model { function f() {} }\n"
                "class Use {\n  function g(Order $o) {\n"
                "    $o->owner->open();\n    $o->findOwner(2)->open();\n"
                "    Order::made()->f();\n    foreach ($o->all as $u) { $u->open(); }\n  }\n}\n"
            )
        }
    )
    places = {n.qualname: (n.line, n.column) for n in made.facts["a.php"].names}
    assert places["Order.owner"] == (5, 19) and places["Order.findOwner"] == (7, 16)
    assert uses(made, "a.php") >= {
        (13, "Order.owner"), (13, "User.open"), (14, "Order.findOwner"), (14, "User.open"),
        (15, "Order.made"), (15, "Order.f"), (16, "User.open"),
    }  # fmt: skip


def test_ruby_names_methods_in_calls_of_a_class() -> None:
    made = graph(
        {
            "a.rb": (
                "class User\n  attr_reader :box\n  define_method(:open) { 1 }\n"
                "  delegate :weight, to: :box\n  def_delegators :@box, :lid, :rim\n"
                "  def_delegator :@box, :lid, :cover\n  alias_method :unlock, :open\n"
                "  before_save :tidy, if: :dirty?\n  def tidy; end\n  def dirty?; end\nend\n"
            )
        }
    )
    made_names = set(names(made, "a.rb"))
    assert made_names >= {
        f"User.{each}" for each in ("open", "weight", "lid", "cover", "unlock", "box", "dirty?")
    }
    assert uses(made, "a.rb") >= {
        (4, "User.box"), (7, "User.open"), (8, "User.tidy"), (8, "User.dirty?"),
    }  # fmt: skip


RECORDS = {
    "a.rb": (
        "class User < ApplicationRecord\n  has_many :orders\n"
        '  belongs_to :owner, class_name: "Bank"\n'
        "  scope :active, -> { where(active: true) }\n  def greet; end\nend\n"
        "class Order < ApplicationRecord\n  belongs_to :user\n  def total; end\nend\n"
        "class Bank < ApplicationRecord\n  def bill; end\nend\n"
        "class Use\n  def show\n    @user.orders.first.total\n    @user.owner.bill\n"
        "    @user.orders.each do |each|\n      each.user.greet\n    end\n"
        "    User.active.each { |each| each.greet }\n    User.where(a: 1).first.greet\n  end\n"
        "  def load\n    @user = User.find(1)\n  end\nend\n"
    ),
    "m.py": (
        "from django.db import models\nclass Owner(models.Model):\n    def bill(self): pass\n"
        "class Thing(models.Model):\n    owner = models.ForeignKey(Owner, models.CASCADE)\n"
        '    other = models.OneToOneField("Owner", models.CASCADE)\n'
        "    def go(self):\n        self.owner.bill()\n        self.other.bill()\n"
        "def f():\n    Thing.objects.get(pk=1).go()\n"
        "    for thing in Thing.objects.filter(a=1):\n        thing.go()\n"
    ),
    "a.php": (
        "<?php\nnamespace App;\nclass User extends Model {\n"
        "  function posts() { return $this->hasMany(Post::class)->latest(); }\n"
        "  function team(): BelongsTo { return $this->belongsTo(Team::class); }\n"
        "  function hi() {\n    $this->posts()->first()->open();\n    $this->team->join();\n"
        "    foreach ($this->posts as $post) { $post->open(); }\n    User::find(1)->hi();\n"
        "    User::query()->where('a', 1)->first()->hi();\n    Team::active();\n  }\n}\n"
        "class Post extends Model { function open() {} }\n"
        "class Team extends Model { function join() {} function scopeActive($query) {} }\n"
    ),
}
FOUND = {
    "a.rb": {
        (16, "User.orders"), (16, "Order.total"), (17, "Bank.bill"), (19, "Order.user"),
        (19, "User.greet"), (21, "User.active"), (21, "User.greet"), (22, "User.greet"),
    },
    "m.py": {(8, "Owner.bill"), (9, "Owner.bill"), (11, "Thing.go"), (13, "Thing.go")},
    "a.php": {
        (7, "Post.open"), (8, "Team.join"), (9, "Post.open"), (10, "User.hi"), (11, "User.hi"),
        (12, "Team.scopeActive"),
    },
}  # fmt: skip


@pytest.mark.parametrize("path", RECORDS)
def test_what_records_of_a_framework_hold_is_known(path: str) -> None:
    assert uses(graph({path: RECORDS[path]}), path) >= FOUND[path]


def test_a_class_with_bases_that_are_known_finds_nothing() -> None:
    two = "class Thing:\n    def go(self): pass\nclass Other:\n    def go(self): pass\n"
    made = graph({"m.py": f"{two}Thing.objects.get(1).go()\n"})
    assert not {each for each in uses(made, "m.py") if each[1].endswith(".go")}


def test_accessors_that_annotations_and_records_make() -> None:
    made = graph(
        {
            "p/User.java": (
                "package p;\nimport lombok.*;\n@Data @Builder\npublic class User {\n"
                "  private String name;\n  private boolean active;\n  private Box box;\n}\n"
                "class Box { void open() {} }\n"
            ),
            "p/Plain.java": "package p;\nclass Plain { private Box box; }\n",
            "p/Use.java": (
                "package p;\nclass Use {\n  void f(User u, Point point, Plain plain) {\n"
                "    u.getBox().open();\n    u.isActive();\n    u.setName(null);\n"
                "    User.builder().name(null).build().getBox().open();\n"
                "    point.b().open();\n    plain.getBox();\n"
                "    for (Color c : Color.values()) { c.paint(); }\n  }\n}\n"
                "record Point(int x, Box b) {}\nenum Color { RED; void paint() {} }\n"
            ),
        }
    )
    found = uses(made, "p/Use.java")
    assert found >= {
        (4, "User.box"), (4, "Box.open"), (5, "User.active"), (6, "User.name"), (7, "User.name"),
        (7, "User.box"), (7, "Box.open"), (8, "Point.b"), (8, "Box.open"), (10, "Color.paint"),
    }  # fmt: skip
    assert not {each for each in found if each[0] == 9 and each[1] != "Plain"}
    assert not {each for each in found if each[0] == 13 and each[1].startswith("Point")}


def test_data_classes_are_copied_and_taken_apart() -> None:
    made = graph(
        {
            "a.kt": (
                "package p\ndata class User(val name: String, val box: Box) { fun hi() = 1 }\n"
                "class Box { fun open() = 1 }\nenum class Color { RED; fun paint() = 1 }\n"
                "fun f(u: User) {\n  u.copy(name = null).hi()\n  val (n, b) = u\n  b.open()\n"
                "  Color.entries.forEach { it.paint() }\n}\n"
            ),
            "a.scala": (
                "package q\ncase class User(name: String, box: Box) { def hi() = 1 }\n"
                "class Box { def shut() = 1 }\nobject O {\n  def f(u: User) = u match {\n"
                "    case User(n, b) => b.shut()\n  }\n"
                "  def g(u: User) = u.copy(name = null).hi()\n"
                "  def h = User.apply(null, null).hi()\n}\n"
            ),
        }
    )
    assert uses(made, "a.kt") >= {(6, "User.hi"), (8, "Box.open"), (9, "Color.paint")}
    assert uses(made, "a.scala") >= {(6, "Box.shut"), (8, "User.hi"), (9, "User.hi")}


def test_a_module_exports_a_variable_under_another_name() -> None:
    made = graph(
        {
            "util.js": "const helper = () => 1;\nmodule.exports.assist = helper;\n",
            "main.js": 'const util = require("./util");\nmodule.exports.util = util;\n',
            "x.js": 'const m = require("./main");\nm.util.assist();\n',
        }
    )
    assert (2, "helper") in uses(made, "x.js")


def test_phoenix_routes_and_plugs_name_functions_by_atoms() -> None:
    made = graph(
        {
            "lib/router.ex": (
                "defmodule ShopWeb.Router do\n  import ShopWeb.Auth, only: [load: 2]\n\n"
                '  scope "/", ShopWeb do\n    pipe_through [:browser, :load]\n'
                '    get "/", BoxController, :show\n    live_session :all do\n'
                '      live "/lid", LidLive, :edit\n    end\n'
                '    scope "/admin", Admin do\n      post "/", BoxController, :show\n    end\n'
                "  end\nend\n"
            ),
            "lib/auth.ex": "defmodule ShopWeb.Auth do\n  def load(conn, _), do: conn\nend\n",
            "lib/box.ex": (
                "defmodule ShopWeb.BoxController do\n  plug :check\n  def show(c, _), do: c\n"
                "  def check(c, _), do: c\nend\n"
            ),
            "lib/admin.ex": (
                "defmodule ShopWeb.Admin.BoxController do\n  def show(c, _), do: c\nend\n"
            ),
            "lib/lid.ex": "defmodule ShopWeb.LidLive do\nend\n",
        }
    )
    assert uses(made, "lib/router.ex") >= {
        (2, "ShopWeb.Auth.load"), (5, "ShopWeb.Auth.load"), (6, "ShopWeb.BoxController"),
        (6, "ShopWeb.BoxController.show"), (8, "ShopWeb.LidLive"),
        (11, "ShopWeb.Admin.BoxController.show"),
    }  # fmt: skip
    assert (2, "ShopWeb.BoxController.check") in uses(made, "lib/box.ex")


def test_a_bare_name_of_ruby_calls_no_method_of_a_class_that_it_is_not_in() -> None:
    made = graph(
        {
            "a.rb": "class Migrator\n  def self.migrate; end\nend\n",
            "helper.rb": "module Helper\n  def shown; end\nend\n",
            "config.ru": "migrate Rails.application\n",
            "b.rb": "class Other < Base\n  def f\n    migrate(1)\n    shown(1)\n  end\nend\n",
        }
    )
    assert uses(made, "config.ru") == set()
    assert uses(made, "b.rb") == {(4, "Helper.shown")}
