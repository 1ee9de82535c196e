"""What Rust's macros define by a name they are handed, in the file of the macro.

`macro_rules! handler { ($name:ident, $method:ident) => { pub fn $name() -> Router { … } } }` makes
`handler!(get, GET);` the definition of `get`; the same for `struct $name`, `enum $name` and others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["LANGUAGES", "MacroFunction", "functions_of_macros"]

LANGUAGES = frozenset({"rust"})
_BODIES = frozenset({"declaration_list", "expression_statement"})
_ITEMS = frozenset({"mod_item", "impl_item"})
_KINDS = {
    b"fn": "function", b"struct": "struct", b"union": "struct", b"enum": "enum", b"trait": "trait",
    b"type": "type", b"const": "constant", b"static": "variable",
}  # fmt: skip
_NAMING = re.compile(rb"\b(?:fn|struct|union|enum|trait|type|const|static) \$")
_COMMENTS = frozenset({"line_comment", "block_comment"})


class MacroFunction(NamedTuple):
    """A function, type or constant that a macro defines where it is invoked."""

    name: Node
    invocation: Node
    result: str
    """The text of the type that a function gives; empty where it says none."""
    kind: str = "function"


class _MacroPart(NamedTuple):
    """What a rule takes as one argument."""

    text: bytes
    """What has to stand there; empty where it may be anything."""
    variable: bytes
    """The variable that stands for it, if it has to be an identifier."""


class _MacroRule(NamedTuple):
    parts: list[_MacroPart]
    repeated: bytes
    """The variable of a rule that takes any number of identifiers and nothing else."""
    functions: dict[bytes, tuple[str, str]]
    """The variables that name a definition, with its kind and the text of what a function gives."""


def functions_of_macros(root: Node, data: bytes) -> list[MacroFunction]:
    """What macros of a file define by its own invocations, in the order of the source."""
    if b"macro_rules!" not in data or not _NAMING.search(data):
        return []
    invoked: list[Node] = []
    rules: dict[bytes, list[_MacroRule]] = {}
    for node in _items(root):
        if node.type == "macro_invocation":
            invoked.append(node)
        elif (name := node.child_by_field_name("name")) is not None:
            rules.setdefault(name.text or b"", []).extend(_rules(node))
    found: list[MacroFunction] = []
    for node in invoked:
        macro = node.child_by_field_name("macro")
        known = rules.get(macro.text or b"", []) if macro is not None else []
        if any(rule.functions for rule in known):
            found += _defined(node, known)
    return sorted(found, key=lambda made: made.name.start_byte)


def _items(root: Node) -> Iterator[Node]:
    """Macros that are defined or invoked where items stand."""
    stack = [root]
    while stack:
        for node in stack.pop().named_children:
            if node.type in ("macro_definition", "macro_invocation"):
                yield node
            elif node.type in _BODIES:
                stack.append(node)
            elif node.type in _ITEMS and (body := node.child_by_field_name("body")) is not None:
                stack.append(body)


def _defined(invocation: Node, rules: list[_MacroRule]) -> Iterator[MacroFunction]:
    """By the first rule that matches, or by one that this may hand its arguments on to."""
    arguments = _arguments(invocation)
    matching = [rule for rule in rules if _matches(rule, arguments)]
    if not matching:
        return
    if not matching[0].functions:  # it invokes the macro again
        matching = [rule for rule in rules if rule.functions and _names(rule, arguments)]
    for rule in matching[:1]:
        for variable, argument in _names(rule, arguments):
            kind, result = rule.functions[variable]
            yield MacroFunction(argument, invocation, result, kind)


def _names(rule: _MacroRule, arguments: list[list[Node]]) -> list[tuple[bytes, Node]]:
    """The variables of a rule that name a function, with what they stand for."""
    if rule.repeated:
        named = [(rule.repeated, argument) for argument in arguments]
    else:
        named = [(p.variable, a) for p, a in zip(rule.parts, arguments, strict=False)]
    return [(v, a[0]) for v, a in named if v in rule.functions and _is_name(a)]


def _matches(rule: _MacroRule, arguments: list[list[Node]]) -> bool:
    if rule.repeated:
        return all(_is_name(argument) for argument in arguments)
    return len(rule.parts) == len(arguments) and all(
        (not part.text or part.text == b"".join(token.text or b"" for token in argument))
        and (not part.variable or _is_name(argument))
        for part, argument in zip(rule.parts, arguments, strict=True)
    )


def _is_name(argument: list[Node]) -> bool:
    return len(argument) == 1 and argument[0].type == "identifier"


def _rules(macro: Node) -> Iterator[_MacroRule]:
    """The rules of a macro, in their order."""
    for rule in macro.named_children:
        matcher, body = rule.child_by_field_name("left"), rule.child_by_field_name("right")
        if rule.type != "macro_rule" or matcher is None or body is None:
            continue
        functions: dict[bytes, tuple[str, str]] = {}
        for tokens in (body, *(each for each in body.children if each.type == "token_repetition")):
            functions.update(_functions(tokens.children))
        yield _rule_of(matcher, functions)


def _rule_of(matcher: Node, functions: dict[bytes, tuple[str, str]]) -> _MacroRule:
    parts: list[_MacroPart] = []
    repeated = b""
    for tokens in _divided(matcher.children[1:]):
        bound = [each for each in tokens if each.type == "token_binding_pattern"]
        several = [each for each in tokens if each.type == "token_repetition_pattern"]
        if bound:
            name = bound[0].child_by_field_name("name")
            kind = bound[0].child_by_field_name("type")
            is_name = kind is not None and kind.text == b"ident" and len(bound) == 1
            parts.append(_MacroPart(b"", (name.text or b"") if name and is_name else b""))
        elif several:
            inner = several[0].named_children
            name = inner[0].child_by_field_name("name") if len(inner) == 1 else None
            repeated = (name.text or b"") if name is not None else b""
        else:
            parts.append(_MacroPart(b"".join(each.text or b"" for each in tokens), b""))
    return _MacroRule(parts, repeated if not parts else b"", functions)


def _functions(tokens: list[Node]) -> Iterator[tuple[bytes, tuple[str, str]]]:
    """`fn $name(…) -> Type {`, `struct $name`: the variable, the kind and the type's text."""
    for index, token in enumerate(tokens[:-1]):
        kind = _KINDS.get(token.text or b"")
        if kind is not None and tokens[index + 1].type == "metavariable":
            result = _result(tokens[index + 2 :]) if kind == "function" else ""
            yield tokens[index + 1].text or b"", (kind, result)


def _result(tokens: list[Node]) -> str:
    """What stands behind the arrow of a signature."""
    found: list[str] = []
    is_behind = False
    for token in tokens:
        if token.type in ("where", ";") or (token.text or b"").startswith(b"{"):
            break
        if is_behind:
            found.append((token.text or b"").decode("utf-8", "replace"))
        is_behind = is_behind or token.type == "->"
    text = "".join(found)
    return "" if "$" in text else text


def _arguments(invocation: Node) -> list[list[Node]]:
    """The tokens of each argument of an invocation, without attributes before them."""
    tokens = next((each for each in invocation.children if each.type == "token_tree"), None)
    return list(_divided(tokens.children[1:])) if tokens is not None else []


def _divided(tokens: list[Node]) -> Iterator[list[Node]]:
    """What stands between the commas, up to the bracket that closes all."""
    part: list[Node] = []
    for token in tokens:
        if token.type in (",", ")", "]", "}"):
            if part:
                yield part
            part = []
        elif token.type not in _COMMENTS:
            part.append(token)
            if len(part) > 1 and part[-2].type == "#":  # an attribute
                part = part[:-2]
