"""Expressions with local names replaced by what these are bound to: others can read them."""

from __future__ import annotations

import re

from surveyor.graph.extract.arguments import arguments_at, split_arguments, without_arguments
from surveyor.graph.extract.scopes import Scopes
from surveyor.graph.languages.ecmascript_types import NOTHING

__all__ = ["substitute"]

_MAX_DEPTH = 5
"""How many local variables are followed from one receiver to what it was bound to."""
_MAX_LENGTH = 600
_PLAIN_TYPE = re.compile(r"[\w$.]+(?:\[\])*$")
_IN_TYPES = re.compile(
    r"=\(((?:[^()]|\(\))*)\)|\{[^}]*\}|[\^'][\w$]+|[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*"
)


def substitute(
    expression: str, scope: int, scopes: Scopes, selves: frozenset[str], *, plain: bool = False
) -> str:
    """An expression with its first name, and those of types in it, replaced.

    `?` in front: its first name is local, and nothing is known of it. `plain`: without what its
    calls are handed.
    """
    if not expression or expression[0] in "?!":
        return expression
    for _ in range(_MAX_DEPTH):
        if not expression or expression[0] in "?{!<":
            break
        head = _head(expression)
        if head in selves or scope < 0:
            break
        value = scopes.binding(head, scope)
        if value is None:
            break
        if not value or value[0] == "^" or _head(value) == head:
            _, told, rest = expression.partition("()<")
            if not told or "," in rest.partition(">")[0]:
                return "?" + without_arguments(expression)
            expression = f"<{rest}"  # nobody knows what is called, but what it is to give
            continue
        if plain:
            value = without_arguments(value)
        expression = value + expression[len(head) :]
        if len(expression) > _MAX_LENGTH:
            return "?" + expression[:_MAX_LENGTH]
    else:
        return "?" + expression
    if scope >= 0 and "<" in expression:
        expression = _with_types(expression, scope, scopes, selves)
    return _with_arguments(expression, scope, scopes, selves) if ";)" in expression else expression


def _with_arguments(expression: str, scope: int, scopes: Scopes, selves: frozenset[str]) -> str:
    """The same with local names replaced in what calls are handed."""
    parts: list[str] = []
    position = start = 0
    while (start := expression.find("(", start)) >= 0:
        end = arguments_at(expression, start)
        if end < 0 or expression[end - 2] != ";":
            start += 1
            continue
        found = []
        for each in split_arguments(expression[start:end]):
            mark = "=>" if each.startswith("=>") else ""
            value = without_arguments(each[len(mark) :])
            if value and value[0] not in "<{":
                value = substitute(value, scope, scopes, selves, plain=True)
            found.append(mark + value if value and value[0] != "?" else mark)
        parts.append(expression[position:start])
        if any(found):
            parts.append(f"({';'.join(found)};)")
        position = start = end
    joined = "".join(parts) + expression[position:]
    return joined if len(joined) <= _MAX_LENGTH else without_arguments(expression)


def _with_types(expression: str, scope: int, scopes: Scopes, selves: frozenset[str]) -> str:
    """The same with local types replaced wherever types stand."""
    parts: list[str] = []
    position = 0
    while (start := expression.find("<", position)) >= 0:
        depth, end = 0, start
        for end in range(start, len(expression)):
            depth += (expression[end] == "<") - (expression[end] == ">")
            if not depth:
                break
        inner = _types(expression[start + 1 : end], scope, scopes, selves)
        parts += [expression[position:start], f"<{inner}>"]
        position = end + 1
    return "".join(parts) + expression[position:]


def _types(text: str, scope: int, scopes: Scopes, selves: frozenset[str]) -> str:
    if _PLAIN_TYPE.match(text):
        name = text.rstrip("[]")
        return _local(name, scope, scopes) + text[len(name) :]

    def replaced(match: re.Match[str]) -> str:
        found = match[0]
        if found[0] == "=":
            value = substitute(match[1], scope, scopes, selves, plain=True)
            return NOTHING if value.startswith("?") else f"=({value})"
        return found if found[0] in "{^'" else _local(found, scope, scopes)

    return _IN_TYPES.sub(replaced, text)


def _local(name: str, scope: int, scopes: Scopes) -> str:
    """A type by its name: a definition local to a function, a type parameter, or itself."""
    bound = scopes.binding(name, scope)
    if bound and bound[0] == "{":
        return bound
    if bound and bound[0] == "<" and bound[-1] == ">" and bound != f"<{name}>":
        return bound[1:-1]
    return name


def _head(expression: str) -> str:
    for index, character in enumerate(expression):
        if not (character.isalnum() or character in "_$@!"):
            return expression[:index]
    return expression
