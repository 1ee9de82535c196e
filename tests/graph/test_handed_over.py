"""Functions that are named without being called: handed over, in tables, referred to."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from surveyor.graph.queries.items import LineReader
from surveyor.graph.queries.lookup import StoredGraph
from surveyor.graph.queries.names import find
from surveyor.graph.queries.questions import callers
from tests.graph.support import CHECKOUT, Checkout

FILES = {
    "Box.java": """package shop;
class Box {
  static int size(String s) { return 1; }
  int weigh(String s) { return 2; }
  void run(java.util.List<String> all) {
    all.stream().map(Box::size).forEach(this::show);
    Box.size("a");
  }
  void show(int n) { }
}
""",
    "lid.kt": """package lids
fun helper(x: Int): Int = x
class Lid {
  fun run(all: List<Int>) { all.map(::helper); all.map(this::keep) }
  private fun keep(n: Int) = n
}
""",
    "crate.rb": """class Crate
  def walk(list)
    list.each(&method(:show))
    send(:other)
  end
  def show(x); end
  def other; end
end
def top(x); end
HANDLERS = { a: method(:top) }
""",
    "handlers.py": """import atexit
import functools


def partly(a): ...


def listed(a): ...


def ended(): ...


def called(a): ...


TABLE = {"a": listed}
atexit.register(ended)


def run():
    called(functools.partial(partly, 1))
""",
    "ops.c": """struct ops { int (*open)(int); int (*shut)(int); };
static int box_open(int a) { return a; }
static int box_shut(int a) { return a; }
static int box_log(int a) { return a; }
static int box_own(int a) { return box_log(a); }
static const struct ops box_ops = { .open = box_open, .shut = &box_shut };
static int (*all[])(int) = { box_own };
""",
    "table.go": """package table
func open(a int) int { return a }
func shut(a int) int { return open(a) }
var table = map[string]func(int) int{"shut": shut}
""",
    "hooks.js": """function page(request) {}
function offered() {}
function also() {}
app.get("/", page)
module.exports = {
  offered,
  other: also,
}
""",
    "shop.php": """<?php
class Shop {
  function run($all) {
    array_map([$this, 'shut'], $all);
    array_map($this->open(...), $all);
    $this->sell(1);
  }
  function shut($a) {} function open($a) {} function sell($a) {}
}
""",
    "words.ex": """defmodule Words do
  @spec upper(binary) :: binary
  def upper(a), do: a
  def lower(a), do: upper(a)
  def run(all), do: Enum.map(all, &lower/1)
end
""",
}


@pytest.fixture
async def checkout(tmp_path: Path) -> AsyncIterator[Checkout]:
    made = await Checkout.open(tmp_path)
    await made.write(FILES)
    yield made
    await made.close()


async def test_callers_say_in_every_language_where_it_is_named_without_a_call(
    checkout: Checkout,
) -> None:
    stored = StoredGraph(checkout.state, CHECKOUT)
    expected = {
        "Box.size": "Box.java:6",
        "Box.show": "Box.java:6",
        "helper": "lid.kt:4",
        "Lid.keep": "lid.kt:4",
        "Crate.show": "crate.rb:3",
        "top": "crate.rb:10",
        "partly": "handlers.py:22",
        "listed": "handlers.py:17",
        "ended": "handlers.py:18",
        "box_open": "ops.c:6",
        "box_shut": "ops.c:6",
        "box_own": "ops.c:7",
        "table.go:shut": "table.go:4",
        "page": "hooks.js:4",
        "Shop.shut": "shop.php:4",
        "Shop.open": "shop.php:5",
        "lower": "words.ex:5",
        "Box.weigh": None,
        "Crate.other": None,
        "called": None,
        "box_log": None,
        "table.go:open": None,
        "offered": None,
        "also": None,
        "Shop.sell": None,
        "upper": None,
    }
    found = {}
    for name in expected:
        meant = await find(stored, name)
        lines = LineReader(str(checkout.root))
        # As the engine answers: in a thread without an event loop.
        answer = await checkout.state.in_one_thread(callers(stored, meant, 1, lines))
        place = (answer.notice or "").partition("(")[2].partition(")")[0] or None
        assert answer.incomplete == (place is not None), name
        found[name] = place
    assert found == expected


async def test_what_a_module_offers_or_calls_by_another_name_is_not_said(
    checkout: Checkout,
) -> None:
    await checkout.write({"b.py": "from handlers import called\n\nother = called\n"})
    stored = StoredGraph(checkout.state, CHECKOUT)
    answer = await callers(stored, await find(stored, "called"), 1, LineReader(str(checkout.root)))
    assert not answer.incomplete and answer.notice is None
