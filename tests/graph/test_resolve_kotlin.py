"""What names mean in Kotlin, on small projects given as text."""

from __future__ import annotations

from surveyor.graph.facts import KIND_NAMES
from tests.graph.memory import edges, graph, imports, uses

FACES = """
package shop.face

interface Closes { fun close() }
open class Base(n: Int) : Closes {
    override fun close() {}
    fun based() {}
}
"""
CARS = """
package shop.cars

class Car {
    fun open(n: Int): Car { return this }
    fun use() {}
    val doors = Doors()
}
class Doors { fun lock() {} }
class Van { fun fix() {} }

fun Car.extend(): Van = Van()
fun Van.extend(): Car = Car()
fun String.shorten(): String = this
"""
MAIN = """
package shop.main

import shop.cars.Car
import shop.cars.Van as Bus
import shop.cars.extend
import shop.face.*

class Box(val car: Car, other: Bus) : Base(1), Closes {
    companion object {
        fun make(): Box = Box(Car(), Bus())
    }
    private val list: List<Car> = listOf()
    fun run(x: Car?) {
        x?.open(1)!!.use()
        for (each in list) { each.use() }
        list.map { one -> one.use() }
        list.forEach { it.use() }
        car.doors.lock()
        based()
        x.extend().fix()
        other.extend().use()
        Box.make().run(x)
        (x as Bus).fix()
        val anon = object : Base(2) {}
        anon.based()
    }
}
"""
PATHS = {"src/face.kt": FACES, "src/cars.kt": CARS, "src/main.kt": MAIN}


def test_kotlin_receivers_by_types_imports_and_bases() -> None:
    made = graph(PATHS)
    found = edges(made)
    run = "Box.run"
    assert {
        ("src/main.kt", run, "src/cars.kt::Car.open"),
        ("src/main.kt", run, "src/cars.kt::Car.use"),
        ("src/main.kt", run, "src/cars.kt::Car.doors"),
        ("src/main.kt", run, "src/cars.kt::Doors.lock"),
        ("src/main.kt", run, "src/face.kt::Base.based"),
        ("src/main.kt", run, "src/cars.kt::extend"),
        ("src/main.kt", run, "src/cars.kt::Van.fix"),
        ("src/main.kt", run, "src/main.kt::Box.make"),
        ("src/main.kt", "Box", "src/face.kt::Base"),
        ("src/main.kt", "Box", "src/face.kt::Closes"),
    } <= found
    lines = uses(made, "src/main.kt")
    for line in (15, 16, 17, 18, 22):
        assert (line, "Car.use") in lines
    assert ("shop.cars", "src/cars.kt", "") in imports(made, "src/main.kt")
    bases = {
        KIND_NAMES[edge.kind]
        for edge in made.resolutions["src/main.kt"].edges
        if edge.target.qualname == "Base" and edge.source == "Box"
    }
    assert bases == {"inheritance"}


def test_an_extension_is_called_on_what_it_extends_and_sees_its_members() -> None:
    made = graph(
        PATHS
        | {
            "src/more.kt": """
                package shop.main
                import shop.cars.Car
                import shop.cars.shorten
                class Other { fun extendAll() {} }
                fun Car.extendAll() {
                    use()
                    "a".shorten()
                }
                fun go(car: Car, other: Other, names: List<String>) {
                    car.extendAll()
                    other.extendAll()
                    other.shorten()
                }
                """
        }
    )
    found = uses(made, "src/more.kt")
    assert (7, "Car.use") in found
    assert (8, "shorten") in found
    assert (11, "extendAll") in found
    assert (12, "Other.extendAll") in found
    assert not any(line == 13 and name == "shorten" for line, name in found)


def test_what_a_class_extends_for_itself_is_nobody_elses() -> None:
    made = graph(
        {
            "a.kt": """
                class Handle {
                    private fun Size.toLong(): Long = 1
                    fun run(size: Size) { size.toLong() }
                }
                class Size
                fun other(x: Any) { x.toLong() }
                """
        }
    )
    assert {name for line, name in uses(made, "a.kt") if line == 4} >= {"Handle.toLong"}
    assert not {name for line, name in uses(made, "a.kt") if line == 7} & {"Handle.toLong"}


