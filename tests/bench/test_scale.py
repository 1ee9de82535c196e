"""The short form of `tests.bench.scale`: what must hold at any size, on a small one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.bench import scale
from tests.product import product

STOP_S = 5.0
"""Promised by `engine stop`, which kills after less: no figure of this machine."""
COPIES = 1.5
"""A chunk's text and vector stand in the index this often at most, log files left aside."""


def test_every_figure_is_taken_and_a_text_is_stored_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = scale.tree(None, tmp_path / "tree", 40)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setattr(scale, "QUIET_S", 1.0)
    with product(home) as surveyor:
        for name, value in surveyor.environment.items():
            monkeypatch.setenv(name, value)
        rows = scale.measure(surveyor, folder)
        sizes = scale.parts(surveyor.data)
    text = sum(path.stat().st_size for path in folder.rglob("*.py"))
    assert 30 < int(rows["files"]) <= 40, "what is generated in the environment is left out"
    assert rows["engine stop, s"] < STOP_S
    assert all(str(value) != "" for value in rows.values())
    (uses,) = (value for name, value in rows.items() if name.startswith("first 50 uses"))
    assert "(0)" not in uses
    assert sizes["chunks' texts"] + sizes["documents' texts"] < text
    assert os.environ["SURVEYOR_DATA_DIR"] == str(surveyor.data)
