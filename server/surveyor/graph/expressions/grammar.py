"""The text of expressions and types: the parser, and the printer of `model` under one name.

    expression = head { step }                     type   = part { "|" part } | "_"
    head       = name | "{" [ "%" ] qualname "}"   part   = thead [ given ] { tstep }
               | "!" name | "<" type ">"           thead  = dotted | "{" qualname "}"
               | "?" text | "`" [ "=" ] module "`"        | "^" name [ "(" type ")" ]
    step       = "." name | "()" | "[" [ key ] "]"        | "=(" expression ")"
               | "#" number { "#" number }                | "@" row ":" column
               | "<" type { "," type } ">"         given  = "<" type { "," type } ">"
               | "(" { argument ";" } ")"          tstep  = "[]" | "()" | "'[]" | "'" name
    argument   = [ "=>" ] [ expression ]                  | "#" number { "#" number }

`(0;)` says that a call has no arguments. A part that cannot be read says nothing. Before a name
that is used (`parse_qualifier`) stands an expression, or `=` and the qualified name of what is
local to a function, `^module|name` for what the function around it imports, `!` for a fixture, `~`
and expressions with a space between for what the functions around it are run on, and before any of
these `#`, the number of arguments and a space.
"""

from __future__ import annotations

import re
from functools import lru_cache

from surveyor.graph.expressions.bindings import (
    CalledWith,
    GivenTo,
    Imported,
    Qualifier,
    Uncounted,
    Within,
    print_qualifier,
)
from surveyor.graph.expressions.model import (
    NO_ARGUMENTS,
    NOTHING_TEXT,
    REMEMBERED,
    Argument,
    Call,
    CollectionOf,
    Element,
    Expression,
    Fixture,
    GivenArguments,
    GivenTypeArguments,
    Head,
    Instance,
    Key,
    KeyElement,
    Local,
    Member,
    Module,
    Name,
    Parameter,
    Result,
    Shape,
    Step,
    Type,
    TypeAtPlace,
    TypeName,
    TypePart,
    TypeStep,
    TypeVariable,
    Unknown,
    ValueOf,
    Variable,
    print_expression,
    print_steps,
    print_type,
    print_types,
)

__all__ = [
    "parse",
    "parse_qualifier",
    "parse_type",
    "parse_types",
    "print_expression",
    "print_qualifier",
    "print_steps",
    "print_type",
    "print_types",
    "split",
]

_NEXT = re.compile(r"<|`[^`]*`|\{[^{}]*\}|\(\)|\(|\['?[\w-]*\]|#?[\w$!?]+(?:`\d*)?")
_PARAMETER = re.compile(r"#\d")
_TYPE_NAME = re.compile(r"[\w$.`]+")
_PLACE = re.compile(r"@(\d+):(\d+)")
_SUFFIX = re.compile(r"\[\]|\(\)|#\d+|'\[\]|'[\w$]+")


def split(text: str, separator: str) -> list[str]:
    """Splits at a separator outside of all brackets."""
    if separator not in text:
        return [text]
    parts, depth, start = [], 0, 0
    for index, character in enumerate(text):
        if character in "[(<{":
            depth += 1
        elif character in "])}" or (character == ">" and text[index - 1 : index] not in ("-", "=")):
            depth -= 1
        elif character == separator and depth == 0:
            parts.append(text[start:index])
            start = index + 1
    parts.append(text[start:])
    return parts


def _closing(text: str, start: int) -> int:
    """Where the bracket at `start` is closed; the end of the text where it is not."""
    opening = text[start]
    closing = {"<": ">", "(": ")"}[opening]
    depth = 0
    for index in range(start, len(text)):
        if text[index] == opening:
            depth += 1
        elif text[index] == closing and not (closing == ">" and text[index - 1] == "="):
            depth -= 1
            if not depth:
                return index
    return len(text) - 1


# --- parser -------------------------------------------------------------------------------------


@lru_cache(REMEMBERED)
def parse(text: str) -> Expression | None:
    """An expression from its text; None where that says nothing."""
    if not text:
        return None
    if text[0] == "?":
        return Expression(Unknown(text[1:]))
    tokens = _tokens(text)
    if not tokens:
        return None
    first = tokens[0]
    if first[:2] == "{%":
        head: Head = Variable(first[2:-1])
    elif first[0] == "{":
        head = Local(first[1:-1])
    elif first[0] == "!":
        head = Fixture(first[1:])
    elif first[0] == "<":
        head = Instance(parse_type(first[1:-1]))
    elif first[0] == "`":
        head = Module(first.strip("`="), is_whole=first[1] == "=")
    else:
        head = Name(first)
    return Expression(head, tuple(_step(token) for token in tokens[1:]), text)


