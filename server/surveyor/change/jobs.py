"""Reading signatures and calls in an index worker, as messages: the question and its answer.

Imported wherever jobs are sent or read: nothing that takes time to import belongs here.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from surveyor.change.signatures import Arguments, Signature

__all__ = [
    "METACLASS",
    "CallsJob",
    "Choice",
    "DeclaredType",
    "DefinedReach",
    "DefinedSignature",
    "EnumMember",
    "FileCalls",
    "HandedOn",
    "HeldCalls",
    "ModuleExports",
    "Reach",
    "TypeMember",
]


Reach = Literal["all", "assembly", "crate", "below", "package", "module", "type", "file"]
"""From where something is seen: everywhere, its assembly, its crate, the types below (in Java its
package too), its package, its module and those in it (Rust), its type, its file."""

METACLASS = "a metaclass"
"""Stands among what is around a constructor: values are made by something else."""


class CallsJob(msgspec.Struct, frozen=True, tag="calls"):
    """Read what a text defines, and what is passed at some places of it."""

    path: str
    """From the root: decides the language."""
    data: bytes
    places: list[tuple[int, int]] = []
    """Line (1-based) and column (UTF-16 code units) of names that may be called there."""
    names: list[str] = []
    """Names whose calls, and uses as types, are looked for, where nothing else in the text gives
    them a meaning."""
    held: list[tuple[int, int]] = []
    """The same of names that stand there without being called: variables may hold them."""
    handed_on: bool = False
    """Whether to read what constructors and factories pass to the constructor of their class, and
    of the class above."""
    for_overloads: bool = False
    """Whether to read languages too whose calls are not compared with what they call."""
    bases: list[tuple[int, int]] = []
    """Places of names in heads of types that extend or implement them."""
    choices: list[tuple[int, int]] = []
    """Places of names of enumerations' members that an arm of a `match` or `switch` may be for."""
    reaches: bool = False
    """Whether to read from where its definitions are seen, and what the module exports."""


class DefinedSignature(msgspec.Struct, array_like=True, frozen=True):
    """One signature of a definition; overloads have the same name."""

    qualname: str
    kind: str
    line: int
    column: int
    end_column: int
    signature: Signature
    wrapped_by: tuple[str, ...] = ()
    """What is written around it and may change what it takes: decorators, a metaclass."""
    is_left_to_others: bool = False
    """It has no body, and types below have to have it: a member of an interface, an abstract
    method."""
    is_outside: bool = False
    """C++: it defines a member outside of the class that declares it."""


class DefinedReach(msgspec.Struct, array_like=True, frozen=True):
    """From where a definition is seen, as it is written."""

    qualname: str
    line: int
    reach: Reach


class TypeMember(msgspec.Struct, array_like=True, frozen=True):
    """A member as its type declares it; `line` is 1-based, `column` in UTF-16 code units."""

    name: str
    line: int
    column: int
    is_override: bool = False
    """Whether it says that it overrides or implements something."""
    is_left_to_others: bool = False


class DeclaredType(msgspec.Struct, array_like=True, frozen=True):
    """A type that extends or implements others, or what implements a trait for one."""

    name: str
    """Empty where it has none."""
    line: int
    column: int
    is_abstract: bool = False
    """It may leave members to the types below it."""
    is_open: bool = False
    """It may have members that are not written in it: by delegation, by a macro, in the bodies of
    an enum's members."""
    bases: list[tuple[int, int, bool]] = []
    """Line and column of what it extends, and whether that may have members with a body: False of
    what is written as an interface."""
    members: list[TypeMember] = []


class HandedOn(msgspec.Struct, array_like=True, frozen=True):
    """A call of a constructor by what is no name of it: `super(1)`, `cls(1)`, an enum's `A(1)`."""

    owner: str
    """Name of the class around it."""
    is_above: bool
    """Whether the constructor is the one of the class above."""
    line: int
    column: int
    arguments: Arguments


class HeldCalls(msgspec.Struct, array_like=True, frozen=True):
    """Calls of a variable that holds a definition and nothing else."""

    calls: list[tuple[int, int, Arguments]] = []
    """Line, column and what is passed, as if it stood behind the definition's own name."""
    are_all: bool = False
    """Whether nothing else is done with the definition there: it is in a variable that is bound
    once and only called."""
    variable: str = ""
    """The variable, where other files may see it."""
    receiver: str = ""
    """As `Arguments.receiver` of its calls."""
    takers: tuple[str, ...] = ()
    """Names of what takes the function where that takes one of so many arguments only: what is
    called there, the type that is written; empty where that is not to be seen."""
    taken_with: int = -1
    """How many arguments that type hands to the function, where its name says so; else -1."""


class EnumMember(msgspec.Struct, array_like=True, frozen=True):
    """A member of an enumeration, or a type below a sealed one of its file."""

    owner: str
    """The enumeration's qualified name, or the sealed type's."""
    name: str
    line: int
    qualname: str


class Choice(msgspec.Struct, array_like=True, frozen=True):
    """A `match`, `switch` or `when`; lines are 1-based, `column` in UTF-16 code units."""

    line: int
    column: int
    end_line: int
    has_default: bool
    """Whether an arm is for all that no other is for."""
    names: list[str]
    """The last names of what arms are for without a further condition."""
    is_checked: bool
    """Whether it has a value, so that one that leaves a member out is refused, or fails."""


class ModuleExports(msgspec.Struct, array_like=True, frozen=True):
    """What others may import from a module."""

    names: list[str]
    """In Python all names that the module has."""
    whole: list[str] = []
    """Modules all of whose names it has besides, as written."""
    listed: list[tuple[str, int]] = []
    """Names in `__all__`, with their lines (1-based)."""


class FileCalls(msgspec.Struct, array_like=True, frozen=True):
    """What was read."""

    definitions: list[DefinedSignature] = []
    arguments: list[Arguments | None] = []
    """For each place in order; None where nothing is called or it cannot be read."""
    named: list[tuple[str, int, int]] = []
    """Uses of the names asked for: name, line and column."""
    error_lines: list[int] = []
    """1-based lines that the grammar cannot read."""
    imported: tuple[str, ...] = ()
    """Modules that the text imports, as written."""
    may_be_gap: bool = False
    """Whether the grammar may be at fault for these: it has gaps, and no bracket is alone."""
    handed_on: list[HandedOn] = []
    held: list[HeldCalls] = []
    """For each place of `held` in order."""
    not_called: list[HeldCalls | None] = []
    """For each place in order where `arguments` has nothing; None where it has."""
    types: list[DeclaredType | None] = []
    """For each place of `bases` in order; None where no type extends what stands there."""
    choices: list[Choice | None] = []
    """For each place of `choices` in order; None where no arm is for what stands there."""
    enumerated: list[EnumMember] = []
    reaches: list[DefinedReach] = []
    namespaces: list[str] = []
    """Those that are written around definitions, or for all of the file."""
    exports: ModuleExports | None = None
    """None where it was not asked for (`CallsJob.reaches`), or is not to be read."""

    @classmethod
    def unread(cls, job: CallsJob) -> FileCalls:
        """The answer of a text that cannot be read."""
        count = len(job.places)
        held = [HeldCalls()] * len(job.held)
        return cls(
            arguments=[None] * count, held=held, not_called=[HeldCalls()] * count,
            types=[None] * len(job.bases), choices=[None] * len(job.choices),
        )  # fmt: skip
