"""Shards of tests lie in memory where there is such a folder: a busy disk syncs for seconds."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from surveyor.store.vectors.edge import EdgeStore
from surveyor.store.vectors.open_shards import MEMORY_FOLDER


@pytest.fixture
def tmp_path(tmp_path: Path) -> Iterator[Path]:
    if not os.access(MEMORY_FOLDER, os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(prefix="surveyor-test-", dir=MEMORY_FOLDER) as folder:
        yield Path(folder)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EdgeStore]:
    made = EdgeStore(tmp_path)
    yield made
    made.close()
