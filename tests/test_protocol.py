"""The wire models: every request names its operation and the type of its answer."""

import importlib
import pkgutil
from typing import Any

import msgspec
import pytest

from surveyor import protocol
from surveyor.protocol import base
from surveyor.protocol.search import SearchRequest
from surveyor.protocol.wire import one_based

for _module in pkgutil.iter_modules(protocol.__path__):
    importlib.import_module(f"surveyor.protocol.{_module.name}")


def requests() -> list[type[base.Request[Any]]]:
    """Those that are sent, not what several of them have in common."""
    found: list[type[base.Request[Any]]] = []
    seen = base.Request.__subclasses__()
    while seen:
        request_type = seen.pop()
        below = request_type.__subclasses__()
        seen.extend(below)
        if not below:
            found.append(request_type)
    return sorted(found, key=lambda each: each.__name__)


@pytest.mark.parametrize("request_type", requests(), ids=lambda r: r.__name__)
def test_a_request_names_an_operation_and_its_answer(
    request_type: type[base.Request[Any]],
) -> None:
    assert request_type.operation
    assert issubclass(request_type.answer, base.Model)


def test_operations_are_unique() -> None:
    names = [r.operation for r in requests()]
    assert len(names) == len(set(names))


def test_an_unknown_field_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError, match="limt"):
        msgspec.json.decode(b'{"query": "x", "limt": 3}', type=SearchRequest)


def test_columns_count_from_one_for_people_and_only_there() -> None:
    answer = {"results": [{"line": 3, "column": 0, "end_column": 5}], "took_ms": 1.5}
    assert one_based(answer) == {
        "results": [{"line": 3, "column": 1, "end_column": 5}], "took_ms": 1.5,
    }  # fmt: skip
    assert answer["results"] == [{"line": 3, "column": 0, "end_column": 5}]
