"""Paths that no file can have, or that cannot be followed: an answer, never a traceback."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from surveyor.cli import main as cli
from surveyor.paths import named_path

COMMANDS = (
    ("check", "PATH"),
    ("deps", "PATH"),
    ("impact", "PATH"),
    ("map", "PATH"),
    ("outline", "PATH"),
    ("projects", "remove", "PATH"),
    ("search", "word", "--project", "PATH"),
    ("similar", "PATH:3"),
    ("status", "PATH"),
    ("symbols", "word", "--project", "PATH"),
    ("test", "PATH"),
    ("trust", "PATH"),
    ("library", "add", "papers", "PATH"),
    ("models", "use", "PATH"),
)
PATHS = {
    "a name of 300 bytes": "src/" + 300 * "n",
    "a path of 5,000 bytes": 5000 * "x",
    "a link to itself": "itself",
    "below a link to itself": "itself/x.py",
    "below a file": "file.py/x.py",
    "the home of nobody": "~nobody-is-called-so/x.py",
}


class AskedError(Exception):
    """The engine would have been asked: what it says is its own tests' business."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "itself").symlink_to("itself")
    (tmp_path / "file.py").write_text("pass\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SURVEYOR_DATA_DIR", str(tmp_path / "data"))

    def asked(*_: object, **__: object) -> None:
        raise AskedError

    monkeypatch.setattr("surveyor.client.blocking.connect", asked)
    monkeypatch.setattr("surveyor.client.blocking.call", asked)
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS)
def test_a_command_takes_what_cannot_be_a_path(
    folder: Path, command: tuple[str, ...], path: str
) -> None:
    arguments = [word.replace("PATH", path) for word in command]
    done = CliRunner().invoke(cli.app, arguments)
    assert isinstance(done.exception, AskedError | SystemExit | None), done.exception


@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS)
def test_a_path_that_cannot_be_is_absolute_all_the_same(folder: Path, path: str) -> None:
    assert named_path(path).is_absolute()
