"""Values, types and receivers of Scala."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surveyor.graph.expressions.model import (
    UNKNOWN,
    Call,
    Element,
    Expression,
    Instance,
    Member,
    Name,
    Type,
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

__all__ = ["block_receiver", "declared", "handed", "is_accessor", "receiver", "value"]

_COLLECTIONS = frozenset(
    {"Seq", "List", "Vector", "Array", "Set", "Iterable", "Iterator", "IndexedSeq", "Chain",
     "NonEmptyList", "LazyList", "Stream", "ListBuffer", "ArrayBuffer", "Chunk", "Traversable"}
)  # fmt: skip
_WRAPPERS = frozenset({"Option", "Some", "Future", "Try", "IO", "Task", "SyncIO", "Eval"})
"""What an access usually goes through to what they hold."""
_EACH = frozenset(
    {"collect", "count", "exists", "filter", "filterNot", "find", "flatMap", "forall", "foreach",
     "groupBy", "map", "partition", "sortBy", "takeWhile", "withFilter"}
)  # fmt: skip
_SUMMONING = frozenset({"implicitly", "summon", "summonInline"})
_BODIES = frozenset({"function_definition", "template_body", "case_clause"})
_INNER = frozenset({"parenthesized_expression", "postfix_expression", "return_expression"})


def declared(node: Node | None) -> Expression | None:
    """An instance of the type that is written at a node, or a collection of such."""
    if node is None:
        return None
    kind = node.type
    if kind in ("type_identifier", "identifier"):
        return instance(type_called(text(node)))
    if kind == "stable_type_identifier":
        return instance(type_called("".join(text(node).split())))
    if kind == "singleton_type":
        return Expression(Name(text(node).removesuffix(".type")))
    if kind in ("compound_type", "lazy_parameter_type", "annotated_type"):
        return declared(node.named_children[0]) if node.named_children else None
    if kind == "infix_type":
        return _either(node)
    if kind == "repeated_parameter_type":
        return collection_of(declared(node.child_by_field_name("type")))
    if kind != "generic_type":
        return None
    whole = node.child_by_field_name("type")
    given = node.child_by_field_name("type_arguments")
    first = given.named_children[0] if given is not None and given.named_children else None
    name = text(whole).rpartition(".")[2] if whole is not None else ""
    if name in _WRAPPERS:
        return declared(first)
    if name in _COLLECTIONS:
        return collection_of(declared(first))
    listed = given.named_children if given is not None else ()
    return given_types(declared(whole), [declared(each) for each in listed])


def _either(node: Node) -> Expression | None:
    """`Box | Closed`: an instance of any of them; of `Box & Closes` of all."""
    found = [declared(node.child_by_field_name(side)) for side in ("left", "right")]
    parts = [
        part
        for each in found
        if each is not None and not each.steps and type(each.head) is Instance
        for part in each.head.type.parts
    ]
    return instance(Type(tuple(parts))) if parts else None


def value(node: Node | None, depth: int = 0) -> Expression | None:
    """A value as an expression; None when it says nothing about a type."""
    if node is None or depth > MAX_DEPTH:
        return None
    kind = node.type
    field = node.child_by_field_name
    if kind in ("identifier", "type_identifier"):
        return Expression(Name(text(node).strip("`")))
    if kind == "wildcard":
        return handed(node)
    if kind == "call_expression":
        called = field("function")
        if called is not None and called.type == "generic_function" and _is_cast(called):
            return _cast(called)
        before = value(called, depth + 1)
        return before.then(Call()) if before is not None else None
    if kind == "generic_function":
        return _cast(node) if _is_cast(node) else value(field("function"), depth + 1)
    if kind == "field_expression":
        owner, name = value(field("value"), depth + 1), field("field")
        return owner.member(text(name).strip("`")) if owner is not None and name else None
    if kind == "instance_expression":
        return declared(node.named_children[0]) if node.named_children else None
    if kind == "infix_expression":
        owner, name = value(field("left"), depth + 1), field("operator")
        if owner is None or name is None or name.type != "identifier":
            return None
        return owner.member(text(name)).then(Call())
    if kind == "ascription_expression":
        return declared(node.named_children[-1])
    if kind in ("block", "indented_block"):
        return value(node.named_children[-1], depth + 1) if node.named_children else None
    if kind in _INNER:
        return value(node.named_children[0], depth + 1) if node.named_children else None
    return None


def _is_cast(function: Node) -> bool:
    """Whether a call gives what it names: `x.asInstanceOf[Box]`, `summon[Box]`."""
    inner = function.child_by_field_name("function")
    if inner is not None and inner.type == "identifier":
        return text(inner) in _SUMMONING
    name = inner.child_by_field_name("field") if inner is not None else None
    return name is not None and text(name) == "asInstanceOf"


def _cast(function: Node) -> Expression | None:
    given = function.child_by_field_name("type_arguments")
    return declared(given.named_children[0]) if given is not None else None


def _handed_to(node: Node) -> Node | None:
    """What is called with a node among its arguments."""
    call, begun = node.parent, False
    while call is not None:
        if call.type == "call_expression":
            begun = True
            arguments = call.child_by_field_name("arguments")
            if arguments is not None and arguments.start_byte <= node.start_byte:
                return call.child_by_field_name("function")
        elif not begun and call.type in _BODIES:
            return None
        call = call.parent
    return None


def handed(node: Node) -> Expression | None:
    """What a method of a collection hands the function that a node is of."""
    called = _handed_to(node)
    if called is None or called.type != "field_expression":
        return None
    name, owner = called.child_by_field_name("field"), value(called.child_by_field_name("value"))
    if owner is None or name is None or text(name) not in _EACH:
        return None
    return owner.then(Element())


def is_accessor(function: Node) -> bool:
    """Whether a function takes nothing that its caller writes: its name alone calls it."""
    for child in function.named_children:
        if child.type == "parameters" and child.named_children:
            return any(each.type in ("using", "implicit") for each in child.children)
    return True


def block_receiver(body: Node) -> Expression | None:
    """What bare names in the body of an anonymous class may be members of: what it extends."""
    return value(body.parent)


def receiver(name: Node) -> Expression | None:
    """What a name after a dot, or an operator that is a name, is a member of."""
    around = name.parent
    if around is None:
        return None
    if around.type == "field_expression":
        return value(around.child_by_field_name("value")) or UNKNOWN
    if around.type in ("infix_expression", "postfix_expression"):
        return value(around.named_children[0]) or UNKNOWN
    before = [c for c in around.named_children if c.end_byte < name.start_byte]
    if not before:
        return UNKNOWN
    first, *rest = before
    if first.type == "stable_identifier":
        return member_path([*text(first).split("."), *rest])
    found = value(first) or Expression(Name(text(first).rpartition(".")[2]))
    return found.then(*(Member(text(part)) for part in rest))
