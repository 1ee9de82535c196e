"""clients/emacs: compiles without a warning, and its own tests pass, one with the real server."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.lsp.conftest import PYTHON, write
from tests.lsp.rawclient import CHECKOUT, environment

EMACS = shutil.which("emacs")
CLIENT = CHECKOUT / "clients/emacs"
LIMIT_S = 240

pytestmark = pytest.mark.skipif(EMACS is None, reason="Emacs is not installed")


def emacs(*arguments: str, env: dict[str, str] | None = None) -> str:
    """What Emacs says, in a session that reads no settings."""
    command = [str(EMACS), "--batch", "-Q", "-L", str(CLIENT), *arguments]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=LIMIT_S, env=env, check=False
    )
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    return said


def test_it_compiles_and_is_documented_without_a_warning(tmp_path: Path) -> None:
    source = tmp_path / "surveyor.el"
    shutil.copy(CLIENT / "surveyor.el", source)
    strict = "(setq byte-compile-error-on-warn t)"
    assert emacs("--eval", strict, "-f", "batch-byte-compile", str(source)) == ""
    said = emacs("--eval", f'(checkdoc-file "{source}")')
    assert [line for line in said.splitlines() if "surveyor.el" in line] == []


def test_a_session_with_the_real_server(tmp_path: Path) -> None:
    project = write(tmp_path / "project", PYTHON)
    for step in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        user = ["-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", *user, *step], cwd=project, check=True)
    env = {**environment(tmp_path / "data"), "SURVEYOR_TEST_PROJECT": str(project)}
    command = f'(setq surveyor-command \'("{sys.executable}" "-m" "surveyor" "lsp"))'
    tests = ["-L", str(CLIENT / "test"), "-l", "surveyor-test", "--eval", command]
    try:
        said = emacs(*tests, "-f", "ert-run-tests-batch-and-exit", env=env)
        assert " 0 unexpected" in said and "skipped" not in said, said
    finally:
        stop = [sys.executable, "-m", "surveyor", "engine", "stop"]
        subprocess.run(stop, env=env, capture_output=True, timeout=60, check=False)
