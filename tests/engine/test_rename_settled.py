"""A rename by what the index knows waits until it knows all."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from surveyor.engine.operations.rename import require_settled
from surveyor.errors import UsageError
from surveyor.protocol.edits import EditResponse


def context(*, pending: bool, behind: int) -> Any:
    async def freshen(answer: EditResponse) -> EditResponse:
        answer.files_behind = behind
        return answer

    return SimpleNamespace(
        pending=pending, freshen=freshen, checkout=SimpleNamespace(root="/project")
    )


@pytest.mark.parametrize(("pending", "behind"), [(True, 0), (False, 3)])
async def test_while_uses_are_worked_out_nothing_is_renamed(pending: bool, behind: int) -> None:
    """Right after a start of the engine one of 28 files was changed, and the others left."""
    with pytest.raises(UsageError, match="nothing was renamed"):
        await require_settled(context(pending=pending, behind=behind))


async def test_once_they_are_known_it_goes_on() -> None:
    await require_settled(context(pending=False, behind=0))
