"""What names mean in Swift, on small projects given as text."""

from __future__ import annotations

from tests.graph.memory import edges, graph, imports, uses

PACKAGE = """
let package = Package(name: "Shop", targets: [
    .target(name: "Shop", dependencies: ["Kit"], path: "Code"),
    .testTarget(name: "ShopTests", dependencies: ["Shop"]),
])
"""
CAR = """
public protocol Closes { func close() }
public struct Car: Codable {
    let doors: [Door] = []
    func open(_ n: Int) -> Car { return self }
    static func make() -> Car { Car() }
}
extension Car: Closes {
    func close() { helper() }
    private func helper() { open(1).close() }
}
class Door { func lock() {} }
class Base { func based() {} }
"""
BOX = """
import Foundation

final class Box<T: Base>: Base {
    let car = Car()
    var items: [Car] = []
    static let shared = Box()
    func run(_ other: Car?, held: T, word: String) throws -> Car {
        other?.open(1).close()
        if let one = other { one.close() }
        guard let two = other else { return Car.make() }
        for some in items { some.close() }
        items.forEach { $0.close() }
        items.map { item in item.close() }
        car.doors[0].lock()
        held.based()
        based()
        word.lock()
        Box.shared.run(two, held: held, word: "")
        return try (two as Car).open(2)
    }
}
"""
TESTS = """
@testable import Shop

final class BoxTests {
    func testIt() { Box.shared.run(nil) }
}
"""
PATHS = {
    "Package.swift": PACKAGE,
    "Code/Model/Car.swift": CAR,
    "Code/Box.swift": BOX,
    "Tests/ShopTests/BoxTests.swift": TESTS,
}


def test_swift_receivers_extensions_and_protocols() -> None:
    made = graph(PATHS)
    lines = uses(made, "Code/Box.swift")
    for line in (9, 10, 12, 13, 14):
        assert (line, "Car.close") in lines
    assert {
        (11, "Car.make"), (15, "Door.lock"), (16, "Base.based"), (17, "Base.based"),
        (19, "Box.run"), (20, "Car.open"), (4, "Base"),
    } <= lines  # fmt: skip
    assert (18, "Door.lock") not in lines  # a String is none of ours
    found = edges(made)
    assert ("Code/Model/Car.swift", "Car", "Code/Model/Car.swift::Closes") in found
    assert ("Code/Model/Car.swift", "Car.helper", "Code/Model/Car.swift::Car.open") in found


def test_targets_are_what_the_manifest_calls_them() -> None:
    made = graph(PATHS)
    tests = "Tests/ShopTests/BoxTests.swift"
    assert {(5, "Box"), (5, "Box.shared"), (5, "Box.run")} <= uses(made, tests)
    assert not [reason for _, _, reason in imports(made, tests) if reason]


WANTED = """
struct Colour {
    static func deep(_ n: Int) -> Colour { Colour() }
    func mix() {}
}
struct Paper {
    init(_ name: String, colour: Colour = .deep(0)) {}
    var colour: Colour { .deep(1) }
}
class Press {
    func run(_ paper: Paper, in colour: Colour, then done: (Paper, Press) throws -> Void) {}
    func each(_ done: ((Colour) -> Void)?) {}
}
"""
WANTING = """
func use(press: Press) {
    press.run(.init("a"), in: .deep(2)) { paper, machine in
        paper.colour.mix()
        machine.each { $0.mix() }
    }
    press.each({ colour in colour.mix() })
    let own: Colour = .deep(3)
    let other = Paper("b", colour: .deep(4))
}
struct Options { @Printed(colour: .deep(5)) var x: Int }
struct Printed { init(colour: Colour) {} }
"""


def test_a_name_that_begins_with_a_dot_is_of_the_type_that_is_wanted() -> None:
    made = graph({"Sources/A/a.swift": WANTED, "Sources/A/b.swift": WANTING})
    found = uses(made, "Sources/A/b.swift")
    lines = {line for line, name in found if name == "Colour.deep"}
    assert lines == {3, 8, 9, 11}
    assert {line for line, name in uses(made, "Sources/A/a.swift") if name == "Colour.deep"} == {
        7,
        8,
    }


def test_closures_are_called_with_what_the_function_says_that_takes_them() -> None:
    made = graph({"Sources/A/a.swift": WANTED, "Sources/A/b.swift": WANTING})
    found = uses(made, "Sources/A/b.swift")
    assert {(4, "Paper.colour"), (4, "Colour.mix"), (5, "Press.each"), (5, "Colour.mix")} <= found
    assert (7, "Colour.mix") in found


def test_what_the_project_gives_to_the_protocols_of_others() -> None:
    made = graph(
        {
            "Sources/A/Hex.swift": """
                extension Sequence where Element == UInt8 {
                    public var hex: String { self.hexEncoded() }
                    public func hexEncoded(upper: Bool = false) -> String { "" }
                }
                extension Array where Element == any Ware {
                    func makeAll(a: Int) {}
                }
                extension Data {
                    func sign() {}
                }
                protocol Ware { func make() }
            """,
            "Sources/A/Use.swift": """
                struct Group {
                    let wares: [any Ware]
                    func run(more: [any Ware], text: String, own: Group) {
                        let bytes: [UInt8] = [1]
                        let others: AnySequence<UInt8> = AnySequence([1])
                        check(bytes.hex)
                        check(bytes.hexEncoded())
                        check(others.hexEncoded())
                        self.wares.makeAll(a: 1)
                        more.makeAll(a: 2)
                        bytes.sign()
                        own.hexEncoded()
                        text.makeAll(a: 1)
                    }
                }
            """,
        }
    )
    used = {(line, name) for line, name in uses(made, "Sources/A/Use.swift") if "." in name}
    assert used == {
        (7, "Sequence.hex"),
        (8, "Sequence.hexEncoded"),
        (9, "Sequence.hexEncoded"),
        (10, "Array.makeAll"),
        (10, "Group.wares"),
        (11, "Array.makeAll"),
    }


def test_optional_protocols_and_elements_that_are_read() -> None:
    made = graph(
        {
            "Use.swift": """
                protocol Ware { func make() }
                struct Box { func make() {} }
                func run(one: (any Ware)?, two: (any Ware)!, pair: (Int, Box), all: [any Ware]) {
                    one?.make()
                    two.make()
                    all.first?.make()
                    all.last!.make()
                }
            """
        }
    )
    sure = {
        (edge.line, edge.target.qualname)
        for edge in made.resolutions["Use.swift"].edges
        if edge.score == 1.0 and edge.target.qualname.endswith(".make")
    }
    assert sure == {(line, "Ware.make") for line in (5, 6, 7, 8)}
