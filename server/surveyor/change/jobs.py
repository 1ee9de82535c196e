"""Reading signatures and calls in an index worker, as messages: the question and its answer.

Imported wherever jobs are sent or read: nothing that takes time to import belongs here.
"""

from __future__ import annotations

import msgspec

from surveyor.change.signatures import Arguments, Signature

__all__ = ["METACLASS", "CallsJob", "DefinedSignature", "FileCalls", "HandedOn", "HeldCalls"]


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

    @classmethod
    def unread(cls, job: CallsJob) -> FileCalls:
        """The answer of a text that cannot be read."""
        count = len(job.places)
        held = [HeldCalls()] * len(job.held)
        return cls(arguments=[None] * count, held=held, not_called=[HeldCalls()] * count)
