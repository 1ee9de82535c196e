"""What both editors' tests share: the server's command, a real project, and a home of their own.

These suites run in the environment that `install-editors.sh` makes, each in a process of its own
(`make test-editors`): pynvim and Playwright must not share one with asyncio's tests.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
PREFIX = Path(os.environ.get("EDITORS_PREFIX", REPOSITORY / ".cache" / "editors"))

# The main test environment has neither; `make test-editors` runs these folders by name.
collect_ignore = [
    folder
    for folder, module in (("neovim", "pynvim"), ("vscode", "playwright"))
    if importlib.util.find_spec(module) is None
]


@dataclass(frozen=True, slots=True)
class Home:
    """A user of their own: folders, environment and the server's command."""

    folder: Path
    environment: dict[str, str]
    surveyor: Path

    def run(self, *arguments: str, timeout: float = 180) -> str:
        """Run the server's command line as this user and return what it printed."""
        done = subprocess.run(
            [str(self.surveyor), *arguments],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=True,
        )
        return done.stdout


@pytest.fixture(scope="session")
def surveyor() -> Path:
    """The server under test: SURVEYOR_COMMAND, or the one on the PATH."""
    command = os.environ.get("SURVEYOR_COMMAND") or shutil.which("surveyor")
    assert command, "set SURVEYOR_COMMAND to the surveyor command under test"
    return Path(command)


def make_home(surveyor: Path) -> Home:
    """A home in a short path, because Unix sockets live in it."""
    folder = Path(tempfile.mkdtemp(prefix="surveyor-e2e-"))
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("SURVEYOR_", "XDG_", "VIRTUAL_ENV", "PYTHON", "NVIM"))
    }
    environment |= {
        "HOME": str(folder),
        "SURVEYOR_DATA_DIR": str(folder / "data"),
        "XDG_CONFIG_HOME": str(folder / "config"),
        "XDG_DATA_HOME": str(folder / "share"),
        "XDG_STATE_HOME": str(folder / "state"),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "XDG_RUNTIME_DIR": str(folder / "run"),
        # The server under test first, then the real language servers of the editors' environment.
        "PATH": os.pathsep.join(
            [
                str(surveyor.parent),
                str(PREFIX / "node24"),  # before venv/bin, whose node is a shim that forks
                str(PREFIX / "venv" / "bin"),
                os.environ["PATH"],
            ]
        ),
    }
    (folder / "run").mkdir(mode=0o700)
    return Home(folder, environment, surveyor)


def leave_home(home: Home) -> None:
    """Stop the engine and take the folder away."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        subprocess.run(
            [str(home.surveyor), "engine", "stop"],
            env=home.environment,
            capture_output=True,
            timeout=120,
            check=False,
        )
    shutil.rmtree(home.folder, ignore_errors=True)


@pytest.fixture(scope="module")
def home(surveyor: Path) -> Iterator[Home]:
    """One user for a module's tests."""
    made = make_home(surveyor)
    yield made
    leave_home(made)


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(
        ["git", "-c", "user.name=T", "-c", "user.email=t@example.org", *arguments],
        cwd=folder,
        check=True,
        capture_output=True,
    )


def unpack_sample(into: Path, name: str = "signing") -> Path:
    """A real project (itsdangerous' source distribution) as a git repository."""
    archive = next((PREFIX / "samples").glob("itsdangerous-*.tar.gz"))
    with tarfile.open(archive) as tar:
        tar.extractall(into, filter="data")
    project = (into / archive.name.removesuffix(".tar.gz")).rename(into / name)
    git(project, "init", "-q", "-b", "main")
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "Import")
    return project


@pytest.fixture(scope="module")
def project(home: Home) -> Path:
    """The sample in this module's home."""
    return unpack_sample(home.folder / "code")


@pytest.fixture
def make_project(home: Home) -> Callable[[str], Path]:
    """Make another copy of the sample under a name."""
    return lambda name: unpack_sample(home.folder / "code", name)


class Agent:
    """A coding agent as far as its messages go: `surveyor mcp` over stdio."""

    def __init__(self, home: Home, project: Path) -> None:
        self._process = subprocess.Popen(
            [str(home.surveyor), "mcp", "--project", str(project)],
            env=home.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._number = 0
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}}
        self._ask("initialize", {**hello, "clientInfo": {"name": "robot", "version": "1"}})
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def call(self, tool: str, **arguments: object) -> str:
        """The text that a tool answers."""
        answer = self._ask("tools/call", {"name": tool, "arguments": arguments})
        return str(answer["content"][0]["text"])

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(30)

    def _ask(self, method: str, params: dict[str, object]) -> dict[str, Any]:
        self._number += 1
        number = self._number
        self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        assert self._process.stdout is not None
        for line in self._process.stdout:
            message = json.loads(line)
            if message.get("id") == number and "method" not in message:
                return dict(message["result"])
        raise AssertionError(f"{method}: the agent's server ended")

    def _send(self, message: dict[str, object]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()