@lru_cache(REMEMBERED)
def parse_qualifier(text: str) -> Qualifier | None:
    """What stands before a name, from its text; None where nothing does."""
    if text[:1] == "#":
        count, _, rest = text[1:].partition(" ")
        before = _uncounted(rest)
        return CalledWith(before, int(count)) if count.isdecimal() else before
    return _uncounted(text)


def _uncounted(text: str) -> Uncounted | None:
    if text[:1] == "=":
        return Local(text[1:])
    if text[:1] == "^":
        module, _, original = text[1:].partition("|")
        return Imported(module, original)
    if text[:2] == ":=":
        made = parse(text[3:])
        return GivenTo(made) if made is not None else None
    if text[:1] == "~":
        found = [each for part in text[1:].split(" ") if (each := parse(part)) is not None]
        return Within(tuple(found))
    return Fixture("") if text == "!" else parse(text)


def _tokens(text: str) -> list[str]:
    """Names, calls, elements, parameters (of parameters in one: `#1#0`) and what is in brackets."""
    found: list[str] = []
    position = 0
    while match := _NEXT.search(text, position):
        position = match.end()
        token = match[0]
        if token in "<(":  # what a type or a call holds may hold others
            position = _closing(text, match.start()) + 1
            token = text[match.start() : position]
        if found and _PARAMETER.match(token) and _PARAMETER.match(found[-1]):
            found[-1] += token
        else:
            found.append(token)
    return found


def _step(token: str) -> Step:
    if token == "()":
        return Call()
    if token[0] == "[":
        return Element(token[1:-1])
    if token[0] == "<":
        return GivenTypeArguments(parse_types(token[1:-1]))
    if token[0] == "(":
        return _handed(token)
    if _PARAMETER.match(token):
        return Parameter(_path(token))
    return Member(token)


def _path(token: str) -> tuple[int, ...]:
    return tuple(int(number) for number in token[1:].split("#"))


def _handed(token: str) -> GivenArguments:
    texts = split(token[1:-1], ";")[:-1]
    if texts == [NO_ARGUMENTS]:
        return GivenArguments(())
    return GivenArguments(tuple(_argument(text) for text in texts))


def _argument(text: str) -> Argument:
    if text.startswith("=>"):
        return Argument(parse(text[2:]), is_function=True)
    return Argument(parse(text))


@lru_cache(REMEMBERED)
def parse_type(text: str) -> Type:
    """A type from its text; `NOTHING` where that says nothing."""
    if text.isidentifier() and text != NOTHING_TEXT:
        return Type((TypePart(TypeName(text)),), text)
    return Type(part for each in split(text, "|") if (part := _part(each)) is not None)


@lru_cache(REMEMBERED)
def parse_types(text: str) -> tuple[Type, ...]:
    """The types between the brackets of `<A,B>`."""
    return tuple(parse_type(each) for each in split(text, ","))


def _part(text: str) -> TypePart | None:
    given: tuple[Type, ...] = ()
    if text[:2] == "=(":
        end = _closing(text, 1) + 1
        value = parse(text[2 : end - 1])
        return TypePart(ValueOf(value), (), _type_steps(text, end)) if value is not None else None
    if text[:1] == "{":
        end = text.find("}") + 1
        head: TypeName | Shape | TypeAtPlace | TypeVariable = Shape(text[1 : end - 1])
    elif place := _PLACE.match(text):
        head, end = TypeAtPlace(int(place[1]), int(place[2])), place.end()
    else:
        mark = text[:1] == "^"
        match = _TYPE_NAME.match(text, 1 if mark else 0)
        if match is None or text == NOTHING_TEXT:
            return None
        end = match.end()
        if mark:
            bound = None
            if text[end : end + 1] == "(":
                close = _closing(text, end)
                bound, end = parse_type(text[end + 1 : close]), close + 1
            head = TypeVariable(match[0], bound)
        else:
            head = TypeName(match[0])
    if text[end : end + 1] == "<":
        close = _closing(text, end)
        given, end = parse_types(text[end + 1 : close]), close + 1
    return TypePart(head, given, _type_steps(text, end))


def _type_steps(text: str, start: int) -> tuple[TypeStep, ...]:
    steps: list[TypeStep] = []
    for token in _SUFFIX.findall(text, start):
        if token == "[]":
            steps.append(CollectionOf())
        elif token == "()":
            steps.append(Result())
        elif token == "'[]":
            steps.append(KeyElement())
        elif token[0] == "'":
            steps.append(Key(token[1:]))
        else:
            steps.append(Parameter(_path(token)))
    return tuple(steps)
