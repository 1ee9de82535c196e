"""Values, types and receivers of Swift."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING
from zlib import crc32

from surveyor.graph.expressions.model import (
    UNKNOWN,
    Call,
    Element,
    Expression,
    Instance,
    Name,
    Parameter,
    Type,
    Unknown,
    instance,
    type_called,
)
from surveyor.graph.languages.readers import (
    MAX_DEPTH,
    collection_of,
    given_types,
    member_path,
    text,
)

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["TYPES", "called_with", "declared", "implemented", "parameters", "receiver", "value"]

TYPES = frozenset(
    {"user_type", "optional_type", "array_type", "dictionary_type", "opaque_type", "function_type",
     "existential_type", "tuple_type", "implicitly_unwrapped_type", "protocol_composition_type"}
)  # fmt: skip
_OUTER = frozenset(
    {"optional_type", "opaque_type", "existential_type", "type_annotation", "inheritance_specifier",
     "implicitly_unwrapped_type", "metatype"}
)  # fmt: skip
_COLLECTIONS = frozenset({"Array", "Set", "Sequence", "Collection", "ArraySlice", "AsyncStream",
                          "AsyncThrowingStream"})  # fmt: skip
_WRAPPERS = frozenset({"Optional", "EventLoopFuture", "Result", "Task", "Published", "Binding"})
_INNER = frozenset(
    {"try_expression", "await_expression", "postfix_expression",
     "nil_coalescing_expression", "directly_assignable_expression", "control_transfer_statement",
     "as_pattern", "ternary_expression"}
)  # fmt: skip
_LITERALS = {
    "line_string_literal": "String", "multi_line_string_literal": "String",
    "raw_string_literal": "String", "integer_literal": "Int", "hex_literal": "Int",
    "real_literal": "Double", "boolean_literal": "Bool",
}  # fmt: skip
"""The types of what is written out."""
_IMPLIED = Expression(Unknown("_"))
"""The type that is wanted where a dot begins: of this project more often than not."""


def declared(node: Node | None) -> Expression | None:
    """An instance of the type that is written at a node, or a collection of such."""
    while node is not None and (node.type in _OUTER or _is_in_brackets(node)):
        inside = node.named_children[0] if node.type == "tuple_type" else node
        node = next((c for c in inside.named_children if c.type in TYPES), None)
    if node is None:
        return None
    if node.type == "protocol_composition_type":
        return _all_of([declared(c) for c in node.named_children if c.type in TYPES])
    if node.type in ("array_type", "dictionary_type"):
        inner = [c for c in node.named_children if c.type in TYPES]
        return collection_of(declared(inner[-1]) if inner else None)
    if node.type != "user_type":
        return None
    name = ".".join(text(c) for c in node.named_children if c.type == "type_identifier")
    given = next((c for c in node.named_children if c.type == "type_arguments"), None)
    first = given.named_children[0] if given is not None and given.named_children else None
    if name in _WRAPPERS:
        return declared(first)
    if name in _COLLECTIONS:
        return collection_of(declared(first))
    made = instance(type_called(name)) if name else None
    listed = given.named_children if given is not None else ()
    return given_types(made, [declared(each) for each in listed])


def _all_of(composed: Iterable[Expression | None]) -> Expression | None:
    """An instance of several types at once: `Named & Sized`."""
    types = [each.head.type for each in composed if each and isinstance(each.head, Instance)]
    return instance(Type(tuple(part for each in types for part in each.parts)))


def _is_in_brackets(node: Node) -> bool:
    """`(any Box)`, which is no tuple: of one type, without a name."""
    items = node.named_children if node.type == "tuple_type" else []
    return len(items) == 1 and len(items[0].named_children) == 1


def value(node: Node | None, depth: int = 0) -> Expression | None:
    """A value as an expression; None when it says nothing about a type."""
    if node is None or depth > MAX_DEPTH:
        return None
    kind = node.type
    field = node.child_by_field_name
    if kind in ("simple_identifier", "type_identifier"):
        return Expression(Name(text(node).strip("`")))
    if kind in _LITERALS:
        return instance(type_called(_LITERALS[kind]))
    if kind == "self_expression":
        return Expression(Name("self"))
    if kind == "super_expression":
        return Expression(Name("super"))
    if kind == "call_expression":
        return _called(node, depth)
    if kind == "constructor_expression":
        return declared(field("constructed_type"))
    if kind == "navigation_expression":
        owner, suffix = value(_before_dot(node), depth + 1), field("suffix")
        name = suffix.child_by_field_name("suffix") if suffix is not None else None
        if owner is None or name is None or name.type != "simple_identifier":
            return None
        return owner if text(name) == "self" else owner.member(text(name))
    if kind == "as_expression":
        return declared(field("type") or field("name"))
    if kind == "user_type":
        return Expression(Name(text(node).partition("<")[0]))
    if kind == "prefix_expression" and not text(node).startswith("."):  # `!box.open()`: `!box`
        return value(field("target"), depth + 1)
    if kind == "tuple_expression":  # brackets; of several values none is meant
        inner = node.children_by_field_name("value")
        return value(inner[0], depth + 1) if len(inner) == 1 else None
    if kind in _INNER:
        for child in node.named_children:
            if (found := value(child, depth + 1)) is not None:
                return found
    return None


def _before_dot(navigation: Node) -> Node | None:
    """What stands before a dot: to the grammar `super.wide + lid.wide` is `(… + lid).wide`."""
    return _last_operand(navigation.child_by_field_name("target"))


def _last_operand(target: Node | None) -> Node | None:
    while target is not None and (last := target.child_by_field_name("rhs")) is not None:
        target = last
    return target


def _called(node: Node, depth: int) -> Expression | None:
    if not node.named_children:
        return None
    called = value(_last_operand(node.named_children[0]), depth + 1)
    if called is None:
        return None
    if called.text.endswith(".init"):  # Box.init(1) is Box(1)
        return value(node.named_children[0].child_by_field_name("target"), depth + 1)
    suffix = node.named_children[-1]
    arguments = suffix.named_children[0] if suffix.named_children else None
    if arguments is not None and text(arguments).startswith("["):
        return called.then(Element())
    return called.then(Call())


def implemented(node: Node) -> tuple[str, list[Node]]:
    """The type that an extension is of, and the protocols that it adds."""
    named = node.child_by_field_name("name")
    words = text(named).partition("<")[0] if named is not None else ""
    bases = []
    for child in node.named_children:
        inherited = child.named_children[0] if child.type == "inheritance_specifier" else None
        if inherited is not None and inherited.type == "user_type":
            names = [c for c in inherited.named_children if c.type == "type_identifier"]
            bases += names[-1:]
    return words, bases


_BEHIND = 99
"""The place of what is written behind the brackets of a call: a closure, for the last parameter."""
_LABELLED = 100
"""The places of parameters with labels begin here: arguments may be left out, so that labels say
which are meant, by a number made of them."""


def _place(label: str, unlabelled: int) -> int:
    return _LABELLED + crc32(label.encode()) % 100_000 if label else unlabelled


def parameters(declaration: Node) -> Iterator[tuple[tuple[int, ...], Node, Expression]]:
    """What a function takes: by labels, those without one in their order."""
    listed = [c for c in declaration.named_children if c.type == "parameter"]
    unlabelled = 0
    for each in listed:
        external = text(each.child_by_field_name("external_name"))
        names = [c for c in each.named_children if c.type == "simple_identifier"]
        label = external or (text(names[0]) if names else "")
        label = "" if label == "_" else label
        type_ = next((c for c in each.named_children if c.type in TYPES), None)
        if type_ is None:
            continue
        places = [_place(label, unlabelled)]
        unlabelled += not label
        if each.id == listed[-1].id:
            places.append(_BEHIND)
        for place in places:
            yield from _taken(place, type_)


def _taken(place: int, type_: Node) -> Iterator[tuple[tuple[int, ...], Node, Expression]]:
    function = type_
    while function.type in _ROUND and function.named_children:
        function = function.named_children[0]
    if function.type != "function_type":
        if (found := declared(type_)) is not None:
            yield (place,), type_, found
        return
    listed = function.child_by_field_name("params")
    for number, each in enumerate(listed.named_children if listed is not None else ()):
        inner = each.named_children[-1] if each.named_children else each
        if (found := declared(inner)) is not None:
            yield (place, number), each, found


_ROUND = frozenset({"optional_type", "tuple_type", "tuple_type_item"})


def called_with(node: Node) -> tuple[Expression, int] | None:
    """What is called with a node, a closure or another argument, and its place."""
    inner, around = node, node.parent
    while around is not None and around.type in _AROUND_VALUES:
        inner, around = around, around.parent
    call, place = around, _BEHIND
    if around is not None and around.type == "value_argument":
        listed = around.parent
        if listed is None or listed.parent is None:
            return None
        labels = [text(a.child_by_field_name("name")) for a in listed.named_children]
        index = next(i for i, a in enumerate(listed.named_children) if a.id == around.id)
        place = _place(labels[index], sum(not label for label in labels[:index]))
        call = listed.parent
    elif around is None or around.type != "call_suffix" or inner.type != "lambda_literal":
        return None
    if call is not None and call.type == "call_suffix":
        call = call.parent
    if call is None or not call.named_children:
        return None
    called = (
        declared(call.child_by_field_name("constructed_type"))
        if call.type == "constructor_expression"
        else value(call.named_children[0])
    )
    return (called, place) if called is not None else None


_AROUND_VALUES = frozenset({"try_expression", "await_expression", "call_expression"})


def wanted(expression: Node) -> Expression | None:
    """The type that is wanted where a dot begins: of what is declared, returned or taken."""
    inner, around = expression, expression.parent
    while (
        around is not None
        and around.type in _AROUND_VALUES
        and (around.named_children[0].id == inner.id or around.type != "call_expression")
    ):
        inner, around = around, around.parent
    if around is None:
        return None
    if around.type == "value_argument":
        taken = called_with(inner)
        return taken[0].then(Parameter((taken[1],))) if taken is not None else None
    if around.type in ("equality_expression", "assignment"):
        other = next((c for c in around.named_children if c.id != inner.id), None)
        return value(other)
    if around.type == "property_declaration":
        annotation = next((c for c in around.named_children if c.type == "type_annotation"), None)
        return declared(annotation)
    before = inner.prev_named_sibling
    if around.type == "attribute":  # @Option(name: .short) makes an instance of the type
        made = value(around.named_children[0])
        label = text(before) if before is not None and before.type == "simple_identifier" else ""
        return made.then(Parameter((_place(label, 0),))) if made is not None else None
    if before is not None and before.type == "parameter":  # a value by default
        return declared(next((c for c in before.named_children if c.type in TYPES), None))
    if around.type in ("statements", "control_transfer_statement"):
        return _result(around, inner)
    return None


def _result(around: Node, last: Node) -> Expression | None:
    """What the function or property gives whose value an expression is."""
    if around.type == "statements" and around.named_children[-1].id != last.id:
        return None
    function: Node | None = around
    while function is not None and function.type not in _GIVING:
        if function.type == "lambda_literal":
            return None
        function = function.parent
    if function is None:
        return None
    types = [c for c in function.named_children if c.type in TYPES or c.type == "type_annotation"]
    return declared(types[-1]) if types else None


_GIVING = frozenset({"function_declaration", "property_declaration"})


_CONDITIONS = frozenset({"if_statement", "guard_statement", "while_statement"})
_MATCHING = _CONDITIONS | {"pattern"}


def _matched(name: Node, around: Node) -> Expression | None:
    """What a pattern is compared with that begins with a dot: `switch state { case .open: … }`,
    `if case .open = state`; None where it stands inside of another pattern."""
    if around.type in _CONDITIONS:
        behind = name.next_sibling
        while behind is not None and behind.type not in ("=", "{", ","):
            behind = behind.next_sibling
        return value(behind.next_named_sibling) if behind is not None else None
    entry = around.parent
    if entry is None or entry.type != "switch_pattern" or entry.parent is None:
        return None
    switch = entry.parent.parent
    return value(switch.child_by_field_name("expr")) if switch is not None else None


def receiver(name: Node) -> Expression | None:
    """What a name after a dot is a member of; nothing is known where a dot begins: `.red`."""
    around = name.parent
    if around is None:
        return None
    if around.type == "navigation_suffix" and around.parent is not None:
        return value(_before_dot(around.parent)) or UNKNOWN
    if around.type == "prefix_expression":
        return wanted(around) or _IMPLIED
    if around.type in _MATCHING:
        return _matched(name, around) or _IMPLIED
    before = [c for c in around.named_children if c.end_byte < name.start_byte]
    before = [c for c in before if c.type in ("type_identifier", "simple_identifier")]
    return member_path(before) or UNKNOWN
