"""What names mean in Solidity, on small projects given as text."""

from __future__ import annotations

from tests.graph.memory import edges, graph, imports, uses

BOX = """
import "./Base.sol";
import {Car as Own, Sums} from "@shop/Car.sol";

interface Face { function shut(uint a) external; }

contract Box is Base, Face {
    using Sums for uint256;
    Own public car;
    mapping(address => Own) owned;
    Own[] listed;
    event Done(uint x);
    modifier only(uint x) { _; }

    function shut(uint a) external override only(a) {
        Own local = car.open(1).open(2);
        local.close{value: 1}();
        owned[msg.sender].close();
        listed[0].close();
        emit Done(a);
        a.add(2);
        Face(address(this)).shut(1);
        a > 1 ? based() : car.close();
        super.shut(a);
        Own made = new Own(1);
        helper(made);
    }
    function helper(Own own) private { own.close(); }
}
"""
PATHS = {
    "remappings.txt": "@shop/=lib/shop/src/\n",
    "src/Box.sol": BOX,
    "src/Base.sol": """
        contract Base {
            function based() internal {}
            function shut(uint a) public virtual {}
        }
        """,
    "lib/shop/src/Car.sol": """
        contract Car {
            function open(uint n) public returns (Car) { return this; }
            function close() public {}
        }
        library Sums {
            function add(uint256 a, uint256 b) internal returns (uint256) { return a; }
        }
        """,
}


def test_solidity_receivers_bases_and_libraries() -> None:
    made = graph(PATHS)
    lines = uses(made, "src/Box.sol")
    for line in (17, 18, 19, 23, 28):
        assert (line, "Car.close") in lines
    assert {
        (15, "Box.only"), (16, "Car.open"), (20, "Box.Done"), (21, "Sums.add"), (22, "Face.shut"),
        (23, "Base.based"), (24, "Base.shut"), (25, "Car"), (26, "Box.helper"),
    } <= lines  # fmt: skip
    found = edges(made)
    assert ("src/Box.sol", "Box", "src/Base.sol::Base") in found
    assert ("src/Box.sol", "Box", "src/Box.sol::Face") in found
    assert ("@shop/Car.sol", "lib/shop/src/Car.sol", "") in imports(made, "src/Box.sol")
