"""Expressions and types as tagged structs: a head, and steps from there.

Equal when their text is: each knows its text (`grammar`) from the start, which is what is stored,
hashed and compared. Nearly all are printed, most more than once.

`type(step) is Call` asks what something is, here and wherever thousands are asked: `isinstance` of
another struct than it is, and so a `match` with several, takes twenty times as long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from operator import is_
from typing import ClassVar, final

import msgspec

__all__ = [
    "NOTHING",
    "REMEMBERED",
    "UNKNOWN",
    "Argument",
    "Call",
    "CollectionOf",
    "Element",
    "Expression",
    "Fixture",
    "GivenArguments",
    "GivenTypeArguments",
    "Head",
    "Instance",
    "Key",
    "KeyElement",
    "Local",
    "Member",
    "Module",
    "Name",
    "Parameter",
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
    "Unknown",
    "ValueOf",
    "Variable",
    "instance",
    "local",
    "print_expression",
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


@final
class TypeName(msgspec.Struct, frozen=True):
    """A type by its dotted name; `this` and `Self` are the type around it."""

    name: str

    @property
    def text(self) -> str:
        """As it is printed."""
        return self.name


@final
class Shape(msgspec.Struct, frozen=True):
    """A type of this file without a name that others see: local to a function, or written out."""

    qualname: str

    @property
    def text(self) -> str:
        """As it is printed."""
        return f"{{{self.qualname}}}"


@final
class TypeAtPlace(msgspec.Struct, frozen=True):
    """An object type that is written out, by the place of its first member, until it has a name."""

    row: int
    column: int
    """Of bytes, from 0, as the parser counts."""

    @property
    def text(self) -> str:
        """As it is printed."""
        return f"@{self.row}:{self.column}"


@final
class TypeVariable(msgspec.Struct, frozen=True):
    """A type parameter, and what it extends."""

    name: str
    bound: Type | None = None

    @property
    def text(self) -> str:
        """As it is printed."""
        return f"^{self.name}({self.bound.text})" if self.bound is not None else f"^{self.name}"


@final
class ValueOf(msgspec.Struct, frozen=True):
    """The type of a value: `typeof x.y`."""

    expression: Expression

    @property
    def text(self) -> str:
        """As it is printed."""
        return f"=({self.expression.text})"


TypeHead = TypeName | Shape | TypeAtPlace | TypeVariable | ValueOf


@final
class CollectionOf(msgspec.Struct, frozen=True):
    """A collection of it."""

    text: ClassVar[str] = "[]"


@final
class Result(msgspec.Struct, frozen=True):
    """What calling it gives."""

    text: ClassVar[str] = "()"


@final
class Parameter(msgspec.Struct, frozen=True):
    """What it is called with: the parameter `path[0]`, of which `path[1]` and so on.

    A step of types and of expressions alike.
    """

    path: tuple[int, ...]
    has_types: ClassVar[bool] = False

    @property
    def text(self) -> str:
        """As it is printed."""
        return "".join([f"#{number}" for number in self.path])


@final
class Key(msgspec.Struct, frozen=True):
    """The type of its member."""

    name: str

    @property
    def text(self) -> str:
        """As it is printed."""
        return f"'{self.name}"


@final
class KeyElement(msgspec.Struct, frozen=True):
    """What it holds, looked up by a number."""

    text: ClassVar[str] = "'[]"


TypeStep = CollectionOf | Result | Parameter | Key | KeyElement


@final
class TypePart(msgspec.Struct, frozen=True):
    """One of the types that a `Type` stands for."""

    head: TypeHead
    given: tuple[Type, ...] = ()
    """Its type arguments."""
    steps: tuple[TypeStep, ...] = ()

    @property
    def text(self) -> str:
        """As it is printed."""
        text = self.head.text
        if self.given:
            text = f"{text}<{print_types(self.given)}>"
        for step in self.steps:
            text += step.text
        return text


class _Text:
    """Compared and hashed by its text."""

    __slots__ = ("text",)

    text: str
    """As it is stored (`grammar`)."""

    def __eq__(self, other: object) -> bool:
        return self is other or (type(self) is type(other) and self.text == other.text)

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.text!r})"


class Type(_Text):
    """What values may be: one of the parts, or all of them at once."""

    __slots__ = ("parts",)

    def __init__(self, parts: Iterable[TypePart] = (), text: str = "") -> None:
        self.parts = tuple(parts)
        self.text = text or print_type(self)

    def then(self, *steps: TypeStep) -> Type:
        """This with steps behind each part; `NOTHING` stays nothing."""
        return Type(TypePart(p.head, p.given, (*p.steps, *steps)) for p in self.parts)

    def given_to(self, given: tuple[Type, ...]) -> Type:
        """This with these type arguments for each part."""
        return Type(TypePart(p.head, given, p.steps) for p in self.parts)

    def without_many(self) -> Type:
        """Of collections what they hold; of anything else this."""
        return Type(
            TypePart(p.head, p.given, p.steps[:-1]) if p.steps[-1:] == _MANY else p
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


_MANY = (CollectionOf(),)
NOTHING = Type(text=NOTHING_TEXT)
"""A type that says nothing about members."""


Change = Callable[[TypePart], Type | None]
"""What a part of a type becomes; None where it stays."""


def _inner_mapped(part: TypePart, change: Change) -> TypePart:
    head = part.head
    if type(head) is TypeVariable and head.bound is not None:
        bound = head.bound.mapped(change)
        head = head if bound is head.bound else TypeVariable(head.name, bound)
    given = _all_mapped(part.given, change)
    if head is part.head and given is part.given:
        return part
    return TypePart(head, given, part.steps)


def _all_mapped(types: tuple[Type, ...], change: Change) -> tuple[Type, ...]:
    if not types:
        return types
    mapped = [each.mapped(change) for each in types]
    return types if all(map(is_, mapped, types)) else tuple(mapped)


# --- expressions --------------------------------------------------------------------------------


@final
class Name(msgspec.Struct, frozen=True):
    """A name as it stands in the source."""

    name: str

    @property
    def text(self) -> str:
        """As it is printed."""
        return self.name


@final
class Local(msgspec.Struct, frozen=True):
    """A definition of this file that is local to a function."""

    qualname: str

    @property
    def text(self) -> str:
        """As it is printed."""
        return f"{{{self.qualname}}}"


@final
class Variable(msgspec.Struct, frozen=True):
    """A parameter or variable of a function, by its qualified name: what it is bound to anywhere in
    this file."""

    qualname: str

    @property
    def text(self) -> str:
        """As it is printed."""
        return f"{{%{self.qualname}}}"


@final
class Fixture(msgspec.Struct, frozen=True):
    """A fixture of pytest, by its name."""

    name: str

    @property
    def text(self) -> str:
        """As it is printed."""
        return f"!{self.name}"


@final
class Instance(msgspec.Struct, frozen=True):
    """An instance of a type."""

    type: Type

    @property
    def text(self) -> str:
        """As it is printed."""
        return f"<{self.type.text}>"


@final
class Unknown(msgspec.Struct, frozen=True):
    """Something that nothing is known of, but what it is called."""

    called: str

    @property
    def text(self) -> str:
        """As it is printed."""
        return f"?{self.called}"


@final
class Module(msgspec.Struct, frozen=True):
    """What a call that loads a module gives: `require("./a")`, `import("./a")`."""

    module: str
    is_whole: bool
    """Whether it is what the module exports as its whole, where it does."""

    @property
    def text(self) -> str:
        """As it is printed."""
        return f"`{'=' if self.is_whole else ''}{self.module}`"


Head = Name | Local | Variable | Fixture | Instance | Module | Unknown


@final
class Member(msgspec.Struct, frozen=True):
    """A member by its name."""

    name: str
    has_types: ClassVar[bool] = False

    @property
    def text(self) -> str:
        """As it is printed."""
        return f".{self.name}"


@final
class Call(msgspec.Struct, frozen=True):
    """The result of calling it, or of constructing it."""

    has_types: ClassVar[bool] = False
    text: ClassVar[str] = "()"


@final
class Element(msgspec.Struct, frozen=True):
    """What it holds."""

    key: str = ""
    """Under which key, where a literal says it: a number, or a `'` and a word; empty for any."""
    has_types: ClassVar[bool] = False

    @property
    def text(self) -> str:
        """As it is printed."""
        return f"[{self.key}]"


@final
class GivenTypeArguments(msgspec.Struct, frozen=True):
    """The types that the call before it is told (or that is asked for a parameter of)."""

    types: tuple[Type, ...]
    has_types: ClassVar[bool] = True

    @property
    def text(self) -> str:
        """As it is printed."""
        return f"<{print_types(self.types)}>"

    def with_types(self, change: Change) -> GivenTypeArguments:
        """This with each part of each type in it replaced."""
        types = _all_mapped(self.types, change)
        return self if types is self.types else GivenTypeArguments(types)


@final
class Argument(msgspec.Struct, frozen=True):
    """What a call is handed: a value, or a function that gives it; None says nothing."""

    expression: Expression | None
    is_function: bool = False

    @property
    def text(self) -> str:
        """As it is printed."""
        text = self.expression.text if self.expression is not None else ""
        return f"=>{text};" if self.is_function else f"{text};"

    def with_types(self, change: Change) -> Argument:
        """This with each part of each type in it replaced."""
        if self.expression is None:
            return self
        expression = self.expression.with_types(change)
        return self if expression is self.expression else Argument(expression, self.is_function)


@final
class GivenArguments(msgspec.Struct, frozen=True):
    """What the call before it is handed, in order; empty where it is known to have none."""

    arguments: tuple[Argument, ...]
    has_types: ClassVar[bool] = True

    @property
    def text(self) -> str:
        """As it is printed."""
        if not self.arguments:
            return f"({NO_ARGUMENTS};)"
        return f"({''.join([each.text for each in self.arguments])})"

    def with_types(self, change: Change) -> GivenArguments:
        """This with each part of each type in it replaced."""
        arguments = [each.with_types(change) for each in self.arguments]
        return (
            self if all(map(is_, arguments, self.arguments)) else GivenArguments(tuple(arguments))
        )


Step = Member | Call | Element | Parameter | GivenTypeArguments | GivenArguments


_PLACE = "@"
_MARKS = "?()[]<>{}_"


class Expression(_Text):
    """A value: where it comes from, and the steps from there."""

    __slots__ = ("head", "is_plain", "steps")

    def __init__(self, head: Head, steps: tuple[Step, ...] = (), text: str = "") -> None:
        self.head = head
        self.steps = steps
        self.text = text or print_expression(self)
        self.is_plain = type(head) is not Instance
        """Whether no type stands in it, and nothing that a call is handed."""
        for step in steps:
            if step.has_types:
                self.is_plain = False
                break

    @property
    def last_word(self) -> str:
        """What it is called at its end, without brackets, marks and underscores around."""
        return self.text.rpartition(".")[2].strip(_MARKS)

    @property
    def is_nameless(self) -> bool:
        """Whether nothing is known of it, not even a name."""
        return type(self.head) is Unknown and not self.head.called

    @property
    def dotted(self) -> str:
        """Its name, with those of the members that it leads to; empty where it is more."""
        is_chain = type(self.head) is Name and all(type(s) is Member for s in self.steps)
        return self.text if is_chain else ""

    @property
    def has_places(self) -> bool:
        """Whether object types stand in it that are known by their place."""
        return not self.is_plain and _PLACE in self.text

    @property
    def is_unknown(self) -> bool:
        """Whether nothing is known of it."""
        return type(self.head) is Unknown

    def then(self, *steps: Step) -> Expression:
        """This with steps behind it. Unknown stays unknown, under a longer name."""
        if not steps:
            return self
        return self._with(steps, print_steps(steps))

    def _with(self, steps: tuple[Step, ...], text: str) -> Expression:
        """`text` is that of the steps."""
        if type(self.head) is Unknown:
            return Expression(Unknown(self.head.called + text))
        last = self.steps[-1] if self.steps else None
        if type(last) is Parameter and type(steps[0]) is Parameter:
            joined = Parameter((*last.path, *steps[0].path))
            steps = (*self.steps[:-1], joined, *steps[1:])
        else:
            steps = self.steps + steps
        return Expression(self.head, steps, self.text + text)

    def on(self, value: Expression) -> Expression:
        """This with its first name replaced by a value."""
        if type(self.head) is not Name or not self.steps:
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
        if type(self.head) is Instance:
            yield self.head.type
        for step in self.steps:
            if type(step) is GivenTypeArguments:
                yield from step.types

    def with_types(self, change: Change) -> Expression:
        """This with each part of each type in it replaced; the same object where none changed."""
        if self.is_plain:
            return self
        head = self.head
        if type(head) is Instance:
            held = head.type.mapped(change)
            head = head if held is head.type else Instance(held)
        steps = self.steps
        if steps:
            mapped = [
                step.with_types(change)
                if type(step) is GivenTypeArguments or type(step) is GivenArguments
                else step
                for step in steps
            ]
            if not all(map(is_, mapped, steps)):
                steps = tuple(mapped)
        if head is self.head and steps is self.steps:
            return self
        return Expression(head, steps)

    def without_arguments(self) -> Expression:
        """This without what its calls are handed."""
        if self.is_plain or not any(type(step) is GivenArguments for step in self.steps):
            return self
        return Expression(self.head, tuple(s for s in self.steps if type(s) is not GivenArguments))


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
    return expression.head.text + print_steps(expression.steps)


def print_steps(steps: tuple[Step, ...]) -> str:
    """The text of what stands behind a head."""
    text = ""
    for step in steps:
        text += step.text
    return text


def print_types(types: tuple[Type, ...]) -> str:
    """`A,B`, as `parse_types` reads it."""
    return ",".join([each.text for each in types])


def print_type(type: Type) -> str:
    """The text that `parse_type` reads."""
    return "|".join([part.text for part in type.parts]) or NOTHING_TEXT


UNKNOWN = Expression(Unknown(""))
"""What a member is of where nothing is known of that; it is never a member of nothing."""
