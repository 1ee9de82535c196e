"""Which of several functions of one name a use means, by what is passed there.

The graph has one node for all of them: uses of one that is asked about by its place are told apart
here, when they are asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from surveyor.change.jobs import CallsJob
from surveyor.change.signatures import Arguments, CallParameter, Signature, misfit
from surveyor.engine.file_versions import ReadCalls, current_texts
from surveyor.graph.queries.names import NameMeaning
from surveyor.graph.queries.query_context import QueryContext
from surveyor.graph.queries.questions import MatchedItems
from surveyor.protocol.graph import GraphItem
from surveyor.units import counted

__all__ = ["tell_apart"]

MAX_FILES = 60
"""Files with uses that are read for one question; where there are more, uses of all are given."""
MAX_BYTES = 1 << 20
"""Larger ones are not read."""

_Place = tuple[str, int, int]
"""Path, line and column."""

_NUMBER_TYPES = """
int long short byte sbyte uint ulong ushort float double decimal nint nuint char size_t int8_t
int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t unsigned Int Int8 Int16 Int32 Int64 UInt
UInt8 UInt16 UInt32 UInt64 Double Float Long Short Byte CGFloat
"""
_NUMBERS = frozenset(_NUMBER_TYPES.split())
_BOOLS = frozenset({"bool", "boolean", "Bool", "Boolean"})
_STRINGS = frozenset({"string", "String", "std::string", "QString", "std::string_view"})
_SAME: dict[str, frozenset[str]] = {
    "string": frozenset({"string", "String", "constchar*"}),
    "number": _NUMBERS,
    "bool": _BOOLS,
}
"""Types that a literal is of without a conversion."""
_NEVER: dict[str, frozenset[str]] = {
    "string": _NUMBERS | _BOOLS,
    "number": _STRINGS | _BOOLS,
    "bool": _STRINGS,
    "function": _STRINGS | _NUMBERS | _BOOLS,
    "null": _NUMBERS | _BOOLS,
}
"""Types that a value of a kind never is."""


class _Overload(NamedTuple):
    """What one of the functions takes, and whether it is the one that was asked about."""

    signature: Signature
    is_asked: bool
    path: str
    """Of a file that has it."""


async def tell_apart(
    context: QueryContext, meant: NameMeaning, found: MatchedItems, read: ReadCalls
) -> None:
    """Take away the uses that mean another function of the name.

    `found.untold` says of how many it is not known; where nothing is read, that of all of them.
    """
    if not meant.overloads:
        return
    found.untold = f"{meant.overloads} overloads have its name: uses of all are given"
    calls = [item for item in found.items if item.depth <= 1]
    paths = list(dict.fromkeys(item.path for item in calls))
    if len(paths) > MAX_FILES or len(calls) < len(found.items):
        return
    every = list(dict.fromkeys([*(node.path for node in (*meant.asked, *meant.rivals)), *paths]))
    texts = dict(zip(every, await current_texts(context, every), strict=True))
    by_path: dict[str, list[GraphItem]] = {path: [] for path in every}
    for item in calls:
        by_path[item.path].append(item)
    jobs = [
        CallsJob(
            path,
            texts[path] if len(texts[path]) <= MAX_BYTES else b"",
            [(item.line, item.column) for item in items],
            for_overloads=True,
        )
        for path, items in by_path.items()
    ]
    signatures: dict[_Place, Signature] = {}
    passed: list[tuple[GraphItem, Arguments | None]] = []
    for job, answer in zip(jobs, await read(jobs), strict=True):
        for each in answer.definitions:
            signatures[job.path, each.line, each.column] = each.signature
        passed += zip(by_path[job.path], answer.arguments, strict=True)
    overloads = _overloads(meant, signatures)
    if len(overloads) < 2:
        found.untold = "" if overloads else found.untold  # one, in branches of a conditional
        return
    owner = meant.nodes[0].qualname.rpartition(".")[0].rpartition(".")[2]
    others: set[_Place] = set()
    untold = 0
    for item, arguments in passed:
        means = None
        if arguments is not None:
            seen = [o for o in overloads if not o.signature.is_private or o.path == item.path]
            means = _means_asked(seen, arguments, owner)
        if means is None:
            untold += 1
        elif not means:
            others.add((item.path, item.line, item.column))
    found.items = [i for i in found.items if (i.path, i.line, i.column) not in others]
    uses = counted(untold, "use", "uses")
    found.untold = f"which of {len(overloads)} overloads {uses} mean is not known" if untold else ""


def _overloads(meant: NameMeaning, signatures: dict[_Place, Signature]) -> list[_Overload]:
    """The functions of the name, a declaration and its definition once; none where one of them
    cannot be read."""
    found: dict[tuple[str, ...], _Overload] = {}
    places = [(node, True) for node in meant.asked] + [(node, False) for node in meant.rivals]
    for node, is_asked in places:
        signature = signatures.get((node.path, node.line, node.column))
        if signature is None:
            return []
        takes = (f"{each.kind} {each.type_name or each.name}" for each in signature.parameters)
        key = (signature.extends, *takes)
        known = found.get(key)
        if known is None:
            found[key] = _Overload(signature, is_asked, node.path)
        else:
            both = _both(known.signature.parameters, signature.parameters)
            merged = replace(known.signature, parameters=both)
            found[key] = known._replace(signature=merged, is_asked=known.is_asked or is_asked)
    return list(found.values())


def _both(
    one: Sequence[CallParameter], other: Sequence[CallParameter]
) -> tuple[CallParameter, ...]:
    """A declaration may say which parameters can be left out, where the definition does not."""
    pairs = zip(one, other, strict=True)
    return tuple(replace(a, is_required=a.is_required and b.is_required) for a, b in pairs)


def _means_asked(overloads: Iterable[_Overload], arguments: Arguments, owner: str) -> bool | None:
    """Whether a call means the function that was asked about; None where that is not to be seen.

    `owner` is the name of the type that has the functions.
    """
    plain = replace(arguments, taken=-1, is_used=False)
    likely: list[tuple[tuple[int, bool], bool]] = []
    for signature, is_asked, _ in overloads:
        if misfit([signature], plain, owner) is not None or _is_short_for(signature, plain):
            continue
        hands_instance = signature.takes_instance and plain.receiver == owner
        kinds = plain.kinds[1:] if hands_instance else plain.kinds
        taken = [*_taken(signature, kinds)]
        if not any(type_name in _NEVER.get(kind, ()) for kind, type_name in taken):
            is_plain = all(each.kind != "rest" for each in signature.parameters)
            likely.append(((_exact(taken), is_plain), is_asked))
    if not likely:
        return None
    best = max(exact for exact, _ in likely)
    asked = {is_asked for exact, is_asked in likely if exact == best}
    return asked.pop() if len(asked) == 1 else None


def _taken(signature: Signature, kinds: Sequence[str]) -> Iterable[tuple[str, str]]:
    """(kind, type) of the positional arguments of which both are known; the last parameter may take
    any number of them."""
    listed = [each for each in signature.parameters if each.kind in ("any", "positional")]
    rest = [each for each in signature.parameters if each.kind == "rest"][:1]
    for kind, parameter in zip(kinds, [*listed, *rest * len(kinds)], strict=False):
        if kind and parameter.type_name:
            yield kind, parameter.type_name


def _is_short_for(signature: Signature, arguments: Arguments) -> bool:
    """Whether nothing is left to take the function that stands behind the brackets."""
    if not arguments.block or any(each.kind == "rest" for each in signature.parameters):
        return False
    return arguments.positional + len(arguments.names) >= len(signature.parameters)


def _exact(taken: Iterable[tuple[str, str]]) -> int:
    """How many arguments are of just the type that is taken: `new Box()`, a member of an enum."""
    plain = ((kind, type_name.rstrip("?")) for kind, type_name in taken)
    return sum(
        type_name in _SAME.get(kind, ()) or kind in (f"new {type_name}", f"{type_name}.")
        for kind, type_name in plain
    )
