"""How one family of languages writes parameters and arguments, and what families share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from surveyor.change.languages.results import UNSEEN, ResultUses
from surveyor.change.signatures import CallParameter

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = [
    "CallReader",
    "DefinitionKind",
    "HandedTo",
    "Passed",
    "child_of",
    "field_text",
    "is_marked_private",
    "text",
]


_MAX_PARTS = 200
"""Children of a node among which some are looked for by their types."""


class Passed(NamedTuple):
    """One argument: by name, if it has one."""

    name: str = ""
    is_spread: bool = False
    leaves_out: bool = False
    """Where one is passed like this, others may be left out."""


class DefinitionKind(NamedTuple):
    """What a definition is besides something that is called."""

    is_awaited: bool = False
    is_property: bool = False


HandedTo = Literal["", "own", "above"]
"""No constructor, that of the class around it, or that of the class above."""


@dataclass(frozen=True, slots=True)
class CallReader:
    """What is told apart by family; nodes are those of its grammar."""

    parameters: Callable[[Node], Iterator[CallParameter]]
    """Of a list of parameters, without the instance."""
    argument: Callable[[Node], Passed | None]
    """One child of a list of arguments; None for what is none."""
    lists: tuple[str, ...] = ()
    """Types of lists of parameters that no field names."""
    arguments: tuple[str, ...] = ()
    """The same of arguments."""
    own_lists: frozenset[str] = frozenset()
    """Definitions whose parameters are children of their own, without a list around them."""
    block_outside: bool = False
    """Whether a function behind the brackets is in a call around the call: `f(1) { }`."""
    is_private: Callable[[Node], bool] = lambda definition: False
    """Whether nothing outside of its file may call a definition."""
    extends: Callable[[Node], str] = lambda definition: ""
    """The type that a definition, or a block around it, extends."""
    block_arguments: frozenset[str] = frozenset()
    """Nodes in the place of a list of arguments that are the only one: `run { 1 }` in Scala."""
    wrappers: frozenset[str] = frozenset()
    """Nodes around a called name that end behind it: type arguments."""
    constructor: str = ""
    """What a constructor is called; empty where it is called like its type, or there is none."""
    takes_instance: Callable[[Node, Node], bool] = lambda definition, parameters: False
    """Whether a call through the type hands over the instance first."""
    shares_names: bool = False
    """Whether values may have the name of their type."""
    results: Callable[[Node], int] = lambda definition: -1
    """How many values a definition returns, as `Signature` says it."""
    taken: Callable[[Node], int] = lambda call: -1
    result_uses: ResultUses = UNSEEN
    fields: Callable[[Node], list[CallParameter] | None] = lambda definition: None
    """What making a value of a type takes that has no list of parameters; None where that is
    not to be seen."""
    literals: frozenset[str] = frozenset()
    """Nodes that make a value of a type by its fields, which are the children of their `body`."""
    further_lists: Callable[[Node], list[Node]] = lambda name: []
    """Lists of parameters of constructors that have no name, of a class by its name."""
    empty_literals: bool = False
    """`T{}` leaves out all fields."""
    single_call_is_open: bool = False
    """`f(g())` passes all that `g` returns."""
    names_are_one: bool = False
    in_tokens: Callable[[Node], int] = lambda name: -1
    """How many arguments a call has that stands in the tokens of a macro; -1 where none is seen."""
    grammar_has_gaps: bool = False
    """Whether the grammar fails at code that compiles: at macros, at what it does not know."""
    bare_calls: frozenset[str] = frozenset()
    """Nodes that are calls without a list of arguments."""
    wrapped_by: Callable[[Node], tuple[str, ...]] = lambda definition: ()
    """What is written around a definition and may change what it takes."""
    kind_of: Callable[[Node], DefinitionKind] = lambda definition: DefinitionKind()
    handing_on: frozenset[str] = frozenset()
    """Nodes that may call a constructor by what is no name of it."""
    handed_to: Callable[[Node], HandedTo] = lambda call: ""
    """Which constructor such a node calls."""
    inherits_constructor: bool = False
    """Whether a type without a constructor is made by that of the type above, to which the graph
    has no use there."""
    methods_by_path: bool = False
    """`T::put(&b)` hands over the instance, whatever is before the `::`."""
    copies: bool = False
    """A constructor with one argument may be the one that copies."""
    blocks: frozenset[str] = frozenset()
    """Nodes outside of which a variable is not known that is bound in them; empty where that is
    the function."""
    is_known_from_binding: bool = False
    """Whether the name means something else in its block before it is bound there."""
    function_value: Callable[[Node], Node] = lambda name: name
    """The node that is a function as a value, around its name: `method(:f)`."""
    one_passed: frozenset[str] = frozenset()
    """Nodes that call a bare name with one argument."""
    hands_by_arity: bool = False
    """Whether what takes a function takes one of so many arguments only."""
    taken_with: Callable[[str], int] = lambda type_name: -1
    """How many arguments a type of the standard library hands to a function; -1 of others."""
    made_in_declaration: Callable[[Node], tuple[Node, Node | None] | None] = lambda name: None
    """The declaration that makes a value of the type of this name, and what it passes:
    `Box one(1);`."""
    invokers: frozenset[str] = frozenset()
    """Members by which a value that holds a function is called."""


def is_marked_private(definition: Node) -> bool:
    """Whether `private`, and nothing that widens it, is among a definition's modifiers."""
    modifiers = child_of(definition, "modifiers")
    return bool({"private", "fileprivate"}.intersection(text(modifiers).split()))


def text(node: Node | None) -> str:
    """Source text of a node; empty for none."""
    return node.text.decode("utf-8", "replace") if node is not None and node.text else ""


def field_text(node: Node, field: str) -> str:
    """Source text of a field; empty where there is none."""
    return text(node.child_by_field_name(field))


def child_of(node: Node, *types: str) -> Node | None:
    """The first child of some types, among the first of its children: what has more is no call and
    no definition, but what thousands of these are in, each of which asks."""
    if node.child_count <= _MAX_PARTS:
        return next((child for child in node.named_children if child.type in types), None)
    for index in range(_MAX_PARTS):
        child = node.child(index)
        if child is not None and child.is_named and child.type in types:
            return child
    return None
