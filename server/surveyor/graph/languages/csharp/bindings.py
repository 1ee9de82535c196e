"""What C# binds names to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.graph.expressions.model import Element, Expression
from surveyor.graph.extract.bindings import bindings_of as common_bindings
from surveyor.graph.extract.written_types import declared_type, expression_of
from surveyor.graph.languages.readers import Binding

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["bindings_of"]


def bindings_of(node: Node) -> Iterator[Binding]:
    """The names that a `@bind` node gives a type or a value: `Type a = 1, b;`."""
    if node.type == "foreach_statement":
        yield from _walked(node)
        return
    if node.type == "declaration_expression":
        name = node.child_by_field_name("name")
        if name is not None:
            yield Binding(name, declared_type(node.child_by_field_name("type")) or _tried(node))
        return
    if node.type == "implicit_parameter":
        yield Binding(node, _handed(node.parent))
        return
    if node.type == "parameter" and node.child_by_field_name("type") is None:
        listed, name = node.parent, node.child_by_field_name("name")
        if listed is not None and name is not None and listed.named_children[0] == node:
            yield Binding(name, _handed(listed.parent))
        return
    if node.type == "parameter" and _is_of_type(node):
        name = node.child_by_field_name("name")
        if name is not None:
            yield Binding(name, declared_type(node.child_by_field_name("type")), is_attribute=True)
        return
    if node.type != "variable_declaration":
        yield from common_bindings(node)
        return
    declared = declared_type(node.child_by_field_name("type"))
    is_field = node.parent is not None and node.parent.type == "field_declaration"
    for child in node.named_children:
        name = child.child_by_field_name("name") if child.type == "variable_declarator" else None
        if name is not None:
            value = child.named_children[-1] if len(child.named_children) > 1 else None
            yield Binding(name, declared or expression_of(value), is_field=is_field)


_EACH_WORDS = """
Aggregate All AllAsync Any AnyAsync Average Chunk ConvertAll Count CountAsync DistinctBy Exists
ExceptBy Find FindAll FindIndex FindLast First FirstAsync FirstOrDefault FirstOrDefaultAsync
ForEach GroupBy HasAlternateKey HasIndex HasKey HasMany HasOne Ignore Include IntersectBy Last
LastOrDefault LongCount Max MaxAsync MaxBy Min MinAsync MinBy Navigation OrderBy OrderByDescending
OwnsMany OwnsOne Partition Property RemoveAll RemoveWhere Select SelectMany Single SingleAsync
SingleOrDefault SingleOrDefaultAsync SkipWhile Sum SumAsync TakeWhile ThenBy ThenByDescending
ToDictionary ToDictionaryAsync ToLookup TrueForAll UnionBy Where Zip
"""
_EACH = frozenset(_EACH_WORDS.split())
"""Methods of collections and queries that call a function with each of what is held, and of what
describes a type to a database, whose functions say a member of that."""
_CHECKING = frozenset({"All", "Contains", "DoesNotContain", "Single"})
"""Assertions that call a function with each of what they are handed first."""
_OF_GIVEN = frozenset({"AddOptions", "Configure", "ConfigureAll", "Entity", "PostConfigure"})
"""Methods that call a function with one of the type that they are told."""


def _handed(function: Node | None) -> Expression | None:
    """What a function of the standard library, or of what is used like it, hands a lambda first."""
    argument = function.parent if function is not None else None
    if argument is None or argument.type != "argument" or argument.parent is None:
        return None
    call = argument.parent.parent
    called = call.child_by_field_name("function") if call is not None else None
    if called is None:
        return None
    owner = called.child_by_field_name("expression")
    name = called.child_by_field_name("name")
    if called.type == "conditional_access_expression":  # boxes?.Any(box => …)
        owner, bound = called.child_by_field_name("condition"), called.named_children[-1]
        name = bound.child_by_field_name("name")
    if name is None or owner is None:
        return None
    if name.type == "generic_name":
        plain, given = name.named_children[0], name.named_children[-1].named_children
        if (plain.text or b"").decode() in _OF_GIVEN and len(given) == 1:
            return declared_type(given[0])
        name = plain
    word, first = (name.text or b"").decode(), argument.parent.named_children[0]
    if owner.text == b"Assert" and word in _CHECKING and first != argument:
        owner = first.named_children[-1] if first.named_children else None
    elif word not in _EACH:
        return None
    whole = expression_of(owner)
    return whole.then(Element()) if whole is not None else None


_TYPES = frozenset({"class_declaration", "record_declaration", "struct_declaration"})


def _is_of_type(parameter: Node) -> bool:
    """Whether a parameter is a primary constructor's: the whole type has it, as it has a field."""
    listed = parameter.parent
    return listed is not None and listed.parent is not None and listed.parent.type in _TYPES


def _tried(declaration: Node) -> Expression | None:
    """`boxes.TryGetValue(key, out var box)`: one of what is held by what is asked."""
    listed = declaration.parent.parent if declaration.parent is not None else None
    call = listed.parent if listed is not None else None
    called = call.child_by_field_name("function") if call is not None else None
    if called is None or called.type != "member_access_expression":
        return None
    name, owner = called.child_by_field_name("name"), called.child_by_field_name("expression")
    if name is None or not (name.text or b"").startswith(b"Try"):
        return None
    asked = expression_of(owner)
    return asked.then(Element()) if asked is not None else None


def _walked(loop: Node) -> Iterator[Binding]:
    """`foreach (var box in boxes)`: what the collection holds, or what the loop declares."""
    name, whole = loop.child_by_field_name("left"), loop.child_by_field_name("right")
    if name is None or name.type != "identifier":
        return
    value = declared_type(loop.child_by_field_name("type"))
    if value is None and (walked := expression_of(whole)) is not None:
        value = walked.then(Element())
    yield Binding(name, value)
