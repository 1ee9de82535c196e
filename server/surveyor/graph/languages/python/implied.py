"""What Python runs without naming it: special methods of operators, loops, `with` and `str()`; and
what it names as text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from surveyor.graph.expressions.model import Call, Expression, Module
from surveyor.graph.extract.written_types import expression_of, text_of
from surveyor.graph.languages.readers import NAMED_BARE

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["read"]

_BINARY = {
    "+": "__add__", "-": "__sub__", "*": "__mul__", "/": "__truediv__", "//": "__floordiv__",
    "%": "__mod__", "**": "__pow__", "@": "__matmul__", "&": "__and__", "|": "__or__",
    "^": "__xor__", "<<": "__lshift__", ">>": "__rshift__",
}  # fmt: skip
_COMPARED = {
    "==": "__eq__", "!=": "__eq__", "<": "__lt__", "<=": "__le__", ">": "__gt__", ">=": "__ge__",
}  # fmt: skip
_UNARY = {"-": "__neg__", "+": "__pos__", "~": "__invert__"}
_FUNCTIONS = {
    "str": ("__str__", "__repr__"), "print": ("__str__", "__repr__"), "repr": ("__repr__",),
    "format": ("__format__", "__str__"), "len": ("__len__",), "iter": ("__iter__",),
    "next": ("__next__",), "hash": ("__hash__",), "bool": ("__bool__", "__len__"),
    "int": ("__int__", "__index__"), "float": ("__float__",), "bytes": ("__bytes__",),
    "abs": ("__abs__",), "reversed": ("__reversed__",), "list": ("__iter__",),
    "tuple": ("__iter__",), "set": ("__iter__",), "sorted": ("__iter__",), "sum": ("__iter__",),
}  # fmt: skip
"""Functions that are built in, and what each runs of its argument: the first that there is."""
_VALUES = frozenset({"identifier", "attribute", "call", "subscript", "parenthesized_expression"})
"""Operands that may be objects of a class."""


def read(node: Node) -> Iterator[tuple[Node, Expression, str]]:
    """(where it stands, the object, the method) of each special method that a node runs.

    Several methods with a `/` between are alternatives: the first that the object has.
    """
    kind = node.type
    field = node.child_by_field_name
    if kind == "string":
        yield from _named(node)
    elif kind == "call":
        yield from _called(node)
    elif kind == "with_item":
        yield from _managed(node)
    elif kind in ("for_statement", "for_in_clause"):
        yield from _walked(field("right"), is_async=bool(node.children and _is_async(node)))
    elif kind in ("binary_operator", "augmented_assignment"):
        operator = field("operator")
        sign = text_of(operator).removesuffix("=") if operator is not None else ""
        if name := _BINARY.get(sign):
            place = kind == "augmented_assignment"
            methods = f"__i{name[2:]}/{name}" if place else name
            yield from _of(field("left"), methods)
            yield from _of(field("right"), f"__r{name[2:]}")
    elif kind == "comparison_operator":
        yield from _compared(node)
    elif kind == "unary_operator":
        operator = field("operator")
        if operator is not None and (name := _UNARY.get(text_of(operator))):
            yield from _of(field("argument"), name)
    elif kind == "subscript":
        yield from _of(field("value"), _subscript(node))
    elif kind == "interpolation":
        yield from _of(field("expression"), "__format__/__str__/__repr__")


_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_OF_ITS_FIRST = frozenset({"delattr", "getattr", "hasattr", "object", "setattr"})
"""Functions whose second argument is a member of the first: `patch.object` too."""


def _named(string: Node) -> Iterator[tuple[Node, Expression, str]]:
    """What the text of a string names: `"pkg.core.load"`, a member of the first argument
    (`monkeypatch.setattr(core, "load", f)`), of a class (`Kind["WIDE"]`), or of the module."""
    content = next((c for c in string.named_children if c.type == "string_content"), None)
    around = string.parent
    if content is None or around is None or content.named_child_count:
        return
    written = text_of(content)
    if around.type in ("list", "tuple"):
        if written.isidentifier():
            yield content, NAMED_BARE, written
    elif around.type == "subscript":
        value = expression_of(around.child_by_field_name("value"))
        if value is not None and written.isidentifier():
            yield content, value, written
    elif _DOTTED.fullmatch(written):
        module, *names, name = written.split(".")
        whole = Expression(Module(module, is_whole=False))
        for each in names:
            whole = whole.member(each)
        yield content, whole, name
    elif written.isidentifier() and (owner := _first_argument(string)) is not None:
        yield content, owner, written


def _first_argument(second: Node) -> Expression | None:
    """What stands before an argument of a function that reads or sets a member by its name."""
    listed = second.parent
    given = listed.named_children if listed is not None else []
    call = listed.parent if listed is not None else None
    called = call.child_by_field_name("function") if call is not None else None
    if called is None or len(given) < 2 or given[1].id != second.id:
        return None
    if text_of(called).rpartition(".")[2] not in _OF_ITS_FIRST:
        return None
    return expression_of(given[0])


def _of(operand: Node | None, methods: str) -> Iterator[tuple[Node, Expression, str]]:
    if operand is None or operand.type not in _VALUES:
        return
    found = expression_of(operand)
    if found is not None:
        yield operand, found, methods


def _called(node: Node) -> Iterator[tuple[Node, Expression, str]]:
    function, arguments = (
        node.child_by_field_name("function"),
        node.child_by_field_name("arguments"),
    )
    methods = _FUNCTIONS.get(text_of(function)) if function is not None else None
    if methods is None or arguments is None:
        return
    given = arguments.named_children
    for argument in given if text_of(function) == "print" else given[:1]:  # type: ignore[arg-type]
        yield from _of(argument, "/".join(methods))


def _is_async(node: Node) -> bool:
    return any(child.type == "async" for child in node.children[:2])


def _managed(node: Node) -> Iterator[tuple[Node, Expression, str]]:
    value = node.child_by_field_name("value")
    if value is not None and value.type == "as_pattern" and value.named_children:
        value = value.named_children[0]
    statement = node.parent.parent if node.parent is not None else None
    a = "a" if statement is not None and _is_async(statement) else ""
    for method in (f"__{a}enter__", f"__{a}exit__"):
        yield from _of(value, method)


def _walked(whole: Node | None, *, is_async: bool) -> Iterator[tuple[Node, Expression, str]]:
    a = "a" if is_async else ""
    iterates, following = f"__{a}iter__", f"__{a}next__"
    for place, found, _ in _of(whole, iterates):
        yield place, found, iterates
        yield place, found.member(iterates).then(Call()), following


def _compared(node: Node) -> Iterator[tuple[Node, Expression, str]]:
    operands = node.named_children
    signs = [child for child in node.children if not child.is_named]
    operators = node.children_by_field_name("operators") or signs
    for (left, right), sign in zip(pairwise(operands), operators, strict=False):
        text = text_of(sign)
        if text in ("in", "not in"):
            yield from _of(right, "__contains__")
        elif name := _COMPARED.get(text):
            yield from _of(left, name)


def _subscript(node: Node) -> str:
    """What a subscript runs: it is read, written or deleted."""
    parent = node.parent
    if parent is not None and parent.type == "assignment":
        target = parent.child_by_field_name("left")
        if target is not None and target.id == node.id:
            return "__setitem__"
    if parent is not None and parent.type == "delete_statement":
        return "__delitem__"
    return "__getitem__"