BLOCKS = """
package shop

typealias Declares = Shelf.() -> Unit
typealias Makes<T> = Maker.(Hints) -> T

class Shelf {
    fun put(name: String, colour: Int = 0, make: Makes<Any>) {}
    fun label(text: String) {}
}
fun Shelf.label() {}
class Maker {
    fun <T> get(): T = error("none")
}
class Hints { fun first() {} }
fun shelf(empty: Boolean = false, declares: Declares) {}
fun shelf(others: Hints) {}
fun each(run: ((Hints, Maker) -> Unit)?) {}
fun label(text: String) {}
"""
USED = """
package shop

fun use(hints: Hints) {
    shelf {
        put("a") { given ->
            given.first()
            get<Int>()
        }
        label("a")
        label()
    }
    each { hint, maker -> hint.first(); maker.get<Int>() }
    hints.apply { first() }
    with(Maker()) { get<Int>() }
    hints.run {
        label("b")
    }
}
"""


def test_what_a_block_is_run_on_has_its_bare_names() -> None:
    found = uses(graph({"shop.kt": BLOCKS, "use.kt": USED}), "use.kt")
    assert {(6, "Shelf.put"), (7, "Hints.first"), (8, "Maker.get")} <= found
    assert {(13, "Hints.first"), (13, "Maker.get"), (14, "Hints.first"), (15, "Maker.get")} <= found
    assert (17, "label") in found and (17, "Shelf.label") not in found


def test_a_block_that_takes_a_function_that_suspends() -> None:
    made = graph(
        {
            "shop.kt": "package shop\nclass Shelf { fun put() {} }\n"
            "fun wait(block: (Int, suspend (Int) -> Int) -> Unit) {}\n"
            "fun fill(block: (Shelf) -> Unit) {}\n",
            "use.kt": "package shop\nfun run() {\n  fill { shelf ->\n    shelf.put()\n  }\n}\n",
        }
    )
    assert (4, "Shelf.put") in uses(made, "use.kt")


def test_a_member_that_takes_other_arguments_is_not_meant() -> None:
    made = graph({"shop.kt": BLOCKS, "use.kt": USED})
    assert (10, "Shelf.label") in uses(made, "use.kt")
    assert {name for line, name in uses(made, "use.kt") if line == 11} == {"label"}


PART = """
package shop
class Car
fun String.measure(deep: Boolean): Int = 1
fun Long.shift(by: Int): Long = this
class Json {
    companion object {
        fun String.parse(): Car = Car()
    }
    fun write(car: Car) {}
}
fun Json.write(car: Car, mode: Int) {}
"""
USER = """
package shop.use
import shop.*
import shop.Json.Companion.parse

fun Int.twice() = this shift 1
fun use(json: Json) {
    "a".parse()
    1.measure(true)
    "a".measure(true)
    json.write(Car(), 1)
    json.write(Car())
}
"""


def test_parts_of_a_build_have_packages_of_their_own() -> None:
    made = graph(
        {
            "one/src/main/shop/part.kt": PART,
            "two/src/main/shop/other.kt": "package shop.use\nclass Car\n",
            "one/src/main/shop/use.kt": USER,
        }
    )
    found = edges(made)
    assert ("one/src/main/shop/use.kt", "use", "one/src/main/shop/part.kt::Car") in found
    assert not any(target.startswith("two/") for _, _, target in found)


def test_an_extension_is_of_its_type_alone_and_overloads_are_told_apart() -> None:
    made = graph({"src/part.kt": PART, "src/use.kt": USER})
    found = uses(made, "src/use.kt")
    assert (8, "Json.parse") in found and (10, "measure") in found
    assert not {(6, "shift"), (9, "measure")} & found
    assert {(11, "write"), (12, "Json.write")} <= found
    assert not {(11, "Json.write"), (12, "write")} & found


def test_files_that_name_no_package_see_each_other() -> None:
    made = graph(
        {
            "src/a.kt": "open class Shelf { fun put() {} }\nfun fill(shelf: Shelf) {}\n",
            "src/Made.java": "class Made extends Shelf {}\n",
            "src/b.kt": "class Deep : Shelf()\nfun run(made: Made) {\n  fill(made)\n}\n",
            "src/c.kt": "package shop\nfun run(shelf: Shelf) {\n  fill(shelf)\n}\n",
            "src/tool.kts": "fun fill() {}\n",
        }
    )
    assert uses(made, "src/b.kt") == {(1, "Shelf"), (2, "Made"), (3, "fill")}
    assert (1, "Shelf") in uses(made, "src/Made.java")
    assert not uses(made, "src/c.kt")


