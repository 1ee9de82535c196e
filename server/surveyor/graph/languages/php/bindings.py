"""What PHP binds names to, and what documentation says of their types."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.graph.expressions.keys import CALLED
from surveyor.graph.expressions.model import Element, Expression
from surveyor.graph.extract.bindings import bindings_of as common_bindings
from surveyor.graph.extract.bindings import caught, inner_name, named
from surveyor.graph.extract.type_names import instance_of
from surveyor.graph.extract.written_types import expression_of
from surveyor.graph.languages.php.records import related
from surveyor.graph.languages.readers import Binding, kept_a_file, text

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["bindings_of"]

_SAYS = re.compile(
    r"@(?:phpstan-|psalm-)?(?P<of>param|return|var)\s+"
    r"(?P<type>(?:[^\s<*]|<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>)+)"
    r"(?:[ \t]+(?:&|\.\.\.)*\$(?P<name>\w+))?"
)
_HAS = re.compile(
    r"@(?:phpstan-|psalm-)?(?:property(?:-read|-write)?|(?P<called>method))\s+(?:static\s+)?"
    r"(?:(?P<type>(?:[^\s<*(]|<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>)+)\s+)?"
    r"(?(called)(?P<name>\w+)\s*\(|\$(?P<property>\w+))"
)
_TYPES = frozenset({"class_declaration", "interface_declaration", "trait_declaration"})
_ITSELF = re.compile(r"\$this\b")
_KEYED = re.compile(r"^(?:array|iterable)<(?:[^<>,]*,)?\s*(\??\\?[\w\\]+)\s*>$")
"""`array<int, Box>`: an array is a collection of what it holds."""
_TEMPLATE = re.compile(r"T(?:[A-Z]\w*)?(?:\[\])?$")
"""What stands for another type, by the usual names."""
_VAGUE = frozenset({"array", "iterable", "object", "mixed"})
"""Declared types of which documentation may say more."""
_FUNCTIONS = frozenset({"method_declaration", "function_definition"})

_documented: dict[Node, bool] = kept_a_file()
"""What documentation before it says the type of."""


def bindings_of(node: Node) -> Iterator[Binding]:
    """The names that a `@bind` node gives a type or a value; a property's is in an element."""
    if node.type == "comment":
        yield from _said(node)
    elif node in _documented:
        return
    elif node.type == "member_call_expression":
        yield from related(node)
    elif node.type == "foreach_statement":
        yield from _walked(node)
    elif node.type == "catch_clause":
        yield from caught(node, "type_list")
    elif node.type == "property_declaration":
        if (name := _property(node)) is not None:
            yield from named(node, name)
    else:
        yield from common_bindings(node)


def _property(node: Node) -> Node | None:
    element = next((c for c in node.named_children if c.type == "property_element"), None)
    return element.child_by_field_name("name") if element else None


def _walked(node: Node) -> Iterator[Binding]:
    """`foreach ($boxes as $box)`: each has the type of what they hold."""
    body = node.child_by_field_name("body")
    parts = [each for each in node.named_children if each != body and each.type != "comment"]
    if len(parts) < 2:
        return
    target = parts[1].named_children[-1] if parts[1].type == "pair" else parts[1]
    name = inner_name(target)
    whole = expression_of(parts[0])
    if name is not None and whole is not None and target.type == "variable_name":
        yield Binding(name, whole.then(Element()))


def _said(comment: Node) -> Iterator[Binding]:
    """What a comment says of what stands behind it."""
    about = comment.next_named_sibling
    if about is not None and about.type in _TYPES:
        yield from _members(comment, about)
        return
    told: dict[tuple[str, str], Expression] = {}
    for match in _SAYS.finditer(text(comment)):
        if (value := _type(match["type"])) is not None:
            told.setdefault((match["of"], match["name"] or ""), value)
    about = comment.next_named_sibling if told else None
    if about is None:
        return
    if about.type in _FUNCTIONS:
        yield from _of_function(about, told)
    elif about.type == "property_declaration":
        name, value = _property(about), told.get(("var", "")) or next(iter(told.values()))
        if name is not None and _is_vague(about.child_by_field_name("type")):
            _documented[about] = True
            yield Binding(inner_name(name) or name, value, is_field=True)
    elif about.type == "expression_statement":
        assignment = about.named_children[0] if about.named_children else None
        if assignment is None or assignment.type != "assignment_expression":
            return
        left = assignment.child_by_field_name("left")
        if left is None or left.type != "variable_name":
            return
        said = told.get(("var", text(left).lstrip("$"))) or told.get(("var", ""))
        name = inner_name(left)
        if said is not None and name is not None:
            _documented[assignment] = True
            yield Binding(name, said)


def _members(comment: Node, around: Node) -> Iterator[Binding]:
    """What a type has by its documentation alone: `@property Box $lid`, `@method Box lid()`."""
    owner, said = text(around.child_by_field_name("name")), text(comment)
    for match in _HAS.finditer(said) if owner else ():
        value = _type(match["type"]) if match["type"] else None
        name = match["name"] or match["property"]
        key, begin = f"{owner}.{name}", match.start("name" if match["name"] else "property")
        lines = said[:begin].split("\n")
        column = len(lines[-1].encode()) + (comment.start_point[1] if len(lines) == 1 else 0)
        place = (comment.start_point[0] + len(lines) - 1, column, len(name.encode()))
        given = None if match["called"] else value
        yield Binding(comment, given, is_attribute=True, said_of=key, written_at=place)
        if match["called"]:
            yield Binding(comment, value, said_of=f"{key}()")


def _of_function(function: Node, told: dict[tuple[str, str], Expression]) -> Iterator[Binding]:
    parameters = function.child_by_field_name("parameters")
    for parameter in parameters.named_children if parameters is not None else ():
        name = parameter.child_by_field_name("name")
        inner = inner_name(name) if name is not None else None
        value = told.get(("param", text(inner))) if inner is not None else None
        if inner is None or value is None or not _is_vague(parameter.child_by_field_name("type")):
            continue
        _documented[parameter] = True
        if parameter.type == "property_promotion_parameter":
            yield Binding(inner, value, is_attribute=True)
        yield Binding(inner, value)
    name, gives = function.child_by_field_name("name"), told.get(("return", ""))
    is_vague = _is_vague(function.child_by_field_name("return_type"))
    if name is not None and gives is not None and is_vague:
        yield Binding(name, gives, place=CALLED)


def _is_vague(declared: Node | None) -> bool:
    return declared is None or text(declared).strip("?").lower() in _VAGUE


def _type(written: str) -> Expression | None:
    """What documentation says; None where it says nothing, or several things."""
    parts = [
        part
        for part in _ITSELF.sub("static", written).split("|")
        if part.lower() not in ("null", "false", "void", "mixed", "")
    ]
    several = [part for part in parts if part.endswith("[]")]
    parts = several if len(several) == 1 else parts  # Collection|Box[]
    if len(parts) != 1 or _TEMPLATE.match(parts[0]):
        return None
    keyed = _KEYED.match(parts[0])
    return instance_of(f"list<{keyed[1]}>" if keyed else parts[0])
