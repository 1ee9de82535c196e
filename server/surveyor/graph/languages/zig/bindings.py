"""What Zig binds names to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.graph.expressions.model import Element, Expression
from surveyor.graph.languages.readers import Binding, text
from surveyor.graph.languages.zig.values import value, value_after

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["bindings_of"]

_PAYLOADS = frozenset({"PtrPayload", "PtrIndexPayload", "PtrListPayload"})


def bindings_of(node: Node) -> Iterator[Binding]:
    """`const x: T = y`, `a: T`, fields, and what stands between bars behind a value."""
    kind = node.type
    if kind == "VarDecl":
        name = node.child_by_field_name("variable_type_function")
        if name is not None and not _defines_type(node):
            yield Binding(name, value_after(node), is_field=_is_member(node))
    elif kind == "ParamDecl":
        name = node.child_by_field_name("parameter")
        if name is not None and node.named_children[-1].type == "ParamType":
            yield Binding(name, value(node.named_children[-1]))
    elif kind == "ContainerField":
        name = node.child_by_field_name("field_member")
        if name is not None:
            yield Binding(name, value_after(node), is_field=_is_member(node))
        elif (tag := tag_of(node)) is not None:
            yield Binding(tag, None, is_attribute=True)
    elif kind == "SwitchProng":
        yield from _prong(node)
    elif kind in _PAYLOADS:
        yield from _payload(node)


def tag_of(field: Node) -> Node | None:
    """The name of a tag without a type, of an enumeration or union that is given a name outside of
    functions; None of any other field."""
    holder = field.parent
    kind = next((c for c in holder.named_children if c.type == "ContainerDeclType"), None) if (
        holder is not None
    ) else None  # fmt: skip
    if holder is None or kind is None or not text(kind).startswith(("enum", "union")):
        return None
    around = holder
    for wanted in _NAMED:
        if around.parent is None or around.parent.type != wanted:
            return None
        around = around.parent
    inner: Node | None = field
    for _ in _NAMED[:2]:
        inner = inner.named_children[0] if inner is not None and inner.named_children else None
    if inner is None or inner.type != "SuffixExpr" or len(inner.named_children) != 1:
        return None
    name = inner.named_children[0]
    return name if name.type == "IDENTIFIER" else None


_NAMED = ("SuffixExpr", "ErrorUnionExpr", "VarDecl", "Decl")
"""What is around a type that is given a name."""


def _defines_type(declaration: Node) -> bool:
    """`const Box = struct { … };` outside of functions: a definition, which is what it is."""
    chain = declaration.named_children[-1]
    inner = chain.named_children[0] if chain.named_children else chain
    last = inner.named_children[-1] if inner.named_children else inner
    is_local = declaration.parent is not None and declaration.parent.type == "Statement"
    return last.type == "ContainerDecl" and not is_local


def _is_member(node: Node) -> bool:
    """Whether it is declared in a type that is written out, not at the top of the file."""
    around = node.parent if node.type == "VarDecl" else node
    holder = around.parent if around is not None else None
    return holder is not None and holder.type == "ContainerDecl"


def _payload(payload: Node) -> Iterator[Binding]:
    """`if (x) |y|`, `while (x) |y|` what is not null; `for (xs, 0..) |x, i|` what is held."""
    around = payload.parent
    names = [c for c in payload.named_children if c.type == "IDENTIFIER"]
    if around is None or around.type not in ("IfPrefix", "WhilePrefix", "ForPrefix"):
        return
    if around.type != "ForPrefix":
        if names and around.named_children:
            yield Binding(names[0], value(around.named_children[0]))
        return
    items = around.named_children[0]
    for name, item in zip(names, items.named_children, strict=False):
        whole = value(item.named_children[0]) if item.named_children else None
        yield Binding(name, whole.then(Element()) if whole is not None else None)


def _prong(prong: Node) -> Iterator[Binding]:
    """`switch (x) { .box => |b| … }`: the member of the union."""
    payload = next((c for c in prong.named_children if c.type in _PAYLOADS), None)
    names = [c for c in payload.named_children if c.type == "IDENTIFIER"] if payload else []
    whole = _switched(prong)
    case = prong.named_children[0] if prong.named_children else prong
    cases = [text(item).lstrip(".") for item in case.named_children]
    if names and whole is not None and cases and cases[0].isidentifier():
        yield Binding(names[0], whole.member(cases[0]))


def _switched(prong: Node) -> Expression | None:
    around = prong.parent
    return value(around.named_children[0]) if around is not None and around.named_children else None
