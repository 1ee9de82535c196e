"""JavaScript and TypeScript."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.change.languages.reader import CallReader, Passed, field_text, text
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
_AROUND_FUNCTIONS = frozenset(
    {"export_statement", "lexical_declaration", "variable_declaration", "variable_declarator",
     "assignment_expression", "expression_statement", "pair"}
)  # fmt: skip


def _optional_by_use(listed: Node) -> frozenset[str]:
    """Names of parameters without types whose function says that they may be missing."""
    function = listed.parent
    if function is None:
        return frozenset()
    found = {
        name
        for match in _MAY_BE_MISSING.finditer(field_text(function, "body"))
        for name in match.groups()
        if name
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


def _argument(node: Node) -> Passed | None:
    return Passed(is_spread=node.type == "spread_element")


READER = CallReader(
    _parameters, _argument, constructor="constructor", bare_calls=frozenset({"new_expression"})
)
