"""What PHP names without code: methods that an array of an owner and a name stands for, functions
and classes by their full names as text, methods of traits that a class gives another name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.graph.expressions.grammar import parse
from surveyor.graph.expressions.model import Expression, Name
from surveyor.graph.extract.written_types import declared_type, expression_of, text_of
from surveyor.parsing.children import first_named

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["read"]


_FULL_NAME = re.compile(r"\\?([A-Za-z_]\w*(?:\\[A-Za-z_]\w*)*)(?:\\|::)([A-Za-z_]\w*)")
"""`App\\load`, `App\\Box::make`, `Box::make`, of a text."""
_SELF = Expression(Name("self"))


def read(node: Node) -> Iterator[tuple[Node, Expression, str]]:
    """`[$this, 'open']`, `[Box::class, 'open']`, `'App\\Box::make'`, `draw as paint` of a trait:
    (the text, what has the method, the method)."""
    if node.type == "string_content":
        written = text_of(node.parent or node).strip("'\"").replace("\\\\", "\\")
        named = _FULL_NAME.fullmatch(written)
        whole = parse(named[1].replace("\\", ".")) if named is not None else None
        if named is not None and whole is not None and text_of(node).endswith(named[2]):
            yield node, whole, named[2]
    elif node.type == "name":
        yield node, _SELF, text_of(node)
    else:
        yield from _of_pair(node)


_OWNERS = frozenset(
    {"variable_name", "class_constant_access_expression", "string", "encapsed_string"}
)


def _of_pair(pair: Node) -> Iterator[tuple[Node, Expression, str]]:
    """An owner and a name: an array of both, or the arguments of a call."""
    elements = [first_named(each) for each in pair.named_children[:2]]
    held, text = elements if len(elements) == 2 else (None, None)
    if held is None or text is None or held.type not in _OWNERS:
        return
    name = text.named_children[0] if len(text.named_children) == 1 else None
    if name is None or not text_of(name).isidentifier():
        return
    owner = _owner(held)
    if owner is not None:
        yield name, owner, text_of(name)


def _owner(held: Node) -> Expression | None:
    if held.type == "variable_name":
        return expression_of(held)
    if held.type in ("string", "encapsed_string"):
        written = text_of(held).strip("'\"").replace("\\\\", "\\").lstrip("\\")
        is_class = written.replace("\\", "").isidentifier() and written[:1].isupper()
        return parse(written.replace("\\", ".")) if is_class else None
    of, constant = held.named_children[0], held.named_children[-1]
    if text_of(constant) != "class":
        return None
    # self::class, static::class
    return _SELF if of.type == "relative_scope" else declared_type(of)
