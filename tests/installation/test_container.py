"""The image and the dev container's feature: what they copy is there, and what they run works."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from surveyor import __version__
from tests.product import Product, until, write_tree

ROOT = Path(__file__).parents[2]
FEATURE = ROOT / "clients" / "devcontainer" / "src" / "surveyor"
ENTRYPOINT = ROOT / "clients" / "container" / "entrypoint.sh"


def tool(name: str) -> str:
    found = shutil.which(name, path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if found is None:
        pytest.skip(f"{name} is not there")
    return found


def test_the_image_is_described_as_its_linter_wants_it() -> None:
    done = subprocess.run(
        [tool("hadolint"), "--no-color", str(ROOT / "Dockerfile")], capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, "")


def test_what_the_image_copies_is_there_and_let_through() -> None:
    lines = (ROOT / "Dockerfile").read_text().splitlines()
    copied = [
        source
        for line in lines
        if line.startswith("COPY ") and "--from" not in line
        for source in line.split()[1:-1]
        if not source.startswith("--")
    ]
    allowed = [
        line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line[0] == "!"
    ]
    assert copied
    for source in copied:
        assert (ROOT / source).exists(), source
        assert any(Path(source).is_relative_to(one) for one in allowed), source


def test_scripts_are_as_their_linter_wants_them() -> None:
    done = subprocess.run(
        [tool("shellcheck"), str(ENTRYPOINT), str(FEATURE / "install.sh")],
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (0, "")


def test_the_feature_names_this_version() -> None:
    feature = json.loads((FEATURE / "devcontainer-feature.json").read_text())
    assert feature["version"] == __version__
    assert __version__ in feature["options"]["version"]["proposals"]


@pytest.mark.skipif(sys.platform == "win32", reason="of Linux containers")
def test_the_image_serves_and_indexes_what_is_mounted(surveyor: Product, tmp_path: Path) -> None:
    shop = write_tree(tmp_path / "shop")
    command = tmp_path / "bin" / "surveyor"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m surveyor "$@"\n')
    command.chmod(0o755)
    surveyor.extra |= {
        "PATH": f"{command.parent}:{os.environ['PATH']}",
        "SURVEYOR_WORKSPACE": str(shop),
        "SURVEYOR_ENGINE__IDLE_TIMEOUT": "0",
    }
    served = subprocess.Popen(
        ["sh", str(ENTRYPOINT)],
        env=surveyor.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert served.stdout is not None
    said = served.stdout.readline()  # by `index`, when it is done
    assert said.startswith(str(shop)) and "files indexed" in said
    assert surveyor.engine_pid() == served.pid
    served.send_signal(signal.SIGTERM)
    assert served.wait(30) == 0
    until(lambda: not surveyor.processes())
