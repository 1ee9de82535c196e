"""Values that hold many of one thing: arrays, lists, slices."""

from __future__ import annotations

from surveyor.graph.resolve.model import Value

__all__ = ["METHOD", "ONE", "SAME", "collection_of", "held_by"]

SAME = frozenset({"filter", "slice", "concat", "reverse", "sort", "toSorted", "toReversed", "copy",
                   "splice"})  # fmt: skip
"""Methods of a collection that give a collection of the same."""
ONE = frozenset({"find", "findLast", "at", "pop", "shift", "popleft", "front", "back", "top",
                 "get"})  # fmt: skip
"""Methods of a collection that give one of its elements."""
METHOD = "\0"
"""Around the name of such a method, before what the collection holds."""


def collection_of(value: Value) -> Value:
    """Many of a value."""
    held = f"{{{value.qualname}}}" if value.tag == "shape" else value.qualname
    return Value("collection", value.path, held, value.given)


def held_by(value: Value) -> Value:
    """One of a collection."""
    if value.qualname.startswith("{"):
        return Value("shape", value.path, value.qualname[1:-1], value.given)
    return Value("instance", value.path, value.qualname, value.given)
