"""Methods of dataclasses that are compiled when they are called behave as those compiled before."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import FrozenInstanceError, dataclass, field, replace
from functools import partial
from typing import Any

import pytest

from surveyor.dataclass_methods import compile_when_called

CREATE = "_create_fn"
later_only = pytest.mark.skipif(
    not hasattr(dataclasses, CREATE), reason="this Python compiles a class's methods together"
)


def _point() -> type[Any]:
    @dataclass(frozen=True, slots=True, order=True)
    class Base:
        x: int
        y: int = 2

    @dataclass(frozen=True, slots=True)
    class Point(Base):
        tags: list[str] = field(default_factory=list, compare=False, hash=False)

    return Point


@pytest.fixture
def points(monkeypatch: pytest.MonkeyPatch) -> tuple[type[Any], type[Any]]:
    """The same class, made as Python does and as we do."""
    before = _point()
    monkeypatch.setattr(dataclasses, CREATE, getattr(dataclasses, CREATE))
    compile_when_called()
    compile_when_called()
    return before, _point()


def _overfilled(kind: type[Any]) -> object:
    return kind(1, 2, [], 4)


def _refused(call: Callable[[], object]) -> str:
    with pytest.raises((TypeError, FrozenInstanceError)) as raised:
        call()
    return f"{type(raised.value).__name__}: {raised.value}"


@later_only
def test_they_do_what_they_always_did(points: tuple[type[Any], type[Any]]) -> None:
    seen = []
    for kind in points:
        one, same, other = kind(1), kind(x=1, y=2, tags=["a"]), kind(2)
        seen.append(
            (
                (one.x, one.y, one.tags, replace(one, x=5).x, dataclasses.asdict(same)),
                (one == same, hash(one) == hash(same), one == other, one == (1, 2), one < other),
                (repr(one), kind.__init__.__qualname__, kind.__match_args__, kind.__slots__),
                [
                    _refused(kind),
                    _refused(partial(_overfilled, kind)),
                    _refused(partial(setattr, one, "x", 3)),
                    _refused(partial(delattr, one, "x")),
                ],
            )
        )
    assert seen[0] == seen[1]


@later_only
def test_one_is_compiled_by_its_first_call_alone(points: tuple[type[Any], type[Any]]) -> None:
    kind = points[1]
    one, waiting = kind(1), vars(kind)["__eq__"]
    constructor = vars(kind)["__init__"]
    assert one == kind(1)
    compiled = vars(kind)["__eq__"]
    assert compiled is not waiting and compiled(one, one)
    assert one == kind(1) and vars(kind)["__eq__"] is compiled
    assert waiting(one, kind(1))  # whoever has the first one may go on calling it
    assert vars(kind)["__init__"] is constructor


@later_only
def test_a_python_that_is_made_otherwise_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def of_tomorrow(name: str) -> None: ...

    monkeypatch.setattr(dataclasses, CREATE, of_tomorrow)
    compile_when_called()
    assert getattr(dataclasses, CREATE) is of_tomorrow
