"""Values, types and receivers of Dart, whose grammar has chains of selectors as flat lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from surveyor.graph.expressions.grammar import parse
from surveyor.graph.expressions.model import (
    UNKNOWN,
    Call,
    Element,
    Expression,
    Member,
    Name,
    instance,
    type_called,
)
from surveyor.graph.languages.readers import MAX_DEPTH, collection_of, given_types, text

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["chain", "declared", "given_to", "handed", "receiver", "value"]

_COLLECTIONS = frozenset({"List", "Iterable", "Set", "Stream", "Queue", "ListQueue", "HashSet"})
_WRAPPERS = frozenset({"Future", "FutureOr"})
_EACH = frozenset(
    {"any", "every", "expand", "firstWhere", "fold", "forEach", "lastWhere", "listen", "map",
     "removeWhere", "singleWhere", "skipWhile", "takeWhile", "where"}
)  # fmt: skip
_INNER = frozenset(
    {"await_expression", "unary_expression", "parenthesized_expression", "assignable_expression"}
)
_ASSIGNABLE = frozenset({"unconditional_assignable_selector", "conditional_assignable_selector"})
_MAX_LINKS = 60
"""Of a chain."""
_MAKING = frozenset({"new_expression", "const_object_expression"})
_NO_VALUES = frozenset({"type_arguments", "comment", "documentation_comment"})


def declared(node: Node | None) -> Expression | None:
    """An instance of the type that a node says first: of a parameter, a field, a signature."""
    if node is None:
        return None
    if node.type == "type_identifier":
        return instance(type_called(text(node)))
    names: list[str] = []
    given: Node | None = None
    for child in node.named_children:
        if child.type == "type_identifier" and given is None:
            names.append(text(child))
        elif child.type == "type_arguments":
            given = child
        elif names:
            break
    return _instance(names, given) if names else None


def _instance(names: list[str], given: Node | None) -> Expression | None:
    """An instance of a type by its names and what it is given."""
    name = names[-1]
    if name in _WRAPPERS:
        return declared(given)
    if name in _COLLECTIONS:
        return collection_of(declared(given))
    made = instance(type_called(".".join(names)))
    return given_types(made, _arguments(given) if given is not None else ())


def _arguments(given: Node) -> list[Expression | None]:
    """Type arguments: what one of them is given stands behind it, as its sibling."""
    found: list[Expression | None] = []
    listed = given.named_children
    for each, after in zip(listed, [*listed[1:], None], strict=True):
        if each.type == "type_arguments":
            continue
        if each.type == "type_identifier" and after is not None and after.type == "type_arguments":
            found.append(_instance([text(each)], after))
        else:
            found.append(declared(each))
    return found


def value(node: Node | None, depth: int = 0) -> Expression | None:
    """A value that is one node, as an expression."""
    if node is None or depth > MAX_DEPTH:
        return None
    kind = node.type
    if kind in ("identifier", "type_identifier"):
        return Expression(Name(text(node)))
    if kind in ("this", "super"):
        return Expression(Name(kind))
    if kind in ("new_expression", "const_object_expression"):
        return declared(node)
    if kind == "constructor_invocation":
        names = [c for c in node.named_children if c.type in ("type_identifier", "identifier")]
        found = Expression(Name(text(names[0])))
        return found.then(*(Member(text(name)) for name in names[1:]), Call())
    if kind == "type_cast_expression":
        cast = next((c for c in node.named_children if c.type == "type_cast"), None)
        return declared(cast)
    if kind in _INNER or kind == "return_statement":
        return chain(node.named_children, depth + 1)
    if kind == "function_body":
        first = node.named_children[:1]
        return None if first and first[0].type == "block" else chain(node.named_children, depth + 1)
    return None


def chain(nodes: Sequence[Node], depth: int = 0) -> Expression | None:
    """`a.b().c`: a value and the selectors behind it."""
    found: Expression | None = None
    begun = False
    for node in nodes:
        if node.type in _NO_VALUES:
            continue
        if not begun:
            found, begun = value(node, depth), True
        elif found is None:
            return None
        elif node.type in _ASSIGNABLE:
            found = _member(found, node)
        elif node.type == "selector":
            inner = node.named_children[0] if node.named_children else None
            if inner is None:
                continue  # !
            if inner.type == "argument_part":
                found = found.then(Call())
            elif inner.type in _ASSIGNABLE:
                found = _member(found, inner)
        elif node.type == "cascade_section":
            continue
        else:
            return None
    return found


def _member(owner: Expression, selector: Node) -> Expression:
    name = selector.named_children[0] if selector.named_children else None
    if name is not None and name.type == "identifier":
        return owner.member(text(name))
    return owner.then(Element())


def receiver(name: Node) -> Expression | None:
    """What a name after a dot is a member of."""
    selector = name.parent
    if selector is None:
        return None
    if selector.type in ("type_identifier", "qualified") or name.type == "type_identifier":
        before = name.prev_named_sibling
        return Expression(Name(text(before))) if before is not None else UNKNOWN
    if selector.type in _MAKING:
        made = [child for child in selector.named_children if child.type == "type_identifier"]
        return Expression(Name(text(made[-1]))) if made else UNKNOWN
    if selector.type == "constructor_invocation":
        return Expression(Name(text(selector.named_children[0])))
    if selector.type == "cascade_selector":
        section = selector.parent
        around = section.parent if section is not None else None
        if around is None:
            return UNKNOWN
        before_it = [c for c in around.named_children if c.type != "cascade_section"]
        return chain(_last_value(before_it, around.end_byte)) or UNKNOWN
    whole = selector.parent if selector.parent and selector.parent.type == "selector" else selector
    around = whole.parent
    if around is None:
        return UNKNOWN
    return chain(_value_before(whole)) or UNKNOWN


def given_to(label: Node) -> Expression | None:
    """What a constructor makes that is handed an argument by its name; None of other calls."""
    argument = label.parent.parent if label.parent is not None else None
    arguments = argument.parent if argument is not None else None
    call = arguments.parent if arguments is not None else None
    if call is None or call.type in _MAKING:
        return declared(call)
    if call.type == "constructor_invocation":
        return declared(call.named_children[0])
    if call.type != "argument_part" or call.parent is None:
        return None
    made = chain(_value_before(call.parent))
    if made is None or made.is_unknown:
        return None
    words = made.dotted.split(".")
    # `Box(…)`, `shapes.Box(…)`; in `Box.filled(…)` what is named last is a constructor
    count = next((at for at, word in enumerate(words, 1) if word.lstrip("_")[:1].isupper()), 0)
    whole = parse(".".join(words[:count])) if len(words) - count <= 1 and count else None
    return whole.then(Call()) if whole is not None else None


def _value_before(selector: Node) -> list[Node]:
    """What a selector is of: the last before it that is none, with the selectors between; nothing
    of a longer chain than is read."""
    found: list[Node] = []
    node = selector.prev_named_sibling
    while node is not None and len(found) <= _MAX_LINKS:
        if node.type not in _NO_VALUES:
            found.append(node)
            if node.type not in _ASSIGNABLE and node.type != "selector":
                break
        node = node.prev_named_sibling
    return found[::-1] if len(found) <= _MAX_LINKS else []


def _last_value(nodes: Sequence[Node], end: int) -> list[Node]:
    """Of the nodes before a byte, the last that is no selector, with the selectors behind it."""
    found: list[Node] = []
    for node in nodes:
        if node.start_byte >= end:
            break
        if node.type in _NO_VALUES:
            continue
        if node.type not in _ASSIGNABLE and node.type != "selector":
            found = []
        found.append(node)
    return found


def handed(function: Node) -> Expression | None:
    """What a method of a collection hands a function that is written as its argument."""
    part: Node | None = function
    while part is not None and part.type != "argument_part":
        if part.type in ("block", "function_body", "method_signature"):
            return None
        part = part.parent
    call = part.parent if part is not None else None
    method = call.prev_named_sibling if call is not None and call.type == "selector" else None
    if method is None or not method.named_children:
        return None
    name = method.named_children[0].named_children[:1]
    if not name or text(name[0]) not in _EACH:
        return None
    owner = receiver(name[0])
    return owner.then(Element()) if owner is not None and not owner.is_unknown else None
