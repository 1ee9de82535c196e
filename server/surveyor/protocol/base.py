"""What every message is: its base, its freshness, and the version of the protocol."""

from __future__ import annotations

from typing import Any, ClassVar, Generic, TypeVar

import msgspec

from surveyor.protocol.enumerations import Status

PROTOCOL_MIN = 1

PROTOCOL_MAX = 1

"""The range of engine protocols that this version speaks; both sides use the highest common."""

Answer = TypeVar("Answer")


class Model(msgspec.Struct, kw_only=True):
    """Base of everything on the wire."""


class Request(Model, Generic[Answer], kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A call to the engine. Unknown fields are refused, so that a typing error is not silence.

    Defaults are not sent: an older engine is not told of a field that nobody uses.
    """

    operation: ClassVar[str]
    answer: ClassVar[type[Any]]


class Freshness(Model, kw_only=True):
    """How far an answer can be trusted; part of every answer from the index."""

    status: Status = "healthy"
    files_behind: int = 0
    revision: int = 0
    reason: str | None = None
    message: str | None = None

    def freshness(self) -> dict[str, Any]:
        """These fields alone, to be handed on to another answer."""
        return {name: getattr(self, name) for name in Freshness.__struct_fields__}


class Done(Model, kw_only=True):
    """A change that has been made, in words."""

    message: str = ""
