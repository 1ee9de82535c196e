"""What names mean in Scala, on small projects given as text."""

from __future__ import annotations

from surveyor.graph.facts import KIND_CODES
from tests.graph.memory import edges, graph, imports, uses

CARS = """
package shop.cars

case class Car(n: Int) {
  def open(n: Int): Car = this
  def close() = Car(1)
  val door = new Door
}
object Car { def make(): Car = Car(2) }
class Door { def lock() = 1 }
class Van { def fix() = 2 }
trait Closes { def shut(): Unit }
"""
BOX = """
package shop
package main

import cars.{Car, Van => Bus}
import shop.cars._

class Box(car: Car, val other: Bus) extends Base(1) with Closes {
  val list: Seq[Car] = Nil
  def run(a: Option[Car], b: Bus)(implicit n: Int): Car = {
    val z = a.open(1).close()
    for { one <- list } yield one.close()
    list.map(each => each.close())
    list.map(_.close())
    car.door.lock()
    a match { case t: Bus => t.fix(); case Car(m) => m.open(1) }
    b fix ()
    based()
    b.asInstanceOf[Car].close()
    val anon = new Base(2) {}
    anon.based()
    Car.make().open(2)
  }
}
class Base(n: Int) { def based() = 1 }
"""
PATHS = {"a/cars.scala": CARS, "b/box.scala": BOX}


def test_scala_receivers_packages_and_traits() -> None:
    made = graph(PATHS)
    lines = uses(made, "b/box.scala")
    for line in (11, 12, 13, 14, 19):
        assert (line, "Car.close") in lines
    assert {
        (15, "Door.lock"), (16, "Van.fix"), (17, "Van.fix"), (18, "Base.based"),
        (21, "Base.based"), (22, "Car.make"), (22, "Car.open"), (8, "Closes"), (8, "Base"),
    } <= lines  # fmt: skip
    assert ("b/box.scala", "Box", "a/cars.scala::Closes") in edges(made)


def test_packages_inside_of_packages_see_those_around() -> None:
    made = graph(PATHS)
    assert made.facts["b/box.scala"].package == "shop.main"
    assert ("cars", "a/cars.scala", "") in imports(made, "b/box.scala")


def test_a_package_clause_of_several_names_opens_the_last_alone() -> None:
    made = graph(
        {
            "os/a.scala": "package os\nobject Internals { def moved(n: Int) = 1 }\n",
            "test/a.scala": "package test.os\nobject Tests { def run() = os.Internals.moved(1) }\n",
            "test/b.scala": "package test\nobject Here { def run() = os.Tests.run() }\n",
        }
    )
    assert ("test/a.scala", "Tests.run", "os/a.scala::Internals.moved") in edges(made)
    assert ("test/b.scala", "Here.run", "test/a.scala::Tests.run") in edges(made)


def test_a_class_without_a_name_extends_all_that_it_is_made_with() -> None:
    made = graph(
        {
            "a.scala": """
                package a
                trait Modifier { def put(): Int }
                object Box { trait Source { def run(): Int } }
                trait Has[T] { def got: T }
                class User {
                  val one = new Modifier with Box.Source with Has[Int] { def put() = got }
                  val two = new Box.Source { def run() = 2 }
                  val three = new Modifier with Box.Source
                }
                """
        }
    )
    inherited = {
        (edge.line, edge.target.qualname)
        for edge in made.resolutions["a.scala"].edges
        if edge.kind == KIND_CODES["inheritance"]
    }
    assert inherited == {
        (7, "Modifier"), (7, "Box.Source"), (7, "Has"), (8, "Box.Source"),
        (9, "Modifier"), (9, "Box.Source"),
    }  # fmt: skip
    assert (7, "Has.got") in uses(made, "a.scala")
