"""What is particular to Zig."""

from __future__ import annotations

from surveyor.graph.languages.traits import COMMON_MEMBERS, Traits
from surveyor.graph.languages.zig import bindings, imports, standard, values
from surveyor.graph.languages.zig.modules import ZigModules

__all__ = ["TRAITS"]

_STANDARD = frozenset(
    {"alloc", "allocator", "appendSlice", "cast", "create", "deinit", "destroy", "dupe", "eql",
     "expect", "expectEqual", "free", "getOrPut", "getPtr", "init", "items", "lock", "ptr", "print",
     "readAll", "reader", "realloc", "reset", "toOwnedSlice", "unlock", "writeAll", "writer"}
)  # fmt: skip
"""Members that many types of the standard library have."""

TRAITS = {
    "zig": Traits(
        family="zig",
        standard_members=standard.MEMBERS,
        by_computed_name=r"@field\b",
        self_words=frozenset(),
        super_words=frozenset(),
        module_words=frozenset({values.THIS_FILE}),
        common_members=COMMON_MEMBERS | _STANDARD,
        implicit_this=True,
        aliases=True,
        types_are_values=True,
        passing=frozenset({"items"}),
        modules=ZigModules,
        heads=lambda _: [],
        bindings=bindings.bindings_of,
        initialized=values.initialized,
        value=values.value,
        declared=values.value,
        receiver=values.receiver,
        parameters=values.parameters,
        imports=imports.read,
    )
}
