"""What names mean in Dart, on small projects given as text."""

from __future__ import annotations

from tests.graph.memory import edges, graph, imports, uses

CAR = """
part 'car.g.dart';

class Car {
  Car(this.door);
  Car.named(int n) : door = Door();
  final Door door;
  Car open(int n) => this;
  void close() {}
}
class Door { void lock() {} }
"""
BOX = """
import 'package:shop/shop.dart';
import 'package:shop/src/util.dart' as util show helper;
import 'dart:io';

abstract class Closes { void shut(); }
mixin Based { void based() {} }

class Box extends Object with Based implements Closes {
  final List<Car> cars = [];
  Car? _own;
  static final Box shared = Box();
  void shut() {}
  Future<Car> run(Car first, [Car? other]) async {
    final z = await first.open(1).open(2);
    z.close();
    for (final one in cars) { one.close(); }
    cars.forEach((each) { each.close(); });
    cars.where((each) => each.close());
    _own!.door.lock();
    first..open(1)..close();
    (z as Car).close();
    Box.shared.run(first);
    util.helper();
    based();
    first.fix();
    made(first);
    return Car.named(1).open(2);
  }
}
"""
PATHS = {
    "pubspec.yaml": "name: shop\n",
    "lib/shop.dart": "export 'src/car.dart' show Car, Repairs;\n",
    "lib/src/car.dart": CAR,
    "lib/src/car.g.dart": """
        part of 'car.dart';
        Car made(Car c) => c.open(1);
        extension Repairs on Car { void fix() { close(); } }
        """,
    "lib/src/util.dart": "void helper() {}\n",
    "bin/box.dart": BOX,
}


def test_dart_receivers_libraries_and_mixins() -> None:
    made = graph(PATHS)
    lines = uses(made, "bin/box.dart")
    for line in (16, 17, 18, 19, 21, 22):
        assert (line, "Car.close") in lines
    assert {
        (15, "Car.open"), (20, "Door.lock"), (23, "Box.run"), (24, "helper"),
        (25, "Based.based"), (26, "Repairs.fix"), (28, "Car.named"), (28, "Car.open"),
        (9, "Based"), (9, "Closes"),
    } <= lines  # fmt: skip
    assert not any(line == 27 for line, name in lines if name == "made")  # not exported
    assert ("bin/box.dart", "Box", "bin/box.dart::Based") in edges(made)
    assert ("package:shop/src/util.dart", "lib/src/util.dart", "") in imports(made, "bin/box.dart")


def test_the_parts_of_a_library_see_each_other() -> None:
    assert {(3, "Car"), (3, "Car.open"), (4, "Car")} <= uses(graph(PATHS), "lib/src/car.g.dart")


SHOP = """
import 'package:base/base.dart';
import 'package:base/tools.dart' as tools;
import 'src/near.dart';

part 'src/part.dart';

class Other extends Base {}
"""
PART = """
part of '../shop.dart';

class Shop extends Base {
  final near = Near();
  void open() {
    run();
    near.go();
    tools.Saw();
  }
}
"""
LIBRARY = {
    "packages/base/pubspec.yaml": "name: base\n",
    "packages/base/lib/base.dart": "class Base { void run() {} }\nclass Shelf {}\n",
    "packages/base/lib/tools.dart": "class Saw {}\n",
    "packages/shop/pubspec.yaml": "name: shop\n",
    "packages/shop/lib/shop.dart": SHOP,
    "packages/shop/lib/src/near.dart": "class Near { void go() {} }\n",
    "packages/shop/lib/src/part.dart": PART,
}


def test_a_part_has_the_imports_of_its_library() -> None:
    found = uses(graph(LIBRARY), "packages/shop/lib/src/part.dart")
    assert {(4, "Base"), (5, "Near"), (7, "Base.run"), (8, "Near.go"), (9, "Saw")} <= found
