"""Imports by call: `import_module`, `require`, `import()`, `include!`, with constant arguments.

A small evaluator knows literals, concatenation, formatting and path joins over names that are
bound to constants in the same file. Where a name has several values, all combinations are
candidates, in sorted order: the resolver takes the first that exists, so the choice is the same
every run. What cannot be computed is kept with the reason.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from itertools import islice, product
from typing import TYPE_CHECKING

from surveyor.graph.expressions.keys import CANDIDATE
from surveyor.graph.languages.readers import (
    FILE,
    STRINGS,
    NotConstant,
    line,
    literal,
    text,
)
from surveyor.graph.languages.traits import Traits
from surveyor.parsing.types import Import
from surveyor.units import counted

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["read_called"]

MAX_CANDIDATES = 16
HERE = "."
"""What `__file__`'s folder and `__dirname` evaluate to; paths below it start with `./`."""
_SELF_FILE = "./\0file"

Values = list[str]


def read_called(root: Node, calls: list[Node], traits: Traits, limit: int) -> list[Import]:
    """The imports that these calls make; each has a module or an `unresolved_reason`.

    Of more calls than `limit` the rest are listed as not scanned.
    """
    imports: list[Import] = []
    environment = _Environment(root)
    for count, call in enumerate(calls):
        if _is_plain_require(call):
            continue
        alias = _assigned(call)
        where = line(call)
        if count >= limit:
            reason = f"more than {counted(limit, 'import')} by call in this file: not scanned"
            imports.append(
                Import(
                    module=text(call)[:120], line=where, kind="dynamic", unresolved_reason=reason
                )
            )
            continue
        try:
            reader = traits.called_import
            candidates = reader(call) if reader else _candidates(call, environment)
        except NotConstant as unknown:
            imports.append(
                Import(
                    module=text(call)[:120],
                    alias=alias,
                    line=where,
                    kind="dynamic",
                    unresolved_reason=str(unknown),
                )
            )
            continue
        if not candidates:
            continue
        imports.append(
            Import(
                module=candidates[0],
                names=tuple((CANDIDATE, other) for other in candidates[1:]),
                alias=alias,
                line=where,
                kind="dynamic",
            )
        )
    return imports


def _is_plain_require(call: Node) -> bool:
    """`const x = require("y")` is read as a declaration elsewhere."""
    parent = call.parent
    arguments = call.child_by_field_name("arguments")
    if parent is None or parent.type != "variable_declarator" or arguments is None:
        return False
    named = arguments.named_children
    function = call.child_by_field_name("function")
    is_plain = function is not None and function.type != "member_expression"
    return is_plain and bool(named) and named[0].type == "string"


def _assigned(call: Node) -> str:
    """The name that the imported module is bound to, if it is."""
    if text(call.child_by_field_name("function")) == "require.resolve":
        return ""  # a path
    node: Node | None = call.parent
    while node is not None and node.type in ("await_expression", "parenthesized_expression"):
        node = node.parent
    if node is not None and node.type in ("assignment", "variable_declarator"):
        target = node.child_by_field_name("left") or node.child_by_field_name("name")
        if target is not None and target.type == "identifier":
            return text(target)
    return ""


def _candidates(call: Node, environment: _Environment) -> Values:
    arguments = call.child_by_field_name("arguments")
    function = text(call.child_by_field_name("function")).rpartition(".")[2]
    positional = [
        child
        for child in (arguments.named_children if arguments is not None else [])
        if child.type not in ("comment", "keyword_argument")
    ]
    by_path = function in ("spec_from_file_location", "SourceFileLoader")
    index = 1 if by_path else 0
    value: Node | None = positional[index] if len(positional) > index else None
    for child in arguments.named_children if arguments is not None else []:
        if child.type == "keyword_argument" and text(child.child_by_field_name("name")) in (
            ("location", "path") if by_path else ("name",)
        ):
            value = child.child_by_field_name("value")
    if value is None:
        raise NotConstant("the call has no argument to compute")
    found = sorted(set(environment.evaluate(value)))[:MAX_CANDIDATES]
    if by_path:
        return [FILE + posixpath.normpath(path) for path in found]
    if function == "import_module" and any(path.startswith(".") for path in found):
        package = positional[1] if len(positional) > 1 else None
        if package is not None and text(package) not in ("__package__", "__name__"):
            base = environment.evaluate(package)[0]
            found = [base + path if path.startswith(".") else path for path in found]
    return found


