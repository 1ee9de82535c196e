"""Members that values of Solidity's own types have."""

from __future__ import annotations

__all__ = ["MEMBERS"]

_WORDS = """
balance call code codehash concat decode delegatecall encode encodeCall encodePacked
encodeWithSelector encodeWithSignature length pop push selector send staticcall transfer
"""
MEMBERS = frozenset(_WORDS.split())
"""Members of Solidity's arrays, addresses and types."""
