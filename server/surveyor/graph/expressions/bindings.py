"""What local names are bound to, and what stands before a name that is used."""

from __future__ import annotations

from typing import final

import msgspec

from surveyor.graph.expressions.model import Expression, Fixture, Local

__all__ = [
    "UNBOUND",
    "Binding",
    "CalledWith",
    "GivenTo",
    "Imported",
    "Qualifier",
    "Unbound",
    "Uncounted",
    "Within",
    "print_qualifier",
]


@final
class Unbound(msgspec.Struct, frozen=True):
    """A local name of which nothing is known."""


@final
class Imported(msgspec.Struct, frozen=True):
    """A name that the function around it imports."""

    module: str
    name: str


@final
class Within(msgspec.Struct, frozen=True):
    """A bare name inside of functions that are handed over, whose receivers may have it."""

    receivers: tuple[Expression, ...]
    """The innermost first."""


@final
class CalledWith(msgspec.Struct, frozen=True):
    """A name that is called with so many arguments, in a language that tells functions apart by
    them."""

    before: Uncounted | None
    """What stands before it otherwise."""
    count: int


@final
class GivenTo(msgspec.Struct, frozen=True):
    """The name of an argument, which may be a field of what the call makes."""

    made: Expression


Binding = Unbound | Imported | Expression


UNBOUND = Unbound()

Uncounted = Expression | Local | Imported | Fixture | Within | GivenTo
Qualifier = Uncounted | CalledWith
"""What stands before a name that is used: a value that it is a member of; or, where nothing does,
that the name is local to a function, imported by one, a fixture, may be a member of what the
functions around it are run on, or a field of what a call makes."""


def print_qualifier(qualifier: Qualifier | None) -> str:
    """The text that `parse_qualifier` reads."""
    if qualifier is None:
        return ""
    if type(qualifier) is Local:
        return f"={qualifier.qualname}"
    if type(qualifier) is Imported:
        return f"^{qualifier.module}|{qualifier.name}"
    if type(qualifier) is GivenTo:
        return f":= {qualifier.made.text}"
    if type(qualifier) is Within:
        return "~" + " ".join([each.text for each in qualifier.receivers])
    if type(qualifier) is CalledWith:
        return f"#{qualifier.count} {print_qualifier(qualifier.before)}"
    return "!" if type(qualifier) is Fixture else qualifier.text
