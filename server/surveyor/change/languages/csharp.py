"""C#."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.change.languages.reader import (
    CallReader,
    DefinitionKind,
    HandedTo,
    Passed,
    child_of,
    field_text,
    text,
)
from surveyor.change.languages.results import ResultUses
from surveyor.change.signatures import CallParameter

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["READER"]


def _parameters(listed: Node) -> Iterator[CallParameter]:
    first = True
    for child in listed.named_children:
        if child.type == "parameter":
            marks = {text(each) for each in child.children if each.type == "modifier"}
            extends, first = first and "this" in marks, False
            if extends:
                continue
            has_default = any(each.type == "=" for each in child.children)
            written = "".join(field_text(child, "type").split())
            yield CallParameter(
                field_text(child, "name"), is_required=not has_default, type_name=written
            )
    if any(child.type == "params" for child in listed.children):
        written = "".join(field_text(listed, "type").split()).removesuffix("[]")
        yield CallParameter(field_text(listed, "name"), "rest", type_name=written)


def _argument(node: Node) -> Passed | None:
    return Passed(field_text(node, "name")) if node.type == "argument" else None


def _takes_instance(function: Node, listed: Node) -> bool:
    first = listed.named_children[0] if listed.named_children else None
    return first is not None and any(text(each) == "this" for each in first.children)


def _results(method: Node) -> int:
    said = method.child_by_field_name("returns")
    if said is None:
        return -1
    if said.type == "tuple_type":
        return len(said.named_children)
    return 0 if text(said) == "void" else -1


def _parts(around: Node, value: Node) -> int:
    """The names of `var (a, b) = F()`."""
    names = child_of(around, "tuple_pattern") if around.type == "variable_declarator" else None
    return len(names.named_children) if names is not None else -1


def _handed_to(call: Node) -> HandedTo:
    """`: this(1)` and `: base(1)`."""
    return "above" if any(child.type == "base" for child in call.children) else "own"


def _kind_of(method: Node) -> DefinitionKind:
    said = field_text(method, "returns")
    return DefinitionKind(is_awaited=said.partition("<")[0] in ("Task", "ValueTask"))


_ACCESS = frozenset({"public", "protected", "internal", "private"})
_CLASSES = frozenset({"class_declaration", "struct_declaration", "record_declaration"})


def _is_private(definition: Node) -> bool:
    """What nothing makes visible is private in a class; a part of one sees what the others have."""
    around = definition.parent.parent if definition.parent is not None else None
    if around is None or around.type not in _CLASSES or "partial" in _modifiers(around):
        return False
    if definition.child_by_field_name("explicit_interface_specifier") is not None:
        return False
    said = _ACCESS & _modifiers(definition)
    return definition.type == "method_declaration" and said <= {"private"}


def _modifiers(definition: Node) -> set[str]:
    return {text(child) for child in definition.children if child.type == "modifier"}


def _extends(function: Node) -> str:
    """Of `this Box box`, and of `extension(Box box) { … }`, which the grammar takes for a
    constructor."""
    own = function.child_by_field_name("parameters")
    if own is not None and _takes_instance(function, own):
        return "".join(field_text(own.named_children[0], "type").split())
    block = function.parent
    around = block.parent if block is not None else None
    if around is None or around.type != "constructor_declaration":
        return ""
    listed = around.child_by_field_name("parameters")
    if field_text(around, "name") != "extension" or listed is None:
        return ""
    first = child_of(listed, "parameter")
    return "".join(field_text(first, "type").split()) if first is not None else ""


READER = CallReader(
    _parameters,
    _argument,
    is_private=_is_private,
    extends=_extends,
    results=_results,
    result_uses=ResultUses(
        using=frozenset({"return_statement"}),
        as_one=frozenset({"binary_expression"}),
        parts=_parts,
        needing_value=frozenset({"binary_expression"}),
    ),
    lists=("parameter_list",),
    arguments=("argument_list",),
    wrappers=frozenset({"generic_name"}),
    takes_instance=_takes_instance,
    kind_of=_kind_of,
    handing_on=frozenset({"constructor_initializer"}),
    handed_to=_handed_to,
    blocks=frozenset({"block", "for_statement", "switch_section", "using_statement"}),
    is_known_from_binding=True,
    invokers=frozenset({"Invoke"}),
)
