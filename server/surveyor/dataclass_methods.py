"""Dataclasses whose methods are compiled when they are first called.

`dataclasses` writes up to seven functions for each class, as text, and compiles each while the
module is imported: a millisecond a class, a quarter of the processor's time that an engine takes to
start, for methods most of which no process ever calls. Python 3.13 compiles a class's functions
together, which is several times as fast; there, and in a Python whose `dataclasses` is otherwise
than is known here, nothing is changed.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

KNOWN = ("name", "args", "body", "globals", "locals", "return_type")
"""The parameters of `dataclasses._create_fn` in Python 3.11 and 3.12."""


def compile_when_called() -> None:
    """From now on, have the methods of a dataclass compiled by their first call, in this process.

    What may be asked of a class without calling it is as ever, but for the signature of its
    constructor: that takes anything until it was called.
    """
    create = getattr(dataclasses, "_create_fn", None)
    if create is None or isinstance(create, partial):
        return
    if tuple(inspect.signature(create).parameters) == KNOWN:
        dataclasses._create_fn = partial(_later, create)  # type: ignore[attr-defined]


def _later(create: Callable[..., Any], name: str, *given: Any, **named: Any) -> Callable[..., Any]:
    """What stands for a method until it is called, and then puts the method in its own place."""
    made: Callable[..., Any] | None = None

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        nonlocal made
        if made is None:
            made = create(name, *given, **named)
            made.__qualname__ = method.__qualname__
            for kind in type(self).__mro__:
                if kind.__dict__.get(name) is method:
                    setattr(kind, name, made)
        return made(self, *args, **kwargs)

    method.__name__ = name
    return method
