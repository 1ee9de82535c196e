"""Places where a name is used and it is not known what it means, as they are stored with a file.

One record of `RECORD_BYTES` a place: the hash of the name, what it stands on and the kind of use,
the line. Few files have many, and a name is found among those of a whole checkout by its hash.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter
from typing import Literal, NamedTuple

from surveyor.graph.facts import KIND_CODES, KIND_NAMES, NAME_HASH_BYTES, name_hash

__all__ = ["RECORD_BYTES", "LeftUse", "Standing", "decode_left", "encode_left"]

Standing = Literal["module", "value", "given"]
"""What a name that is not followed stands on: a module of the project that is not known to have it,
a value of which nothing is known, or what something from elsewhere gives, which may be of the
project."""

RECORD_BYTES = NAME_HASH_BYTES + 4
_LINE_BITS = 24
_LAST_LINE = (1 << _LINE_BITS) - 1
_STANDINGS: tuple[Standing, ...] = ("module", "value", "given")
_KIND_BITS = 6


class LeftUse(NamedTuple):
    """A place where a name is used without being followed."""

    name: str
    kind: str
    line: int
    """From 1."""
    standing: Standing


def encode_left(uses: Iterable[LeftUse]) -> bytes:
    """As they are stored, each once."""
    return b"".join(sorted({_record(use) for use in uses}))


def _record(use: LeftUse) -> bytes:
    first = _STANDINGS.index(use.standing) << _KIND_BITS | KIND_CODES[use.kind]
    packed = first << _LINE_BITS | min(use.line, _LAST_LINE)
    return name_hash(use.name) + packed.to_bytes(4, "big")


def decode_left(data: bytes, name: str) -> list[LeftUse]:
    """Those of a name, by line."""
    wanted = name_hash(name)
    found: list[LeftUse] = []
    for at in range(0, len(data), RECORD_BYTES):
        if data.startswith(wanted, at):
            packed = int.from_bytes(data[at + NAME_HASH_BYTES : at + RECORD_BYTES], "big")
            first, line = packed >> _LINE_BITS, packed & _LAST_LINE
            kind = KIND_NAMES[first & ((1 << _KIND_BITS) - 1)]
            found.append(LeftUse(name, kind, line, _STANDINGS[first >> _KIND_BITS]))
    return sorted(found, key=attrgetter("line"))
