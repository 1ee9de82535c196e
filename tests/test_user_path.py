"""The user's PATH is noted by the command line and found by what starts without one."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from surveyor import user_path
from surveyor.user_path import expand, merge, remember, stored_path


def test_folders_are_expanded_merged_and_the_first_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ann")
    monkeypatch.setenv("TOOLS", "$HOME/tools")
    merged = merge("/a:~/bin:$TOOLS/x:/a", "/b:/a:/home/ann/bin:/c")
    assert merged.split(":") == ["/a", "/home/ann/bin", "/home/ann/tools/x", "/b", "/c"]


def test_a_variable_that_names_itself_does_not_hang(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOOP", "$LOOP/x")
    assert expand("$LOOP").endswith("/x")


def test_the_file_is_written_only_if_that_changes_it_and_the_rest_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "surveyor.toml"
    file.write_text('# mine\n[engine]\nidle_timeout = "5m"  # short\n')
    monkeypatch.setenv("PATH", "/a:/b")
    assert remember(file)
    assert "# mine" in file.read_text() and "# short" in file.read_text()
    assert stored_path(file) == "/a:/b"
    before = file.stat().st_mtime_ns
    assert not remember(file) and file.stat().st_mtime_ns == before
    monkeypatch.setenv("PATH", "/c:/a")
    assert remember(file) and stored_path(file) == "/c:/a:/b"


def test_a_broken_or_unwritable_file_stops_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "surveyor.toml"
    file.write_text("user_path = [")
    monkeypatch.setenv("PATH", "/a")
    assert not remember(file) and file.read_text() == "user_path = ["
    assert not remember(file / "below-a-file")


def test_a_command_notes_the_path_and_config_init_keeps_it(tmp_path: Path) -> None:
    data = tmp_path / "d"
    env = {**os.environ, "SURVEYOR_DATA_DIR": str(data), "PATH": f"/my/tools:{os.environ['PATH']}"}
    env["PYTHONPATH"] = str(Path(user_path.__file__).parents[1])

    def surveyor(*arguments: str) -> None:
        subprocess.run(
            [sys.executable, "-m", "surveyor", *arguments], env=env, check=True, capture_output=True
        )

    surveyor("trust", "--list")
    assert stored_path(data / "surveyor.toml").startswith("/my/tools:")
    surveyor("config", "init")
    values = tomllib.loads((data / "surveyor.toml").read_text())
    assert values["environment"]["user_path"].startswith("/my/tools:")


def test_a_link_to_a_file_elsewhere_stays_a_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "dotfiles" / "surveyor.toml"
    kept.parent.mkdir()
    kept.write_text("# mine\n")
    kept.chmod(0o640)
    file = tmp_path / "surveyor.toml"
    file.symlink_to(kept)
    monkeypatch.setenv("PATH", "/a")
    assert remember(file) and file.is_symlink()
    assert stored_path(kept) == "/a" and kept.stat().st_mode & 0o777 == 0o640


def test_a_data_folder_that_a_command_makes_is_private(tmp_path: Path) -> None:
    data = tmp_path / "deep" / "data"
    env = {**os.environ, "SURVEYOR_DATA_DIR": str(data), "PATH": f"/my/tools:{os.environ['PATH']}"}
    env["PYTHONPATH"] = str(Path(user_path.__file__).parents[1])
    command = [sys.executable, "-m", "surveyor", "models", "list"]
    subprocess.run(command, env=env, check=False, capture_output=True)
    assert data.stat().st_mode & 0o777 == 0o700
    assert (data / "surveyor.toml").stat().st_mode & 0o777 == 0o600
