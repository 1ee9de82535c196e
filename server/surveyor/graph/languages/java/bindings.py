"""What Java binds names to, and what anonymous classes are run on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.graph.expressions.keys import CALLED
from surveyor.graph.expressions.model import Element, Expression
from surveyor.graph.extract import bindings
from surveyor.graph.extract.written_types import declared_type, expression_of, text_of
from surveyor.graph.languages.readers import Binding

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["bindings_of", "block_receiver"]

_EACH = frozenset(
    {"allMatch", "anyMatch", "dropWhile", "filter", "flatMap", "forEach", "forEachOrdered",
     "ifPresent", "ifPresentOrElse", "map", "mapToDouble", "mapToInt", "mapToLong", "mapToObj",
     "noneMatch", "peek", "removeIf", "takeWhile"}
)  # fmt: skip
"""Methods of collections, streams and optionals that hand a function what they hold."""


def bindings_of(node: Node) -> Iterator[Binding]:
    """The names that a `@bind` node gives a type or a value."""
    if node.type == "catch_formal_parameter":
        yield from bindings.caught(node, "catch_type")
        return
    if node.type != "lambda_expression":
        if node.type == "formal_parameter" and _is_component(node):
            yield from _component(node)
        yield from bindings.bindings_of(node)
        return
    name = node.child_by_field_name("parameters")
    if name is not None and name.type == "inferred_parameters" and len(name.named_children) == 1:
        name = name.named_children[0]
    if name is not None and name.type == "identifier":
        yield Binding(name, _handed(node))


def _is_component(parameter: Node) -> bool:
    listed = parameter.parent
    return listed is not None and listed.parent is not None and listed.parent.type == _RECORD


def _component(parameter: Node) -> Iterator[Binding]:
    """A component of a record: a field, and the method that gives it."""
    name = parameter.child_by_field_name("name")
    if name is not None:
        value = declared_type(parameter.child_by_field_name("type"))
        yield Binding(name, value, is_field=True, is_attribute=True)
        yield Binding(name, value, place=CALLED)


_RECORD = "record_declaration"


def _handed(function: Node) -> Expression | None:
    """`all.forEach(each -> …)`: one of what a collection holds."""
    listed = function.parent
    call = listed.parent if listed is not None and listed.type == "argument_list" else None
    if call is None or call.type != "method_invocation":
        return None
    name = call.child_by_field_name("name")
    if name is None or text_of(name) not in _EACH:
        return None
    whole = expression_of(call.child_by_field_name("object"))
    return whole.then(Element()) if whole is not None else None


def block_receiver(body: Node) -> Expression | None:
    """What bare names in the body of an anonymous class may be members of: the type that it
    extends (`new Query() {{ select("id"); }}`); in the label of a case what is switched over."""
    if body.type == "switch_label":
        around = body.parent
        while around is not None and around.type not in ("switch_expression", "switch_statement"):
            around = around.parent
        return expression_of(around.child_by_field_name("condition")) if around else None
    made = body.parent
    return declared_type(made.child_by_field_name("type")) if made is not None else None
