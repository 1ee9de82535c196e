"""What the settings say to a window is kept as long as nothing that they come from has changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from surveyor import config, paths
from surveyor.config import last_good
from surveyor.lsp import window_settings


@pytest.fixture
def read_in_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    monkeypatch.setenv("SURVEYOR_DATA_DIR", str(tmp_path))
    times: list[int] = []
    load = config.load

    def counted() -> config.LoadedSettings:
        times.append(1)
        return load()

    monkeypatch.setattr(config, "load", counted)
    return times


def test_they_are_read_in_full_once(read_in_full: list[int]) -> None:
    paths.config_file().write_text('[lsp]\nmode = "full"\n[upstream.go]\nsettings = {a = [1]}\n')
    first = window_settings.read()
    assert first.lsp["mode"] == "full" and first.servers.upstream["go"]["settings"] == {"a": [1]}
    assert window_settings.read() == first
    assert len(read_in_full) == 1


def test_what_changes_them_is_seen(
    read_in_full: list[int], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert window_settings.read().servers.grace_s == 60.0
    paths.config_file().write_text("[servers]\ngrace = 7\n")
    assert window_settings.read().servers.grace_s == 7.0
    last_good.remember(config.load().found)
    paths.config_file().write_text("[servers\n")
    assert window_settings.read().servers.grace_s == 7.0  # as it was when it could be read
    monkeypatch.setenv("SURVEYOR_SERVERS__GRACE", "9")
    assert window_settings.read().servers.grace_s == 9.0
    paths.config_file().unlink()
    monkeypatch.delenv("SURVEYOR_SERVERS__GRACE")
    assert window_settings.read().servers.grace_s == 7.0
    last_good.forget(paths.config_file())
    assert window_settings.read().servers.grace_s == 60.0


def test_a_file_of_another_version_is_read_anew(read_in_full: list[int], tmp_path: Path) -> None:
    window_settings.read()
    for content in ("", '{"sources": 1}', '{"sources": "x", "settings": {}}'):
        (tmp_path / window_settings.FILE).write_text(content)
        assert window_settings.read().servers.shared
    assert len(read_in_full) == 4
