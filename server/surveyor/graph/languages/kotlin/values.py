"""Values, types and receivers of Kotlin, whose grammar names no parts of its nodes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.graph.expressions.model import (
    Call,
    Element,
    Expression,
    Instance,
    Name,
    Parameter,
    Type,
    TypePart,
    Unknown,
    ValueOf,
    instance,
    type_called,
)
from surveyor.graph.languages.readers import (
    MAX_DEPTH,
    collection_of,
    descend,
    given_types,
    member_path,
    text,
)

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = [
    "TYPES",
    "argument_count",
    "arity",
    "block_receiver",
    "called_with",
    "declared",
    "parameters",
    "receiver",
    "value",
]

TYPES = frozenset({"user_type", "nullable_type", "function_type", "parenthesized_type"})
_COLLECTIONS = frozenset(
    {"List", "MutableList", "Set", "MutableSet", "Collection", "MutableCollection", "Iterable",
     "Sequence", "Array", "ArrayList", "ArrayDeque", "LinkedHashSet", "HashSet", "Flow"}
)  # fmt: skip
_WRAPPERS = frozenset({"Lazy", "Result", "Deferred", "StateFlow", "MutableStateFlow"})
"""What an access usually goes through to what they hold."""
_INNER = frozenset(
    {"parenthesized_expression", "postfix_expression", "elvis_expression", "annotated_expression",
     "directly_assignable_expression", "control_structure_body", "if_expression",
     "try_expression", "prefix_expression", "spread_expression"}
)  # fmt: skip
_LITERALS = {
    "string_literal": "String",
    "character_literal": "Char",
    "boolean_literal": "Boolean",
    "integer_literal": "Int",
    "hex_literal": "Int",
    "long_literal": "Long",
    "real_literal": "Double",
}
_CASTS = frozenset({"as_expression"})
MAX_RECEIVER = 160
"""Of the text that says what a block is run on: blocks in blocks double it."""
_MAKE = frozenset({"listOf", "mutableListOf", "setOf", "mutableSetOf", "arrayOf", "sequenceOf"})
_NAMES = frozenset({"simple_identifier", "type_identifier", "interpolated_identifier"})


def declared(node: Node | None) -> Expression | None:
    """An instance of the type that is written at a node, or a collection of such."""
    while node is not None and node.type in ("nullable_type", "parenthesized_type",
                                             "receiver_type", "type_projection"):  # fmt: skip
        node = next((c for c in node.named_children if c.type in TYPES), None)
    if node is None or node.type != "user_type":
        return None
    name = ".".join(text(c) for c in node.named_children if c.type == "type_identifier")
    given = [c for c in node.named_children if c.type == "type_arguments"]
    first = given[0].named_children[0] if given and given[0].named_children else None
    if name in _WRAPPERS:
        return declared(first)
    if name in _COLLECTIONS:
        return collection_of(declared(first))
    made = instance(type_called(name)) if name else None
    listed = given[0].named_children if given else ()
    return given_types(made, [declared(each) for each in listed])


def value(node: Node | None, depth: int = 0) -> Expression | None:
    """A value as an expression; None when it says nothing about a type."""
    if node is None or depth > MAX_DEPTH:
        return None
    kind = node.type
    children = node.named_children
    if kind in _NAMES:
        return Expression(Name(text(node).strip("`")))
    if kind in ("this_expression", "super_expression"):
        words = text(node)
        if "@" in words:
            return _labelled(node, words.partition("@")[2])
        if kind[0] == "t" and (extended := _extended(node)) is not None:
            return extended
        return Expression(Name("this" if kind[0] == "t" else "super"))
    if kind in _LITERALS:
        return instance(type_called(_LITERALS[kind]))
    if not children:
        return None
    if kind == "call_expression":
        called = value(children[0], depth + 1)
        return called.then(Call()) if called is not None else None
    if kind == "navigation_expression":
        return _member(value(children[0], depth + 1), children[-1])
    if kind == "indexing_expression":
        held = value(children[0], depth + 1)
        return held.then(Element()) if held is not None else None
    if kind in _CASTS:
        return declared(children[-1])
    if kind == "object_literal":
        base = next((c for c in children if c.type == "delegation_specifier"), None)
        return declared(_base(base)) if base is not None else None
    if kind == "jump_expression":
        return value(children[0], depth + 1) if text(node).startswith("return") else None
    if kind == "function_body":
        return value(children[0], depth + 1) if text(node).startswith("=") else None
    if kind in _INNER:
        for child in children:
            if (found := value(child, depth + 1)) is not None:
                return found
    return None


def _extended(this: Node) -> Expression | None:
    """What `this` is in a function that extends a type."""
    around = this.parent
    while around is not None and around.type not in ("lambda_literal", "class_body"):
        if around.type in ("function_declaration", "property_declaration"):
            return declared(around.child_by_field_name("receiver"))
        around = around.parent
    return None


def _labelled(this: Node, label: str) -> Expression | None:
    """What `this@label` is: of the class around that is named so, or what the function around that
    is extends."""
    around = this.parent
    while around is not None:
        if around.type == "function_declaration":
            receiver = around.child_by_field_name("receiver")
            name = next((c for c in around.named_children if c.type == "simple_identifier"), None)
            if receiver is not None and name is not None and text(name) == label:
                return declared(receiver)
        around = around.parent
    return instance(type_called(label))


def _base(specifier: Node) -> Node | None:
    inner = specifier.named_children[0] if specifier.named_children else None
    while inner is not None and inner.type not in TYPES:
        inner = inner.named_children[0] if inner.named_children else None
    return inner


def _member(owner: Expression | None, suffix: Node) -> Expression | None:
    name = suffix.named_children[-1] if suffix.named_children else None
    if owner is None or name is None or suffix.type != "navigation_suffix":
        return None
    return owner.member(text(name))


def parameters(declaration: Node) -> Iterator[tuple[tuple[int, ...], Node, Expression]]:
    """What the last parameter of a function is called with, or what a named type of functions is:
    what it is run on at 0, the first of what it takes at 1."""
    if declaration.type == "type_alias":
        yield from _taken((), declaration.named_children[-1])
        return
    listed = next(
        (c for c in declaration.named_children if c.type == "function_value_parameters"), None
    )
    each = [c for c in listed.named_children if c.type == "parameter"] if listed else []
    if each:
        yield from _taken((0,), each[-1].named_children[-1])


def arity(declaration: Node) -> tuple[int, int]:
    """How many arguments a function takes: those that have a value by default may be left out."""
    listed = next(
        (c for c in declaration.named_children if c.type == "function_value_parameters"), None
    )
    if listed is None:
        return 0, _ANY_NUMBER
    least = most = 0
    for child in listed.children:
        most += child.type == "parameter"
        least += (child.type == "parameter") - (child.type == "=")
    return least, _ANY_NUMBER if "vararg " in text(listed) else most


_ANY_NUMBER = 99


def argument_count(name: Node) -> int:
    """How many arguments the function of a name is called with, a lambda behind it too."""
    called, call = name, name.parent
    while call is not None and call.type in ("navigation_suffix", "navigation_expression"):
        called, call = call, call.parent
    if call is None or call.type != "call_expression" or call.named_children[0].id != called.id:
        return -1
    count = 0
    for suffix in call.named_children[1:]:
        for child in suffix.named_children:
            count += child.type == "annotated_lambda"
            count += len(child.named_children) if child.type == "value_arguments" else 0
    outer = call.parent
    if outer is not None and outer.type == "call_expression":  # f(a) { … }
        count += sum(c.type == "annotated_lambda" for s in outer.named_children[1:]
                     for c in s.named_children)  # fmt: skip
    return count


def _taken(
    place: tuple[int, ...], type_: Node
) -> Iterator[tuple[tuple[int, ...], Node, Expression]]:
    while type_.type in ("nullable_type", "parenthesized_type") and type_.named_children:
        type_ = type_.named_children[-1]
    if type_.type != "function_type":
        found = declared(type_)
        if found is not None and place:
            yield place, type_, found
        return
    number = 0
    for child in type_.named_children[:-1]:
        if child.type == "receiver_type":
            if (found := declared(child)) is not None:
                yield (*place, 0), child, found
            continue
        for each in child.named_children:
            if not each.named_children:  # `suspend`
                continue
            number += 1
            inner = each if each.type in TYPES else each.named_children[-1]
            if (found := declared(inner)) is not None:
                yield (*place, number), each, found


def _handed_to(block: Node) -> tuple[Node, Node] | None:
    """The call that a lambda is the last argument of, and what is called."""
    call = block.parent
    while call is not None and call.type in _HANDING:
        if call.type == "value_arguments" and call.named_children[-1].end_byte > block.end_byte:
            return None
        call = call.parent
    if call is None or call.type != "call_expression":
        return None
    called = call.named_children[0]
    if called.type == "call_expression":  # f(a) { … }: the brackets are a call of their own
        called = called.named_children[0]
    return call, called


_HANDING = frozenset({"annotated_lambda", "call_suffix", "value_argument", "value_arguments"})


def called_with(block: Node) -> Expression | None:
    """The function that a lambda is handed to as its last argument."""
    handed = _handed_to(block)
    found = value(handed[1]) if handed is not None else None
    if found is None or handed is None or type(found.head) is not Name:
        return found
    return _of_block_around(found, found.head.name, handed[0]) or found


def _of_block_around(called: Expression, name: str, call: Node) -> Expression | None:
    """What is called, or the member of that name of what the block around the call is run on."""
    around = call.parent
    while around is not None and around.type != "lambda_literal":
        around = around.parent
    run_on = block_receiver(around) if around is not None else None
    if run_on is None or len(run_on.text) > MAX_RECEIVER:
        return None
    parts = (run_on.member(name).then(*called.steps), called)
    return Expression(Instance(Type(TypePart(ValueOf(each)) for each in parts)))


def block_receiver(block: Node) -> Expression | None:
    """What a lambda is run on, or what the object is that a body is of."""
    if block.type == "class_body":
        return value(block.parent)
    handed = _handed_to(block)
    if handed is None:
        return None
    call, called = handed
    if text(called) == "with":
        first = next(descend(call, _ARGUMENTS), None)
        return value(first.named_children[0]) if first and first.named_children else None
    if called.type == "navigation_expression" and text(called.named_children[-1]) in _RUN_ON:
        return value(called.named_children[0])
    found = called_with(block)
    return found.then(Parameter((0, 0))) if found is not None else None


_ARGUMENTS = frozenset({"value_argument"})
_RUN_ON = frozenset({".apply", ".run", "?.apply", "?.run"})
"""Functions of the standard library that run a lambda on what they are called on."""


def receiver(name: Node) -> Expression | None:
    """What a name after a dot, or after `::`, is a member of."""
    around = name.parent
    if around is None:
        return None
    if around.type == "navigation_suffix":
        whole = around.parent
        owner = whole.named_children[0] if whole is not None else None
        found = value(owner)
        if found is None and owner is not None and owner.type in _NAMES:
            return Expression(Unknown(text(owner)))
        return found
    if around.type == "infix_expression":
        return value(around.named_children[0])
    before = [child for child in around.named_children if child.end_byte < name.start_byte]
    return member_path([child for child in before if child.type in _NAMES])
