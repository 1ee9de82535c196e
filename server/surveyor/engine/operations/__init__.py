"""The engine's operations: one table, served over HTTP and over sessions alike.

Each module has a group: a class that takes the parts of the engine that it needs, with a method
for each request, marked with `@operation(RequestType)`. `build` makes the groups and the table.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from surveyor.engine.process.sessions import Session
from surveyor.engine.projects.boundary import Reach
from surveyor.protocol.base import Request

R = TypeVar("R", bound=Request[Any])
G = TypeVar("G")
A = TypeVar("A")

_REQUEST = "_answers_request"
"""Attribute of a method of a group: the type of the request that it answers."""


Report = Callable[[float, float | None, str], Awaitable[None]]
"""Hears what is done, of how much, and in words."""


@dataclass(frozen=True, slots=True)
class Caller:
    """The session that a request came over, and how far an agent may see."""

    session: Session | None = None
    reach: Reach | None = None
    """How far an agent reaches; None for the user's own commands and editors."""
    report: Report | None = None
    """Tells an agent how far its call is; other sessions are notified."""
    is_look: bool = False
    """A session looks by itself whether something has changed: nobody uses the engine."""

    @property
    def is_agent(self) -> bool:
        """Whether an agent asks, by whatever way."""
        session = self.session
        return self.reach is not None or (session is not None and session.hello.client == "mcp")


Handler = Callable[[Any, Caller], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class Operation:
    """A request type and the function that answers it."""

    request: type[Request[Any]]
    handler: Handler

    @property
    def name(self) -> str:
        """As it is called on the wire."""
        return self.request.operation


Method = Callable[[G, R, Caller], Awaitable[A]]


def operation(request: type[R]) -> Callable[[Method[G, R, A]], Method[G, R, A]]:
    """Mark the decorated coroutine method of a group as what answers `request`."""

    def mark(method: Method[G, R, A]) -> Method[G, R, A]:
        setattr(method, _REQUEST, request)
        return method

    return mark


class Operations(Mapping[str, Operation]):
    """The operations of some groups, by name, in the order of the names."""

    def __init__(self, groups: Iterable[object]) -> None:
        found: dict[str, Operation] = {}
        self._groups = tuple(groups)
        for group in self._groups:
            for name, method in inspect.getmembers(type(group), inspect.isfunction):
                request = getattr(method, _REQUEST, None)
                if request is None:
                    continue
                if request.operation in found:
                    raise ValueError(f"two groups answer {request.operation}")
                found[request.operation] = Operation(request, getattr(group, name))
        self._operations = dict(sorted(found.items()))

    def group(self, kind: type[G]) -> G:
        """The group of a type, for who has a way of their own to ask it."""
        return next(group for group in self._groups if isinstance(group, kind))

    def __getitem__(self, name: str) -> Operation:
        return self._operations[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._operations)

    def __len__(self) -> int:
        return len(self._operations)