def test_java_and_kotlin_of_one_package_see_each_other_whichever_is_read_first() -> None:
    files = {
        "src/main/java/p/Writer.kt": "package p\n\nopen class Writer { fun close() {} }\n",
        "src/main/java/p/Tools.kt": "package p\n\nfun tidy(n: Int) {}\n",
        "src/main/java/p/Own.java": "package p;\n\npublic class Own {\n  void f() {}\n}\n",
        "src/main/java/p/Sub.kt": "package p\n\nclass Sub : Writer() { fun g(o: Own) { o.f() } }\n",
        "src/test/java/p/Use.java": """
            package p;
            class Use {
              void use(Writer writer) { writer.close(); ToolsKt.tidy(1); }
            }
            """,
        "other/First.java": "package q;\nimport p.Own;\nclass First { Own own; }\n",
    }
    for order in (sorted(files), sorted(files, reverse=True)):
        found = edges(graph({path: files[path] for path in order}))
        assert ("src/main/java/p/Sub.kt", "Sub", "src/main/java/p/Writer.kt::Writer") in found
        assert ("src/main/java/p/Sub.kt", "Sub.g", "src/main/java/p/Own.java::Own.f") in found
        used = "src/main/java/p/Writer.kt::Writer.close"
        assert ("src/test/java/p/Use.java", "Use.use", used) in found
        tidy = "src/main/java/p/Tools.kt::tidy"
        assert ("src/test/java/p/Use.java", "Use.use", tidy) in found


def test_a_type_inside_of_a_type_is_seen_by_what_extends_that() -> None:
    found = edges(
        graph(
            {
                "a/Limiter.java": "package a;\n\ninterface Limiter { interface Metrics {} }\n",
                "a/impl/Metrics.java": "package a.impl;\n\nclass Metrics {}\n",
                "a/impl/Atomic.java": """
                    package a.impl;
                    import a.Limiter;
                    class Atomic implements Limiter {
                      class Own implements Metrics {}
                    }
                    """,
                "c/I.cs": "namespace N { public class Base { public class Item { } } }\n",
                "c/J.cs": "namespace M { using N; class Sub : Base { class Own : Item { } } }\n",
            }
        )
    )
    assert ("a/impl/Atomic.java", "Atomic.Own", "a/Limiter.java::Limiter.Metrics") in found
    assert ("a/impl/Atomic.java", "Atomic.Own", "a/impl/Metrics.java::Metrics") not in found
    assert ("c/J.cs", "M.Sub.Own", "c/I.cs::N.Base.Item") in found


def test_this_of_a_function_that_extends_a_type_by_its_name() -> None:
    made = graph(
        {
            "links.kt": """
                open class Link { open fun info(): Int = 1 }
                class Other { fun info(): Int = 2 }
                fun Link.safe(other: Other): Link {
                    return object : Link() {
                        override fun info() = this@safe.info()
                    }
                }
                class Box {
                    fun open() {}
                    inner class Lid { fun lift() = this@Box.open() }
                }
                """
        }
    )
    assert {(6, "Link.info"), (11, "Box.open")} <= uses(made, "links.kt")
    assert (6, "Other.info") not in uses(made, "links.kt")


def test_what_a_foreign_type_holds_hides_nothing_around_it() -> None:
    """A bare name is no member of `AbstractIterator<Box>` because that holds boxes."""
    made = graph(
        {
            "a.kt": """\
                package m
                class Box(val size: Int)
                val none = 1
                fun helper() {}
                class Seq : Sequence<Box> {
                  override fun iterator() = object : AbstractIterator<Box>() {
                    override fun computeNext() { if (get(1)?.size == none) helper() }
                  }
                  fun get(at: Int): Box? = null
                  fun f(all: List<Box>) = all.apply { helper() }
                }
                """
        }
    )
    assert uses(made, "a.kt") >= {
        (7, "Seq.get"), (7, "Box.size"), (7, "none"), (7, "helper"), (10, "helper")
    }  # fmt: skip
