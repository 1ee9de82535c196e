"""Python."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from surveyor.change.jobs import METACLASS
from surveyor.change.languages.reader import (
    CallReader,
    DefinitionKind,
    HandedTo,
    Passed,
    field_text,
    text,
)
from surveyor.change.languages.results import ResultUses, returned
from surveyor.change.signatures import CallParameter, ParameterKind

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["READER"]

_SPLATS: dict[str, ParameterKind] = {
    "list_splat_pattern": "rest",
    "dictionary_splat_pattern": "keywords",
}


def _parameters(listed: Node) -> Iterator[CallParameter]:
    found: list[CallParameter] = []
    kind: ParameterKind = "any"
    for child in listed.named_children:
        inner = child
        if child.type == "typed_parameter" and child.named_children:
            inner = child.named_children[0]
        if child.type == "positional_separator":
            found = [CallParameter(each.name, "positional", each.is_required) for each in found]
        elif child.type == "keyword_separator":
            kind = "keyword"
        elif inner.type in _SPLATS:
            name = text(inner.named_children[0]) if inner.named_children else ""
            found.append(CallParameter(name, _SPLATS[inner.type]))
            kind = "keyword"
        elif inner.type == "identifier":
            found.append(CallParameter(text(inner), kind))
        elif child.type in ("default_parameter", "typed_default_parameter"):
            found.append(CallParameter(field_text(child, "name"), kind, is_required=False))
    yield from found[1:] if _is_bound(listed) and found else found


def _is_bound(listed: Node) -> bool:
    """Whether the first parameter is the instance or the class."""
    function = listed.parent
    return function is not None and _is_method(function) and "staticmethod" not in _marks(function)


def _is_method(function: Node) -> bool:
    outer = function.parent
    if outer is not None and outer.type == "decorated_definition":
        outer = outer.parent
    return (
        outer is not None and outer.parent is not None and outer.parent.type == ("class_definition")
    )


def _marks(function: Node) -> set[str]:
    outer = function.parent
    if outer is None or outer.type != "decorated_definition":
        return set()
    decorators = (child for child in outer.named_children if child.type == "decorator")
    return {text(each).lstrip("@").partition("(")[0].rpartition(".")[2] for each in decorators}


def _takes_instance(function: Node, listed: Node) -> bool:
    return _is_bound(listed) and "classmethod" not in _marks(function)


def _argument(node: Node) -> Passed | None:
    if node.type == "keyword_argument":
        return Passed(field_text(node, "name"))
    return Passed(is_spread=node.type in ("list_splat", "dictionary_splat"))


_KEEPS_PARAMETERS = frozenset(
    {"abstractmethod", "asynccontextmanager", "cache", "cached_property", "classmethod",
     "contextmanager", "coroutine", "deprecated", "final", "lru_cache", "no_type_check",
     "overload", "override", "property", "setter", "staticmethod", "wraps"}
)  # fmt: skip
_PLAIN_METACLASSES = frozenset({"ABCMeta", "type"})
_ENUMERATIONS = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"})


def _wrapped_by(name: Node) -> tuple[str, ...]:
    """Decorators that may change what is taken; for a constructor, who else makes values."""
    function = name.parent
    if function is None or function.type != "function_definition":
        return ()
    found = sorted(_marks(function) - _KEEPS_PARAMETERS)
    if text(name) in ("__init__", "__new__") and _is_method(function):
        outer: Node | None = function
        while outer is not None and outer.type != "class_definition":
            outer = outer.parent
        if outer is not None and _is_made_elsewhere(outer):
            found.append(METACLASS)
    return tuple(found)


def _is_made_elsewhere(definition: Node) -> bool:
    listed = definition.child_by_field_name("superclasses")
    for each in listed.named_children if listed is not None else ():
        if each.type == "keyword_argument":
            value = field_text(each, "value").rpartition(".")[2]
            if field_text(each, "name") == "metaclass" and value not in _PLAIN_METACLASSES:
                return True
        elif text(each).rpartition(".")[2] in _ENUMERATIONS:
            return True
    return False


def _kind_of(function: Node) -> DefinitionKind:
    if function.type != "function_definition":
        return DefinitionKind()
    marks = _marks(function)
    is_property = bool(marks & {"property", "cached_property"})
    is_async = any(child.type == "async" for child in function.children)
    # Of an asynchronous generator the value is iterated over, and a decorator may call it.
    is_awaited = is_async and not (marks - _KEEPS_RESULT) and not _yields(function)
    return DefinitionKind(is_awaited, is_property)


def _yields(function: Node) -> bool:
    body = function.child_by_field_name("body")
    waiting = [body] if body is not None else []
    while waiting:
        node = waiting.pop()
        if node.type == "yield":
            return True
        if node.type not in _FUNCTIONS_APART:
            waiting += node.named_children
    return False


def _handed_to(call: Node) -> HandedTo:
    """`cls(1)` in a class method."""
    if field_text(call, "function") != "cls":
        return ""
    function = call.parent
    while function is not None and function.type not in _FUNCTIONS_APART:
        function = function.parent
    if function is None or "classmethod" not in _marks(function):
        return ""
    return "own"


_FUNCTIONS_APART = frozenset({"function_definition", "lambda", "class_definition"})
_KEEPS_RESULT = frozenset({"staticmethod", "classmethod", "override", "overload"})


def _is_idle(statement: Node) -> bool:
    """A docstring, `...`, `pass` or `raise`: what others fill in."""
    return statement.type in ("string", "ellipsis", "pass_statement", "raise_statement")


def _results(function: Node) -> int:
    """Of a function that nothing wraps: a generator, a coroutine or a context is something else."""
    body = function.child_by_field_name("body")
    name = field_text(function, "name")
    if body is None or function.type != "function_definition" or name.startswith("__"):
        return -1
    is_async = any(child.type == "async" for child in function.children)
    if is_async or _marks(function) - _KEEPS_RESULT:
        return -1
    several = frozenset({"expression_list", "tuple"})
    return returned(body, "return_statement", several, _FUNCTIONS_APART, _is_idle)


def _parts(around: Node, value: Node) -> int:
    """The names on the left of `a, b = f()`."""
    if around.type != "assignment" or around.child_by_field_name("right") != value:
        return -1
    left = around.child_by_field_name("left")
    if left is None or left.type not in ("pattern_list", "tuple_pattern", "list_pattern"):
        return -1
    names = left.named_children
    return -1 if any("splat" in each.type for each in names) else len(names)


_FIELD_MAKERS = frozenset({"dataclass", "define", "frozen", "mutable"})
_PLAIN_BASES = frozenset({"object", "ABC", "Generic", "Protocol", "NamedTuple"})
_NO_DEFAULT = re.compile(
    r"(?:\w+\.)?(?:field|ib)\((?!.*\b(?:default|default_factory|factory)\b)", re.DOTALL
)
_NOT_TAKEN = re.compile(r"\binit\s*=\s*False")


def _fields(definition: Node) -> list[CallParameter] | None:
    """What a class takes whose `__init__` is made of its fields."""
    if definition.type != "class_definition":
        return None
    bases = _bases(definition)
    makers = _marks(definition) & _FIELD_MAKERS
    if not (makers or "NamedTuple" in bases) or bases - _PLAIN_BASES:
        return None
    around = definition.parent
    options = " ".join(
        text(each) for each in (around.named_children if around is not None else ())
        if each.type == "decorator"
    )  # fmt: skip
    body = definition.child_by_field_name("body")
    if body is None or _NOT_TAKEN.search(options) or "def __init__" in text(body):
        return None
    kind: ParameterKind = "keyword" if re.search(r"kw_only\s*=\s*True", options) else "any"
    found: list[CallParameter] = []
    for field in body.named_children:
        if field.type != "assignment":
            continue
        said, value = field_text(field, "type"), field_text(field, "right")
        if not said or "ClassVar" in said or _NOT_TAKEN.search(value):
            continue
        if said.endswith("KW_ONLY"):
            kind = "keyword"
            continue
        required = not value or _NO_DEFAULT.match(value) is not None
        name = field_text(field, "left")
        name = name if makers <= {"dataclass"} else name.lstrip("_")
        found.append(CallParameter(name, kind, is_required=required))
    return found


def _bases(definition: Node) -> set[str]:
    listed = definition.child_by_field_name("superclasses")
    return {
        text(each).partition("[")[0].rpartition(".")[2]
        for each in (listed.named_children if listed is not None else ())
    }


READER = CallReader(
    _parameters,
    _argument,
    constructor="__init__",
    takes_instance=_takes_instance,
    results=_results,
    result_uses=ResultUses(
        as_one=frozenset({"attribute", "binary_operator"}),
        of_several=frozenset({"count", "index"}),
        parts=_parts,
        needing_value=frozenset(
            {"attribute", "binary_operator", "block", "comparison_operator", "for_statement",
             "interpolation", "module", "subscript"}
        ),
        of_awaited=frozenset({"close", "send", "throw"}),
    ),
    fields=_fields,
    wrapped_by=_wrapped_by,
    kind_of=_kind_of,
    handing_on=frozenset({"call"}),
    handed_to=_handed_to,
    one_passed=frozenset({"decorator"}),
)  # fmt: skip