class _Environment:
    """Names bound to constants in one file, read on first use."""

    def __init__(self, root: Node) -> None:
        self._root = root
        self._bound: dict[str, list[Node]] | None = None
        self._open: set[str] = set()

    def _bindings(self) -> dict[str, list[Node]]:
        if self._bound is None:
            self._bound = {}
            stack = [self._root]
            while stack:
                node = stack.pop()
                name = value = None
                if node.type in ("assignment", "assignment_expression", "for_statement"):
                    name, value = (
                        node.child_by_field_name("left"),
                        node.child_by_field_name("right"),
                    )
                elif node.type == "variable_declarator":
                    name, value = (
                        node.child_by_field_name("name"),
                        node.child_by_field_name("value"),
                    )
                if name is not None and value is not None and name.type == "identifier":
                    values = [value]
                    if value.type in ("tuple", "list", "array") or node.type == "for_statement":
                        values = list(value.named_children)
                    self._bound.setdefault(text(name), []).extend(values)
                stack.extend(reversed(node.named_children))
        return self._bound

    def evaluate(self, node: Node) -> Values:
        """All values of an expression, sorted where there are several.

        Raises:
            NotConstant: when a part is not constant.
        """
        kind = node.type
        if kind in ("string", "template_string"):
            return self._string(node)
        if kind in STRINGS:
            return _combine([self.evaluate(c) for c in node.named_children] or [[literal(node)]])
        if kind == "identifier":
            return self._name(text(node))
        if kind in ("binary_operator", "binary_expression"):
            operator = text(node.child_by_field_name("operator"))
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            if left is not None and right is not None and operator in ("+", "/"):
                sides = [self.evaluate(left), self.evaluate(right)]
                return _combine(sides, "".join if operator == "+" else _join)
            raise NotConstant(f"operator {operator} is not computed")
        if kind in ("parenthesized_expression", "as_expression") and node.named_children:
            return self.evaluate(node.named_children[0])
        if kind in ("conditional_expression", "ternary_expression"):  # both may be meant
            first, second, third = (c for c in node.named_children if c.type != "comment")
            either = (first, third) if kind == "conditional_expression" else (second, third)
            return sorted({value for side in either for value in self.evaluate(side)})
        if kind in ("call", "call_expression"):
            return self._call(node)
        if kind == "new_expression" and text(node.child_by_field_name("constructor")) == "URL":
            return self._url(node)
        if kind in ("attribute", "member_expression"):
            return self._attribute(node)
        raise NotConstant(f"{text(node)[:60]} is not a constant")

    def _string(self, node: Node) -> Values:
        parts: list[Values] = []
        for child in node.named_children:
            if child.type in ("interpolation", "template_substitution"):
                inner = child.child_by_field_name("expression") or child.named_children[0]
                parts.append(self.evaluate(inner))
            elif child.type in ("string_content", "string_fragment"):
                parts.append([text(child)])
        return _combine(parts) if parts else [""]

    def _name(self, name: str) -> Values:
        if name == "__file__" or name == "__filename":
            return [_SELF_FILE]
        if name == "__dirname":
            return [HERE]
        bound = self._bindings().get(name)
        if not bound or name in self._open:
            raise NotConstant(f"{name} is not bound to a constant in this file")
        self._open.add(name)
        try:
            values = [value for node in bound for value in self.evaluate(node)]
        finally:
            self._open.discard(name)
        return sorted(set(values))

    def _call(self, node: Node) -> Values:
        function = text(node.child_by_field_name("function"))
        arguments = node.child_by_field_name("arguments")
        values = [
            child
            for child in (arguments.named_children if arguments is not None else [])
            if child.type not in ("comment", "keyword_argument")
        ]
        last = function.rpartition(".")[2]
        callee = node.child_by_field_name("function")
        owner = callee.child_by_field_name("object") if callee is not None else None
        if last == "joinpath" and owner is not None:
            return _combine([self.evaluate(value) for value in (owner, *values)], _join)
        if last in ("join", "resolve") and values and _joins_paths(function):
            return _combine([self.evaluate(value) for value in values], _join)
        if last in ("dirname",) and values:
            return [posixpath.dirname(value) or "." for value in self.evaluate(values[0])]
        if last in ("Path", "PurePath", "str", "abspath", "realpath", "fspath") and values:
            return _combine([self.evaluate(value) for value in values], _join)
        if last in ("resolve", "absolute") and not values and owner is not None:
            return self.evaluate(owner)
        if last == "format":
            raise NotConstant("str.format is not computed")
        raise NotConstant(f"{function[:60]}() is not computed")

    def _url(self, node: Node) -> Values:
        """`new URL("./other.js", import.meta.url)`: a path from this file's folder."""
        arguments = node.child_by_field_name("arguments")
        values = arguments.named_children if arguments is not None else []
        if len(values) != 2 or text(values[1]) != "import.meta.url":
            raise NotConstant("only URLs from import.meta.url are computed")
        return _combine([[HERE], self.evaluate(values[0])], _join)

    def _attribute(self, node: Node) -> Values:
        whole = text(node)
        if whole in ("import.meta.dirname", "import.meta.filename"):
            return [HERE if whole.endswith("dirname") else _SELF_FILE]
        owner = node.child_by_field_name("object")
        name = text(node.child_by_field_name("attribute") or node.child_by_field_name("property"))
        if owner is not None and name == "parent":
            return [posixpath.dirname(value) or "." for value in self.evaluate(owner)]
        if owner is not None and name in ("href", "pathname") and owner.type == "new_expression":
            return self.evaluate(owner)
        raise NotConstant(f"{text(node)[:60]} is not a constant")


def _joins_paths(function: str) -> bool:
    """`path.join`, `os.path.join`, and `join` as either module exports it."""
    return "." not in function or "path" in function.lower()


def _combine(parts: list[Values], join: Callable[[tuple[str, ...]], str] = "".join) -> Values:
    return list(dict.fromkeys(join(values) for values in islice(product(*parts), MAX_CANDIDATES)))


def _join(values: tuple[str, ...]) -> str:
    joined = posixpath.join(*values)
    relative = joined.startswith("./") or joined == "."
    normal = posixpath.normpath(joined)
    return "./" + normal if relative and not normal.startswith("..") else normal
