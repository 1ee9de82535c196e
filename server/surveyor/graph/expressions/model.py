"""Expressions and types as tagged structs: a head, and steps from there.

Equal when their text is: each knows its text (`grammar`), which is what is stored, hashed and
compared.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from operator import is_

import msgspec

__all__ = [
    "NOTHING",
    "REMEMBERED",
    "UNBOUND",
    "Argument",
    "Binding",
    "Call",
    "CollectionOf",
    "Element",
    "Expression",
    "Fixture",
    "GivenArguments",
    "GivenTypeArguments",
    "Head",
    "Imported",
    "Instance",
    "Key",
    "KeyElement",
    "Local",
    "Member",
    "Name",
    "Parameter",
    "Qualifier",
    "Result",
    "Shape",
    "Step",
    "Type",
    "TypeAtPlace",
    "TypeHead",
    "TypeName",
    "TypePart",
    "TypeStep",
    "TypeVariable",
    "Unbound",
    "Unknown",
    "ValueOf",
    "Variable",
    "instance",
    "local",
    "print_expression",
    "print_qualifier",
    "print_steps",
    "print_type",
    "print_types",
    "type_called",
]

REMEMBERED = 4096
"""Texts whose meaning is kept: code says `list[str]` more than once."""


NO_ARGUMENTS = "0"
"""In place of arguments, of a call that has none."""
NOTHING_TEXT = "_"
"""A type that says nothing."""

# --- types --------------------------------------------------------------------------------------


class TypeName(msgspec.Struct, frozen=True):
    """A type by its dotted name; `this` and `Self` are the type around it."""

    name: str


class Shape(msgspec.Struct, frozen=True):
    """A type of this file without a name that others see: local to a function, or written out."""

    qualname: str


class TypeAtPlace(msgspec.Struct, frozen=True):
    """An object type that is written out, by the place of its first member, until it has a name."""

    row: int
    column: int
    """Of bytes, from 0, as the parser counts."""


class TypeVariable(msgspec.Struct, frozen=True):
    """A type parameter, and what it extends."""

    name: str
    bound: Type | None = None


class ValueOf(msgspec.Struct, frozen=True):
    """The type of a value: `typeof x.y`."""

    expression: Expression


TypeHead = TypeName | Shape | TypeAtPlace | TypeVariable | ValueOf


class CollectionOf(msgspec.Struct, frozen=True):
    """A collection of it."""


class Result(msgspec.Struct, frozen=True):
    """What calling it gives."""


class Parameter(msgspec.Struct, frozen=True):
    """What it is called with: the parameter `path[0]`, of which `path[1]` and so on.

    A step of types and of expressions alike.
    """

    path: tuple[int, ...]


class Key(msgspec.Struct, frozen=True):
    """The type of its member."""

    name: str


class KeyElement(msgspec.Struct, frozen=True):
    """What it holds, looked up by a number."""


TypeStep = CollectionOf | Result | Parameter | Key | KeyElement


class TypePart(msgspec.Struct, frozen=True):
    """One of the types that a `Type` stands for."""

    head: TypeHead
    given: tuple[Type, ...] = ()
    """Its type arguments."""
    steps: tuple[TypeStep, ...] = ()


class _Text(ABC):
    """Compared and hashed by its text, which is made once."""

    def __init__(self, text: str) -> None:
        if text:
            self.text = text

    @cached_property
    def text(self) -> str:
        """As it is stored (`grammar`)."""
        return self._printed()

    @abstractmethod
    def _printed(self) -> str:
        """The text, of one that was not made from it."""

    def __eq__(self, other: object) -> bool:
        return self is other or (type(self) is type(other) and self.text == other.text)

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.text!r})"


class Type(_Text):
    """What values may be: one of the parts, or all of them at once."""

    def __init__(self, parts: Iterable[TypePart] = (), text: str = "") -> None:
        super().__init__(text)
        self.parts = tuple(parts)

    def _printed(self) -> str:
        return print_type(self)

    def then(self, *steps: TypeStep) -> Type:
        """This with steps behind each part; `NOTHING` stays nothing."""
        return Type(TypePart(p.head, p.given, (*p.steps, *steps)) for p in self.parts)

    def without_many(self) -> Type:
        """Of collections what they hold; of anything else this."""
        many = CollectionOf()
        return Type(
            TypePart(p.head, p.given, p.steps[:-1]) if p.steps[-1:] == (many,) else p
            for p in self.parts
        )

    def mapped(self, change: Change) -> Type:
        """This with each part replaced, those in type arguments and bounds first.

        Of a `ValueOf` only the whole is handed to `change`. The same object where nothing changed.
        """
        parts: list[TypePart] = []
        is_same = True
        for part in self.parts:
            inner = _inner_mapped(part, change)
            new = change(inner)
            is_same = is_same and inner is part and new is None
            parts += (inner,) if new is None else new.parts
        return self if is_same else Type(parts)


NOTHING = Type()
"""A type that says nothing about members."""


Change = Callable[[TypePart], Type | None]
"""What a part of a type becomes; None where it stays."""


def _inner_mapped(part: TypePart, change: Change) -> TypePart:
    head = part.head
    if isinstance(head, TypeVariable) and head.bound is not None:
        bound = head.bound.mapped(change)
        head = head if bound is head.bound else TypeVariable(head.name, bound)
    given = _all_mapped(part.given, change)
    if head is part.head and given is part.given:
        return part
    return TypePart(head, given, part.steps)


def _all_mapped(types: tuple[Type, ...], change: Change) -> tuple[Type, ...]:
    if not types:
        return types
    mapped = tuple(each.mapped(change) for each in types)
    return types if all(map(is_, mapped, types)) else mapped


# --- expressions --------------------------------------------------------------------------------


class Name(msgspec.Struct, frozen=True):
    """A name as it stands in the source."""

    name: str


class Local(msgspec.Struct, frozen=True):
    """A definition of this file that is local to a function."""

    qualname: str


class Variable(msgspec.Struct, frozen=True):
    """A parameter or variable of a function, by its qualified name: what it is bound to anywhere in
    this file."""

    qualname: str


class Fixture(msgspec.Struct, frozen=True):
    """A fixture of pytest, by its name."""

    name: str


class Instance(msgspec.Struct, frozen=True):
    """An instance of a type."""

    type: Type


class Unknown(msgspec.Struct, frozen=True):
    """Something that nothing is known of, but what it is called."""

    called: str


Head = Name | Local | Variable | Fixture | Instance | Unknown


class Member(msgspec.Struct, frozen=True):
    """A member by its name."""

    name: str


class Call(msgspec.Struct, frozen=True):
    """The result of calling it, or of constructing it."""


class Element(msgspec.Struct, frozen=True):
    """What it holds."""

    key: str = ""
    """Under which key, where a literal says it: a number, or a `'` and a word; empty for any."""


class GivenTypeArguments(msgspec.Struct, frozen=True):
    """The types that the call before it is told (or that is asked for a parameter of)."""

    types: tuple[Type, ...]


class Argument(msgspec.Struct, frozen=True):
    """What a call is handed: a value, or a function that gives it; None says nothing."""

    expression: Expression | None
    is_function: bool = False

    def with_types(self, change: Change) -> Argument:
        """This with each part of each type in it replaced."""
        if self.expression is None:
            return self
        expression = self.expression.with_types(change)
        return self if expression is self.expression else Argument(expression, self.is_function)


class GivenArguments(msgspec.Struct, frozen=True):
    """What the call before it is handed, in order; empty where it is known to have none."""

    arguments: tuple[Argument, ...]


Step = Member | Call | Element | Parameter | GivenTypeArguments | GivenArguments


_WITH_TYPES = (GivenTypeArguments, GivenArguments)


def _mapped_step(step: Step, change: Change) -> Step:
    if isinstance(step, GivenTypeArguments):
        types = _all_mapped(step.types, change)
        return step if types is step.types else GivenTypeArguments(types)
    if isinstance(step, GivenArguments):
        arguments = tuple(each.with_types(change) for each in step.arguments)
        is_same = all(map(is_, arguments, step.arguments))
        return step if is_same else GivenArguments(arguments)
    return step


_PLACE = "@"
_MARKS = "?()[]<>{}_"


class Expression(_Text):
    """A value: where it comes from, and the steps from there."""

    def __init__(self, head: Head, steps: tuple[Step, ...] = (), text: str = "") -> None:
        super().__init__(text)
        self.head = head
        self.steps = steps

    @cached_property
    def is_plain(self) -> bool:
        """Whether no type stands in it, and nothing that a call is handed."""
        if isinstance(self.head, Instance):
            return False
        return not self.steps or not any(isinstance(step, _WITH_TYPES) for step in self.steps)

    def _printed(self) -> str:
        return print_expression(self)

    @property
    def last_word(self) -> str:
        """What it is called at its end, without brackets, marks and underscores around."""
        return self.text.rpartition(".")[2].strip(_MARKS)

    @property
    def is_nameless(self) -> bool:
        """Whether nothing is known of it, not even a name."""
        return isinstance(self.head, Unknown) and not self.head.called

    @property
    def dotted(self) -> str:
        """Its name, with those of the members that it leads to; empty where it is more."""
        is_chain = isinstance(self.head, Name) and all(isinstance(s, Member) for s in self.steps)
        return self.text if is_chain else ""

    @property
    def has_places(self) -> bool:
        """Whether object types stand in it that are known by their place."""
        return not self.is_plain and _PLACE in self.text

    @property
    def is_unknown(self) -> bool:
        """Whether nothing is known of it."""
        return isinstance(self.head, Unknown)

    def then(self, *steps: Step) -> Expression:
        """This with steps behind it. Unknown stays unknown, under a longer name."""
        if not steps:
            return self
        return self._with(steps, print_steps(steps))

    def _with(self, steps: tuple[Step, ...], text: str) -> Expression:
        """`text` is that of the steps."""
        if isinstance(self.head, Unknown):
            return Expression(Unknown(self.head.called + text))
        last = self.steps[-1] if self.steps else None
        if isinstance(last, Parameter) and isinstance(steps[0], Parameter):
            joined = Parameter((*last.path, *steps[0].path))
            steps = (*self.steps[:-1], joined, *steps[1:])
        else:
            steps = self.steps + steps
        return Expression(self.head, steps, self.text + text)

    def on(self, value: Expression) -> Expression:
        """This with its first name replaced by a value."""
        if not isinstance(self.head, Name) or not self.steps:
            return value
        return value._with(self.steps, self.text[len(self.head.name) :])

    def member(self, name: str) -> Expression:
        """A member of it."""
        return self._with((Member(name),), f".{name}")

    def unknown(self) -> Expression:
        """This as something that is only known by what it is called."""
        return self if self.is_unknown else Expression(Unknown(self.text))

    def types(self) -> Iterator[Type]:
        """The types that stand in it, at the top."""
        if isinstance(self.head, Instance):
            yield self.head.type
        for step in self.steps:
            if isinstance(step, GivenTypeArguments):
                yield from step.types

    def with_types(self, change: Change) -> Expression:
        """This with each part of each type in it replaced; the same object where none changed."""
        if self.is_plain:
            return self
        head = self.head
        if isinstance(head, Instance):
            type = head.type.mapped(change)
            head = head if type is head.type else Instance(type)
        steps = self.steps
        if steps:
            mapped = [
                _mapped_step(step, change) if isinstance(step, _WITH_TYPES) else step
                for step in steps
            ]
            if not all(map(is_, mapped, steps)):
                steps = tuple(mapped)
        if head is self.head and steps is self.steps:
            return self
        return Expression(head, steps)

    def without_arguments(self) -> Expression:
        """This without what its calls are handed."""
        if self.is_plain or not any(isinstance(step, GivenArguments) for step in self.steps):
            return self
        return Expression(
            self.head, tuple(s for s in self.steps if not isinstance(s, GivenArguments))
        )


# --- what local names are bound to --------------------------------------------------------------


class Unbound(msgspec.Struct, frozen=True):
    """A local name of which nothing is known."""


class Imported(msgspec.Struct, frozen=True):
    """A name that the function around it imports."""

    module: str
    name: str


Binding = Unbound | Imported | Expression


UNBOUND = Unbound()

Qualifier = Expression | Local | Imported | Fixture
"""What stands before a name that is used: a value that it is a member of; or, where nothing does,
that the name is local to a function, imported by one, or a fixture."""


def instance(type: Type) -> Expression | None:
    """An instance of a type; None where that says nothing."""
    return Expression(Instance(type)) if type.parts else None


def type_called(name: str) -> Type:
    """A type by its dotted name."""
    return Type((TypePart(TypeName(name)),))


def local(qualname: str) -> Expression:
    """A definition that is local to a function of the file."""
    return Expression(Local(qualname))


# --- printer ------------------------------------------------------------------------------------


def print_expression(expression: Expression) -> str:
    """The text that `parse` reads."""
    match expression.head:
        case Name(name):
            head = name
        case Local(qualname):
            head = f"{{{qualname}}}"
        case Variable(qualname):
            head = f"{{%{qualname}}}"
        case Fixture(name):
            head = f"!{name}"
        case Instance(type):
            head = f"<{type.text}>"
        case Unknown(called):
            head = f"?{called}"
    return head + print_steps(expression.steps)


def print_qualifier(qualifier: Qualifier | None) -> str:
    """The text that `parse_qualifier` reads."""
    if isinstance(qualifier, Expression):  # nine of ten
        return qualifier.text
    match qualifier:
        case None:
            return ""
        case Local(qualname):
            return f"={qualname}"
        case Imported(module, name):
            return f"^{module}|{name}"
        case Fixture():
            return "!"


def print_steps(steps: tuple[Step, ...]) -> str:
    """The text of what stands behind a head."""
    return "".join(map(_print_step, steps))


def _print_step(step: Step) -> str:
    match step:
        case Member(name):
            return f".{name}"
        case Call():
            return "()"
        case Element(key):
            return f"[{key}]"
        case Parameter(path):
            return "".join(f"#{number}" for number in path)
        case GivenTypeArguments(types):
            return f"<{print_types(types)}>"
        case GivenArguments(arguments):
            return f"({''.join(map(_print_argument, arguments)) or f'{NO_ARGUMENTS};'})"


def _print_argument(argument: Argument) -> str:
    text = argument.expression.text if argument.expression is not None else ""
    return f"{'=>' if argument.is_function else ''}{text};"


def print_types(types: tuple[Type, ...]) -> str:
    """`A,B`, as `parse_types` reads it."""
    return ",".join(each.text for each in types)


def print_type(type: Type) -> str:
    """The text that `parse_type` reads."""
    if type is NOTHING or not type.parts:
        return NOTHING_TEXT
    return "|".join(map(_print_part, type.parts))


def _print_part(part: TypePart) -> str:
    match part.head:
        case TypeName(name):
            head = name
        case Shape(qualname):
            head = f"{{{qualname}}}"
        case TypeAtPlace(row, column):
            head = f"@{row}:{column}"
        case TypeVariable(name, bound):
            head = f"^{name}({bound.text})" if bound is not None else f"^{name}"
        case ValueOf(expression):
            head = f"=({expression.text})"
    given = f"<{print_types(part.given)}>" if part.given else ""
    return head + given + "".join(map(_print_type_step, part.steps))


def _print_type_step(step: TypeStep) -> str:
    match step:
        case CollectionOf():
            return "[]"
        case Result():
            return "()"
        case KeyElement():
            return "'[]"
        case Key(name):
            return f"'{name}"
        case Parameter(path):
            return "".join(f"#{number}" for number in path)
