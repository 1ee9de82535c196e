"""Which names a node of the tree binds, and to what."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.graph.expressions.model import Call, Element, Expression, Module
from surveyor.graph.extract.written_types import declared_type, expression_of, script_type, text_of
from surveyor.graph.languages.readers import Binding

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = [
    "LOOPS",
    "assigned",
    "bindings_of",
    "caught",
    "declarator_binding",
    "declared",
    "element_bindings",
    "inner_name",
    "looped",
    "named",
    "taken_apart",
]


_FIELDS = frozenset(
    {"public_field_definition", "property_signature", "field_definition", "property_declaration",
     "property_promotion_parameter"}
)  # fmt: skip


def bindings_of(node: Node) -> Iterator[Binding]:
    """The names that a `@bind` node gives a type or a value.

    Field names differ little between grammars, so one reader serves most languages; what is
    particular to one stands in its folder, made of the parts here.
    """
    kind = node.type
    field = node.child_by_field_name
    if kind in LOOPS:
        yield from looped(node)
    elif kind in ("short_var_declaration", "assignment", "assignment_expression"):
        left, right = field("left"), field("right")
        if left is None or right is None:
            return
        lefts = left.named_children if left.type == "expression_list" else [left]
        rights = right.named_children if right.type == "expression_list" else [right]
        for index, target in enumerate(lefts):
            if len(rights) == len(lefts):
                yield from assigned(target, expression_of(rights[index]))
                continue
            whole = expression_of(rights[0])
            if index and (whole is None or target.text in _USUAL or not _is_called(whole)):
                continue
            if index and whole is not None:
                whole = whole.then(Element(str(index)))
            yield from assigned(target, whole)
    elif kind == "type_alias_declaration":
        name, value = field("name"), field("value")
        if name is not None and value is not None and value.type != "object_type":
            yield Binding(name, script_type(value))
    elif kind in ("local_variable_declaration", "field_declaration", "declaration"):
        yield from declared(node)
    else:
        name = field("name") or field("pattern") or field("property")
        if kind != "instanceof_expression":  # what is tested has no new name
            name = name or field("left")
        if kind == "optional_parameter_declaration":
            name = field("declarator")
        if name is not None:
            yield from named(node, name)


def named(node: Node, name: Node) -> Iterator[Binding]:
    """What a node declares under a name, or takes apart by a pattern."""
    kind = node.type
    field = node.child_by_field_name
    if name.type in ("object_pattern", "array_pattern"):
        whole = declared_type(field("type")) or expression_of(field("value"))
        if name.type == "object_pattern":
            if whole is None or not _is_import(whole):
                yield from taken_apart(name, whole)
        elif whole is not None:
            for child in name.named_children:
                if child.type == "identifier":
                    yield Binding(child, whole.then(Element()))
        return
    inner = inner_name(name)
    if inner is None:
        return
    name = inner
    declared_as = field("right") if kind == "instanceof_expression" else field("type")
    bound = declared_type(declared_as) or expression_of(field("value"))
    is_field = (
        kind in _FIELDS
        or (
            kind != "variable_declarator"  # most of all, and none has a modifier
            and any(
                child.type in ("accessibility_modifier", "readonly") for child in node.children[:2]
            )
        )
    )
    if kind == "property_promotion_parameter":
        yield Binding(name, bound)
        yield Binding(name, bound, is_attribute=True)
    else:
        is_parameter = kind.endswith("_parameter")
        if is_field:
            yield Binding(name, bound, is_attribute=is_parameter, is_field=True)
        if not is_field or is_parameter:
            yield Binding(name, bound)


def _is_import(whole: Expression) -> bool:
    """Whether a declaration takes names out of what has been read as an import already."""
    return type(whole.head) is Module and whole.head.is_whole and not whole.steps


def caught(node: Node, listed: str) -> Iterator[Binding]:
    """`catch (Broken e)`: what is caught has the type that is listed, where that is one."""
    name = node.child_by_field_name("name")
    inner = inner_name(name) if name is not None else None
    types = next((each for each in node.named_children if each.type == listed), None)
    if inner is not None and types is not None and types.named_child_count == 1:
        yield Binding(inner, declared_type(types.named_children[0]))


LOOPS = frozenset(
    {"for_statement", "for_in_clause", "for_in_statement", "range_clause", "for_range_loop"}
)  # fmt: skip


def looped(node: Node) -> Iterator[Binding]:
    """`for x of xs`: what is walked through has elements."""
    if node.type == "for_range_loop":
        declarator = node.child_by_field_name("declarator")
        name = inner_name(declarator) if declarator is not None else None
        if name is not None:
            whole = expression_of(node.child_by_field_name("right"))
            held = whole.then(Element()) if whole is not None else None
            yield Binding(name, declared_type(node.child_by_field_name("type")) or held)
        return
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return
    if left.type == "expression_list":  # Go: the second is the element
        names = left.named_children
        if len(names) != 2:
            return
        left = names[1]
    operator = node.child_by_field_name("operator")
    if operator is not None and text_of(operator) != "of":
        return
    yield from _element(left, expression_of(right))


def element_bindings(node: Node) -> Iterator[Binding]:
    """`xs.map((x) => …)`: the parameter of a function that is called with each element; with what
    is waited for, of `import("./x").then((m) => …)`."""
    target = node
    if node.type in ("required_parameter", "optional_parameter"):
        pattern = node.child_by_field_name("pattern")
        if pattern is None or node.child_by_field_name("type") is not None:
            return
        target = pattern
    call = node.parent
    while call is not None and call.type != "call_expression":
        call = call.parent
    function = call.child_by_field_name("function") if call is not None else None
    whole = expression_of(function.child_by_field_name("object")) if function is not None else None
    if function is not None and whole is not None:
        method = function.child_by_field_name("property")
        is_one = method is not None and text_of(method) == "then"
        yield from _handed(target, whole if is_one else whole.then(Element()))


def _element(target: Node, whole: Expression | None) -> Iterator[Binding]:
    if whole is not None:
        yield from _handed(target, whole.then(Element()))


def _handed(target: Node, value: Expression) -> Iterator[Binding]:
    if target.type == "identifier":
        yield Binding(target, value)
    elif target.type == "object_pattern":
        yield from taken_apart(target, value)


def taken_apart(pattern: Node, whole: Expression | None) -> Iterator[Binding]:
    """`const { a, b: c, d = 1, e: { f } } = whole`: members of a value as local names."""
    if whole is None:
        return
    for child in pattern.named_children:
        local: Node | None = child
        key: Node | None = child
        if child.type == "object_assignment_pattern":
            local = key = child.child_by_field_name("left")
        elif child.type == "pair_pattern":
            key, local = child.child_by_field_name("key"), child.child_by_field_name("value")
            if local is not None and local.type == "assignment_pattern":
                local = local.child_by_field_name("left")
        if key is None or local is None or key.type not in _KEYS:
            continue
        member = whole.member(text_of(key))
        if local.type == "object_pattern":
            yield Binding(key, None, key=key, owner=whole)
            yield from taken_apart(local, member)
        else:
            yield Binding(local, member, key=key, owner=whole)


_KEYS = frozenset({"shorthand_property_identifier_pattern", "property_identifier"})


def assigned(target: Node, value: Expression | None) -> Iterator[Binding]:
    """The left side of an assignment: a local name or an attribute of self."""
    if target.type in ("identifier", "constant"):
        yield Binding(target, value)
    elif target.type == "variable_name":
        name = target.named_children[0] if target.named_children else None
        if name is not None:
            yield Binding(name, value)
    elif target.type == "call":  # Ruby: self.name = value
        owner, name = target.child_by_field_name("receiver"), target.child_by_field_name("method")
        if owner is not None and name is not None and owner.type == "self":
            yield Binding(name, value, is_attribute=True)
    elif target.type == "instance_variable":
        yield Binding(target, value, is_attribute=True)
    elif target.type in ("member_expression", "member_access_expression", "attribute"):
        owner = target.child_by_field_name("object")
        name = (
            target.child_by_field_name("property")
            or target.child_by_field_name("attribute")
            or target.child_by_field_name("name")
        )
        if owner is not None and name is not None and text_of(owner).lstrip("$") in _RECEIVERS:
            yield Binding(name, value, is_attribute=True)


_USUAL = frozenset({b"_", b"err", b"ok"})
"""What Go's results are called behind the first that are of the language's own types."""


def _is_called(value: Expression) -> bool:
    return bool(value.steps) and type(value.steps[-1]) is Call


_RECEIVERS = frozenset({"self", "this", "cls"})


def declared(node: Node) -> Iterator[Binding]:
    """`Type a = 1, *b;` of C, C++ and Java."""
    whole = declared_type(node.child_by_field_name("type"))
    is_field = node.type == "field_declaration"
    for declarator in node.children_by_field_name("declarator"):
        yield from declarator_binding(declarator, whole, is_field=is_field)


def declarator_binding(
    declarator: Node, whole: Expression | None, *, is_field: bool
) -> Iterator[Binding]:
    """What one declarator binds; `whole` is the type before all of them."""
    inner = inner_name(declarator)
    if inner is not None:
        value = whole or expression_of(declarator.child_by_field_name("value"))
        yield Binding(inner, value, is_field=is_field)


def inner_name(node: Node) -> Node | None:
    """The identifier inside declarators and `mut` patterns."""
    for _ in range(6):
        if node.type in ("identifier", "field_identifier", "property_identifier", "name",
                         "private_property_identifier"):  # fmt: skip
            return node
        if node.type == "function_declarator" or (
            "pattern" in node.type and node.type != "mut_pattern"
        ):
            return None
        inner = node.child_by_field_name("declarator") or node.child_by_field_name("name")
        if inner is None:
            named = node.named_children
            if not named or node.type not in (
                "mut_pattern", "reference_declarator", "variable_name", "variable_declarator",
            ):  # fmt: skip
                return None
            inner = named[-1] if node.type == "mut_pattern" else named[0]
        node = inner
    return None
