"""JavaScript and TypeScript."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.change.languages.reader import (
    CallReader,
    DefinitionKind,
    Passed,
    field_text,
    text,
)
from surveyor.change.languages.results import ResultUses, returned
from surveyor.change.signatures import CallParameter

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["READER"]


_MAY_BE_MISSING = re.compile(
    r"(\w+)\s*(?:\|\||&&|\?\?|\?\.|\?(?![.?:]))"
    r"|(\w+)\s*[!=]==?\s*(?:undefined\b|null\b|void 0)"
    r"|(?:undefined|null)\s*[!=]==?\s*(\w+)"
    r"|\btypeof\s+(\w+)"
    r"|\bif\s*\(\s*(\w+)\s*[)&|]"
    r"|!\s*(\w+)\b(?!\s*[.(\[])"
    r"|\bArray\.isArray\(\s*(\w+)"
)
"""How JavaScript without types looks at what may not have been passed."""
_DOCUMENTED = re.compile(r"@param\s+(?:\{[^}]*?(=)?\}\s*)?(\[)?\s*(\w+)")
"""JSDoc: `[name]` and `{type=}` may be left out."""
_ARGUMENTS = re.compile(r"\barguments\b")
_AROUND_FUNCTIONS = frozenset(
    {"export_statement", "lexical_declaration", "variable_declaration", "variable_declarator",
     "assignment_expression", "expression_statement", "pair"}
)  # fmt: skip


def _is_passed_as_option(name: str, body: str) -> bool:
    """Whether a parameter is only written into objects (`new Pipe({size})`), where one that has no
    value is as good as one that is not there."""
    uses = len(re.findall(rf"(?<![\w$.]){re.escape(name)}(?![\w$])", body))
    return 0 < uses == len(re.findall(rf"\(\{{\s*{re.escape(name)}\s*\}}\)", body))


def _optional_by_use(listed: Node) -> frozenset[str]:
    """Names of parameters without types whose function says that they may be missing."""
    function = listed.parent
    if function is None:
        return frozenset()
    body = field_text(function, "body")
    found = {name for match in _MAY_BE_MISSING.finditer(body) for name in match.groups() if name}
    found |= {
        name
        for child in listed.named_children
        if child.type == "identifier" and _is_passed_as_option(name := text(child), body)
    }
    outer: Node = function
    while outer.parent is not None and outer.parent.type in _AROUND_FUNCTIONS:
        outer = outer.parent
    comment = outer.prev_named_sibling
    if comment is not None and comment.type == "comment":
        for match in _DOCUMENTED.finditer(text(comment)):
            if match[1] or match[2]:
                found.add(match[3])
    return frozenset(found)


def _parameters(listed: Node) -> Iterator[CallParameter]:
    if listed.type == "identifier":  # a => a
        yield CallParameter(text(listed), "positional")
        return
    plain = any(child.type == "identifier" for child in listed.named_children)
    optional = _optional_by_use(listed) if plain else frozenset()
    for child in listed.named_children:
        if child.type == "comment":
            continue
        pattern = child.child_by_field_name("pattern") or child
        if pattern.type == "this":
            continue
        if pattern.type == "rest_pattern":
            yield CallParameter(text(pattern.named_children[0]), "rest")
            continue
        has_default = child.type in ("optional_parameter", "assignment_pattern")
        has_default = has_default or child.child_by_field_name("value") is not None
        if child.type == "assignment_pattern":
            pattern = child.child_by_field_name("left") or pattern
        name = text(pattern) if pattern.type == "identifier" else ""
        has_default = has_default or (child.type == "identifier" and name in optional)
        yield CallParameter(name, "positional", is_required=not has_default)
    if _takes_any(listed):
        yield CallParameter("", "rest")


def _takes_any(listed: Node) -> bool:
    """Whether a function without a rest looks at all that it is passed."""
    function = listed.parent
    if function is None or function.type == "arrow_function":
        return False
    return _ARGUMENTS.search(field_text(function, "body")) is not None


def _kind_of(function: Node) -> DefinitionKind:
    marks = {child.type for child in function.children}
    said = text(function.child_by_field_name("return_type"))
    is_promise = said.lstrip(": ").startswith("Promise<")
    is_awaited = (is_promise or "async" in marks) and "*" not in marks
    return DefinitionKind(is_awaited, "get" in marks)


def _argument(node: Node) -> Passed | None:
    return Passed(is_spread=node.type == "spread_element")


_FUNCTIONS_APART = frozenset(
    {"function_declaration", "function_expression", "arrow_function", "method_definition",
     "class_body", "generator_function", "generator_function_declaration"}
)  # fmt: skip
_OF_ARRAYS = frozenset(
    {"at", "concat", "entries", "every", "filter", "find", "findIndex", "flat", "flatMap",
     "forEach", "includes", "indexOf", "join", "keys", "length", "map", "pop", "push", "reduce",
     "reverse",
     "shift", "slice", "some", "sort", "splice", "toString", "unshift", "values"}
)  # fmt: skip


def _is_idle(statement: Node) -> bool:
    return statement.type == "throw_statement"


def _results(function: Node) -> int:
    """By the type that is written, else by what a body returns."""
    said = function.child_by_field_name("return_type")
    if said is not None:
        kind = said.named_children[0] if said.named_children else said
        if kind.type == "tuple_type":
            several = kind.named_children
            return (
                -1
                if any("rest" in e.type or "optional" in e.type for e in several)
                else len(several)
            )
        return 0 if text(kind) == "void" else -1
    body = function.child_by_field_name("body")
    marks = {child.type for child in function.children}
    name = field_text(function, "name")
    if body is None or body.type != "statement_block" or name == "constructor":
        return -1
    if marks & {"async", "*", "get", "set"} or "generator" in function.type:
        return -1
    count = returned(body, "return_statement", frozenset(), _FUNCTIONS_APART, _is_idle)
    return 0 if count == 0 else -1


def _parts(around: Node, value: Node) -> int:
    """The names of `const [a, b] = f()`."""
    if around.type != "variable_declarator" or around.child_by_field_name("value") != value:
        return -1
    name = around.child_by_field_name("name")
    if name is None or name.type != "array_pattern":
        return -1
    if any(each.type == "rest_pattern" for each in name.named_children):
        return -1
    count = sum(child.type == "," for child in name.children) + 1
    return count if count > 1 else -1


READER = CallReader(
    _parameters,
    _argument,
    constructor="constructor",
    bare_calls=frozenset({"new_expression"}),
    results=_results,
    result_uses=ResultUses(
        as_one=frozenset({"member_expression"}),
        of_several=_OF_ARRAYS,
        parts=_parts,
        takes_fewer=True,
        needing_value=frozenset(
            {"binary_expression", "member_expression", "subscript_expression",
             "template_substitution"}
        ),
        of_awaited=frozenset({"then", "catch", "finally"}),
    ),
    kind_of=_kind_of,
    blocks=frozenset(
        {"statement_block", "for_statement", "for_in_statement", "switch_body",
         "class_static_block"}
    ),
)  # fmt: skip
