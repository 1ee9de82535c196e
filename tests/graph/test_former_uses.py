"""Of which files the uses of what is gone are followed, where many name it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from surveyor.graph.jobs import FormerUse, GraphJob
from surveyor.graph.queries import former_uses
from surveyor.graph.queries.former_uses import FormerDefinition, find_former_uses

IMPORTING = [f"far/z{number}.py" for number in range(3)]
OTHERS = [f"far/a{number:03}.py" for number in range(former_uses.MAX_FILES)]


class Stored:
    """A graph in which one file is imported by three."""

    state = None
    checkout_id = "here"

    async def file(self, path: str) -> Any:
        return SimpleNamespace(file_id=1)

    async def importing(self, file_id: int) -> list[int]:
        return [2, 3, 4]

    async def files(self, ids: list[int]) -> dict[int, Any]:
        return {
            number: SimpleNamespace(path=path) for number, path in zip(ids, IMPORTING, strict=True)
        }


async def uses_of_gone(naming: list[str], monkeypatch: pytest.MonkeyPatch) -> tuple[list[str], int]:
    """The files that were looked at, and how many were left."""
    asked: list[GraphJob] = []

    async def named(*given: Any) -> list[tuple[str, int]]:
        return [(path, 1) for path in naming]

    async def run(job: GraphJob) -> bytes:
        asked.append(job)
        use = FormerUse(job.paths[0], 7, 4, "box.py", "Box.fetch_all", 1.0)
        return msgspec.msgpack.encode([use])

    monkeypatch.setattr(former_uses, "files_with_any", named)
    gone = [FormerDefinition("near/box.py", "Box.fetch_all", b"graph")]
    job = GraphJob("former", "here", "/project", 1)
    found = await find_former_uses(Stored(), gone, job, run)  # type: ignore[arg-type]
    assert found.places == {("box.py", "Box.fetch_all"): {(asked[0].paths[0], 7, 4): 1.0}}
    return asked[0].paths, found.left


async def test_files_that_import_it_come_first_and_the_others_are_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    paths, left = await uses_of_gone([*OTHERS, *IMPORTING, "near/use.py"], monkeypatch)
    assert len(paths) == former_uses.MAX_FILES and left == 4
    assert set(paths[:3]) == set(IMPORTING)
    assert paths[3] == "near/use.py", "then those beside it"


async def test_so_many_as_are_looked_at_leave_none(monkeypatch: pytest.MonkeyPatch) -> None:
    paths, left = await uses_of_gone(OTHERS, monkeypatch)
    assert (paths, left) == (OTHERS, 0)
