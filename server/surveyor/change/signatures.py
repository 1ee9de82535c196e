"""What functions take and what calls pass, in any language, and whether the one fits the other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from surveyor.units import counted

__all__ = [
    "KEY_OF_ANY_KIND",
    "Arguments",
    "CallParameter",
    "ParameterKind",
    "Signature",
    "misfit",
    "reordered",
]

ParameterKind = Literal["any", "positional", "keyword", "rest", "keywords"]
"""How an argument may reach it: by position or name, by one of them only; `rest` takes all further
positions, `keywords` all further names."""


KEY_OF_ANY_KIND = "=>"
"""In place of the name of an argument whose key is no name: in Ruby it is part of a hash, or of
what a method takes by any name."""


MAX_NAMED = 12
"""Parameters that are named of one signature: a struct may have sixty fields."""


class CallParameter(msgspec.Struct, array_like=True, frozen=True):
    """One parameter."""

    name: str
    kind: ParameterKind = "any"
    is_required: bool = True
    type_name: str = ""
    """The type as it is written, without blanks; empty where none is read."""


class Signature(msgspec.Struct, array_like=True, frozen=True):
    """What one signature of a function takes, without the instance that a method is called on."""

    parameters: tuple[CallParameter, ...] = ()
    takes_instance: bool = False
    """A call through the type hands it the instance first: `Box.open(box)`."""
    shares_names: bool = False
    """Values may have the name of their type: `codec.Decode(r)` is a call through either."""
    results: int = -1
    """How many values it returns: 0 for none, n for so many in one; -1 where one or unknown. Go,
    which has that in the signature, says 1 as well."""
    is_awaited: bool = False
    """A call is worth nothing until it is awaited."""
    is_property: bool = False
    """It is read like a value, and what is called then is that value."""
    is_private: bool = False
    """Only what is in its file may call it."""
    extends: str = ""
    """The type that it, or a block around it, extends, as it is written."""
    is_static: int = -1
    """1 of a member of the type itself, 0 of one of its values; -1 where that is not read."""

    @property
    def named(self) -> str:
        """As a person reads it: of a type with many fields the first."""
        marks = {"rest": "*", "keywords": "**"}
        said = [
            marks.get(each.kind, "") + (each.name or "_") + ("" if each.is_required else "?")
            for each in self.parameters[:MAX_NAMED]
        ]
        left = len(self.parameters) - MAX_NAMED
        return ", ".join([*said, f"… {left} more"] if left > 0 else said)


class Arguments(msgspec.Struct, array_like=True, frozen=True):
    """What one call passes."""

    positional: int = 0
    names: tuple[str, ...] = ()
    is_open: bool = False
    """Something is spread: there may be more than is written."""
    block: bool = False
    """A function stands behind the brackets and goes to the last parameter."""
    names_are_one: bool = False
    """Where no parameter has a name to be passed by, the named ones are one hash (Ruby)."""
    receiver: str = ""
    """The last name before the dot; `*Box` where it is a type for certain (Go's `(*Box).Put`),
    `::` where it is whatever has the method (Rust's `T::put`)."""
    taken: int = -1
    """Into how many variables the results go, where that is to be seen."""
    end_line: int = 0
    """1-based last line of the call."""
    is_used: bool = False
    """The result goes somewhere."""
    takes_fewer: bool = False
    """Whether `taken` may be less than there are."""
    needs_value: bool = False
    """What is done with the result cannot be done with one that has to be awaited."""
    may_copy: bool = False
    """In C++: of one argument, which may be a value of the type itself."""
    of_one_call: bool = False
    """In Go: what one call returns, however many that are (`f(g())`)."""
    kinds: tuple[str, ...] = ()
    """What each positional argument shows of its type: `string`, `number`, `bool`, `null` or
    `function`, `new Box` of a value that is made there, `Box.` of a member of `Box`; else empty."""


def _is_needed(parameter: CallParameter) -> bool:
    return parameter.is_required and parameter.kind not in ("rest", "keywords")


def misfit(signatures: Sequence[Signature], arguments: Arguments, owner: str = "") -> str | None:
    """Why a call fits none of a function's signatures; None where it fits one.

    `owner` is the name of the type that a method is of.
    """
    reasons = []
    if any(signature.is_property for signature in signatures):
        return None  # what it gives is called, and may take anything
    for signature in signatures:
        ways = [_misfit(signature, each) for each in _readings(signature, arguments, owner)]
        if None in ways:
            return None
        reasons.append(ways[0])
    if not reasons:
        return None
    return reasons[0] if len(reasons) == 1 else f"fits none of {len(reasons)} signatures"


def _readings(signature: Signature, arguments: Arguments, owner: str) -> list[Arguments]:
    """The arguments, without the instance where a method is called through its type."""
    through_type = arguments.receiver in (owner, f"*{owner}", "::")
    if not (signature.takes_instance and owner and through_type and arguments.positional):
        return [arguments]
    bound = msgspec.structs.replace(arguments, positional=arguments.positional - 1)
    may_be_value = signature.shares_names and arguments.receiver == owner
    return [arguments, bound] if may_be_value else [bound]


def _misfit(signature: Signature, arguments: Arguments) -> str | None:
    listed = [each for each in signature.parameters if each.kind in ("any", "positional")]
    kinds = {each.kind for each in signature.parameters}
    passed, names = arguments.positional, list(arguments.names)
    named_ones = [each for each in signature.parameters if each.kind in ("any", "keyword")]
    last = named_ones[-1:] or listed[-1:]
    if arguments.block:  # it is the last one's, whatever is left out before it
        if not last:
            return None if "rest" in kinds else "passes a function to what takes none"
        names.append(last[0].name)
    by_name = {each.name for each in signature.parameters if each.kind in ("any", "keyword")}
    if arguments.names_are_one and names and "keyword" not in kinds and "keywords" not in kinds:
        passed, names = passed + 1, []
    is_open = arguments.is_open or KEY_OF_ANY_KIND in names
    names = [name for name in names if name != KEY_OF_ANY_KIND]
    if passed > len(listed) and "rest" not in kinds:
        return f"passes {_counted(passed, 'argument')}, takes {_most(signature, listed)}"
    of_block = {each.name for each in last} if arguments.block else set()
    unknown = [name for name in names if name not in by_name | of_block]
    if unknown and "keywords" not in kinds:
        return f"passes {unknown[0]}=, which is no parameter"
    named = by_name.intersection(names)
    twice = [each.name for each in listed[:passed] if each.name in named]
    if twice and not is_open:
        return f"passes {twice[0]} twice"
    if is_open:
        return None
    if arguments.block:
        named.add(last[0].name)
    missing = [each for each in listed[passed:] if _is_needed(each) and each.name not in named]
    missing += [
        each
        for each in signature.parameters
        if each.kind == "keyword" and _is_needed(each) and each.name not in named
    ]
    if missing:
        return f"does not pass {_some(each.name or 'an argument' for each in missing)}"
    return _result_misfit(signature.results, arguments)


def _result_misfit(results: int, arguments: Arguments) -> str | None:
    """Why what a call does with its result does not fit how many there are (-1: unknown)."""
    taken = arguments.taken
    if results == 0 and arguments.is_used and taken <= 1:
        return "uses the result of what returns none"
    if results < 0 or taken < 0 or taken == results:
        return None
    if arguments.takes_fewer and 1 < taken < results:
        return None
    return f"takes {_counted(taken, 'result')} of {results}"


def reordered(
    before: Sequence[Signature], after: Sequence[Signature], arguments: Arguments
) -> str | None:
    """Which argument of a call goes to another parameter than before; None where none does."""
    if len(before) != 1 or len(after) != 1:
        return None
    old = [each.name for each in before[0].parameters if each.kind in ("any", "positional")]
    new = [each.name for each in after[0].parameters if each.kind in ("any", "positional")]
    known = set(old) & set(new)
    for place, (was, now) in enumerate(zip(old, new, strict=False)):
        if place >= arguments.positional:
            return None
        if was != now and was in known:
            return f"argument {place + 1} was {was} and is {now} now"
    return None


def _most(signature: Signature, listed: Sequence[CallParameter]) -> str:
    least = sum(_is_needed(each) for each in listed)
    most = len(listed)
    return f"{most}" if least == most else f"{least} to {most}"


def _counted(number: int, what: str) -> str:
    return counted(number, what)


def _some(names: Iterable[str]) -> str:
    listed = list(names)
    more = f" and {len(listed) - 3} more" if len(listed) > 3 else ""
    return ", ".join(listed[:3]) + more
