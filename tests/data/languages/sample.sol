// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

import "./Token.sol";

/// A shop.
contract Shop is Token {
    uint256 public constant LIMIT = 10;
    address owner;
    enum State { Open, Closed }
    struct Order { uint256 id; address buyer; }
    event Sold(uint256 id);
    error Empty();

    modifier onlyOwner() { require(msg.sender == owner); _; }

    constructor(address first) { owner = first; }

    /// Pays an order.
    function pay(uint256 id) public onlyOwner returns (bool) {
        emit Sold(id);
        return check(id);
    }
}

interface Payable { function pay(uint256 id) external returns (bool); }

library Math { function add(uint a, uint b) internal pure returns (uint) { return a + b; } }

function free(uint a) pure returns (uint) { return a; }
