"""A checkout that takes its time: files wait for it, and those of other projects do not."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from surveyor.engine.index import pipeline
from surveyor.engine.index.commit import CheckoutFolder
from surveyor.engine.index.pipeline import Pipeline
from surveyor.platform.processes import is_held_open


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="who has a file is not known here")
async def test_files_wait_for_a_git_that_has_the_index_and_not_for_a_lock_that_was_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After ten seconds what was read was of two branches, and the one's vectors were dropped."""
    monkeypatch.setattr(pipeline, "GIT_SEEN_SECONDS", 0.0)
    monkeypatch.setattr(pipeline, "GIT_LOCK_SECONDS", 0.0)
    lock = tmp_path / "index.lock"
    folder = CheckoutFolder("c", "p", str(tmp_path), "p", tmp_path)
    asking = cast(Any, SimpleNamespace(ask=pipeline._ask_here))
    with lock.open("w"):
        assert is_held_open(str(lock))
        with pytest.raises(pipeline._GitAtWorkError):
            await Pipeline._wait_for_git(asking, folder)
    assert not is_held_open(str(lock))
    await Pipeline._wait_for_git(asking, folder)
    lock.unlink()
    await Pipeline._wait_for_git(asking, folder)
