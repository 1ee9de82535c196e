"""The engine's operations: one table, served over HTTP and over sessions alike.

A room adds its own in a module of this package, with `@operation(RequestType)`.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from surveyor.protocol.base import Request

if TYPE_CHECKING:
    from surveyor.engine.app import Engine
    from surveyor.engine.process.sessions import Session
    from surveyor.engine.projects.boundary import Reach

R = TypeVar("R", bound=Request[Any])


@dataclass(frozen=True, slots=True)
class Call:
    """Who is asking."""

    session: Session | None = None
    reach: Reach | None = None
    """How far an agent reaches; None for the user's own commands and editors."""


Handler = Callable[["Engine", Any, Call], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class Operation:
    """A request type and the function that answers it."""

    request: type[Request[Any]]
    handler: Handler

    @property
    def name(self) -> str:
        """As it is called on the wire."""
        return self.request.operation


OPERATIONS: dict[str, Operation] = {}


def operation(
    request: type[R],
) -> Callable[
    [Callable[[Engine, R, Call], Awaitable[Any]]], Callable[[Engine, R, Call], Awaitable[Any]]
]:
    """Register the decorated coroutine function as what answers `request`."""

    def register(
        handler: Callable[[Engine, R, Call], Awaitable[Any]],
    ) -> Callable[[Engine, R, Call], Awaitable[Any]]:
        OPERATIONS[request.operation] = Operation(request, handler)
        return handler

    return register


Attach = Callable[["Engine"], Awaitable[None]]


def load_operations() -> list[Attach]:
    """Import every module of this package, so that the table is complete.

    A module may have a coroutine function `attach(engine)`, run when the engine opens: there a
    room hangs what it has on the engine's hooks. Returns these.
    """
    attach: list[Attach] = []
    for info in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{info.name}")
        if hasattr(module, "attach"):
            attach.append(module.attach)
    return attach
