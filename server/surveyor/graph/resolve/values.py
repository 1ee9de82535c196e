"""What expressions evaluate to, and the kinds of definitions that decide it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from surveyor.graph.expressions.keys import plain_name

__all__ = [
    "BASES",
    "CALLABLE_KINDS",
    "GETS",
    "NAMESPACE_KINDS",
    "SETS",
    "TYPE_KINDS",
    "DefinitionKey",
    "Value",
    "definitions_of",
    "owner_of",
]

TYPE_KINDS = frozenset(
    {"class", "interface", "struct", "enum", "trait", "object", "type", "module", "namespace"}
)
NAMESPACE_KINDS = frozenset({"namespace", "module"})
GETS, SETS = "get", "set"
"""Methods of a field that its accessors are (`Value.method`)."""
BASES = "bases"
"""The tag of an object as its bases: `super`, where there are several."""
CALLABLE_KINDS = frozenset({"function", "method", "constructor", "macro"})


class DefinitionKey(NamedTuple):
    """A definition by place and name; the file itself where `qualname` is empty."""

    path: str
    qualname: str


class Value(NamedTuple):
    """What an expression evaluates to."""

    tag: str
    """`module` (a file), `package` (files that share a scope), `node` (a definition),
    `instance` (of the class `qualname`), `collection` (of such), `shape` (an object type that is
    written out), `bases` (of the class; the first with a member has it), `folder` (a namespace
    package)."""
    path: str
    """File, or the key of a package or folder."""
    qualname: str = ""
    given: int = 0
    """What the type parameters of what it is an instance of, or a member of, stand for
    (`type_arguments.TypeArguments`)."""
    held: str = "instance"
    """Of a collection: the tag of what it holds, `instance`, `shape` or `module`; of a list that is
    written out: whether it is only some of it (`collections.some_of`)."""
    method: str = ""
    """Of a collection or such a list: its method that is meant, not the collection itself. Of a
    field: the accessor that is meant (`GETS`, `SETS`)."""


def definitions_of(values: Iterable[Value]) -> list[DefinitionKey]:
    """The definitions that values are, or are instances of."""
    found: dict[DefinitionKey, None] = {}
    for value in values:
        if value.tag in ("node", "instance") or value.tag == "module":
            found[DefinitionKey(value.path, plain_name(value.qualname))] = None
    return list(found)


def owner_of(member: Value) -> Value:
    """The class that a member is defined in."""
    return Value("node", member.path, member.qualname.rpartition(".")[0])
