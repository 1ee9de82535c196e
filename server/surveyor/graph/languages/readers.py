"""What the readers of all families give back, and what they share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, TypeVar

from surveyor.graph.expressions.model import (
    NOTHING,
    CollectionOf,
    Expression,
    Instance,
    Name,
    Unknown,
    instance,
)
from surveyor.parsing.types import Import

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = [
    "FILE",
    "GLOBAL",
    "MAX_DEPTH",
    "NAMED_BARE",
    "NOT_CONSTANT",
    "NO_MEMBER",
    "PRIVATE",
    "PROJECT",
    "STRINGS",
    "Binding",
    "Found",
    "NotConstant",
    "collection_of",
    "descend",
    "forget_file",
    "given_types",
    "kept_a_file",
    "line",
    "literal",
    "member_path",
    "once_a_file",
    "string_value",
    "text",
]

Found: TypeAlias = "tuple[list[Import], list[tuple[Node, str]]]"
"""Imports, and the name nodes inside the statement with the module that each comes from."""

_T = TypeVar("_T")
FILE = "file:"
"""Before a path in place of a module's name."""
GLOBAL = "global"
"""The kind of an import that brings nothing, but says what the file defines for all others."""
PROJECT = "global using"
"""The kind of an import that holds in all files that are built together with the one it is in. Also
kept among the names that the file uses, of which no other can be spelled so."""
PRIVATE = "private"
"""The kind of an import that brings names to its own file alone: others do not find them there."""
NOT_CONSTANT = "the argument is not a constant"
STRINGS = frozenset({"string", "concatenated_string", "string_literal", "raw_string_literal"})
MAX_DEPTH = 24
"""Links of a chain, and brackets in brackets, that a value is read through."""


class Binding(NamedTuple):
    """A name and what it is bound to (None when that says nothing)."""

    node: Node
    value: Expression | None
    is_attribute: bool = False
    """Made by assignment to an attribute of self, so it may have no declaration."""
    is_field: bool = False
    """Declared in a class body or as a parameter that becomes a field."""
    key: Node | None = None
    """Where a value is taken apart (`{ key: node }`): the name of the member, used here …"""
    owner: Expression | None = None
    """… of this value."""
    said_of: str = ""
    """The qualified name of what the value is said of, where the node does not say it."""
    written_at: tuple[int, int, int] | None = None
    """Row, byte column and bytes of the name, where it stands in the text of the node."""
    element: str | None = None
    """What is bound is no name but what the value `node` holds, under this key (`Element.key`)."""
    place: str = ""
    """What is bound is what the definition that `node` names holds at this place, `0`, or what
    it gives where it is called (`keys.CALLED`)."""
    mixin: Node | None = None
    """What gives the class `node` its members, from outside of the class."""


NO_MEMBER = Expression(Unknown("no member"))
"""What a name before a colon in a literal is a member of where it is the key of a map, or an index:
of nothing."""
NAMED_BARE = Expression(Name("__all__"))
"""Stands before a name that is written as text and is what the file itself calls so."""


class NotConstant(Exception):
    """What is imported by a call cannot be computed; the argument says which part."""


_KEPT: list[dict[Node, object]] = []


def kept_a_file() -> dict[Node, _T]:
    """A table by nodes that is empty when a file begins."""
    kept: dict[Node, _T] = {}
    _KEPT.append(kept)  # type: ignore[arg-type]
    return kept


def once_a_file(read: Callable[[Node], _T]) -> Callable[[Node], _T]:
    """A reader that reads each node once while a file is read: thousands of nodes ask for the same
    of what is around them."""
    kept: dict[Node, _T] = kept_a_file()

    @wraps(read)
    def known(node: Node) -> _T:
        if node not in kept:
            kept[node] = read(node)
        return kept[node]

    return known


def forget_file() -> None:
    """Lets go of what was read: nodes keep their tree."""
    for kept in _KEPT:
        kept.clear()


def text(node: Node | None) -> str:
    """Source text of a node; empty for none."""
    return node.text.decode("utf-8", "replace") if node is not None and node.text else ""


def line(node: Node) -> int:
    """1-based first line of a node."""
    return node.start_point[0] + 1


def string_value(node: Node | None) -> str:
    """A string literal without its quotes."""
    return text(node).strip("\"'`")


def literal(node: Node) -> str:
    """The text that a string literal stands for, without prefixes and quotes."""
    value = text(node)
    if "content" in node.type or node.type == "string_fragment":
        return value
    inner = [c for c in node.named_children if c.type in ("string_content", "string_fragment")]
    return (
        "".join(text(child) for child in inner) if inner else value.lstrip("rbuRBU").strip("\"'`")
    )


def descend(node: Node, types: frozenset[str]) -> Iterator[Node]:
    """The outermost nodes of some types below a node."""
    waiting = node.named_children[::-1]
    while waiting:
        child = waiting.pop()
        if child.type in types:
            yield child
        else:
            waiting += reversed(child.named_children)


def collection_of(held: Expression | None) -> Expression | None:
    """A collection of instances of a type; None where it is not known what is held."""
    if held is None or held.steps:
        return None
    return instance(next(held.types()).then(CollectionOf()))


def given_types(
    found: Expression | None, arguments: Sequence[Expression | None]
) -> Expression | None:
    """An instance of a type with its type arguments: what is from elsewhere may hold these."""
    if found is None or found.steps or type(found.head) is not Instance:
        return found
    given = tuple(
        each.head.type
        if each is not None and type(each.head) is Instance and not each.steps
        else NOTHING
        for each in arguments
    )
    if all(each is NOTHING for each in given):
        return found
    return instance(found.head.type.given_to(given))


def member_path(names: Sequence[Node | str]) -> Expression | None:
    """`a.b.c`, each a member of what is before it; None of no names."""
    parts = [name if isinstance(name, str) else text(name) for name in names]
    if not parts:
        return None
    found = Expression(Name(parts[0]))
    for part in parts[1:]:
        found = found.member(part)
    return found
