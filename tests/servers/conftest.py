"""A host in the test's own process, and clients of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from surveyor import paths
from surveyor.servers.host.client import Sharing
from surveyor.servers.host.main import Host
from tests.servers.support import (
    Fake,
)
from tests.servers.windows import Open, Window


@pytest.fixture
async def host(tmp_path: Path) -> AsyncIterator[Host]:
    """A host in this process: what a face finds when it looks for one."""
    (tmp_path / "d").mkdir()
    host = Host(paths.make_folders(tmp_path / "d"))
    await host.listen()
    yield host
    await host.close()


@pytest.fixture
async def window(tmp_path: Path, host: Host) -> AsyncIterator[Open]:
    opened: list[Window] = []

    def open_window(fake: Fake, *, grace_s: float = 0.0, **editor: Any) -> Window:
        made = Window(fake, Sharing(tmp_path / "d", "test", grace_s), **editor)
        opened.append(made)
        return made

    yield open_window
    await asyncio.gather(*(each.upstream.stop() for each in opened))
